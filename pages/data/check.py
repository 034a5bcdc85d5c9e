"""Check runs: errors and distinguishing features, their meaning, and remedies."""

import streamlit as st

from irmeval.core.tables import escape_markdown
from irmeval.ui.pages import check, frame
from irmeval.ui.state.view import View
from irmeval.ui.widgets import answer, form, output, session


def draw(view: View) -> None:
    """Draw all runs side by side, and then one."""
    loaded, measures = view.selected(), form.measures(view)
    c, known = loaded.collection, view.all_loaded().collection.topics
    st.title("Can these runs be trusted?")
    session.require_lists()
    if len(candidates := check.candidates()) > 1:
        check.draw(check.check_all(candidates, c, measures, known))
        st.header("One run")
    candidate = check.pick()
    if candidate is None:
        st.info("Drop a run to check it against the loaded collection.")
        answer.stop_page()
    report = check.check_run(candidate, c, measures, known)
    st.write(escape_markdown(check.headline(report)))
    check.findings(report)
    st.header("Details")
    output.draw_picked(check.views(report, c))
    output.provenance(loaded)


draw(frame.view())
