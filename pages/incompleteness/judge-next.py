"""Judge next: documents to judge next, and the effect of their judgments."""

from irmeval.ui.pages import frame, judge_next_files
from irmeval.ui.state.view import View
from irmeval.ui.widgets import experiment, form


def draw(view: View) -> None:
    """Draw the page."""
    experiment.show_question("judge-next")
    params = experiment.settings(
        view, "judge-next", "budget_", seldom=("grade", "alpha", "relevance", "seed", "driver")
    )
    if result := experiment.run(view, "judge-next", form.measures(view), params):
        experiment.present(view, "judge-next", result, default="Table")
        judge_next_files.offer_files(result)
    judge_next_files.receive_judgments(view, params)
    if needed := experiment.section(
        view,
        "judgments-needed",
        prefix="needed_",
        seldom=("level", "seed"),
        key="needed_view",
        default="Table",
    ):
        judge_next_files.sample(needed)


draw(frame.view())
