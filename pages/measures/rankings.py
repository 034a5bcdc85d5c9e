"""Rankings: the order of the runs by one measure, compared with others."""

from irmeval.experiments.measures.rankings import LINES, POINTS, Params
from irmeval.ui.pages import frame
from irmeval.ui.state.view import View
from irmeval.ui.widgets import answer, experiment, form


def draw(view: View) -> None:
    """Draw the page."""
    experiment.show_question("rankings")
    names = form.measures(view)
    with answer.settings() as in_force:
        by = form.choose("Sorted by", names, key="sorted_by", help="Measure that orders the runs.")
        against = form.choose(
            "Against",
            names,
            None,
            key="against",
            placeholder="least alike",
            help="Measure to compare with it; empty: the one that agrees least.",
        )
        lines = form.pick_one(
            "Lines", {n: n for n in LINES}, "lines", "Mean scores or ranks of the runs."
        )
        points = form.pick_one(
            "Points",
            {n: n for n in POINTS},
            "points",
            "A point of the scatter plot is a run's mean, or a topic's mean over the runs.",
        )
        in_force += [
            f"sorted by {by}",
            f"compared with {against or 'the measure that agrees least'}",
            f"lines show {lines}",
            f"a point is a {points[:-1]}",
        ]
    if result := experiment.run(view, "rankings", names, Params(by, against or "", lines, points)):
        experiment.present(view, "rankings", result)


draw(frame.view())
