"""Colours, dashes and layout shared by all figures.

Also figures as pages of their own, with Plotly's script.
"""

import html
import pickle
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from irmeval.core.errors import require
from irmeval.core.text import one_line
from irmeval.plots.elements import measure

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as Figure
else:  # not loaded before there is a figure to draw
    Figure = Any

PALETTE = {
    "blue": "#0072B2",
    "vermilion": "#D55E00",
    "green": "#009E73",
    "purple": "#CC79A7",
    "orange": "#E69F00",
    "sky": "#56B4E9",
    "brown": "#8C6D31",
    "slate": "#7A7F87",
}
"""Okabe & Ito's colours for the colour-blind, less black and yellow, which vanish on a
dark or a light page.
"""

HIGHLIGHT = "#0B0F14"
"""Colour of the highlighted run: nearly black, unlike all other colours of a figure."""
PAGE = "#FFFFFF"
"""Colour of the page, behind names among dots."""
INK = "#6B7080"
"""Colour of letters beside a figure on the page."""
ON_DARK = {
    PAGE: "#171614",
    INK: "#E6EAF1",
    PALETTE["blue"]: "#3A9BE0",
    PALETTE["brown"]: "#B58E45",
    PALETTE["slate"]: "#969CA5",
    HIGHLIGHT: "#FFFFFF",
    # cells with numbers (`irmeval.plots.cells.SCALE`), which would glare
    "#F6F1E3": "#26282B",
    "#BFD9EA": "#2A4A63",
    "#4F9DCC": "#28608F",
    "#101820": "#E6EAF1",
}
"""The colours that are too dim or too bright on a dark page -> those there."""
MARKED = '<span style="color:'
"""Prefix of the colour of a marked name; names from files have their brackets
escaped.
"""
GREY = "#9AA0A6"
HEIGHT = 360
"""Height of a usual figure, in pixels."""
LEFT = 70
"""Left margin, in pixels. Labels and title of an axis have room in it: else Plotly
widens it, and draws the figure a second time.
"""
BOTTOM = 64
"""Bottom margin, in pixels."""
MARGIN = 24
"""Margins on the sides without an axis, in pixels."""
MARGINS = {"l": LEFT, "r": MARGIN, "t": MARGIN, "b": BOTTOM}
"""Margins of a usual figure."""
INNER = HEIGHT - BOTTOM - MARGIN
"""Height of a usual figure within its margins, in pixels."""
TELEPHONE = 326
"""Width of a figure on a telephone, in pixels."""
STANDOFF = 10
"""Pixels between the labels of an axis and its title."""
LINE = 19
"""Pixels between names in a list."""

_HOME = {
    "AP": "blue",
    "Q": "vermilion",
    "nDCG": "green",
    "Bpref": "purple",
    "RBP": "orange",
    "infAP": "sky",
    "P": "brown",
    "RR": "slate",
}
_HOME |= {
    "xinfAP": "sky",
    "statAP": "vermilion",
    "infNDCG": "brown",
    "statNDCG": "slate",
    "infP": "purple",
    "statP": "blue",
    "statRBP": "orange",
}


@dataclass(frozen=True)
class Style:
    """How one line is drawn."""

    color: str
    dash: str = "solid"
    symbol: str = "circle"


_FIRST: ContextVar[tuple[str, ...]] = ContextVar("measures_first", default=())


@contextmanager
def measures_first(measures: Iterable[str]) -> Iterator[None]:
    """Give these measures first choice of a colour in every figure drawn within, those
    of an outer context after them.
    """
    before = _FIRST.set((*measures, *_FIRST.get()))
    try:
        yield
    finally:
        _FIRST.reset(before)


def styles(measures: Iterable[str]) -> dict[str, Style]:
    """A style for each measure: the colour that it has among `measures_first`, else its
    metric's own if no other has that, else the next. A prime has the same colour,
    dashed. After eight different measures, the others are grey.
    """
    measures = [*measures]
    first = _assign({}, _FIRST.get(), [*PALETTE], PALETTE)
    known = {raw: first[raw] for raw in map(_raw, measures) if first.get(raw)}
    unclaimed = [name for name in PALETTE if name not in first.values()]
    # a colour of a measure that is not here is taken only when no other is left
    last = [name for name in PALETTE if name not in {*unclaimed, *known.values()}]
    color = _assign(known, measures, [*unclaimed, *last], unclaimed)
    return {measure: _style_of(measure, color[_raw(measure)]) for measure in measures}


