"""Check a run: everything that is odd about one, what it means, and what to do about it."""

import streamlit as st

from irmeval.core.tables import escape_markdown
from irmeval.ui.pages import check
from irmeval.ui.widgets import form, results, session

loaded, measures = session.loaded(), form.measures()
c = loaded.collection

st.title("Can this run be trusted?")
session.check_lists()
candidate = check.pick()
if candidate is None:
    st.info("Drop a run to have it checked against the collection that is loaded.")
    st.stop()
report = check.of(candidate, c, measures, session.base().collection.topics)
st.write(escape_markdown(check.headline(report)))
check.findings(report)
st.header("The numbers behind it")
results.one_of(check.views(report, c))
results.provenance(loaded)
