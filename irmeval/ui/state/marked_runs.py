"""The runs that a tab marks in charts, and changes of that by a press."""

from dataclasses import replace
from typing import Any

import streamlit as st

from irmeval.ui.state.mailboxes import MARKS, REDRAW
from irmeval.ui.state.run_marks import MarkedRuns, RunsInCharts


def marks() -> MarkedRuns:
    """Record of this tab."""
    return MARKS.find() or MarkedRuns()


def in_charts() -> RunsInCharts:
    """How charts show the runs of the page that is drawn, and the measures of the
    sidebar.
    """
    view = REDRAW.get().view
    if view is None:
        return RunsInCharts()
    if not view.has_scores:
        return RunsInCharts(measures=view.measures)
    runs = view.scores().collection.runs
    marked = marks().among(runs)
    teams = view.teams_of(runs) if marked.by_team else {}
    hidden = marked.hidden_among(runs)
    return RunsInCharts(marked.pinned, runs, marked.highlighted, teams, hidden, view.measures)


def change(**parts: Any) -> None:
    """Change parts of the record. The whole page is then redrawn, even after a press in
    a fragment.
    """
    if "highlighted" in parts:
        parts = {"clicked": False} | parts
    MARKS.set(replace(marks(), **parts))


def toggle_highlight(run: str) -> None:
    """Highlight a clicked run until the page is left, or end its highlight."""
    highlighted = run
    if marks().highlighted == run:
        highlighted = ""
    change(highlighted=highlighted, clicked=True)


def leave_page() -> None:
    """End the highlight of a run that was clicked on the page."""
    if marks().clicked:
        change(highlighted="")


def redraw_if_changed() -> None:
    """Redraw the whole page after a press in a fragment. Called at the top of the
    fragment.
    """
    drawn = REDRAW.get().marks
    # a fragment's press redraws the fragment alone, and other charts show the run too
    if drawn not in (None, marks()):
        st.rerun()
