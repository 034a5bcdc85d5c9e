"""Two runs: the better one, by measure and topic."""

from irmeval.ui.pages import run_pairs
from irmeval.ui.widgets import answer, experiment, output

experiment.show_question("two-runs")
seldom, decided = ("samples", "alpha", "at_once", "seed"), run_pairs.pick_pair()
if result := experiment.make("two-runs", seldom=seldom, decided=decided):
    if not experiment.compare("two-runs", result):
        output.show_verdict("two-runs", result)
        with answer.body():
            run_pairs.draw_two_runs(result)
    experiment.provenance("two-runs", result)
