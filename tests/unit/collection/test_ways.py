"""Input in the structures of other programs, and output in TREC's formats."""

import sys
from collections import OrderedDict, namedtuple
from fractions import Fraction

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from irmeval import Collection, IrmevalError, ReadError, evaluate, read_collection, reduce
from irmeval.cli import main
from irmeval.collection.base import build
from irmeval.reading import foreign, parsing
from irmeval.reading.sources import read_qrels
from irmeval.report import exports
from tests.cases import refusal, settled_run
from tests.conftest import TINY_QRELS, TINY_RUNS

JUDGED = {"1": {"a": 1, "b": 0}, "2": {"a": 2}}
LISTS = {"x": {"1": {"b": 0.5, "a": 2}, "2": {"c": 1, "a": 0.25}}, "y": {"1": {"a": 1}}}


def nested():
    """The small collection on disk, as dictionaries."""
    qrels: dict[str, dict[str, int]] = {}
    for line in TINY_QRELS.splitlines():
        topic, _, document, grade = line.split()
        qrels.setdefault(topic, {})[document] = int(grade)
    runs = {
        run: {t: {d: 100.0 - r for r, d in enumerate(text.split(), 1)} for t, text in lists.items()}
        for run, lists in TINY_RUNS.items()
    }
    return qrels, runs


def test_dictionaries_when_joined_then_same_collection_as_from_files(tiny):
    files, made = read_collection(*tiny), Collection.from_dicts(*nested())
    assert sorted(files.runs) == sorted(made.runs)
    again = Collection.from_dicts(nested()[0], {run: nested()[1][run] for run in files.runs})
    assert again.fingerprint == files.fingerprint


def test_dictionaries_when_a_policy_is_given_then_it_holds():
    by_score, by_place = (
        Collection.from_dicts(JUDGED, LISTS, order=order) for order in ("trec_eval", "file")
    )
    assert evaluate(by_score, ["RR"]).values[0, 0].tolist() == [1, 0.5]
    assert evaluate(by_place, ["RR"]).values[0, 0].tolist() == [0.5, 0.5]


def rows(lists, **names):
    """Topic -> document -> value as rows, with the names of their columns."""
    row = namedtuple("row", names.get("columns", "query_id doc_id score"))
    return [
        row(topic, document, value)
        for topic, values in lists.items()
        for document, value in values.items()
    ]


class OfRanx:
    """What irmeval asks of a `Qrels` or `Run` of ranx."""

    def __init__(self, lists, name=None):
        self.lists, self.name = lists, name

    def to_dict(self):
        return self.lists


FRAME, GRADES = pd.DataFrame(rows(LISTS["x"])), pd.DataFrame(rows(JUDGED))
WAYS = {
    "rows of ir_measures": lambda: Collection.from_frames(
        rows(JUDGED, columns="query_id doc_id relevance"), {"x": rows(LISTS["x"])}
    ),
    "rows, made one by one": lambda: Collection.from_frames(
        iter(rows(JUDGED, columns="query_id doc_id relevance")), {"x": FRAME}
    ),
    "BEIR": lambda: Collection.from_frames(
        *(
            pd.DataFrame(rows(lists)).set_axis(["query-id", "corpus-id", "score"], axis=1)
            for lists in (JUDGED, LISTS["x"])
        )
    ),
    "Arrow": lambda: Collection.from_frames(pa.table(GRADES), {"x": pa.table(FRAME)}),
    "texts as objects": lambda: Collection.from_frames(
        GRADES.astype(object), {"x": FRAME.astype(object)}
    ),
    "topics as numbers": lambda: Collection.from_frames(
        GRADES.astype({"query_id": int}), {"x": FRAME}
    ),
    "categories": lambda: Collection.from_frames(
        GRADES.astype({"doc_id": "category"}), {"x": FRAME}
    ),
    "topics and documents in the index": lambda: Collection.from_frames(
        GRADES.set_index(["query_id", "doc_id"]), {"x": FRAME.set_index([*FRAME.columns[:2]])}
    ),
    "ranx, named by itself": lambda: Collection.from_dicts(OfRanx(JUDGED), OfRanx(LISTS["x"], "x")),
    "ranx, in a list": lambda: Collection.from_dicts(OfRanx(JUDGED), [OfRanx(LISTS["x"], "x")]),
    "ranx, by name": lambda: Collection.from_dicts(OfRanx(JUDGED), {"x": OfRanx(LISTS["x"])}),
}


