"""Scorecard: how robust each measure is, all told."""

from irmeval.ui.pages import scorecard
from irmeval.ui.widgets import experiment

scorecard.open_criterion()
experiment.page("scorecard", seldom=("rounding", "seed"), views={"Table": scorecard.table})
