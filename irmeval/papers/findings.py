"""Findings of papers as data: which measures have more of a statistic than others, and
whether that holds for a result.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from irmeval.core.numbers import telling_apart
from irmeval.core.parallel import check_cancelled, map_threads
from irmeval.core.places import pick
from irmeval.core.text import list_all
from irmeval.experiments.sweep import ALL
from irmeval.experiments.trials import HIGH, LOW
from irmeval.metrics import measure
from irmeval.papers.resampled import CERTAIN, FEW, ONE, TOPICS, TRIALS, Resampled, resample
from irmeval.papers.statistics import OF_ALL, PLAIN, at_rates, no_value, on_common
from irmeval.stats.intervals import interval_of_error
from irmeval.stats.means import TIE, tied
from irmeval.stats.significance import benjamini_hochberg

HOLDS = "holds"
"""Verdict: the finding holds here."""
DIRECTION = "in the paper's direction"
"""Verdict: the sign of the margin agrees; how much it varies leaves more open."""
DOES_NOT = "does not"
"""Verdict: it does not hold."""
AS_PUBLISHED = "as in the paper"
"""Verdict from one sample of the judgments, as the papers have: it holds."""
UNLIKE = "not as in the paper"
"""Verdict from one sample: the sign of the margin does not agree."""
UNDECIDED = "undecided"
"""Verdict: it cannot be told, for a reason that stands beside it."""
YES = (HOLDS, AS_PUBLISHED)
NO = (DOES_NOT, UNLIKE)
ORDER = (*YES, DIRECTION, *NO, UNDECIDED)
"""All verdicts, in the order in which they are listed."""
SEVERAL = {
    (True, True): HOLDS,
    (True, False): DIRECTION,
    (False, True): DOES_NOT,
    (False, False): UNDECIDED,
}
"""Verdicts by whether the sign of the margin agrees, and whether it is sure."""
# one sample cannot tell more than the sign: by intervals 62 of 93 findings on Robust 2003 were
# undecided
PUBLISHED = {
    (True, True): AS_PUBLISHED,
    (True, False): DIRECTION,
    (False, True): UNLIKE,
    (False, False): UNLIKE,
}
"""The same from one sample of the judgments, as published."""
MARKS = {
    HOLDS: "✓",
    AS_PUBLISHED: "✓",
    DIRECTION: "↗",
    DOES_NOT: "✗",
    UNLIKE: "✗",
    UNDECIDED: "?",
}
"""A mark of each verdict."""
SHORT = {
    HOLDS: "yes",
    AS_PUBLISHED: "yes",
    DIRECTION: "direction",
    DOES_NOT: "no",
    UNLIKE: "no",
    UNDECIDED: "undecided",
}
"""Each verdict in a word, for a table with a column for each collection."""
WEAKER = {HOLDS: DIRECTION, AS_PUBLISHED: DIRECTION, DOES_NOT: UNDECIDED}
"""What is left of a verdict that does not stand with all others (`hold_together`)."""
EACH = "each"
"""Each verdict is separate."""
TOGETHER = "together"
"""All verdicts are joint (`hold_together`)."""
VERDICTS = (EACH, TOGETHER)
LEVEL = (HIGH - LOW) / 100
"""Level of the interval of a margin."""
WRONG = (1 - LEVEL) / 2
"""Maximum expected share of false verdicts, each separate: the interval of the margin
is on the wrong side of 0.
"""
SAMPLES = {TRIALS: "samples", TOPICS: "halves"}
UNKNOWN = {
    ONE: "one sample of the judgments does not show how much the margin varies",
    FEW: "too few topics show how much the margin varies",
}
"""Why a margin without resampled results is not sure."""
NAMED = 2
"""How many measures of a side are named beside its number."""
Side = tuple[str, ...] | float
"""Some measures, or a number in their place; `WHOLE` for a statistic of all measures
together.
"""
WHOLE = ("",)


class Finding(NamedTuple):
    """A claim of a paper: each of some measures has more of a statistic than each of
    the others.

    Attributes
    ----------
    where : the paper's table or figure
    published : the number in the paper, with ``read off its plot`` if it is drawn; or
        the section that states it in words
    statistic : a name of `PLAIN`; or one of `AT_RATE`, with ``at 10%``, with ``below
        5%`` for the least there, else the mean over rates
    these, those : the measures that have more, and those that have less; one side may
        be a number
    exhibit : label of the exhibit whose result answers it; by default the exhibit that
        holds the table or figure
    """

    where: str
    published: str
    statistic: str
    these: Side
    those: Side
    exhibit: str = ""

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures of both sides."""
        sides = [side for side in (self.these, self.those) if isinstance(side, tuple)]
        return tuple(filter(None, chain.from_iterable(sides)))


