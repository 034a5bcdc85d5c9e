"""Two runs: the better one, by measure and topic."""

from irmeval.ui.pages import frame, run_pairs
from irmeval.ui.state.view import View
from irmeval.ui.widgets import answer, experiment, output


def draw(view: View) -> None:
    """Draw the page."""
    experiment.show_question("two-runs")
    seldom, decided = ("samples", "alpha", "at_once", "seed"), run_pairs.pick_pair(view)
    if result := experiment.make(view, "two-runs", seldom=seldom, decided=decided):
        name = experiment.choose_shown(result)
        if not experiment.compare(view, "two-runs", result, name):
            output.show_verdict("two-runs", result, name)
            with answer.body():
                run_pairs.draw_two_runs(view, result, name)
        experiment.provenance(view, "two-runs", result)


draw(frame.view())
