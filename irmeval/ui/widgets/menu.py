"""Menu entries and their pages: names, questions, and required data."""

import ast
import re
from collections.abc import Iterable, Mapping
from copy import copy
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import streamlit as st

from irmeval.core.folders import PAGES, page_scripts
from irmeval.core.tables import escape_markdown
from irmeval.experiments import EXPERIMENTS, Experiment
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
    found = {section: _entries(of) for section, of in STORY.items()}
    first, *more = found["papers"]["Findings"]
    found["papers"]["Findings"] = (first, *PAPERS, *more)
    named = {*chain(*_tabs(found))}
    for e in EXPERIMENTS.values():
        if named.isdisjoint(e.pages):
            found.setdefault(e.section, {})[e.title] = e.pages[:1]
    return found


def _entries(of: Mapping[str, Iterable[str]]) -> dict[str, tuple[str, ...]]:
    """Entry -> its pages, of one menu."""
    return {entry: tuple(pages) for entry, pages in of.items()}


def _tabs(of_menus: dict[str, dict[str, tuple[str, ...]]]) -> list[tuple[str, ...]]:
    """The pages of each entry of some menus."""
    return [tabs for of in of_menus.values() for tabs in of.values()]


@cache
def pages() -> tuple[str, ...]:
    """URL paths of all pages, in the order of the menus."""
    return (*chain(*_tabs(entries())),)


@cache
def tabs_of(page: str) -> tuple[str, ...]:
    """Pages of the same entry as a page, including it; none if it is in no menu."""
    return next((tabs for tabs in _tabs(entries()) if page in tabs), ())


@cache
def label(name: str, page: str) -> str:
    """Name and question of a page in the menu."""
    question = question_of(page)
    if question in ("", name):
        return escape_markdown(name)
    return f"{escape_markdown(name)} :gray[{escape_markdown(question)}]"


_make_page = cache(st.Page)
"""Cached, since Streamlit checks the disk for the script of each new page, and every
rerun needs all pages.
"""


def page(script: Path, title: str, address: str, **more: Any) -> st.Page:
    """A page of the menus."""
    # Streamlit writes into the page that it shows
    return copy(_make_page(script, title=title, url_path=address, **more))


def paper_page(paper: Paper) -> st.Page:
    """The page of a paper."""
    return page(PAPER, label(paper.title, paper.name), paper.name, visibility="hidden")


@cache
def question_of(page: str) -> str:
    """Question of a page, from its script, paper or experiment; empty if there is
    none.
    """
    script = page_scripts().get(page)
    asked = _title(script) if script else ""
    if asked.endswith("?"):
        return asked
    if page in PAPERS:
        return PAPERS[page].asks
    experiment = experiment_of(page)
    return experiment.question if experiment else ""


@cache
def name_of(page: str) -> str:
    """Name of a page, from its script, whose docstring begins with it and a colon, its
    paper or its experiment.
    """
    script = page_scripts().get(page or keys.FIRST)
    if script:
        # read, not imported: an import would draw the page
        module = ast.parse(script.read_text(encoding="utf-8"))
        docstring = ast.get_docstring(module) or script.stem
        return docstring.split(":")[0]
    if page in PAPERS:
        return PAPERS[page].title
    experiment = experiment_of(page)
    return experiment.title if experiment else page


@cache
def experiment_of(page: str) -> Experiment[Any, Any] | None:
    """The experiment of a page without a script, if there is one."""
    return next((e for e in EXPERIMENTS.values() if page in e.pages), None)


def _title(script: Path) -> str:
    """The argument of `st.title` in a script, if it is a text in quotes; else empty."""
    found = re.search(r'\bst\.title\("(.*?)"\)', script.read_text(encoding="utf-8"))
    return found[1] if found else ""