class Outcome(NamedTuple):
    """Whether a finding holds on a collection, and by what margin."""

    here: str
    """the lowest of these and the highest of those, as means over samples; or why there
    is no value
    """
    verdict: str = UNDECIDED
    """one of `ORDER`: `DIRECTION` or `UNDECIDED`, by the sign of the margin, if its
    interval contains 0, or if it may vary and has no interval
    """
    margin: float = np.nan
    """the lowest of these minus the highest of those; NaN for no value"""
    low: float = np.nan
    """lower limit of the interval: the margin minus t times its standard error over
    samples of the judgments, or over topics; NaN if unknown
    """
    high: float = np.nan
    """upper limit of the interval"""
    interval: str = ""
    """source of variation: ``trials`` or ``topics``; or why there is none: ``one
    sample`` of the judgments, ``few topics``, a number that is ``counted`` in the
    collection, or one that follows from a ``definition``
    """
    samples: str = ""
    """number of samples, or halves of the topics, in which the finding holds"""
    p: float = np.nan
    """two-sided p of a margin of 0; NaN without an interval"""
    why: str = ""
    """why the verdict is no more than `DIRECTION` or `UNDECIDED`"""


def statistic(name: str, result: Any) -> np.ndarray:
    """The values of a statistic [measure], or of all measures together [1], from means
    over the samples of the judgments.

    Raises `KeyError` or `ValueError` for a rate that the result does not have,
    `AttributeError` for a result of another experiment.
    """
    if name in PLAIN:
        return np.atleast_1d(PLAIN[name](result))
    of, at = _rates_of(name, result)
    values = on_common(at_rates(result, of)[:, at])
    if not values.size:
        return np.full(len(values), np.nan)
    if " below " in name:
        return values.min(axis=1)
    return values.mean(axis=1)


def _rates_of(name: str, result: Any) -> tuple[str, Sequence[int]]:
    """Which of `AT_RATE` a statistic is, and the indices of the rates that it is
    about.
    """
    rates = getattr(result, "levels", (ALL,))
    if name in PLAIN or not name.endswith("%"):
        return name, [*range(len(rates))]
    of, where, rate = name.rstrip("%").rsplit(" ", 2)
    if where == "at":
        return of, [rates.index(float(rate))]
    return of, np.flatnonzero(np.array(rates) < float(rate)).tolist()


def answers(
    findings: Sequence[Finding], result: Any, error: str = "", *, published: bool = False
) -> list[Outcome]:
    """Whether findings hold in the result of their exhibit. It is undecided if a
    measure, the rate or the result is missing (`error` says why), or if a value is not
    defined. If the variation of the margin is not known, or its interval contains 0,
    only a margin above 0 gives a verdict, `DIRECTION`; of one sample of the judgments,
    `published`, each margin gives one.

    The interval is the margin plus and minus t times its standard error, at `LEVEL`;
    see `resample`.
    """
    if not findings:
        return []
    here = _sides(findings, result)  # before the rest, which reuses what the result caches
    again = resample(result, _measures_of(findings))

    def margins(make: Callable[[], Any]) -> list[float]:
        check_cancelled()
        return [float(np.subtract(*sides)) for sides in _sides(findings, make())]

    def resampled(makes: Sequence[Callable[[], Any]]) -> np.ndarray:
        """Margins [finding, result]."""
        return np.reshape(map_threads(margins, makes), (-1, len(findings))).T

    made = resampled(again.makes)
    # over topics, both are the same halves
    each = made if again.each is again.makes else resampled(again.each)

    def answer(finding: Finding, sides: tuple[float, float], *of: np.ndarray) -> Outcome:
        if np.isfinite(sides).all():
            return _answer(finding, sides, again, *of, published=published)
        why = _why(finding, result, error)
        return Outcome(why, why=why)

    return [*map(answer, findings, here, made, each)]


