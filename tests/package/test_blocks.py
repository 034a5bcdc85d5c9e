"""Every block of every document, as printed: commands are run on a small collection,
Python is run, settings are read.

What cannot be run here is in `NOT_RUN`, with the reason; commands, flags and extras
that it names exist all the same.
"""

import ast
import gzip
import re
import shlex
import shutil
import tomllib
from pathlib import Path

import pandas as pd
import pytest
import yaml

import irmeval
from irmeval.cli import lesson, main
from irmeval.experiments import EXPERIMENTS
from irmeval.reading.ir_metadata import header_entries, header_of, read_header
from irmeval.report import report
from tests.conftest import ROOT
from tests.documents import BLOCKS, READ, Block, of_documents

RUNS = "aurora1", "aurora2", "birch-dense", "ember1", "lumen"
COPIES = {
    "runs/bm25": "cobalt-a",
    "runs/new": "delta-t",
    "original": "cobalt-b",
    "reproduced": "cobalt-c",
}
"""File -> run of the sample that the documents call otherwise."""
TOPICS = 12
SMALL = {
    "paper": ["--trials", "2", "--samples", "20"],
    "curves": ["--trials", "2"],
    "audit": ["--samples", "20", "--trials", "2"],
    "matrix": ["--samples", "50"],
    "estimates": ["--trials", "2"],
    "systems": ["--samples", "20", "--mixtures", "20"],
    "judges": ["--samples", "20"],
    "holes": ["--trials", "2"],
}
"""Command -> flags behind those that are printed, so that it takes a second."""
NOT_RUN = {
    r"pip install ": "needs a network",
    r"python3 -m venv |source ": "make an environment of a shell",
    r"make ": "makes environments, from a network",
    r"docker ": "needs a Docker daemon",
    r"(IRMEVAL_\w+=\S+ )?streamlit run ": "serves until it is stopped",
    r"(python -m )?irmeval serve\b": "serves until it is stopped",
    r"dask ": "is for other machines",
    r".*tcp://HOST": "asks other machines",
}


def commands_in(block: Block) -> list[str]:
    """The commands of a block, those of a workflow's steps included."""
    if block.kind == "sh":
        return [line for line in block.text.splitlines() if line]
    return re.findall(r"(?:run:|-) ((?:irmeval|pip|make|docker) .+)$", block.text, re.MULTILINE)


def why_not(command: str) -> str:
    """Why a command is not run; empty if it is."""
    return next((why for pattern, why in NOT_RUN.items() if re.match(pattern, command)), "")


