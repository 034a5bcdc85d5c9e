"""Comparisons with the best run: how often a run is said to differ from it that does not, and how many of those that differ are found."""

from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.coverage import Row, Simulation, draw, population, populations, share, tie
from irmeval.stats.best import against_best
from irmeval.stats.corrections import adjust
from irmeval.stats.significance import against

RUNS, TOPICS, TIED = (17, 40, 126), (25, 50, 100), (2, 5)
LEVEL, SAMPLES = 0.05, 500
Method = Callable[[np.ndarray, int, int], np.ndarray]
"""Scores [runs, topics], baseline and seed -> p [runs]."""


def holm(scores: np.ndarray, baseline: int, seed: int) -> np.ndarray:
    """Paired t with Holm's correction, which is for a baseline that was named."""
    p = np.full(len(scores), np.nan)
    others = np.arange(len(scores)) != baseline
    p[others] = adjust(against(scores, baseline).p[others], "holm")
    return p


def max_t(scores: np.ndarray, best: int, seed: int) -> np.ndarray:
    """What allows for the best being picked."""
    return against_best(scores, best, samples=SAMPLES, seed=seed).p


METHODS: dict[str, tuple[Method, bool]] = {
    "named, t with Holm": (holm, False),
    "before: best, t with Holm": (holm, True),
    "after: best, max-t": (max_t, True),
}
"""Label -> the method, and whether its baseline is the best run; else it is one picked by lot."""


def best(trials: int) -> Iterator[Row]:
    """All runs against the best at p < .05. Share of trials with a false difference; behind it, of the runs that differ, those found."""
    for name in populations():
        scores = population(name)
        for runs in (n for n in RUNS if n <= len(scores)):
            for topics in TOPICS:
                for tied in (runs, *TIED):
                    setting = {"scores": name, "runs": runs, "topics": topics, "equally good": "all" if tied == runs else f"best {tied}"}
                    yield setting | count_false(scores, runs, topics, tied, trials)


def count_false(scores: np.ndarray, runs: int, topics: int, tied: int, trials: int) -> dict[str, str]:
    """Of each method: the share of trials with a false difference, and of the runs that differ from the baseline, that of those found."""
    rng = np.random.default_rng(runs * topics + tied)
    false, found = dict.fromkeys(METHODS, 0), {name: np.zeros(2) for name in METHODS}
    for trial in range(trials):
        drawn, truth = tie(*draw(scores, runs, topics, rng), tied, rng)
        for name, (method, picked) in METHODS.items():
            baseline = int(drawn.mean(axis=1).argmax()) if picked else 0
            said = np.sign(drawn.mean(axis=1) - drawn[baseline].mean()) * (method(drawn, baseline, trial) < LEVEL)
            true = np.sign(truth - truth[baseline]) * (np.abs(truth - truth[baseline]) > 1e-12)
            false[name] += bool((said * (said != true)).any())
            found[name] += np.count_nonzero(true), np.count_nonzero(true * said > 0)
    return {name: share(false[name], trials) + (f"; {there[1] / there[0]:.0%}" if there[0] else "") for name, there in found.items()}


SIMULATIONS: dict[str, Simulation] = {"best": best}
