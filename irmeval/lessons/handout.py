"""Handouts of lessons: a page that prints, with questions, solutions, definitions and
notes for the teacher; and a notebook.

>>> from irmeval import lessons
>>> from irmeval.lessons import handout
>>> page = handout.html([lessons.answer(lessons.load("ideal_rbp"))])
>>> "What is the RBP of this list" in page, "<math" in page
(True, True)
"""

import json
from collections.abc import Callable, Sequence
from html import escape
from itertools import count
from pathlib import Path
from string import ascii_uppercase
from typing import Any, cast

from irmeval.core.errors import require
from irmeval.core.tables import escape_markdown
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.learn import lab
from irmeval.experiments.settings import settings_in_words
from irmeval.lessons.answers import Answer
from irmeval.lessons.glossary import terms_in
from irmeval.lessons.prerequisites import needed
from irmeval.lessons.reading import ENDING, Lesson, describe_list, names

TITLE = "Lessons on evaluation measures"
"""Title of the handout of a course."""
STYLE = Path(__file__).with_suffix(".css").read_text(encoding="utf-8")
POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""Content security policy of the page: it loads nothing."""
WRITE = "<p class=write>Answer:</p>"
"""Place for an answer."""
_BESIDE_RAW = {"list": [], "condensed": ["condensed"], "swaps": ["raw_swap_1", "raw_swap_2"]}
"""Columns of the lab beside the scores of the list itself, by the lesson's figure."""
CLASS = (
    "Ask the question, and let everybody vote without a word. Show the votes. Let neighbours"
    " convince each other, and vote again. Then show the answer."
)
"""How a class takes a lesson."""


def questions(lessons: Sequence[Lesson]) -> str:
    """A page with the questions alone, each with a line for the answer."""
    asked = _draw_each(lambda number, lesson: _question(number, lesson) + WRITE, lessons)
    return _page(_title(lessons), f"<section>{asked}</section>")


def html(answers: Sequence[Answer]) -> str:
    """One page in four parts: questions, solutions, definitions, notes for the teacher;
    each begins on a new sheet.

    Raises `MissingPackage` without plotly or latex2mathml.
    """
    require("latex2mathml", "report")
    require("plotly", "report")
    lessons = [answer.lesson for answer in answers]
    # solutions apart from questions, so that the first sheets can be handed out alone
    parts = {
        "Questions": _draw_each(_question, lessons),
        "Solutions": _draw_each(_solution, answers),
        "Definitions": _definitions(answers),
        "Notes for the teacher": f"<p>{CLASS}</p>{_draw_each(_note, lessons, needed(lessons))}",
    }
    body = "".join(f"<section><h2>{name}</h2>{drawn}</section>" for name, drawn in parts.items())
    return _page(_title(lessons), body)


def _draw_each(draw: Callable[..., str], *items: Sequence[Any]) -> str:
    """What is drawn for each item and its number, from 1."""
    return "".join(map(draw, count(1), *items))


def _title(lessons: Sequence[Lesson]) -> str:
    """The question of the only lesson, or that they are several."""
    if len(lessons) > 1:
        return TITLE
    return lessons[0].question


def _page(heading: str, body: str) -> str:
    head = (
        '<meta charset="utf-8"><meta http-equiv="Content-Security-Policy"'
        f' content="{POLICY}"><title>{escape(heading)}</title>'
    )
    return (
        "<!doctype html><html"
        f' lang="en"><head>{head}<style>{STYLE}</style></head>'
        f"<body><h1>{escape(heading)}</h1>{body}</body></html>\n"
    )


def _question(number: int, lesson: Lesson) -> str:
    choices = "".join(f"<li>{escape(text)}</li>" for text in lesson.choices)
    return (
        f"<article><h3>{number}. {escape(lesson.question)}</h3>{_scene(lesson)}<ol"
        f" class=choices>{choices}</ol></article>"
    )


def _scene(lesson: Lesson) -> str:
    """The lists that a question is about, with what they lack."""
    if lesson.lists:
        return "".join(
            f"<p>{escape(name)}</p>{_tiles(text)}" for name, text in lesson.lists.items()
        )
    if not lesson.scene:
        return ""
    return f"{_tiles(lesson.scene)}<p>{describe_list(lesson)}</p>"


def _solution(number: int, answer: Answer) -> str:
    lesson = answer.lesson
    texts = [answer.punch, answer.look, answer.work]
    punch, look, work = (f"<p>{escape(text)}</p>" for text in texts)
    shown = f"{punch}{_figure(answer)}{look}{_formula(lesson.formula)}{work}"
    return f"<article><h3>{number}. {escape(answer.verdict)}</h3>{shown}</article>"


def _note(number: int, lesson: Lesson, needs: Sequence[str]) -> str:
    """What a lesson needs and adds, the experiment and its settings, the source."""
    experiment = EXPERIMENTS[lesson.experiment]
    settings = [", ".join(lesson.measures), *settings_in_words(lesson.params)]
    computed_by = f"{experiment.title}."
    if lesson.data:
        computed_by = f"{computed_by} {' · '.join(settings)}".rstrip()
    told = {
        "Needs": ", ".join(needs),
        "Adds": ", ".join(lesson.adds),
        "Computed by": computed_by,
        "Source": lesson.source,
    }
    lines = "".join(f"<p>{name}: {escape(text)}</p>" for name, text in told.items() if text)
    return f"<article><h3>{number}. {escape(lesson.title)}</h3>{lines}</article>"


