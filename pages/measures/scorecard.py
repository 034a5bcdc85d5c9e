"""Scorecard: robustness of each measure by all criteria."""

from irmeval.ui.pages import criteria
from irmeval.ui.widgets import experiment

criteria.open_criterion()
experiment.page("scorecard", seldom=("rounding", "seed"), views={"Table": criteria.table})
