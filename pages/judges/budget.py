"""Budget: which documents a person should judge next, and what their judgments change."""

from irmeval.experiments import EXPERIMENTS
from irmeval.ui.pages import budget
from irmeval.ui.widgets import answer, experiment, form

experiment.begin("budget")
with answer.settings() as said:
    params = form.params(EXPERIMENTS["budget"].params, "budget_", more=("grade", "alpha", "relevance", "seed", "driver"), said=said)
if result := experiment.run("budget", form.measures(), params):
    experiment.present("budget", result, default="Table")
    budget.take_away(result)
budget.come_back(params)
