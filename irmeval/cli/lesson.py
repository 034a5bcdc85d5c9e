"""Lessons on the command line."""

from collections.abc import Iterable
from string import ascii_uppercase

import click

from irmeval.cli.program import Given, argument, command
from irmeval.lessons.answers import Answer, answer
from irmeval.lessons.claims import Claim
from irmeval.lessons.reading import load, names


def _lessons(given: Given) -> str:
    if given.name:
        return printed(answer(load(given.name)))
    return "".join(f"{name:<18}{load(name).question}\n" for name in names())


TEXT = "Prints question, answer, numbers, formula and source; without a name, the list of lessons."


@command("lesson", _lessons, "read a lesson", "tenth_left", TEXT)
def _declare() -> list[click.Parameter]:
    return [argument("name", "Numbers are computed on the sample collection", required=False, type=str)]


def printed(answer: Answer) -> str:
    """Yield a lesson in lines of text."""
    lesson = answer.lesson
    choices = []
    for i, (choice, claims) in enumerate(zip(lesson.choices, lesson.claims, strict=True), start=1):
        choices.append(f"  {'*' if i == lesson.right else ' '} {ascii_uppercase[i - 1]}: {choice}")
        choices += _tried(answer, claims)
    numbers = [f"  {name} = {answer.number_text(name)}" for name in lesson.numbers]
    said = ["", "Words that depend on a number:", *_tried(answer, lesson.said)] if lesson.said else []
    texts = [lesson.question, *choices, "", lesson.title, answer.punch, *numbers, *said, "", lesson.formula, answer.work, lesson.source]
    return "\n".join([*texts, ""])


def _tried(answer: Answer, claims: Iterable[Claim]) -> list[str]:
    return [f"      {answer.claim_text(claim)}: {'holds' if claim.holds(answer.numbers) else 'does not hold'}" for claim in claims]
