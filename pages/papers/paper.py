"""Paper: its findings, and its tables and figures, reproduced on the loaded
collection.
"""

import streamlit as st

from irmeval.core.tables import escape_markdown
from irmeval.ui.pages import frame, paper
from irmeval.ui.state.mailboxes import BLOCK
from irmeval.ui.state.view import View
from irmeval.ui.widgets import answer, session


def draw(view: View) -> None:
    """Draw the page."""
    source = paper.of_page()

    st.title(source.title)
    st.write(escape_markdown(source.asks))
    session.require_loaded(view.dataset)
    overrides = paper.decide(view)
    findings = st.container()
    st.caption(
        escape_markdown(
            f"{source.reference} It compares its own measures, not those of the sidebar."
        )
    )
    with st.container(
        key="whole", horizontal=True, horizontal_alignment="distribute", vertical_alignment="bottom"
    ):
        st.header(paper.EXHIBITS, width="content")
        paper.offer_files(view, source, overrides)
    exhibit = paper.pick(source)
    made = paper.exhibit_runs(view, source, exhibit, overrides)
    try:
        result = paper.remake_exhibit(view, source, exhibit, made, overrides)
    finally:  # which may stop the page
        part = BLOCK.get().so_far
        with findings:  # computed last: they take all exhibits
            answered = paper.show_findings(view, overrides, source)
    answer.start_block("exhibit")
    answer.note_so_far(part)
    if result:
        paper.show_exhibit(view, source, exhibit, made, overrides, result, answered)


draw(frame.view())
