"""What every figure is drawn on: its size, margins and axes, and lines across it."""

import html
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from irmeval.core.errors import require
from irmeval.core.text import one_line
from irmeval.plots.elements import measure

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as Figure
else:  # not loaded before there is a figure to draw
    Figure = Any

HEIGHT = 360
"""Height of a usual figure, in pixels."""
FREE = 12
"""Pixels that Plotly keeps free around a figure, where its margins are as wide."""
PAD = 8
"""Pixels on a page between the end of a figure and the ticks of its axes."""
TICK = 5
"""Length of a tick, in pixels."""
LABEL = 19
"""Height of labels in one line below ticks or above them, with their distance, in
pixels.
"""
STANDOFF = 10
"""Pixels between the labels of an axis and its title."""
CAPITAL = 10
"""Height of the title of an axis, in pixels."""


def axis_room(labels: float = LABEL) -> float:
    """Pixels that an axis takes, with a title and with labels that reach so far from its
    ticks. A margin has room for it: else Plotly widens it, and draws the figure a second
    time.
    """
    return PAD + TICK + labels + STANDOFF + CAPITAL


LEFT = 70
"""Left margin, in pixels; `axes.left_of` where numbers are longer than "0.00"."""
BOTTOM = int(FREE + axis_room())
"""Bottom margin, in pixels."""
MARGIN = 24
"""Margins on the sides without an axis, in pixels: the half of a label at the end of
another axis has room in it.
"""
KEY = 29
"""Height of a legend in one line above a figure, in pixels."""
MARGINS = {"l": LEFT, "r": MARGIN, "t": MARGIN, "b": BOTTOM}
"""Margins of a usual figure."""
INNER = HEIGHT - BOTTOM - MARGIN
"""Height of a usual figure within its margins, in pixels."""
TELEPHONE = 326
"""Width of a figure on a telephone, in pixels."""


def escape_name(text: str) -> str:
    """A name escaped for Plotly: one line, without markup or placeholders."""
    return html.escape(one_line(text), quote=False).replace("%{", "&#37;{")


TITLE_SIZE = 11.5
"""Size at which `measure` gives the height of an upright title of an axis, whose font
is narrower.
"""
TITLE_LINE = 18
"""Pixels that the second line of such a title takes."""


def layout(**more: Any) -> dict[str, Any]:
    """The layout of all figures: no frame, a light grid, and text in the colours of the
    page.
    """
    axis = {
        "showline": False,
        "zeroline": False,
        "gridcolor": "rgba(128,128,128,0.2)",
        "ticks": "outside",
        "tickcolor": "rgba(128,128,128,0.4)",
        "separatethousands": True,
        "exponentformat": "none",
        # to find out which reach beyond the figure, Plotly would measure each several times
        "ticklabeloverflow": "allow",
    }
    height, margin = more.pop("height", HEIGHT), {**MARGINS, **more.pop("margin", {})}
    across, upright = (more.get(name, {}).get("title") for name in ("xaxis", "yaxis"))
    # below the axis or above it, as far as it reaches to the right of it in a narrow window
    if _is_longer(across, TELEPHONE - margin["l"] + margin["r"]):
        more["xaxis"] = more["xaxis"] | {"title": in_two_lines(across)}
        beside = "t" if more["xaxis"].get("side") == "top" else "b"
        margin[beside] += TITLE_LINE
        height += TITLE_LINE
    if _is_longer(upright, height - margin["t"] - margin["b"]):
        more["yaxis"] = more["yaxis"] | {"title": in_two_lines(upright)}
        margin["l"] += TITLE_LINE
    return {
        "height": height,
        "margin": margin,
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "hoverlabel": {"namelength": -1},
        "modebar": {"bgcolor": "rgba(0,0,0,0)"},
        "showlegend": False,
        **more,
        **{key: {**axis, **_titled(more.get(key, {}))} for key in ("xaxis", "yaxis")},
    }


def _is_longer(title: Any, room: float) -> bool:
    """Whether the title of an axis is longer than this, in pixels."""
    return isinstance(title, str) and measure(title, TITLE_SIZE) > room


def in_two_lines(text: str) -> str:
    """A text, with the space nearest to its middle, if there is one, made a line
    break.
    """
    spaces = [i for i, letter in enumerate(text) if letter == " "]
    if not spaces:
        return text
    at = min(spaces, key=lambda i: abs(i - len(text) / 2))
    return f"{text[:at]}<br>{text[at + 1 :]}"


def _titled(axis: dict[str, Any]) -> dict[str, Any]:
    """An axis with its title in Plotly's form; without an empty one, for which Plotly
    would leave room.
    """
    title = axis.get("title", "")
    if not isinstance(title, str):
        return axis
    rest = {name: value for name, value in axis.items() if name != "title"}
    return {**rest, "title": {"text": title, "standoff": STANDOFF}} if title else rest


def make_figure(traces: Sequence[Mapping[str, Any]], **more: Any) -> Figure:
    """A figure of traces with this `layout`. Plotly's validation, which takes most of
    the time, is off: a test validates every figure. Raises `MissingPackage` without
    Plotly.
    """
    require("plotly", "report")
    from plotly.graph_objects import Figure

    return Figure({"data": traces, "layout": layout(**more)}, _validate=False)


def value_line(axis: str, at: float, dash: str = "dot") -> dict[str, Any]:
    """A grey line across a whole figure at a value of the axis ``x`` or ``y``."""
    across = "y" if axis == "x" else "x"
    line = {"dash": dash, "width": 1, "color": "gray"}
    return {
        "type": "line",
        f"{across}ref": "paper",
        f"{across}0": 0,
        f"{across}1": 1,
        f"{axis}0": at,
        f"{axis}1": at,
        "line": line,
    }


def drop_line(
    x: float, top: float | None, bottom: float, color: str, name: str | None = None
) -> dict[str, Any]:
    """A thin line from where a curve of this name meets a level down to the axis."""
    named = {"name": name} if name else {}  # as Plotly leaves out what is None
    return {
        "type": "line",
        **named,
        "x0": x,
        "x1": x,
        "y0": top,
        "y1": bottom,
        "line": {"color": color, "width": 1, "dash": "dot"},
    }
