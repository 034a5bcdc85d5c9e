"""Ways in from other programs' structures, and ways out in TREC's formats."""

import sys

import numpy as np
import pytest

from irmeval import Collection, ReadError, evaluate, read_collection, reduce
from irmeval.cli import main
from irmeval.collection.base import build
from irmeval.reading import trec
from irmeval.reading.judgments import read_qrels
from irmeval.report import exports
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
        run: {t: {d: 100.0 - r for r, d in enumerate(text.split(), 1)} for t, text in lists.items()} for run, lists in TINY_RUNS.items()
    }
    return qrels, runs


def test_dictionaries_when_joined_then_same_collection_as_from_files(tiny):
    files, made = read_collection(*tiny), Collection.from_dicts(*nested())
    assert sorted(files.runs) == sorted(made.runs)
    again = Collection.from_dicts(nested()[0], {run: nested()[1][run] for run in files.runs})
    assert again.fingerprint == files.fingerprint


def test_dictionaries_when_a_policy_is_given_then_it_holds():
    by_score, by_place = (Collection.from_dicts(JUDGED, LISTS, order=order) for order in ("trec_eval", "file"))
    assert evaluate(by_score, ["RR"]).values[0, 0].tolist() == [1, 0.5]
    assert evaluate(by_place, ["RR"]).values[0, 0].tolist() == [0.5, 0.5]


@pytest.mark.parametrize(
    ("qrels", "runs", "message"),
    [
        ({}, LISTS, "qrels: expected topics with documents, found an empty dictionary."),
        (JUDGED, {"x": {"1": {}}}, "x: expected topics with documents, found an empty dictionary."),
        ({"1": {"a": 0.5}}, LISTS, "qrels: expected whole numbers as grades, found fractions or NaN. Map them to levels 0, 1, 2, ..."),
        (JUDGED, {"x": {"1": {"a": "high"}}}, "x: expected numbers as grades or scores, found something else."),
        (JUDGED, {"x": {"1": {"a": float("nan")}}}, "x: expected a score that is a number, found NaN. Give every document a score."),
    ],
)
def test_dictionaries_when_at_fault_then_refused(qrels, runs, message):
    with pytest.raises(ReadError) as caught:
        Collection.from_dicts(qrels, runs)
    assert str(caught.value) == message


# ---------------------------------------------------------------- ir_datasets


def test_ir_datasets_when_installed_then_an_id_stands_for_a_qrels_file(datasets, tmp_path, capsys):
    found = read_qrels("irds:tiny")
    assert (found.topics, found.documents.to_pylist(), found.grade.tolist()) == (("1", "2"), ["a", "b", "a"], [1, 0, 2])
    (tmp_path / "r").write_text("1 Q0 a 1 1 t\n")
    main(["evaluate", "irds:tiny", str(tmp_path / "r"), "-m", "RR"])
    assert "t,RR,all,0.5" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "came"),
    [("irds:nothing", "an error: \"'nothing'\""), ("irds:documents-only", "an error"), ("irds:far-away", "an error: 'no network'")],
)
def test_ir_datasets_when_the_id_has_no_qrels_then_refused(datasets, name, came):
    with pytest.raises(ReadError) as caught:
        read_qrels(name)
    assert str(caught.value).startswith(f"{name}: expected a dataset of ir_datasets that has qrels, found {came}")


def test_ir_datasets_when_not_installed_then_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    with pytest.raises(ReadError, match="expected the package ir_datasets, found a Python without it"):
        read_qrels("irds:vaswani")


# ---------------------------------------------------------------- ways out


def test_condensed_run_when_scored_then_is_what_the_prime_sees(tiny):
    collection = read_collection(*tiny)
    qrels = read_qrels(tiny[0])
    for run in collection.runs:
        again = build(qrels, [trec.read_run(run, exports.condensed_run(collection, run).encode())])
        primes, plain = evaluate(collection, ["AP'", "nDCG'"]), evaluate(again, ["AP", "nDCG"])
        np.testing.assert_allclose(plain.values[:, 0], primes.values[:, collection.runs.index(run)], rtol=0, atol=1e-15)


def test_reduced_qrels_when_read_again_then_grades_are_those_of_the_reduction(tiny):
    collection = read_collection(*tiny)
    grades = reduce(collection, rate=0.3, seed=2)[0]
    again = trec.read_qrels("q", exports.reduced_qrels(collection, grades).encode())
    assert again.grade.tolist() == grades.tolist()
    assert again.documents.to_pylist() == collection.documents.to_pylist()


def test_scores_when_written_as_trec_eval_prints_them_then_hold_each_topic_and_the_mean(tiny):
    collection = read_collection(*tiny)
    rows = [line.split("\t") for line in exports.trec_scores(evaluate(collection, ["AP", "P@2"])).splitlines()]
    assert [row[2] for row in rows if row[0].strip() == "runid"] == list(collection.runs)
    assert len(rows) == 3 * (1 + 2 * 3 + 2)  # topic 3 has nothing relevant
    assert rows[1] == [f"{'AP':<22}", "1", f"{evaluate(collection, ['AP']).values[0, 0, 0]:.4f}"]


def test_commands_when_asked_for_trec_formats_then_they_print_them(tiny, capsys):
    qrels, runs = map(str, tiny)
    main(["condense", qrels, runs])
    condensed = capsys.readouterr().out.splitlines()
    assert condensed[0] == "1 Q0 n1 1 1.0 example"
    assert len(condensed) == sum(len(line.split()) == 6 for line in condensed)
    main(["evaluate", qrels, runs, "-m", "AP", "--format", "trec"])
    assert capsys.readouterr().out.startswith("runid                 \tall\texample\n")
    main(["reduce", qrels, runs, "--method", "shallow", "--pool", "1"])
    kept = [line.split() for line in capsys.readouterr().out.splitlines() if not line.endswith("-1")]
    assert {(topic, document) for topic, _, document, _ in kept} == {
        ("1", "n1"),
        ("1", "S1"),
        ("2", "A1"),
        ("2", "S1"),
        ("3", "n1"),
        ("3", "n2"),
        ("4", "A1"),
    }
