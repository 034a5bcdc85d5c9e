"""What is really left where a share of the judgments is asked for: in every table, and
in every sentence.
"""

import re

import numpy as np
import pytest

from irmeval.core.params import fields
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.axes.fewer_judgments import Sampling
from irmeval.experiments.trials import Realised, describe_spread, realise
from irmeval.reductions import REDUCTIONS, reduce
from tests.cases import collection
from tests.counted import FEW, measures_of
from tests.small_work import params_of, sentences_of, source
from tests.watched import ASKED, CURVES, asked

SWEPT = [
    *("judgments", "decisions", "grades"),
    *(
        name
        for name, experiment in EXPERIMENTS.items()
        if {"rates", "trials"} <= {*fields(experiment.params)}
    ),
]
"""What asks for shares of the judgments: of `ASKED`, or an experiment."""
SPENT = [
    name
    for name, experiment in EXPERIMENTS.items()
    if "budgets" in fields(experiment.params) and name != "topics-needed"
]
"""Those that ask for shares of the pools."""
SHAPES = {"all": (1, 0), "33%": (3, 0), "55%": (1, 19), "10%": (10, 100)}
"""What a tenth really leaves by the stratified samples -> relevant and nonrelevant
documents of each topic.
"""
STATED = r"(\d[\d.]*|more than 99|less than 1)%(?= of the (?:judgments|pool)\b| judged| left| \()"
"""A share that a sentence states as what happened."""


def floor(relevant: int, nonrelevant: int, topics: int = 6, runs: int = 3):
    """Runs that found the relevant documents at different ranks, on topics with so many
    judgments.
    """
    judged = {f"d{i}": int(i < relevant) + (i == 0) for i in range(relevant + nonrelevant)}
    lists = {
        f"r{r}": {
            str(t): [*[f"u{r}{i}" for i in range((r + t) % 3)], *judged] for t in range(topics)
        }
        for r in range(runs)
    }
    return collection({str(t): judged for t in range(topics)}, lists)


def run(name: str, of, **given):
    """The result of an experiment, or of one of `ASKED`, with little work."""
    if name in ASKED:
        return CURVES(of, measures_of(name)[:2], asked(name, **given))
    experiment = EXPERIMENTS[name]
    return experiment(
        source(experiment, of),
        measures_of(name)[:2] if experiment.measured else None,
        params_of(experiment, FEW | given),
    )


def texts(result) -> list[str]:
    """All that a result says."""
    return [*sentences_of(result), *(table.title for table in result.tables())]


def counted(of, params) -> dict[tuple[float, int], float]:
    """Per cent of the judgments that are left, by rate and trial, counted in what is
    drawn.
    """
    name, judged = params.method, np.count_nonzero(of.grade >= 0)
    axis = REDUCTIONS[name].axis.name
    return {
        (rate, t + 1): 100 * np.count_nonzero(grades >= 0) / judged
        for rate in getattr(params, "rates", None) or params.levels
        for t, grades in enumerate(
            [of.grade] * params.trials
            if rate == 100
            else reduce(of, name, trials=params.trials, seed=params.seed, **{axis: rate})
        )
    }


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", SWEPT)
def test_left_when_floors_bind_then_tables_state_what_a_count_gives(name, shape):
    of = floor(*SHAPES[shape])
    result = run(name, of)
    frame, left = result.frame(), counted(of, result.params)
    at = "level" if name in ASKED else "rate"
    assert {*frame[at]} == {rate for rate, _ in left}
    assert frame["left"].tolist() == pytest.approx(
        [left[key] for key in zip(frame[at], frame["trial"], strict=True)]
    )


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", [*SWEPT, *SPENT, "scorecard"])
def test_sentences_when_floors_bind_then_state_what_is_left_and_no_verdict_where_nothing_is_removed(
    name, shape
):
    result = run(name, floor(*SHAPES[shape]))
    there = [result.reduced] if name == "scorecard" else result.realised
    allowed = {one.amount.removesuffix("%") for one in there} | {"100"}
    said = texts(result)
    assert {
        (share, text) for text in said for share in re.findall(STATED, text) if share not in allowed
    } == set()
    apart = any(not one.as_asked for one in there)
    assert {" asked)" in chart.caption.partition("Judged: ")[2] for chart in result.charts()} <= {
        apart
    }
    if shape == "all" and name != "order-fairness":
        assert "too little to " in said[0]
        assert not re.search(r"\b(best|worst|most robust|keeps? the order|decisions) ", said[0])


