"""Colours and dashes of figures, and their colours on a dark page."""

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from typing import Any

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
"""Colour of what has none of its own."""
_HOME = {
    "AP": "blue",
    "Q": "vermilion",
    "nDCG": "green",
    "Bpref": "purple",
    "RBP": "orange",
    "infAP": "sky",
    "P": "brown",
    "RR": "slate",
    "xinfAP": "sky",
    "statAP": "vermilion",
    "infNDCG": "brown",
    "statNDCG": "slate",
    "infP": "purple",
    "statP": "blue",
    "statRBP": "orange",
}
"""Metric -> its colour, unless another measure has that already."""


WIDTH = 2.0
"""Width of a line with a name, in pixels."""
STRONG = 4.0
"""Width of the line that a figure is about, in pixels."""


@dataclass(frozen=True)
class Style:
    """How one line is drawn."""

    color: str
    dash: str = "solid"
    symbol: str = "circle"
    width: float = WIDTH


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


def styles_of_others(names: Iterable[str], best: str, chance: str) -> list[Style]:
    """A style for each of several lines that are no measures: chance is grey as all
    context is, and the best is strong.
    """
    colors = iter(code for name, code in PALETTE.items() if name != "slate")
    return [
        Style(
            GREY if name == chance else next(colors, GREY),
            width=STRONG if name == best else WIDTH,
        )
        for name in names
    ]


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
