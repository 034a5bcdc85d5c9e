"""Estimates from sampled judgments: means of runs, or differences of two, with
intervals over judgments and over topics.

Also which estimators a measure has.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from irmeval.collection import Collection
from irmeval.core.params import format_value
from irmeval.experiments.work import Work
from irmeval.metrics import METRICS, Measure, measure
from irmeval.scoring.estimated_scores import describe_rare_coverage, estimate, with_intervals
from irmeval.scoring.score_table import ENDS, Scores


@dataclass(frozen=True, eq=False)
class Ends:
    """Estimates with the limits of both intervals."""

    values: np.ndarray | None = None
    """float64 [5, measure, run or pair], as named in
    `irmeval.scoring.score_table.ENDS`. NaN for a measure that is not an estimator; None
    if no measure is one, or the judgments are not a sample.
    """
    level: float = 0.95
    """level of the intervals"""
    rare: str = ""
    """a sentence on intervals that contain the truth too rarely; else empty"""

    def columns(self) -> dict[str, np.ndarray]:
        """Name -> array [measure, run or pair]; empty without estimates."""
        if self.values is None:
            return {}
        return dict(zip(ENDS, self.values, strict=True))

    def of_measure(self, m: int) -> np.ndarray | None:
        """The estimates by one measure [5, run or pair]; None where it has none."""
        if self.values is None or np.isnan(self.values[0, m]).all():
            return None
        return self.values[:, m]

    def columns_of(self, m: int) -> dict[str, np.ndarray]:
        """The estimates by one measure: name -> array [run or pair]."""
        ends = self.of_measure(m)
        if ends is None:
            return {}
        return dict(zip(ENDS, ends, strict=True))

    def of_pairs(self, m: int, k: Any, sign: Any) -> list[Any]:
        """Estimates of some pairs by one measure, each in the shape of `k`, the indices
        of the pairs; the runs of a pair are swapped if `sign` is -1. Empty if the
        measure has none.
        """
        ends = self.of_measure(m)
        if ends is None:
            return []
        mean, *spans = sign * ends[:, k]
        # where the sign is turned, the lower end is the higher one
        return [mean, *np.sort(spans[:2], axis=0), *np.sort(spans[2:], axis=0)]

    def describe(self, m: int, place: int) -> str:
        """One estimate and its intervals, if they have a width, as words that follow
        ``is estimated at``; empty if there is none.
        """
        ends = self.of_measure(m)
        if ends is None:
            return ""
        mean, low, high, least, most = ends[:, place]
        spans = [(low, high, "over judgments"), (least, most, "over topics")]
        # where all is drawn an estimate is the measure itself, and over judgments nothing varies
        said = [f"{low:.4f} to {high:.4f} {over}" for low, high, over in spans if low < high]
        if not said:
            return f"{mean:.4f}"
        return f"{mean:.4f} ({self.level:.0%} intervals: {', '.join(said)})"


def ends_of_scores(scores: Scores) -> Ends:
    """Estimates of the means of scores."""
    found = scores.estimates
    if found is None:
        return Ends()
    values = np.full((len(ENDS), *scores.values.shape[:2]), np.nan)
    values[:, [*map(scores.measures.index, found.measures)]] = found.ends()
    return Ends(values)


def ends_of(work: Work[Any], *, pairs: bool = False, level: float = 0.95) -> Ends:
    """Estimates of the means of the runs, or of the differences of all pairs of runs,
    in the order of ``np.triu_indices(runs, 1)``.
    """
    source, kept = work.source, work.cache
    is_sample = isinstance(source, Collection) and source.design
    known = with_intervals(work.measures) if is_sample else []
    if not known:
        return Ends()
    missing = [measure for measure in known if (ENDS, measure, level) not in kept]
    if missing:
        estimates = estimate(work.collection, missing).of_runs(work.run_indices)
        found = estimates.ends(pairs=pairs, level=level)
        kept.update(((ENDS, measure, level), found[:, m]) for m, measure in enumerate(missing))
    nothing = np.full_like(kept[ENDS, known[0], level], np.nan)
    values = [kept.get((ENDS, measure, level), nothing) for measure in work.measures]
    rare = describe_rare_coverage(work.collection, known)
    return Ends(np.stack(values, axis=1), level, rare)


ESTIMATORS_OF = {
    "AP": ("xinfAP", "statAP"),
    "nDCG": ("infNDCG", "statNDCG"),
    "P": ("infP", "statP"),
    "RBP": ("statRBP",),
}
"""Estimators of each measure that has any."""
ALSO = {"AP": ("Bpref",)}
"""Measures made for few judgments, compared with the same truth."""


def estimates_of(target: Measure) -> list[Measure]:
    """All estimators of a measure: itself, its prime, measures made for few judgments,
    and its own estimators.
    """
    given = {name: value for name, value in target.params.items() if value is not None}
    found = _with_prime(target)
    # no estimator leaves out unjudged documents, or has another base
    if target.prime or "base" in given:
        return found
    # `ALSO` names measures without parameters, so with relevance from grade 1
    if target.params["rel"] == 1:
        found += map(measure, ALSO.get(target.metric.name, ()))
    return found + _estimators(target, given)


def _estimators(target: Measure, given: Mapping[str, Any]) -> list[Measure]:
    """Its own estimators; with a cut-off only those that have one."""
    cut = {"k"} & given.keys()
    named = ESTIMATORS_OF.get(target.metric.name, ())
    return [_estimator(name, given) for name in named if cut <= METRICS[name].params.keys()]


def _with_prime(target: Measure) -> list[Measure]:
    has_prime = target.metric.primed and not target.prime
    if has_prime:
        return [target, measure(f"{target}'")]
    return [target]


def _estimator(name: str, given: Mapping[str, Any]) -> Measure:
    """An estimator with those of the given parameters that it has."""
    # the cut-off stands behind the others
    inside = METRICS[name].params.keys() - {"k"}
    inner = ",".join(f"{key}={format_value(given[key])}" for key in given if key in inside)
    text = name
    if inner:
        text += f"({inner})"
    if "k" in given:
        text += f"@{given['k']}"
    return measure(text)
