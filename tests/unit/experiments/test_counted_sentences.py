"""Sentences on runs, pairs, topics and measures are right for none, one, two and many of them."""

import re

import pytest

from irmeval.core.params import fields
from irmeval.core.text import names_or_number, percent, some_of
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.leads import leads
from tests.cases import collection

MEASURES = ["AP", "AP'", "Q", "nDCG", "Bpref"]
NAMES = (
    "leaderboard topics sign reproduction incompleteness decisions pools fewer-teams leave-one-out fewer-topics unjudged significance anova"
)
FAULTS = {
    "a noun in the plural after 1": r"\b1 (runs|pairs|topics|measures|documents|judgments|trials|teams|places)\b",
    "a noun in the singular after a number": r"\b(?!1 )\d+ (run|pair|topic|measure|document|judgment|trial|team|place)\b",
    "a verb in the plural after 1": r"\b1 (run|pair|topic|measure|document) (are|do|have|differ)\b",
    "none or all of one": r"\b(none|all|each|1|0) of 1\b",
    "all 1 or all 2": r"\ball [12]\b",
    "no number": r"\bnan\b",
    "two marks": r"(?<!al)[.,;]{2}|\(\)|  ",
}


def made(runs: int, topics: int):
    """Runs of which each finds one document later than the one before it, some of whose documents are not judged."""
    found = {f"r{r}": {str(t): [*[f"u{r}"] * (r > 1), *"nnnn"[: (r + t) % 3], "a", "b"] for t in range(topics)} for r in range(runs)}
    found = {run: {t: list(dict.fromkeys(ids)) for t, ids in lists.items()} for run, lists in found.items()}
    return collection({str(t): {"a": 2, "b": 1, "n": 0} for t in range(topics)}, found)


@pytest.mark.parametrize("name", NAMES.split())
@pytest.mark.parametrize(("runs", "topics"), [(1, 2), (2, 2), (2, 7), (3, 7)])
@pytest.mark.parametrize("measures", [1, 2, 5])
def test_sentences_when_there_are_one_two_or_many_then_are_right(name, runs, topics, measures):
    experiment = EXPERIMENTS[name]
    few = {"trials": 3} if "trials" in fields(experiment.params) else {}
    if runs == 1 and name in {"topics", "sign", "reproduction", "decisions", "significance", "anova"}:
        return  # which need two
    result = experiment(made(runs, topics), MEASURES[:measures], experiment.params(**few))
    texts = [result.headline(), *(lead.finding for lead in leads(result)), *(chart.caption for chart in result.charts())]
    found = {fault: text for text in texts for fault, pattern in FAULTS.items() if re.search(pattern, text)}
    assert found == {}


def test_some_when_counted_then_are_none_one_both_or_all():
    assert [some_of(n, 1, "run") for n in (0, 1)] == ["no run", "the run"]
    assert [some_of(n, 2, "run") for n in (0, 1, 2)] == ["none of 2 runs", "1 of 2 runs", "both runs"]
    assert [some_of(n, 3, "run") for n in (0, 1, 3)] == ["none of 3 runs", "1 of 3 runs", "all 3 runs"]


def test_names_when_they_are_few_then_stand_and_else_their_number():
    assert names_or_number(["AP"], 1, "measure") == "AP"
    assert names_or_number(["AP", "Q"], 2, "measure") == "both measures"
    assert names_or_number(["AP", "Q"], 8, "measure") == "AP, Q"
    assert names_or_number([*"ABCDEFG"], 8, "measure") == "7 of 8 measures"
    assert names_or_number([*"ABC"], 3, "measure") == "all 3 measures"


def test_shares_when_some_are_left_then_are_not_rounded_to_none_or_all():
    shares = [0, 0.001, 0.006, 0.5, 0.994, 0.999, 1]
    assert [percent(x) for x in shares] == ["0%", "less than 1%", "1%", "50%", "99%", "more than 99%", "100%"]


def test_findings_of_one_run_are_about_that_run():
    def told(name: str) -> str:
        return EXPERIMENTS[name](made(1, 2), ["AP"]).headline()

    assert told("leaderboard").startswith("r0 is the only run, on 2 topics: its mean AP is ")
    assert told("incompleteness").startswith("With 10% of the judgments left, the mean AP ")
    assert told("unjudged").startswith("Every document of every top 10 is judged; ")
    assert told("leave-one-out").startswith("Without what only its team contributed, no run has a score by AP.")


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
    assert leads(EXPERIMENTS["collection"](made(runs, 2)))[0].finding == asked
