"""What `evaluate` takes as measures and as grades, and how it refuses the rest."""

from dataclasses import replace
from types import MappingProxyType

import numpy as np
import pandas as pd
import pytest

from irmeval import (
    EXPERIMENTS,
    METRICS,
    Collection,
    ParamError,
    ReadError,
    UnknownName,
    estimate,
    estimate_with,
    evaluate,
    read_collection,
    read_qrels,
    reduce,
)
from irmeval.check.field import ScoredRuns
from irmeval.metrics import measure
from irmeval.papers.on_collections import compare_collections
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


@pytest.mark.parametrize("none", [list, tuple, str, lambda: " ", lambda: iter(())])
@pytest.mark.parametrize(
    "call",
    [
        lambda collection, none: evaluate(JUDGED, RUN, none),
        evaluate,
        lambda collection, none: evaluate(collection, measures=none),
        lambda collection, none: evaluate(collection, metrics=none),
        EXPERIMENTS["leaderboard"],
        lambda collection, none: compare_collections({"a": collection, "b": collection}, none),
        estimate,
        lambda collection, none: estimate_with(collection, none, "other"),
        ScoredRuns.of,
    ],
)
def test_measures_when_there_are_none_then_refused_in_words(collection, call, none):
    with pytest.raises(ParamError, match="measures: expected at least one, such as AP, found none"):
        call(collection, none())


@pytest.mark.parametrize(
    ("name", "is_there"),
    [
        ("AP", True),
        ("map", True),
        ("ndcg_cut_10", True),
        (measure("AP"), True),
        ("bm25", True),  # a run
        ("AP@10", False),
        ("P@5,10", False),
        ("", False),
        (None, False),
        (3, False),
    ],
)
def test_name_when_looked_for_in_scores_then_is_there_if_it_can_be_looked_up(name, is_there):
    scores = evaluate(Collection.from_dicts(JUDGED, {"bm25": RUN}), ["AP", "nDCG@10", "P@10"])
    assert (name in scores) == is_there
    if is_there:
        assert scores[name].notna().all()
    else:
        assert "unknown measure" in refusal(UnknownName, scores.__getitem__, name)


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


JUDGED = {"1": {"a": 1, "b": 0, "c": 2}, "2": {"a": 0, "d": 1}}
RUN = {"1": {"b": 0.5, "c": 0.5, "x": 3}, "2": {"d": 1, "a": 2.0}, "9": {"a": 1}}


def as_rows(lists, name):
    rows = [(t, d, value) for t, of_topic in lists.items() for d, value in of_topic.items()]
    return pd.DataFrame(rows, columns=["qid", "docno", name])


FORMS = {
    "dictionaries": lambda: (JUDGED, RUN),
    "frames": lambda: (as_rows(JUDGED, "label"), as_rows(RUN, "score")),
    "a dictionary prepared once": lambda: (read_qrels(JUDGED), RUN),
    "a frame prepared once": lambda: (read_qrels(as_rows(JUDGED, "label")), RUN),
    "prepared qrels, a frame": lambda: (read_qrels(JUDGED), as_rows(RUN, "score")),
}


@pytest.mark.parametrize("form", FORMS)
def test_run_in_memory_when_scored_by_qrels_then_as_in_a_collection(form):
    qrels, run = FORMS[form]()
    measures = ["AP", "nDCG", "AP'"]
    expected = evaluate(Collection.from_dicts(JUDGED, {"run": RUN}), measures)
    for scores in (evaluate(qrels, run, measures), evaluate(qrels, run, measures=measures)):
        assert (scores.runs, scores.topics) == (("run",), expected.topics)
        np.testing.assert_array_equal(scores.values, expected.values)


def test_prepared_qrels_when_joined_with_runs_then_make_that_of_their_dictionary():
    prepared, rows = read_qrels(JUDGED), {"x": as_rows(RUN, "score")}
    expected = Collection.from_dicts(JUDGED, {"x": RUN}).fingerprint
    assert Collection.from_dicts(prepared, {"x": RUN}).fingerprint == expected
    assert Collection.from_frames(prepared, rows).fingerprint == expected


def test_qrels_when_read_with_duplicates_accepted_then_score_a_run(tmp_path):
    (tmp_path / "q").write_text("1 0 a 1\n1 0 a 1\n")
    qrels = read_qrels(tmp_path / "q", "first")
    scores = evaluate(qrels, {"1": {"a": 1.0}}, "RR")
    assert scores.means.tolist() == [[1.0]]
    assert scores.note == "1 judgment duplicated with the same grade: the first is kept."
    with pytest.raises(ReadError, match="each judgment once per topic"):
        evaluate(as_rows({"1": {"a": 1}}, "label").iloc[[0, 0]], {"1": {"a": 1.0}}, "RR")


