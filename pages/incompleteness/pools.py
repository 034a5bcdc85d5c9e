"""Pools: effect of a shallower pool, fewer teams, or a team left out on scores and
rankings.
"""

import streamlit as st

from irmeval.core.params import fields
from irmeval.experiments import EXPERIMENTS
from irmeval.ui.widgets import answer, experiment, form, session

st.title("What if the pool had been different?")
kinds = {"pools": "Shallower", "fewer-teams": "Fewer teams", "leave-one-out": "One team left out"}
with answer.controls():
    kind = form.pick_one("The pool is", kinds, "kind", "Difference from the judged pool.")
declared = fields(EXPERIMENTS[kind].params)
# teams of runs are set in the sidebar, and by the CSV on the page Selection
teams = {"team_rule": session.selection().team_rule} if "team_rule" in declared else {}
seldom, notes = (
    [name for name in ("pool", "alpha", "seed") if name in declared],
    {"pool is": kinds[kind].lower()},
)
experiment.block(kind, prefix=f"{kind}_", seldom=seldom, decided=teams, title="Pools", notes=notes)
