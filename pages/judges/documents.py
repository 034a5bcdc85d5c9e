"""Documents: how far a second assessor, or a language model, agrees with the first on what is relevant."""

import streamlit as st

from irmeval.experiments import EXPERIMENTS
from irmeval.ui.pages import judges
from irmeval.ui.widgets import answer, experiment, form, session
from irmeval.ui.widgets.experiment import Pick

st.title(EXPERIMENTS["judges"].question)
if picked := judges.pick(session.loaded().collection):
    panel, views = picked
    with answer.settings() as said:
        params = form.params(EXPERIMENTS["judges"].params, "judges_", said=said)
    if result := experiment.run("judges", (), params, on=panel):
        others = panel.names[1:]
        which = Pick("Judge", "judge", "Whom the first judge is compared with.", others, of_files=True) if len(others) > 1 else None
        notes = {"judges": panel.describe()}
        experiment.present("judges", result, pick=which, notes=notes, views=views, on=panel, default=next(iter(views), None))