def _style_of(measure: str, color: str) -> Style:
    """The style of a measure with the name of its colour; without one it is grey."""
    code = PALETTE.get(color, GREY)
    return Style(code, "dash", "circle-open") if measure.endswith("'") else Style(code)


PALEST = 0.55
"""Share of white in the colour of the last of several lines by one measure."""


def shades(measure: str, lines: int) -> list[Style]:
    """A style for each of several lines by one measure: its colour, fainter from line
    to line, each with its own marker.
    """
    color, symbols = styles([measure])[measure].color, ("circle", "square", "diamond", "cross")
    return [
        Style(_paler(color, PALEST * n / max(lines - 1, 1)), "solid", symbols[n % len(symbols)])
        for n in range(lines)
    ]


def _paler(color: str, share: float) -> str:
    """A colour mixed with white."""
    parts = [int(color[i : i + 2], 16) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(part + (255 - part) * share):02X}" for part in parts)


def _raw(measure: str) -> str:
    return measure.removesuffix("'")


def _assign(
    color: dict[str, str], measures: Iterable[str], free: list[str], own: Collection[str]
) -> dict[str, str]:
    """Raw measure -> name of its colour: those of `color`, and for the others their
    metric's own if that is free and among `own`, else, after all of these, the next;
    empty if none is left.
    """
    color, free, others = dict(color), [*free], list[str]()
    for raw in dict.fromkeys(map(_raw, measures)):
        home = _home_of(raw)
        if raw in color:
            continue
        if home in free and home in own:
            color[raw] = home
            free.remove(home)
        else:
            others.append(raw)
    return color | dict.fromkeys(others, "") | dict(zip(others, free, strict=False))


def _home_of(raw: str) -> str:
    """The colour of a measure's metric; empty if that has none."""
    # before parameters, a cut-off and what trec_eval appends
    metric = raw.partition("(")[0].partition("@")[0].partition("_")[0]
    return _HOME.get(metric, "")


def escape_name(text: str) -> str:
    """A name escaped for Plotly: one line, without markup or placeholders."""
    return html.escape(one_line(text), quote=False).replace("%{", "&#37;{")


def on_dark(part: Any) -> Any:
    """A figure as a dictionary, or a part of it, with the colours for a dark page."""
    if isinstance(part, str):
        return _text_on_dark(part)
    if isinstance(part, dict):
        return dict(zip(part, map(on_dark, part.values()), strict=True))
    return [*map(on_dark, part)] if isinstance(part, list | tuple) else part


def _text_on_dark(text: str) -> str:
    """A colour, or a text with marked parts, for a dark page."""
    if text.startswith(("#", "rgba(")):
        return _color_on_dark(text)
    if MARKED not in text:
        return text
    for color, lighter in (ON_DARK | _inks_on_dark()).items():
        text = text.replace(f"{MARKED}{color}", f"{MARKED}{lighter}")
    return text


def _color_on_dark(text: str) -> str:
    if text in _inks_on_dark():
        return _inks_on_dark()[text]
    for color, lighter in ON_DARK.items():
        if text == color:
            return lighter
        # a color with an opacity
        stem = _rgb(color)
        if text.startswith(stem):
            return _rgb(lighter) + text.removeprefix(stem)
    return text


@cache
def _inks_on_dark() -> dict[str, str]:
    """The shades of text -> the colours themselves, which are readable on a dark page."""
    named = {ink(color): ON_DARK.get(color, color) for color in (*PALETTE.values(), GREY)}
    return {shade: lighter for shade, lighter in named.items() if shade not in ON_DARK}


