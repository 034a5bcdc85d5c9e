"""Parameters: effect of beta, p, the cut-off or the gains on the order of the loaded
runs.
"""

from dataclasses import replace

import streamlit as st

from irmeval.core.tables import escape_markdown
from irmeval.experiments.measures.parameters import LABELS, Params, with_parameter
from irmeval.ui.widgets import answer, experiment, form, output, session

experiment.show_question("parameters")
measures = form.measures()
offered = {name: LABELS[name] for name in LABELS if with_parameter(measures, name)}
with answer.controls():
    picked = form.pick_one(
        "Parameter", offered, "parameter", "Parameters of the measures in the sidebar."
    )
result = experiment.run("parameters", measures, Params(picked))


@answer.fragment
def look() -> None:
    """Draw the curves, and the runs at the value of the slider."""
    above = st.container()
    shown = replace(
        result, at=form.slide(offered[picked], result.values, result.value, f"at-{picked}")
    )
    with above:
        output.block("parameters", shown)
    measure = form.pick_one(
        "Runs by",
        {m: m for m in shown.measures},
        "measure",
        "Measure whose order of runs is shown.",
    )
    st.write(escape_markdown(shown.describe_rank_changes(measure)))
    output.chart(shown.chart_of_places(measure), "places")
    output.provenance(session.loaded(), shown.params)


if result:
    look()
