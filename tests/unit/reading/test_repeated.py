"""Files with repeated documents: refused by kind, or read by the first of each where
the policy says so; never where grades contradict.
"""

import json
import pickle
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from irmeval import Collection, ReadError, evaluate, read_collection
from irmeval.collection.base import build
from irmeval.core.errors import NOT_A_NUMBER
from irmeval.core.records import from_json, to_json
from irmeval.experiments import EXPERIMENTS
from irmeval.papers import PAPERS
from irmeval.reading import parsing
from irmeval.reading.faults import FilesRefused, examine, group_faults, rename_files
from irmeval.reading.policy import Policy
from irmeval.reading.sources import read_qrels
from irmeval.reading.trec import Fault, is_settled
from irmeval.report import paper_folder
from irmeval.report.overview import remarks
from irmeval.scoring.selection import Selection, select
from tests.cases import refusal, settled_run

QRELS = b"1 0 a 1\n1 0 b 0\n2 0 a 2\n"
ONCE = b"# of mine\n1 Q0 b 1 9 t\n1 Q0 a 2 8 t\n2 Q0 a 1 5 t\n"
TWICE = (
    b"# of mine\n1 Q0 b 1 9 t\n1 Q0 a 2 8 t\n1 Q0 b 3 7 t\n\n2 Q0 a 1 5 t\n2 Q0 a 2 9 t\n1 Q0 a 4"
    b" 9 t\n"
)
"""The same, with the first document of each topic repeated: with lower scores, and with
higher ones.
"""
FIRST = Policy(repeated="first")


def put(folder: Path, **texts: bytes) -> tuple[Path, Path]:
    """A qrels file, and a folder of runs."""
    (folder / "runs").mkdir()
    (folder / "qrels").write_bytes(texts.pop("qrels", QRELS))
    for name, text in texts.items():
        (folder / "runs" / name).write_bytes(text.replace(b" t\n", b" %s\n" % name.encode()))
    return folder / "qrels", folder / "runs"


def put_mixed(folder: Path) -> tuple[Path, Path]:
    """Runs of which two hold repeated documents, and one something that there is no
    reading of.
    """
    return put(folder, sound=ONCE, twice=TWICE, again=TWICE, words=ONCE.replace(b" 8 ", b" high "))


@pytest.fixture
def mixed(tmp_path: Path) -> tuple[Path, Path]:
    return put_mixed(tmp_path)


def test_run_when_the_first_is_kept_then_it_is_the_run_without_the_later_lines():
    kept, once = settled_run("r", TWICE, "first"), settled_run("r", ONCE)
    for field in ("topics", "tags"):
        assert getattr(kept, field) == getattr(once, field)
    assert kept.documents.to_pylist() == once.documents.to_pylist()
    assert kept.rank.to_pylist() == once.rank.to_pylist()
    assert kept.score.tolist() == once.score.tolist() == [9, 8, 5]
    assert kept.topic.tolist() == once.topic.tolist()
    (fault,) = kept.repeated
    assert (fault.lines, fault.first.line) == (3, 4)
    assert once.repeated == ()


def test_run_when_documents_repeat_and_nothing_is_said_then_refused_with_line_and_choice():
    assert (
        refusal(ReadError, settled_run, "r", TWICE)
        == "r, line 4: expected each document once per topic, found 'b' of topic '1' again (first"
        " on line 2). Remove one of them, or keep the first or the best: --repeated"
        " first or --repeated best, in Python repeated='first' or repeated='best'. Likewise lines 7"
        " and 8."
    )


def test_qrels_when_the_same_judgment_is_made_twice_then_kept_once_where_the_policy_says_so():
    text = QRELS + b"2 0 a 2\n1 0 b 0\n"
    with pytest.raises(ReadError, match="line 4: expected each judgment once per topic"):
        parsing.settled_qrels("q", text)
    kept, once = parsing.settled_qrels("q", text, "first"), parsing.settled_qrels("q", QRELS)
    assert kept.documents.to_pylist() == once.documents.to_pylist()
    assert kept.grade.tolist() == once.grade.tolist()
    assert [fault.lines for fault in kept.repeated] == [2]


def test_frames_when_a_row_repeats_another_then_the_policy_decides():
    qrels = pd.DataFrame({"qid": ["1", "1"], "docno": ["a", "a"], "label": [1, 1]})
    run = pd.DataFrame({"qid": ["1", "1", "1"], "docno": ["b", "a", "b"], "score": [2.0, 1.0, 0.5]})
    with pytest.raises(ReadError, match="each judgment once per topic"):
        Collection.from_frames(qrels, run)
    with pytest.raises(ReadError, match="each document once per topic"):
        Collection.from_frames(qrels.head(1), run)
    kept = Collection.from_frames(qrels, run, repeated="first")
    assert evaluate(kept, ["RR", "NumRet"]).values.ravel().tolist() == [0.5, 2]
    assert (kept.repeated, kept.rejudged) == ((1,), 1)


