"""Matrix: every run against every other, and any two of them topic by topic."""

from irmeval.ui.pages import frame, run_pairs
from irmeval.ui.state.view import View
from irmeval.ui.widgets import answer, experiment, form, output


def draw(view: View) -> None:
    """Draw the page."""
    experiment.show_question("matrix")
    names = experiment.measures_for(view, "matrix") or [view.scores().collection.name]
    params = experiment.settings(view, "matrix")
    with answer.controls():
        name = form.choose(
            "Measure",
            names,
            key="measure",
            help="Measure by which the runs are compared.",
            width=form.LIST_WIDTH,
        )
    if result := experiment.run(view, "matrix", [name], params, title="Matrix"):
        if not experiment.compare(view, "matrix", result):
            output.show_verdict("matrix", result)
            with answer.body():
                run_pairs.draw_pairs(result, name)
        experiment.provenance(view, "matrix", result)


draw(frame.view())
