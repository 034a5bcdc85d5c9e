"""The walk-throughs of CONTRIBUTING.md, followed to the letter in a copy of the
repository: what they add works everywhere it should.
"""

import json
import re
import shutil
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.added import PAGE, run_added
from tests.cases import rows
from tests.conftest import ROOT

GUIDE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
COMMANDS = {
    "evaluate": "evaluate QRELS RUNS -m Twice@3 -m twice_10 -m Twice@1'",
    "catalogue": "metrics --format csv",
    "help": "--help",
    "experiment": "spread QRELS RUNS -m AP -m Q --middle 50",
    "reduced": "reduce QRELS --method relevant --rate 50",
    "reduced to 0": "reduce QRELS --method relevant --rate 0.1%",
    "every judgment": "reduce QRELS --method uniform --rate 100",
    "sampled": "curves QRELS RUNS -m AP --levels 100,50 --trials 2 --method relevant",
    "axis": "curves QRELS RUNS -m AP --of per-topic --levels 40,5 --trials 2 --watch gap,judged",
    "line": "curves QRELS RUNS -m AP --by per-topic=40,5 --levels 100,50 --trials 2",
    "watched": "curves QRELS RUNS -m AP -m Q --of depth --levels 100,5 --watch gap",
    "test": "matrix QRELS RUNS -m AP --test z",
    "paper": "paper --help",
    "lesson": "lesson one_document",
    "lessons": "lesson",
}
TESTS = [
    *("tests/unit/metrics/test_metrics_examples.py", "tests/unit/metrics/test_metrics_contract.py"),
    *("tests/unit/lessons/test_lessons.py", "tests/package/test_lessons_claims.py"),
    *("tests/unit/reductions/test_reductions_contract.py", "tests/package/test_cluster.py"),
    *(
        "tests/package/test_experiments_contract.py",
        "tests/package/test_counted_sentences.py",
        "tests/package/test_curves_contract.py",
        "tests/package/test_recipe.py",
    ),
    *(
        "tests/unit/experiments/test_keywords.py",
        "tests/unit/experiments/test_experiments.py",
        "tests/pages/test_story.py",
    ),
    *(
        "tests/unit/stats/test_stats_significance.py",
        "tests/unit/papers/test_papers.py",
        "tests/package/test_papers_exhibits.py",
    ),
]
"""Of those that take up what was added: all that hold of every item of a registry."""
ADDED = (
    "Twice",
    "one_document",
    "every_measure",
    "relevant]",
    "spread",
    "[z]",
    "[z-",
    "(tabled and (per-topic or gap))",
    "(usual_ones and call)",
    "buckley-voorhees",
    "test_story",
)
SELECTED = [*TESTS, "-k", " or ".join(ADDED)]
BEFORE = f"""\
import pytest
assert pytest.main(["-v", "-p", "no:cacheprovider", "-p", "no:xdist", *{SELECTED}]) == 0
"""
SPREAD = """\
from irmeval import read_collection
from irmeval.experiments import EXPERIMENTS
from irmeval.papers import PAPERS

found = EXPERIMENTS["spread"]
said["recipe"] = found(read_collection(Q, R), ["AP"], found.params(middle=80)).recipe().command()
assert app.number_input(key="spread.middle").value == 50
assert "the middle 50%" in texts(app)
assert "buckley-voorhees-2000" in PAPERS
"""


class Piece(NamedTuple):
    """Code of the guide, and where its first line says that it goes."""

    path: str
    where: str
    code: str


