"""Tukey's HSD on an analysis of variance: how often two equal runs are found to differ,
with and without shards.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cache

import numpy as np

from benchmarks.coverage import DATA, ROOT, Row, Simulation, draw, population, populations, share
from irmeval.stats.anova import OTHERS, THESE, anova, tukey_differences

RUNS, TOPICS, SHARDS, LEVEL = (17, 40, 126), (25, 50, 100), (2, 3), 0.05


def differ(scores: np.ndarray, holds_for: str = OTHERS) -> np.ndarray:
    """Which pairs differ significantly."""
    return tukey_differences(anova(scores, holds_for=holds_for)).p < LEVEL


def whole(trials: int) -> Iterator[Row]:
    """One score per run and topic, shuffled among the runs within each topic, so that
    no two differ: share of trials with a false pair.
    """
    for name in populations():
        scores = population(name)
        for runs in (n for n in RUNS if n <= len(scores)):
            for topics in TOPICS:
                rng, false = np.random.default_rng(runs * topics), 0
                for _ in range(trials):
                    false += bool(
                        differ(rng.permuted(draw(scores, runs, topics, rng)[0], axis=0)).any()
                    )
                yield {
                    "scores": name,
                    "runs": runs,
                    "topics": topics,
                    "a false pair": share(false, trials),
                }


@cache
def cells(name: str, count: int) -> np.ndarray:
    """AP' of a collection's runs on shards [run, topic, shard]."""
    import irmeval

    folder, qrels = (
        (ROOT / "sample_data", "qrels.txt.gz") if name == "sample" else (DATA / name, "qrels.txt")
    )
    c = irmeval.read_collection(folder / qrels, folder / "runs")
    parts = irmeval.reductions.stratified.shards(c, count, np.random.default_rng(1))  # type: ignore[attr-defined]
    values = np.stack(
        [irmeval.evaluate(c, ["AP'"], grades=part).values[0] for part in parts], axis=-1
    )
    return values[:, np.isfinite(values).all(axis=(0, 2))]


def shuffled(drawn: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Runs are shuffled within each topic, all shards of a topic alike: no run is
    better on average, but some are on single topics.
    """
    order = rng.permuted(np.tile(np.arange(len(drawn))[:, None], drawn.shape[1]), axis=0)
    return drawn[order, np.arange(drawn.shape[1])]


def shuffled_apart(drawn: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Runs are shuffled within each shard of each topic: no run is better on any
    topic.
    """
    return rng.permuted(drawn, axis=0)


NULLS: Mapping[str, Callable[[np.ndarray, np.random.Generator], np.ndarray]] = {
    "on the mean of all topics": shuffled,
    "on any topic": shuffled_apart,
}
"""Where no two runs differ -> how scores are made so."""


def sharded(trials: int) -> Iterator[Row]:
    """AP' on shards of judged documents, 17 runs, shuffled so that no two differ: share
    of trials with a false pair. With the scores as they are: significant pairs on
    average.
    """
    for name in (n for n in populations() if n in ("sample", "robust03")):
        for count in SHARDS:
            values = cells(name, count)
            for topics in (25, 50):
                for null, shuffle in {**NULLS, "they do": lambda drawn, rng: drawn}.items():
                    rng, found = np.random.default_rng(topics * count), np.zeros((trials, 2))
                    for trial in range(trials):
                        some = values[rng.choice(len(values), 17, replace=False)][
                            :, rng.integers(values.shape[1], size=topics)
                        ]
                        some = shuffle(some, rng)
                        found[trial] = [m.sum() for m in (differ(some), differ(some, THESE))]
                    said = [
                        (
                            f"{column.mean():.1f} of 136"
                            if null == "they do"
                            else share(int((column > 0).sum()), trials)
                        )
                        for column in found.T
                    ]
                    columns = dict(
                        zip((f"holds for {OTHERS}", f"holds for {THESE}"), said, strict=True)
                    )
                    yield {
                        "scores": name,
                        "shards": count,
                        "topics": topics,
                        "no two runs differ": null,
                    } | columns


SIMULATIONS: dict[str, Simulation] = {"anova": whole, "shards": sharded}
