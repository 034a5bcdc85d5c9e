"""Lessons: one point each, step by step, for a class."""

import streamlit as st

from irmeval.ui.pages import lessons

if name := lessons.asked_lesson():
    lessons.show(name)
else:
    st.title("What can a class learn in a minute?")
    lessons.show_all()
