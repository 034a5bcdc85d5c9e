"""Tests of pairs of runs on judgments of only the documents that the two retrieved."""

from typing import Any

import numpy as np

from irmeval.collection import shards
from irmeval.experiments.sweep import ALL, draw_grades
from irmeval.experiments.work import Work
from irmeval.reductions import share_left
from irmeval.scoring.scores import evaluate
from irmeval.scoring.selection import restrict_pool


def _key(work: Work[Any]) -> tuple[Any, ...]:
    return "own pools", work.measures, work.params.rates, work.params.trials, work.params.pairs


def p_of_pairs(work: Work[Any], picked: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """p-values of pairs of runs on the pool of the two, and on samples of it: [measure, pair] and [measure, rate, trial, pair]; and the
    realised share of the pool, in per cent [rate, trial], mean over pairs.

    `picked` are numbers of pairs, as in ``np.triu_indices(runs, 1)``. With fewer than two topics that have a score, p is NaN.
    """
    if (key := _key(work)) in work.cache:
        return work.cache[key]
    collection, params, measures = work.collection, work.params, work.measures
    shards.check_local(collection, "decisions (pool=pair)")
    a, b = (runs[picked] for runs in np.triu_indices(len(collection.runs), 1))
    full = np.empty((len(measures), len(picked)))
    p = np.empty((len(measures), len(params.rates), params.trials, len(picked)))
    left = np.full((len(params.rates), params.trials, len(picked)), ALL)

    def test(k: int) -> None:
        two = restrict_pool(collection, [int(a[k]), int(b[k])])
        less = [i for i, rate in enumerate(params.rates) if rate < ALL]
        grades = [two.grade]
        for trial in range(params.trials):
            grades += [*draw_grades(two, params, [params.rates[i] for i in less], trial + 1)]
        values = np.stack([evaluate(two, measures, grades=sample).values for sample in grades])
        tested = np.array([[params.compare(pair).p_alone[0] for pair in of_sample] for of_sample in values])
        full[:, k] = tested[0]
        p[..., k] = full[:, k, None, None]
        p[:, less, :, k] = tested[1:].reshape(params.trials, len(less), len(measures)).transpose(1, 2, 0)
        if less:
            left[less, :, k] = share_left(two.grade, np.array(grades[1:])).reshape(params.trials, len(less)).T

    work.each(test, range(len(picked)))
    work.cache[key] = full, p, left.mean(axis=-1)
    return work.cache[key]
