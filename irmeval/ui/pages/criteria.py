"""The scorecard as a table: sortable, the best of each column marked, each column with
a link to its page.
"""

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from irmeval.core.folders import page_scripts
from irmeval.experiments.measures.scorecard import KNEE, Scorecard
from irmeval.plots import colors
from irmeval.ui.state.mailboxes import SAID

BEST = f"background-color: {colors.faint(colors.PALETTE['green'], 0.3)}; font-weight: 600"


def open_criterion() -> None:
    """Go to the page of a criterion whose figure was clicked."""
    if page := SAID.take("criterion"):
        # Streamlit fails on bound widgets unless some are given
        st.switch_page(page, query_params={})


def _columns_of(result: Scorecard) -> dict[str, Any]:
    """How the columns of the table look, by name."""
    words: dict[str, Any] = {}
    for c in result.columns:
        better = "Less"
        if c.more:
            better = "More"
        words[c.name] = st.column_config.NumberColumn(
            c.name, help=f"{c.meaning} {better} is better.", format="%.3f"
        )
    words["measure"] = st.column_config.Column(pinned=True)
    words[KNEE] = st.column_config.Column(KNEE, help=words[KNEE]["help"])
    words["mean rank"] = st.column_config.NumberColumn(
        "mean rank",
        help="Over all columns; 1 is best. Columns are not independent, so this is only a summary.",
        format="%.2f",
    )
    return words


def table(result: Scorecard) -> None:
    """Draw the table, and links to the page of each criterion."""
    frame = result.numbers()
    below = set(result.frame()[KNEE]) - set(frame[KNEE])
    marked = dict(zip((c.name for c in result.columns), result.best, strict=True))
    rows = [result.measures.index(m) for m in frame["measure"]]

    def mark(column: pd.Series) -> list[str]:
        if column.name not in marked:
            return [""] * len(frame)
        styles: list[str] = np.where(marked[str(column.name)][rows], BEST, "").tolist()
        return styles

    def in_words(rate: Any) -> str:
        bound = f"< {rate:g}"
        if bound in below:
            return bound
        return f"{rate:.1f}"

    state = st.dataframe(
        frame.style.apply(mark).format(
            {KNEE: in_words},
            na_rep="",
        ),
        hide_index=True,
        column_config=_columns_of(result),
        key="scorecard",
        on_select="rerun",
        selection_mode="single-cell",
    )
    pages = {column.name: str(page_scripts()[column.page]) for column in result.columns}
    for _, name in state.selection.cells:
        if name in pages:
            SAID.change(criterion=pages[name])
            st.rerun()  # the whole page: from a part of it the address would stay
    st.caption(
        "Click a number, or a name below, to open its page. Click a heading to sort; hover over it"
        " for its meaning. Green: best of its column."
    )
    with st.container(horizontal=True):
        for column in result.columns:
            st.page_link(
                pages[column.name],
                label=column.name,
                help=column.meaning,
                icon=":material/arrow_outward:",
            )
