"""Judges: agreement of a second assessor, or a language model, with the first on
relevance.
"""

from irmeval.ui.pages import choose_judge
from irmeval.ui.widgets import answer, experiment, form, session

experiment.show_question("judges")
panel, views = choose_judge.pick_panel(session.loaded().collection)
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
decided, notes = {"second": second}, {"judges": panel.describe()}
experiment.block(
    "judges",
    prefix="judges_",
    seldom=("level", "seed"),
    decided=decided,
    on=panel,
    notes=notes,
    views=views,
    default=next(iter(views), None),
)
