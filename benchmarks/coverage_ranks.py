"""Rank intervals of runs: how often they hold all true ranks at once, how often a single one, and how wide they are."""

from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.coverage import Row, Simulation, draw, population, populations, share
from irmeval.stats.corrections import adjust
from irmeval.stats.pairs import Pairs
from irmeval.stats.ranks import rank_intervals
from irmeval.stats.significance import compare

RUNS, TOPICS = (17, 40, 126), (25, 50, 100)
TIES: dict[str, Callable[[int], list[int]]] = {
    "none": lambda runs: [],
    "best 5": lambda runs: [5],
    "blocks of 5": lambda runs: [5] * (runs // 5),
    "all": lambda runs: [runs],
}
"""Which runs are equally good -> sizes of the blocks of such runs, from the best on."""
CORRECTED = "holm", "none"


def tie_blocks(scores: np.ndarray, truth: np.ndarray, sizes: list[int], rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Make blocks of runs equally good, from the best on: scores are shuffled within a block and topic. Returns scores and true means."""
    scores, truth, order, done = scores.copy(), truth.copy(), np.argsort(-truth), 0
    for size in sizes:
        block = order[done : done + size]
        scores[block] = rng.permuted(scores[block], axis=0)
        truth[block] = truth[block].mean()
        done += size
    return scores, truth


def true_ranks(truth: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Best and worst rank of each run by its true mean [runs]; equally good runs share all of theirs."""
    better = truth[None] > truth[:, None] + 1e-12
    return 1 + better.sum(axis=1), len(truth) - better.sum(axis=0)


def ranks(trials: int) -> Iterator[Row]:
    """Rank intervals by the paired t test, with Holm's correction and without: trials in which all hold, runs whose interval holds, mean
    width."""
    for name in populations():
        scores = population(name)
        for runs in (n for n in RUNS if n <= len(scores)):
            for topics in TOPICS:
                for tied, sizes in TIES.items():
                    setting = {"scores": name, "runs": runs, "topics": topics, "equally good": tied}
                    yield setting | count(scores, runs, topics, sizes(runs), trials)


def count(scores: np.ndarray, runs: int, topics: int, sizes: list[int], trials: int) -> dict[str, str]:
    """For each correction: whether all intervals hold, the number of runs whose interval holds, and the mean number of ranks in one."""
    rng = np.random.default_rng(runs * topics + sum(sizes))
    all_hold, one_holds, width = np.zeros((3, len(CORRECTED)))
    for _ in range(trials):
        drawn, truth = tie_blocks(*draw(scores, runs, topics, rng), sizes, rng)
        best, worst = true_ranks(truth)
        pairs = compare(drawn, "t")
        for c, correction in enumerate(CORRECTED):
            found = rank_intervals(Pairs(pairs.difference, adjust(pairs.p, correction)))
            holds = (found.low <= best) & (worst <= found.high)
            all_hold[c] += holds.all()
            one_holds[c] += holds.mean()
            width[c] += (found.high - found.low + 1).mean()
    return {
        name: f"{share(int(all_hold[c]), trials)}; {one_holds[c] / trials:.4f}; {width[c] / trials:.1f}" for c, name in enumerate(CORRECTED)
    }


SIMULATIONS: dict[str, Simulation] = {"ranks": ranks}
