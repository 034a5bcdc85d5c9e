"""Still pictures of charts. Charts themselves take a browser longer than the rest of a page.

Each chart is a picture until it is in view and the visitor uses mouse, keyboard or finger on the page.
"""

from base64 import b64encode
from collections.abc import Callable, Sequence
from html import escape
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from irmeval.core.errors import ParamError
from irmeval.plots import theme
from irmeval.plots.elements import INK
from irmeval.plots.svg import svg
from irmeval.plots.theme import HEIGHT
from irmeval.ui.state import visitors
from irmeval.ui.widgets import highlighting, session, switches

PALE = "#FAFAFA"
"""Colour of words on a dark page."""
WHOLE, GAP, ABOVE = 978, 18, 320
"""Pixels of a single chart's width, between two charts in a row, and above those of the first screen, in a window of usual size."""
SHOWN = ".st-key-above > [data-testid=stElementContainer]:first-child"
STYLE = f"{SHOWN} {{position: absolute; pointer-events: none}}"
COMING = f"[data-testid=stMain]:has([class*=st-key-still-]) {SHOWN} {{display: none}}"
"""The pictures of the first screen take no room, and go when charts are there. `COMING` is slow, and used only if there are any."""
LIVE = "live_charts"
"""In a tab's state: keys of the charts that are no longer pictures."""
PRESS = "look-"
"""Beginning of the keys of the buttons that the browser presses."""
_first: dict[str, str] = {}
"""Theme -> the pictures of the sample's first screen, for new visitors."""


def start_page(page: str) -> None:
    """Called before a page is drawn."""
    st.session_state["pictures"] = []
    if st.session_state.get("charts_of") != page:
        st.session_state.update({"charts_of": page, LIVE: set()})


def show_first_screen(page: str) -> DeltaGenerator:
    """Show a new visitor the first screen as the last one saw it, until charts are there. The returned slot is for `keep_first_screen`."""
    slot = st.empty()
    if _usual(page) and (picture := _first.get(_theme())):
        slot.markdown(f"![]({url(picture)})")  # Markdown needs no script that the browser still has to load
    return slot


def keep_first_screen(page: str, slot: DeltaGenerator) -> None:
    """Called after a page is drawn: keep its pictures for the next visitor."""
    slot.empty()
    if (pictures := st.session_state["pictures"]) and _usual(page):
        _first[_theme()] = _beside(pictures)
        st.session_state["usual"] = False  # the charts are there now


def style(page: str) -> str:
    """The style of the pictures of `show_first_screen`."""
    return STYLE + COMING * _usual(page)


def prepare(figures: Sequence[Any]) -> None:
    """Draw the pictures for the first visitor. Called when the server starts."""
    drawn = [figure.to_dict() for figure in figures]
    for name in ("light", "dark"):
        _first[name] = _beside([_picture(figure, width_of(1 / 2), name) for figure in (theme.on_dark(drawn) if name == "dark" else drawn)])


def _usual(page: str) -> bool:
    """Whether a visit begins here with the view that all new visitors have."""
    state = st.session_state
    if "usual" not in state:
        state["usual"] = page == "" and not st.query_params and session.serves_sample() and visitors.current().new and not switches.larger()
    return state["usual"] and page == ""


def _theme() -> str:
    return st.context.theme.type or "light"


def _beside(pictures: list[str]) -> str:
    """The first two pictures in a row, with room above them; nothing in a window too narrow to read them."""
    step = width_of(1 / 2) + GAP
    places = [f'<svg x="{i * step}" y="{ABOVE}" {picture.removeprefix("<svg ")}' for i, picture in enumerate(pictures[:2])]
    size = f'viewBox="0 0 {WHOLE} {ABOVE + HEIGHT}" width="{WHOLE}" height="{ABOVE + HEIGHT}"'
    narrow = "<style>@media (max-width: 600px) {svg {display: none}}</style>"
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{narrow}{"".join(places)}</svg>'


def width_of(share: float) -> int:
    """Width in pixels of a chart that has a share of the page's width (0 to 1), beside others, in a window of usual size."""
    return round((WHOLE + GAP) * share) - GAP


def url(picture: str) -> str:
    """A picture in SVG as an address."""
    return f"data:image/svg+xml;base64,{b64encode(picture.encode()).decode()}"


def draw_later(chart: str, figure: Any, caption: str, draw: Callable[[], Any], *, share: float, alone: bool = True) -> Any:
    """Draw a picture of the chart with this key, and return None; once the browser has pressed its button (``dashboard.js``), return
    draw(). The chart has a `share` of the page's width, and is drawn `alone`, in a fragment, unless the page reads what is selected on
    it."""
    if chart in st.session_state[LIVE]:
        return draw()
    width = width_of(share)
    try:
        picture = _picture(figure, width, _theme())
    except ParamError:  # a kind of chart without pictures
        return draw()
    st.session_state["pictures"].append(picture)
    size = f'width="{width}" height="{figure["layout"]["height"]}"'
    image = f'<img class="still" src="{url(picture)}" alt="{escape(caption)}" {size}>'
    return (_wait_alone if alone else _wait)(chart, image, draw)


def _wait(chart: str, image: str, draw: Callable[[], Any]) -> Any:
    highlighting.redraw_after_click()
    if chart in st.session_state[LIVE]:
        return draw()
    with st.container(key=f"still-{chart}"):
        st.html(image)
        st.button("Show the chart", key=f"{PRESS}{chart}", on_click=st.session_state[LIVE].add, args=(chart,))
    return None


_wait_alone = st.fragment(_wait)


def _picture(figure: Any, width: int, colours: str) -> str:
    picture = svg(figure, pixels=width)
    return picture.replace(INK, PALE) if colours == "dark" else picture
