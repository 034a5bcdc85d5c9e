"""Report: results in an order and with words of your own, to take away."""

import streamlit as st

from irmeval.ui.widgets import cart, reporting

st.title("What do you take away?")
if plan := reporting.plan():
    cart.edit(plan)
    reporting.make(plan)
else:
    st.info("Nothing is in your report yet. Below every result there is a button, **Add to report**.")
