"""Exercises: reach a goal with a list, or on the runs that are loaded."""

import streamlit as st

from irmeval.ui.pages import exercises, frame
from irmeval.ui.state.view import View


def draw(view: View) -> None:
    """Draw the page."""
    if name := exercises.asked_exercise():
        exercises.show(view, name)
    else:
        st.title("Can you reach these scores?")
        exercises.show_all(view)


draw(frame.view())
