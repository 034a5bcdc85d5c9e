"""The elements of SVG pictures, as text. Words in them are data and never markup."""

import math
import re
from collections.abc import Iterable
from html import escape, unescape
from itertools import product

from irmeval.core.errors import ParamError
from irmeval.core.text import one_line

INK = "#24292F"
"""Colour of words."""
WIDTHS = """
    318 401 460 838 636 950 780 275 390 390 500 838 318 361 318 337 636 636 636 636 636 636 636 636
    636 636 337 337 838 838 838 531 1000 684 686 698 770 632 575 775 752 295 295 656 557 863 748 787
    603 787 695 635 611 732 684 989 685 611 685 390 337 390 838 500 500 613 635 550 635 615 352 635
    634 278 278 579 278 974 634 612 635 635 411 521 392 634 592 818 592 592 525 636 337 636 838
"""
"""Widths of the printable ASCII characters, from the blank on, in thousandths of the
size: of DejaVu Sans, wider than what most programs take where a figure's own font is
missing.
"""


class Words(str):
    """An element of text, with its bounding box: left, top, right, bottom."""

    box: tuple[float, float, float, float]


def measure(line: str, size: float) -> float:
    """Width of a line of text in pixels, in a wide font. A character that is not ASCII
    counts as wide as it is high.
    """
    return sum(_WIDTHS.get(character, 1000) for character in line) * size / 1000


_WIDTHS = {chr(32 + i): int(width) for i, width in enumerate(WIDTHS.split())}


def path(points: Iterable[tuple[float, float]]) -> str:
    """The description of a path through points."""
    return "M" + "L".join(f"{x:.2f},{y:.2f}" for x, y in points)


def clipped(parts: str, left: float, top: float, right: float, bottom: float) -> str:
    """Elements that are cut at a rectangle, with room for half a marker outside it."""
    x, y, width, height = left - 6, top - 6, right - left + 12, bottom - top + 12
    return (
        f'<svg x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" viewBox="{x:g} {y:g}'
        f' {width:g} {height:g}">{parts}</svg>'
    )


def line(
    x0: float, y0: float, x1: float, y1: float, color: str, width: float = 1, dash: str = ""
) -> str:
    """A straight line."""
    looks = stroke(color, width, dash)
    return f'<line x1="{x0:.2f}" y1="{y0:.2f}" x2="{x1:.2f}" y2="{y1:.2f}" {looks}/>'


def box(x0: float, y0: float, x1: float, y1: float, style: str) -> str:
    """A rectangle between two corners."""
    return (
        f'<rect x="{x0:.2f}" y="{y0:.2f}" width="{max(x1 - x0, 0):.2f}"'
        f' height="{max(y1 - y0, 0):.2f}" {style}/>'
    )


def marker(x: float, y: float, r: float, symbol: str, color: str, alpha: float) -> str:
    """A circle, square or diamond of a radius, hollow where its name ends in
    ``-open``. Raises `ParamError` for another form.
    """
    kind, style = symbol.removesuffix("-open"), fill(color)
    if kind != symbol:
        style = f'fill="none" {stroke(color, 1.5)}'
    style += opacity(alpha)
    if kind == "circle":
        return f'<circle cx="{x:.2f}" cy="{y:.2f}" r="{r:g}" {style}/>'
    if kind == "square":
        return box(x - r, y - r, x + r, y + r, style)
    if kind != "diamond":
        raise ParamError(f"a marker of the form {symbol} cannot be drawn as SVG")
    corners = (x, y - 1.3 * r), (x + 1.3 * r, y), (x, y + 1.3 * r), (x - 1.3 * r, y)
    return f'<path d="{path(corners)}Z" {style}/>'


