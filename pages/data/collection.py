"""Collection: drop qrels and runs, or a score matrix; see what was read and what was refused."""

import streamlit as st

from irmeval.core.tables import escape_markdown
from irmeval.report import overview
from irmeval.ui.pages import choose_judge, load_data
from irmeval.ui.widgets import answer, refusals, results, session, upload, workspaces

st.title("What does the collection contain?")
dataset = session.dataset()
refusals.show_all(dataset, session.policy())
load_data.show_loaded(dataset)
upload.draw_uploader(dataset)
workspaces.manage(dataset)
upload.warn_if_not_kept()
if matrix := session.matrix():
    load_data.matrix_scores(dataset, matrix)
    upload.show_how_long_kept()
    answer.stop_page()

session.require_loaded()
loaded = session.loaded()
c = loaded.collection
if dataset.used:  # the first sentence says this of what is not the visitor's own
    st.header(escape_markdown(loaded.name))
    of_runs = {"Runs": len(c.runs), "Teams": session.selected().table.query("kept")["team"].nunique()} if c.runs else {}
    load_data.show_counts({"Topics": len(c.topics), **of_runs, "Judged": int((c.grade >= 0).sum()), "Relevant": int((c.grade > 0).sum())})
for remark in overview.remarks(c):
    st.warning(escape_markdown(remark))
workspaces.offer_removal(dataset, load_data.tables(c))
choose_judge.draw_other_judges(c)
upload.show_how_long_kept()
results.provenance(loaded)
