"""Workspaces: what is saved is read again to the bit, every command takes them, and
other files are refused in words.
"""

import gzip
import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import irmeval
from irmeval import ParamError, ReadError, UnknownName, Workspace
from irmeval.core.written import split_path
from irmeval.reading import files, parsing, score_matrix, trec
from irmeval.reading.named_columns import string_array
from irmeval.reading.policy import Policy
from irmeval.reading.text_layout import RUN
from irmeval.reading.writing import text_of
from irmeval.scoring.selection import Selection
from irmeval.workspace import archive, packed
from irmeval.workspace.packed import FORMAT, RECORD
from irmeval.workspace.stored import NamedQrels, Stored

AGAIN = "1 Q0 S1 1 3 t\n1 Q0 S1 2 2 t\n"
"""A run that has a document twice."""


@pytest.fixture
def mine(tiny: tuple[Path, Path], tmp_path: Path) -> Workspace:
    """Two collections, with all that can be decided on one."""
    qrels, runs = tiny
    (tmp_path / "twice").write_text(AGAIN)
    made = (
        Workspace()
        .add("plain", qrels, runs / "example")
        .add("a, b/../c", qrels, [runs, tmp_path / "twice"], repeated="first")
    )
    decided = replace(
        made.stored(),
        policy=Policy(depth=3, repeated="first", gains="1:1,2:3"),
        selection=Selection(topics_only="1,2", top_runs=2),
        pinned=("example",),
        teams={"short": "x"},
        kinds={"short": "lexical"},
        team_file="teams.csv",
        notes="*mine*\n",
        matrices=(
            score_matrix.parse_matrix("m.csv", b'topic,"a,b",c\n1,0.1,0.2\n2,0.3,1e-300\n'),
            score_matrix.parse_matrix("n.csv", b"topic,a,c\n1,,0.2\n2,0.3,0.1\n", gaps=True),
        ),
    )
    return replace(
        made,
        collections=(made.collections[0], decided),
        measures=(irmeval.measure("AP"), irmeval.measure("RBP(p=0.9)'")),
        parameters={"curves": {"trials": 12}},
    )


@pytest.fixture
def saved(mine: Workspace, tmp_path: Path) -> Path:
    mine.save(tmp_path / "my.irmeval")
    return tmp_path / "my.irmeval"


def test_workspace_when_saved_and_loaded_then_everything_is_equal_to_the_bit(mine, saved):
    found = Workspace.load(saved)
    assert (found.open, found.names, found.measures, found.parameters) == (
        mine.open,
        mine.names,
        mine.measures,
        mine.parameters,
    )
    for before, after in zip(mine.collections, found.collections, strict=True):
        for name in (
            "name",
            "policy",
            "selection",
            "pinned",
            "teams",
            "kinds",
            "team_file",
            "notes",
        ):
            assert getattr(before, name) == getattr(after, name)
        assert list(before.runs) == list(after.runs)
        assert [*map(archive.write, (run._replace(name="") for run in before.runs.values()))] == [
            *map(archive.write, (run._replace(name="") for run in after.runs.values()))
        ]
        judged, again = before.qrels, after.qrels
        assert (judged and (judged.name, archive.write(judged.qrels))) == (
            again and (again.name, archive.write(again.qrels))
        )
        assert before.selected().collection.fingerprint == after.selected().collection.fingerprint
    for kept, saved_as in zip(mine.stored().matrices, found.stored().matrices, strict=True):
        assert (kept.fingerprint, kept.judge) == (saved_as.fingerprint, saved_as.judge)
    assert found.collection().runs == mine.collection().runs
    scores = [
        irmeval.evaluate(workspace.collection(), workspace.measures).values
        for workspace in (mine, found)
    ]
    assert np.array_equal(*scores, equal_nan=True)


