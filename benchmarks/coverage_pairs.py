"""All pairs of runs at once: how often anything is wrong, and how many of the true
differences are found.
"""

from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.coverage import Row, Simulation, draw, population, populations, share
from irmeval.stats.pair_tests import PairTests, compare_pairs

RUNS, TOPICS = (17, 40, 126), (10, 25, 50, 100)
MEASURES = ("AP", "P@10", "RR")
TIES: dict[str, Callable[[int], list[int]]] = {
    "none": lambda runs: [],
    "blocks of 5": lambda runs: [5] * (runs // 5),
    "all": lambda runs: [runs],
}
"""Which runs are equally good -> sizes of the blocks of such runs, from the best on."""
SCORES = {
    "AP": lambda s: s,
    "P@10": lambda s: np.round(10 * s) / 10,
    "RR": lambda s: 1 / np.ceil(0.3 / s),
}
"""Scores by a measure from the made-up ones: as coarse as those of that measure."""


def pairs(trials: int) -> Iterator[Row]:
    """All pairs at once, p < .05, 1,000 samples. By max-t, shares of trials with a
    false difference anywhere (marks, letters), a true rank outside of its interval, a
    true difference outside of its interval; and with a false difference by the paired t
    test and Holm's method. Found: shares of the true differences at once, by t and
    Holm, and alone.
    """
    for name in populations():
        for measure in MEASURES if name in ("made up", "robust03") else MEASURES[:1]:
            scores = (
                SCORES[measure](population(name))
                if name == "made up"
                else population(name, measure)
            )
            for runs in (n for n in RUNS if n <= len(scores)):
                for topics in TOPICS:
                    for tied, sizes in TIES.items():
                        setting = {
                            "scores": name,
                            "measure": measure,
                            "runs": runs,
                            "topics": topics,
                            "equally good": tied,
                        }
                        yield setting | count(
                            scores, runs, topics, sizes(runs), max(trials * 17 // runs, 1)
                        )


def count(
    scores: np.ndarray, runs: int, topics: int, sizes: list[int], trials: int
) -> dict[str, str]:
    """The shares of `pairs` in one setting."""
    rng = np.random.default_rng(runs * topics + sum(sizes))
    first, second = np.triu_indices(runs, 1)
    wrong, found, true = np.zeros(4, int), np.zeros(3), 0.0
    for trial in range(trials):
        drawn, truth = tie_blocks(*draw(scores, runs, topics, rng), sizes, rng)
        apart = truth[first] - truth[second]
        apart[np.abs(apart) < 1e-12] = 0
        tests, closed = compare_pairs(drawn, seed=trial), compare_pairs(drawn, "t")
        best, worst = true_ranks(truth)
        low, high = tests.ranks
        ends = tests.intervals()
        missed = (ends.low_at_once > apart + 1e-12) | (ends.high_at_once < apart - 1e-12)
        wrong += (
            is_false(tests, tests.at_once, apart),
            ((low > best) | (worst > high)).any(),
            missed.any(),
            is_false(closed, closed.at_once, apart),
        )
        right = (np.sign(tests.difference) == np.sign(apart)) & (apart != 0)
        found += [
            np.count_nonzero(which & right)
            for which in (tests.at_once, closed.at_once, tests.alone)
        ]
        true += np.count_nonzero(apart)
    names = ("false", "ranks", "intervals", "false, t and Holm")
    shares = {name: share(int(n), trials) for name, n in zip(names, wrong, strict=True)}
    return shares | {
        "trials": f"{trials:,}",
        "found": " / ".join(f"{n / true:.0%}" for n in found) if true else "",
    }


def is_false(tests: PairTests, significant: np.ndarray, apart: np.ndarray) -> bool:
    """Whether a pair is said to differ that does not, or the other way round."""
    return bool((significant & (np.sign(tests.difference) != np.sign(apart))).any())


def tie_blocks(
    scores: np.ndarray, truth: np.ndarray, sizes: list[int], rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Make blocks of runs equally good, from the best on: scores are shuffled within a
    block and topic. Returns scores and true means.
    """
    scores, truth, order, done = scores.copy(), truth.copy(), np.argsort(-truth), 0
    for size in sizes:
        block = order[done : done + size]
        scores[block] = rng.permuted(scores[block], axis=0)
        truth[block] = truth[block].mean()
        done += size
    return scores, truth


def true_ranks(truth: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Best and worst rank of each run by its true mean [runs]; equally good runs share
    all of theirs.
    """
    better = truth[None] > truth[:, None] + 1e-12
    return 1 + better.sum(axis=1), len(truth) - better.sum(axis=0)


SIMULATIONS: dict[str, Simulation] = {"pairs": pairs}