def text(
    x: float, y: float, words: str, anchor: str, size: float, turn: float = 0, color: str = INK
) -> Words:
    """A text centred at this height, one or several lines."""
    lines = [_MARKED.sub(_coloured, _escaped(line)) for line in str(words).split("<br>")]
    if len(lines) > 1:
        rows = [y + size * (0.35 + 1.2 * i) for i in range(len(lines))]
        lines = [
            f'<tspan x="{x:.2f}" y="{row:.2f}">{line}</tspan>'
            for row, line in zip(rows, lines, strict=True)
        ]
    turned = f' transform="rotate({turn:g} {x:.2f} {y:.2f})"' if turn else ""
    style = _colour(color, "fill")
    place = f'x="{x:.2f}" y="{y + size * 0.35:.2f}" text-anchor="{anchor}" font-size="{size:g}"'
    element = Words(f"<text {place} {style}{turned}>{''.join(lines)}</text>")
    element.box = _rectangle(x, y, letters_of(str(words)), anchor, size, turn)
    return element


def _rectangle(
    x: float, y: float, lines: list[str], anchor: str, size: float, turn: float
) -> tuple[float, float, float, float]:
    """The bounding box of a text, turned around its anchor."""
    wide = max(measure(unescape(line), size) for line in lines)
    left = {"start": 0.0, "middle": -wide / 2, "end": -wide}[anchor]
    top, bottom = -0.7 * size, (1.2 * (len(lines) - 1) + 0.7) * size
    cosine, sine = math.cos(math.radians(turn)), math.sin(math.radians(turn))
    corners = [
        (a * cosine - b * sine, a * sine + b * cosine)
        for a, b in product((left, left + wide), (top, bottom))
    ]
    across, down = zip(*corners, strict=True)
    return x + min(across), y + min(down), x + max(across), y + max(down)


def rgba(color: str) -> tuple[float, float, float, float]:
    """Red, green, blue from 0 to 255 and opacity from 0 to 1 of a colour as the figures
    write it.
    """
    if color.startswith("rgba("):
        red, green, blue, alpha = map(float, color[5:-1].split(","))
        return red, green, blue, alpha
    red, green, blue = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return red, green, blue, 1.0


def _colour(color: str, use: str) -> str:
    """A colour as attributes that old programs read: colour and opacity apart."""
    if not color.startswith("rgba("):
        return f'{use}="{escape(color)}"'
    red, green, blue, alpha = rgba(color)
    return f'{use}="#{int(red):02X}{int(green):02X}{int(blue):02X}" {use}-opacity="{alpha:g}"'


def fill(color: str) -> str:
    """How an area is filled."""
    return _colour(color, "fill")


def stroke(color: str, width: float, dash: str = "") -> str:
    """How a line is drawn."""
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return f'{_colour(color, "stroke")} stroke-width="{width:g}"{dashed}'


def opacity(alpha: float) -> str:
    """How much of what is behind an element it hides: nothing to write where it is all."""
    return "" if alpha == 1 else f' opacity="{alpha:g}"'


def letters_of(words: str) -> list[str]:
    """The lines of a text without markup."""
    return [_TAG.sub("", line) for line in words.split("<br>")]


_TAG = re.compile(r'<span style="color:(#[0-9A-Fa-f]{6})">(<b>)?|(?:</b>)?</span>')
_MARKED = re.compile("\x00(#[0-9A-Fa-f]{6})(<b>)?\x00(.*?)\x00\x00")
"""A coloured part of a text, as `_escaped` writes it; otherwise no text holds a NUL."""


def _escaped(line: str) -> str:
    """A line with all markup escaped, except for the figures' own."""
    parts = _TAG.split(line)
    said, is_open = [_plain(parts[0])], False
    # a color where a marked part begins, none where it ends
    for color, bold, text in zip(parts[1::3], parts[2::3], parts[3::3], strict=True):
        if color:
            said.append(f"\0{color}{bold or ''}\0")
        elif is_open:
            said.append("\0\0")
        said.append(_plain(text))
        is_open = bool(color)
    return "".join(said)


def _coloured(marked: re.Match[str]) -> str:
    """A coloured part of a text, bold where the figure has it so, as SVG."""
    color, bold, words = marked.groups()
    weight = ' font-weight="bold"' if bold else ""
    return f'<tspan fill="{color}"{weight}>{words}</tspan>'


def _plain(text: str) -> str:
    """A text of Plotly's, which has entities, as a text of SVG."""
    return escape(one_line(unescape(text)))
