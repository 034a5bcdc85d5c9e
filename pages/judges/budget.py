"""Budget: which documents a person should judge next, and what their judgments change."""

from irmeval.ui.pages import budget
from irmeval.ui.widgets import experiment, form

experiment.show_question("budget")
params = experiment.settings("budget", "budget_", seldom=("grade", "alpha", "relevance", "seed", "driver"))
if result := experiment.run("budget", form.measures(), params):
    experiment.present("budget", result, default="Table")
    budget.offer_files(result)
budget.receive_judgments(params)
if needed := experiment.section("judgments-needed", prefix="needed_", seldom=("level", "seed"), key="needed_view", default="Table"):
    budget.sample(needed)