def words_of(command: str) -> list[str]:
    """The arguments of irmeval in a command line; none if it is another program's."""
    words = shlex.split(re.sub(r" >>? .*", "", command), comments=True)
    if words[:3] == ["python", "-m", "irmeval"]:
        return words[3:]
    return words[1:] if words[0] == "irmeval" else []


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the documents name, small."""
    folder, sample = tmp_path_factory.mktemp("documents"), ROOT / "sample_data"
    topics = {*irmeval.read_qrels(sample / "qrels.txt.gz").topics[:TOPICS]}

    def lines(path: Path) -> list[str]:
        return [
            line
            for line in gzip.decompress(path.read_bytes()).decode().splitlines(keepends=True)
            if line.split()[0] in topics
        ]

    qrels = lines(sample / "qrels.txt.gz")
    (folder / "qrels.txt").write_text("".join(qrels))
    (folder / "model.txt").write_text("".join(qrels[::2]))
    (folder / "runs").mkdir()
    for path, own in {**{f"runs/{own}": own for own in RUNS}, **COPIES}.items():
        (folder / path).write_text(
            "".join(
                line.replace(own, Path(path).name) for line in lines(sample / "runs" / f"{own}.gz")
            )
        )
    shutil.copytree(folder / "runs", folder / "sample_data" / "runs")
    (folder / "sample_data" / "qrels.txt.gz").write_bytes(gzip.compress("".join(qrels).encode()))
    collection = folder / "qrels.txt", folder / "runs"
    irmeval.Workspace().add("robust03", *collection).add("another", *collection).save(
        folder / "my.irmeval"
    )
    both = irmeval.read_collection(*collection).with_judgments("model", folder / "model.txt")
    scores = (
        irmeval.evaluate(both, ["nDCG@10"])
        .to_frame()[["run", "topic", "score"]]
        .to_csv(index=False)
    )
    for name in ("a.csv", "b.csv"):
        (folder / name).write_text(scores)
    for name in ("original.csv.gz", "umbrela_zeroshot.csv.gz"):
        (folder / name).write_bytes(gzip.compress(scores.encode()))
    (folder / "teams.csv").write_text(
        "run,team\n" + "".join(f"{run},{run[:5]}\n" for run in both.runs)
    )
    for name, experiment in (("report", "leaderboard"), ("report-of-judges", "systems")):
        (folder / f"{name}.zip").write_bytes(
            report([EXPERIMENTS[experiment](both, ["AP"])]).zipped()
        )
    return folder


def failure(command: str, capsys: pytest.CaptureFixture[str]) -> str:
    """What a command says that does not end well; empty for one that does. `check` says
    by 1 that something is wrong.
    """
    words = [{"QRELS": "qrels.txt", "RUNS": "runs"}.get(word, word) for word in words_of(command)]
    if words[0] == "rerun" and "--other" in words:
        words[1] = "report-of-judges.zip"
    if "--returned" in words:
        judged = Path("to-judge.txt")
        judged.write_text(judged.read_text().replace(" -1\n", " 1\n"))
    try:
        main([*words, *SMALL.get(words[0], [])])
    except SystemExit as stopped:
        if stopped.code not in (None, 0, 1 if words[0] == "check" else 0):
            return f"{command}: {capsys.readouterr().err}"
    return ""


@pytest.mark.parametrize("document", of_documents("sh", "yaml"))
def test_commands_when_run_as_printed_then_end_well(document, files, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(shutil.copytree(files, tmp_path / "documents"))
    monkeypatch.setattr(lesson, "names", lambda: ("ideal_rbp", "tenth_left"))  # a course of two
    commands = [
        command for block in of_documents("sh", "yaml")[document] for command in commands_in(block)
    ]
    assert [
        said for command in commands if not why_not(command) and (said := failure(command, capsys))
    ] == []


def test_commands_when_they_cannot_be_run_here_then_what_they_name_is_there(run_command):
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]
    for block in [block for kind in ("sh", "yaml") for block in BLOCKS if block.kind == kind]:
        for command in commands_in(block):
            if not why_not(command):
                assert words_of(command), command
                continue
            assert {*re.findall(r"irmeval\[(\w+)\]", command)} <= {*extras}
            if words := words_of(command):
                told = run_command(words[0], "--help", status=0).out
                assert [
                    flag for flag in words if flag.startswith("--") and flag not in told
                ] == [], command


FRAMES = {
    "qrels": pd.DataFrame({"qid": ["1", "2"], "docno": ["a", "b"], "label": [1, 2]}),
    "run": pd.DataFrame({"qid": ["1", "2"], "docno": ["a", "c"], "score": [1.0, 2.0]}),
}
DICTIONARIES = {"qrels": {"1": {"a": 1}, "2": {"b": 2}}, "run": {"1": {"a": 1.0}, "2": {"c": 2.0}}}


PRINTS = {
    code: printed
    for text in READ.values()
    for code, printed in re.findall(
        r"^```python\n(.*?)^```\n+prints\n+```text\n(.*?)^```", text, re.MULTILINE | re.DOTALL
    )
}
"""Code that needs nothing -> what the document says that it prints."""
CODE = [
    block
    for block in BLOCKS
    if block.kind == "python" and block.document != "CONTRIBUTING.md" and block.text not in PRINTS
]


@pytest.mark.parametrize("code", PRINTS)
def test_python_when_pasted_then_prints_what_stands_below_it(code, capsys):
    exec(code, {})
    assert [line.rstrip() for line in capsys.readouterr().out.splitlines()] == PRINTS[
        code
    ].splitlines()


@pytest.mark.parametrize("block", CODE, ids=str)
def test_python_when_run_statement_by_statement_then_ends_well(block, files, monkeypatch):
    monkeypatch.chdir(files)
    names: dict[str, object] = {"irmeval": irmeval}
    for statement in ast.parse(block.text).body:
        code = ast.unparse(statement)
        if "tcp://" in code:  # asks other machines
            return
        names |= DICTIONARIES if "from_dicts" in code else FRAMES
        exec(code, names)


@pytest.mark.parametrize(
    "block", [block for block in BLOCKS if block.kind in ("toml", "yaml", "run", "nginx")], ids=str
)
def test_settings_when_read_then_are_of_their_form(block):
    if block.kind == "toml":
        assert tomllib.loads(block.text)
    elif block.kind == "yaml":
        assert yaml.safe_load(block.text)
    elif block.kind == "run":
        assert [*header_entries(read_header("run", header_of(block.text.encode())))]
    else:
        assert block.text.count("{") == block.text.count("}") > 0


def test_blocks_when_found_then_each_is_of_a_kind_that_a_test_takes_up():
    kinds = {
        "sh",
        "yaml",
        "python",
        "pycon",
        "toml",
        "run",
        "nginx",
        "text",
        "{toctree}",
        "{include}",
    }
    assert {block.kind for block in BLOCKS} <= kinds
    others = [
        block for block in BLOCKS if block.kind == "text" and block.text not in PRINTS.values()
    ]
    assert [(block.document, block.text.split()[-1]) for block in others] == [
        ("docs/hosting.md", "served")
    ]