def _measures_of(findings: Sequence[Finding]) -> tuple[str, ...]:
    """The measures that findings need; () for all, as a rank among them does."""
    if any(finding.statistic in OF_ALL for finding in findings):
        return ()
    named = chain.from_iterable(finding.measures for finding in findings)
    return tuple({*map(_canonical, named)})


def hold_together(verdicts: Sequence[str], p: np.ndarray) -> list[str]:
    """Verdicts on several findings, of which at most 1 - `LEVEL` are expected to be
    false: some become `WEAKER` (Benjamini & Hochberg 1995). Verdicts without a p stay.
    """
    known = np.isfinite(p)
    together = np.zeros(len(p))
    together[known] = benjamini_hochberg(p[known])
    held = list(verdicts)
    # 1 - .9 is .09999..., and a p of .1 counts
    for i in np.flatnonzero(together > 1 - LEVEL + 1e-12):
        held[i] = WEAKER.get(held[i], held[i])
    return held


def _answer(
    finding: Finding,
    sides: tuple[float, float],
    again: Resampled,
    made: np.ndarray,
    each: np.ndarray,
    *,
    published: bool,
) -> Outcome:
    these, those = sides
    margin = _unless_tied(these, those)
    low, high, p = _interval(margin, made, again)
    why = _why_open(again, made, low, high)
    # a hyphen would begin a formula in spreadsheets
    here = _in_words(finding, these, those).replace("-", "−")
    samples = ""
    if len(each):
        samples = f"{np.count_nonzero(each > 0)} of {len(each)} {SAMPLES[again.over]}"
    words = PUBLISHED if published else SEVERAL
    verdict = words[margin > 0, not why]
    return Outcome(here, verdict, margin, low, high, again.over, samples, p, why)


def _unless_tied(these: float, those: float) -> float:
    """The margin; 0 where both sides are equal but for rounding."""
    if np.isclose(these, those, rtol=TIE, atol=TIE):
        return 0.0
    return float(these - those)


def _why_open(again: Resampled, made: np.ndarray, low: float, high: float) -> str:
    """Why the sign of a margin is not sure; empty if it is."""
    if again.over in UNKNOWN:
        return UNKNOWN[again.over]
    if low <= 0 < high:
        return f"the {LEVEL:.0%} interval of its margin includes 0"
    if again.over in CERTAIN or np.isfinite(low):
        return ""
    if np.isfinite(made).mean() >= LEVEL:
        return f"it is the same in all {SAMPLES[again.over]}"
    return f"it has no value in too many {SAMPLES[again.over]}"


def _in_words(finding: Finding, these: float, those: float) -> str:
    """Both sides with their measures; a side that is a number is the bound for the
    other.
    """
    form = _form_of(these, those)
    if not isinstance(finding.these, tuple):
        return f"{those:{form}} (expected below {these:.4g})"
    if not isinstance(finding.those, tuple):
        return f"{these:{form}} (expected above {those:.4g})"
    return (
        f"{these:{form}} ({_end_of('lowest', finding.these)}), {those:{form}}"
        f" ({_end_of('highest', finding.those)})"
    )


def _form_of(these: float, those: float) -> str:
    """A format for both sides: counts as such, others with the fewest decimals, at least
    two, by which they differ.
    """
    if float(these).is_integer() and float(those).is_integer():
        return ".0f"
    return telling_apart(these, those, ".2f")


