"""Still pictures of charts: what draws the charts themselves a browser loads first for a second, and then it takes long.

A visit begins with pictures of the first charts. Those further down a page are pictures until they are looked at.
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

HALF, WHOLE = 500, 1000
"""Pixels across a chart beside another, and of one that has the page to itself, in a window of usual size."""
PALE = "#FAFAFA"
"""Of words on a dark page."""
GAP, ABOVE = 18, 320
"""Pixels between two charts, and above those of the first screen, in a window of usual size."""
SHOWN = ".st-key-above > [data-testid=stElementContainer]:first-child"
STYLE = f"{SHOWN} {{position: absolute; pointer-events: none}}"
COMING = f"[data-testid=stMain]:has([class*=st-key-chart-]) {SHOWN} {{display: none}}"
"""What shows the first screen's pictures takes no room, and goes when charts are there; to look for them costs a browser so much that it
does where there are pictures only."""
LIVE, ROW = "live_charts", 2
"""In a tab's state: key of each chart of the page that is drawn as such -> the halves of the first row that it takes; halves in a row."""
_first: dict[str, str] = {}
"""Theme -> the pictures of the sample's first screen, for who has decided nothing yet."""


def begin(page: str) -> None:
    """Called before a page is drawn; on the first page of a visit the browser has drawn no chart yet."""
    st.session_state["opens"] = st.session_state.setdefault("opened_with", page) == page
    st.session_state["pictures"] = []
    if st.session_state.get("charts_of") != page:
        st.session_state.update({"charts_of": page, LIVE: {}})


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


def behind(chart: str, figure: Any, *, wide: bool) -> str:
    """The style that shows a figure's still picture where the chart with this key will be, until it is; none where charts come at once."""
    if not st.session_state.get("opens") or _waits(chart, wide=wide):
        return ""
    try:
        picture = _picture(figure, WHOLE if wide else HALF, _theme())
    except ParamError:  # a kind that is not drawn so
        return ""
    coming = f".st-key-{chart}:not(:has(.main-svg))"
    st.session_state["pictures"].append(picture)
    return (
        f"<style>{coming} {{background: url({_url(picture)}) no-repeat left top / contain; min-height: {HEIGHT}px}} "
        f"{coming} > * {{visibility: hidden}}</style>"
    )


def later(chart: str, figure: Any, caption: str, draw: Callable[[], Any], *, wide: bool) -> Any:
    """Draw the chart with this key, or below a page's first row its picture, until the browser, where that comes into view, presses its
    button (``dashboard.js``); returns what `draw` does, nothing where that is for later."""
    if _waits(chart, wide=wide):
        try:
            url = _url(_picture(figure, WHOLE if wide else HALF, _theme()))
        except ParamError:
            st.session_state[LIVE][chart] = 0
        else:
            image = f'<img class="still" src="{url}" alt="{escape(caption)}" height="{figure["layout"]["height"]}" loading="lazy">'
            return _wait(chart, image, draw)
    return draw()


def _waits(chart: str, *, wide: bool) -> bool:
    """Whether a chart is for later: it is below the first row, and was not asked for."""
    live = st.session_state[LIVE]
    if chart not in live and sum(live.values()) < ROW:
        live[chart] = 1 + wide
    return chart not in live


@st.fragment
def _wait(chart: str, image: str, draw: Callable[[], Any]) -> None:
    lighting.reach()
    if chart in st.session_state[LIVE]:
        draw()
        return
    with st.container(key=f"still-{chart}"):
        st.html(image)
        st.button("Show the chart", key=f"look-{chart}", on_click=st.session_state[LIVE].update, args=({chart: 0},))


def _picture(figure: Any, width: int, colours: str) -> str:
    picture = svg(figure, pixels=width)
    return picture.replace(INK, PALE) if colours == "dark" else picture
