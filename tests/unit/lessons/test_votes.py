"""Votes for the choices of lessons, and the score."""

import pytest

from irmeval.lessons import votes

RIGHT = {"a": 1, "b": 2, "c": 0}


@pytest.mark.parametrize(
    ("counts", "won", "said"),
    [
        ([], 0, ""),
        ([0, 0, 0], 0, ""),
        ([0, 1], 2, "Your answer: B."),
        ([2, 0], 1, "Votes: A 2, B 0."),
        ([3, 1, 3], 0, "Votes: A 3, B 1, C 3."),
        ([1200, 0, 7], 1, "Votes: A 1,200, B 0, C 7."),
    ],
)
def test_votes_when_counted_then_the_choice_with_most_wins_unless_another_has_as_many(
    counts, won, said
):
    assert (votes.winner(counts), votes.describe(counts)) == (won, said)


@pytest.mark.parametrize(
    ("counts", "right", "is_right"),
    [([3, 1], 1, True), ([1, 3], 1, False), ([2, 2], 1, False), ([2, 2], 0, False), ([], 0, False)],
)
def test_votes_when_they_tie_or_no_choice_is_right_then_the_class_is_not_right(
    counts, right, is_right
):
    assert votes.is_right(counts, right) is is_right


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        ({}, ""),
        ({"a": [0, 0], "x": [1, 0]}, ""),
        ({"a": [1, 0]}, "Score: 1 of 1 lesson right. 2 lessons to go."),
        ({"a": [1, 0], "b": [1, 0], "x": [0, 1]}, "Score: 1 of 2 lessons right. 1 lesson to go."),
        (
            {"a": [1, 0], "b": [0, 1], "c": [0, 1]},
            "Score: 2 of 2 lessons right. That was the last lesson.",
        ),
        (
            {"a": [3, 3], "b": [0, 2]},
            "Score: 1 of 2 lessons right by most votes; 62% of 8 votes right. 1 lesson to go.",
        ),
        ({"c": [9, 1]}, ""),
        ({"c": [5, 5]}, ""),
        (
            {"a": [2, 2], "c": [3, 3]},
            "Score: 0 of 1 lesson right by most votes; 50% of 4 votes right. 1 lesson to go.",
        ),
    ],
)
def test_score_when_lessons_were_answered_then_counts_those_whose_answer_was_given(counts, said):
    assert votes.score(counts, RIGHT, 3) == said


def test_votes_of_an_earlier_round_when_there_is_one_then_it_is_no_answer_of_the_reader():
    assert votes.describe([0, 1, 0]) == "Your answer: B."
    assert votes.describe([0, 1, 0], "Before talking") == "Before talking: A 0, B 1, C 0."


def test_score_when_most_are_wrong_then_the_share_is_of_the_votes_for_the_right_choice():
    said = votes.score({"a": [1, 3], "b": [2, 0]}, {"a": 1, "b": 1}, 3)
    assert (
        said == "Score: 1 of 2 lessons right by most votes; 50% of 6 votes right. 1 lesson to go."
    )
