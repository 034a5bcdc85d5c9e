"""How many judgments an interval takes: the allocation, and a sample that is judged and
returned.
"""

from dataclasses import replace

import numpy as np
import pytest

import irmeval
from irmeval.core.errors import ParamError, ReadError
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.incompleteness import judgments_needed as jn
from irmeval.reading.parsing import parse_qrels
from irmeval.reductions import draw, with_design
from irmeval.report.exports import format_result
from irmeval.stats.sample_size import allocate, variance_of_total
from tests.cases import collection, drawn

NEEDED = EXPERIMENTS["judgments-needed"]


@pytest.fixture(scope="module")
def built():
    judgments, scores = drawn(3, topics=12, depth=60)
    rankings = {
        run: {t: sorted(of, key=of.get, reverse=True) for t, of in topics.items()}
        for run, topics in scores.items()
    }
    return collection(judgments, rankings)


def test_allocation_when_compared_with_all_others_then_is_the_cheapest_that_is_sure_enough():
    units, deviation, none = np.array([9, 12, 15]), np.array([0.5, 0.2, 0.1]), np.zeros(3, int)
    sizes = allocate(units, deviation, none, 3.0)
    assert variance_of_total(units, deviation, sizes) <= 3.0
    every = np.stack(np.meshgrid(*(np.arange(2, n + 1) for n in units)), axis=-1).reshape(-1, 3)
    cheapest = min(n.sum() for n in every if variance_of_total(units, deviation, n) <= 3.0)
    assert cheapest <= sizes.sum() <= cheapest + 1  # whole documents of each


@pytest.mark.parametrize("variance", [0.0, 1e9])
def test_allocation_when_nothing_or_all_is_wanted_then_keeps_what_is_drawn_and_within_the_strata(
    variance,
):
    units, before = np.array([1, 5, 8]), np.array([0, 4, 1])
    sizes = allocate(units, np.array([0.3, 0.3, 0.3]), before, variance)
    assert sizes.tolist() == ([1, 5, 8] if variance == 0 else [1, 4, 2])


@pytest.mark.parametrize("which", [0, 1, 2])
def test_sample_when_judged_and_read_again_then_gives_about_the_interval_that_was_promised(
    built, which
):
    first, second = built.runs[:2]
    found = NEEDED(
        built,
        ["P@10"],
        NEEDED.params(half_width=0.05, of_runs=("", first, f"{first},{second}")[which]),
    )
    assert (
        f"{found.needed:,} judgments of {built.grade.size:,} documents are expected to give an"
        " interval of ± 0.0" in found.headline()
    )
    named = zip((built.topics[t] for t in built.topic), built.documents.to_pylist(), strict=True)
    truth = dict(zip(named, built.grade, strict=True))
    lines = [line.split() for line in format_result(found, "trec", None).splitlines()]
    text = "".join(f"{t} 0 {d} {s} {truth[t, d] if g == '?' else g}\n" for t, _, d, s, g in lines)
    returned = parse_qrels("back", text.encode())
    by_rank = with_design(built, "by-rank")
    np.testing.assert_array_equal(returned.design.stratum, by_rank.design.stratum)
    assert (returned.grade >= 0).sum() == found.needed == len(found.frame())
    estimates = irmeval.estimate(by_rank, "statP@10", grades=returned.grade)
    if which == 2:
        low, high = estimates.difference(first, second)[["low", "high"]].to_numpy().T
    else:
        low, high = (end[0, : 1 if which else None] for end in estimates.bounds())
    assert np.sqrt((((high - low) / 2) ** 2).mean()) == pytest.approx(0.05, rel=0.35)


@pytest.mark.parametrize("which", [0, 2])
def test_samples_when_tried_then_are_those_of_other_seeds_by_hand(built, which):
    runs = built.runs[:which] or built.runs
    found = NEEDED(
        built, ["P@10"], NEEDED.params(half_width=0.1, of_runs=",".join(built.runs[:which]))
    )
    by_rank = with_design(built, "by-rank")
    asked = (found.chosen["grade"] == "?").to_numpy()
    sizes = np.bincount(by_rank.design.stratum, asked).astype(int)
    tried = [
        jn._draw_sample(jn._judged(by_rank, False), sizes, 1, trial)
        for trial in range(2, 2 + jn.TRIED)
    ]
    assert not any((one == asked).all() for one in tried)
    for trial, one in enumerate(tried):
        np.testing.assert_array_equal(np.bincount(by_rank.design.stratum, one), sizes)
        estimates = irmeval.estimate(by_rank, "statP@10", grades=np.where(one, built.grade, -1))
        if which:
            low, high = (estimates.difference(*runs)[end].to_numpy() for end in ("low", "high"))
            truth = -np.diff(irmeval.evaluate(built, "P@10").means[0][:2])
        else:
            (low,), (high,) = estimates.bounds()
            truth = irmeval.evaluate(built, "P@10").means[0]
        assert found.tried[trial] == pytest.approx(np.median((high - low) / 2))
        assert found.held[trial].tolist() == ((low <= truth) & (truth <= high)).tolist()
    assert f" of {jn.TRIED} trials (95% interval " in found.headline()
    assert "Take more" not in replace(found, held=np.ones_like(found.held)).headline()
    assert (
        replace(found, held=np.zeros_like(found.held))
        .headline()
        .endswith(" in 0% of 30 trials (95% interval 0% to 12%). Take more.")
    )


