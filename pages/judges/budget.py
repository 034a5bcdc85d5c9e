"""Budget: which documents a person should judge next, and what their judgments change."""

from irmeval.experiments import EXPERIMENTS
from irmeval.ui.pages import budget
from irmeval.ui.widgets import experiment, form

experiment.begin("budget")
params = form.params(EXPERIMENTS["budget"].params, "budget_", more=("grade", "alpha"))
if result := experiment.run("budget", form.measures(), params):
    budget.take_away(result)
    experiment.present("budget", result, default="Table")
budget.come_back(params)
