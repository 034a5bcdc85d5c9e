"""Judge next: documents to judge next, and the effect of their judgments."""

from irmeval.ui.pages import judge_next_files
from irmeval.ui.widgets import experiment, form

experiment.show_question("judge-next")
params = experiment.settings(
    "judge-next", "budget_", seldom=("grade", "alpha", "relevance", "seed", "driver")
)
if result := experiment.run("judge-next", form.measures(), params):
    experiment.present("judge-next", result, default="Table")
    judge_next_files.offer_files(result)
judge_next_files.receive_judgments(params)
if needed := experiment.section(
    "judgments-needed",
    prefix="needed_",
    seldom=("level", "seed"),
    key="needed_view",
    default="Table",
):
    judge_next_files.sample(needed)
