"""Significance of pairs of runs on samples of what the two runs retrieved."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from irmeval.collection import Collection, shards
from irmeval.core.places import pick
from irmeval.experiments.axes.base import Trial
from irmeval.experiments.axes.fewer_judgments import Sampling, judgments
from irmeval.experiments.sweep import ALL
from irmeval.experiments.work import Work
from irmeval.reductions import share_left
from irmeval.scoring.scores import evaluate_many
from irmeval.scoring.selection import restrict_pool
from irmeval.stats.pair_tests import p_of_two


def p_of_pairs(
    work: Work[Any], own: Sampling, rates: Sequence[float], picked: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """p-values of pairs of runs on the pool of the two, and on samples of it: [measure,
    pair] and [measure, rate, trial, pair]; and the realised share of the pool, in per
    cent [rate, trial], mean over pairs.

    `picked` are numbers of pairs, as in ``np.triu_indices(runs, 1)``. With fewer than
    two topics that have a score, p is NaN.
    """
    collection, params, measures = work.collection, work.params, work.measures
    # not alpha: p is kept, and decisions are read off it
    key = "own pools", measures, rates, params.trials, params.pairs, params.test, params.samples
    if key in work.cache:
        return work.cache[key]
    shards.check_local(collection, "curves (sample_of=pair)")
    a, b = (runs[picked] for runs in np.triu_indices(len(collection.runs), 1))
    full = np.empty((len(measures), len(picked)))
    p = np.empty((len(measures), len(rates), params.trials, len(picked)))
    left = np.full((len(rates), params.trials, len(picked)), ALL)
    less = [i for i, rate in enumerate(rates) if rate < ALL]

    def test(k: int) -> None:
        two = restrict_pool(collection, [int(a[k]), int(b[k])])
        grades = [two.grade, *_samples(two, own, pick(rates, less), params)]
        evaluations = evaluate_many(two, ((measures, sample) for sample in grades))
        values = np.stack([scores().values for scores in evaluations])
        tested = p_of_two(values, params.test, samples=params.samples, seed=params.seed)
        full[:, k] = tested[0]
        p[..., k] = full[:, k, None, None]
        if not less:
            return
        of_samples = tested[1:].reshape(params.trials, len(less), len(measures))
        # NumPy puts the axis of a list of indices first where another index is a number
        p[:, less, :, k] = of_samples.transpose(1, 2, 0)
        shares = share_left(two.grade, np.array(grades[1:]))
        left[less, :, k] = shares.reshape(params.trials, len(less)).T

    work.each(test, range(len(picked)))
    work.cache[key] = full, p, left.mean(axis=-1)
    return work.cache[key]


def _samples(
    two: Collection, own: Sampling, rates: Sequence[float], params: Any
) -> list[np.ndarray]:
    """Grade vectors of all trials of two runs' pool, trial by trial."""
    trials = range(1, params.trials + 1) if rates else ()
    return [
        drawn.grades
        for number in trials
        for drawn in judgments(Trial(two, params.seed, number), rates, own)
    ]
