"""Orders of judging: each against a plain loop over the ranked lists, document by
document, and how many a budget keeps.
"""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from irmeval import ParamError, reduce
from irmeval.reductions import REDUCTIONS, draw
from irmeval.reductions.base import BUDGET, random_generator
from irmeval.reductions.pooling import ORDERS, follow_order, number_of, pool_topics, share_of
from tests.unit.scoring.test_evaluate_parity import collect

# ---------------------------------------------------------------- plain loops
#
# Lists of documents by run, the depth and the documents of the pool by id, grades, random numbers
# -> the documents in order.
# `rank(run, document)` is 0 where the run does not have it down to the depth.


def ranks(lists, depth):
    return lambda run, document: (
        lists[run].index(document) + 1 if document in lists[run][:depth] else 0
    )


def first_of_highest(documents, value):
    """The first document by id, of those whose value is the highest."""
    most = max(value(d) for d in documents)
    return next(d for d in documents if value(d) >= most * (1 - 1e-9))


def by_depth(lists, depth, pool, grades, numbers):
    judged = []
    for r in range(depth):
        judged += sorted(
            {documents[r] for documents in lists if len(documents) > r} & {*pool} - {*judged}
        )
    return judged


def at_random(lists, depth, pool, grades, numbers):
    return [document for _, document in sorted(zip(numbers, pool, strict=True))]


def move_to_front(lists, depth, pool, grades, numbers):
    priority, judged, numbers = [0] * len(lists), [], iter(numbers)

    def left(run):
        return [d for d in lists[run][:depth] if d in pool and d not in judged]

    while len(judged) < len(pool):
        there = [run for run in range(len(lists)) if left(run)]
        front = [run for run in there if priority[run] == max(priority[r] for r in there)]
        run = front[int(next(numbers) * len(front))]
        for document in left(run):
            judged.append(document)
            if grades[document] < 1:
                priority[run] -= 1
                break
    return judged


def bandit(lists, depth, pool, grades, numbers, memory=0.0):
    a, b, judged = [0.0] * len(lists), [0.0] * len(lists), []
    for number in numbers:
        there = [
            run
            for run in range(len(lists))
            if any(d in pool and d not in judged for d in lists[run][:depth])
        ]
        mean = {run: (1 + a[run]) / (2 + a[run] + b[run]) for run in there}
        best = [run for run in there if mean[run] == max(mean.values())]
        document = next(
            d for d in lists[best[int(number * len(best))]] if d in pool and d not in judged
        )
        judged.append(document)
        for run, documents in enumerate(lists):
            if document in documents[:depth]:
                relevant = grades[document] > 0
                a[run], b[run] = memory * a[run] + relevant, memory * b[run] + 1 - relevant
    return judged


def hedge(lists, depth, pool, grades, numbers, beta=0.1):
    rank, loss, judged = ranks(lists, depth), [0.0] * len(lists), []

    def value(run, document):
        return (
            sum(1 / i for i in range(rank(run, document) + 1, depth + 1)) / 2
            if rank(run, document)
            else 0.0
        )

    while left := [d for d in pool if d not in judged]:
        least = min(
            loss[run] for run, documents in enumerate(lists) if {*left} & {*documents[:depth]}
        )
        weight = [
            beta ** (lost - least) if {*left} & {*lists[run][:depth]} else 0
            for run, lost in enumerate(loss)
        ]
        document = first_of_highest(
            left, lambda d, w=weight: math.fsum(w[run] * value(run, d) for run in range(len(lists)))
        )
        judged.append(document)
        for run in range(len(lists)):
            loss[run] += -value(run, document) if grades[document] > 0 else value(run, document)
    return judged


def rbp(lists, depth, pool, grades, numbers, p=0.8, variant="C"):
    rank, residual, score, judged = ranks(lists, depth), [1.0] * len(lists), [0.0] * len(lists), []

    def weight(run, document):
        return (1 - p) * p ** (rank(run, document) - 1.0) if rank(run, document) else 0.0

    def prefers(run):
        return {
            "A": 1,
            "B": residual[run],
            "C": residual[run] * (score[run] + residual[run] / 2) ** 3,
        }[variant]

    while left := [d for d in pool if d not in judged]:
        document = first_of_highest(
            left, lambda d: math.fsum(weight(run, d) * prefers(run) for run in range(len(lists)))
        )
        judged.append(document)
        for run in range(len(lists)):
            residual[run] -= weight(run, document)
            score[run] += weight(run, document) * (grades[document] > 0)
    return judged


