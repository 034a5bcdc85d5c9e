"""Scorecard: how robust each measure is, all told."""

from irmeval.experiments.reliability.scorecard import Scorecard
from irmeval.ui.pages import scorecard
from irmeval.ui.widgets import experiment, show


def draw(result: Scorecard) -> None:
    """Its cards, its charts, and what else there is."""
    scorecard.draw(result)
    charts = result.charts()
    for chart in charts:
        show.chart(chart, f"scorecard-{chart.name}")
    show.rest("scorecard", result, charts)


experiment.page("scorecard", draw=draw)
