"""Sentences on runs, pairs, topics and measures are right for none, one, two, many and
all.
"""

import re

import pytest

from irmeval.core.errors import ParamError
from irmeval.core.params import fields
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.axes import AXES
from irmeval.experiments.facts import LONGEST
from tests.counted import (
    FAULTS,
    UNJUDGED,
    ends_written_alike,
    experiment_of,
    is_enough,
    long_sentences,
    made,
    many,
    teams,
    tied,
    unfound,
    ungraded,
    unjudged,
    work,
)
from tests.small_work import sentences_of
from tests.watched import ASKED

OF_THE_SAME = (
    r"\b(agree|changes?|differs?|contradict|swap|keeps?|depends) [a-z"
    r" ]*(most|best)\b|hardest|worst|the fewest"
)
"""What no headline may say where nothing differs."""


WINNER = (
    r"\b(r\d|run\d+) (is best|is better|climbs|falls|most\b)|\b(best|most) (is|of) (r\d|run\d+)\b"
)
"""A run that is told apart from others."""


def claims_of(result):
    """The claims of a result, for all that it can be shown for."""
    choice = result.choice()
    options = ("", *map(str, choice.options[:5])) if choice else ("",)
    return [result.verdict(option).claim for option in options]


def faults_of(claim):
    """What a claim may not have: too many words, ends that are written alike."""
    if len(claim.split()) > LONGEST:
        yield "too many words"
    if ends_written_alike(claim):
        yield "ends written alike"


SHAPES = [
    *(
        (made, runs, topics, measures)
        for runs, topics in [(1, 2), (2, 2), (2, 7), (3, 7)]
        for measures in (1, 2, 5)
    ),
    *((made, *few) for few in [(1, 1, 1), (2, 1, 2), (3, 1, 5)]),
    *((tied, *few) for few in [(1, 1, 1), (2, 2, 1), (2, 7, 2), (3, 7, 5)]),
    *((unjudged, *few) for few in [(1, 1, 1), (2, 2, 2), (3, 7, 5)]),
    *((unfound, *few) for few in [(2, 7, 1), (3, 7, 5)]),
    *((teams, *few) for few in [(2, 2, 1), (3, 7, 2)]),
    *((many, *few) for few in [(2, 12, 5), (12, 12, 2), (25, 12, 5)]),
]
"""What a collection is made by, its runs and topics; measures."""


@pytest.mark.parametrize("name", [*EXPERIMENTS, *ASKED])
def test_sentences_when_there_are_one_two_or_many_then_are_right(name):
    found = {}
    for of, runs, topics, measures in SHAPES:
        unknown = of in (unjudged, unfound, teams, many) or (of is made and runs > 2)
        if experiment_of(name).data and (
            not is_enough(name, runs, topics) or (name == UNJUDGED and not unknown)
        ):
            with pytest.raises(
                ParamError, match="expected .*(, found |at least)|Nothing is left to judge: "
            ):
                work(name, of, runs, topics, measures)
            continue
        result = work(name, of, runs, topics, measures)
        headline, *_ = texts = sentences_of(result)
        where = of.__name__, runs, topics, measures
        found |= {
            (fault, where): text
            for text in texts
            for fault, pattern in FAULTS.items()
            if re.search(pattern, text)
        }
        found |= {
            ("more than 25 words", sentence): where
            for text in texts
            for sentence in long_sentences(text)
        }
        found |= {
            (fault, where): claim for claim in claims_of(result) for fault in faults_of(claim)
        }
        found |= {("no full stop", where): headline} if not headline.endswith(".") else {}
        # where samples of judgments differ
        if (
            of in (tied, unfound)
            and experiment_of(name).data
            and name not in {"curves", "holes", *ASKED}
        ):
            found |= (
                {("a difference where nothing differs", where): headline}
                if re.search(OF_THE_SAME, headline)
                else {}
            )
        if of in (tied, unfound) and runs > 1 and re.search(WINNER, headline):
            found |= {("a winner where all runs tie", where): headline}
    assert found == {}


@pytest.mark.parametrize(
    "name",
    [*(name for name, e in EXPERIMENTS.items() if e.data and "trials" in fields(e.params)), *ASKED],
)
def test_sentences_when_there_is_one_trial_then_state_no_share_of_it(name):
    for runs, topics in [(2, 7), (3, 7)]:
        result = work(name, made, runs, topics, 2, trials=1)
        texts = [result.headline(), *(chart.caption for chart in result.charts())]
        assert [
            text
            for text in texts
            if re.search(
                r"% of (the |such |its )?(trials|samples|pools|\d+% intervals)|\b1 trial can", text
            )
        ] == []


@pytest.mark.parametrize("name", [*EXPERIMENTS, *ASKED])
def test_sentences_when_nothing_is_relevant_then_state_no_number_of_it(name):
    for runs, topics in [(1, 1), (2, 2), (3, 7)]:
        if not experiment_of(name).data or name == UNJUDGED:
            continue
        try:
            result = work(name, ungraded, runs, topics, 2)
        except ParamError:
            continue
        assert [
            (text, fault)
            for text in sentences_of(result)
            for fault, pattern in FAULTS.items()
            if re.search(pattern, text)
        ] == []


def test_findings_of_one_run_are_about_that_run():
    def told(name: str) -> str:
        return EXPERIMENTS[name](made(1, 2), ["AP"]).headline()

    assert told("leaderboard").startswith("r0 is the only run: mean AP ")
    assert ", the mean AP falls to 76%" in told("curves")
    assert told("unjudged").startswith("Every document of every top 10 is judged. ")
    assert told("leave-one-out").startswith(
        "Without their own team's contributions, no run has a score by AP."
    )


def test_findings_of_a_pair_say_which_runs_differ_and_not_how_many_pairs():
    def told(name: str, **params: object) -> str:
        return EXPERIMENTS[name](made(2, 7), ["AP"], EXPERIMENTS[name].params(**params)).headline()

    for of in AXES.keys() - {"teams"}:  # which is one
        assert "the two runs" in told("curves", of=of, watch=("pairs",), trials=3)
    assert "the two runs" in told("matrix")


@pytest.mark.parametrize(
    ("runs", "asked"),
    [(1, "How good is the run?"), (2, "Which run is best?"), (3, "Which run is best?")],
)
def test_next_step_of_what_is_loaded_asks_for_the_best_where_there_are_several(runs, asked):
    assert EXPERIMENTS["collection"](made(runs, 2)).next_steps()[0].question == asked