def test_samples_when_some_have_too_little_for_an_interval_then_those_are_counted_apart(built):
    found = NEEDED(built, ["P@10"], NEEDED.params(half_width=0.1, of_runs=built.runs[0]))
    some = replace(
        found,
        tried=np.array([0.1, np.nan, 0.3, 0.2]),
        held=np.array([[True], [False], [True], [True]]),
    )
    assert (
        "it is ± 0.2. It contains the value on all judgments in 100% of 3 trials (95% interval "
        in some.headline()
    )
    assert some.headline().endswith("). 1 trial of 4 has too few documents for an interval.")
    few = replace(
        found, tried=np.array([0.1, np.nan, np.nan]), held=np.array([[True], [False], [False]])
    )
    assert few.headline().endswith(
        ". Tried with these judgments, 2 trials of 3 have too few documents for an interval."
    )


def test_samples_when_judgments_are_a_sample_or_none_is_left_then_none_is_tried(built):
    sampled = replace(with_design(built, "by-rank"), grade=draw(built, "by-rank", [20], 1, 1)[0])
    for found in (
        NEEDED(sampled, ["AP"]),
        NEEDED(built, ["P@5"], NEEDED.params(pool="lists")),
        NEEDED(built, ["AP"], NEEDED.params(half_width=1e-6)),
    ):
        assert found.tried.size == 0
        assert "Tried" not in found.headline()


def test_plan_for_a_ratio_when_made_then_draws_a_share_of_each_stratum(built):
    found = NEEDED(built, ["nDCG"], NEEDED.params(half_width=0.5))
    cells = found.chosen.assign(asked=found.chosen["grade"] == "?").groupby(["topic", "stratum"])[
        "asked"
    ]
    assert (
        cells.sum() >= np.minimum(np.maximum(np.ceil(0.05 * cells.size()), 2), cells.size())
    ).all()


def test_sample_when_not_judged_yet_then_is_refused_by_line(built):
    found = NEEDED(built, ["P@10"], NEEDED.params(half_width=0.05))
    with pytest.raises(ReadError, match="line"):
        parse_qrels("back", format_result(found, "trec", None).encode())


def test_judgments_when_a_sample_already_then_stay_and_more_are_drawn(built):
    grades = draw(built, "by-rank", [20], 1, 1)[0]
    sampled = replace(with_design(built, "by-rank"), grade=grades)
    found = NEEDED(sampled, ["AP"], NEEDED.params(half_width=0.02))
    assert (found.chosen["grade"].isin(["-1", "?"]) == (grades < 0)).all()
    assert found.needed > 0
    enough = NEEDED(sampled, ["AP"], NEEDED.params(half_width=0.9))
    assert enough.headline().startswith("No more judgments are needed") == (enough.needed == 0)


def test_judgments_when_few_then_more_are_drawn_of_what_the_lists_have(built):
    found = NEEDED(built, ["P@5"], NEEDED.params(half_width=0.001, pool="lists"))
    judged = found.chosen[found.chosen["stratum"] == "judged"]
    assert (judged["grade"].astype(int) >= 0).all()
    assert set(found.frame()["stratum"]) <= {"1", "2", "3"}


@pytest.mark.parametrize("pool", ["judged", "lists"])
@pytest.mark.parametrize("name", ["AP", "P@10", "nDCG"])
def test_plan_when_nothing_in_the_lists_is_relevant_then_no_width_is_promised(pool, name):
    documents = [f"d{i}" for i in range(60)]
    lists = {run: dict.fromkeys("123", documents[i:]) for i, run in enumerate("xyz")}
    grades = {t: dict.fromkeys(documents[:40], 0) | {"elsewhere": 1} for t in "123"}
    found = NEEDED(collection(grades, lists), [name], NEEDED.params(pool=pool))
    assert np.isnan(found.half_width)
    assert found.verdict().claim == "Nothing tells how wide an interval is."
    assert found.verdict().beside.startswith("No judged document of the lists is relevant.")
    assert "±" not in found.headline()


def test_plan_when_impossible_then_says_what_was_expected(built):
    with pytest.raises(ParamError, match="expected a measure that has an estimator"):
        NEEDED(built, ["RR"], NEEDED.params())
    with pytest.raises(ParamError, match="expected one or two names"):
        NEEDED(built, ["AP"], NEEDED.params(of_runs=",".join(built.runs[:3])))
    with pytest.raises(ParamError, match="lists is for judgments that are not a sample"):
        NEEDED(with_design(built, "by-rank"), ["AP"], NEEDED.params(pool="lists"))


def test_verdict_when_the_width_is_unknown_then_says_why_and_promises_none(built):
    found = NEEDED(built, ["AP"], NEEDED.params(half_width=0.02))
    verdict = replace(found, half_width=np.nan).verdict()
    assert verdict.claim == "Nothing tells how wide an interval is."
    assert verdict.beside.startswith("Too few documents are judged")


def test_plan_when_documents_of_a_stratum_were_drawn_unlike_then_is_refused():
    text = b"1 0 a 1 0.5\n1 0 b 0 0.25\n1 0 c 0 0.125\n"
    lists = {"r": {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}}
    built = irmeval.Collection.from_dicts({"1": {"a": 1, "b": 0, "c": 0}}, lists)
    design = parse_qrels("q", text).design
    assert not design.alike
    with pytest.raises(ParamError, match="drawn alike, found probabilities by document"):
        NEEDED(replace(built, design=design), ["P@10"])
