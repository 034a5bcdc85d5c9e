"""Leaderboard: who is best, by which measure, on which topics."""

import streamlit as st

from irmeval.report import exports, leaderboard
from irmeval.report.tables import escape_markdown
from irmeval.ui import cached, form, session, show

loaded, measures = session.loaded(), form.measures()
c = loaded.collection
scores = cached.scores(c.fingerprint, measures, c)
board = leaderboard.board(scores)

st.title("Leaderboard")
st.write(escape_markdown(leaderboard.headline(scores)))
picked = show.board(board, scores)
show.provenance(loaded)
runs = [board["run"][i] for i in picked] or list(board["run"][:1])
st.header("Topic by topic")
st.caption("Tick rows above to choose the runs; topics are ordered by the first run's first measure, highest first.")
topics = leaderboard.by_topic(scores, runs)
show.table(topics)
tables = {"Means": lambda: board, "Topics of the chosen runs": lambda: topics, "All topics": scores.frame}
show.downloads("leaderboard", tables, {})
st.download_button("All topics, as trec_eval -q prints them", lambda: exports.trec_scores(scores), "scores.txt", on_click="ignore")
