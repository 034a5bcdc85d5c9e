"""Handouts of lessons: a page that prints, with questions, solutions, definitions and
notes for the teacher; and a notebook.

>>> from irmeval import lessons
>>> from irmeval.lessons import handout
>>> page = handout.html([lessons.answer(lessons.load("ideal_rbp"))])
>>> "What is the RBP of this list" in page, "<math" in page
(True, True)
"""

import json
from collections.abc import Sequence
from html import escape
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
from irmeval.lessons.reading import ENDING, names
from irmeval.metrics.symbols import symbols_in

TITLE = "Lessons on evaluation measures"
"""Title of the handout of a course."""
STYLE = Path(__file__).with_suffix(".css").read_text(encoding="utf-8")
POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""Content security policy of the page: it loads nothing."""
CLASS = (
    "Ask the question, and let everybody vote without a word. Show the votes. Let neighbours"
    " convince each other, and vote again. Then show the answer."
)
"""How a class takes a lesson."""


def html(answers: Sequence[Answer], title: str = "") -> str:
    """One page in four parts: questions, solutions, definitions, notes for the teacher;
    each begins on a new sheet.

    Raises `MissingPackage` without plotly or latex2mathml.
    """
    require("latex2mathml", "report")
    require("plotly", "report")
    parts = {"Questions": _question, "Solutions": _solution, "Notes for the teacher": _note}
    drawn = {
        name: "".join(draw(i, answer) for i, answer in enumerate(answers, 1))
        for name, draw in parts.items()
    }
    drawn["Notes for the teacher"] = f"<p>{CLASS}</p>{drawn['Notes for the teacher']}"
    order = ["Questions", "Solutions", "Definitions", "Notes for the teacher"]
    body = "".join(
        f"<section><h2>{name}</h2>"
        f"{(drawn | {'Definitions': _definitions(answers)})[name]}</section>"
        for name in order
    )
    heading = escape(title or (answers[0].lesson.title if len(answers) == 1 else TITLE))
    head = (
        '<meta charset="utf-8"><meta http-equiv="Content-Security-Policy"'
        f' content="{POLICY}"><title>{heading}</title>'
    )
    shown = escape(answers[0].lesson.question) if len(answers) == 1 else heading
    return (
        "<!doctype html><html"
        f' lang="en"><head>{head}<style>{STYLE}</style></head>'
        f"<body><h1>{shown}</h1>{body}</body></html>\n"
    )


def _question(number: int, answer: Answer) -> str:
    lesson = answer.lesson
    choices = "".join(f"<li>{escape(text)}</li>" for text in lesson.choices)
    return (
        f"<article><h3>{number}. {escape(lesson.question)}</h3>{_tiles(lesson.scene)}<ol"
        f" class=choices>{choices}</ol></article>"
    )


def _solution(number: int, answer: Answer) -> str:
    lesson = answer.lesson
    here = "None of the answers is right on these data."
    if answer.right:
        here = f"{ascii_uppercase[answer.right - 1]}: {lesson.choices[answer.right - 1]}"
    texts = [answer.punch, answer.look, answer.work]
    punch, look, work = (f"<p>{escape(text)}</p>" for text in texts)
    return (
        f"<article><h3>{number}."
        f" {escape(here)}</h3>{punch}{_figure(answer)}{look}{_formula(lesson.formula)}{work}"
        "</article>"
    )


def _note(number: int, answer: Answer) -> str:
    """What the answer rests on: the claims of each choice, the experiment and its
    settings, the source.
    """
    lesson, experiment = answer.lesson, EXPERIMENTS[answer.lesson.experiment]
    rows = "".join(
        f"<tr><td>{ascii_uppercase[i]}</td><td>{escape(answer.claim_text(claim))}</td>"
        f"<td>{'holds' if claim.holds(answer.numbers) else 'does not hold'}</td></tr>"
        for i, claims in enumerate(lesson.claims)
        for claim in claims
    )
    settings = (
        " · ".join([", ".join(lesson.measures), *settings_in_words(lesson.params)])
        if experiment.data
        else ""
    )
    made = f"<p>{escape(f'Computed by {experiment.title}. {settings}'.strip())}</p>"
    source = f"<p>Source: {escape(lesson.source)}</p>"
    return (
        f"<article><h3>{number}."
        f" {escape(lesson.title)}</h3><table>{rows}</table>{made}{source}</article>"
    )


def _definitions(answers: Sequence[Answer]) -> str:
    """The symbols of all formulas, and the terms of all texts."""
    symbols = dict(pair for answer in answers for pair in symbols_in(answer.lesson.formula))
    told = " ".join(
        " ".join(
            (*a.lesson.choices, a.lesson.question, a.punch, a.work, a.look, *a.lesson.measures)
        )
        for a in answers
    )
    pairs = [*symbols.items(), *((term.name, term.meaning) for term in terms_in(told))]
    items = "".join(f"<dt>{escape(name)}</dt><dd>{escape(meaning)}</dd>" for name, meaning in pairs)
    return f"<dl>{items}</dl>"


def _figure(answer: Answer) -> str:
    """The lesson's chart as SVG, or the scores of its list."""
    lesson = answer.lesson
    if lesson.experiment == "lab":
        result = cast(Any, answer.result)
        columns = ["raw", "condensed"] if lesson.chart == "condensed" else ["raw"]
        columns += ["raw_swap_1", "raw_swap_2"] if lesson.chart == "swaps" else []
        return _tiles(result.params.list) + str(
            result.frame()[["measure", *columns]].to_html(
                index=False, border=0, float_format="%.3f"
            )
        )
    return answer.chart.picture(lesson.lines)


