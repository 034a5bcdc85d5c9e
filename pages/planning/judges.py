"""Judges: agreement of a second assessor, or a language model, with the first on relevance."""

from irmeval.ui.pages import choose_judge
from irmeval.ui.widgets import experiment, session

experiment.show_question("judges")
panel, views = choose_judge.pick_panel(session.loaded().collection)
others, notes = panel.names[1:], {"judges": panel.describe()}
which = experiment.Pick("Compared with", "judge", "Judge to compare with the first.", others) if len(others) > 1 else None
experiment.block(
    "judges", prefix="judges_", seldom=("level", "seed"), on=panel, pick=which, notes=notes, views=views, default=next(iter(views), None)
)
