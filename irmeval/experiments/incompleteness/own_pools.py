"""Pairs of runs tested on judgments of their own: only what the two retrieved is judged."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from irmeval import cost as costs
from irmeval import parallel
from irmeval.collection import Collection
from irmeval.cost import Cost
from irmeval.experiments.base import Work
from irmeval.experiments.significance.every_pair import run_test
from irmeval.experiments.sweep import ALL, sampled
from irmeval.metrics import Measure
from irmeval.scores import evaluate
from irmeval.selection import subset

LEAST = 500_000
"""Scoring two runs takes as long as so many judged documents, however few there are."""


def p_of_pairs(work: Work[Any], picked: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """p of pairs of runs on the pool of the two alone, and on samples of it: [measure, pair] and [measure, rate, trial, pair].

    The pairs are numbered as in ``np.triu_indices(runs, 1)``. Where fewer than two topics have a score, p is 1.
    """
    collection, params, measures = work.collection, work.params, work.measures
    a, b = (runs[picked] for runs in np.triu_indices(len(collection.runs), 1))
    full = np.empty((len(measures), len(picked)))
    p = np.empty((len(measures), len(params.rates), params.trials, len(picked)))
    tick = parallel.ticker(work.progress, len(picked))

    def test(k: int) -> None:
        two = pooled(collection, [int(a[k]), int(b[k])])
        full[:, k] = _tested(two, measures, two.grade, params)
        for trial in range(params.trials):
            for i, grades in enumerate(sampled(two, params, params.rates, trial + 1)):
                p[:, i, trial, k] = full[:, k] if params.rates[i] == ALL else _tested(two, measures, grades, params)
        tick(1)

    parallel.each(test, range(len(picked)))
    return full, p


def pooled(collection: Collection, runs: Sequence[int]) -> Collection:
    """Some of the runs, and of the judgments those that one of them retrieved."""
    some = subset(collection, np.array(runs), np.arange(len(collection.topics)))
    seen = np.zeros(some.grade.size, bool)
    seen[some.slot] = True
    number = np.cumsum(seen, dtype=some.slot.dtype) - 1
    documents = some.documents.filter(seen)
    return replace(some, topic=some.topic[seen], grade=some.grade[seen], documents=documents, slot=number[some.slot])


def cost(work: Work[Any], pairs: int) -> Cost:
    """Of so many pairs."""
    params = work.params
    samples = 1 + sum(rate / ALL for rate in params.rates if rate < ALL) * params.trials
    two = costs.scoring(work.collection, len(work.measures)) * (2 / max(len(work.collection.runs), 1))
    begun = Cost({costs.SCORED: float(LEAST * len(params.rates) * params.trials)})
    tested = costs.testing(params.test, 2, len(work.collection.topics), params.samples) * (len(work.measures) * params.trials)
    return (two * samples + begun + tested * len(params.rates)) * pairs + costs.kept(
        len(work.measures), len(params.rates), params.trials, pairs
    )


def _tested(two: Collection, measures: Sequence[Measure], grades: np.ndarray, params: Any) -> list[float]:
    """p of the two by each measure."""
    values = evaluate(two, measures, grades=grades).values
    enough = np.isfinite(values).all(axis=1).sum(axis=-1) > 1
    rows = zip(measures, values, enough, strict=True)
    return [float(run_test(m, row, two.topics, params).pairs.p[0]) if scored else 1.0 for m, row, scored in rows]
