"""The named format of a qrels file: it decides between formats that both fit, and a
format that does not fit is refused.
"""

import shutil
import time

import click
import pytest

import irmeval
from irmeval.cli import main
from irmeval.cli.program import PROGRAM
from irmeval.collection.shards import _read_index
from irmeval.collection.watched import Watched
from irmeval.core.errors import ParamError, ReadError
from irmeval.reading import parsing
from irmeval.reading.formats import FormatNames, UndecidedFormat, formats_of
from irmeval.reading.policy import DEFAULT

EITHER = "1 d1 2 0 1\n1 d2 0 0 1\n2 d1 1 0 1\n"
RUN = "1 Q0 d1 1 3 me\n1 Q0 2 2 2 me\n2 Q0 d1 1 1 me\n"
STRATA, PRELS = ("2", "0", "1"), ("d1", "d2")
"""The documents of topic 1 as each format reads them."""
LINES = {"trec": "1 0 a 1", "strata": "1 0 a s 1", "prels": "1 a 1 0 0.5", "neither": "1 a b c d"}
NEEDS = {
    name: f"expected {found.title} ({found.looks}), as in the format {name}"
    for name, found in formats_of("qrels").items()
}


@pytest.fixture
def files(tmp_path):
    (tmp_path / "q").write_text(EITHER)
    (tmp_path / "me").write_text(RUN)
    return tmp_path / "q", tmp_path / "me"


@pytest.mark.parametrize(("form", "documents"), [("prels", PRELS), ("strata", STRATA)])
def test_file_when_it_could_be_either_then_the_format_decides(files, form, documents):
    read = irmeval.read_qrels(files[0], form=form)
    index = _read_index(str(files[0]), read.sha256, DEFAULT, form)
    watched = Watched(
        files[0], (files[1],), clock=lambda: time.time() + 60, formats=FormatNames(form)
    )
    watched.look()
    ways = {
        "read_qrels": read.documents,
        "read_collection": irmeval.read_collection(*files, qrels_format=form).documents,
        "worker": index.qrels.documents,
        "judges": irmeval.read_judges(files[0], {"same": read}, qrels_format=form).documents,
        "watched": watched.seen(DEFAULT).collection.documents,
    }
    for way, found in ways.items():
        assert {*found.to_pylist()} == {*documents}, way


def test_file_when_several_formats_fit_then_each_way_asks_and_names_them(files):
    message = (
        "could be qrels with strata or prels. Give its format: --qrels-format strata or"
        " --qrels-format prels."
    )
    for read in (
        irmeval.read_qrels,
        lambda path: irmeval.read_collection(path, files[1]),
        lambda path: irmeval.read_judges(path, {}),
    ):
        with pytest.raises(UndecidedFormat) as asked:
            read(files[0])
        assert str(asked.value).endswith(message)


@pytest.mark.parametrize("form", ["trec", "strata", "prels"])
@pytest.mark.parametrize("lines", LINES)
def test_format_when_the_lines_are_of_another_then_is_refused_with_what_to_do(form, lines):
    text = f"# a comment\n{LINES[lines]}\n".encode()
    if form == lines:
        assert parsing.settled_qrels("q", text, form=form).grade.tolist() == [1]
        return
    with pytest.raises(ReadError) as refused:
        parsing.settled_qrels("q", text, form=form)
    told = f"q, line 2: {NEEDS[form]}, found {len(LINES[lines].split())} columns: '{LINES[lines]}'."
    remedy = (
        f"It looks like {lines}: give that as the format, or none."
        if lines != "neither"
        else "Fix the line, or give no format."
    )
    assert str(refused.value) == f"{told} {remedy}"


def test_format_when_there_is_none_of_this_name_then_those_are_named(files):
    for read in (
        irmeval.read_qrels,
        lambda path, form: irmeval.read_collection(path, files[1], qrels_format=form),
    ):
        with pytest.raises(
            ParamError,
            match="qrels_format: expected one of auto, trec, strata, prels, .*, found 'sample'",
        ):
            read(files[0], form="sample")


FLAGS = {
    name: {flag for param in command.get_params(click.Context(command)) for flag in param.opts}
    for name, command in PROGRAM.commands.items()
}
READ_QRELS = [name for name, flags in FLAGS.items() if {"qrels", "sources"} & flags]


def test_commands_when_they_read_qrels_then_have_the_flag():
    assert len(READ_QRELS) > 30
    for name in READ_QRELS:
        assert "--qrels-format" in FLAGS[name], name
        assert "--run-format" in FLAGS[name] or not {"runs", "sources", "--runs"} & FLAGS[name], (
            name
        )


@pytest.mark.parametrize(
    "words", [["evaluate"], ["leaderboard"], ["check"], ["reduce"], ["collection"], ["condense"]]
)
def test_command_when_the_format_cannot_be_then_is_refused_in_a_line(files, capsys, words):
    files[0].write_text("1 0 d1 s 1\n")
    with pytest.raises(SystemExit) as stopped:
        main([*words, *map(str, files), "--qrels-format", "trec"])
    assert stopped.value.code == 2
    assert (
        f"q, line 1: {NEEDS['trec']}, found 5 columns: '1 0 d1 s 1'. It looks like strata"
        in capsys.readouterr().err
    )


@pytest.mark.parametrize(
    "words",
    [
        "evaluate Q R",
        "check Q R",
        "across Q R Q2 R -m AP",
        "collection Q R",
        "reduce Q R --method by-depth --budget 20",
        "fuse R R",
    ],
)
def test_command_when_runs_are_of_another_format_than_named_then_is_refused_in_a_line(
    files, capsys, words
):
    files[0].write_text("1 0 d1 1\n2 0 d1 1\n")
    again = shutil.copy(files[0], files[0].with_name("q2"))
    named = {"Q": str(files[0]), "Q2": str(again), "R": str(files[1])}
    with pytest.raises(SystemExit) as stopped:
        main([*(named.get(word, word) for word in words.split()), "--run-format", "json"])
    told = capsys.readouterr()
    assert stopped.value.code == 1 if words.startswith("check") else 2
    assert "as in the format json" in told.out + told.err
    assert "It looks like trec: give that as the format, or none." in told.out + told.err


def test_watched_runs_when_their_format_is_named_then_are_read_so(files):
    files[0].write_text("1 0 d1 1\n2 0 d1 1\n")
    watched = Watched(
        files[0],
        (files[1],),
        clock=lambda: time.time() + 60,
        formats=FormatNames(run_format="json"),
    )
    watched.look()
    with pytest.raises(ReadError, match="as in the format json"):
        watched.seen(DEFAULT)


@pytest.mark.parametrize(("form", "documents"), [("prels", PRELS), ("strata", STRATA)])
def test_command_when_the_format_is_named_then_judgments_are_read_so(
    files, run_command, form, documents
):
    lines = run_command("reduce", files[0], "--qrels-format", form).out.splitlines()
    assert {line.split()[2 if form == "strata" else 1] for line in lines} == {*documents}


def test_workspace_when_a_format_is_named_then_says_that_it_was_decided_before(
    files, tmp_path, capsys
):
    files[0].write_text("1 0 d1 1\n2 0 d1 1\n")
    irmeval.Workspace().add("mine", *files).save(tmp_path / "my.irmeval")
    with pytest.raises(SystemExit):
        main(["leaderboard", str(tmp_path / "my.irmeval"), "--qrels-format", "strata"])
    assert (
        "a workspace contains files as they were read. Leave out --qrels-format."
        in capsys.readouterr().err
    )
