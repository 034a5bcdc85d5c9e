"""Exercises: reach a goal with a list, or on the runs that are loaded."""

import streamlit as st

from irmeval.ui.pages import exercises

if name := exercises.asked_exercise():
    exercises.show(name)
else:
    st.title("Can you reach these scores?")
    exercises.show_all()
