"""What ``inspect.signature`` and editors show of an experiment: its parameters with
their types and defaults.
"""

import inspect
import typing
from typing import Any

from irmeval.core.params import fields


def signature_of(experiment: Any) -> inspect.Signature:
    """Signature of a call, with each parameter of the experiment as a keyword, typed,
    with its default.
    """
    call = inspect.signature(type(experiment).work)
    usual = [
        p for p in call.parameters.values() if p.name != "self" and p.kind is not p.VAR_KEYWORD
    ]
    kinds = typing.get_type_hints(experiment.params)
    own = [
        inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, default=field.default, annotation=kinds[name]
        )
        for name, field in fields(experiment.params).items()
    ]
    return call.replace(parameters=[*usual, *own], return_annotation=experiment.result_type)
