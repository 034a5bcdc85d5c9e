"""Exercises: each has a solution that reaches its goal, and begins where the goal is
not reached; a code is computed again.
"""

import pytest

from irmeval.core.errors import ReadError, UnknownName
from irmeval.lessons import exercises
from tests.cases import SAMPLE, read_once

NAMES = exercises.names()


def tried(name: str, **changed: object) -> exercises.Attempt:
    exercise = exercises.load(name)
    params = (
        type(exercise.params)(**vars(exercise.params) | changed) if changed else exercise.solution
    )
    return exercises.try_solution(exercise, params, read_once(*SAMPLE) if exercise.data else None)


def test_exercises_when_listed_then_there_are_twelve_in_the_order_of_their_places():
    assert len(NAMES) == 12
    assert [exercises.load(name).place for name in NAMES] == [*range(1, 13)]


@pytest.mark.parametrize("name", NAMES)
def test_exercise_when_tried_then_its_solution_reaches_the_goal_and_its_beginning_does_not(name):
    exercise = exercises.load(name)
    begun = exercises.try_solution(
        exercise, exercise.params, read_once(*SAMPLE) if exercise.data else None
    )
    assert not begun.holds
    assert tried(name).holds
    assert {*exercise.numbers} == {side for claim in exercise.claims for side in claim.sides} & {
        *exercise.numbers
    }


@pytest.mark.parametrize("name", NAMES)
def test_code_when_checked_then_its_solution_is_computed_again(name):
    collection = read_once(*SAMPLE) if exercises.load(name).data else None
    code = exercises.code_of(tried(name))
    assert exercises.check(f"Ada <b>, {code}", collection) == (
        "Ada <b>",
        exercises.load(name).title,
        True,
        "",
    )
    mistyped = code[:-1] + ("0" if code[-1] != "0" else "1")
    assert (
        exercises.check(mistyped, collection).why
        == "made on other data, or mistyped; it is correct here"
    )


def test_code_when_its_goal_is_not_reached_then_its_digest_does_not_help():
    false = exercises.code_of(tried("rr_content", list="0-1", rest="-"))
    found = exercises.check(false)
    assert found[:3] == ("", "A first document is not enough", False)
    assert (
        found.why == "not reached: RR is 0.50 (goal: equal to 1.00); AP is 0.50 (goal: below 0.20)"
    )


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("rr_content?list=1-0-9&rest=-#00000000", "list: expected"),
        ("rr_content?a=3#00000000", "rr_content: unknown parameter 'a'"),
        ("nope?list=1#00000000", "unknown exercise"),
        ("pool_cut?pools=x#00000000", "pools: expected a whole number"),
    ],
)
def test_code_when_it_cannot_be_read_then_is_not_solved_and_says_why(line, why):
    assert not exercises.check(line).solved
    assert why in exercises.check(line).why


def test_line_when_it_has_no_code_then_is_left_out():
    assert exercises.check("Ada") is None
    assert exercises.check("x" * 10**6) is None


def test_file_when_faulty_then_is_refused_by_its_key():
    with pytest.raises(UnknownName):
        exercises.load("../reading")
    text = (exercises.FOLDER / "rr_content.toml").read_text(encoding="utf-8")
    for old, new, key in (
        ('["rr = 1"', '["rr is 1"', "claims"),
        ('"list", "rest"', '"list", "nope"', "free"),
        ("[solution]\nlist", "[solution]\na", "a"),
        ('"lab"', '"nope"', "experiment"),
    ):
        with pytest.raises(ReadError, match=key):
            exercises.parse("mine.toml", text.replace(old, new).encode())
