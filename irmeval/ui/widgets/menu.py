"""Entries of the menus: the name and the question of each page, and what it needs."""

import ast
import re
from copy import copy
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from irmeval.core.folders import page_scripts
from irmeval.core.tables import escape_markdown
from irmeval.experiments import EXPERIMENTS
from irmeval.papers import PAPERS

ASKS = " :gray["
"""Between the name of a page and its question, in an entry."""
WITHOUT_DATA = {"lessons", "catalogue", "glossary", "report"}
WITHOUT_DATA |= {page for e in EXPERIMENTS.values() if not (e.data or e.judged) for page in e.pages}
"""Pages that need no collection."""
WITHOUT_RUNS = {"check"} | WITHOUT_DATA | {page for e in EXPERIMENTS.values() if e.without_runs for page in e.pages}
"""Pages that have something to show where only judgments are loaded."""


@cache
def entry(title: str, page: str) -> str:
    """The menu entry of a page, from its name and its address."""
    question = question_of(page)
    return escape_markdown(title) + (f"{ASKS}{escape_markdown(question)}]" if question not in ("", title) else "")


def name_in(entry: str) -> str:
    """The name of the page in a menu entry."""
    return entry.split(ASKS)[0]


_make_page = cache(st.Page)
"""Streamlit checks the disk for the script of each new page, and every drawing needs all pages."""


def page(script: Path, title: str, address: str, **more: Any) -> st.Page:
    """A page of the menus."""
    return copy(_make_page(script, title=title, url_path=address, **more))


@cache
def question_of(page: str) -> str:
    """The question above a page with this address, from its script, its paper or its experiment; empty if there is none."""
    asked = _title(page_scripts()[page]) if page in page_scripts() else ""
    if asked.endswith("?"):
        return asked
    return PAPERS[page].asks if page in PAPERS else next((e.question for e in EXPERIMENTS.values() if page in e.pages), "")


@cache
def name_of(script: Path) -> str:
    """The name of a page: its docstring begins with it and a colon."""
    return (ast.get_docstring(ast.parse(script.read_text(encoding="utf-8"))) or script.stem).split(":")[0]


def _title(script: Path) -> str:
    """The argument of `st.title` in a script, if it is a text in quotes; else empty."""
    found = re.search(r'\bst\.title\("(.*?)"\)', script.read_text(encoding="utf-8"))
    return found[1] if found else ""
