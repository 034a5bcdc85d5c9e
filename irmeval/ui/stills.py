"""Still pictures of charts, there at once: a visitor's browser takes a second until it has loaded what draws the charts themselves."""

from base64 import b64encode
from typing import Any

import streamlit as st

from irmeval.errors import ParamError
from irmeval.plots.elements import INK
from irmeval.plots.svg import svg
from irmeval.plots.theme import HEIGHT

HALF, WHOLE = 500, 1000
"""Pixels across a chart beside another, and of one that has the page to itself, in a window of usual size."""
PALE = "#FAFAFA"
"""Of words on a dark page."""


def begin(page: str) -> None:
    """A page is drawn; on the first one that a visit opens, the browser has drawn no chart yet."""
    st.session_state["opens"] = st.session_state.setdefault("opened_with", page) == page


def behind(chart: str, figure: Any, *, wide: bool) -> str:
    """The style that shows a figure's still picture where the chart with this key will be, until it is; none where charts come at once."""
    if not st.session_state.get("opens"):
        return ""
    try:
        picture = svg(figure, width=WHOLE if wide else HALF)
    except ParamError:  # a kind that is not drawn so
        return ""
    picture = picture.replace(INK, PALE) if st.context.theme.type == "dark" else picture
    coming = f".st-key-{chart}:not(:has(.main-svg))"
    url = f"data:image/svg+xml;base64,{b64encode(picture.encode()).decode()}"
    return (
        f"<style>{coming} {{background: url({url}) no-repeat left top / contain; min-height: {HEIGHT}px}} "
        f"{coming} > * {{visibility: hidden}}</style>"
    )
