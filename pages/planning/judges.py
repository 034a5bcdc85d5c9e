"""Judges: agreement of a second assessor, or a language model, with the first on
relevance.
"""

from irmeval.ui.pages import choose_judge, frame
from irmeval.ui.state.view import View
from irmeval.ui.widgets import answer, experiment, form, output


def draw(view: View) -> None:
    """Draw the page."""
    experiment.show_question("judges")
    panel, expected = choose_judge.pick_panel(view)
    # the first is the reference
    (_, *others), second = panel.names, ""
    if len(others) > 1:
        with answer.controls():
            second = form.choose(
                "Compared with",
                others,
                key="judge",
                help="Judge to compare with the first.",
                width=form.LIST_WIDTH,
            )
    params = experiment.settings(view, "judges", "judges_", seldom=("level", "seed"), second=second)
    if result := experiment.run(view, "judges", (), params, on=panel):
        if expected:
            more = {"Expected": lambda: output.table(expected(result))}
            experiment.present(view, "judges", result, more, on=panel, default="Expected")
        else:
            experiment.present(view, "judges", result, on=panel)


draw(frame.view())