def test_workspace_when_saved_twice_then_is_the_same_but_for_the_times_in_the_zip(mine, saved):
    first, again = (
        zipfile.ZipFile(io.BytesIO(data))
        for data in (saved.read_bytes(), Workspace.load(saved).to_bytes())
    )
    assert {name: first.read(name) for name in first.namelist()} == {
        name: again.read(name) for name in again.namelist()
    }


def test_workspace_when_unpacked_then_it_is_the_files_that_were_read(saved, tmp_path):
    with zipfile.ZipFile(saved) as zipped:
        zipped.extractall(tmp_path / "out")
    (first,) = (tmp_path / "out").glob("1-plain")
    (qrels,) = first.glob("*.gz")
    found = irmeval.read_collection(qrels, first / "runs")
    assert found.fingerprint == Workspace.load(saved).collection("plain").fingerprint


def test_text_when_scores_are_of_any_size_then_reads_back_to_the_bit():
    bits = np.random.default_rng(1).integers(0, 2**64, 4000, dtype=np.uint64).view(float)
    scores = np.concatenate(
        [bits[~np.isnan(bits)], [0.0, -0.0, np.inf, -np.inf, 5e-324, 1e22, 0.1]]
    )
    places = np.zeros(scores.size, np.int32)
    names = string_array(f"d{i}" for i in range(scores.size))
    run = trec.make_run(
        "r", ("t", "u"), ("1",), places, names, scores, string_array(range(scores.size))
    )
    found = parsing.parse_lines("r", text_of(run), RUN)
    assert found.score.tobytes() == scores.tobytes()
    assert (found.tags, found.topics, found.documents) == (run.tags, run.topics, run.documents)


def test_text_when_a_document_has_a_blank_in_its_name_then_is_written_with_tabs_and_read_back():
    qrels = trec.make_qrels(
        "q", ("1",), np.zeros(1, np.int32), string_array(["a b"]), np.ones(1, np.int64)
    )
    assert text_of(qrels) == b"1\t0\ta b\t1\n"
    assert parsing.settled_qrels("q", text_of(qrels)).documents.to_pylist() == ["a b"]


def test_text_when_a_document_has_a_tab_in_its_name_then_it_is_refused_and_not_written():
    qrels = trec.make_qrels(
        "q", ("1",), np.zeros(1, np.int32), string_array(["a\tb"]), np.ones(1, np.int64)
    )
    with pytest.raises(ReadError, match="without tabs, found"):
        text_of(qrels)


def test_workspace_when_one_of_its_collections_is_wanted_then_the_others_are_not_read(
    saved, monkeypatch
):
    read: list[str] = []
    parse = packed.parse_lines
    monkeypatch.setattr(
        packed, "parse_lines", lambda name, *given: read.append(name) or parse(name, *given)
    )
    assert Workspace.load(saved, only="plain").names == ("plain",)
    assert len(read) == 2


def test_workspace_when_a_name_is_taken_or_unknown_then_it_says_so(mine, tiny):
    with pytest.raises(ParamError, match="found 'plain'"):
        mine.add("plain", *tiny)
    with pytest.raises(UnknownName, match="'plane'; nearest: plain"):
        mine.collection("plane")


def repacked(path: Path, change: Callable[[dict[str, bytes]], Any]) -> Path:
    """The same zip with its members changed."""
    with zipfile.ZipFile(path) as zipped:
        members = {name: zipped.read(name) for name in zipped.namelist()}
    change(members)
    with zipfile.ZipFile(path, "w") as zipped:
        for name, data in members.items():
            zipped.writestr(name, data)
    return path


def record(change: Callable[[dict[str, Any]], Any]) -> Callable[[dict[str, bytes]], Any]:
    """The same for what the record says."""

    def changed(members: dict[str, bytes]) -> None:
        found = json.loads(members[RECORD])
        change(found)
        members[RECORD] = json.dumps(found).encode()

    return changed


def first_run(members: dict[str, bytes]) -> str:
    return next(name for name in members if "/runs/" in name)


def text(data: bytes) -> Callable[[dict[str, bytes]], Any]:
    return lambda members: members.update({first_run(members): gzip.compress(data)})


