"""The highlighted run, which stands out on every chart and page.

A click on a run in a chart, a table or the list of the sidebar highlights it; another click, Escape or a button ends that.
"""

from collections.abc import Callable, Iterable
from typing import Any

import pandas as pd
import streamlit as st

from irmeval.plots import pins, theme
from irmeval.ui.state.keys import HIGHLIGHTED

ROW = "background-color: rgba(230, 159, 0, 0.28); font-weight: bold"
LATELY = "highlighted_lately"
"""In a tab's state: the run that was just clicked, until the page is drawn again."""


def clicks(chart: str, figure: dict[str, Any], runs: Iterable[str]) -> dict[str, Any]:
    """Arguments of `st.plotly_chart` with which a click on a run of the chart with this key highlights it; none if it shows no runs. In the
    figure, a clicked point then looks as before."""
    names = {theme.escape_name(run): run for run in runs}
    if not any(pins.run_at(trace, 0, names) for trace in figure["data"]):
        return {}
    for trace in figure["data"]:
        if "markers" in trace.get("mode", "") or trace["type"] == "box":
            opacity = trace.get("marker", {}).get("opacity", 1)
            trace["selected"] = trace["unselected"] = {"marker": {"opacity": opacity}}

    def take() -> None:
        points = st.session_state[chart].selection.points
        if points and (run := pins.run_at(figure["data"][points[-1]["curve_number"]], points[-1]["point_index"], names)):
            toggle(run)

    return {"on_select": take, "selection_mode": "points"}


def toggle(run: str) -> None:
    """Highlight a run, or end that if it is highlighted already."""
    highlight(None if st.session_state.get(HIGHLIGHTED) == run else run)


def redraw_after_click() -> None:
    """Draw the whole page again after a click in a fragment. Called at the top of the fragment."""
    if LATELY in st.session_state:
        st.rerun()


def row_callback(table: str, runs: list[str]) -> Callable[[], None]:
    """A callback for a table with this key and these runs as rows: a click on a cell highlights its run."""

    def take() -> None:
        if cells := st.session_state[table].selection.cells:
            toggle(runs[cells[-1][0]])

    return take


def highlight_row(frame: pd.DataFrame) -> Any:
    """A table, with the row of the highlighted run marked."""
    lit = st.session_state.get(HIGHLIGHTED)
    if not lit or "run" not in frame or not (here := (frame["run"] == lit).to_numpy()).any():
        return frame
    return frame.style.apply(lambda column: [ROW if picked else "" for picked in here], axis=0)


def highlight(run: str | None) -> None:
    """Highlight a run, or none."""
    st.session_state[HIGHLIGHTED] = st.session_state[LATELY] = run
