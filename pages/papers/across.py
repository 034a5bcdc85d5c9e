"""Across collections: the papers' findings and differences between measures on several collections, by Kendall's W and random effects."""

import streamlit as st

from irmeval.ui.pages import across

st.title("What holds on several collections?")
across.page()
