"""How many judgments a reduction keeps, which, and that the same seed keeps the
same.
"""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irmeval import ParamError, UnknownName, evaluate, read_collection, reduce
from irmeval.reductions import DROPPED, draw
from tests.cases import refusal
from tests.unit.scoring.test_evaluate_parity import collect

RATES = (100, 90, 70, 50, 30, 10, 5, 1)


def collection_of(sizes):
    """A topic for each (relevant, nonrelevant, pooled but unjudged), and a run that
    retrieves one document.
    """
    judgments = {
        str(t): {
            f"d{t}-{i:04}": grade
            for i, grade in enumerate([1 + i % 3 for i in range(R)] + [0] * N + [-1] * unjudged)
        }
        for t, (R, N, unjudged) in enumerate(sizes, 1)
    }
    return collect(judgments, {"run": {"1": {"d1-0000": 1.0}}})


def kept(collection, grades):
    """Per topic, how many relevant, nonrelevant and pooled unjudged (before the
    reduction) still have their grade.
    """
    same = grades == collection.grade
    full = collection.grade
    return [
        tuple(
            int(np.count_nonzero(same & which & (collection.topic == t)))
            for which in (full > 0, full == 0, full < 0)
        )
        for t in range(len(collection.topics))
    ]


def share(n, percent, rounding):
    """f(n j) in whole numbers, without floating point."""
    exact = Fraction(n * percent, 100)
    return {
        "floor": math.floor,
        "ceil": math.ceil,
        "half-up": lambda x: math.floor(x + Fraction(1, 2)),
    }[rounding](exact)


@pytest.mark.parametrize("least", [(1, 10), (0, 0), (3, 4), (50, 50)])
def test_stratified_when_minimums_are_set_then_each_topic_keeps_as_many_if_it_has_them(least):
    sizes = [(5, 20, 2), (60, 8, 0)]
    c = collection_of(sizes)
    grades = reduce(c, "stratified", rate=1, least_relevant=least[0], least_nonrelevant=least[1])[0]
    for found, size in zip(kept(c, grades), sizes, strict=True):
        assert found == (*(min(m, n) for m, n in zip(least, size, strict=False)), size[2])


SIZES = st.lists(
    st.tuples(st.integers(1, 400), st.integers(0, 400), st.integers(0, 3)), min_size=1, max_size=4
)


@given(
    SIZES, st.integers(1, 100), st.sampled_from(["floor", "ceil", "half-up"]), st.integers(0, 99)
)
def test_stratified_when_reduced_then_keeps_the_counts_of_the_papers(
    sizes, percent, rounding, seed
):
    collection = collection_of(sizes)
    (grades,) = reduce(collection, "stratified", rate=percent, seed=seed, rounding=rounding)
    expected = [
        (
            min(R, max(1, share(R, percent, rounding))),
            min(N, max(10, share(N, percent, rounding))),
            unjudged,
        )
        for R, N, unjudged in sizes
    ]
    assert kept(collection, grades) == expected
    assert np.all((grades == collection.grade) | (grades == DROPPED))


@pytest.mark.parametrize(
    ("rounding", "counts"),
    # R = 25, N = 105 at 10%, 50%, 90%: 2.5, 12.5, 22.5 and 10.5, 52.5, 94.5
    [
        ("floor", [(2, 10), (12, 52), (22, 94)]),
        ("ceil", [(3, 11), (13, 53), (23, 95)]),
        ("half-up", [(3, 11), (13, 53), (23, 95)]),
    ],
)
def test_stratified_when_rounded_then_floor_ceil_and_half_up_differ_as_in_the_papers(
    rounding, counts
):
    collection = collection_of([(25, 105, 0)])
    drawn = draw(collection, "stratified", [10, 50, 90], 1, 1, rounding=rounding)
    assert [kept(collection, grades)[0][:2] for grades in drawn] == counts


def test_stratified_when_there_are_few_then_keeps_one_relevant_and_ten_nonrelevant_or_all():
    collection = collection_of([(1, 3, 0), (50, 10, 1), (5, 200, 2)])
    (grades,) = reduce(collection, rate=1)
    assert kept(collection, grades) == [(1, 3, 0), (1, 10, 1), (1, 10, 2)]