def test_join_when_a_run_was_read_under_another_policy_then_refused():
    with pytest.raises(ReadError, match="each document once"):
        build(parsing.settled_qrels("q", QRELS), [settled_run("r", TWICE, "first")])


def test_collection_when_the_first_is_kept_then_scores_are_those_of_the_files_without_repetitions(
    tmp_path,
):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    kept = read_collection(*put(tmp_path / "a", r=TWICE, s=ONCE), repeated="first")
    once = read_collection(*put(tmp_path / "b", r=ONCE, s=ONCE))
    assert kept.repeated == (3, 0)
    assert once.repeated == (0, 0)
    np.testing.assert_array_equal(
        evaluate(kept, ["AP", "NumRet"]).values, evaluate(once, ["AP", "NumRet"]).values
    )
    assert (
        "1 run of 2 with duplicate documents: the first is kept, 3 lines left out: r."
        in remarks(kept)
    )
    assert not [text for text in remarks(once) if "repeated" in text]


def test_fingerprint_when_lines_were_left_out_then_differs(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    made = [
        read_collection(*put(tmp_path / n, r=t), repeated="first").fingerprint
        for n, t in (("a", TWICE), ("b", ONCE))
    ]
    assert made[0] != made[1]


def test_selection_when_runs_are_left_out_then_what_was_left_out_of_the_others_is_still_known(
    tmp_path,
):
    qrels, runs = put(tmp_path, qrels=QRELS + b"1 0 a 1\n", r=TWICE, s=ONCE)
    everything = read_collection(qrels, runs, repeated="first")
    selected = select(everything, Selection(topics_only="1")).collection
    assert (selected.repeated, selected.rejudged) == (everything.repeated, 1)
    few = select(everything, Selection(topics_only="1", top_runs=1)).collection
    assert few.repeated == tuple(
        everything.repeated[everything.runs.index(run)] for run in few.runs
    )


# ---------------------------------------------------------------- many files


def test_files_when_several_are_at_fault_then_faults_of_a_kind_are_told_together(mixed):
    with pytest.raises(FilesRefused) as caught:
        read_collection(*mixed)
    error = caught.value
    assert [
        (kind.files, kind.lines, Path(kind.first.file).name, kind.first.line)
        for kind in error.kinds
    ] == [
        (2, 6, "again", 4),
        (1, 1, "words", 3),
    ]
    assert error.of == 4
    assert (Path(error.file).name, error.line) == ("again", 4)
    assert str(error).startswith("3 of 4 files cannot be used. 2 files, 6 lines, the first ")
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.kinds) == (str(error), error.kinds) or str(again) == str(error)


def test_files_when_the_first_is_kept_then_only_what_has_no_safe_reading_is_refused(mixed):
    with pytest.raises(
        ReadError, match=r"words, line 3: expected a number as score, found 'high'"
    ) as caught:
        read_collection(*mixed, repeated="first")
    assert not isinstance(caught.value, FilesRefused)
    (mixed[1] / "words").unlink()
    assert read_collection(*mixed, repeated="first").runs == ("again", "sound", "twice")


def test_files_when_some_cannot_be_opened_or_joined_then_they_are_told_with_the_others(mixed):
    (mixed[1] / "cut.gz").write_bytes(b"\x1f\x8b\x08")
    (mixed[1] / "strange").write_bytes(b"x Q0 a 1 1 t\n")
    with pytest.raises(FilesRefused) as caught:
        read_collection(*mixed)
    assert {
        Path(kind.first.file).name: (kind.files, kind.lines) for kind in caught.value.kinds
    } == {
        "again": (2, 6),
        "words": (1, 1),
        "cut.gz": (1, 0),
        "strange": (1, 0),
    }


def test_files_when_the_qrels_are_at_fault_too_then_these_come_first(mixed):
    mixed[0].write_bytes(b"1 0 a x\n")
    with pytest.raises(ReadError, match="qrels, line 1: expected a whole number as grade"):
        read_collection(*mixed)


def test_kinds_when_a_file_has_several_then_it_counts_in_each():
    faults = examine("f", TWICE + b"1 Q0 c 1 high t\n1 Q0 d 1 low t\n").faults
    assert [(kind.files, kind.lines) for kind in group_faults([tuple(faults.values())])] == [
        (1, 3),
        (1, 2),
    ]


def test_kinds_when_what_to_do_differs_then_each_file_is_told_its_own():
    kept = [
        tuple(examine(name, data).faults.values())
        for name, data in (("a.7z", b"7z\xbc\xaf'\x1c"), ("b", b"<!DOCTYPE html>"))
    ]
    assert [kind.first.remedy.split()[0] for kind in group_faults(kept)] == ["Unpack", "Download"]


