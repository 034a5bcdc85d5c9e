"""What to judge next, against plain loops."""

import numpy as np
import pandas as pd
import pytest

from irmeval import Collection
from irmeval.collection.joining import NEAR
from irmeval.scoring import unjudged_near_top
from irmeval.scoring.unjudged_near_top import RunsUnjudged, first_unjudged, rank_unjudged
from tests.cases import collection


@pytest.mark.parametrize("seed", range(3))
def test_documents_to_judge_when_lists_are_deep_then_are_the_unjudged_that_loops_find_near_the_top(
    seed,
):
    rng = np.random.default_rng(seed)
    documents = [f"d{i}" for i in range(NEAR + 20)]
    pool = {
        t: {d: int(rng.integers(-1, 2)) for d in rng.choice(documents, 60, replace=False)}
        for t in ("1", "2")
    }
    lists = {
        run: {t: [str(d) for d in rng.permutation(documents)] for t in pool}
        for run in ("a", "b", "c")
    }
    # at the edge, a pooled one and one outside the pool on either side
    for t, run in (("1", "a"), ("2", "b")):
        pooled = next(d for d, grade in pool[t].items() if grade < 0)
        outside = next(d for d in documents if d not in pool[t])
        rest = [d for d in lists[run][t] if d not in (pooled, outside)]
        first, second = (pooled, outside) if run == "a" else (outside, pooled)
        lists[run][t] = [*rest[: NEAR - 1], first, second, *rest[NEAR - 1 :]]
    ranked = {
        run: {t: {d: -float(i) for i, d in enumerate(ranking)} for t, ranking in of.items()}
        for run, of in lists.items()
    }
    names, p = ("a", "b"), 0.9
    table = rank_unjudged(Collection.from_dicts(pool, {run: ranked[run] for run in names}), p)

    expected = {}
    for t, judged in pool.items():
        for d in documents:
            ranks = [lists[run][t].index(d) + 1 for run in names if lists[run][t].index(d) < NEAR]
            if judged.get(d, -1) < 0 and ranks:
                residual = sum((1 - p) * p ** (rank - 1) for rank in ranks) / (
                    len(pool) * len(names)
                )
                expected[t, d] = (len(ranks), min(ranks), pytest.approx(residual))
    rows = table[["topic", "document", "runs", "best rank", "residual"]].itertuples(index=False)
    assert {(t, d): tuple(values) for t, d, *values in rows} == expected
    order = list(
        zip(
            -table["residual"].round(14),
            -table["runs"],
            table["topic"],
            table["document"],
            strict=True,
        )
    )
    assert order == sorted(order)

    of_each = RunsUnjudged(Collection.from_dicts(pool, ranked))
    for number, run in enumerate(ranked):
        alone = rank_unjudged(Collection.from_dicts(pool, {run: ranked[run]}), p)
        beside = of_each.table(number, p)
        columns = {
            "topic": "topic",
            "document": "document",
            "rank": "best rank",
            "residual": "residual",
        }
        for column, of_alone in columns.items():
            assert beside[column].tolist() == alone[of_alone].tolist()
        for row in beside.itertuples():
            assert row[5] == sum(
                lists[other][row.topic].index(row.document) < NEAR
                for other in ranked
                if other != run
            )
        assert "other runs" not in of_each.table(number, p, others=False)


def test_documents_to_judge_when_they_add_as_much_then_come_by_runs_then_topic_and_document():
    judged = {"1": {"x": 1}, "2": {"x": 1}, "3": {"x": 1}}
    # with p = 1/2 two documents at rank 2 add as much as one at rank 1
    runs = {
        "a": {"1": ["n", "m"], "2": ["u"], "3": ["u"]},
        "b": {"1": ["v", "m"], "2": ["u"], "3": ["u"]},
    }
    table = rank_unjudged(collection(judged, runs), 0.5)
    equal = table[table["topic"] == "1"]
    assert equal["residual"].nunique() == 1
    assert equal[["document", "runs"]].to_numpy().tolist() == [["m", 2], ["n", 1], ["v", 1]]
    assert table["topic"].tolist()[:2] == ["2", "3"]


@pytest.mark.parametrize("at_once", [20, 10**6])
@pytest.mark.parametrize("p", [0.5, 0.9])
def test_first_documents_to_judge_when_asked_for_then_are_those_of_the_whole_list_in_its_order(
    monkeypatch, at_once, p
):
    monkeypatch.setattr(unjudged_near_top, "AT_ONCE", at_once)
    rng = np.random.default_rng(7)
    documents = [f"d{i}" for i in range(4)]
    topics = [str(t) for t in range(15)]
    ranked = {
        run: {
            t: {str(d): -float(i) for i, d in enumerate(rng.permutation(documents))} for t in topics
        }
        for run in "abc"
    }
    made = Collection.from_dicts({t: {"d0": 1, "d1": -1} for t in topics}, ranked)
    table = rank_unjudged(made, p)
    for most in range(1, len(table) + 2):  # rows that add as much are on either side of the last
        first, count = first_unjudged(made, p, most)
        pd.testing.assert_frame_equal(first, table.head(most), check_exact=True)
        assert count == len(table) == 45


def test_first_document_to_judge_when_several_of_a_topic_tie_then_is_the_first_by_name():
    ranked = {"a": {"1": {"y": 2.0, "x": 1.0}}, "b": {"1": {"x": 2.0, "y": 1.0}}}
    first, count = first_unjudged(Collection.from_dicts({"1": {"j": 1}}, ranked), 0.5, 1)
    assert (first["document"].tolist(), count) == (["x"], 2)