def _end_of(end: str, names: Sequence[str]) -> str:
    """Which of some measures the number is of; many are counted."""
    if len(names) == 1:
        return names[0]
    if len(names) > NAMED:
        return f"{end} of {len(names)}"
    return f"{end} of {', '.join(names)}"


def _interval(margin: float, made: np.ndarray, again: Resampled) -> tuple[float, float, float]:
    """Interval limits of a margin and its p, from the margins of the resampled results;
    NaN if too many of them are undefined, or all are equal.
    """
    defined = made[np.isfinite(made)]
    too_few = len(defined) < max(2, len(made) * LEVEL)
    # as if no difference suffices: with more, one may
    alike = again.over == TOPICS and margin and len({*defined.round(12)}) == 1
    if too_few or alike:
        return np.nan, np.nan, np.nan
    error = float(np.sqrt(again.scale * defined.var(ddof=1)))
    return interval_of_error(margin, error, again.freedom, level=LEVEL)


def _why(finding: Finding, result: Any, error: str) -> str:
    """Reason why a finding has no value in a result."""
    if result is None:
        return f"not computed here: {error or 'its exhibit has no result'}"
    there = {*map(str, result.measures)}
    lacking = [name for name in finding.measures if _canonical(name) not in there]
    if lacking:
        return f"not computed here: {', '.join(lacking)}"
    try:
        with np.errstate(divide="ignore", invalid="ignore"):
            statistic(finding.statistic, result)
    except (AttributeError, KeyError, ValueError):
        return f"not available at these rates: {finding.statistic}"
    why = (
        _kept_nearly_all(finding, result)
        or _no_order(finding, result)
        or no_value(finding.statistic, finding.measures, result)
    )
    return f"no value: {why}"


def _kept_nearly_all(finding: Finding, result: Any) -> str:
    """Why the rates that a finding is about tell nothing; empty where one of them
    removes enough.
    """
    if getattr(result, "left", None) is None:
        return ""
    _, rates = _rates_of(finding.statistic, result)
    # the lowest rate removes most, and its sentence says how much
    lowest = min(pick(result.realised, rates), key=lambda one: one.reached)
    if not lowest.nearly_all:
        return ""
    return lowest.refuse_verdict()


def _no_order(finding: Finding, result: Any) -> str:
    """By which measures of a finding all runs tie, or have no score; empty without
    any.
    """
    means = _whole_means(result)
    if means.ndim != 2 or not means.size:
        return ""
    names = np.array([*map(_canonical, finding.measures)], dtype=object)
    rows = [*map(result.measures.index, names)]
    means = tied(means[rows])
    alike = names[np.ptp(means, axis=1) == 0].tolist()
    empty = names[np.isnan(means).any(axis=1)].tolist()
    if alike:
        return f"all runs tie by {list_all(alike)}"
    if empty:
        return f"some run has no score by {list_all(empty)}"
    return ""


def _whole_means(result: Any) -> np.ndarray:
    """Mean scores on all judgments [measure, run]; empty if the result has none."""
    if hasattr(result, "whole_means"):
        return np.asarray(result.whole_means[:, 0])
    scores = getattr(result, "scores", None)
    return np.asarray(getattr(scores, "means", ()))


def _sides(findings: Sequence[Finding], result: Any) -> list[tuple[float, float]]:
    """The lowest of these and the highest of those for each finding, as means over
    samples; NaN if the result has no value.
    """
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

    return [*map(of, findings)]


def _side(side: Side, rows: Mapping[str, float], end: Any) -> float:
    """The lowest or the highest value of a side's measures; or the number in their
    place.
    """
    if not isinstance(side, tuple):
        return side
    return float(end(pick(rows, map(_canonical, side))))


@cache
def _canonical(name: str) -> str:
    """A measure in canonical form; the empty name of `WHOLE` stays empty."""
    return name and str(measure(name))
