"""Intervals of estimates over many samples: they hold the truth as often as they
say.
"""

import numpy as np

import irmeval
from tests.strata import drawn
from tests.unit.scoring.test_estimates import sampled
from tests.unit.scoring.test_two_judges import judged


def test_intervals_when_many_samples_are_drawn_then_hold_the_truth_as_often_as_they_say():
    built, _ = sampled(7, topics=30)
    measures = {
        "statP@10": "P@10",
        "statRBP(p=0.8)": "RBP(p=0.8)",
        "statAP": "AP",
        "infNDCG": "nDCG",
    }
    truth = irmeval.evaluate(built, list(measures.values())).means
    rng = np.random.default_rng(1)
    held = np.zeros(truth.shape)
    times = 150
    for _ in range(times):
        low, high = irmeval.estimate(built, list(measures), grades=drawn(built, rng)).bounds()
        held += (low <= truth) & (truth <= high)
    assert (held.mean(axis=1) / times > 0.93).all()
    assert (held.mean(axis=1) / times < 0.98).all()


def test_difference_when_many_samples_are_drawn_then_its_interval_holds_as_often_as_it_says():
    built = judged(seed=8, topics=30)
    rng, texts = np.random.default_rng(1), ["P@10", "statDCG", "AP"]
    truth, held = irmeval.evaluate(built, texts).means, []
    for _ in range(100):
        low, high = irmeval.estimate_with(built, texts, "cheap", grades=drawn(built, rng)).bounds()
        held.append((low <= truth) & (truth <= high))
    share = np.mean(held, axis=(0, 2))  # 100 samples: two standard errors are .044
    assert ((share > 0.9) & (share < 0.995)).all(), share
