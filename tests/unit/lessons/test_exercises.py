"""Exercises: each has a solution that reaches its goal, and begins where the goal is
not reached; a code is computed again.
"""

import re
from itertools import product

import pytest

from irmeval.core.errors import ParamError, ReadError, UnknownName
from irmeval.core.numbers import telling_apart
from irmeval.lessons import exercises
from irmeval.lessons.claims import Claim
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
        ("pool_cut?levels=x#00000000", "levels: expected a number"),
    ],
)
def test_code_when_it_cannot_be_read_then_is_not_solved_and_says_why(line, why):
    assert not exercises.check(line).solved
    assert why in exercises.check(line).why


def test_lines_when_some_have_no_code_then_each_is_listed_and_none_counts_as_solved():
    code = exercises.code_of(tried("rr_content"))
    text = f"Ada {code}\n\nBob rr_content?list=1\n  \n{'x' * 10**6}\nCleo {code}"
    found = exercises.check_all(text)
    assert [one.solved for one in found] == [True, False, False, True]
    assert [one.who for one in found] == [
        "Ada",
        "Bob rr_content?list=1",
        "x" * exercises.LONGEST,
        "Cleo",
    ]
    assert [one.why.partition(" such")[0] for one in found] == [
        "",
        "expected a code",
        "expected a code",
        "same as line 1",
    ]


def test_lines_when_there_are_more_than_are_checked_then_the_rest_is_counted(monkeypatch):
    monkeypatch.setattr(exercises, "MOST_CODES", 2)
    found = exercises.check_all("a\nb\nc\nd")
    assert found[2:] == [("", "", False, "expected at most 2 lines, found 2 more lines")]


@pytest.mark.parametrize("name", [name for name in NAMES if exercises.load(name).kinds])
def test_exercise_without_grades_when_solved_with_grades_then_is_not_solved_and_says_why(name):
    exercise = exercises.load(name)
    graded = exercise.solution.list.replace("1", "3", 1)
    attempt = tried(name, list=exercise.solution.list, rest="2")
    assert not attempt.holds
    assert "without documents that are relevant, grade 2" in attempt.failed
    code = exercises.code_of(tried(name, list=graded, rest="-"))
    assert "without documents that are relevant, grade 3" in exercises.check(code).why


@pytest.mark.parametrize("name", [name for name in NAMES if not exercises.load(name).data])
def test_exercise_when_short_lists_are_tried_then_only_those_that_its_explanation_fits_reach_it(
    name,
):
    """All lists of up to three documents, with up to one that is missing."""
    reached = []
    for documents in (list_ for n in (1, 2, 3) for list_ in product("013ux", repeat=n)):
        for rest in ("-", "1", "3"):
            try:
                attempt = tried(name, list="-".join(documents), rest=rest)
            except ParamError:
                continue
            if attempt.holds:
                reached.append((documents, rest))
    assert [one for one in reached if not FITS[name](*one)] == []


FITS = {
    "rr_content": lambda documents, rest: False,  # five relevant documents are needed
    "bpref_zero": lambda documents, rest: "0" in documents,
    "condensed_gap": lambda documents, rest: {*"ux"} & {*documents},
    "pool_edge": lambda documents, rest: "u" in documents,
    "beyond_ten": lambda documents, rest: True,
    "tied_by_ap": lambda documents, rest: {*"13"} <= {*documents},
    "perfect_rbp": lambda documents, rest: not {"3"} & {*documents, rest},
    "q_above_ap": lambda documents, rest: not {"3"} & {*documents, rest},
    "recall_hidden": lambda documents, rest: rest != "-",
}
"""Exercise -> whether what it explains is so of a list."""


def test_number_when_rounding_hides_why_a_goal_is_missed_then_has_more_digits():
    attempt = tried("condensed_gap", list="x-x-x-x-1-x-1-x-x-1-1-1", rest="-")
    assert telling_apart(0.4, 0.3996, ".2f") == ".4f"
    assert telling_apart(0.4, 0.4, ".2f") == ".2f"
    assert telling_apart(0.5, 0.7, ".0%") == ".0%"
    close = Claim("raw", ">", f"{attempt.numbers['raw'] + 0.0004:.6f}")
    low, high = re.findall(r"\.(\d+)", attempt.claim_text(close))
    assert low != high


def test_file_when_faulty_then_is_refused_by_its_key():
    with pytest.raises(UnknownName):
        exercises.load("../reading")
    text = (exercises.FOLDER / "rr_content.toml").read_text(encoding="utf-8")
    for old, new, key in (
        ('["rr = 1"', '["rr is 1"', "claims"),
        ('"list", "rest"', '"list", "nope"', "free"),
        ("[solution]\nlist", "[solution]\na", "a"),
        ('"lab"', '"nope"', "experiment"),
        ("[params]", 'kinds = "01y"\n[params]', "kinds"),
    ):
        with pytest.raises(ReadError, match=key):
            exercises.parse("mine.toml", text.replace(old, new).encode())
