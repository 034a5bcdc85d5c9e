"""Scorecard: robustness of each measure by all criteria."""

from irmeval.ui.pages import scorecard
from irmeval.ui.widgets import experiment

scorecard.open_criterion()
experiment.page("scorecard", seldom=("rounding", "seed"), views={"Table": scorecard.table})
