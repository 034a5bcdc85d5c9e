"""Judgments without runs: a collection of its own, on which judges are compared. An
unfinished collection says what is missing.
"""

import pytest

import irmeval
from irmeval import ReadError
from irmeval.cli import main
from irmeval.experiments import EXPERIMENTS
from irmeval.scoring.selection import Selection, select
from tests.conftest import TINY_QRELS, TINY_RUNS, run_lines

ROWS = [line.split() for line in TINY_QRELS.splitlines()]
JUDGED = sum(int(grade) >= 0 for *_, grade in ROWS)
HUMAN = ("human.txt", TINY_QRELS.encode())
MODEL, THIRD = (
    (
        f"{name}.txt",
        "".join(
            f"{topic} 0 {document} {becomes(int(grade))}\n" for topic, _, document, grade in ROWS
        ).encode(),
    )
    for name, becomes in (
        ("model", lambda grade: 1 - min(grade, 1)),
        ("third", lambda grade: min(grade, 1)),
    )
)
RUNS = [(name, run_lines(name, lists).encode()) for name, lists in TINY_RUNS.items()]


@pytest.fixture
def qrels(tmp_path):
    path = tmp_path / HUMAN[0]
    path.write_bytes(HUMAN[1])
    return path


# ---------------------------------------------------------------- in Python, and on the command
# line


def test_collection_when_it_has_no_runs_then_holds_its_judgments_and_only_what_needs_runs_refuses(
    qrels,
):
    collection = irmeval.read_collection(qrels, [])
    assert (collection.runs, len(collection.topics), collection.grade.size) == ((), 4, len(ROWS))
    held = EXPERIMENTS["collection"](collection)
    assert "no runs" in held.headline()
    assert dict(held.counts().itertuples(index=False))["judged documents"] == JUDGED
    assert held.recipe().command() == "python -m irmeval collection QRELS"
    assert irmeval.reduce(collection, "stratified", rate=50).shape == (1, len(ROWS))
    with pytest.raises(ReadError, match="runs: expected at least one run, found none"):
        irmeval.evaluate(collection, ["AP"])
    for experiment in EXPERIMENTS.values():
        if experiment.data and not experiment.without_runs:
            with pytest.raises(ReadError, match="runs: expected at least one run, found none"):
                experiment.work(collection, ["AP"])


def test_collection_when_it_has_no_runs_then_is_saved_selected_and_joined_with_judges_as_others_are(
    qrels, tmp_path
):
    collection = irmeval.read_collection(qrels, [])
    saved = irmeval.Workspace().add("alone", qrels, []).to_bytes()
    assert (
        irmeval.Workspace.parse("my.irmeval", saved).collection().fingerprint
        == collection.fingerprint
    )
    (tmp_path / "model.txt").write_bytes(MODEL[1])
    both = collection.with_judgments("model", tmp_path / "model.txt", first="human")
    assert both.judged_by("model").grade.tolist() == [
        int(row.split()[-1]) for row in sorted(MODEL[1].decode().splitlines())
    ]
    chosen = select(both, Selection(topics_only="1-2", top_runs=3))
    assert (chosen.collection.topics, chosen.collection.judges, len(chosen.table)) == (
        ("1", "2"),
        ("human", "model"),
        0,
    )


def test_commands_when_qrels_are_alone_then_those_work_that_need_no_runs(
    qrels, tmp_path, capsys, run_command
):
    assert "runs,0" in run_command("collection", qrels, "--table", "counts").out
    assert "grades: 1 of grade 3" in run_command("check", qrels).out
    (tmp_path / "r").write_bytes(RUNS[0][1])
    main(["check", str(qrels), "-m", "AP", str(tmp_path / "r")])  # runs may stand apart, as before
    assert capsys.readouterr().out.startswith("example:")
    with pytest.raises(SystemExit) as ended:
        main(["evaluate", str(qrels), "-m", "AP"])
    assert ended.value.code == 2


@pytest.mark.parametrize(
    "command",
    [["evaluate", "-m", "AP"], ["leaderboard", "-m", "AP"], ["condense"], ["paper", "all"]],
)
def test_command_when_a_workspace_has_no_runs_and_they_are_needed_then_refuses_before_it_begins(
    command, qrels, tmp_path, capsys
):
    irmeval.Workspace().add("alone", qrels, []).save(tmp_path / "my.irmeval")
    with pytest.raises(SystemExit) as ended:
        main([*command, str(tmp_path / "my.irmeval"), "-o", str(tmp_path / "out")])
    assert ended.value.code == 2
    assert "runs: expected at least one run, found none." in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
