"""Collection: drop qrels and runs, see what was read and what was refused."""

import streamlit as st

from irmeval.report import overview
from irmeval.report.tables import escape_markdown
from irmeval.ui import session, show

st.title("Collection")
desk = session.desk()
dropped = st.file_uploader(
    "Drop one qrels file and any number of run files",
    accept_multiple_files=True,
    key=f"upload-{desk.uploader}",
    help="Plain text, .gz, or a .zip of many. Qrels have four columns: topic, iteration, document, grade. Runs have six: "
    "topic, Q0, document, rank, score, tag. Which is which is told by the columns. Files stay in this session's memory.",
)
if dropped:
    with st.spinner(f"Reading {len(dropped)} files ..."):
        desk.add([(file.name, file.getvalue()) for file in dropped])
    st.rerun()
show.problems(desk.refused, desk.waiting())
if desk.runs or desk.qrels:
    st.button("Put my files away and go back to the sample", on_click=session.clear)

loaded = session.loaded()
session.welcome(loaded)
c = loaded.collection
st.subheader(escape_markdown(loaded.name))
show.facts({"Topics": len(c.topics), "Runs": len(c.runs), "Judged": int((c.grade >= 0).sum()), "Relevant": int((c.grade > 0).sum())})
show.remarks(overview.remarks(c))
left, right = st.columns(2)
with left:
    st.markdown("Judgments per topic")
    show.table(overview.overview(c))
with right:
    st.markdown("Runs as read")
    show.table(overview.runs(c), column_config={"judged": st.column_config.ProgressColumn("judged", format="percent", max_value=1.0)})
show.provenance(loaded)
