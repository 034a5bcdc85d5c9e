"""What a browser gets with every page: the dashboard's style and script, and the style of a page that has one of its own."""

from pathlib import Path

import streamlit as st

from irmeval.plots.names import narrow_style
from irmeval.ui.widgets import stills, switches

FOLDER = Path(__file__).parent
STYLES = {path.stem: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.css")}
"""By address, and of all pages, ``dashboard``."""
SCRIPT = (FOLDER / "dashboard.js").read_text(encoding="utf-8")


def install(page: str) -> None:
    """Draw both, for the page with this address."""
    st.html(f"<style>{STYLES['dashboard']}{narrow_style()}{STYLES.get(page, '')}{stills.style(page)}{switches.style()}</style>")
    st.html(f"<script>{SCRIPT}</script>", unsafe_allow_javascript=True)
