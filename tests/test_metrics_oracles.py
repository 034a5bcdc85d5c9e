"""The package against the loop-only oracles, on random collections with reduced judgments and gain maps."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irmeval
from tests.cases import cases, measures
from tests.oracles import ORACLES, score

GAINS = st.sampled_from([None, {1: 1, 2: 3, 3: 3.5, 4: 10}, {1: 0.1, 2: 0.2, 3: 0.7, 4: 0.7}, "adjusted"])


def test_oracles_when_listed_then_are_of_metrics_there_are():
    assert set(ORACLES) <= set(irmeval.METRICS)


@pytest.mark.parametrize("name", ORACLES)
@given(case=cases(), gains=GAINS, reduced=st.booleans())
def test_scores_when_computed_by_loops_then_are_the_same(name, case, gains, reduced):
    collection = case.collection()
    judgments = case.kept if reduced else case.judgments
    grades = case.grades(collection) if reduced else None
    if case.top < 1:
        gains = None
    scores = irmeval.evaluate(collection, measures(name), grades=grades, gains=gains)
    expected = [
        [
            [score(str(m), case.rankings[run].get(topic, []), judgments[topic], top=case.top, gains=gains) for topic in scores.topics]
            for run in scores.runs
        ]
        for m in scores.measures
    ]
    np.testing.assert_allclose(scores.values, expected, rtol=0, atol=1e-9)
