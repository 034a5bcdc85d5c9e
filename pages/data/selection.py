"""Selection: runs and topics in use on every page, and reasons why others are left
out.
"""

import streamlit as st

from irmeval.core.text import count_noun, quantify
from irmeval.experiments.facts import Verdict
from irmeval.ui.pages import choosing, frame
from irmeval.ui.state.view import View
from irmeval.ui.widgets import answer, output, upload


def draw(view: View) -> None:
    """Draw what is used, the runs to choose from, and where runs are fused and teams
    named.
    """
    loaded, table = view.selected(), view.runs_table()
    kept = table[table["kept"]]
    st.title("Which runs and topics are used?")
    answer.show_sentence(
        Verdict(
            f"Every page uses {quantify(len(kept), len(table), 'run')}, from"
            f" {count_noun(kept['team'].nunique(), 'team')}, and"
            f" {count_noun(len(loaded.collection.topics), 'topic')}."
        )
    )
    ticked = choosing.table(view)
    st.header("Topics")
    choosing.topics(view)
    output.downloads("selection", {"Runs": lambda: table}, {})
    st.header("Fuse runs")
    choosing.draw(view, ticked)
    st.header("Teams")
    upload.draw_team_uploader(view.dataset)
    output.provenance(loaded)


draw(frame.view())
