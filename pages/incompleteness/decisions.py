"""Decisions: which pairs of runs are still told apart as judgments disappear, and whether rightly."""

from irmeval.experiments.incompleteness.decisions import Params
from irmeval.ui.pages import pairs
from irmeval.ui.widgets import experiment, form, session, show

experiment.begin("decisions")
params = form.params(Params)
if result := experiment.run("decisions", form.measures(), params):
    experiment.compared("decisions", result, lambda: pairs.outcome(result))
    show.provenance(session.loaded(), params)