@pytest.mark.parametrize("way", WAYS)
def test_structures_of_other_programs_when_joined_then_equal_the_dictionaries(way):
    made = WAYS[way]()
    assert made.runs == (("run",) if way == "BEIR" else ("x",))
    by_hand = Collection.from_dicts(JUDGED, {made.runs[0]: LISTS["x"]})
    assert made.fingerprint == by_hand.fingerprint


def test_frames_when_read_then_no_text_is_looked_at_by_python(monkeypatch):
    class Column(pd.Series):
        def __iter__(self):
            raise AssertionError

    frame = pd.DataFrame(rows(LISTS["x"])).astype({"query_id": "str", "doc_id": "str"})
    monkeypatch.setattr(pd.DataFrame, "_constructor_sliced", Column)
    assert foreign.run_from_frame("x", frame)[0].documents.to_pylist() == ["b", "a", "c", "a"]


IN_FRAMES = "Give qrels and runs to irmeval.Collection.from_frames(qrels, runs)."
IN_DICTS = "Give qrels and runs to irmeval.Collection.from_dicts(qrels, runs)."
IN_FILES = "Give qrels and runs to irmeval.read_collection(qrels, runs)."


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: Collection.from_dicts(
                JUDGED, [OfRanx(LISTS["x"], "x"), OfRanx(LISTS["x"], "x")]
            ),
            (
                "runs: expected runs of different names, found two of one name. Give them by name:"
                " {'bm25': run}."
            ),
        ),
        (
            lambda: read_collection(FRAME, "runs"),
            f"qrels: expected a file, found a data frame. {IN_FRAMES}",
        ),
        (
            lambda: read_collection("sample_data/qrels.txt.gz", FRAME),
            f"runs: expected a file, found a data frame. {IN_FRAMES}",
        ),
        (
            lambda: read_collection("sample_data/qrels.txt.gz", [FRAME]),
            f"runs: expected a file, found a data frame. {IN_FRAMES}",
        ),
        (
            lambda: read_collection("sample_data/qrels.txt.gz", LISTS),
            f"runs: expected a file, found a dictionary. {IN_DICTS}",
        ),
        (
            lambda: read_collection("sample_data/qrels.txt.gz", [7]),
            "runs: expected a file, found 7.",
        ),
        (
            lambda: read_qrels(7),
            "qrels: expected a file, a dictionary or a data frame, found 7.",
        ),
        (
            lambda: read_collection(JUDGED, "runs"),
            f"qrels: expected a file, found a dictionary. {IN_DICTS}",
        ),
        (
            lambda: read_collection(read_qrels(JUDGED), "runs"),
            f"qrels: expected a file, found qrels. {IN_DICTS}",
        ),
        (
            lambda: Collection.from_frames("qrels.txt", {}),
            f"qrels: expected a data frame, found a file. {IN_FILES}",
        ),
        (
            lambda: Collection.from_frames(JUDGED, {}),
            f"qrels: expected a data frame, found a dictionary. {IN_DICTS}",
        ),
        (lambda: Collection.from_frames(GRADES, {"x": 7}), "x: expected a data frame, found 7."),
        (
            lambda: Collection.from_frames(GRADES, [("1", "a", 2.0)]),
            "run: expected a data frame, or rows that are named tuples, found rows of type tuple.",
        ),
        (
            lambda: Collection.from_dicts(FRAME, LISTS),
            f"qrels: expected a dictionary, found a data frame. {IN_FRAMES}",
        ),
        (
            lambda: Collection.from_dicts(JUDGED, LISTS["x"]),
            (
                "runs: expected run -> topic -> document -> score, found topic -> document ->"
                " score. A run needs a name: {'bm25': run}."
            ),
        ),
        (
            lambda: Collection.from_frames(GRADES.assign(doc_id=["a", None, "b"]), FRAME),
            "qrels: expected a topic and a document in each row, found an empty cell in row 2.",
        ),
        (
            lambda: Collection.from_frames(
                GRADES, FRAME.astype(object).assign(query_id=[1, 1, np.nan, 2])
            ),
            "run: expected a topic and a document in each row, found an empty cell in row 3.",
        ),
    ],
)
def test_form_when_it_is_for_another_way_then_the_error_names_that_way(call, message):
    assert refusal(IrmevalError, call) == message


