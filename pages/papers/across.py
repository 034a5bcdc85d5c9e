"""Across: what holds on all collections, of the papers' findings and of differences between measures, by Kendall's W and random effects."""

import streamlit as st

from irmeval.ui.pages import across

st.title("What holds on several collections?")
across.page()
