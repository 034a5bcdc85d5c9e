"""What other packages add: the example of the documentation, installed beside packages
at fault.

The tests of programs and documents; the others are in
`tests/unit/core/test_plugins.py`.
"""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.added import PAGE, run_added
from tests.cases import rows
from tests.conftest import ROOT


class Fault(NamedTuple):
    """An entry point at fault: its group, module and text, and why it is left out."""

    group: str
    module: str
    text: str
    why: str


METRICS, EXPERIMENT, AXIS = (
    "from irmeval.metrics.base import METRICS as M",
    "from irmeval.experiments.base import EXPERIMENTS as E",
    "from irmeval.experiments.axes.base import AXES as A",
)
FAULTS = [
    Fault(
        "metrics",
        "faulty_import",
        "import no_such_module",
        "No module named 'no_such_module' (ModuleNotFoundError)",
    ),
    Fault(
        "metrics",
        "faulty_taken",
        f"{METRICS}; M.add('Lost', M['AP']); M.add('AP', M['AP'])",
        "metric 'AP' is registered twice (ValueError)",
    ),
    Fault("reductions", "faulty_exit", "raise SystemExit", "no reason given (SystemExit)"),
    Fault(
        "tests", "faulty_syntax", "def", "invalid syntax (faulty_syntax.py, line 1) (SyntaxError)"
    ),
    Fault(
        "experiments",
        "faulty_command",
        f"{EXPERIMENT}; E.add('evaluate', E['lab'])",
        "the name 'evaluate' is taken (ValueError)",
    ),
    Fault(
        "experiments",
        "faulty_page",
        f"{EXPERIMENT}; E.add('selection', E['lab'])",
        "the name 'selection' is taken (ValueError)",
    ),
    Fault(
        "axes",
        "faulty_axis",
        f"{AXIS}; A.add('method', A['care'])",
        "the name 'method' is taken (ValueError)",
    ),
    Fault(
        "statistics",
        "faulty_statistic",
        f"{AXIS}; from irmeval.experiments.axes.care import Judging\n"
        "from irmeval.experiments.watched.base import statistic; statistic('s', params=Judging)",
        "the parameter 'judge_kind' is taken (ValueError)",
    ),
    Fault(
        "statistics",
        "faulty_reading",
        "from irmeval.experiments.watched.base import Reading, statistic\n"
        "statistic('s', reads=(Reading('means', max),))",
        "the reading 'means' is taken (ValueError)",
    ),
    Fault(
        "papers",
        "faulty_paper",
        "from irmeval.papers.base import PAPERS as P; P.add('curves', [*P.values()][0])",
        "the name 'curves' is taken (ValueError)",
    ),
    Fault(
        "lessons",
        "faulty_lessons",
        "",
        "faulty_lessons: expected a folder with lessons, *.toml, found none. Give a folder that is"
        " part of the package (ReadError)",
    ),
    Fault(
        "lessons",
        "faulty_text",
        "",
        "untitled.toml, title: expected a text, found nothing. Add it (ReadError)",
    ),
    Fault("lessons", "faulty_twice", "", "the name 'ideal_rbp' is taken (ValueError)"),
]
SOUND = {
    "tests": (
        """\
import numpy as np
from irmeval.stats.significance import test

@test("never", "Never", source="An example")
def never(z: np.ndarray) -> np.ndarray:
    "Nothing differs."
    return np.ones(len(z))
"""
    ),
    "axes": (
        """\
import numpy as np
from irmeval.experiments.axes.base import axis, levels_of
from irmeval.experiments.sweep import Drawn
from irmeval.reductions import DROPPED

@axis(
    "ends",
    words="judgments at the end of the file",
    levels=levels_of(int, (900, 400), "judgments", "So many judgments.", low=1, descending=True),
    write="{} judgments".format,
    on="On {}",
    everything="all judgments",
    at="at {} judgments".format,
    xtitle="judgments",
    trials=1,
)
def ends(trial, levels, own):
    "Keeps the first judgments of the file."
    grade = trial.collection.grade
    return [Drawn(np.where(np.arange(grade.size) < n, grade, DROPPED)) for n in levels]
"""
    ),
    "statistics": (
        """\
from irmeval.experiments.watched.base import MEANS, Curve, statistic

@statistic(
    "highest",
    words="the best run's mean",
    reads=(MEANS,),
    curves=lambda result: [Curve("highest", "highest", "Highest", "Mean of the best run.")],
    says=lambda result: "",
)
def highest(whole, here, params):
    "Mean of the best run."
    return {"highest": here["means"].max(axis=-1)}
"""
    ),
    "papers": (
        """\
from irmeval.papers.base import Exhibit, Paper, add
from irmeval.scoring.selection import Selection

COLLECTION = Exhibit("Section 1", "The collection", "collection")
add(Paper("nobody-2000", "Nobody", "", "Why?", ("AP",), Selection(), \
"All runs.", "", (COLLECTION,)))
"""
    ),
}
"""Of the kinds that the example has none of."""
LINES = {
    "catalogue": "metrics --format csv",
    "scores": "evaluate QRELS RUNS -m RR2 -m RR2' -m RR",
    "reduced": "reduce QRELS --method nonrelevant --rate 0.1%",
    "sampled": "curves QRELS RUNS -m AP --levels 100,50 --trials 2 --method nonrelevant",
    "experiment": "failures QRELS RUNS -m RR2",
    "watched": "curves QRELS RUNS -m AP --of ends --watch highest",
    "tested": "matrix QRELS RUNS -m AP --test never",
    "help": "--help",
    "papers": "paper --help",
    "lessons": "lesson",
    "lesson": "lesson second_document",
}
FAILURES = PAGE.format(
    name="failures", measure="RR2", question="On how many topics does a run fail?"
)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the example, installed by pip, and with a package that is at fault
    in every entry point.
    """
    folder, source = tmp_path_factory.mktemp("installed"), tmp_path_factory.mktemp("source")
    shutil.copytree(ROOT / "docs" / "plugin", source, dirs_exist_ok=True)
    pip = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-index",
        "--no-deps",
        "--no-build-isolation",
        "--target",
        folder,
        source,
    ]
    subprocess.run(pip, capture_output=True, check=True)
    for fault in FAULTS:
        if fault.group != "lessons":
            (folder / f"{fault.module}.py").write_text(fault.text)
    (folder / "faulty_lessons.py").touch()
    (folder / "faulty_text").mkdir()
    (folder / "faulty_text" / "untitled.toml").touch()
    (folder / "faulty_twice").mkdir()
    shutil.copy(ROOT / "irmeval" / "lessons" / "ideal_rbp.toml", folder / "faulty_twice")
    declare(folder, "faulty", [(fault.group, fault.module) for fault in FAULTS])
    for group, text in SOUND.items():
        (folder / f"sound_{group}.py").write_text(text)
    declare(folder, "sound", [(group, f"sound_{group}") for group in SOUND])
    return folder


def declare(folder: Path, package: str, points: list[tuple[str, str]]) -> None:
    """The record of a package, as pip writes it, with the group and the module of each
    entry point.
    """
    record = folder / f"{package}-1.0.dist-info"
    record.mkdir()
    (record / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    groups = {
        group: [f"{name} = {name}" for of, name in points if of == group] for group, _ in points
    }
    (record / "entry_points.txt").write_text(
        "\n".join(
            line for group, lines in groups.items() for line in (f"[irmeval.{group}]", *lines)
        )
    )


@pytest.fixture(scope="module")
def done(installed: Path) -> "subprocess.CompletedProcess[str]":
    """The commands, all in one process that sees what is installed there."""
    page = FAILURES + 'assert "By RR2, a run scores 0 on up to 5 topics." in texts(app)'
    return run_added(ROOT, LINES, page, PYTHONPATH=str(installed))


@pytest.fixture(scope="module")
def said(done: "subprocess.CompletedProcess[str]") -> dict[str, str]:
    """What each prints."""
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_metric_of_another_package_when_installed_then_is_listed_and_scores(said):
    assert [row["metric"] for row in rows(said["catalogue"])][-1] == "RR2"
    found = {(row["run"], row["measure"]): float(row["score"]) for row in rows(said["scores"])}
    assert len(found) == 9
    assert all(0 < found[run, "RR2"] < found[run, "RR"] for run, _ in found)


def test_reduction_of_another_package_when_installed_then_reduces_and_is_offered(said):
    grades = [int(line.split()[3]) for line in said["reduced"].splitlines()]
    assert 0 < grades.count(0) < sum(grade > 0 for grade in grades)
    assert len(rows(said["sampled"])) == 4


def test_statistical_test_and_paper_of_another_package_when_installed_then_are_offered(said):
    assert [float(row["p_alone"]) for row in rows(said["tested"])] == [1, 1, 1]
    assert "nobody-2000" in re.sub(r"\s", "", said["papers"])


def test_axis_and_statistic_of_another_package_when_installed_then_are_offered(said):
    levels, values = zip(
        *((row["level"], row["highest"]) for row in rows(said["watched"])), strict=True
    )
    assert levels == ("900", "400")
    assert all(0 <= float(value) <= 1 for value in values)


def test_experiment_of_another_package_when_installed_then_is_a_command(said):
    assert re.search(
        r"^ +failures +[Oo]n how many topics does a run fail", said["help"], re.MULTILINE
    )
    assert list(rows(said["experiment"])[0]) == ["measure", "run", "failures"]
    assert len(rows(said["experiment"])) == 3


def test_experiment_of_another_package_when_it_has_nothing_to_set_then_has_a_page(said):
    assert said["page"] == ""


def test_lesson_of_another_package_when_installed_then_is_listed_and_told_with_a_metric_of_its_own(
    said,
):
    assert said["lessons"].splitlines()[-1].split()[0] == "second_document"
    assert "rr 1.00 > rr2 0.25: holds" in said["lesson"]


def test_plugins_when_at_fault_then_each_is_named_once_with_package_and_why_and_nothing_stays(
    done, said
):
    expected = [
        f"irmeval: left out {fault.module} = '{fault.module}', an entry point in"
        f" irmeval.{fault.group} of faulty 1.0: {fault.why}."
        for fault in FAULTS
    ]
    # which Streamlit misses where no browser asks
    lines = [line for line in done.stderr.splitlines() if "ScriptRunContext" not in line]
    assert sorted(lines) == sorted(expected)
    assert "Lost" not in said["catalogue"]
    assert "curves" not in said["papers"]
    assert "untitled" not in said["lessons"]