@pytest.mark.parametrize(
    ("qrels", "runs", "message"),
    [
        ({}, LISTS, "qrels: expected topics with documents, found none."),
        (JUDGED, {"x": {"1": {}}}, "x: expected topics with documents, found none."),
        (
            JUDGED,
            {"x": {"1": {"a": 10**400}}},
            f"x: expected numbers as grades or scores, found 1{'0' * 79}... for '1, a'. Fix or"
            " remove it.",
        ),
        (
            JUDGED,
            {"x": {"1": {"b": 1.0, "a": True}}},
            "x: expected numbers as grades or scores, found True for '1, a'. Fix or remove it.",
        ),
        (
            {"1": {"a": 0.5}},
            LISTS,
            (
                "qrels: expected whole numbers as grades, found fractions or infinite numbers."
                " Map them to levels 0, 1, 2, ..."
            ),
        ),
        (
            JUDGED,
            {"x": {"1": {"a": "high"}}},
            "x: expected numbers as grades or scores, found 'high' for '1, a'. Fix or remove it.",
        ),
        (
            JUDGED,
            {"x": {"1": {"a": float("nan")}}},
            "x: expected a score that is a number, found NaN. Give every document a score.",
        ),
    ],
)
def test_dictionaries_when_at_fault_then_refused(qrels, runs, message):
    assert refusal(ReadError, Collection.from_dicts, qrels, runs) == message


NUMBERS = {
    "whole numbers": int,
    "NumPy's": np.float32,
    "fractions": Fraction,
    "arrays of one": np.array,
}


@pytest.mark.parametrize("kind", NUMBERS)
@pytest.mark.parametrize("key", [str, int, np.str_])
def test_dictionaries_when_of_unusual_types_then_read_as_those_of_texts_and_floats(kind, key):
    scores = {"7": {"3": 2.0, "5": 4.0, "4": 3.0}, "12": {"3": 1.0}}
    unusual = {
        key(topic): OrderedDict((key(d), NUMBERS[kind](int(s))) for d, s in of_topic.items())
        for topic, of_topic in scores.items()
    }
    judged = {"7": {"4": 1, "5": 0}, "12": {"3": 2}}
    made, expected = (Collection.from_dicts(judged, {"x": run}) for run in (unusual, scores))
    assert made.fingerprint == expected.fingerprint


def test_dictionary_when_in_another_order_of_documents_then_judgments_are_sorted():
    judged = {"10": {"b": 1, "é": 0, "a": 2}, "2": {"c": 0}, "none": {}}
    qrels = read_qrels(judged)
    assert qrels.topics == ("2", "10")
    assert qrels.documents.to_pylist() == ["c", "a", "b", "é"]
    assert qrels.grade.tolist() == [0, 2, 1, 0]


# ---------------------------------------------------------------- ir_datasets


