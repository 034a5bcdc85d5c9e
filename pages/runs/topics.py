"""Topics: spread of each run's scores, and hard topics."""

from irmeval.experiments.runs.topics import KINDS, Params
from irmeval.ui.widgets import answer, experiment, form, session

experiment.show_question("topics")
measures = experiment.measures_for("topics")
with answer.controls():
    names = measures or [session.loaded_or_matrix().collection.name]
    name = form.choose(
        "Measure",
        names,
        key="measure",
        help="Measure whose scores are shown.",
        width=form.LIST_WIDTH,
    )
    means = "box: quartiles, with outliers as dots. strip: every score as a dot."
    drawn = form.pick_one("Drawn as", {k: k for k in KINDS}, "drawn", means)
if result := experiment.run("topics", measures, Params(name if measures else "", drawn)):
    experiment.present("topics", result)
