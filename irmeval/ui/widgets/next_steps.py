"""Next steps: links under a finding to pages with more on it, with their widgets set."""

from typing import Any

import streamlit as st

from irmeval.core.folders import page_scripts
from irmeval.core.tables import escape_markdown
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.results import NextStep
from irmeval.ui.state import keys
from irmeval.ui.widgets import link, menu, session

MOST = 3
"""Most links under a finding."""


def draw_below(name: str, result: Any) -> None:
    """Draw links from the result of an experiment to other pages."""
    draw([lead for lead in result.next_steps() if lead.page != keys.page_name()], f"next-{name}")


def draw(found: list[NextStep], key: str, most: int = MOST) -> None:
    """Draw links to the pages that can show the loaded data, in a row with this key."""
    if session.matrix():
        scored = {page for experiment in EXPERIMENTS.values() if experiment.matrix for page in experiment.pages}
        found = [lead for lead in found if lead.page in scored]
    elif not session.has_runs():
        left = [lead for lead in found if lead.page in menu.WITHOUT_RUNS]
        found = left if left == found else [*left, NextStep("Add runs to see what this changes", "collection")]
    if not found:
        return
    data = {link.DATA: name} if (name := link.data_name(session.dataset())) else {}
    with st.container(key=key, horizontal=True, vertical_alignment="center"):
        st.markdown("Next", width="content")
        for finding, page, settings in found[:most]:
            label = f"{escape_markdown(finding)}{'' if finding.endswith('?') else ':'} **{menu.name_of(page)}**"
            own = {keys.widget_key_on(page, widget): value for widget, value in settings.items()}
            st.page_link(str(page_scripts()[page]), label=label, query_params=data | own)
