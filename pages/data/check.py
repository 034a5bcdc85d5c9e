"""Check runs: errors and distinguishing features, their meaning, and remedies."""

import streamlit as st

from irmeval.core.tables import escape_markdown
from irmeval.ui.pages import check, frame
from irmeval.ui.state.view import View
from irmeval.ui.widgets import answer, form, output, refusals


def draw(view: View) -> None:
    """Draw all runs side by side, and then one."""
    loaded, measures = view.selected(), form.measures(view)
    c, known = loaded.collection, view.all_loaded().collection.topics
    st.title("Can these runs be trusted?")
    refusals.require_lists(view)
    candidates = check.candidates(view)
    first = next((candidate.name for candidate in candidates), "")
    if len(candidates) > 1:
        with answer.body():
            shown = check.of_all(check.check_all(candidates, c, measures, known), len(candidates))
            check.draw(shown)
        # the sentence has its place above, and is known once the checks are
        if shown.checks:
            answer.show_sentence(shown.verdict)
        first = check.newest_or(shown.worst)
        st.header("One run")
    candidate = check.pick(candidates, first)
    if candidate is None:
        said = "Drop a run to check it against the loaded collection."
        if candidates:
            said = "The run with the worst finding is shown once some runs are checked."
        st.info(said)
        answer.stop_page()
    report = check.check_run(candidate, c, measures, known)
    of_run = check.of_run(report)
    st.write(escape_markdown(of_run.headline))
    check.findings(of_run)
    st.header("Details")
    output.draw_picked(check.views(report, c))
    output.provenance(loaded)


draw(frame.view())