DAMAGE = {
    "newer": (
        record(lambda r: r.update(format=FORMAT + 1)),
        f"format {FORMAT}, found {FORMAT + 1}, by irmeval .*Update",
    ),
    "no record": (lambda members: members.pop(RECORD), "a zip with one workspace.json"),
    "no JSON": (lambda members: members.update({RECORD: b"{"}), f"{RECORD}: expected a record"),
    "deep": (
        lambda members: members.update({RECORD: b"[" * 100_000}),
        f"{RECORD}: expected a record",
    ),
    "a list": (lambda members: members.update({RECORD: b"[]"}), f"{RECORD}: expected a record"),
    "a run gone": (
        lambda members: members.pop(first_run(members)),
        r"runs/.*expected a file listed in the workspace",
    ),
    "a run that is none": (text(b"1 Q0 a\n"), r"runs/.*line 1: expected 6 columns"),
    "a score that is none": (text(b"1 Q0 a 1 nan t\n"), r"runs/.*a score that is a number"),
    "a run in place of qrels": (
        record(
            lambda r: r["collections"][0]["qrels"].update(
                file=r["collections"][0]["runs"][0]["file"]
            )
        ),
        "expected valid values, found files: expected different names, found .* twice",
    ),
    "a decision of old": (
        record(lambda r: r["collections"][0]["policy"].update(order="bogus")),
        "order: expected one of",
    ),
    "a decision unknown": (
        record(lambda r: r["collections"][0]["policy"].update(colour=1)),
        "policy.colour: expected one of order, depth, .*, found a key it does not have",
    ),
    "a measure unknown": (record(lambda r: r.update(measures=["MAPP"])), "unknown metric 'MAPP'"),
    "two of a name": (
        record(lambda r: r["collections"][1].update(name="plain")),
        "collections: expected different names, found 'plain' twice",
    ),
    "a name of lines": (
        record(lambda r: r["collections"][1].update(name="a\nb")),
        "collections.2.name: expected one line of at most 100 letters",
    ),
    "faults that are none": (
        record(lambda r: r["collections"][1]["runs"][-1].update(repeated=[[1, ["x"]]])),
        "runs.4.repeated.1: expected keys with values",
    ),
    "a path that leads out": (
        lambda members: members.update({"../x": b""}),
        "a path that leads out of it",
    ),
}


@pytest.mark.parametrize("change", DAMAGE)
def test_workspace_when_damaged_or_hostile_then_refused_in_words_that_name_what_is_wrong(
    saved, change
):
    spoil, says = DAMAGE[change]
    path = repacked(saved, spoil)
    if change == "a path that leads out":  # what is not named is not even opened
        assert Workspace.load(path).names
        path = repacked(path, record(lambda r: r["collections"][0]["runs"][0].update(file="../x")))
    with pytest.raises(ReadError, match=says):
        Workspace.load(path)


@pytest.mark.parametrize(
    ("data", "says"),
    [(b"", "a zip file"), (b"1 0 a 1\n", "a zip file"), (b"PK\x03\x04rubbish", "damaged data")],
    ids=["empty", "text", "cut"],
)
def test_workspace_when_it_is_no_zip_then_refused(tmp_path, data, says):
    (tmp_path / "x.irmeval").write_bytes(data)
    with pytest.raises(ReadError, match=says):
        Workspace.load(tmp_path / "x.irmeval")


def test_workspace_when_bits_are_flipped_then_refused_and_the_member_named(saved):
    data = bytearray(saved.read_bytes())
    at = data.index(b"\x1f\x8b") + 40
    data[at : at + 8] = bytes(8)
    with pytest.raises(
        ReadError, match=r"my.irmeval/1-plain/00001-qrels.txt.gz: expected a readable zip member"
    ):
        Workspace.parse("my.irmeval", bytes(data))


