"""Selection: which runs and topics every page works on, and why others are left out."""

import streamlit as st

from irmeval.ui.pages import choosing
from irmeval.ui.widgets import results, session, teams

loaded, selected = session.loaded(), session.selected()
table = selected.table

st.title("Which runs and topics are worked on?")
st.write(
    f"{int(table['kept'].sum())} of {len(table)} runs, from {table['team'].nunique()} teams, and {len(selected.collection.topics)} topics "
    "are kept. The rules are in the sidebar under *Runs and topics*, and what is ticked below is one of them; "
    "they act on every page."
)
choosing.table()
st.header("Teams")
teams.take()
results.downloads("selection", {"Runs": lambda: table}, {})
results.provenance(loaded)
