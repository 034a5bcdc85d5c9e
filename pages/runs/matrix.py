"""Matrix: every run against every other, and any two of them topic by topic."""

from irmeval.ui.pages import frame, run_pairs
from irmeval.ui.state.view import View
from irmeval.ui.widgets import answer, experiment, output


def draw(view: View) -> None:
    """Draw the page."""
    experiment.show_question("matrix")
    if result := experiment.make(view, "matrix"):
        name = experiment.choose_shown(result)
        if not experiment.compare(view, "matrix", result, name):
            output.show_verdict("matrix", result, name)
            with answer.body():
                run_pairs.draw_pairs(view, result, name)
        experiment.provenance(view, "matrix", result)


draw(frame.view())
