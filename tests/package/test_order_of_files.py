"""The order of files, runs, lines and topics changes nothing."""

import random
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import irmeval
from irmeval.reading.score_matrix import parse_matrix
from irmeval.reductions import REDUCTIONS
from tests.cases import drawn
from tests.small_work import MEASURES, every, small, source

LEVELS = {"rate": 30, "budget": 30, "pool": 2, "teams": 2}


def written(folder: Path, order: random.Random) -> irmeval.Collection:
    """The same collection, its lines shuffled, in files that are given in another
    order.
    """
    judgments, scores = drawn(11, topics=8, runs=5)
    (folder / "runs").mkdir()
    lines = [
        f"{topic} 0 {document} {grade}\n"
        for topic, of in judgments.items()
        for document, grade in of.items()
    ]
    (folder / "qrels.txt").write_text("".join(order.sample(lines, len(lines))))
    for run in scores:
        lines = [
            f"{topic} Q0 {document} 1 {score} {run}\n"
            for topic, of in scores[run].items()
            for document, score in of.items()
        ]
        (folder / "runs" / f"{run}.txt").write_text("".join(order.sample(lines, len(lines))))
    paths = [*(folder / "runs").iterdir()]
    return irmeval.read_collection(folder / "qrels.txt", order.sample(paths, len(paths)))


@pytest.fixture(scope="module")
def ways(tmp_path_factory):
    return [written(tmp_path_factory.mktemp(f"way{seed}"), random.Random(seed)) for seed in (1, 2)]


def test_collection_when_files_and_lines_are_in_another_order_then_is_the_same(ways):
    one, other = ways
    assert one.runs == other.runs == ("run0", "run1", "run2", "run3", "run4")
    assert one.digests != other.digests
    assert one.fingerprint == other.fingerprint


@every
def test_result_when_files_and_lines_are_in_another_order_then_is_the_same(ways, experiment):
    if experiment.data or experiment.judged:
        one, other = (experiment(source(experiment, c), MEASURES, small(experiment)) for c in ways)
        assert one.headline() == other.headline()
        for table, again in zip(one.tables(), other.tables(), strict=True):
            pd.testing.assert_frame_equal(
                table.make(), again.make(), check_exact=True, obj=f"{experiment.name} {table.name}"
            )


@pytest.mark.parametrize("name", REDUCTIONS)
def test_reduction_when_files_and_lines_are_in_another_order_then_keeps_the_same(ways, name):
    axis = REDUCTIONS[name].axis.name
    one, other = (irmeval.reduce(c, name, **{axis: LEVELS[axis]}, seed=3) for c in ways)
    assert np.array_equal(one, other)


def test_matrix_when_runs_and_topics_are_in_another_order_then_is_the_same():
    texts = (
        b"topic,run2,run10\n9,.1,.2\n10,.3,.4\n11,.5,.7\n",
        b"topic,run10,run2\n11,.7,.5\n9,.2,.1\n10,.4,.3\n",
    )
    one, other = (parse_matrix("m.csv", text) for text in texts)
    assert one.runs == ("run2", "run10")
    assert one.topics == ("9", "10", "11")
    assert one.values.tolist() == [[0.1, 0.3, 0.5], [0.2, 0.4, 0.7]]
    assert one.fingerprint == other.fingerprint


def test_fusion_when_runs_are_in_another_order_then_is_the_same():
    _, scores = drawn(5, topics=4, runs=7)
    for method in ("rrf", "combsum", "combmnz"):
        assert repr(irmeval.fuse(scores, method)) == repr(
            irmeval.fuse(dict(reversed(scores.items())), method)
        )
