"""Fusion, by hand and against ranx's definitions as plain loops. Values were equal to
those of ranx 0.3.21, which orders ties otherwise.
"""

from functools import reduce
from operator import add

import numpy as np
import pytest

import irmeval
from irmeval.cli import main
from irmeval.collection.fusion import METHODS, Fusion, fuse_runs
from irmeval.core.errors import ParamError, ReadError
from irmeval.core.folders import SAMPLE
from irmeval.reading.foreign import run_from_dict
from tests.cases import refusal

A = {"1": {"x": 3.0, "y": 2.0, "z": 1.0}, "2": {"p": 1.0}}
B = {"1": {"y": 9.0, "w": 5.0}, "10": {"q": 2.0}}
FEW = [str(path) for path in sorted((SAMPLE / "runs").iterdir())[:3]]


def by_loops(runs, method, k=60.0):
    """ranx's definitions; min-max for sums."""
    found = {}
    for topic in sorted({t for run in runs for t in run}, key=int):
        points = {}
        for run in runs:
            scores = run.get(topic, {})
            order = sorted(sorted(scores, reverse=True), key=lambda d: -scores[d])
            for rank, document in enumerate(order, start=1):
                low, high = min(scores.values()), max(scores.values())
                one = (
                    1 / (k + rank)
                    if method == "rrf"
                    else (scores[document] - low) / max(high - low, 1e-9)
                )
                points.setdefault(document, []).append(one)
        # sum() rounds once from 3.12 on
        sums = {
            d: reduce(add, p) * (len(p) if method == "combmnz" else 1) for d, p in points.items()
        }
        found[topic] = {
            d: sums[d]
            for d in sorted(sorted(sums, reverse=True), key=lambda d: -np.float32(sums[d]))
        }
    return found


@pytest.mark.parametrize("method", METHODS)
def test_fuse_when_compared_with_loops_then_values_and_order_are_the_same(method):
    draw = np.random.default_rng(5)
    for tied in (False, True):
        scores = draw.integers(4, size=30) if tied else draw.random(30)
        lists = [
            {
                str(t): {f"d{d}": float(scores[d]) for d in draw.permutation(30)[:20]}
                for t in range(1, 5)
            }
            for _ in range(3)
        ]
        runs = dict(zip("abc", lists, strict=True))
        found, expected = irmeval.fuse(runs, method), by_loops([*runs.values()], method)
        assert found == expected
        assert {t: [*scores] for t, scores in found.items()} == {
            t: [*scores] for t, scores in expected.items()
        }


def test_fuse_when_topics_differ_then_each_run_adds_to_its_own():
    found = irmeval.fuse({"a": A, "b": B})
    assert [*found] == ["1", "2", "10"]
    assert found["1"] == {"y": 1 / 62 + 1 / 61, "x": 1 / 61, "w": 1 / 62, "z": 1 / 63}
    assert (found["2"], found["10"]) == ({"p": 1 / 61}, {"q": 1 / 61})


def test_fuse_when_a_list_has_one_score_then_its_documents_add_nothing_but_are_kept():
    assert irmeval.fuse({"a": A, "b": B}, "combmnz")["2"] == {"p": 0.0}


def test_fuse_when_depth_and_k_are_given_then_they_act():
    assert irmeval.fuse({"a": A, "b": B}, depth=1, k=0)["1"] == {"y": 1.5}


def test_fuse_when_given_files_then_is_what_the_command_writes_and_evaluates(tmp_path, capsys):
    main(
        ["fuse", *FEW, "--method", "combsum", "--name", "three", "-o", str(tmp_path / "three.run")]
    )
    assert capsys.readouterr().err.startswith("three: 3 runs, 50 topics, 45,476 lines")
    lines = [line.split() for line in (tmp_path / "three.run").read_text().splitlines()]
    found = irmeval.fuse(FEW, "combsum")
    written = [(topic, document, float(score)) for topic, _, document, _, score, _ in lines]
    assert written == [
        (topic, document, score)
        for topic, scores in found.items()
        for document, score in scores.items()
    ]
    assert [int(line[3]) for line in lines[:3]] == [1, 2, 3]
    collection = irmeval.read_collection(SAMPLE / "qrels.txt.gz", [*FEW, tmp_path / "three.run"])
    scores = irmeval.evaluate(collection, ["AP"])
    assert collection.runs[-1] == "three"
    assert 0.2 < scores.means[0, -1] < 1


def test_fused_when_read_in_another_order_then_its_scores_agree_with_its_ranks():
    run = fuse_runs([run_from_dict("a", A), run_from_dict("b", B)], Fusion(), "file")
    assert (run.name, run.tags, run.rank.to_pylist()) == (
        "rrf",
        ("rrf",),
        ["1", "2", "3", "4", "1", "1"],
    )
    assert np.all(np.diff(run.score[:4]) <= 0)


@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        (({"a": A},), ParamError, "fusion: expected at least two runs, found 1."),
        (
            ({"a": A, "b": B}, "borda"),
            ParamError,
            "method: expected one of rrf, combsum, combmnz, found 'borda'.",
        ),
        (
            ({"a": A, "b": {"1": {"x": np.inf}}}, "combsum"),
            ReadError,
            "b: expected finite scores, which are summed",
        ),
    ],
)
def test_fuse_when_it_cannot_be_then_says_why(arguments, error, said):
    assert refusal(error, irmeval.fuse, *arguments).startswith(said)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["no-such.run"], "no-such.run: "),
        ([*FEW, "--name", "a b"], "name: expected one without blanks, found 'a b'."),
        ([*FEW, "--k", "x"], "k: expected a number, found 'x'."),
    ],
)
def test_fuse_command_when_it_cannot_then_is_one_line_and_status_2(arguments, said, run_command):
    told = run_command("fuse", *arguments, status=2).err
    assert told.count("\n") == 1
    assert told.startswith(f"irmeval: {said}")
