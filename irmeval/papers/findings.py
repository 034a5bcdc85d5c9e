"""What a paper found, as data: which measures have more of a statistic than which others; and whether that holds of results made here."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from irmeval.core.parallel import check_cancelled, map_threads
from irmeval.experiments.trials import HIGH, LOW
from irmeval.metrics import measure
from irmeval.papers.resampled import CERTAIN, TOPICS, TRIALS, Resampled, resample
from irmeval.papers.statistics import AT_RATE, NO_VALUE, OF_ALL, PLAIN
from irmeval.stats.corrections import adjust
from irmeval.stats.intervals import interval_of_error

HOLDS, DOES_NOT, UNTOLD = "holds", "does not", "cannot be told"
EACH, TOGETHER = VERDICTS = ("each", "together")
"""Whether verdicts are each by themselves, or hold together."""
LEVEL = (HIGH - LOW) / 100
"""Of the interval of a margin."""
WRONG = (1 - LEVEL) / 2
"""Share of the verdicts with an interval, each by itself, that are expected to be false at most: a margin's sign is on its wrong side."""
SAMPLES = {TRIALS: "samples", TOPICS: "halves"}
Side = tuple[str, ...] | float
"""Measures, or a number in their place; `WHOLE` where the statistic is one of all measures together."""
WHOLE = ("",)