def test_sample_when_drawn_with_other_rates_roundings_or_trials_then_is_the_same():
    collection = collection_of([(40, 300, 5), (7, 25, 0)])
    alone = reduce(collection, rate=30, trials=2, seed=5)
    assert np.array_equal(alone, reduce(collection, rate=30, trials=4, seed=5)[:2])
    for trial in (1, 2):
        assert np.array_equal(
            alone[trial - 1], draw(collection, "stratified", RATES, trial, 5)[RATES.index(30)]
        )
    ceil = reduce(collection, rate=30, seed=5, rounding="ceil")[0]
    assert np.all((alone[0] == ceil) | (alone[0] == DROPPED))


def test_topics_when_drawn_together_then_are_independent():
    collection = collection_of([(20, 20, 0), (20, 20, 0)])
    drawn = reduce(collection, rate=50, trials=2000) >= 0
    relevant = [np.flatnonzero((collection.topic == t) & (collection.grade > 0)) for t in (0, 1)]
    together = (drawn[:, relevant[0]] & drawn[:, relevant[1]]).mean(axis=0)
    assert np.abs(together - 0.25).max() < 4.5 * math.sqrt(0.25 * 0.75 / 2000)


# ---------------------------------------------------------------- infAP, the one metric that knows
# dropped from unknown


def infap_oracle(ranking, full, reduced):
    """One topic: over the relevant documents, by rank; the full qrels are the pool."""
    e = 1e-5
    R = sum(grade > 0 for grade in reduced.values())
    total = 0.0
    for k, document in enumerate(ranking, 1):
        if reduced.get(document, -1) < 1:
            continue
        above = ranking[: k - 1]
        relevant = sum(reduced.get(d, -1) >= 1 for d in above)
        nonrelevant = sum(reduced.get(d, -1) == 0 for d in above)
        pooled = sum(d in full for d in above)
        total += (
            1.0
            if k == 1
            else 1 / k
            + (k - 1) / k * (pooled / (k - 1)) * (relevant + e) / (relevant + nonrelevant + 2 * e)
        )
    return total / R


@pytest.mark.parametrize("seed", range(5))
def test_infap_when_judgments_are_dropped_then_they_still_count_as_pooled(seed):
    rng = np.random.default_rng(seed)
    full = {"1": {f"d{i}": int(g) for i, g in enumerate(rng.integers(-1, 3, 200))}}
    # a third of the documents are outside the pool
    ranking = [f"d{i}" for i in rng.permutation(300)[:150]]
    collection = collect(full, {"run": {"1": {d: float(-i) for i, d in enumerate(ranking)}}})
    for rate in (100, 50, 10):
        (grades,) = reduce(collection, rate=rate, seed=seed)
        reduced = dict(zip(collection.documents.to_pylist(), grades.tolist(), strict=True))
        (score,) = evaluate(collection, ["infAP"], grades=grades).values.ravel()
        assert score == pytest.approx(infap_oracle(ranking, full["1"], reduced), rel=0, abs=1e-12)
        deleted = {d: g for d, g in reduced.items() if g >= 0}
        if rate < 100:
            assert score > infap_oracle(ranking, deleted, deleted)


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"rate": 101}, "rate: expected a value from 0 to 100, found 101."),
        ({"rate": 0.07}, 'rate: expected per cent, found 0.07. Write 7 for 7%, or "0.07%".'),
        ({"rate": "0.5"}, """rate: expected per cent, found '0.5'. Write 50 for 50%, or "0.5%"."""),
        ({"rate": float("nan")}, "rate: expected a number, found nan."),
        ({"trials": 0}, "trials: expected at least 1, found 0."),
        ({"seed": -1}, "seed: expected at least 0, found -1."),
        (
            {"rounding": "nearest"},
            "rounding: expected one of floor, ceil, half-up, found 'nearest'.",
        ),
        ({"round": "floor"}, "stratified: unknown keyword 'round'; nearest: rounding."),
    ],
)
def test_parameter_when_impossible_then_refused(tiny, wrong, message):
    assert refusal(ParamError, reduce, read_collection(*tiny), **{"rate": 50, **wrong}) == message


def test_rate_when_below_one_and_with_its_sign_then_is_per_cent():
    collection = collection_of([(1000, 2000, 0)])
    for rate, counts in (("0.5%", (5, 10)), ("20 %", (200, 400)), (1, (10, 20)), (0, (1, 10))):
        (grades,) = reduce(collection, rate=rate)
        assert kept(collection, grades)[0][:2] == counts


def test_reduction_when_unknown_then_refused_with_the_nearest_names(tiny):
    with pytest.raises(UnknownName, match="unknown reduction 'stratifed'; nearest: stratified"):
        reduce(read_collection(*tiny), "stratifed", rate=50)
