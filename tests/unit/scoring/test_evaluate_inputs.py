"""What `evaluate` takes as measures and as grades, and how it refuses the rest."""

import numpy as np
import pytest

from irmeval import ParamError, evaluate, read_collection, reduce
from tests.cases import refusal


@pytest.fixture
def collection(tiny):
    return read_collection(*tiny)


@pytest.mark.parametrize("text", ["AP", "nDCG(base=2)@5'", "P@10"])
def test_measure_when_given_alone_then_is_one_measure(collection, text):
    alone, listed = evaluate(collection, text), evaluate(collection, [text])
    assert alone.measures == listed.measures == (text,)
    np.testing.assert_array_equal(alone.values, listed.values)
    assert evaluate(collection, listed.measures[0]).measures == (text,)


@pytest.mark.parametrize("wrong", [5, None, ["AP"]])
def test_measure_when_it_is_no_text_then_refused_in_words(collection, wrong):
    with pytest.raises(ParamError, match="expected a measure as text, such as AP, found"):
        evaluate(collection, ["AP", wrong])


@pytest.mark.parametrize(
    "kind", [list, tuple, np.array, lambda g: np.array(g, float), lambda g: np.array(g, np.int64)]
)
def test_grades_when_given_as_any_row_of_whole_numbers_then_score_alike(collection, kind):
    for grades in (collection.grade, *reduce(collection, rate=30, seed=2)):
        expected = evaluate(collection, ["AP", "nDCG"], grades=grades).values
        np.testing.assert_array_equal(
            evaluate(collection, ["AP", "nDCG"], grades=kind(grades.tolist())).values, expected
        )


ONE_EACH = "grades: expected 15, one per judgment, found "
WHOLE = "grades: expected whole numbers, found "
UP_TO = "grades: expected whole numbers up to 3, the highest grade of the qrels, found "


@pytest.mark.parametrize(
    ("grades", "message"),
    [
        ([1] * 14, ONE_EACH + "14."),
        ([], ONE_EACH + "0."),
        (2, ONE_EACH + "a single value."),
        ([[1] * 15, [0] * 15], ONE_EACH + "2 x 15. Give one row of them."),
        ([[1], [1, 2]], ONE_EACH + "lists in a list. Give one of them."),
        ([*[1] * 14, "2"], WHOLE + "'1'."),
        ([*[1] * 14, None], WHOLE + "None."),
        ([True] * 15, WHOLE + "True."),
        ([*[1] * 14, 0.5], UP_TO + "0.5."),
        ([*[1] * 14, float("nan")], UP_TO + "nan."),
        ([*[1] * 14, float("inf")], UP_TO + "inf."),
        ([*[1] * 14, 4], UP_TO + "4."),
    ],
)
def test_grades_when_they_are_no_row_of_whole_numbers_then_refused_in_words(
    collection, grades, message
):
    assert refusal(ParamError, evaluate, collection, "AP", grades=grades) == message