def on_page(figure: Figure, dark: bool) -> dict[str, Any]:
    """A figure as the dictionary for ``st.plotly_chart(theme=None)``, in the letters
    and colours of the page. Streamlit gives a chart to Plotly twice; Plotly draws it
    once if it has a revision and no template, as Streamlit's theme would be.
    """
    parts = figure.to_dict()
    layout = {name: value for name, value in parts["layout"].items() if name != "template"}
    font = {"family": '"Source Sans", sans-serif', "size": 12, "color": INK}
    label = {"bgcolor": PAGE, "bordercolor": faint(HIGHLIGHT, 0.2), "font": font}
    # Plotly looks at arrays only where it changes
    revision = blake2b(pickle.dumps(parts["data"]), digest_size=8).hexdigest()
    looks: dict[str, Any] = {
        "datarevision": revision,
        "font": font,
        "hoverlabel": label,
        "margin": {"pad": 8},
    }
    for name, axis in layout.items():
        if name.startswith(("xaxis", "yaxis")):
            title = {"title": {"font": {"size": 14}}} if "title" in axis else {}
            looks[name] = {"automargin": True, "showgrid": name.startswith("y"), **title}
    page = {**parts, "layout": _with_looks(layout, looks)}
    return on_dark(page) if dark else page


def _with_looks(part: dict[str, Any], looks: dict[str, Any]) -> dict[str, Any]:
    """A part of a figure, with the looks that it does not have itself."""
    own = {
        name: _with_looks(value, looks[name]) if isinstance(looks.get(name), dict) else value
        for name, value in part.items()
    }
    return looks | own


TITLE_SIZE = 11.5
"""Size at which `measure` gives the height of an upright title of an axis, whose font
is narrower.
"""
TITLE_LINE = 18
"""Pixels that the second line of such a title takes."""
LARGER = 1.25
"""Factor of `enlarged`."""
_PIXELS = {
    "size",
    "height",
    "l",
    "r",
    "t",
    "b",
    "xshift",
    "yshift",
    "ax",
    "ay",
    "standoff",
    "ticklen",
}
"""Properties of a figure that are given in pixels."""


def enlarged(part: Any, within: tuple[str, ...] = ()) -> Any:
    """A figure as a dictionary, or a part of it, with everything larger that is given
    in pixels: letters, marks, lines, margins, height. `within` is the path of names to
    the part.
    """
    if isinstance(part, dict):
        return _enlarged_parts(part, within)
    if isinstance(part, list | tuple):
        return [enlarged(value, within) for value in part]
    return _enlarged_value(part, within)


def _enlarged_value(value: Any, within: tuple[str, ...]) -> Any:
    is_pixels = isinstance(value, int | float) and _in_pixels(within)
    return value * LARGER if is_pixels else value


def _enlarged_parts(part: dict[str, Any], within: tuple[str, ...]) -> dict[str, Any]:
    larger = {key: enlarged(value, (*within, key)) for key, value in part.items()}
    if within == ("layout",):
        # Plotly's own size, where a figure has none
        larger["font"] = {"size": 12 * LARGER, **larger.get("font", {})}
    return larger


def _in_pixels(path: tuple[str, ...]) -> bool:
    """Whether a property of a figure is given in pixels."""
    return path[-1] in _PIXELS or path[-2:] == ("line", "width")


READABLE = 4.5
"""Least contrast of text with its ground (WCAG 2.2, 1.4.3)."""


def contrast(color: str, ground: str) -> float:
    """Contrast of two hexadecimal colours, from 1 to 21 (WCAG 2.2)."""
    low, high = sorted((_luminance(color), _luminance(ground)))
    return (high + 0.05) / (low + 0.05)


def _luminance(color: str) -> float:
    channels = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@cache
def ink(color: str) -> str:
    """The lightest shade of a colour in which text is readable on a light page."""
    red, green, blue = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    shades = (
        f"#{red * share // 100:02X}{green * share // 100:02X}{blue * share // 100:02X}"
        for share in range(100, 0, -1)
    )
    return next(shade for shade in shades if contrast(shade, PAGE) >= READABLE)


def _rgb(color: str) -> str:
    """Prefix of the transparent forms of a colour."""
    return faint(color).rpartition(",")[0]


