"""Judge next: documents to judge next, and the effect of their judgments."""

from irmeval.ui.pages import frame, judge_next_files
from irmeval.ui.state.view import View
from irmeval.ui.widgets import experiment, form


def draw(view: View) -> None:
    """Draw the page."""
    experiment.show_question("judge-next")
    seldom = ("grade", "alpha", "relevance", "seed", "driver")
    params = experiment.settings(view, "judge-next", seldom=seldom)
    if result := experiment.run(view, "judge-next", form.measures(view), params):
        experiment.present(view, "judge-next", result, default="Table")
        judge_next_files.offer_files(result)
    # also while the list is computed: judgments of an earlier one may be back
    judge_next_files.receive_judgments(view, params)


draw(frame.view())
