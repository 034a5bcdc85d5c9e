"""What papers' findings are held against, by hand: statistics at rates and below them, and topics that are drawn anew."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from irmeval import measure
from irmeval.experiments import EXPERIMENTS
from irmeval.papers import Finding, answers, resampled
from irmeval.reading.matrix import Matrix
from tests.cases import SAMPLE, read_once

SAID = Finding("said", "Fig. 1", "", "Fig. 1", "tau", ("Q",), ("AP",))
TAU = {"AP": [1, 0.2, 0.6, 0.9], "Q": [1, 0.9, 0.5, 0.8], "RR": [1, 0.1, 0.3, 0.7]}
"""At 100, 10, 5 and 1%."""


def told(**said):
    """What is said of the orders kept at four rates, one sample of each."""
    params = SimpleNamespace(rates=(100.0, 10.0, 5.0, 1.0))
    result = SimpleNamespace(tau=np.array([*TAU.values()])[..., None], params=params, measures=tuple(map(measure, TAU)))
    [here] = answers([SAID._replace(**said)], result)
    return here.here, here.verdict, here.interval


@pytest.mark.parametrize(
    ("said", "here", "verdict"),
    [
        ({}, "0.8 against 0.675", "holds"),
        ({"statistic": "tau at 10%"}, "0.9 against 0.2", "holds"),
        ({"statistic": "tau below 10%"}, "0.5 against 0.6", "does not"),
        ({"statistic": "tau below 5%"}, "0.8 against 0.9", "does not"),
        ({"these": ("Q", "AP"), "those": ("RR",)}, "0.675 against 0.525", "holds"),
        ({"these": ("Q",), "those": ("RR", "AP")}, "0.8 against 0.675", "holds"),
        ({"those": 0.8}, "0.8 against 0.8", "does not"),
        ({"statistic": "tau at 5%", "these": 0.4, "those": ("RR",)}, "0.4 against 0.3", "holds"),
    ],
)
def test_finding_when_it_is_about_rates_then_those_at_or_below_them_count(said, here, verdict):
    assert told(**said) == (here, verdict, "exact")


def test_finding_when_topics_are_drawn_anew_then_its_interval_is_over_draws_with_replacement(stats):
    result = EXPERIMENTS["agreement"](read_once(*SAMPLE), ["AP", "RR", "Q"], EXPERIMENTS["agreement"].params())
    [here] = answers([SAID._replace(statistic="tau with AP", these=("RR",), those=0.5)], result)
    ap, rr = result.scores.values[0], result.scores.values[1]
    margins = []
    for at in np.random.default_rng(resampled.SEED).integers(ap.shape[1], size=(resampled.TIMES, ap.shape[1])):
        means = [[sum(run[t] for t in at) / len(at) for run in values] for values in (ap, rr)]
        margins.append(stats.kendalltau(*means).statistic - 0.5)
    assert len({round(margin, 9) for margin in margins}) > 1
    assert (here.low, here.high) == pytest.approx(tuple(np.percentile(margins, [5, 95])))
    assert here.samples == f"{sum(margin > 0 for margin in margins)} of {resampled.TIMES} resamples"


def test_topic_sets_when_made_again_then_draw_topics_with_replacement_only_where_the_result_did():
    scores = Matrix("made up", ("a", "b"), ("1", "2", "3"), np.array([[0.9, 0.1, 0.2], [0.1, 0.5, 0.6]]))  # by all three a is better
    experiment = EXPERIMENTS["stability"]
    lost = {}
    for how in ("without", "with"):
        result = experiment(scores, params=experiment.params(size=3, replacement=how, sets=100, fuzziness=(0.01,)))
        result = replace(result, scores=result.scores._replace(names=("AP",), measures=(measure("AP"),)))  # as those of a paper have
        again = resampled.ON_TOPICS[type(result)](result, np.arange(3), ("AP",))
        lost[how] = again.counts.losses.item()
    assert lost["without"] == 0
    assert lost["with"] > 0
