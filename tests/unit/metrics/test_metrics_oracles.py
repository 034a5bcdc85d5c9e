"""The package against the loop-only oracles, on random collections with reduced judgments and gain maps."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import irmeval
from tests.cases import cases, in_strata, measures
from tests.oracles import ORACLES, score

EVERY = [irmeval.measure(m) for name in ORACLES for m in measures(name)]
GAINS = st.sampled_from([None, {1: 1, 2: 3, 3: 3.5, 4: 10}, {1: 0.1, 2: 0.2, 3: 0.7, 4: 0.7}, "adjusted"])


def test_oracles_when_listed_then_are_of_metrics_there_are():
    assert set(ORACLES) <= set(irmeval.METRICS)


STRATA = st.sampled_from([lambda d: "all", lambda d: "odd" if int(d[1:]) % 2 else "even", lambda d: str(int(d[1:]) // 3)])


@given(case=cases(), gains=GAINS, reduced=st.booleans(), strata=STRATA)
def test_scores_when_computed_by_loops_then_are_the_same(case, gains, reduced, strata):
    """Every metric on the same collections, the judgments drawn from strata of the pool or as a whole."""
    collection = in_strata(case.collection(), strata)
    judgments = case.kept if reduced else case.judgments
    grades = case.grades(collection) if reduced else None
    if case.top < 1:
        gains = None
    scores = irmeval.evaluate(collection, EVERY, grades=grades, gains=gains)
    expected = [
        [
            [
                score(str(m), case.rankings[run].get(topic, []), judgments[topic], top=case.top, gains=gains, strata=strata)
                for topic in scores.topics
            ]
            for run in scores.runs
        ]
        for m in scores.measures
    ]
    for m, ours, theirs in zip(scores.measures, scores.values, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-9, err_msg=str(m))
