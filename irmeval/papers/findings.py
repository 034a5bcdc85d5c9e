"""What a paper found, as data: which measures have more of a statistic than which others; and whether that holds of results made here."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from irmeval.core.parallel import check_cancelled, map_threads
from irmeval.experiments.trials import HIGH, LOW
from irmeval.metrics import measure
from irmeval.papers.resampled import BOOTSTRAP, TRIALS, resample
from irmeval.papers.statistics import AT_RATE, OF_ALL, PLAIN

HOLDS, DOES_NOT, UNTOLD = "holds", "does not", "cannot be told"
SAMPLES = {TRIALS: "samples", BOOTSTRAP: "resamples"}
Side = tuple[str, ...] | float
"""Measures, or a number in their place; `WHOLE` where the statistic is one of all measures together."""
WHOLE = ("",)


class Finding(NamedTuple):
    """What a claim of a paper rests on: each of some measures has more of a statistic than any of the others.

    Attributes
    ----------
    where : the paper's table or figure
    published : its figure, where it is legible
    exhibit : label of the exhibit whose result answers it
    statistic : a name of `PLAIN` or `AT_RATE`; of the latter with ``at 10%``, or ``below 5%`` for the least there, else the mean over rates
    these, those : the measures that have more, and those that have less; one of them may be a number
    """

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
    """Whether a finding holds on a collection, and by what margin."""

    here: str
    """the least of these against the most of those, means over samples"""
    verdict: str
    """`UNTOLD` where the interval of the margin has both signs"""
    margin: float
    """the one less the other, NaN where it cannot be told"""
    low: float
    """the `LOW`th percentile of the margin over samples of the judgments, or over topics drawn anew; NaN where there is nothing to draw"""
    high: float
    """the `HIGH`th"""
    interval: str
    """what it is over: ``trials`` or ``bootstrap``; or why there is none: ``one sample`` of the judgments, or ``exact``"""
    samples: str
    """in how many of them it holds"""


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


def answers(findings: Sequence[Finding], result: Any) -> list[Answer]:
    """Whether findings hold in the result of their exhibit; it cannot be told where one of the measures, the rate or the result is missing,
    a value is not defined, or the margin has one sign here and the other there (see `resample`)."""
    wanted = {str(measure(name)) for finding in findings for name in finding.measures}
    of_all = any(finding.statistic in OF_ALL for finding in findings)
    interval, makes = resample(result, () if of_all else tuple(wanted))

    def sides(make: Callable[[], Any]) -> list[np.ndarray]:
        check_cancelled()
        drawn = make()
        return [_sides(finding, drawn) for finding in findings]

    drawn = map_threads(sides, makes)
    return [_answer(finding, result, interval, [one[i] for one in drawn]) for i, finding in enumerate(findings)]


def _answer(finding: Finding, result: Any, interval: str, drawn: Sequence[np.ndarray]) -> Answer:
    these, those = _sides(finding, result)
    margin = float(these - those)
    if not np.isfinite(margin):
        return Answer("", UNTOLD, np.nan, np.nan, np.nan, "", "")
    margins = np.array([one - other for one, other in drawn])
    low, high = _ends(margins) if len(margins) else (np.nan, np.nan)
    holds = margin > 0
    sure = not len(margins) or (low > 0 if holds else high <= 0)
    here = f"{these:.4g} against {those:.4g}".replace("-", "−")  # which spreadsheets take for no formula
    samples = f"{np.count_nonzero(margins > 0)} of {len(margins)} {SAMPLES[interval]}" if len(margins) else ""
    return Answer(here, (HOLDS if holds else DOES_NOT) if sure else UNTOLD, margin, low, high, interval, samples)


def _ends(margins: np.ndarray) -> tuple[float, float]:
    """The interval of a margin, NaN where too many are not defined."""
    defined = margins[np.isfinite(margins)]
    if len(defined) < len(margins) * (HIGH - LOW) / 100:
        return np.nan, np.nan
    low, high = np.percentile(defined, [LOW, HIGH])
    return float(low), float(high)


def _sides(finding: Finding, result: Any) -> np.ndarray:
    """The least of these and the most of those [2], means over samples; NaN where one of them cannot be had of the result."""
    try:
        with np.errstate(divide="ignore", invalid="ignore"):  # means of 0
            values = statistic(finding.statistic, result)
        names = list(WHOLE) if WHOLE in (finding.these, finding.those) else list(map(str, result.measures))
        rows = dict(zip(names, values, strict=True))
        return np.array([_side(finding.these, rows, np.min), _side(finding.those, rows, np.max)])
    except (AttributeError, KeyError, ValueError):
        return np.array([np.nan, np.nan])


def _side(side: Side, rows: Mapping[str, np.ndarray], end: Any) -> float:
    """The lowest or the highest value of a side's measures, mean over samples."""
    return float(np.mean(end([rows[name and str(measure(name))] for name in side], axis=0))) if isinstance(side, tuple) else side
