"""Paper: its tables and figures, made again on the collection that is loaded."""

import streamlit as st

from irmeval.papers import PAPERS, charts_of, remake, tables_of
from irmeval.report.tables import escape_markdown
from irmeval.ui import jobs, paper, session, show

loaded = session.loaded()
c = loaded.collection
found = PAPERS[st.session_state["page"]]

st.title(found.title)
session.welcome(loaded)
paper.about(found)
exhibit = paper.pick(found)
teams = {"team_rule": session.selection().team_rule, "team": session.team_list()}
key = (c.fingerprint, found.name, exhibit.label, str(teams))
result = jobs.run("Paper", key, lambda progress: remake(found, exhibit, c, progress=progress, **teams))
if result:
    if exhibit.differs:
        st.caption(escape_markdown(f"Unlike the paper: {exhibit.differs}"))
    charts, tables = charts_of(exhibit, result), tables_of(exhibit, result)
    show.result(exhibit.experiment, result, paper.views(found, tables, c), charts=charts, tables=tables, default="Table")
    show.provenance(loaded, **paper.said(result))