PIECE = re.compile(
    r"^```(?:python|toml)\n# ([\w/.]+)(?:, (at the end|in \w+))?\n(.*?)^```$", re.M | re.S
)
PIECES = [Piece(*found) for found in PIECE.findall(GUIDE)]


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository with all that the guide adds."""
    folder = tmp_path_factory.mktemp("copy")
    # but with what was compiled, which holds for what stays as it is
    without = shutil.ignore_patterns("*.png")
    for name in ("irmeval", "pages", "sample_data", "tests", ".streamlit"):
        shutil.copytree(ROOT / name, folder / name, ignore=without)
    for name in ("app.py", "pyproject.toml"):
        shutil.copy(ROOT / name, folder)
    for piece in PIECES:
        path = folder / piece.path
        if piece.where == "at the end":
            text = f"{path.read_text(encoding='utf-8')}\n\n{piece.code}"
        elif piece.where:
            begin = f"{piece.where.removeprefix('in ')} = {{\n"
            text = path.read_text(encoding="utf-8").replace(begin, begin + piece.code)
        else:
            assert not path.exists(), f"{piece.path} is there already"
            text = piece.code
        path.write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def done(copy: Path) -> str:
    """What tests and commands print there, all in one process."""
    page = PAGE.format(
        name="spread", measure="Twice@3", question="How steady is a run from topic to topic?"
    )
    done = run_added(copy, COMMANDS, page + SPREAD, BEFORE)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def said(done: str) -> dict[str, Any]:
    """What the commands print there, and what is wrong with a page."""
    return json.loads(done.splitlines()[-1])


@pytest.fixture(scope="module")
def passed(done: str) -> list[str]:
    """The tests that pass there."""
    return re.findall(r"^(tests/\S+).* PASSED", done, re.MULTILINE)


def test_guide_when_read_then_its_pieces_are_as_few_as_it_says():
    by_folder = [piece.path.rpartition("/")[0] for piece in PIECES]
    rooms = [
        "irmeval/metrics",
        "tests/unit/metrics",
        "irmeval/reductions",
        "irmeval/experiments/runs",
        "irmeval/experiments/axes",
        "tests/package",
        "irmeval/experiments/watched",
        "irmeval/stats",
        "irmeval/papers",
    ]
    assert by_folder == [*rooms, "irmeval/lessons"]
    assert len(PIECES) == GUIDE.count("```python") + GUIDE.count("```toml")


def test_metric_when_added_then_is_evaluated_and_listed(said):
    found = rows(said["evaluate"])
    assert list(dict.fromkeys(row["measure"] for row in found)) == [
        "Twice@3",
        "Twice@10",
        "Twice@1'",
    ]
    assert {0 <= float(row["score"]) <= 1 for row in found} == {True}
    listed = {row["metric"]: row for row in rows(said["catalogue"])}["Twice"]
    assert (listed["family"], listed["parameters"], listed["prime"]) == ("twice", "k, rel", "yes")


def test_metric_when_added_then_every_test_of_a_metric_takes_it_up_and_passes(passed):
    assert len([name for name in passed if "tests/unit/metrics/test_metrics_" in name]) > 20


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("[spread]", "test_experiments_contract"),
        ("[spread]", "test_counted_sentences"),
        ("[spread]", "test_keywords"),
        ("[relevant]", "test_reductions_contract"),
        ("[per-topic-", "test_curves_contract"),
        ("-gap]", "test_curves_contract"),
        ("[z]", "test_stats_significance"),
    ],
)
def test_addition_when_it_follows_the_guide_then_every_contract_takes_it_up_and_passes(
    passed, name, file
):
    assert len([test for test in passed if file in test and name in test]) >= 2


def test_experiment_when_added_then_is_a_command_with_a_recipe(said):
    assert re.search(
        r"^Runs:(?:\n .+)+\n +spread +show how far apart a run's scores lie$",
        said["help"],
        re.MULTILINE,
    )
    found = rows(said["experiment"])
    assert list(found[0]) == ["measure", "run", "spread"]
    assert len(found) == 2 * 3
    assert "spread QRELS RUNS -m AP --middle 80" in said["recipe"]


def test_experiment_when_added_then_has_a_page_without_a_script(said):
    assert said["page"] == ""


def test_reduction_when_added_then_reduces_and_is_offered_by_experiments(said):
    half, none = (
        [int(line.split()[3]) for line in said[name].splitlines()]
        for name in ("reduced", "reduced to 0")
    )
    assert len(half) == len(none)
    assert sum(g > 0 for g in half) > sum(g > 0 for g in none)
    assert half.count(0) == none.count(0)
    assert len(rows(said["sampled"])) == 4


def test_axis_when_added_then_every_topic_keeps_so_many_and_it_can_be_lines(said):
    counts = Counter(line.split()[0] for line in said["every judgment"].splitlines())
    for row in rows(said["axis"]):
        most = int(row["level"])
        left = sum(min(count, most) for count in counts.values()) / counts.total()
        assert float(row["judged"]) == pytest.approx(left)
    assert {row["line"] for row in rows(said["line"])} == {"40", "5"}


def test_statistic_when_added_then_is_watched_on_any_axis(said):
    found = rows(said["watched"])
    assert [row["measure"] for row in found] == ["AP", "AP", "Q", "Q"]
    assert {0 < float(row["gap"]) < 1 for row in found} == {True}


def test_statistical_test_when_added_then_is_offered(said):
    found = rows(said["test"])
    assert len(found) == 3
    assert {float(row["p_alone"]) < 0.05 for row in found} == {True, False}


def test_paper_when_added_then_can_be_made(said):
    assert "buckley-voorhees-2000" in re.sub(r"\s", "", said["paper"])


def test_lesson_when_added_then_is_told_with_its_number_and_its_claim_is_checked(passed, said):
    assert said["lessons"].splitlines()[-1].split()[0] == "one_document"
    assert "RR gives the list 0.50" in said["lesson"]
    assert "rr 0.50 > ap 0.25: holds" in said["lesson"]
    assert "ap 0.25 < rr 0.50: holds" in said["lesson"]
    assert len([name for name in passed if "test_lessons" in name and "one_document" in name]) == 14