def _definitions(answers: Sequence[Answer]) -> str:
    """The symbols of all formulas, and the terms of all texts."""
    symbols = dict[str, str]()
    for answer in answers:
        symbols.update(answer.lesson.explained)
    terms = terms_in(" ".join(map(_words_of, answers)))
    # not in one dictionary: a symbol may be called like a term
    pairs = [*symbols.items(), *((term.name, term.meaning) for term in terms)]
    items = "".join(f"<dt>{escape(name)}</dt><dd>{escape(meaning)}</dd>" for name, meaning in pairs)
    return f"<dl>{items}</dl>"


def _words_of(answer: Answer) -> str:
    """Everything that a lesson says."""
    lesson = answer.lesson
    texts = lesson.question, answer.punch, answer.work, answer.look
    return " ".join([*lesson.choices, *texts, *lesson.measures])


def _figure(answer: Answer) -> str:
    """The lesson's chart as SVG, or the scores of its list."""
    lesson = answer.lesson
    if lesson.experiment != "lab":
        return "".join(chart.picture(lesson.lines) for chart in answer.charts)
    result = cast(Any, answer.result)
    columns = ["measure", "raw", *_BESIDE_RAW[lesson.chart]]
    table = result.frame()[columns].to_html(index=False, border=0, float_format="%.3f")
    return f"{_tiles(result.params.list)}{table}"


def _tiles(scene: str) -> str:
    """A ranked list, a cell for each rank."""
    documents = lab.parse(scene)
    cells = "".join(
        f"<td><b>{'?' if d in 'ux' else escape(d)}</b>{rank}</td>"
        for rank, d in enumerate(documents, 1)
    )
    if not documents:
        return ""
    return f"<table class=list><tr>{cells}</tr></table>"


def _formula(latex: str) -> str:
    from latex2mathml.converter import convert

    return f"<p class=formula>{convert(latex, display='block')}</p>"


def notebook(answers: Sequence[Answer], title: str = "") -> str:
    """A Jupyter notebook with the questions and a cell for each answer, and apart from
    them the solutions, which compute every number again, on the sample or on files that
    the reader names.
    """
    lessons = [answer.lesson for answer in answers]
    data = (
        "from irmeval import lessons, read_collection\n\ncollection = None  # or"
        ' read_collection("qrels.txt", ["runs/"])\nmine = {}'
    )
    cells = [_cell("code", data)]
    if len(lessons) > 1:
        head = f"# {title or TITLE}\n\nWrite A, B or C between the quotes."
        cells.insert(0, _cell("markdown", head))
    for number, lesson in enumerate(lessons, 1):
        cells += _asked_cells(number, lesson)
    cells.append(_cell("markdown", "# Solutions"))
    for number, lesson in enumerate(lessons, 1):
        cells += _solved_cells(number, lesson)
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    made = {"nbformat": 4, "nbformat_minor": 4, "metadata": kernel, "cells": cells}
    return json.dumps(made, indent=1, ensure_ascii=False) + "\n"


def _asked_cells(number: int, lesson: Lesson) -> list[dict[str, Any]]:
    """A question, and a cell for the answer."""
    choices = "\n".join(
        f"- **{ascii_uppercase[i]}** {escape_markdown(text)}"
        for i, text in enumerate(lesson.choices)
    )
    lists = dict(lesson.lists)
    if lesson.scene and not lists:
        lists = {"The list": lesson.scene}
    shown = "".join(f"\n\n{name}: `{text}`" for name, text in lists.items())
    text = f"## {number}. {escape_markdown(lesson.question)}{shown}\n\n{choices}"
    return [_cell("markdown", text), _cell("code", f'mine[{lesson.name!r}] = ""')]


def _solved_cells(number: int, lesson: Lesson) -> list[dict[str, Any]]:
    """A solution beside the reader's answer, with figure, formula and source."""
    file = f"{lesson.name}{ENDING}"
    loaded = f'lessons.parse({file!r}, open({file!r}, "rb").read())'
    if lesson.name in names():
        loaded = f"lessons.load({lesson.name!r})"
    compute = f"answer = lessons.answer({loaded}, collection)"
    told = f'print("Yours:", mine[{lesson.name!r}] or "none", "-", answer.verdict)'
    symbols = "; ".join(f"${symbol}$: {meaning}" for symbol, meaning in lesson.explained)
    return [
        _cell("markdown", f"## {number}. {escape_markdown(lesson.question)}"),
        _cell("code", f"{compute}\n{told}\nprint(answer.punch)"),
        _cell("code", "answer.result"),
        _cell("markdown", f"$$ {lesson.formula} $$\n\n{symbols}"),
        _cell("code", "print(answer.work)"),
        _cell("markdown", f"Source: {escape_markdown(lesson.source)}"),
    ]


def _cell(kind: str, source: str) -> dict[str, Any]:
    lines = source.splitlines(keepends=True)
    cell: dict[str, Any] = {"cell_type": kind, "metadata": {}, "source": lines}
    # cells of text must not have these keys, or Jupyter calls the notebook invalid
    if kind == "code":
        cell |= {"execution_count": None, "outputs": []}
    return cell
