"""Topics: spread of each run's scores, and hard topics."""

from irmeval.experiments.runs.topics import KINDS, Params
from irmeval.ui.pages import frame
from irmeval.ui.state.view import View
from irmeval.ui.widgets import answer, experiment, form


def draw(view: View) -> None:
    """Draw the page."""
    experiment.show_question("topics")
    measures = experiment.measures_for(view, "topics")
    with answer.controls():
        # a score matrix has no measures, so that its own name stands in the list
        names = measures or [view.scores().collection.name]
        name = form.choose(
            "Measure",
            names,
            key="measure",
            help="Measure whose scores are shown.",
            width=form.LIST_WIDTH,
        )
        means = "box: quartiles, with outliers as dots. strip: every score as a dot."
        drawn = form.pick_one("Drawn as", {k: k for k in KINDS}, "drawn", means)
    if result := experiment.run(view, "topics", measures, Params(name if measures else "", drawn)):
        experiment.present(view, "topics", result)


draw(frame.view())
