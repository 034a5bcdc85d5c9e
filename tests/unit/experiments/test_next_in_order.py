"""What to judge next by an order of judging: from the present judgments, and then from
those that are returned.
"""

import numpy as np
import pytest

from irmeval import ParamError, UnknownName
from irmeval.collection.joining import NEAR
from irmeval.experiments import EXPERIMENTS
from irmeval.reductions import ORDERS
from irmeval.reductions.base import random_generator
from irmeval.reductions.pooling import follow_order, pool_topics
from irmeval.scoring.unjudged_near_top import documents_near_top
from tests.cases import collection
from tests.unit.experiments.test_judge_next import drawn, keys

BUDGET = EXPERIMENTS["judge-next"]
RNG = np.random.default_rng(8)
NAMES = [f"d{i}" for i in range(14)]
LISTS = {
    f"r{r}": {t: [str(d) for d in RNG.permutation(NAMES)[: RNG.integers(4, 9)]] for t in "12"}
    for r in range(4)
}
TRUTH = {
    t: {d: int(RNG.integers(0, 3)) for d in sorted({d for run in LISTS.values() for d in run[t]})}
    for t in "12"
}


def asked(pool, **params):
    """What is asked for: (topic, document), in the order of the list."""
    return keys(BUDGET(collection(pool, LISTS), ["AP"], BUDGET.params(**params)).frame())


@pytest.mark.parametrize("name", ORDERS)
def test_documents_when_judged_one_a_topic_and_taken_back_each_time_then_come_in_the_very_order(
    name,
):
    whole = collection(TRUTH, LISTS)
    followed = follow_order(name, pool_topics(whole, NEAR, rng=random_generator(3, 1)), whole.grade)
    documents = whole.documents.to_pylist()
    # nobody has judged anything: of each topic one document is in the pool, the others are not even
    # there
    pool = {t: {next(iter(of)): -1} for t, of in TRUTH.items()}
    came = {t: [] for t in TRUTH}
    while any(len(came[t]) < len(of) for t, of in TRUTH.items()):
        left = sum(len(came[t]) < len(of) for t, of in TRUTH.items())
        for t, document in asked(pool, by=name, budget=left, seed=3):
            came[t].append(document)
            pool[t][document] = TRUTH[t][document]
    assert came == {
        t: [documents[j] for j in judged] for t, judged in zip(whole.topics, followed, strict=True)
    }
    with pytest.raises(ParamError, match="every document down to rank 100 of the lists is judged"):
        asked(pool, by=name)


def test_budget_when_topics_have_more_or_less_left_then_is_dealt_evenly_as_far_as_there_are():
    pool = {"1": dict(list(TRUTH["1"].items())[:-2]), "2": {"d0": 0}}
    of_topic = [topic for topic, _ in asked(pool, by="hedge", budget=8)]
    assert [of_topic.count(t) for t in "12"] == [2, 6]
    assert of_topic[:4] == ["1", "2", "1", "2"]
    everything = asked(pool, by="hedge", budget=1000)
    assert sorted(everything) == sorted(
        (t, d) for t, of in TRUTH.items() for d in of if d not in pool[t]
    )


def test_order_when_another_judge_drives_it_then_learns_from_their_grades():
    lists = {"a": {"1": ["x0", "x1", "x2"]}, "b": {"1": ["y0", "y1", "y2"]}}
    person = {"1": {"x0": 1, "y0": 0}}
    both = collection(person, lists).with_judgments(
        "model", {"1": {"x0": 0, "y0": 1, "x1": 0, "y1": 1}}
    )

    def first(**more):
        result = BUDGET(both, ["AP"], BUDGET.params(by="hedge", budget=2, **more))
        return [document for _, document in keys(result.frame())], result.headline()

    assert first()[0] == ["x1", "x2"]
    documents, said = first(driver="model")
    assert documents == ["y1", "y2"]
    assert said.startswith("hedge, driven by model, asks next for 2 of 4 unjudged documents. ")
    with pytest.raises(UnknownName, match="unknown judge 'nobody'"):
        first(driver="nobody")


def test_documents_near_the_top_when_lists_are_deep_then_are_those_loops_find_with_grades():
    pool, lists = drawn(1)
    near = documents_near_top(collection(pool, lists))
    expected = sorted(
        {(t, d) for of in lists.values() for t, ranking in of.items() for d in ranking[:NEAR]}
    )
    assert list(zip(near.topic.astype(str), near.document, strict=True)) == expected
    assert near.grade.tolist() == [max(pool[t].get(d, -1), -1) for t, d in expected]
    entries = [
        (int(run[1:]), t, rank, d)
        for run, of in lists.items()
        for t, r in of.items()
        for rank, d in enumerate(r[:NEAR], 1)
    ]
    found = zip(
        near.run.tolist(),
        near.topic[near.judgment_index].astype(str),
        near.rank.tolist(),
        near.judgment_index.tolist(),
        strict=True,
    )
    assert [(run, t, rank, near.document[j]) for run, t, rank, j in found] == sorted(entries)
