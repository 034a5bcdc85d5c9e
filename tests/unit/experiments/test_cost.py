"""What a computation takes, as steps and memory: added up, compared with what is allowed, and told in a line."""

from irmeval.experiments import cost as costs
from irmeval.experiments.cost import Cost


def test_cost_when_it_takes_half_of_what_is_allowed_then_it_is_large_though_it_is_soon_done(monkeypatch):
    monkeypatch.setenv("IRMEVAL_MEMORY", "1")
    assert not Cost(held=2e8, room=2e8).large
    assert Cost(held=3e8, room=3e8).large
    assert Cost({costs.DRAWN: 1e10}).large


def test_cost_when_told_in_a_line_then_it_names_the_steps_that_take_longest_and_the_memory():
    both = Cost({costs.SCORED: 2e9, costs.ADDED: 3e9}, held=8e8)
    assert both.describe_most() == "2 billion judged documents to score and more, 0.8 GB held"
    assert Cost({costs.TESTED: 5e6}).describe_most() == "5 million samples of pairs of runs to test"


def test_costs_when_added_then_what_is_kept_adds_up_and_room_is_used_again():
    both = Cost(held=3, room=5) + Cost(held=4, room=2)
    assert (both.held, both.room, both.memory) == (7, 5, 12)
    assert (Cost(held=3, room=5) * 4).memory == 8
    assert (Cost(held=3, room=5) * 0).memory == 0
    assert Cost(held=3, room=5).side_by_side(1).memory == 8
