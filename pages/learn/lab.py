"""Metric lab: edit a ranked list, and watch every measure."""

import streamlit as st

from irmeval.core.tables import escape_markdown
from irmeval.ui.pages import bench, frame
from irmeval.ui.state.view import View
from irmeval.ui.widgets import answer, experiment, form, output, reporting


def draw(view: View) -> None:
    """Draw the page."""
    experiment.show_question("lab")
    measures = form.measures(view)

    @answer.fragment
    def work() -> None:
        """Draw the editor on the left, the scores on the right; a click redraws nothing
        else.
        """
        with st.container(key="bench", gap="xsmall"):
            said, (left, right) = st.container(), st.columns([4, 5])
            swapped, own = st.container(key="swapped"), bench.pick_example()
            texts = bench.read_list()
            with right:
                scores, params = st.container(), bench.check(*texts, *bench.read_swaps())
            result = bench.compute([*own, *measures], params)
            with said:
                output.show_verdict("lab", result)
            with scores:
                bench.board(result, measures)
            if alike := result.describe_swaps():
                swapped.write(escape_markdown(alike))
            # after the scores, so that these need not wait for the widgets
            with left.container(gap="xxsmall"):
                bench.edit(params)
        views = {
            "Step by step": lambda: bench.steps(result, measures),
            "Method": lambda: output.formulas(
                {m.metric.name: m.metric for m in result.measures}.values()
            ),
            "Download": lambda: output.downloads(
                "lab", {table.title: table.make for table in result.tables()}, {}
            ),
        }
        reporting.button("lab", result)
        output.draw_picked(views, "Step by step")
        output.provenance(None, params)

    work()


draw(frame.view())
