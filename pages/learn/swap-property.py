"""Swap property: whether a better list always scores more."""

from irmeval.ui.pages import paper_measures
from irmeval.ui.widgets import experiment

experiment.show_question("swap-property")
experiment.block("swap-property", measures=paper_measures.pick("swap-property"))
