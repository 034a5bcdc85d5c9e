"""Estimates: what estimators make of samples of the judgments, held against the truth on all of them."""

from irmeval.ui.widgets import experiment

experiment.page("estimates", more=("level", "axis"))
