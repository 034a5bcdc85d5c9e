"""Samples with known probabilities."""

import numpy as np
import pytest

import irmeval
from irmeval.core.errors import ParamError
from irmeval.reading.formats import recognise
from irmeval.reductions import draw, with_design
from irmeval.report.exports import reduced_qrels
from tests.cases import collection

POOL = {f"d{i:02}": i % 3 for i in range(40)}


def two_topics() -> irmeval.Collection:
    """Two topics; two runs that share the upper documents."""
    ranking = list(POOL)[:30]
    return collection(
        {"1": POOL, "2": POOL},
        {"a": {"1": ranking, "2": ranking[::-1]}, "b": {"1": ranking[::2], "2": ranking[:5]}},
    )


@pytest.fixture(scope="module")
def built() -> irmeval.Collection:
    return two_topics()


def drawn(built, name, rate, trials=1, **params):
    return [draw(built, name, [rate], trial, 1, **params)[0] >= 0 for trial in range(1, trials + 1)]


def test_by_rank_when_drawn_then_upper_strata_are_drawn_more_often_and_the_whole_has_the_rate(
    built,
):
    params = {"bounds": "5,15", "weights": "4,2,1"}
    design = with_design(built, "by-rank", **params).design
    kept = drawn(built, "by-rank", 25, **params)[0]
    of_topic = design.stratum[kept & (built.topic == 0)]
    # the best ranks of topic 1: a has 30 documents, b every other of them, higher up
    sizes = np.bincount(design.stratum[built.topic == 0])
    unit = 10 / (sizes @ [4, 2, 1])
    assert (
        np.bincount(of_topic).tolist()
        == np.floor(sizes * np.array([4, 2, 1]) * unit + 0.5).tolist()
    )


def test_by_rank_when_the_rate_is_high_then_a_stratum_is_drawn_whole_and_the_rest_from_the_others(
    built,
):
    design = with_design(built, "by-rank").design
    kept = drawn(built, "by-rank", 80)[0]
    for topic in (0, 1):
        members = design.stratum[built.topic == topic]
        n, N = (
            np.bincount(design.stratum[kept & (built.topic == topic)])[members.min() :],
            np.bincount(members)[members.min() :],
        )
        assert n[0] == N[0]
        assert abs(n.sum() - 32) <= 1


def test_weighted_when_worked_out_by_hand_then_weights_are_the_mean_prior_over_runs():
    built = collection({"1": {"x": 1, "y": 0, "z": 0}}, {"a": {"1": ["x", "y"]}, "b": {"1": ["x"]}})
    # a: 1 + H_2 - H_1 = 1.5 and 1 + H_2 - H_2 = 1; b: 1
    assert with_design(built, "weighted").design.weight.tolist() == [(1.5 + 1) / 2, 1 / 2, 0]


@pytest.mark.parametrize("name", ["by-rank", "weighted"])
def test_sample_when_written_then_estimates_are_the_same_when_it_is_read(built, name, tmp_path):
    sampled, grades = with_design(built, name), irmeval.reduce(built, name, rate=50)[0]
    text = reduced_qrels(sampled, grades)
    assert recognise("q", text.encode(), "qrels").format.name == (
        "strata" if name == "by-rank" else "prels"
    )
    (tmp_path / "qrels").write_text(text)
    runs = {"a": "".join(f"1 Q0 {d} {r} {-r} a\n" for r, d in enumerate(list(POOL)[:30]))}
    (tmp_path / "a").write_text(runs["a"])
    read = irmeval.read_collection(tmp_path / "qrels", tmp_path / "a")
    ours = irmeval.evaluate(sampled, ["statP@10", "statRBP(p=0.8)"], grades=grades).values[:, 0, 0]
    np.testing.assert_allclose(
        irmeval.evaluate(read, ["statP@10", "statRBP(p=0.8)"]).values[:, 0, 0],
        ours,
        rtol=0,
        atol=1e-12,
    )


def test_sample_when_drawn_of_a_sample_then_is_refused(built):
    with pytest.raises(ParamError, match="the judgments are a sample already"):
        with_design(with_design(built, "by-rank"), "weighted")


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"bounds": "50,10"}, "bounds: expected rising numbers, found '50,10'"),
        (
            {"bounds": "x"},
            "bounds: expected 1 to 19 numbers above 0, separated by commas, found 'x'",
        ),
        ({"weights": "1"}, "weights: expected 3, one more than there are bounds, found '1'"),
    ],
)
def test_strata_when_ill_described_then_are_refused(built, params, message):
    with pytest.raises(ParamError, match=message):
        draw(built, "by-rank", [50], 1, 1, **params)
