"""Agreement: measures that put the runs in the same order."""

from irmeval.ui.widgets import experiment

experiment.page("agreement")
