"""What ``help`` and notebooks show of an item of a registry: its meaning, source and
parameters with range and default.
"""

from collections.abc import Callable, Mapping
from textwrap import fill
from typing import Any

from irmeval.core.lazy import html
from irmeval.core.params import REQUIRED, Field

WIDTH = 88
"""Columns of a line of help."""


class PerInstance:
    """An attribute that is computed for an instance. The class itself has the usual
    value, or none.
    """

    def __init__(self, compute: Callable[[Any], Any], usual: Any = None):
        self.compute, self.usual = compute, usual

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is not None:
            return self.compute(instance)
        if self.usual is None:
            raise AttributeError
        return self.usual


class Described:
    """An item with a `name`, a `meaning`, a `source`, and perhaps a `question` and
    parameters, which shows them.
    """

    name: str

    def __repr__(self) -> str:
        kind = type(self).__name__.lower()
        meaning: str = self.meaning  # type: ignore[attr-defined]  # a field or a property
        asked = getattr(self, "question", "") or meaning.partition(". ")[0]
        return f"<{kind} {self.name}: {asked}>"

    def _repr_html_(self) -> str:
        """The meaning and a table of the parameters, shown in notebooks."""
        question = getattr(self, "question", "")
        meaning: str = self.meaning  # type: ignore[attr-defined]
        name, *said = map(html.escape, (self.name, question, meaning))
        text = f"<p><b>{name}</b>: {' '.join(said)}</p>"
        rows = "".join(map(_row_of, params_of(self).values()))
        if not rows:
            return text
        head = "<tr><th>parameter<th>meaning<th>values<th>default</tr>"
        return f"{text}<table>{head}{rows}</table>"


def _row_of(field: Field) -> str:
    """A parameter as a row of a table in HTML."""
    meaning = f"{field.param.label}. {field.param.help}"
    texts = map(html.escape, (field.name, meaning, kind_of(field), default_of(field)))
    return f"<tr><td>{'</td><td>'.join(texts)}</td></tr>"


def params_of(item: Any) -> Mapping[str, Field]:
    """The declared parameters of an item, in their order."""
    declared: Mapping[str, Field] = item.params
    if not isinstance(declared, dict):
        declared = item.declared
    axis = getattr(item, "axis", None)
    if axis is None:
        return declared
    return {axis.name: axis, **declared}


def kind_of(field: Field) -> str:
    """The values that a parameter takes."""
    if field.param.choices:
        return f"one of {', '.join(map(repr, field.param.choices))}"
    kind = field.kind.__name__
    if field.is_list:
        kind += ", or several"
    # the bounds of a text are those of its length, which no caller has to know
    if field.kind is str or (field.param.low, field.param.high) == (None, None):
        return kind
    return f"{kind}, {field.bounds()}"


def default_of(field: Field) -> str:
    """The default of a parameter, as in code."""
    if field.default is REQUIRED:
        return "required"
    return repr(field.default)


def docstring_of(item: Any) -> str:
    """The question of an item, what it does, and its parameters in numpydoc's form."""
    parts = [getattr(item, "question", ""), fill(item.meaning, WIDTH), f"Source: {item.source}."]
    if declared := params_of(item).values():
        parts.append("\n".join(["Parameters\n----------", *map(_describe, declared)]))
    return "\n\n".join(filter(None, parts)) + "\n"


def _describe(field: Field) -> str:
    text = f"{field.param.label[:1].upper()}{field.param.label[1:]}. {field.param.help}"
    indented = fill(text, WIDTH, initial_indent="    ", subsequent_indent="    ")
    default = default_of(field)
    if field.default is not REQUIRED:
        default = f"default {default}"
    return f"{field.name} : {kind_of(field)}, {default}\n{indented}"
