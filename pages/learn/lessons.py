"""Lessons: one point each, step by step, for a class."""

import streamlit as st

from irmeval.ui.pages import frame, lessons
from irmeval.ui.state.view import View


def draw(view: View) -> None:
    """Draw the page."""
    if name := lessons.asked_lesson():
        lessons.show(view, name)
    else:
        st.title("What can a class learn in a minute?")
        lessons.show_all(view)


draw(frame.view())
