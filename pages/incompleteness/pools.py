"""Pools: what a shallower pool, fewer teams, or a team left out do to scores and rankings."""

from dataclasses import asdict

import streamlit as st

from irmeval.experiments import EXPERIMENTS
from irmeval.ui import cached, form, jobs, session, show

loaded, measures = session.loaded(), form.measures()
c, team = loaded.collection, session.team_list()

st.title("What if the pool had been another?")
session.welcome(loaded)
kinds = {"pools": "Shallower", "fewer-teams": "Fewer teams", "leave-one-out": "One team left out"}
kind = form.pick_one("The pool is", kinds, "kind", "How it differs from the one that the judgments came from.")
experiment = EXPERIMENTS[kind]
# which run is of which team is decided in the sidebar, and by the CSV on the page Selection
decided = {} if kind == "pools" else {"team_rule": session.selection().team_rule}
more = {"team": team} if decided else {}
params = form.params(experiment.params, f"{kind}_", **decided)
said = {name: value for name, value in asdict(params).items() if name not in ("pools", "teams")}
if kind != "leave-one-out":
    more["store"] = cached.store(c.fingerprint, kind, *(said | {"trials": 0}).values(), *team.items())
key = (c.fingerprint, measures, params, tuple(team.items()))
result = jobs.run("Pools", key, lambda progress: experiment.run(c, measures, params, progress=progress, **more))
if result:
    show.result(kind, result)
    show.provenance(loaded, pool_is=kinds[kind].lower(), **said)