NAMELESS = "expected a topic and a document in each row, found an empty cell in row 2"


@pytest.mark.parametrize(
    ("document", "found"),
    [(None, NAMELESS), ("", NAMELESS), ("\ud800", "found half of a surrogate pair")],
)
@pytest.mark.parametrize("form", ["a dictionary", "rows"])
def test_document_when_it_has_no_name_then_refused_in_words(document, found, form):
    run = {"1": {"a": 1, document: 2}}
    if form == "rows":
        columns = {"qid": ["1", "1"], "docno": ["a", document], "score": [1, 2]}
        run = pd.DataFrame(columns, dtype=object)
    with pytest.raises(ReadError, match=found):
        evaluate(JUDGED, run, "RR")


def test_qrels_when_prepared_then_their_lookup_is_made_once():
    qrels = read_qrels(JUDGED)
    found = qrels.lookup
    evaluate(qrels, RUN, "RR")
    assert qrels.lookup is found
    assert replace(qrels, grade=qrels.grade).lookup is not found


BOTH = "expected evaluate(collection, measures) or evaluate(qrels, run, measures), found evaluate("
LEAVE_OUT = "A collection has its runs: leave out the run."
GIVE = "Give a run after the qrels."


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ((JUDGED, ["AP"]), f"a dictionary, ['AP']). {GIVE}"),
        ((JUDGED, "AP"), f"a dictionary, 'AP'). {GIVE}"),
        ((JUDGED,), f"a dictionary). {GIVE}"),
        ((JUDGED, ["AP"], RUN), f"a dictionary, ['AP'], a dictionary). {GIVE}"),
        ((read_qrels(JUDGED), "AP"), f"qrels, 'AP'). {GIVE}"),
        ((RUN, read_qrels(JUDGED), "AP"), f"a dictionary, qrels, 'AP'). {GIVE}"),
    ],
)
def test_arguments_when_the_run_is_missing_then_the_error_shows_both_forms(given, found):
    assert refusal(ParamError, evaluate, *given) == BOTH + found


def test_arguments_when_a_collection_and_a_run_then_the_error_shows_both_forms(collection):
    for given, found in (
        ((RUN, "AP"), "a dictionary, 'AP'"),
        ((RUN,), "a dictionary"),
        ((as_rows(RUN, "score"),), "a data frame"),
        (("AP", "RR"), "'AP', 'RR'"),
    ):
        error = refusal(ParamError, evaluate, collection, *given)
        assert error == f"{BOTH}a collection, {found}). {LEAVE_OUT}"


def in_another_way(lists):
    """The same lists in a mapping that is no plain dictionary, which is read whole."""
    return MappingProxyType({topic: MappingProxyType(each) for topic, each in lists.items()})


def drawn_lists(seed):
    """Judgments and a run of any shape, with ties, unknown and missing topics, and names
    whose order as text differs from that in the dictionary.
    """
    draw = np.random.default_rng(seed)
    topics = [f"t{number}" for number in draw.permutation(12)]
    names = [f"{letter}{number}" for letter in "aZé一\U0001f600" for number in range(240)]
    levels = draw.choice([2, 5, 10**6])
    judged: dict = {}
    run: dict = {}
    for topic in topics[:10]:
        of_topic = draw.permutation(names)[: draw.integers(1, 300)].tolist()
        grades = draw.integers(-1, 4, len(of_topic)).tolist()
        judged[topic] = dict(zip(of_topic, grades, strict=True))
    for topic in topics[2:]:
        of_topic = draw.permutation(names)[: draw.integers(0, 1200)].tolist()
        scores = draw.integers(0, levels, len(of_topic)) / 7
        run[topic] = dict(zip(of_topic, scores.tolist(), strict=True))
    return judged, run


@pytest.mark.parametrize("seed", range(6))
def test_run_when_judgments_are_looked_up_in_it_then_every_metric_is_that_of_the_collection(seed):
    judged, run = drawn_lists(seed)
    measures = [*(metric.example for metric in METRICS.values()), "AP", "nDCG", "AP'", "nDCG'"]
    expected = evaluate(Collection.from_dicts(judged, {"run": run}), measures)
    given = (judged, run), (read_qrels(judged), run), (judged, in_another_way(run))
    for qrels, lists in given:
        scores = evaluate(qrels, lists, measures)
        assert (scores.topics, scores.note) == (expected.topics, expected.note)
        np.testing.assert_array_equal(scores.values, expected.values)


def test_grades_when_given_for_qrels_in_memory_then_are_those_of_the_sorted_judgments():
    run = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}
    for qrels in ({"1": {"c": 0, "a": 0, "b": 1}}, read_qrels({"1": {"c": 0, "a": 0, "b": 1}})):
        assert evaluate(qrels, run, "RR", grades=[0, 0, 1]).means.tolist() == [[1 / 3]]
