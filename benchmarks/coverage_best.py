"""Comparisons with the best run: how often an equal run is said to differ from it, and how many of the different runs are found."""

from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.coverage import Row, Simulation, draw, population, populations, share, tie
from irmeval.stats.best import compare_with_best
from irmeval.stats.corrections import adjust
from irmeval.stats.significance import compare_with_baseline

RUNS, TOPICS, TIED = (17, 40, 126), (25, 50, 100), (2, 5)
LEVEL, SAMPLES = 0.05, 500
Method = Callable[[np.ndarray, int, int], np.ndarray]
"""Scores [runs, topics], baseline and seed -> p [runs]."""
Drawn = tuple[np.ndarray, np.ndarray]
"""Scores [runs, topics] and true means [runs]."""
ONE = np.ones(17)
STEPS: dict[str, Drawn] = {
    "two best, 15 lower by .2": (np.repeat([0, -0.2], [2, 15]), ONE),
    "two best, 15 lower by .5": (np.repeat([0, -0.5], [2, 15]), ONE),
    "two best, 15 lower by 1": (np.repeat([0, -1.0], [2, 15]), ONE),
    "each lower by .03": (-0.03 * np.arange(17), ONE),
    "each two lower by .1": (-0.1 * (np.arange(17) // 2), ONE),
    "two best that scatter ten times as much as 15 lower by .1": (np.repeat([0, -0.1], [2, 15]), np.repeat([1, 0.1], [2, 15])),
}
"""Means and deviations of 17 runs."""


def holm(scores: np.ndarray, baseline: int, seed: int) -> np.ndarray:
    """Paired t with Holm's correction, the method for a named baseline."""
    p = np.full(len(scores), np.nan)
    others = np.arange(len(scores)) != baseline
    p[others] = adjust(compare_with_baseline(scores, baseline).p[others], "holm")
    return p


def max_t(scores: np.ndarray, best: int, seed: int) -> np.ndarray:
    """The method that allows for picking the best run."""
    return compare_with_best(scores, best, samples=SAMPLES, seed=seed).p


def tukey(scores: np.ndarray, best: int, seed: int) -> np.ndarray:
    """The randomised Tukey HSD. It also allows for picking the best run, if the scores of all runs have the same variance."""
    return compare_with_baseline(scores, best, "tukey", samples=SAMPLES, seed=seed).p


METHODS: dict[str, tuple[Method, bool]] = {
    "named, t with Holm": (holm, False),
    "before: best, t with Holm": (holm, True),
    "after: best, max-t": (max_t, True),
}
"""Label -> the method, and whether its baseline is the best run; else it is one picked by lot."""


def best(trials: int) -> Iterator[Row]:
    """All runs against the best at p < .05: share of trials with a false difference, then the share of different runs that are found."""
    for name in populations():
        scores = population(name)
        for runs in (n for n in RUNS if n <= len(scores)):
            for topics in TOPICS:
                for tied in (runs, *TIED):
                    setting = {"scores": name, "runs": runs, "topics": topics, "equally good": "all" if tied == runs else f"best {tied}"}
                    yield setting | count_false(scores, runs, topics, tied, trials)


def steps(trials: int) -> Iterator[Row]:
    """All runs against the best at p < .05: normal scores of 17 runs on 50 topics with given means and deviations."""
    for name, (means, deviations) in STEPS.items():

        def normal(rng: np.random.Generator, means: np.ndarray = means, deviations: np.ndarray = deviations) -> Drawn:
            return means[:, None] + deviations[:, None] * rng.normal(size=(len(means), 50)), means

        yield {"means": name} | count(normal, trials, METHODS | {"best, Tukey": (tukey, True)}, 17)


def count_false(scores: np.ndarray, runs: int, topics: int, tied: int, trials: int) -> dict[str, str]:
    """The same as `count`, on scores drawn from a population in which some runs are equally good."""

    def drawn(rng: np.random.Generator) -> Drawn:
        return tie(*draw(scores, runs, topics, rng), tied, rng)

    return count(drawn, trials, METHODS, runs * topics + tied)


def count(
    draw_scores: Callable[[np.random.Generator], Drawn], trials: int, methods: dict[str, tuple[Method, bool]], seed: int
) -> dict[str, str]:
    """For each method, the share of trials with a false difference, and the share of different runs that are found."""
    rng = np.random.default_rng(seed)
    false, found = dict.fromkeys(methods, 0), {name: np.zeros(2) for name in methods}
    for trial in range(trials):
        drawn, truth = draw_scores(rng)
        for name, (method, picked) in methods.items():
            baseline = int(drawn.mean(axis=1).argmax()) if picked else 0
            said = np.sign(drawn.mean(axis=1) - drawn[baseline].mean()) * (method(drawn, baseline, trial) < LEVEL)
            true = np.sign(truth - truth[baseline]) * (np.abs(truth - truth[baseline]) > 1e-12)
            false[name] += bool((said * (said != true)).any())
            found[name] += np.count_nonzero(true), np.count_nonzero(true * said > 0)
    return {name: share(false[name], trials) + (f"; {there[1] / there[0]:.0%}" if there[0] else "") for name, there in found.items()}


SIMULATIONS: dict[str, Simulation] = {"best": best, "steps": steps}
