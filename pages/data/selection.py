"""Selection: which runs and topics every page works on, and why others are left out."""

import streamlit as st

from irmeval.core.text import counted, some_of
from irmeval.ui.pages import choosing, fusing
from irmeval.ui.widgets import results, session, team_file

loaded, selected = session.loaded(), session.selected()
table = selected.table

st.title("Which runs and topics are used?")
st.write(
    f"Kept: {some_of(int(table['kept'].sum()), len(table), 'run')} from {counted(table['team'].nunique(), 'team')}, and "
    f"{counted(len(selected.collection.topics), 'topic')}. The rules, which hold on every page, stand in the sidebar under "
    "*Policy, runs and topics*; the ticks below set one of them."
)
ticked = choosing.table()
st.header("Fuse runs")
fusing.draw(ticked)
st.header("Teams")
team_file.take()
results.downloads("selection", {"Runs": lambda: table}, {})
results.provenance(loaded)
