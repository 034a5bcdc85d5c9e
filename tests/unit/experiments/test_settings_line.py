"""The line of the settings in force has plain words for named values."""

from irmeval.core.params import fields, say
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.axes import AXES
from irmeval.experiments.settings import SAMPLED, list_mentioned, settings_in_words
from irmeval.reductions import rate_reductions

CURVES, ESTIMATES = (fields(EXPERIMENTS[name].params) for name in ("curves", "estimates"))


def test_every_way_to_keep_a_share_of_the_judgments_has_words_of_its_own():
    own = [name for name in rate_reductions() if name != "example"]
    assert {*own} <= SAMPLED.keys()
    assert CURVES["method"].say("stratified") == "stratified samples"
    assert CURVES["method"].say("move-to-front") == "move-to-front order of judging"
    assert ESTIMATES["method"].say("by-rank") == "samples stratified by rank"


def test_a_choice_is_said_in_words_and_without_its_label():
    assert CURVES["correlation"].say("tau_b") == "Kendall's tau"
    assert ESTIMATES["axis"].say("judgments") == "by number of judgments"
    assert ESTIMATES["axis"].say("per cent") == "by share of the judgments"
    assert CURVES["sample_of"].say("pair") == "a sample for each pair"
    assert [CURVES["pairs"].say(n) for n in (0, 1, 300)] == [
        "all pairs of runs",
        "1 random pair",
        "300 random pairs",
    ]


def test_one_of_something_is_in_the_singular():
    sets = fields(EXPERIMENTS["stability"].params)
    assert [CURVES["trials"].say(n) for n in (1, 2)] == ["1 trial", "2 trials"]
    assert [sets["size"].say(1), sets["sets"].say(1)] == ["1 topic per set", "1 topic set"]
    assert fields(EXPERIMENTS["swap"].params)["trials"].say(1) == "1 pair of topic sets"


def test_every_choice_of_every_experiment_has_words_of_its_own():
    for e in EXPERIMENTS.values():
        for field in fields(e.params).values():
            said = field.name in {
                "test",
                "correction",
                "variant",
                "replacement",
                "holds_for",
                *("of", "watch"),
            } or hasattr(e.params, f"{field.name}_said")
            if field.param.choices and not said:
                known = [choice for choice in field.param.choices if choice != "example"]
                assert {*known} <= field.param.value_labels.keys(), (e.name, field.name)


def test_ranks_are_said_from_the_first_to_the_last():
    ranks = fields(EXPERIMENTS["unjudged"].params)
    assert ranks["ranks"].say((1, 2, 3, 5, 1000)) == "ranks 1 to 1000"
    assert ranks["p"].say(0.95) == "RBP(p=0.95)"


def test_a_setting_is_said_as_a_person_would_for_none_for_one_and_for_many():
    named = {name: fields(EXPERIMENTS[name].params) for name in EXPERIMENTS}
    assert "sets of half of the topics" in settings_in_words(EXPERIMENTS["swap"].params())
    assert [named["variance"]["shards"].say(n) for n in (1, 3)] == ["1 shard", "3 shards"]
    assert [named["scorecard"]["rate"].say(n) for n in (1.0, 10.0)] == [
        "1% of the judgments",
        "10% of the judgments",
    ]
    assert [AXES["teams"].levels.say(n) for n in ((1,), (5, 1))] == [
        "1 team",
        "5 and 1 teams",
    ]
    assert [AXES["depth"].levels.say(n) for n in ((10,), (10, 5))] == [
        "pool depth 10",
        "pool depths 10 and 5",
    ]
    assert [named["unjudged"]["ranks"].say(n) for n in ((1,), (1, 10))] == [
        "rank 1",
        "ranks 1 and 10",
    ]
    assert [named["topics-needed"]["systems"].say(n) for n in ((2,), (2, 10, 50))] == [
        "systems of 2 runs",
        "systems of 2, 10 and 50 runs",
    ]
    orders = EXPERIMENTS["orders"].params
    assert [say(orders(budgets=budgets), "budgets") for budgets in ((5.0,), (5.0, 10.0))] == [
        "budget 5% of the pool",
        "budgets 5 and 10% of the pool",
    ]
    assert [
        say(orders(budgets=budgets, unit="documents"), "budgets")
        for budgets in ((1.0,), (1.0, 20.0))
    ] == [
        "budget 1 document a topic",
        "budgets 1 and 20 documents a topic",
    ]
    assert not any(
        "budgets in" in text for text in settings_in_words(orders(unit="documents", budgets=(5.0,)))
    )
    assert [named["orders"]["memory"].say(n) for n in (0.0, 0.9)] == [
        "bandit without memory",
        "bandit with memory 0.9",
    ]
    assert [named["orders"][name].say(value) for name, value in (("p", 0.8), ("k", 60))] == [
        "RBP with p = 0.8",
        "fusion with k = 60",
    ]
    assert [named["swap-property"][name].say(1) for name in "RN"] == [
        "1 relevant document",
        "1 nonrelevant document",
    ]


def test_samples_and_seed_are_mentioned_only_where_a_test_draws_or_they_are_set():
    params = EXPERIMENTS["matrix"].params
    draws = {"samples", "seed"}
    assert draws <= {*list_mentioned(params())}
    assert not draws & {*list_mentioned(params(test="t"))}
    assert draws & {*list_mentioned(params(test="t", samples=50))} == {"samples"}
