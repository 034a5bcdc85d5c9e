"""Scorecard: how robust each measure is, all told."""

import streamlit as st

from irmeval.experiments.decisions import Params as Decisions
from irmeval.experiments.scorecard import Params, scorecard
from irmeval.ui import cached, form, jobs, session, show
from irmeval.ui import scorecard as card

loaded, measures = session.loaded(), form.measures()
c = loaded.collection

st.title("Which measure is the most robust?")
session.welcome(loaded)
params = form.params(Params)
d = Decisions()
store = cached.store(c.fingerprint, "incompleteness", params.seed, params.rounding, d.method)
decided = cached.store(c.fingerprint, "decisions", params.seed, params.rounding, d.method, d.test, params.samples)
key = (c.fingerprint, measures, params)
result = jobs.run("Scorecard", key, lambda progress: scorecard(c, measures, params, store=store, decided=decided, progress=progress))

if result:
    card.draw(result)
    (chart,) = result.charts()
    show.chart(chart, "scorecard")
    show.rest("scorecard", result, [chart])
    show.provenance(
        loaded, trials=params.trials, samples=params.samples, topic_sets=params.sets, rounding=params.rounding, seed=params.seed
    )
