"""Budget: which documents a person should judge next, and what their judgments change."""

import streamlit as st

from irmeval.experiments import EXPERIMENTS
from irmeval.ui.pages import budget
from irmeval.ui.widgets import answer, experiment, form

experiment.begin("budget")
with answer.settings() as said:
    params = form.params(EXPERIMENTS["budget"].params, "budget_", more=("grade", "alpha", "relevance", "seed", "driver"), said=said)
if result := experiment.run("budget", form.measures(), params):
    experiment.present("budget", result, default="Table")
    budget.offer_files(result)
budget.receive_judgments(params)

st.header(EXPERIMENTS["judgments-needed"].question, divider="gray")
answer.begin("judgments-needed")
with answer.settings() as said:
    plan = form.params(EXPERIMENTS["judgments-needed"].params, "needed_", more=("level", "seed"), said=said)
if needed := experiment.run("judgments-needed", form.measures(), plan):
    experiment.present("judgments-needed", needed, key="needed_view", default="Table")
    budget.sample(needed)
