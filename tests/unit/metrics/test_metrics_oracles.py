"""The package against the loop-only oracles, on random collections with reduced
judgments and gain maps.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irmeval
from tests.cases import cases, drawn, in_strata, measures, ranked, tied_collection
from tests.oracles import ORACLES, score

EVERY = [irmeval.measure(m) for name in ORACLES for m in measures(name)]
GAINS = st.sampled_from(
    [None, {1: 1, 2: 3, 3: 3.5, 4: 10}, {1: 0.1, 2: 0.2, 3: 0.7, 4: 0.7}, "adjusted"]
)


def test_oracles_when_listed_then_are_of_metrics_there_are():
    assert set(ORACLES) <= set(irmeval.METRICS)


STRATA = st.sampled_from(
    [lambda d: "all", lambda d: "odd" if int(d[1:]) % 2 else "even", lambda d: str(int(d[1:]) // 3)]
)


@given(case=cases(), gains=GAINS, reduced=st.booleans(), strata=STRATA)
def test_scores_when_computed_by_loops_then_are_the_same(case, gains, reduced, strata):
    """Every metric on the same collections, the judgments drawn from strata of the pool
    or as a whole.
    """
    collection = in_strata(case.collection(), strata)
    judgments = case.kept if reduced else case.judgments
    grades = case.grades(collection) if reduced else None
    if case.top < 1:
        gains = None
    scores = irmeval.evaluate(collection, EVERY, grades=grades, gains=gains)
    expected = [
        [
            [
                score(
                    str(m),
                    case.rankings[run].get(topic, []),
                    judgments[topic],
                    top=case.top,
                    gains=gains,
                    strata=strata,
                )
                for topic in scores.topics
            ]
            for run in scores.runs
        ]
        for m in scores.measures
    ]
    for m, ours, theirs in zip(scores.measures, scores.values, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-9, err_msg=str(m))


@pytest.mark.parametrize("top", [12, 16, 100])
@pytest.mark.parametrize("stored", [np.int8, np.int16, np.int64])
def test_scores_when_grades_are_high_then_are_those_by_loops_however_they_are_stored(top, stored):
    judgments, scores = drawn(2, topics=4, runs=2, top=3, depth=30)
    higher = {0: 0, 1: 1, 2: top - 1, 3: top}
    judgments = {
        topic: {d: higher[grade] for d, grade in grades.items()}
        for topic, grades in judgments.items()
    }
    built = tied_collection(judgments, scores)
    found = irmeval.evaluate(built, EVERY, grades=built.grade.astype(stored))
    for m, values in zip(found.measures, found.values, strict=True):
        expected = [
            [
                score(str(m), ranked(of[t]), judgments[t], top=top, strata=lambda d: "all")
                for t in found.topics
            ]
            for of in scores.values()
        ]
        np.testing.assert_allclose(values, expected, rtol=0, atol=1e-9, err_msg=str(m))
