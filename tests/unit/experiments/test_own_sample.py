"""Estimates from a collection whose own judgments are a sample."""

from dataclasses import replace

import numpy as np
import pytest

import irmeval
from irmeval.core.errors import ParamError
from irmeval.experiments import EXPERIMENTS
from irmeval.reading.design import Design
from irmeval.scoring.score_table import ENDS
from irmeval.scoring.selection import Selection, select, select_by_name
from tests.small_work import tied
from tests.unit.experiments.test_ends import sampled

OWN = EXPERIMENTS["own-sample"]


def test_own_sample_when_measures_are_asked_for_then_each_has_both_intervals_beside_its_target():
    result, found = (
        OWN(sampled(), ["AP", "P@10"]),
        irmeval.estimate(sampled(), ["statAP", "statP@10"]),
    )
    assert [*zip(result.measures, result.targets, strict=True)] == [
        *[("xinfAP", "AP"), ("statAP", "AP"), ("infP@10", "P@10"), ("statP@10", "P@10")]
    ]
    frame, raw = result.frame(), irmeval.evaluate(sampled(), ["AP", "P@10"])
    for m, (name, target) in enumerate((("statAP", "AP"), ("statP@10", "P@10"))):
        shown = frame[frame["measure"] == name].set_index("run").loc[[*sampled().runs]]
        expected = [
            found.over_topics()[m],
            *(end[m] for over in ("judgments", "topics") for end in found.bounds(over=over)),
        ]
        # to the last bits: NumPy 2.0 rounds the same sums otherwise in arrays of another shape
        np.testing.assert_allclose(shown[[*ENDS]].to_numpy().T, expected, rtol=1e-14)
        np.testing.assert_array_equal(shown["raw"], raw.means[m])
        assert (shown["target"] == target).all()


def test_sentence_when_judgments_are_a_sample_then_says_how_many_estimate_and_measure_alone():
    result = OWN(sampled(), ["P@10"])
    best = result.order(0)[0]
    claim, said, _ = result.verdict()
    assert claim.startswith(f"{result.runs[best]} is best by infP@10: about ")
    assert said.startswith("Judgments are a sample: ")
    assert f"It is estimated at {result.estimates[0, best]:.4f} (95% intervals" in said
    assert said.endswith(f"P@10 of the drawn judgments alone is {result.raw[0, best]:.4f}.")


def test_sentence_when_there_is_one_run_then_it_is_not_said_to_be_best():
    some = sampled()
    result = OWN(select_by_name(some, some.runs[:1], some.topics), ["P@10"])
    assert result.verdict().claim == (
        f"{some.runs[0]} is the only run: about {result.estimates[0, 0]:.3f} by infP@10 on all"
        " judgments."
    )


@pytest.mark.parametrize("asked", [["statAP", "RR"], ["statAP", "AP"], ["AP", "statAP"]])
def test_own_sample_when_an_estimator_is_asked_for_by_name_then_it_is_its_own_target(asked):
    result = OWN(sampled(), asked)
    assert dict(zip(result.measures, result.targets, strict=True))["statAP"] == "statAP"
    assert "alone" not in result.headline("statAP")


def test_own_sample_when_an_estimator_is_undefined_then_is_said_and_its_chart_has_no_marks():
    result = OWN(sampled(), ["P@10"])
    values = np.array(result.ends.values)
    values[:, 0] = np.nan
    undefined = replace(result, ends=replace(result.ends, values=values))
    assert undefined.verdict("infP@10").claim == "infP@10 is undefined on every topic."
    (chart,) = undefined.charts("infP@10")
    assert all(not np.isfinite(np.asarray(trace.x, float)).any() for trace in chart.draw().data)


def test_own_sample_when_each_document_has_its_own_probability_then_only_who_know_it_are_there():
    whole = sampled()
    drawn = replace(
        Design.plain(whole.topic, len(whole.topics)), stated=np.full(whole.grade.size, 0.5)
    )
    assert OWN(replace(whole, design=drawn), ["AP", "P@10"]).measures == ("statAP", "statP@10")


def test_own_sample_when_all_is_judged_then_estimates_are_the_scores_and_intervals_have_no_width():
    built = replace(sampled(), design=None, grade=np.abs(sampled().grade))
    frame = OWN(built, ["P@10"]).frame()
    exact = frame[frame["measure"] == "statP@10"]
    np.testing.assert_allclose(exact["estimate"], exact["raw"], atol=1e-12)
    np.testing.assert_allclose(exact["low_judgments"], exact["high_judgments"], atol=1e-12)


def test_own_sample_when_no_measure_has_an_estimator_then_says_which_measures_have():
    with pytest.raises(
        ParamError, match=r"expected a measure with an estimator \(AP, nDCG, P, RBP\), found RR"
    ):
        OWN(sampled(), ["RR"])


def test_estimates_when_judgments_are_a_sample_already_then_says_what_to_use():
    with pytest.raises(
        ParamError,
        match="these judgments are a sample. irmeval own-sample estimates scores from them",
    ):
        EXPERIMENTS["estimates"](sampled(), ["AP"])


def test_sentence_when_there_is_one_topic_then_has_no_interval_over_topics():
    one = select(sampled(), Selection(topics_only=sampled().topics[0])).collection
    assert "nan" not in OWN(one, ["P@10"]).headline()


def test_own_sample_when_all_of_the_pool_is_judged_then_says_so_with_no_interval_without_width():
    said = OWN(tied(12, 6), ["AP"]).verdict().beside
    assert said.startswith(
        "Every document of the pool is judged, so there is nothing to estimate. "
    )
    assert "over topics)" in said
    assert "over judgments" not in said
