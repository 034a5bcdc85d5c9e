"""Sentences on runs, pairs, topics and measures are right for none, one, two, many and all."""

import re
from functools import cache
from typing import NamedTuple

import pytest

import irmeval
from irmeval.check import qrels_of
from irmeval.core.errors import ParamError
from irmeval.core.params import fields
from irmeval.experiments import EXPERIMENTS
from tests.cases import collection

MEASURES = ["AP", "AP'", "Q", "nDCG", "Bpref"]
GRADED = ["Q", "nDCG", "AP", "AP'", "Bpref"]
FEW = {
    "trials": 3,
    "samples": 20,
    "sets": 20,
    "mixtures": 20,
    "N": 40,
    "rates": (100.0, 50.0, 10.0),
    "budgets": (20.0, 50.0),
    "systems": (2, 10),
    "shares": (10.0, 50.0),
}


class Needs(NamedTuple):
    """What an experiment refuses to work without."""

    runs: int = 1
    topics: int = 1
    unjudged: bool = False
    measures: list[str] = MEASURES


PAIRS = Needs(2, 2)
NEEDS = {
    **dict.fromkeys(["topics", "decisions", "significance", "anova", "size"], PAIRS),
    **dict.fromkeys(["stability", "swap", "pair-orderings", "scorecard", "systems"], PAIRS),
    **dict.fromkeys(["sign", "reproduction", "agreement"], Needs(2)),
    **dict.fromkeys(["collection", "leaderboard", "incompleteness", "estimates", "pools", "fewer-teams", "leave-one-out"], Needs()),
    **dict.fromkeys(["fewer-topics", "unjudged", "rankings", "judges", "judgments-needed", "orders", "order-fairness"], Needs()),
    **dict.fromkeys(["lab", "top-heaviness", "ideal-lists", "swap-property", "holes", "simulated-judges"], Needs()),
    **dict.fromkeys(["binary-tertiary", "parameters"], Needs(measures=GRADED)),
    "gains": Needs(2, 2, measures=GRADED),
    "budget": Needs(unjudged=True),
}
"""Every experiment, so that a new one must say what it needs for a sentence."""
FAULTS = {
    "a noun in the plural after 1": r"\b1 (runs|pairs|topics|measures|documents|judgments|trials|teams|places)\b",
    "a noun in the singular after a number": r"\b(?!1 )\d+ (run|pair|topic|measure|document|judgment|trial|team|place)\b",
    "a verb in the plural after 1": r"\b1 (run|pair|topic|measure|document) (are|do|have|differ)\b",
    "none or all of one": r"\b(none|all|each|1|0) of 1\b",
    "all 1 or all 2": r"\ball [12]\b",
    "a verb in the plural after none": r"\b(none of \d+ [a-z]+|neither [a-z]+|no (?!two)[a-z]+)( of [a-z]+)? (are|do|have|differ|reach)\b",
    "from a number to itself": r"\b(\d[\d.]*%) to \1",
    "none of which something is said": r"^0 \w+ (is|are)\b|\b0 significant\b|\(0%\)",
    "no number": r"\bnan\b",
    "a number of too many digits": r"\d,\d{3},\d{3},\d{3}",
    "two marks": r"(?<!al)[.,;]{2}|\(\)|  ",
    "a list without its and": r"(There are|known) .*, (?!.* and )\w+\.$",
}
OF_THE_SAME = r"\b(agree|changes?|differs?|contradict|swap|keeps?|depends) [a-z ]*(most|best)\b|hardest|worst|the fewest"
"""What no headline may say where nothing differs."""


def made(runs: int, topics: int):
    """Runs of which each finds one document later than the one before it, some of whose documents are not judged."""
    found = {f"r{r}": {str(t): [*[f"u{r}"] * (r > 1), *"nnnn"[: (r + t) % 3], "a", "b"] for t in range(topics)} for r in range(runs)}
    found = {run: {t: list(dict.fromkeys(ids)) for t, ids in lists.items()} for run, lists in found.items()}
    return collection({str(t): {"a": 2, "b": 1, "n": 0} for t in range(topics)}, found)


def tied(runs: int, topics: int):
    """Runs that are all the same, and ideal."""
    return collection({str(t): {"a": 2, "b": 1, "n": 0} for t in range(topics)}, lists("abn", runs, topics))


def unjudged(runs: int, topics: int):
    """Runs of as many teams that found the same documents, none of which is judged."""
    return collection({str(t): {"a": 2, "b": 1, "n": 0} for t in range(topics)}, lists("uv", runs, topics, "abcdefg"))


def teams(runs: int, topics: int):
    """Runs of as many teams, each of which found something on its own, relevant or unjudged."""
    found = {f"{'abcdefg'[r]}1": {str(t): ["abcdefg"[(r + t) % 7], f"u{r}", "h"] for t in range(topics)} for r in range(runs)}
    return collection({str(t): {**dict.fromkeys("aceg", 1), **dict.fromkeys("bdfh", 0)} for t in range(topics)}, found)


