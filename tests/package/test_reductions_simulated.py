"""Samples drawn thousands of times: each judgment is kept as often as it should, and
estimates are right on average.
"""

import math

import numpy as np
import pytest

import irmeval
from irmeval.reductions import with_design
from tests.unit.reductions.test_reductions import collection_of
from tests.unit.reductions.test_samples import drawn, two_topics


@pytest.fixture(scope="module")
def built() -> irmeval.Collection:
    return two_topics()


def test_each_judgment_when_drawn_often_then_is_kept_equally_often():
    R, N, trials, rate = 20, 60, 4000, 0.25
    collection = collection_of([(R, N, 0), (R, N, 0)])
    times = (irmeval.reduce(collection, rate=100 * rate, trials=trials) >= 0).sum(axis=0)
    # 160 judgments: a band of 4.5 standard deviations of a binomial count leaves a chance of about
    # 0.1% that any is outside
    band = 4.5 * math.sqrt(trials * rate * (1 - rate))
    assert np.abs(times - trials * rate).max() < band
    # and so evenly that the whole table passes a chi-squared test: 160 cells, 4 strata with a fixed
    # sum
    chi2 = ((times - trials * rate) ** 2 / (trials * rate * (1 - rate))).sum()
    assert abs(chi2 - 160) < 4 * math.sqrt(2 * 160)


def test_weighted_when_drawn_many_times_then_each_document_is_as_often_as_its_probability_says(
    built,
):
    sampled = with_design(built, "weighted")
    kept = np.array(drawn(built, "weighted", 30, trials=2000))
    assert (kept.sum(axis=1) == 24).all(), "12 of 40 in each topic"
    grades = np.where(kept[0], built.grade, -1)
    probability = sampled.design.probability(grades)
    assert probability[:40].sum() == pytest.approx(12)
    # five standard deviations of 2,000 draws
    assert np.abs(kept.mean(axis=0) - probability).max() < 5 * 0.5 / np.sqrt(2000)
    assert kept[:, probability == 1].all()


@pytest.mark.parametrize("name", ["by-rank", "weighted"])
def test_sums_when_averaged_over_many_samples_then_are_near_the_truth(built, name):
    sampled = with_design(built, name)
    found = [
        irmeval.evaluate(sampled, "statP@10", grades=grades).values[0, 0]
        for grades in irmeval.reduce(built, name, rate=30, trials=400)
    ]
    found = np.nan_to_num(found)
    error = found.std(axis=0) / np.sqrt(len(found))
    assert (
        np.abs(found.mean(axis=0) - irmeval.evaluate(built, "P@10").values[0, 0])
        < 4 * error + 1e-12
    ).all()
