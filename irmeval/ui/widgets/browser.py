"""The styles and the script that a browser gets with every page."""

from pathlib import Path

import streamlit as st

from irmeval.plots.names import narrow_style
from irmeval.ui.widgets import switches

FOLDER = Path(__file__).parent
STYLES = {path.stem: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.css")}
"""Style sheets: ``dashboard`` for all pages, ``larger`` for larger type, others by the page's address."""
SCRIPT = (FOLDER / "dashboard.js").read_text(encoding="utf-8")


def install(page: str) -> None:
    """Send both for the page with this address."""
    larger = STYLES["larger"] if switches.larger() else ""
    st.html(f"<style>{STYLES['dashboard']}{narrow_style()}{STYLES.get(page, '')}{larger}</style>")
    st.html(f"<script>{SCRIPT}</script>", unsafe_allow_javascript=True)
