"""Collection: drop qrels and runs, or a score matrix; see what was read and what was
refused.
"""

import streamlit as st

from irmeval.ui.pages import frame, load_data
from irmeval.ui.state.view import View
from irmeval.ui.widgets import refusals, upload, workspaces


def draw(view: View) -> None:
    """Draw what is loaded, where files are dropped, and what they contain."""
    dataset = view.dataset
    st.title("What does the collection contain?")
    refusals.show_all(dataset, view.policy)
    load_data.show_loaded(view)
    upload.draw_uploader(dataset)
    workspaces.manage(view)
    upload.warn_if_not_kept()
    try:
        load_data.show_contents(view)
    finally:  # where files are missing, the rest of the page is not drawn
        upload.show_how_long_kept()


draw(frame.view())