def fusion(lists, depth, pool, grades, numbers, by="reciprocal-rank", k=60):
    rank, judged = ranks(lists, depth), []

    def points(run, document):
        r = rank(run, document)
        return 0 if not r else depth - r + 1 if by == "borda" else 1 / (k + r)

    while left := [d for d in pool if d not in judged]:
        judged.append(
            first_of_highest(left, lambda d: math.fsum(points(run, d) for run in range(len(lists))))
        )
    return judged


LOOPS = {
    "by-depth": (by_depth, [{}]),
    "at-random": (at_random, [{}]),
    "move-to-front": (move_to_front, [{}]),
    "bandit": (bandit, [{"memory": memory} for memory in (0.0, 0.5, 1.0)]),
    "hedge": (hedge, [{"beta": beta} for beta in (0.1, 0.5)]),
    "rbp": (
        rbp,
        [{"p": p, "variant": variant} for p, variant in zip((0.8, 0.5, 0.8), "ABC", strict=True)],
    ),
    "fusion": (fusion, [{"by": "borda"}, {"k": 0}, {"k": 60}]),
}
"""The loop of each order, and with which parameters it is followed."""

DOCUMENTS = [f"d{i}" for i in range(12)]
TOPICS = ("1", "2")


@st.composite
def collections(draws):
    """Grades and lists of two topics: documents that no run has, that one or all have,
    not judged, of grades 0 to 2; lists without any.
    """
    count = draws(st.integers(1, 5))
    # one seed: to draw each document by Hypothesis takes longer than to judge them
    random = draws(st.randoms(use_true_random=True))
    judged = {t: random.sample(DOCUMENTS, random.randint(1, 12)) for t in TOPICS}
    qrels = {t: {d: random.choice([-1, 0, 0, 1, 2]) for d in judged[t]} for t in TOPICS}
    lists = {
        t: [random.sample(DOCUMENTS, random.randint(0, 12)) for _ in range(count)] for t in TOPICS
    }
    lists[TOPICS[0]][0] = lists[TOPICS[0]][0] or DOCUMENTS[:1]  # a run without any list is no run
    runs = {
        f"run{r}": {
            t: {d: -float(i) for i, d in enumerate(lists[t][r])} for t in TOPICS if lists[t][r]
        }
        for r in range(count)
    }
    runs = {name: topics for name, topics in runs.items() if topics}
    return (
        qrels,
        {t: [[*runs[name].get(t, {})] for name in runs] for t in TOPICS},
        collect(qrels, runs),
    )


@given(made=collections(), depth=st.integers(1, 9), seed=st.integers(0, 99))
def test_orders_when_followed_then_are_those_of_plain_loops_document_by_document(made, depth, seed):
    qrels, lists, collection = made
    topics = pool_topics(collection, depth, rng=random_generator(seed, 1))
    numbers, names = (
        random_generator(seed, 1).random(collection.grade.size),
        collection.documents.to_pylist(),
    )
    for name, params in [(order, params) for order in ORDERS for params in LOOPS[order][1]]:
        followed = follow_order(name, topics, collection.grade, **params)
        for t, topic in enumerate(collection.topics):
            grades = {d: grade for d, grade in qrels[topic].items() if grade >= 0}
            pool = sorted(
                d for d in grades if any(d in documents[:depth] for documents in lists[topic])
            )
            drawn = [
                number
                for number, at, d in zip(numbers, collection.topic, names, strict=True)
                if at == t and d in pool
            ]
            expected = LOOPS[name][0](lists[topic], depth, pool, grades, drawn, **params)
            assert [names[j] for j in followed[t]] == expected, (name, params)


@settings(max_examples=10)
@given(made=collections(), level=st.floats(0.1, 100))
def test_budget_when_given_then_keeps_the_first_of_each_order_and_judges_no_more_than_that(
    made, level
):
    _, _, collection = made
    topics = pool_topics(collection, 100, rng=random_generator(1, 1))
    for name in ORDERS:
        followed = follow_order(name, topics, collection.grade)
        kept = draw(collection, name, [f"{level}%"], 1, 1)[0]
        for t, (topic, judged) in enumerate(zip(topics, followed, strict=True)):
            share = level * topic.size / 100
            size = min(topic.size, max(1, math.floor(share + 0.5)))
            assert size == share_of(topic.size, level) or math.isclose(
                share + 0.5, round(share + 0.5), abs_tol=1e-6
            )
            mine = np.flatnonzero((collection.topic == t) & (collection.grade >= 0) & (kept >= 0))
            assert sorted(judged[: share_of(topic.size, level)]) == mine.tolist(), name
        before = collection.grade.copy()
        # what is not judged says nothing
        before[kept < 0] = np.where(
            before[kept < 0] < 0, before[kept < 0], (before[kept < 0] + 1) % 2
        )
        other = follow_order(name, topics, before, level)
        for judged, same in zip(followed, other, strict=True):
            assert judged[: same.size].tolist() == same.tolist(), name


