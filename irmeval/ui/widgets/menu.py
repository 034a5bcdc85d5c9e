"""Menu entries and their pages: names, questions, and required data."""

import ast
import re
from copy import copy
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from irmeval.core.folders import PAGES, page_scripts
from irmeval.core.tables import escape_markdown
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.story import STORY
from irmeval.papers import PAPERS
from irmeval.papers.base import Paper
from irmeval.ui.state import keys

WITHOUT_DATA = {"lessons", "exercises", "catalogue", "glossary", "report"}
WITHOUT_DATA |= {page for e in EXPERIMENTS.values() if not (e.data or e.judged) for page in e.pages}
"""Pages that need no collection."""
WITHOUT_MEASURES = {"lessons", "exercises", "glossary", "report"}
"""Pages on which the measures picked beside them do nothing."""
WITHOUT_RUNS = (
    {"check"}
    | WITHOUT_DATA
    | {page for e in EXPERIMENTS.values() if e.without_runs for page in e.pages}
)
"""Pages with content if only judgments are loaded."""
PAPER = PAGES / "papers/paper.py"
"""Script of all papers; the URL determines the paper."""


@cache
def entries() -> dict[str, dict[str, tuple[str, ...]]]:
    """Menu -> entry -> its pages: those of `STORY`, the papers, and an entry for each
    other experiment.
    """
    found = {
        section: {entry: (*pages,) for entry, pages in of.items()} for section, of in STORY.items()
    }
    first, *more = found["papers"]["Findings"]
    found["papers"]["Findings"] = (first, *PAPERS, *more)
    named = {page for of in found.values() for tabs in of.values() for page in tabs}
    for e in EXPERIMENTS.values():
        if not named & {*e.pages}:
            found.setdefault(e.section, {})[e.title] = e.pages[:1]
    return found


@cache
def pages() -> tuple[str, ...]:
    """URL paths of all pages, in the order of the menus."""
    return tuple(page for of in entries().values() for tabs in of.values() for page in tabs)


@cache
def tabs_of(page: str) -> tuple[str, ...]:
    """Pages of the same entry as a page, including it; none if it is in no menu."""
    return next((tabs for of in entries().values() for tabs in of.values() if page in tabs), ())


@cache
def label(name: str, page: str) -> str:
    """Name and question of a page in the menu."""
    question = question_of(page)
    return escape_markdown(name) + (
        f" :gray[{escape_markdown(question)}]" if question not in ("", name) else ""
    )


_make_page = cache(st.Page)
"""Cached, since Streamlit checks the disk for the script of each new page, and every
rerun needs all pages.
"""


def page(script: Path, title: str, address: str, **more: Any) -> st.Page:
    """A page of the menus."""
    return copy(_make_page(script, title=title, url_path=address, **more))


def paper_page(paper: Paper) -> st.Page:
    """The page of a paper."""
    return page(PAPER, label(paper.title, paper.name), paper.name, visibility="hidden")


@cache
def question_of(page: str) -> str:
    """Question of a page, from its script, paper or experiment; empty if there is
    none.
    """
    asked = _title(page_scripts()[page]) if page in page_scripts() else ""
    if asked.endswith("?"):
        return asked
    return (
        PAPERS[page].asks
        if page in PAPERS
        else next((e.question for e in EXPERIMENTS.values() if page in e.pages), "")
    )


@cache
def name_of(page: str) -> str:
    """Name of a page, from its script, whose docstring begins with it and a colon, its
    paper or its experiment.
    """
    if script := page_scripts().get(page or keys.FIRST):
        return (
            ast.get_docstring(ast.parse(script.read_text(encoding="utf-8"))) or script.stem
        ).split(":")[0]
    return (
        PAPERS[page].title
        if page in PAPERS
        else next((e.title for e in EXPERIMENTS.values() if page in e.pages), page)
    )


def _title(script: Path) -> str:
    """The argument of `st.title` in a script, if it is a text in quotes; else empty."""
    found = re.search(r'\bst\.title\("(.*?)"\)', script.read_text(encoding="utf-8"))
    return found[1] if found else ""