def test_workspace_when_it_is_a_bomb_then_no_more_than_the_cap_is_unpacked(saved, monkeypatch):
    monkeypatch.setattr(files, "SMALL", 8 << 20)
    path = repacked(saved, text(bytes(9 << 20)))
    with pytest.raises(ReadError, match="[78] MiB when unpacked"):
        Workspace.load(path)
    with pytest.raises(ReadError, match="at most 1 runs"):
        Workspace.parse("my.irmeval", saved.read_bytes(), most=1)


def test_path_when_it_may_be_of_a_workspace_then_is_told_from_others():
    assert split_path("a/my.irmeval") == ("a/my.irmeval", "")
    assert split_path("a/my.irmeval#of mine") == ("a/my.irmeval", "of mine")
    assert split_path("qrels.txt") is None


def test_command_when_given_a_workspace_then_prints_what_it_prints_for_the_files(
    saved, tiny, printed
):
    qrels, runs = tiny
    assert printed("evaluate", f"{saved}#plain", "-m", "AP") == printed(
        "evaluate", qrels, runs / "example", "-m", "AP"
    )
    for command in (
        ("curves", "-m", "AP"),
        ("unjudged", "-m", "AP"),
        ("condense",),
        ("check", "-m", "AP"),
    ):
        theirs = printed(command[0], qrels, runs / "example", *command[1:])
        assert printed(command[0], f"{saved}#plain", *command[1:]) == theirs.replace(f"{runs}/", "")
    assert printed("reduce", f"{saved}#plain", "--rate", 50) == printed(
        "reduce", qrels, "--rate", 50
    )


def test_command_when_nothing_else_is_said_then_works_as_the_workspace_was_left(
    saved, mine, printed
):
    table = printed("evaluate", saved)
    assert {line.split(",")[1] for line in table.splitlines()[1:]} == {"AP", "RBP(p=0.9)'"}
    scores = irmeval.evaluate(mine.collection(), ["AP"])
    assert (
        printed("evaluate", saved, "-m", "AP", "--format", "json").count('"run"')
        == len(scores.runs)
        == 2
    )
    more = printed("evaluate", saved, "-m", "AP", "--top-runs", 0, "--format", "json")
    assert more.count('"run"') == 4


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["MY", "RUN", "-m", "AP"], "a workspace has its own runs"),
        (["MY#plane", "-m", "AP"], "unknown collection 'plane'; nearest: plain"),
        (["MY.irmeval", "-m", "AP"], "no such file"),
        (["MY#plain", "-m", "MAPP"], "unknown metric"),
    ],
)
def test_command_when_a_workspace_cannot_serve_then_a_line_and_status_2(
    saved, arguments, says, run_command
):
    said = run_command(
        "evaluate", *(text.replace("MY", str(saved)) for text in arguments), status=2
    ).err
    assert says in said
    assert "Traceback" not in said


def test_command_when_runs_are_missing_then_says_so(tiny, run_command):
    assert (
        "evaluate: expected QRELS and RUN, found" in run_command("evaluate", tiny[0], status=2).err
    )


def test_stored_when_it_lacks_qrels_or_runs_then_says_what(tiny):
    with pytest.raises(ReadError, match="half: expected qrels and runs, found no usable qrels"):
        Stored("half").everything(Policy())
    held = parsing.parse_run("t", AGAIN.encode())
    half = Stored(
        "half", NamedQrels("q", parsing.settled_qrels("q", tiny[0].read_bytes())), {"t": held}
    )
    with pytest.raises(ReadError, match="no usable run. Keep the first of duplicate lines"):
        half.everything(Policy())
    assert half.everything(Policy(repeated="first")).runs == ("t",)


def test_settings_when_another_version_has_stored_some_then_the_others_are_kept():
    stored = Stored("mine")
    stored.settings = {
        "depth": 7,
        "order": "of_old",
        "renamed": 1,
        "pinned": "not a list",
        "judged_by": "Ann",
    }
    assert (stored.policy.depth, stored.policy.order) == (7, Policy().order)
    assert stored.settings == {"depth": 7, "judged_by": "Ann"}