@pytest.mark.parametrize(
    ("size", "level", "judged"),
    [(9, 0.4, 1), (9, 1.9, 1), (9, 3.9, 3), (9, 9, 9), (2, 5, 2), (0, 5, 0)],
)
def test_budget_when_a_number_of_documents_then_is_rounded_down_to_at_least_one_at_most_the_pool(
    size, level, judged
):
    assert number_of(size, level) == judged


@pytest.mark.parametrize(
    ("of", "pool"),
    [(None, "abc"), ([True, False], "ab"), ([False, True], "bc"), ([False, False], "")],
)
def test_pool_when_of_some_runs_then_has_what_they_alone_retrieved(of, pool):
    collection = collect(
        {"1": dict.fromkeys("abc", 1)},
        {"x": {"1": {"a": 2.0, "b": 1.0}}, "y": {"1": {"c": 2.0, "b": 1.0}}},
    )
    (topic,) = pool_topics(collection, of_runs=None if of is None else np.array(of))
    assert "".join(collection.documents.take(topic.judgments).to_pylist()) == pool


def test_rbp_when_runs_score_well_then_prefers_by_c_the_one_of_which_more_is_unjudged():
    lists = {"a": "tu", "b": "rus"}
    scored = {
        run: {"1": {d: -float(i) for i, d in enumerate(documents)}}
        for run, documents in lists.items()
    }
    collection = collect({"1": {d: int(d in "rstu") for d in "rstu"}}, scored)
    names = collection.documents.to_pylist()
    judged = "".join(
        names[j] for j in follow_order("rbp", pool_topics(collection), collection.grade)[0]
    )
    assert judged == "urts"  # without that factor urst


def test_grade_when_it_is_not_known_then_dynamic_orders_learn_nothing_from_it():
    lists = {"a": {"1": {"x": 3.0, "y": 2.0, "z": 1.0}}, "b": {"1": {"u": 3.0, "v": 2.0, "w": 1.0}}}
    collection = collect({"1": dict.fromkeys("uvwxyz", 1)}, lists)
    topics = pool_topics(collection)
    unknown = np.full(6, -1)
    names = collection.documents.to_pylist()

    def judged(name, seen, **params):
        return "".join(names[j] for j in follow_order(name, topics, seen, **params)[0])

    # of two runs with equal weights the documents alternate, by id; once u is relevant, hedge takes
    # the rest of its run first
    assert judged("hedge", unknown) == judged("rbp", unknown, variant="A") == "uxvywz"
    assert judged("hedge", np.array([1, -1, -1, -1, -1, -1])) == "uvwxyz"
    # u is not known, x not relevant: only its run loses weight
    assert judged("hedge", np.array([-1, -1, -1, 0, -1, -1])) == "uxvwyz"
    assert judged("rbp", np.array([1, 0, 0, 0, 0, 0])) == "uvxwyz"


@pytest.mark.parametrize("name", ORDERS)
def test_topic_when_no_run_has_a_judged_document_then_nothing_of_it_is_kept(name):
    collection = collect(
        {"1": {"a": 1, "b": 0}, "2": {"c": 1}},
        {"run": {"1": {"a": 2.0, "b": 1.0}, "2": {"x": 1.0}}},
    )
    assert reduce(collection, name, budget=50).tolist() in ([[1, -1, -1]], [[-1, 0, -1]])


@pytest.mark.parametrize("name", ORDERS)
def test_order_when_there_are_no_runs_or_the_budget_is_none_then_is_refused(name, tiny):
    collection = collect({"1": {"a": 1}}, {"run": {"1": {"a": 1.0}}})
    assert REDUCTIONS[name].axis is BUDGET
    with pytest.raises(ParamError, match=rf"^{name} needs its budget, as budget=\.\.\.$"):
        reduce(collection, name)
    with pytest.raises(ParamError, match=r"^budget: expected a value from 0.001 to 100, found 0.$"):
        reduce(collection, name, budget=0)
    with pytest.raises(ParamError, match="^pool: expected runs, found none. Read the runs too.$"):
        reduce(collect({"1": {"a": 1}}, {}), name, budget=10)
