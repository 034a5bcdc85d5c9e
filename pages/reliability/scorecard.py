"""Scorecard: how robust each measure is, all told."""

from irmeval.experiments.reliability.scorecard import Params
from irmeval.ui import experiment, form, scorecard, session, show

experiment.begin("scorecard")
params = form.params(Params)
if result := experiment.run("scorecard", form.measures(), params):
    scorecard.draw(result)
    charts = result.charts()
    for chart in charts:
        show.chart(chart, f"scorecard-{chart.name}")
    show.rest("scorecard", result, charts)
    show.provenance(session.loaded(), params)