class Finding(NamedTuple):
    """What a claim of a paper rests on: each of some measures has more of a statistic than any of the others.

    Attributes
    ----------
    where : the paper's table or figure
    published : the figure that it prints; ``read off its plot`` is added to one that it draws; else where it says so in words
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
    """the least of these against the most of those, means over samples; or why that cannot be had"""
    verdict: str
    """`UNTOLD` where the interval of the margin has both signs, or there is none and it may vary"""
    margin: float
    """the one less the other, NaN where it cannot be had"""
    low: float
    """the margin less t times its standard error over samples of the judgments, or over topics; NaN where that is not known"""
    high: float
    """the margin and as much more"""
    interval: str
    """what it is over: ``trials`` or ``topics``; or why there is none: ``one sample`` of the judgments, ``few topics``, a number that is
    ``counted`` in the collection, or one that follows from a ``definition``"""
    samples: str
    """in how many samples, or halves of the topics, it holds"""
    p: float
    """two-sided, of the margin being 0; NaN where there is no interval"""


def statistic(name: str, result: Any) -> np.ndarray:
    """The values of a statistic [measure], or of all measures together [1]: what comes of the means over the samples of the judgments.

    Raises `KeyError` or `ValueError` where the result does not have the rate, `AttributeError` where it is of another experiment.
    """
    if name in PLAIN:
        return np.atleast_1d(PLAIN[name](result))
    if not name.endswith("%"):
        return AT_RATE[name](result).mean(axis=1)
    of, where, rate = name.rstrip("%").rsplit(" ", 2)
    values, rates = AT_RATE[of](result), result.params.rates
    if where == "at":
        return values[:, rates.index(float(rate))]
    return values[:, [i for i, r in enumerate(rates) if r < float(rate)]].min(axis=1)


def answers(findings: Sequence[Finding], result: Any, error: str = "") -> list[Answer]:
    """Whether findings hold in the result of their exhibit, or why there is none. It cannot be told where one of the measures, the rate or
    the result is missing, a value is not defined, how much the margin varies is not known, or where its interval has both signs.

    The interval is the margin and t times its standard error to both sides, `LEVEL` of the cases; see `resample`.
    """
    if not findings:
        return []
    wanted = {str(measure(name)) for finding in findings for name in finding.measures}
    of_all = any(finding.statistic in OF_ALL for finding in findings)
    here = _sides(findings, result)  # first: what is computed once is there for all that is made again
    again = resample(result, () if of_all else tuple(wanted))

    def margins(make: Callable[[], Any]) -> list[float]:
        check_cancelled()
        return [float(np.subtract(*sides)) for sides in _sides(findings, make())]

    made = np.reshape(map_threads(margins, again.makes), (-1, len(findings))).T
    each = made if again.each is again.makes else np.reshape(map_threads(margins, again.each), (-1, len(findings))).T
    told = zip(findings, here, made, each, strict=True)
    return [
        _answer(finding, sides, again, *of) if np.isfinite(sides).all() else _unknown(finding, result, error)
        for finding, sides, *of in told
    ]


def hold_together(verdicts: Sequence[str], p: np.ndarray) -> list[str]:
    """Verdicts of several findings of which, of those that are told, at most 1 - `LEVEL` are expected to be false: the others become
    `UNTOLD` (Benjamini & Hochberg 1995). Those without a p stay."""
    known = np.isfinite(p)
    together = np.where(known, 1.0, 0.0)
    together[known] = adjust(p[known], "benjamini-hochberg")
    return [verdict if one <= 1 - LEVEL + 1e-12 else UNTOLD for verdict, one in zip(verdicts, together, strict=True)]


def _answer(finding: Finding, sides: tuple[float, float], again: Resampled, made: np.ndarray, each: np.ndarray) -> Answer:
    these, those = sides
    margin = float(these - those)
    low, high, p = _interval(margin, made, again)
    holds = margin > 0
    sure = again.over in CERTAIN or (low > 0 if holds else high <= 0)
    here = _in_words(finding, these, those).replace("-", "−")  # which spreadsheets take for no formula
    samples = f"{np.count_nonzero(each > 0)} of {len(each)} {SAMPLES[again.over]}" if len(each) else ""
    return Answer(here, (HOLDS if holds else DOES_NOT) if sure else UNTOLD, margin, low, high, again.over, samples, p)


def _in_words(finding: Finding, these: float, those: float) -> str:
    """Both sides; one that is a number in place of measures is what the other must exceed, or stay below."""
    if not isinstance(finding.these, tuple):
        return f"{those:.4g}, to be below {these:.4g}"
    return f"{these:.4g}, to be above {those:.4g}" if not isinstance(finding.those, tuple) else f"{these:.4g} against {those:.4g}"


def _interval(margin: float, made: np.ndarray, again: Resampled) -> tuple[float, float, float]:
    """The ends of a margin's interval, and its p, from what it is when it is made again; NaN where too many of these are
    not defined, or all are the same."""
    defined = made[np.isfinite(made)]
    alike = again.over == TOPICS and margin and len({*defined.round(12)}) == 1  # as where no difference suffices: it may with more
    if len(defined) < max(2, len(made) * LEVEL) or alike:
        return np.nan, np.nan, np.nan
    return interval_of_error(margin, float(np.sqrt(again.scale * defined.var(ddof=1))), again.freedom, level=LEVEL)


def _unknown(finding: Finding, result: Any, error: str) -> Answer:
    """That a finding cannot be told, and why."""
    return Answer(_why(finding, result, error), UNTOLD, np.nan, np.nan, np.nan, "", "", np.nan)


def _why(finding: Finding, result: Any, error: str) -> str:
    """Why a finding has no value in a result."""
    if result is None:
        return f"not made here: {error or 'its exhibit has no result'}"
    there = {*map(str, result.measures)} if hasattr(result, "measures") else {*getattr(result, "names", ())}
    if lacking := [name for name in finding.measures if str(measure(name)) not in there]:
        return f"not computed here: {', '.join(lacking)}"
    try:
        with np.errstate(divide="ignore", invalid="ignore"):
            statistic(finding.statistic, result)
    except (AttributeError, KeyError, ValueError):
        return f"not to be had at the rates that were drawn: {finding.statistic}"
    why = next((why for beginning, why in NO_VALUE.items() if finding.statistic.startswith(beginning)), "the runs do not differ")
    return f"no value: {why}"


def _sides(findings: Sequence[Finding], result: Any) -> list[tuple[float, float]]:
    """Of each finding the least of these and the most of those, of means over samples; NaN where one of them cannot be had of the
    result."""
    values = cache(lambda name: statistic(name, result).tolist())

    def of(finding: Finding) -> tuple[float, float]:
        try:
            with np.errstate(divide="ignore", invalid="ignore"):  # means of 0
                found = values(finding.statistic)
            names = WHOLE if WHOLE in (finding.these, finding.those) else map(str, result.measures)
            rows = dict(zip(names, found, strict=True))
            return _side(finding.these, rows, np.min), _side(finding.those, rows, np.max)
        except (AttributeError, KeyError, ValueError):
            return np.nan, np.nan

    return [of(finding) for finding in findings]


def _side(side: Side, rows: Mapping[str, float], end: Any) -> float:
    """The lowest or the highest value of a side's measures."""
    return float(end([rows[_written(name)] for name in side])) if isinstance(side, tuple) else side


@cache
def _written(name: str) -> str:
    """A measure in canonical form; that of all measures together stays empty."""
    return name and str(measure(name))
