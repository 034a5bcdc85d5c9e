"""The baselines that all other runs are tested against, and the tests."""

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np

from irmeval.core.registry import check_known
from irmeval.core.text import quantify, verb
from irmeval.experiments.base import Work
from irmeval.metrics import Measure
from irmeval.stats.best import compare_with_best
from irmeval.stats.means import best_first, mean_of_known
from irmeval.stats.pairs import Pairs
from irmeval.stats.significance import TESTS, compare_with_baseline


def parse_baselines(baseline: str, runs: Sequence[str]) -> tuple[str, ...]:
    """The baselines in a text: one run, or several with commas between them, each once. Raises `UnknownName` for an unknown run."""
    names = (baseline,) if baseline in runs else tuple(dict.fromkeys(name.strip() for name in baseline.split(",")))
    for name in names:
        check_known(name, runs, "unknown run")
    return names


def baselines_of(work: Work[Any]) -> list[int]:
    """The numbers of the baselines; without a named one, that of the best run by the scores kept. Raises `UnknownName` for an unknown
    run."""
    runs = work.collection.runs
    if work.params.baseline:
        return [runs.index(name) for name in parse_baselines(work.params.baseline, runs)]
    means = mean_of_known(work.cache[work.measures[0]].values)
    return [int(best_first(means)[0])]


def test_key(measure: Measure, baseline: int, params: Any) -> tuple[Hashable, ...]:
    """The key under which the test of a measure is kept."""
    return (measure, baseline, params.against_best) if params.allows_for_picking else (measure, baseline)


def run_test(values: np.ndarray, baseline: int, params: Any) -> Pairs:
    """Every run against the baseline on the topics with a score for every run; NaN if these are too few."""
    scores = values[:, ~np.isnan(values).any(axis=0)]
    if min(scores.shape) < 2:
        return Pairs(*np.full((2, len(values)), np.nan))
    if params.allows_for_picking:
        return compare_with_best(scores, baseline, samples=params.samples, seed=params.seed)
    return compare_with_baseline(scores, baseline, params.test, samples=params.samples, seed=params.seed)


class Against(NamedTuple):
    """The tests of every run against one baseline, each [measure, run] as in `Leaderboard`."""

    baseline: str
    difference: np.ndarray
    tested: np.ndarray
    least: np.ndarray


def tests_of(work: Work[Any], base: int) -> Against:
    """The tests of every run against one baseline, by all measures."""
    found = (work.cache[test_key(measure, base, work.params)] for measure in work.measures)
    difference, p = map(np.array, zip(*found, strict=True))
    least = (p == 0) & TESTS[work.params.test].simulated
    return Against(work.collection.runs[base], difference, np.where(least, 1 / work.params.samples, p), least)


def pairs(every: Sequence[Against], runs: Sequence[str], m: int) -> np.ndarray:
    """p before correction of all pairs with a baseline by a measure, each pair once, those with the first baseline first."""
    found: list[np.ndarray] = []
    seen: list[int] = []
    for each in every:
        tested = np.delete(each.tested[m], seen)
        found.append(tested[np.isfinite(tested)])
        seen.append(runs.index(each.baseline))
    return np.concatenate(found)


def describe_against(baseline: str, runs: Sequence[str], difference: np.ndarray, p: np.ndarray, alpha: float) -> str:
    """How many runs are significantly better and worse than the baseline, in words; empty where none is tested (p is NaN)."""
    others = [run for run, known in zip(runs, np.isfinite(p), strict=True) if known]
    better, worse = (int(np.count_nonzero((p < alpha) & (sign * difference > 0))) for sign in (1, -1))
    if len(others) == 1 and better + worse:
        first, second = (others[0], baseline) if better else (baseline, others[0])
        return f"{first} is significantly better than {second}"
    if len(others) == 1:
        return f"{baseline} and {others[0]} do not differ significantly"
    if others and not better + worse:
        return f"{quantify(0, len(others), 'other run')} differs significantly from {baseline}"
    ahead = f"{better:,} {verb(better, 'is', 'are')}" if better else "none is"
    behind = quantify(worse, len(others), "other run")
    return f"{baseline} is significantly better than {behind}; {ahead} significantly better than {baseline}" if others else ""
