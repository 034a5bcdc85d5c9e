"""Matrix: every run against every other, and any two of them topic by topic."""

from irmeval.ui.pages import run_pairs
from irmeval.ui.widgets import answer, experiment, form, output, session

experiment.show_question("matrix")
names = experiment.measures_for("matrix") or [session.loaded_or_matrix().collection.name]
params = experiment.settings("matrix")
with answer.controls():
    name = form.choose(
        "Measure",
        names,
        key="measure",
        help="Measure by which the runs are compared.",
        width=form.LIST_WIDTH,
    )
if result := experiment.run("matrix", [name], params, title="Matrix"):
    if not experiment.compare("matrix", result):
        output.show_verdict("matrix", result)
        with answer.body():
            run_pairs.draw_pairs(result, name)
    experiment.provenance("matrix", result)