@pytest.mark.parametrize(
    ("asked", "left", "amount", "beside", "too_much"),
    [
        (10, 10.4, "10%", "", False),
        (10, 9.4, "9.4%", " (10% asked)", False),
        (1, 1.04, "1%", "", False),
        (1, 1.53, "1.5%", " (1% asked)", False),
        (10, 95, "95%", " (10% asked)", False),
        (10, 99.8, "more than 99%", " (10% asked)", True),
        (97, 97, "97%", "", True),
        (95, 95.03, "95%", "", False),  # asked, but for rounding
        (95, 95.6, "96%", " (95% asked)", True),
        (100, 100, "100%", "", False),
    ],
)
def test_realised_when_near_what_was_asked_then_that_is_said_and_else_what_is_left(
    asked, left, amount, beside, too_much
):
    found = Realised(asked, left)
    assert (found.amount, found.beside, found.too_much) == (amount, beside, too_much)


def test_realised_when_too_much_is_left_then_the_refusal_says_how_much_and_why():
    assert (
        Realised(10, 100, "every topic keeps 1").refuse_verdict()
        == "No judgment is removed, too little to tell how robust a measure is. 10% asked, 100%"
        " left: every topic keeps 1."
    )
    assert (
        Realised(97, 97).refuse_verdict()
        == "Less than a twentieth of the judgments is removed, too little to tell how robust a"
        " measure is. 97% of the judgments is left."
    )


def test_captions_when_the_method_draws_nothing_at_random_then_no_band_over_trials_is_named():
    for method, said in (
        ("by-depth", "all trials are equal"),
        ("at-random", "rials"),
    ):
        captions = [c.caption for c in run("judgments", floor(10, 100), method=method).charts()]
        assert all(said in caption for caption in captions)
        assert any(" spans " in caption for caption in captions) == (method == "at-random")


@pytest.mark.parametrize(
    ("trials", "said"),
    [
        (1, " One trial."),
        (3, " The band spans the middle 90% of 3 trials, interpolated."),
        (20, " The band spans the 5th to 95th percentile of 20 trials."),
    ],
)
def test_bands_when_trials_are_few_then_no_percentile_of_them_is_named(trials, said):
    def described(wide: bool) -> str:
        return describe_spread(trials, "The band", random=True, wide=wide)

    assert described(wide=True) == said
    assert described(wide=False) == (said if trials == 1 else f" All {trials} trials are equal.")


@pytest.mark.parametrize(
    ("rounding", "why"),
    [
        ("floor", "every topic keeps at least 1 document"),
        (
            "half-up",
            (
                "numbers of documents are rounded to the nearest, and every topic keeps at least 1"
                " document"
            ),
        ),
        ("ceil", "numbers of documents are rounded up, and every topic keeps at least 1 document"),
    ],
)
def test_realised_when_numbers_are_rounded_up_then_the_reason_names_that(rounding, why):
    found = realise(Sampling(rounding=rounding, method="uniform"), (10.0,), np.array([[55.0]]))
    assert found[0].why == why


def test_realised_when_minimums_are_set_then_the_reason_and_the_samples_have_them():
    few = Sampling(least_relevant=2, least_nonrelevant=0)
    found = realise(few, (10.0,), np.array([[55.0]]))
    assert found[0].why == "every topic keeps at least 2 relevant and 0 nonrelevant documents"
    shares = [
        run("judgments", floor(10, 100), trials=1, levels=(100, 1), least_nonrelevant=n).left[
            0, -1, 0
        ]
        for n in (0, 10, 50)
    ]
    assert shares[0] < shares[1] < shares[2]


def test_orders_when_some_are_not_random_then_captions_claim_a_band_of_random_orders_alone():
    result = run("orders", floor(10, 100))
    named = "The band (random orders only) "
    captions = [chart.caption for chart in result.charts()]
    assert any(named in caption for caption in captions)
    assert all(f"{named}spans the middle" in c or "are equal" in c for c in captions)


def test_depth_when_no_list_reaches_it_then_it_is_said():
    result = run("depth", floor(1, 2), levels=(2, 100))
    assert not re.search(r"depth 100|reaches rank", result.headline())
    assert all(" No list reaches rank 100." in chart.caption for chart in result.charts())
    told = run("depth", floor(1, 2), levels=(100,)).verdict()
    assert told.beside.startswith("No list reaches rank 100, the longest has 5 documents. ")
    assert told.claim == "No judgment is removed, too little to tell how robust a measure is."