def test_ir_datasets_when_installed_then_an_id_stands_for_a_qrels_file(
    datasets, tmp_path, run_command
):
    found = read_qrels("irds:tiny")
    assert (found.topics, found.documents.to_pylist(), found.grade.tolist()) == (
        ("1", "2"),
        ["a", "b", "a"],
        [1, 0, 2],
    )
    (tmp_path / "r").write_text("1 Q0 a 1 1 t\n")
    assert "t,RR,all,0.5" in run_command("evaluate", "irds:tiny", tmp_path / "r", "-m", "RR").out


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (
            "irds:nothing",
            "of ir_datasets that has qrels, found no dataset with this id. Look its id up.",
        ),
        (
            "irds:documents-only",
            "of ir_datasets that has qrels, found a dataset without qrels. Look its id up.",
        ),
        (
            "irds:far-away",
            (
                "that can be downloaded, found an error: 'no network'. Is there a network?"
                " Otherwise give a qrels file."
            ),
        ),
    ],
)
def test_ir_datasets_when_the_id_has_no_qrels_or_there_is_no_network_then_says_which(
    datasets, name, said
):
    assert refusal(ReadError, read_qrels, name) == f"{name}: expected a dataset {said}"


def test_ir_datasets_when_a_dataset_has_no_judgment_then_says_so(datasets):
    name = "irds:without-a-judgment"
    said = f"{name}: expected at least one judgment, found none."
    assert refusal(ReadError, read_qrels, name) == said


def test_ir_datasets_when_not_installed_then_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    with pytest.raises(
        ReadError, match="expected the package ir_datasets, found a Python without it"
    ):
        read_qrels("irds:vaswani")


# ---------------------------------------------------------------- ways out


def test_condensed_run_when_scored_then_is_what_the_prime_sees(tiny):
    collection = read_collection(*tiny)
    qrels = read_qrels(tiny[0])
    for run in collection.runs:
        again = build(qrels, [settled_run(run, exports.condensed_run(collection, run).encode())])
        primes, plain = evaluate(collection, ["AP'", "nDCG'"]), evaluate(again, ["AP", "nDCG"])
        np.testing.assert_allclose(
            plain.values[:, 0], primes.values[:, collection.runs.index(run)], rtol=0, atol=1e-15
        )


def test_reduced_qrels_when_read_again_then_grades_are_those_of_the_reduction(tiny):
    collection = read_collection(*tiny)
    grades = reduce(collection, rate=30, seed=2)[0]
    again = parsing.settled_qrels("q", exports.reduced_qrels(collection, grades).encode())
    assert again.grade.tolist() == grades.tolist()
    assert again.documents.to_pylist() == collection.documents.to_pylist()


def test_scores_when_written_as_trec_eval_prints_them_then_hold_each_topic_and_the_mean(tiny):
    collection = read_collection(*tiny)
    rows = [
        line.split("\t")
        for line in exports.trec_scores(evaluate(collection, ["AP", "P@2"])).splitlines()
    ]
    assert [row[2] for row in rows if row[0].strip() == "runid"] == list(collection.runs)
    assert len(rows) == 3 * (1 + 2 * 3 + 2)  # topic 3 has nothing relevant
    assert rows[1] == [f"{'AP':<22}", "1", f"{evaluate(collection, ['AP']).values[0, 0, 0]:.4f}"]


def test_commands_when_asked_for_trec_formats_then_they_print_them(tiny, capsys, run_command):
    qrels, runs = map(str, tiny)
    condensed = run_command("condense", qrels, runs).out.splitlines()
    assert condensed[0] == "1 Q0 n1 1 1.0 example"
    assert len(condensed) == sum(len(line.split()) == 6 for line in condensed)
    assert run_command("evaluate", qrels, runs, "-m", "AP", "--format", "trec").out.startswith(
        "runid                 \tall\texample\n"
    )
    main(["reduce", qrels, runs, "--method", "shallow", "--pool", "1"])
    kept = [
        line.split() for line in capsys.readouterr().out.splitlines() if not line.endswith("-1")
    ]
    assert {(topic, document) for topic, _, document, _ in kept} == {
        ("1", "n1"),
        ("1", "S1"),
        ("2", "A1"),
        ("2", "S1"),
        ("3", "n1"),
        ("3", "n2"),
        ("4", "A1"),
    }