def faint(color: str, alpha: float = 0.15) -> str:
    """A hexadecimal colour, made transparent."""
    red, green, blue = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{alpha})"


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
    # below the axis, as far as it reaches to the right of it in a narrow window
    if _is_longer(across, TELEPHONE - margin["l"] + margin["r"]):
        more["xaxis"] = more["xaxis"] | {"title": in_two_lines(across)}
        margin["b"] += TITLE_LINE
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


def figure_to_send(parts: dict[str, Any]) -> Figure:
    """A figure for ``st.plotly_chart`` alone, from the dictionary of one that was
    drawn; nothing but its `to_dict` can be used.

    It passes for one of Plotly's, so that Streamlit sends the dictionary as it is: the
    data and layout that ``Figure(parts)`` would send, but for empty lists of shapes and
    annotations, and so the same drawing; a test compares every chart. What is left out
    is that Plotly copies and validates them several times. The dictionary must not be
    changed before it is sent.
    """
    from plotly.graph_objects import Figure

    figure = Figure.__new__(Figure)
    vars(figure)["to_dict"] = lambda: parts
    return figure


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


def space_out(heights: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Move heights as little as possible to be at least `gap` apart, from low to high;
    closer if they are too many.
    """
    gap = min(gap, (high - low) / max(len(heights) - 1, 1))
    order = sorted(range(len(heights)), key=lambda i: heights[i])
    # names that touch move together, around the mean of where they would be, and take in
    # the group below where they then touch that
    groups: list[tuple[float, list[int]]] = []  # (centre, members from below)
    for i in order:
        centre, members = max(heights[i], low), [i]
        while groups and groups[-1][0] + gap * (len(groups[-1][1]) + len(members)) / 2 > centre:
            other, before = groups.pop()
            centre = (other * len(before) + centre * len(members)) / (len(before) + len(members))
            members = before + members
            centre = max(centre, low + gap * (len(members) - 1) / 2)
        groups.append((centre, members))
    placed = [0.0] * len(heights)
    for centre, members in groups:
        for place, i in enumerate(members):
            placed[i] = centre + gap * (place - (len(members) - 1) / 2)
    for i in reversed(order):  # a name that is too high pushes down those below it
        # Plotly would hide a name that is beyond an end by a rounding error
        placed[i] = max(min(placed[i], high), low)
        high = placed[i] - gap
    return placed


def list_names(names: Sequence[tuple[str, str]], x: float, side: str) -> list[dict[str, Any]]:
    """Annotations: (text, colour) in a column from the top, whose left or right `side`
    is at `x`, from 0 to 1 within the figure; closer to each other if they are too
    many.
    """
    step = min(LINE / INNER, 1 / max(len(names), 1))
    return [
        {
            "x": x,
            "xref": "paper",
            "y": 1 - k * step,
            "yref": "paper",
            "text": escape_name(text),
            "font": {"color": ink(color), "size": 13},
            "showarrow": False,
            "xanchor": side,
            "yanchor": "top",
        }
        for k, (text, color) in enumerate(names)
    ]


def mode_bar(name: str) -> dict[str, Any]:
    """Settings of Plotly's mode bar: its camera saves an SVG with this name, and
    nothing is sent to a cloud.
    """
    return {
        "displaylogo": False,
        "modeBarButtonsToRemove": ["sendChartToCloud", "select2d", "lasso2d"],
        "toImageButtonOptions": {"format": "svg", "filename": name, "scale": 2},
    }


def figure_page(figure: Figure, name: str) -> str:
    """A figure as one HTML file that needs no network."""
    return str(figure.to_html(config=mode_bar(name), include_plotlyjs=True, full_html=True))


def plotly() -> str:
    """Plotly's own script, for a page that needs no network."""
    from plotly.offline import get_plotlyjs

    return str(get_plotlyjs())


def figure_html(figure: Mapping[str, Any], name: str, height: int | str = "100%") -> str:
    """A figure, given as a dictionary, as HTML for a page that holds the script."""
    from plotly.io import to_html

    how = {
        "full_html": False,
        "include_plotlyjs": False,
        "validate": False,
        "default_height": height,
    }
    return str(to_html(figure, config=mode_bar(name), div_id=name, **how))
