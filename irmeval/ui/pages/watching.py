"""Runs that come while the dashboard is open: a look every other second, and the page is drawn again if something is new."""

from collections.abc import Hashable
from contextlib import suppress
from pathlib import Path

import streamlit as st

from irmeval.core.errors import IrmevalError
from irmeval.core.tables import escape_markdown
from irmeval.core.text import count_noun, list_few, verb
from irmeval.reading.formats import FormatNames
from irmeval.ui.state import server_files
from irmeval.ui.widgets import session

EVERY = 2.0
"""Seconds between two looks."""


def show_watched() -> None:
    """Called before a page is drawn: show in the sidebar what is watched."""
    if files := server_files.watched_files():
        changed = server_files.watched(*files).look()
        with st.sidebar.container():
            _tick(files, changed)


@st.fragment(run_every=EVERY)
def _tick(files: tuple[Path, tuple[Path, ...], FormatNames], drawn: Hashable) -> None:
    watched = server_files.watched(*files)
    if watched.look() != drawn:
        st.rerun()
    folders = ", ".join(escape_markdown(str(path.name)) for path in files[1])
    written = (
        f" {count_noun(len(watched.waiting), 'file')} {verb(len(watched.waiting), 'is', 'are')} still being written: "
        f"{list_few([*watched.waiting])}."
        if watched.waiting
        else ""
    )
    st.caption(f"Watching {folders}: a new run appears here automatically.{escape_markdown(written)}")


def show_refused() -> None:
    """Show which watched files cannot be used, and why; the others stay in use."""
    if files := server_files.watched_files():
        with suppress(IrmevalError):  # the page shows it
            for error in server_files.read_watched(*files, session.policy()).refused:
                st.warning(escape_markdown(f"{error} The other runs stay; it is read again when it changes."))
