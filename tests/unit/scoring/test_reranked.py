"""Runs in the order of a judge's grades, against plain lists; and the judge's ideal
lists.
"""

import numpy as np
import pytest

import irmeval
from irmeval.metrics import distinct
from irmeval.scoring.reranked import ORDERS, rerank, score_ideal_lists
from tests.cases import drawn, tied_collection


@pytest.fixture
def union():
    collection = tied_collection(*drawn(4, topics=6, runs=5)).with_judgments(
        "noisy", "simulated:noisy,0.4,3"
    )
    return collection.panel.union, [
        collection.panel.judges.scoring(j).astype(np.int64) for j in (0, 1)
    ]


def lists(collection):
    """Each list as the judgments at its ranks, None for a document outside the pool."""
    for at, length in enumerate(collection.length.tolist()):
        entries = slice(*collection.start[at : at + 2])
        found = [None] * length
        for judgment, rank in zip(
            collection.judgment_index[entries].tolist(),
            collection.rank[entries].tolist(),
            strict=True,
        ):
            found[rank - 1] = judgment
        yield found


def test_reranked_lists_when_compared_with_sorted_ones_then_are_the_same(union):
    collection, (_, grades) = union
    grades[::3] = -1  # not judged by this judge

    def worth(judgment):
        return -grades[judgment] if judgment is not None and grades[judgment] >= 0 else 1

    expected = [sorted(found, key=worth) for found in lists(collection)]
    assert [*lists(rerank(collection, grades))] == expected
    assert rerank(collection, grades).rank.dtype == collection.rank.dtype


def test_ceiling_when_the_judge_is_the_reference_then_is_1(union):
    collection, (own, _) = union
    found = score_ideal_lists(collection, own, own, distinct(["AP", "nDCG"]), 1)
    for values in found:
        assert values[np.isfinite(values)] == pytest.approx(1)


def test_ceiling_when_the_judge_errs_then_is_that_of_its_list_in_any_order_of_ties(union):
    collection, (own, grades) = union
    measures = distinct(["AP", "P@5"])
    found = score_ideal_lists(collection, grades, own, measures, 1)
    assert (found.low <= found.mean + 1e-12)[np.isfinite(found.mean)].all()
    assert (found.mean <= found.high + 1e-12)[np.isfinite(found.mean)].all()
    for t, topic in enumerate(collection.topics):
        here = [
            j
            for j in range(grades.size)
            if collection.topics[collection.topic[j]] == topic and grades[j] >= 0
        ]
        for best, values in ((1, found.high), (-1, found.low)):
            order = sorted(here, key=lambda j: (-grades[j], -best * own[j]))
            assert values[1, t] == pytest.approx(
                sum(own[j] > 0 for j in order[:5]) / 5, nan_ok=True
            ) or np.isnan(values[1, t])
    assert ORDERS > 1
    best = irmeval.evaluate(rerank(collection, grades), measures, grades=own).means
    assert np.isfinite(best).all()
