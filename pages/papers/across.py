"""Across collections: differences between measures on several collections, by Kendall's
W and random effects.
"""

import streamlit as st

from irmeval.ui.pages import compare_collections, frame
from irmeval.ui.state.view import View


def draw(view: View) -> None:
    """Draw the page."""
    st.title("Do measures behave alike on several collections?")
    compare_collections.page(view)


draw(frame.view())
