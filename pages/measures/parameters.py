"""Parameters: effect of beta, p, the cut-off or the gains on the order of the loaded
runs.
"""

from dataclasses import replace

from irmeval.experiments.measures.parameters import LABELS, Params, with_parameter
from irmeval.ui.pages import frame
from irmeval.ui.state.view import View
from irmeval.ui.widgets import answer, experiment, form, output


def draw(view: View) -> None:
    """Draw the page."""
    experiment.show_question("parameters")
    measures = form.measures(view)
    offered = {name: LABELS[name] for name in LABELS if with_parameter(measures, name)}
    with answer.controls():
        picked = form.pick_one(
            "Parameter", offered, "parameter", "Parameters of the measures in the sidebar."
        )
    result = experiment.run(view, "parameters", measures, Params(picked))
    if result:
        choice = experiment.choose_shown(result)

    @answer.fragment
    def look() -> None:
        """Draw the runs at the value of the slider, and the curves with that value marked."""
        at = form.slide(offered[picked], result.values, result.value, f"at-{picked}")
        shown = replace(result, at=at)
        output.block(view, "parameters", shown, choice=choice)
        output.provenance(view.selected(), shown.params)

    if result:
        look()


draw(frame.view())
