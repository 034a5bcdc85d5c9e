"""The widgets of the pages of papers."""

from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING

import streamlit as st

from irmeval import Collection
from irmeval.experiments.base import Result
from irmeval.papers import Exhibit, Paper
from irmeval.report.paper import zipped
from irmeval.report.tables import escape_markdown
from irmeval.ui import session, show

if TYPE_CHECKING:
    import pandas as pd


def about(paper: Paper) -> None:
    """What the paper asks and on which runs; these can be selected as it did."""
    st.write(escape_markdown(paper.asks))
    st.caption(escape_markdown(f"{paper.reference} Compared are its own measures, not those of the sidebar."))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Select runs as the paper did",
            on_click=lambda: st.session_state.update(asdict(paper.selection)),
            help="Sets the rules under Runs and topics in the sidebar, for all pages.",
        )
        st.caption(escape_markdown(f"{paper.selects} {paper.differs}"))


def pick(paper: Paper) -> Exhibit:
    """One of the paper's tables and figures."""
    offered = {one.label: one for one in paper.exhibits}
    label = st.selectbox(
        "Table or figure",
        list(offered),
        key="exhibit",
        bind="query-params",
        format_func=lambda label: f"{label}: {offered[label].title}" if label in offered else label,
        help="As the paper counts them, made on the runs and topics that are selected.",
    )
    return offered[label]


def views(paper: Paper, tables: "dict[str, pd.DataFrame]", collection: Collection) -> dict[str, Callable[[], None]]:
    """The tables of the exhibit beyond the first, and all of the paper to take away."""

    def take() -> None:
        st.write("A page to read, every table as CSV and LaTeX, every figure as HTML, and a manifest. Making it takes some seconds.")
        st.download_button(
            "The whole paper on this collection, as a zip",
            lambda: zipped(paper, collection, session.selection(), session.team_list()),
            f"{paper.name}.zip",
            on_click="ignore",
        )

    others = {title: lambda frame=frame: show.table(frame) for title, frame in list(tables.items())[1:]}
    return {**others, "Whole paper": take}


def said(result: Result) -> dict[str, object]:
    """The parameters that are no list, for the line under the result."""
    return {name: value for name, value in asdict(result.params).items() if not isinstance(value, tuple)}
