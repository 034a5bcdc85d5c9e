"""What holds for every reduction in the registry."""

import itertools
import math
import random

import numpy as np
import pytest

from irmeval import REDUCTIONS, reduce
from irmeval.collection.base import build
from irmeval.reading import parsing
from irmeval.reductions import DROPPED, draw, rate_reductions
from tests.cases import settled_run
from tests.conftest import run_lines
from tests.unit.scoring.test_evaluate_parity import collect

LEVELS = {"rate": (50, 29, 10), "pool": (8, 3, 1), "teams": (5, 3, 1), "budget": (50.0, 29.0, 10.0)}
"""By the name of the axis, levels that keep less and less of `QRELS`."""
EVERY = pytest.mark.parametrize("name", REDUCTIONS)

DOCUMENTS = ["d10", "d9", "D2", "é", *(f"x{i}" for i in range(96))]
QRELS = [
    f"{topic} 0 {document} {i % 8 - 2}\n"
    for topic in ("10", "9", "2")
    for i, document in enumerate(DOCUMENTS)
]
RUNS = {
    f"{team}{i}": {
        t: " ".join(random.Random(f"{team}{i}{t}").sample(DOCUMENTS, 20)) for t in ("2", "9", "10")
    }
    for team in ("ab", "c", "d", "e", "f", "gh")
    for i in (1, 2)
}


def collection_of(lines):
    runs = [
        settled_run(name, run_lines(name, rankings).encode()) for name, rankings in RUNS.items()
    ]
    return build(parsing.settled_qrels("qrels", "".join(lines).encode()), runs)


@pytest.fixture(scope="module")
def collection():
    return collection_of(QRELS)


@pytest.fixture(scope="module")
def shuffled():
    return [collection_of(random.Random(shuffle).sample(QRELS, len(QRELS))) for shuffle in range(3)]


def trials(collection, name, level, **how):
    return reduce(collection, name, **{REDUCTIONS[name].axis.name: level}, **how)


@EVERY
def test_reduction_when_in_the_registry_then_gives_grades_and_says_what_it_is(collection, name):
    for level in LEVELS[REDUCTIONS[name].axis.name]:
        grades = trials(collection, name, level, trials=3, seed=3)
        assert (grades.dtype, grades.shape) == (np.int8, (3, collection.grade.size))
        assert np.all(
            (grades == collection.grade) | ((grades == DROPPED) & (collection.grade >= 0))
        )
    assert REDUCTIONS[name].meaning
    assert REDUCTIONS[name].source


@EVERY
def test_level_when_lower_then_keeps_less_and_a_subset_in_the_same_trial(collection, name):
    if not REDUCTIONS[name].nested:
        pytest.skip("samples of such probabilities cannot be nested")
    for trial in (1, 2, 3):
        drawn = draw(collection, name, LEVELS[REDUCTIONS[name].axis.name], trial, 5) >= 0
        for higher, lower in itertools.pairwise(drawn):
            assert np.all(higher >= lower)
            assert higher.sum() > lower.sum() > 0


@EVERY
def test_samples_when_trial_or_seed_is_another_then_differ_if_the_reduction_is_random_and_only_then(
    collection, name
):
    for level in LEVELS[REDUCTIONS[name].axis.name]:
        drawn = [
            grades.tobytes()
            for seed in (1, 2)
            for grades in trials(collection, name, level, trials=10, seed=seed)
        ]
        again = [
            grades.tobytes()
            for seed in (1, 2)
            for grades in trials(collection, name, level, trials=10, seed=seed)
        ]
        fewer = [grades.tobytes() for grades in trials(collection, name, level, trials=3, seed=2)]
        assert drawn == again
        assert drawn[10:13] == fewer
        # three of six teams are 20 sets, one of six is 6: some of 10 draws are alike, few of them
        # if the draws are random
        likely = min(10, math.comb(6, level)) if REDUCTIONS[name].axis.name == "teams" else 10
        different = [len(set(drawn[:10])), len(set(drawn[10:]))]
        assert min(different) > likely / 2 if REDUCTIONS[name].random else different == [1, 1]
        assert (drawn[:10] != drawn[10:]) == REDUCTIONS[name].random


OTHER = {
    "pool": (1, 5),
    "team_rule": ("letters", "3"),
    "rounding": ("floor", "ceil"),
    "least_relevant": (0, 40),
    "least_nonrelevant": (0, 1000),
    "bounds": ("10,50", "1,2"),
    "weights": ("4,2,1", "1,1,1"),
    "memory": (0, 1),
    "beta": (0.1, 0.9),
    "p": (0.5, 0.9),
    "variant": ("A", "C"),
    "by": ("borda", "reciprocal-rank"),
    "k": (0, 60),
}
"""Two values of each parameter."""


@pytest.mark.parametrize(
    ("name", "param"), [(name, param) for name, r in REDUCTIONS.items() for param in r.params]
)
def test_parameter_when_it_has_another_value_then_samples_differ(collection, name, param):
    axis = REDUCTIONS[name].axis.name
    one, other = (
        trials(
            collection,
            name,
            LEVELS[axis][-1] + {"rate": 0.5, "budget": 20}.get(axis, 0),
            **{param: value},
        )
        for value in OTHER[param]
    )
    assert not np.array_equal(one, other)


@EVERY
def test_samples_when_the_lines_of_the_qrels_are_shuffled_then_are_of_the_same_documents(
    collection, shuffled, name
):
    def kept(collection, level):
        names = [
            (collection.topics[t], d)
            for t, d in zip(collection.topic, collection.documents.to_pylist(), strict=True)
        ]
        return [
            {n: int(g) for n, g in zip(names, grades, strict=True)}
            for grades in trials(collection, name, level, trials=3, seed=4)
        ]

    for level in LEVELS[REDUCTIONS[name].axis.name]:
        expected = kept(collection, level)
        assert [kept(other, level) for other in shuffled] == [expected] * 3


SIZES = (*range(1, 101), 250, 300, 999, 1000)
ROUND = {
    "floor": lambda n: n // 1000,
    "ceil": lambda n: -(-n // 1000),
    "half-up": lambda n: (n + 500) // 1000,
}
"""Of thousandths, in whole numbers."""


@pytest.mark.parametrize("rounding", ROUND)
@pytest.mark.parametrize(
    "name", [name for name in rate_reductions() if "rounding" in REDUCTIONS[name].params]
)
def test_rate_when_a_share_is_whole_but_for_floating_point_then_counts_are_of_exact_arithmetic(
    name, rounding
):
    judgments = {str(t): {f"d{i}": 1 for i in range(size)} for t, size in enumerate(SIZES, 1)}
    relevant = collect(judgments, {"run": {"1": {"d0": 1.0}}})
    kept = (
        draw(relevant, name, [f"{n / 10}%" for n in range(1, 1001)], 1, 1, rounding=rounding) >= 0
    )
    counts = np.add.reduceat(kept, np.cumsum([0, *SIZES[:-1]]), axis=1, dtype=int)
    np.testing.assert_array_equal(
        counts, np.maximum(1, ROUND[rounding](np.outer(range(1, 1001), SIZES)))
    )
