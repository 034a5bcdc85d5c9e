"""Scorecard: robustness of each measure by all criteria."""

from functools import partial

from irmeval.ui.pages import criteria
from irmeval.ui.widgets import experiment

criteria.open_criterion()
experiment.show_question("scorecard")
if result := experiment.make("scorecard", seldom=("rounding", "seed")):
    experiment.present("scorecard", result, {"Table": partial(criteria.table, result)})
