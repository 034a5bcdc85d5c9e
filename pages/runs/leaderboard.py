"""Leaderboard: the best runs, by measure and topic."""

import streamlit as st

from irmeval.experiments.runs.leaderboard import Leaderboard
from irmeval.report import exports
from irmeval.ui.pages import board, frame
from irmeval.ui.state.tab_state import made_once
from irmeval.ui.state.view import View
from irmeval.ui.widgets import answer, experiment, form, output


def show(view: View, result: Leaderboard) -> None:
    """Draw the table, a measure's intervals, and the chosen runs topic by topic."""
    with answer.controls():
        measure = form.choose(
            "In detail",
            result.names,
            key="in_detail",
            width=form.LIST_WIDTH,
            help="The measure by which runs are ranked, and that has an interval.",
        )
    columns, whole = board.pick_columns(result)
    result = made_once("in-detail", (result, measure), lambda: result.in_detail(measure))
    output.show_verdict("leaderboard", result, measure)
    ticked = board.draw_table(view, result, measure, columns, whole=whole)
    chart, holes = made_once(
        "details",
        (result, measure),
        lambda: (result.chart_of(measure), result.charts_of_holes(measure)),
    )
    topics = made_once("topics", (result, *ticked), lambda: result.by_topic(ticked))
    output.chart(chart, "board")
    for filled in holes:
        output.chart(filled, "holes")

    def by_topic() -> None:
        """Draw the downloads of scores by topic."""
        output.downloads(
            "by-topic",
            {"Topics of the chosen runs": lambda: topics, "All topics": result.scores.frame},
            {},
        )
        name = "All topics, as trec_eval -q prints them"
        st.download_button(
            name, lambda: exports.trec_scores(result.scores), "scores.txt", on_click="ignore"
        )

    output.below_charts(
        "leaderboard", result, [chart, *holes], {"Scores by topic": by_topic}, notes=result.notes
    )
    st.header("Topic by topic")
    st.caption(
        "Tick rows above to choose the runs; topics are ordered by the first run's first measure,"
        " highest first."
    )
    output.table(topics)


def draw(view: View) -> None:
    """Draw the page."""
    experiment.show_question("leaderboard")
    if result := board.run(view, board.settings(view)):
        if not experiment.compare(view, "leaderboard", result):
            with answer.body():
                show(view, result)
        experiment.provenance(view, "leaderboard", result)


draw(frame.view())
