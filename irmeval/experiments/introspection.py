"""Documentation of experiments in ``help``, ``inspect.signature`` and editors: parameters with meaning, range and default."""

import inspect
import typing
from collections.abc import Callable
from textwrap import fill
from typing import Any

from irmeval.core.params import Field, fields

WIDTH = 88
"""Columns of a line in `help`."""


class PerInstance:
    """An attribute computed per instance. The class itself has the usual value, or none."""

    def __init__(self, compute: Callable[[Any], Any], usual: Any = None):
        self.compute, self.usual = compute, usual

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is not None:
            return self.compute(instance)
        if self.usual is None:
            raise AttributeError
        return self.usual


def signature_of(experiment: Any) -> inspect.Signature:
    """Signature of a call, with each parameter of the experiment as a keyword, typed, with its default."""
    call = inspect.signature(type(experiment).__call__)
    usual = [p for p in call.parameters.values() if p.name != "self" and p.kind is not p.VAR_KEYWORD]
    kinds = typing.get_type_hints(experiment.params)
    own = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=field.default, annotation=kinds[name])
        for name, field in fields(experiment.params).items()
    ]
    return call.replace(parameters=[*usual, *own], return_annotation=experiment.result_type)


def docstring_of(experiment: Any) -> str:
    """Docstring: the question of an experiment, its description, and its parameters in numpydoc form."""
    declared = fields(experiment.params).values()
    parts = [f"{experiment.question}\n\n{fill(experiment.meaning, WIDTH)}\n\nSource: {experiment.source}."]
    if declared:
        parts.append("\n".join(["Parameters\n----------", *map(_describe, declared)]))
    return "\n\n".join(parts) + "\n"


def _describe(field: Field) -> str:
    kind = f"{field.kind.__name__}{', or several' if field.is_list else ''}"
    if field.param.choices:
        kind = f"one of {', '.join(map(repr, field.param.choices))}"
    elif field.kind is not str and (field.param.low, field.param.high) != (None, None):
        kind = f"{kind}, {field.bounds()}"
    text = f"{field.param.label[:1].upper()}{field.param.label[1:]}. {field.param.help}"
    return f"{field.name} : {kind}, default {field.default!r}\n{fill(text, WIDTH, initial_indent='    ', subsequent_indent='    ')}"
