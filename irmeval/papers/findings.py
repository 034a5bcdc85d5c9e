"""What a paper found, as data: which measures have more of a statistic than which others; and whether that holds of results made here."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from irmeval.metrics import measure
from irmeval.papers.statistics import AT_RATE, PLAIN
from irmeval.words import counted

HOLDS, DOES_NOT, UNTOLD = "holds", "does not", "cannot be told"
Side = tuple[str, ...] | float
"""Measures, or a number in their place; `WHOLE` where the statistic is one of all measures together."""
WHOLE = ("",)


class Finding(NamedTuple):
    """Each of some measures has more of a statistic than any of the others.

    Attributes
    ----------
    said : in our words
    where : the paper's table or figure
    published : its figure, where it is legible
    exhibit : label of the exhibit whose result answers it
    statistic : a name of `PLAIN` or `AT_RATE`; of the latter with ``at 10%``, or ``below 5%`` for the least there, else the mean over rates
    these, those : the measures that have more, and those that have less; one of them may be a number
    """

    said: str
    where: str
    published: str
    exhibit: str
    statistic: str
    these: Side
    those: Side

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures of both sides."""
        return tuple(name for side in (self.these, self.those) if isinstance(side, tuple) for name in side if name)


class Answer(NamedTuple):
    """What holds here."""

    here: str
    """the least of these against the most of those, means over samples"""
    verdict: str
    margin: float
    """the one less the other, NaN where it cannot be told"""
    samples: str
    """in how many samples of the judgments it holds, where there are several"""


def statistic(name: str, result: Any) -> np.ndarray:
    """The values of a statistic [measure, sample], or of all measures together [1, sample].

    Raises `KeyError` or `ValueError` where the result does not have the rate, `AttributeError` where it is of another experiment.
    """
    if name in PLAIN:
        return np.atleast_2d(PLAIN[name](result))
    if not name.endswith("%"):
        return AT_RATE[name](result).mean(axis=1)
    of, where, rate = name.rstrip("%").rsplit(" ", 2)
    values, rates = AT_RATE[of](result), result.params.rates
    if where == "at":
        return values[:, rates.index(float(rate))]
    return values[:, [i for i, r in enumerate(rates) if r < float(rate)]].min(axis=1)


def answer(finding: Finding, results: Mapping[str, Any]) -> Answer:
    """Whether a finding holds of results, by the label of their exhibit; it cannot be told where one of the measures, the rate or the
    result is missing, or a value is not defined."""
    result = results.get(finding.exhibit)
    try:
        with np.errstate(divide="ignore", invalid="ignore"):  # means of 0
            values = statistic(finding.statistic, result)
        names = list(WHOLE) if WHOLE in (finding.these, finding.those) else list(map(str, result.measures))  # type: ignore[union-attr]
        rows = dict(zip(names, values, strict=True))
        least, most = _side(finding.these, rows, np.min), _side(finding.those, rows, np.max)
    except (AttributeError, KeyError, ValueError):
        return Answer("", UNTOLD, np.nan, "")
    margin = float((least - most).mean())
    if not np.isfinite(margin):
        return Answer("", UNTOLD, np.nan, "")
    held = least > most
    samples = f"{np.count_nonzero(held)} of {counted(held.size, 'sample')}" if held.size > 1 else ""
    here = f"{least.mean():.4g} against {most.mean():.4g}".replace("-", "−")  # which spreadsheets take for no formula
    return Answer(here, HOLDS if margin > 0 else DOES_NOT, margin, samples)


def _side(side: Side, rows: Mapping[str, np.ndarray], end: Any) -> np.ndarray:
    """The least or the most of the measures of a side [sample]."""
    if not isinstance(side, tuple):
        return np.array([side])
    return np.asarray(end([rows[name and str(measure(name))] for name in side], axis=0))