def _tiles(scene: str) -> str:
    """A ranked list, a cell for each rank."""
    documents = lab.parse(scene)
    cells = "".join(
        f"<td><b>{'?' if d in 'ux' else escape(d)}</b>{rank}</td>"
        for rank, d in enumerate(documents, 1)
    )
    return f"<table class=list><tr>{cells}</tr></table>" if documents else ""


def _formula(latex: str) -> str:
    from latex2mathml.converter import convert

    return f"<p class=formula>{convert(latex, display='block')}</p>"


def notebook(answers: Sequence[Answer], title: str = "") -> str:
    """The same as a Jupyter notebook that computes every number again, on the sample or
    on files that the reader names.
    """
    head = f"# {title or TITLE}\n\n{CLASS}" if len(answers) > 1 else CLASS
    data = (
        "from irmeval import lessons, read_collection\n\ncollection = None  # or"
        ' read_collection("qrels.txt", ["runs/"])'
    )
    cells = [_cell("markdown", head), _cell("code", data)]
    for number, answer in enumerate(answers, 1):
        lesson = answer.lesson
        choices = "\n".join(
            f"- **{ascii_uppercase[i]}** {escape_markdown(text)}"
            for i, text in enumerate(lesson.choices)
        )
        cells.append(
            _cell("markdown", f"## {number}. {escape_markdown(lesson.question)}\n\n{choices}")
        )
        file = f"{lesson.name}{ENDING}"
        loaded = (
            f"lessons.load({lesson.name!r})"
            if lesson.name in names()
            else f'lessons.parse({file!r}, open({file!r}, "rb").read())'
        )
        cells += [
            _cell("code", f"answer = lessons.answer({loaded}, collection)\nprint(answer.punch)"),
            _cell("code", "answer.result"),
        ]
        symbols = "; ".join(
            f"${symbol}$: {meaning}" for symbol, meaning in symbols_in(lesson.formula)
        )
        cells.append(_cell("markdown", f"$$ {lesson.formula} $$\n\n{symbols}"))
        cells += [
            _cell("code", "print(answer.work)"),
            _cell("markdown", f"Source: {escape_markdown(lesson.source)}"),
        ]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    return (
        json.dumps(
            {"nbformat": 4, "nbformat_minor": 4, "metadata": kernel, "cells": cells},
            indent=1,
            ensure_ascii=False,
        )
        + "\n"
    )


def _cell(kind: str, source: str) -> dict[str, Any]:
    more: dict[str, Any] = {"execution_count": None, "outputs": []} if kind == "code" else {}
    return {"cell_type": kind, "metadata": {}, "source": source.splitlines(keepends=True), **more}
