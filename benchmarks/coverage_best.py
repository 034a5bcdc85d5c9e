"""Comparisons with the best run: how often a run is said to be worse than it that is not."""

from collections.abc import Iterator

import numpy as np

from benchmarks.coverage import Row, Simulation, draw, population, share, tie
from irmeval.stats.corrections import adjust
from irmeval.stats.significance import against

RUNS, TOPICS = (17, 40, 126), (25, 50, 100)
LEVEL, SEED = 0.05, 1


def best(trials: int) -> Iterator[Row]:
    """The best run as the baseline, all runs equal: trials with at least one false difference, and of a named baseline."""
    scores = population("made up")
    for runs in RUNS:
        for topics in TOPICS:
            rng = np.random.default_rng(SEED)
            false = np.zeros(2, int)
            for _ in range(trials):
                drawn, _ = tie(*draw(scores, runs, topics, rng), runs, rng)
                for i, baseline in enumerate((int(drawn.mean(axis=1).argmax()), 0)):
                    p = np.delete(against(drawn, baseline).p, baseline)
                    false[i] += (adjust(p, "holm") < LEVEL).any()
            yield {
                "runs": runs,
                "topics": topics,
                **dict(zip(("best, t, Holm", "named, t, Holm"), (share(n, trials) for n in false), strict=True)),
            }


SIMULATIONS: dict[str, Simulation] = {"best": best}
