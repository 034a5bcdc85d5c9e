"""Leads: findings with the page that shows more."""

from collections.abc import Mapping, Sequence
from functools import singledispatch
from typing import Any, NamedTuple

import numpy as np

from irmeval.core.text import counted, some_of


class Lead(NamedTuple):
    """A finding, and the page that shows more."""

    finding: str
    """a statement or a question, without its full stop"""
    page: str
    """the address of a page of the dashboard"""
    settings: Mapping[str, str] = {}
    """setting of that page -> its value"""


@singledispatch
def leads(result: Any) -> list[Lead]:
    """The leads of a result, most relevant first; none unless a function is registered for its class.

    Examples
    --------
    >>> from irmeval.experiments import EXPERIMENTS
    >>> leads(EXPERIMENTS["top-heaviness"](measures=["AP"]))
    []
    """
    return []


def are(n: int, noun: str) -> str:
    """``1 run is``, ``2 runs are``."""
    return f"{counted(n, noun)} {'is' if n == 1 else 'are'}"


def keeps(names: Sequence[str], values: np.ndarray, label: str) -> str:
    """Which measure keeps the order of the runs worst, as a finding, from a correlation for each of which one at least is known."""
    name, least = worst_of(names, values)
    if len(names) == 1:
        return f"{name} keeps the order with {label} {least:.2f}"
    if np.nanmax(values) == least:
        return f"{some_of(len(names), len(names), 'measure').capitalize()} keep the order equally well ({label} {least:.2f})"
    return f"{name} keeps the order worst ({label} {least:.2f})"


def worst_of(names: Any, values: np.ndarray) -> tuple[str, float]:
    """The name with the lowest value, and that value; the first name where all values are NaN."""
    place = int(np.nanargmin(values)) if np.isfinite(values).any() else 0
    return str(names[place]), float(values[place])
