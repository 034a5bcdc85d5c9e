"""Leaderboard: who is best, by which measure, on which topics."""

import streamlit as st

from irmeval.experiments.scores.leaderboard import Params
from irmeval.report import exports
from irmeval.report.tables import escape_markdown
from irmeval.ui import experiment, form, reporting, session, show

st.title("Leaderboard")
if result := experiment.run("leaderboard", form.measures(), Params()):
    board, scores = result.board(), result.scores
    st.write(escape_markdown(result.headline()))
    picked = show.board(board, scores)
    show.provenance(session.loaded())
    reporting.button("leaderboard", result)
    runs = [board["run"][i] for i in picked] or list(board["run"][:1])
    st.header("Topic by topic")
    st.caption("Tick rows above to choose the runs; topics are ordered by the first run's first measure, highest first.")
    topics = result.by_topic(runs)
    show.table(topics)
    tables = {"Means": lambda: board, "Topics of the chosen runs": lambda: topics, "All topics": scores.frame}
    show.downloads("leaderboard", tables, {})
    st.download_button("All topics, as trec_eval -q prints them", lambda: exports.trec_scores(scores), "scores.txt", on_click="ignore")
