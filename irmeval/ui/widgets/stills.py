"""Still pictures of charts: what draws the charts themselves takes a browser longer than the rest of a page.

Every chart is a picture until it is in view and the visitor moves in the page, by mouse, keyboard or finger.
"""

from base64 import b64encode
from collections.abc import Callable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import streamlit as st

from irmeval.core.errors import ParamError
from irmeval.plots import theme
from irmeval.plots.elements import INK
from irmeval.plots.svg import svg
from irmeval.plots.theme import HEIGHT
from irmeval.ui.state import visitors
from irmeval.ui.widgets import lighting, session, switches

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

HALF, WHOLE = 480, 980
"""Pixels across a chart beside another, and of one that has the page to itself, in a window of usual size."""
PALE = "#FAFAFA"
"""Of words on a dark page."""
GAP, ABOVE = 18, 320
"""Pixels between two charts, and above those of the first screen, in a window of usual size."""
SHOWN = ".st-key-above > [data-testid=stElementContainer]:first-child"
STYLE = f"{SHOWN} {{position: absolute; pointer-events: none}}"
COMING = f"[data-testid=stMain]:has([class*=st-key-still-]) {SHOWN} {{display: none}}"
"""What shows the first screen's pictures takes no room, and goes when charts are there; to look for them costs a browser so much that it
does where there are pictures only."""
LIVE = "live_charts"
"""In a tab's state: the keys of the page's charts that are drawn as such."""
PRESS = "look-"
"""How the keys of buttons begin that the browser presses."""
_first: dict[str, str] = {}
"""Theme -> the pictures of the sample's first screen, for who has decided nothing yet."""


def begin(page: str) -> None:
    """Called before a page is drawn; on the first page of a visit the browser has drawn no chart yet."""
    st.session_state["opens"] = st.session_state.setdefault("opened_with", page) == page
    st.session_state["pictures"] = []
    if st.session_state.get("charts_of") != page:
        st.session_state.update({"charts_of": page, LIVE: set()})


def first(page: str) -> "DeltaGenerator":
    """Before anything else is drawn, where a visit opens at the first screen: its charts as they were for who last came so, at their place,
    until the charts of this visit are there. `keep` is handed what this returns.

    In Markdown: what draws that is in the browser at once, and the rest is loaded when it is needed.
    """
    slot = st.empty()
    if _usual(page) and (picture := _first.get(_theme())):
        slot.markdown(f"![]({_url(picture)})")
    return slot


def keep(page: str, slot: "DeltaGenerator") -> None:
    """Called after a page is drawn: keep its charts for the next visitor."""
    slot.empty()
    if (pictures := st.session_state["pictures"]) and _usual(page):
        _first[_theme()] = _beside(pictures)
        st.session_state["usual"] = False  # from here on the charts are there


def style(page: str) -> str:
    """The style of what `first` shows."""
    return STYLE + COMING * _usual(page)


def prepare(figures: Sequence[Any]) -> None:
    """Draw, while the server starts, the pictures for the first visitor."""
    drawn = [figure.to_dict() for figure in figures]
    for name in ("light", "dark"):
        _first[name] = _beside([_picture(figure, HALF, name) for figure in (theme.on_dark(drawn) if name == "dark" else drawn)])


def _usual(page: str) -> bool:
    """Whether a visit begins here that shows what it shows to all who have decided nothing."""
    state = st.session_state
    if "usual" not in state:
        state["usual"] = page == "" and not st.query_params and session.serves_sample() and visitors.current().new and not switches.larger()
    return state["usual"] and state["opens"]


def _theme() -> str:
    return st.context.theme.type or "light"


def _beside(pictures: list[str]) -> str:
    """The first two pictures in a row, with room above them; nothing where they would be too small to be read."""
    places = [f'<svg x="{i * (HALF + GAP)}" y="{ABOVE}" {picture.removeprefix("<svg ")}' for i, picture in enumerate(pictures[:2])]
    width, height = 2 * HALF + GAP, ABOVE + HEIGHT
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    narrow = "<style>@media (max-width: 600px) {svg {display: none}}</style>"
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{narrow}{"".join(places)}</svg>'


def _url(picture: str) -> str:
    return f"data:image/svg+xml;base64,{b64encode(picture.encode()).decode()}"


def later(chart: str, figure: Any, caption: str, draw: Callable[[], Any], *, wide: bool, alone: bool = True) -> Any:
    """Draw the picture of the chart with this key, until the browser presses its button (``dashboard.js``): then what `draw` draws, and
    that is returned; nothing of a picture. Where the page reads what is selected on the chart, it is not drawn `alone`."""
    if chart in st.session_state[LIVE]:
        return draw()
    width = WHOLE if wide else HALF
    try:
        picture = _picture(figure, width, _theme())
    except ParamError:  # a kind that is not drawn so
        return draw()
    st.session_state["pictures"].append(picture)
    size = f'width="{width}" height="{figure["layout"]["height"]}"'
    image = f'<img class="still" src="{_url(picture)}" alt="{escape(caption)}" {size}>'
    return (_wait_alone if alone else _wait)(chart, image, draw)


def _wait(chart: str, image: str, draw: Callable[[], Any]) -> Any:
    lighting.reach()
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
