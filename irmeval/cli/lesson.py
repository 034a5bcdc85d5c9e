"""Lessons on the command line."""

import argparse
from string import ascii_uppercase
from typing import Any

from irmeval.cli.flags import add_command
from irmeval.lessons.answers import Answer, answer
from irmeval.lessons.reading import load, names


def add_to(commands: Any) -> None:
    """Add the command."""
    text = "Its question, answer, numbers, formula and source; without a name, the list of lessons."

    @add_command(commands, "lesson", _lessons, "read a lesson", "tenth_left", text)
    def declare(command: argparse.ArgumentParser) -> None:
        command.add_argument("name", metavar="NAME", nargs="?", help="its numbers are computed on the sample collection")


def _lessons(given: argparse.Namespace) -> str:
    if given.name:
        return printed(answer(load(given.name)))
    return "".join(f"{name:<18}{load(name).question}\n" for name in names())


def printed(answer: Answer) -> str:
    """A lesson in lines of text."""
    lesson = answer.lesson
    choices = []
    for i, (choice, claims) in enumerate(zip(lesson.choices, lesson.claims, strict=True), start=1):
        choices.append(f"  {'*' if i == lesson.right else ' '} {ascii_uppercase[i - 1]}: {choice}")
        choices += [f"      {answer.claim_text(claim)}: {'holds' if claim.holds(answer.numbers) else 'does not hold'}" for claim in claims]
    numbers = [f"  {name} = {answer.number_text(name)}" for name in lesson.numbers]
    texts = [lesson.question, *choices, "", lesson.title, answer.punch, *numbers, "", lesson.formula, answer.work, lesson.source]
    return "\n".join([*texts, ""])
