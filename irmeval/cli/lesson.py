"""Lessons on the command line."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from string import ascii_uppercase

import click

from irmeval.cli.program import FILE, Flag, Given, argument, command
from irmeval.collection import read_collection
from irmeval.core.errors import ParamError
from irmeval.lessons import handout
from irmeval.lessons.answers import Answer, answer
from irmeval.lessons.claims import Claim
from irmeval.lessons.reading import ENDING, Lesson, load, names, read_file


def _lessons(given: Given) -> str:
    if bool(given.qrels) != bool(given.runs):
        raise ParamError("lesson: expected both --qrels FILE and --runs RUN, found one of them.")
    write = HANDOUTS.get(Path(given.output or "").suffix)
    if given.questions:
        return _write_questions(given, write)
    if write:
        return write(_answers(given))
    if given.name:
        return "\n".join(map(printed, _answers(given)))
    return _list_lessons()


def _answers(given: Given) -> list[Answer]:
    """The lessons answered on the sample, or on the collection that is given."""
    lessons, collection = _read_all(given), None
    if given.qrels:
        collection = read_collection(given.qrels, given.runs)
    return [answer(lesson, collection) for lesson in lessons]


def _write_questions(given: Given, write: object) -> str:
    if write is not handout.html:
        raise ParamError("lesson: --questions expected -o FILE.html, found none.")
    return handout.questions(_read_all(given))


def _read_all(given: Given) -> list[Lesson]:
    return [*map(_read, given.name or names())]


def _list_lessons() -> str:
    width = max(map(len, names())) + 2
    return "".join(f"{name:<{width}}{load(name).question}\n" for name in names())


def _read(name: str) -> Lesson:
    if name.endswith(ENDING):
        return read_file(Path(name))
    return load(name)


HANDOUTS = {".html": handout.html, ".ipynb": handout.notebook}
TEXT = """Prints question, answer, numbers, formula and source; without a name, the list of \
lessons. With -o FILE.html, writes a printable
handout with solutions, or with --questions without them; with -o FILE.ipynb, a notebook; \
without a name, of all lessons."""


@command("lesson", _lessons, "read a lesson", "tenth_left", TEXT)
def _declare() -> Iterator[click.Parameter]:
    yield argument(
        "name", "names of lessons, or files of your own (.toml)", nargs=-1, required=False, type=str
    )
    yield Flag(
        "--qrels",
        type=FILE,
        metavar="FILE",
        help="use these judgments, with the runs of --runs, in place of the sample",
    )
    yield Flag(
        "--runs",
        type=FILE,
        metavar="RUN",
        accepts=bool,
        help="run files, or folders of them; several, or repeatable",
    )
    yield Flag("--questions", is_flag=True, help="leave the solutions out of a handout")


def printed(answer: Answer) -> str:
    """Yield a lesson in lines of text."""
    lesson = answer.lesson
    texts = [lesson.question]
    for i, (choice, claims) in enumerate(zip(lesson.choices, lesson.claims, strict=True), start=1):
        mark = " "
        if i == answer.right:
            mark = "*"
        texts.append(f"  {mark} {ascii_uppercase[i - 1]}: {choice}")
        texts += _tried(answer, claims)
    texts.append("")
    if not answer.right:  # no choice holds on this collection
        texts.append(answer.verdict)
    if answer.holds:
        texts.append(lesson.title)
    texts.append(answer.punch)
    texts += [f"  {name} = {answer.number_text(name)}" for name in lesson.numbers]
    if lesson.said:
        texts += ["", "Words that depend on a number:", *_tried(answer, lesson.said)]
    return "\n".join([*texts, "", lesson.formula, answer.work, lesson.source, ""])


def _tried(answer: Answer, claims: Iterable[Claim]) -> list[str]:
    return [f"      {answer.claim_text(claim)}: {_outcome(answer, claim)}" for claim in claims]


def _outcome(answer: Answer, claim: Claim) -> str:
    if answer.claim_holds(claim):
        return "holds"
    if claim.holds(answer.numbers):
        return "too close"
    return "does not hold"
