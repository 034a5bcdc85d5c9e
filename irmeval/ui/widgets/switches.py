"""How pages look: the last of the settings in the sidebar, a button that copies the
link and switches for colours, type size and axes; and the styles and the script that a
browser gets with every page.
"""

import re
from collections.abc import Iterable
from pathlib import Path

import streamlit as st

from irmeval.plots.axes import FIT, ZERO, ZOOM
from irmeval.plots.names import narrow_style
from irmeval.ui.state import visitors
from irmeval.ui.state.keys import AXES, LARGER
from irmeval.ui.state.tab_state import widgets
from irmeval.ui.widgets import answer, form, inputs

THEMES = {"Light": "light", "Dark": "dark", "System": "as this device"}
"""Button labels of Streamlit's themes."""
BEGIN = {FIT: "as fits", ZERO: "at 0", ZOOM: "at the values"}
"""Labels of where axes of values begin."""
PRESSED = " data-press"
"""Attribute of a button that the browser presses as soon as it is there."""
LABEL = "Settings"
"""The entry of the sidebar that holds these, the policy, and the runs and topics."""
NEAR = f" The axis does not begin at 0 ({LABEL})."
"""Caption part of a chart with such an axis."""


def larger() -> bool:
    """Whether this visitor uses larger type."""
    return visitors.here().habits.get(LARGER, False)


def axes() -> str:
    """Where axes of values begin, as an argument of `irmeval.plots.axes.use_scale`."""
    return widgets.get(AXES) or FIT


def draw(pages: list[str]) -> None:
    """Draw the switches, for pages with these addresses, and in the line of the
    settings the button that copies the link.
    """
    with answer.settings_line():
        st.html(copy_button(), width="content")
    st.markdown("**Display**")
    st.caption("Colours")
    st.html(theme_buttons(THEMES, pages))
    inputs.toggle(
        "Larger type",
        larger(),
        name=LARGER,
        on_change=_enlarge,
        help="Text and figures, for a projector or for tired eyes.",
    )
    help = (
        "Automatic: at 0, or near the values if their order matters and 0 is far away, as for tau."
        " The same on every page."
    )
    form.pick_one("Axes of values begin", BEGIN, AXES, help)


def copy_button(*, pressed: bool = False) -> str:
    """A button that copies the link, which the browser presses at once if it is
    `pressed`, as HTML.
    """
    press = ""
    if pressed:
        press = PRESSED
    return (
        f'<button data-copy{press}>Copy link</button><input aria-label="Link to this view"'
        " readonly hidden>"
    )


def theme_buttons(themes: Iterable[str], pages: Iterable[str], *, pressed: bool = False) -> str:
    """Buttons that set the colours of pages with these addresses; `pressed` as in
    `copy_button`.
    """
    now, press = (st.context.theme.type or "light").capitalize(), ""
    if pressed:
        press = PRESSED
    buttons = [
        f'<button data-theme="{t}"'
        f' aria-pressed="{str(t == now).lower()}"{press}>{THEMES[t]}</button>'
        for t in themes
    ]
    return (
        '<div class="themes"'
        f' data-pages="{" ".join(filter(None, pages))}">{" ".join(buttons)}</div>'
    )


def _enlarge() -> None:
    visitors.here().habits[LARGER] = widgets[LARGER]


FOLDER = Path(__file__).parent


def _without_comments(style: str) -> str:
    """A style sheet as it is sent: its comments are for readers of the file."""
    return re.sub(r"/\*.*?\*/\s*", "", style, flags=re.DOTALL)


STYLES = {
    path.stem: _without_comments(path.read_text(encoding="utf-8")) for path in FOLDER.glob("*.css")
}
STYLES["exercises"] = STYLES["lab"]
"""Style sheets: ``dashboard`` for all pages, ``larger`` for larger type, others by the
page's URL path.
"""
NARROW = narrow_style()
SCRIPT = (FOLDER / "dashboard.js").read_text(encoding="utf-8")


def install(page: str) -> None:
    """Send both for the page with this URL path."""
    enlarged = ""
    if larger():
        enlarged = STYLES["larger"]
    st.html(f"<style>{STYLES['dashboard']}{NARROW}{STYLES.get(page, '')}{enlarged}</style>")
    st.html(f"<script>{SCRIPT}</script>", unsafe_allow_javascript=True)
