"""Metric lab: edit a ranked list, and watch every measure."""

import streamlit as st

from irmeval.experiments.learn.lab import lab
from irmeval.report.tables import escape_markdown
from irmeval.ui import form, reporting, show
from irmeval.ui import lab as bench

measures = form.measures()
example = bench.pick_example()


@st.fragment
def work() -> None:
    """The bench on the left, the scores on the right; a click redraws nothing else."""
    left, right = st.columns([4, 5])
    with left:
        place, texts = st.container(gap="xxsmall"), bench.read_list()
    with right:
        scores = st.container()
        params = bench.check(*texts, *bench.read_swaps())
    result = lab(measures=[*example.measures, *measures], params=params)
    with scores:
        st.write(escape_markdown(result.headline()))
        bench.board(result, measures)
        st.write(escape_markdown(result.said_of_swaps()))
    with place:  # after the scores, so that these need not wait for the widgets
        bench.edit(params)
    views = {
        "Step by step": lambda: bench.steps(result),
        "Method": lambda: show.formulas({m.metric.name: m.metric for m in result.measures}.values()),
        "Download": lambda: show.downloads("lab", {table.title: table.make for table in result.tables()}, {}),
    }
    reporting.button("lab", result)
    show.one_of(views, "Step by step")
    show.provenance(None, params)


work()