def lists(documents: str, runs: int, topics: int, team: str = "rrrrrrr"):
    """The same list for every run and topic."""
    return {f"{team[r]}{r}": {str(t): [*documents] for t in range(topics)} for r in range(runs)}


@cache
def alone(made_by, runs: int, topics: int):
    """A collection with one judge."""
    return made_by(runs, topics)


@cache
def with_another(made_by, runs: int, topics: int):
    """A collection with two judges."""
    return alone(made_by, runs, topics).with_judgments("noisy", "simulated:noisy,0.3,1")


@cache
def judges(made_by, runs: int, topics: int, number: int):
    """So many judges of a collection, at most three."""
    qrels = qrels_of(alone(made_by, runs, topics))
    every = {"person": qrels, "noisy": irmeval.simulated(qrels, "noisy"), "strict": irmeval.simulated(qrels, "strict")}
    return irmeval.Judges.of(dict([*every.items()][:number]))


def work(name: str, made_by, runs: int, topics: int, measures: int):
    """The result of an experiment."""
    experiment = EXPERIMENTS[name]
    shape = (made_by, runs, topics) if experiment.data or experiment.judged else None
    return result_of(name, shape, max(measures, 2) if experiment.judged else 0, measures if experiment.measured else 0)


@cache
def result_of(name: str, shape, number: int, measures: int):
    """The result on what the experiment takes of all that: what it does not look at makes no other one."""
    experiment = EXPERIMENTS[name]
    params = {key: value for key, value in FEW.items() if key in fields(experiment.params)}
    if experiment.judged:
        source = judges(*shape, number)
    elif experiment.data:
        source = with_another(*shape) if experiment.others or "cheap" in params else alone(*shape)
    else:
        source = None
    return experiment(source, NEEDS[name].measures[:measures] or None, experiment.params(**params))


def test_needs_when_compared_with_all_experiments_then_name_every_one():
    assert set(NEEDS) == set(EXPERIMENTS)


SHAPES = [
    *((made, runs, topics, measures) for runs, topics in [(1, 2), (2, 2), (2, 7), (3, 7)] for measures in (1, 2, 5)),
    *((made, *few) for few in [(1, 1, 1), (2, 1, 2), (3, 1, 5)]),
    *((tied, *few) for few in [(1, 1, 1), (2, 2, 1), (2, 7, 2), (3, 7, 5)]),
    *((unjudged, *few) for few in [(1, 1, 1), (2, 2, 2), (3, 7, 5)]),
    *((teams, *few) for few in [(2, 2, 1), (3, 7, 2)]),
]
"""What a collection is made by, its runs and topics; measures."""


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_sentences_when_there_are_one_two_or_many_then_are_right(name):
    needs, found = NEEDS[name], {}
    for of, runs, topics, measures in SHAPES:
        unknown = of in (unjudged, teams) or (of is made and runs > 2)
        if EXPERIMENTS[name].data and (runs < needs.runs or topics < needs.topics or (needs.unjudged and not unknown)):
            with pytest.raises(ParamError, match="expected .*(, found |at least)|is judged; expected"):
                work(name, of, runs, topics, measures)
            continue
        result = work(name, of, runs, topics, measures)
        headline, where = result.headline(), (of.__name__, runs, topics, measures)
        texts = [headline, *(lead.finding for lead in result.leads()), *(chart.caption for chart in result.charts())]
        found |= {(fault, where): text for text in texts for fault, pattern in FAULTS.items() if re.search(pattern, text)}
        if of is tied and EXPERIMENTS[name].data and name not in {"incompleteness", "holes"}:  # where samples of judgments differ
            found |= {("a difference where nothing differs", where): headline} if re.search(OF_THE_SAME, headline) else {}
    assert found == {}


def test_findings_of_one_run_are_about_that_run():
    def told(name: str) -> str:
        return EXPERIMENTS[name](made(1, 2), ["AP"]).headline()

    assert told("leaderboard").startswith("r0 is the only run, on 2 topics: its mean AP is ")
    assert told("incompleteness").startswith("With 10% of the judgments left, the mean AP ")
    assert told("unjudged").startswith("Every document of every top 10 is judged; ")
    assert told("leave-one-out").startswith("Without what only its own team contributed, no run has a score by AP.")


def test_findings_of_a_pair_say_which_runs_differ_and_not_how_many_pairs():
    def told(name: str, **params: object) -> str:
        return EXPERIMENTS[name](made(2, 7), ["AP"], EXPERIMENTS[name].params(**params)).headline()

    assert "the two runs" in told("decisions", trials=3)
    assert "the two runs" in told("pools")
    assert "the two runs" in told("fewer-topics", trials=3)
    assert "pair of runs" in told("significance")
    assert "the pair of runs" in told("sign") or "no pair of runs" in told("sign")


@pytest.mark.parametrize(("runs", "asked"), [(1, "How good is the run?"), (2, "Which of 2 runs is best?"), (3, "Which of 3 runs is best?")])
def test_next_step_of_what_is_loaded_asks_for_the_best_where_there_are_several(runs, asked):
    assert EXPERIMENTS["collection"](made(runs, 2)).leads()[0].finding == asked
