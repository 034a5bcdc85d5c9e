"""Decisions: which pairs of runs are still told apart as judgments disappear, and whether rightly."""

from irmeval.experiments.incompleteness.decisions import Params
from irmeval.ui import experiment, form, pairs, session, show

experiment.begin("decisions")
params = form.params(Params)
if result := experiment.run("decisions", form.measures(), params):
    experiment.compared("decisions", result, lambda: pairs.outcome(result))
    show.provenance(session.loaded(), params)
