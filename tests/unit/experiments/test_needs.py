"""What experiments need of the data is checked before any work, and told in one wording."""

import numpy as np
import pytest

from irmeval.core.errors import ParamError
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.needs import ANY, PAIRS, Needs, count_scored
from irmeval.reading.score_matrix import Matrix
from tests.cases import collection
from tests.counted import made, measures_of
from tests.small_work import source

NEEDY = [name for name, e in EXPERIMENTS.items() if e.data and e.needs != ANY]


@pytest.mark.parametrize("name", NEEDY)
def test_work_when_the_data_are_too_few_then_is_refused_before_anything_is_computed(name):
    experiment, needs = EXPERIMENTS[name], EXPERIMENTS[name].needs
    assert experiment.work(source(experiment, made(2, 2)), measures_of(name)).measures is not None
    for runs, topics in [(1, 1), (1, 5), (2, 1)]:
        given = source(experiment, made(runs, topics)), measures_of(name)
        enough = runs >= needs.runs and topics >= needs.topics
        if enough or (needs.alone and runs == 1):
            experiment.work(*given)
            continue
        asked = "2 runs" + " and 2 topics with a score for every run" * (needs.topics > 0)
        found = "1 run" if runs == 1 else "2 runs and 1 topic"
        with pytest.raises(ParamError) as refused:
            experiment.work(*given)
        assert str(refused.value) == f"{name}: expected at least {asked}, found {found}."


@pytest.mark.parametrize("name", [name for name in NEEDY if EXPERIMENTS[name].needs.graded])
def test_work_when_no_measure_uses_grades_then_says_which_would(name):
    with pytest.raises(ParamError) as refused:
        EXPERIMENTS[name].work(made(2, 2), ["AP", "P@5"])
    assert str(refused.value) == (
        f"{name}: expected a measure that uses grades of relevance, such as nDCG or Q, found AP and"
        " P@5."
    )


def test_work_when_some_runs_are_picked_then_these_are_counted():
    matrix = Matrix("m", ("a", "b", "c"), ("1", "2"), np.ones((3, 2)))
    assert len(EXPERIMENTS["matrix"].work(matrix, only=["a", "b", "a"]).only) == 2
    with pytest.raises(ParamError, match="found 1 run"):
        EXPERIMENTS["matrix"].work(matrix, only=["b", "b"])


@pytest.mark.parametrize(("empty", "topics"), [("undefined", 1), ("zero", 3)])
def test_topics_when_nothing_in_them_is_relevant_then_the_policy_says_if_they_count(empty, topics):
    qrels = {"1": {"a": 1}, "2": {"a": 0}, "3": {"a": 0}}
    c = collection(qrels, {"run": {t: ["a"] for t in qrels}}, empty=empty)
    assert count_scored(c) == topics


def test_topics_when_a_matrix_has_none_of_their_scores_then_they_do_not_count():
    assert count_scored(Matrix("m", ("a",), ("1", "2"), np.array([[0.5, np.nan]]))) == 1


def test_needs_when_nothing_is_declared_then_one_run_is_enough():
    assert (Needs(1, 0), Needs(2, 2)) == (ANY, PAIRS)