@pytest.mark.parametrize("flags", [(), ("--scheduler", "local:1")])
def test_command_when_a_run_is_refused_then_the_others_are_scored_and_the_status_is_1(
    mixed, flags, run_command
):
    printed = run_command("evaluate", *mixed, "-m", "AP", *flags, status=1)
    assert [line.split(",")[0] for line in printed.out.splitlines()] == ["run", "sound"]
    assert printed.err.startswith("irmeval: 3 of 4 files cannot be used:\n")
    (mixed[1] / "sound").unlink()
    refused = run_command("evaluate", *mixed, "-m", "AP", *flags, status=2)
    assert (refused.out, refused.err.count("irmeval:")) == ("", 1)
    with pytest.raises(FilesRefused):
        read_collection(*mixed)


def test_command_when_several_files_are_at_fault_then_a_kind_is_a_line(mixed, run_command):
    said = run_command("evaluate", *mixed, "-m", "AP", status=1).err.splitlines()
    assert said[0] == "irmeval: 3 of 4 files cannot be used:"
    assert said[1].split() == ["files", "lines", "the", "first", "of", "them"]
    assert [line.split()[:2] for line in said[2:4]] == [["2", "6"], ["1", "1"]]
    assert "again, line 4: expected each document once per topic" in said[2]


READING = [name for name, found in EXPERIMENTS.items() if found.data]


@pytest.mark.parametrize("name", ["evaluate", "check", "condense", "reduce", *READING])
def test_command_when_it_reads_files_then_it_takes_the_choice(name, run_command):
    assert "--repeated [refuse|first|best]" in run_command(name, "--help").out


def test_command_when_the_first_is_kept_then_it_works(mixed, run_command):
    (mixed[1] / "words").unlink()
    assert run_command("evaluate", *mixed, "-m", "AP", "--repeated", "first").out.count("\n") == 4
    qrels = mixed[0]
    qrels.write_bytes(QRELS + QRELS)
    run_command("reduce", qrels, status=2)
    assert run_command("reduce", qrels, "--repeated", "first").out.count("\n") == 3


def test_check_when_several_files_are_at_fault_then_says_them_by_kind_first(mixed, run_command):
    said = run_command("check", *mixed, status=1).out
    assert said.startswith(
        "3 of 4 files with errors:\nfiles   lines  the first of them\n    2       6  "
    )
    assert (
        said.index("\n    1       1  ")
        < said.index("All 4 runs:")
        < said.index("\nerror    words: ")
    )
    (mixed[1] / "words").unlink()
    (mixed[1] / "again").unlink()
    assert "files with errors" not in run_command("check", *mixed, status=1).out


def test_check_when_the_first_is_kept_then_repetitions_are_odd_and_not_wrong(mixed, run_command):
    (found,) = json.loads(
        run_command(
            "check", mixed[0], mixed[1] / "twice", "--repeated", "first", "--format", "json"
        ).out
    )
    (finding,) = [one for one in found["findings"] if one["subject"] == "duplicates"]
    assert finding["level"] == "warning"
    assert finding["what"].startswith("3 lines, the first line 4")


def test_recipe_when_the_first_is_kept_then_it_says_so(mixed):
    (mixed[1] / "words").unlink()
    contents = EXPERIMENTS["collection"]
    for profile, flag in (
        ({}, ""),
        ({"average": "retrieved", "empty": "zero"}, "--profile 'trec_eval 9.0.8' "),
    ):
        collection = read_collection(*mixed, repeated="first", **profile)
        assert (
            contents(collection).recipe().command().endswith(f"QRELS RUNS {flag}--repeated first")
        )


def test_manifest_when_the_first_is_kept_then_policy_and_lines_left_out_are_in_it(mixed, tmp_path):
    (mixed[1] / "words").unlink()
    found = next(iter(PAPERS.values()))
    bare = type(found)(
        **{**{f: getattr(found, f) for f in found.__dataclass_fields__}, "exhibits": ()}
    )
    paper_folder.write(bare, read_collection(*mixed, repeated="first"), tmp_path / "out")
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["policy"] == asdict(FIRST)
    assert manifest["repeated_lines_left_out"] == {"qrels": 0, "runs": {"again": 3, "twice": 3}}


def test_qrels_of_a_dataset_when_read_then_the_policy_holds_for_them_too(datasets):
    assert read_qrels("irds:tiny", "first").repeated == ()


def test_fault_when_copied_renamed_or_kept_then_its_kind_is_still_known():
    (fault,) = parsing.parse_run("r", b"1 Q0 a 1 3 t\n1 Q0 a 2 2 t\n").repeated
    kept = from_json(Fault, to_json(fault), "it")
    for first in (
        fault.first,
        fault.first.copy(),
        rename_files(fault.first, str.upper),
        kept.first,
    ):
        assert is_settled(Fault(1, first), "first")
        assert not is_settled(Fault(1, first), "refuse")
    (other,) = parsing.parse_qrels("q", b"1 0 a 1\n1 0 a 2\n").repeated
    (nan,) = examine("r", b"1 Q0 a 1 3 t\n1 Q0 b 2 nan t\n").faults.values()
    assert nan.first.kind == NOT_A_NUMBER
    assert not any(is_settled(fault, "first") for fault in (other, nan))
