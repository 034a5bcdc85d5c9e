"""The frame around every page: navigation, the sidebar's record of what is loaded, background work."""

import ast
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from irmeval.report.tables import escape_markdown
from irmeval.report.words import counted
from irmeval.ui import form, jobs, session

if TYPE_CHECKING:
    from streamlit.navigation.page import Page

STORY = {
    "data": ("collection",),
    "scores": ("leaderboard",),
    "incompleteness": ("curves",),
}
"""Sections and their pages in the order of the story; each is a script in ``pages/<section>/``."""
FIRST = "curves"
ICON = Path(__file__).with_name("icon.svg")
SCRIPT = Path(__file__).with_name("main.py")
STYLE = "<style>[data-testid=stMainBlockContainer] {padding-top: 3rem} [data-testid=stMainBlockContainer] h1 {font-size: 2rem}</style>"
PAGES = Path(__file__).parents[2] / "pages"


def run() -> None:
    """Draw the page that the address asks for, inside the frame."""
    st.set_page_config("irmeval", page_icon=str(ICON), layout="wide")
    page = st.navigation({section.capitalize(): [_page(section, name) for name in names] for section, names in STORY.items()})
    st.html(STYLE)
    session.check_arguments()
    _record()
    form.pick_measures()
    page.run()
    jobs.sidebar(page.title)


def _page(section: str, name: str) -> "Page":
    """A page, named by the first words of its docstring: ``Title: what a person does there.``"""
    script = PAGES / section / f"{name}.py"
    title = (ast.get_docstring(ast.parse(script.read_text(encoding="utf-8"))) or name).split(":")[0]
    return st.Page(script, title=title, url_path=name, default=name == FIRST)


def _record() -> None:
    """What every page works on, and where to change it."""
    loaded = session.loaded()
    c = loaded.collection
    with st.sidebar:
        kind = " (synthetic)" if loaded.synthetic else ""
        st.markdown(f"**{escape_markdown(loaded.name)}**{kind}")
        judged = int((c.grade >= 0).sum())
        st.caption(" · ".join([counted(len(c.runs), "run"), counted(len(c.topics), "topic"), counted(judged, "judgment")]))
        st.page_link(str(PAGES / "data/collection.py"), label="Use your own files" if loaded.synthetic else "Change the collection")
