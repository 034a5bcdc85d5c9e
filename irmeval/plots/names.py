"""Names on a figure: short enough to read, and as many as there is room for. Hover
texts have the full names.
"""

import os.path
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from irmeval.plots import pins
from irmeval.plots.canvas import INNER, LABEL, escape_name
from irmeval.plots.colors import ink
from irmeval.plots.elements import measure

LETTERS = 24
"""Maximum length of a name on a figure."""
LETTER = 7
"""Width of a letter, in pixels."""
NARROW = 640
"""Width of a narrow window, as on a telephone, in pixels."""
FIT = 11
"""Maximum number of names below or above a figure in a narrow window."""
MAX_NAMES = 70
"""Maximum number of names there on any figure."""
LINE = 19
"""Pixels between names in a list."""
LEVEL = 250
"""Pixels of an axis in a narrow window: names that fit there are not turned."""
TYPE = 10.5
"""Size at which `elements.measure` gives the length of a name on a page, whose font is
narrower.
"""
APART = 8
"""Pixels between a tick and an upright name."""


def shorten_names(names: Sequence[str], letters: int = LETTERS) -> list[str]:
    """Cut long names in the middle. Where that makes some equal, what they differ in is
    kept.

    Examples
    --------
    >>> shorten_names(["bm25", "bm25-with-a-very-long-name-1", "bm25-with-a-very-long-name-2"], 12)
    ['bm25', 'bm25-w…ame-1', 'bm25-w…ame-2']
    """
    short = {name: _cut(name, letters) for name in names}
    alike: dict[str, list[str]] = {}
    for name, text in short.items():
        alike.setdefault(text, []).append(name)
    return [_keep_difference(name, alike[short[name]], letters) for name in names]


def _keep_difference(name: str, alike: list[str], letters: int) -> str:
    """A name, cut so that it differs from others that would look like it."""
    if len(alike) == 1:
        return _cut(name, letters)
    first, last = min(alike), max(alike)  # what these two share, all share
    return _cut_before(name, len(os.path.commonprefix([first, last])), letters)  # noqa: RUF071


def _cut(name: str, letters: int) -> str:
    """A name without its middle, if it is longer than that."""
    if len(name) <= letters:
        return name
    tail = (letters - 1) // 2
    return f"{name[: letters - 1 - tail]}…{name[-tail:]}"


def _cut_before(name: str, place: int, letters: int) -> str:
    """A name without what is before a place, but for its beginning."""
    head = letters // 3
    tail = letters - 1 - head
    # a difference near the end would leave letters unused
    begin = max(head, min(place, len(name) - tail))
    return f"{name[:head]}…{name[begin : begin + tail]}"


def label_width(names: Iterable[str]) -> int:
    """Width of the longest name beside an axis, in pixels, when names are shortened."""
    return LETTER * min(max(map(len, names), default=0), LETTERS)


def room_below(names: Sequence[str]) -> float:
    """Height of names below an axis, with their distance, in pixels: upright where they
    may be longer together than a narrow axis.
    """
    if len(names) * label_width(names) <= LEVEL:
        return LABEL
    return APART + max(measure(name, TYPE) for name in shorten_names(names))


def narrow_style() -> str:
    """A style sheet by which a narrow window shows only every n-th name below or above
    a figure, where not all fit; marked names stay.
    """
    rules = []
    for step in range(2, -(-MAX_NAMES // FIT) + 1):
        more, most = FIT * (step - 1) + 1, FIT * step
        first = (
            f"g.xtick:nth-child(1 of g.xtick):nth-last-child(n+{more} of"
            f" g.xtick):nth-last-child(-n+{most} of g.xtick)"
        )
        left = f":not(:nth-child({step}n+1 of g.xtick), :has(tspan[style*=color]))"
        rules.append(f"{first} ~ g.xtick{left} {{display: none}}")
    return f"@media (max-width: {NARROW}px) {{{' '.join(rules)}}}"


def ticks(names: Sequence[str], most: int) -> dict[str, list[Any]]:
    """The named places on an axis, from 0, as Plotly takes them: all if at most `most`,
    else every n-th, the last, and pinned ones.
    """
    texts, last = labels(names), len(names) - 1
    own = pins.marked(names)
    pinned = np.flatnonzero([name in own for name in names])
    # without names it would be 0, which `range` refuses
    step = -(-len(names) // most) or 1
    # the last goes before its neighbour, and pinned ones go before all
    usual = np.unique([*range(0, last - step + 1, step), *range(last, last + 1)]).astype(int)
    near = np.abs(usual[:, None] - pinned) < step
    at = np.union1d(pinned, usual[(usual >= 0) & ~near.any(axis=1)]).astype(int).tolist()
    return {"tickvals": at, "ticktext": [texts[i] for i in at]}


def labels(names: Sequence[str], letters: int = LETTERS) -> list[str]:
    """All names, shortened, as text for Plotly; pinned ones are marked."""
    own = pins.marked(names)
    return [
        pins.axis_text(name, short, own)
        for name, short in zip(names, shorten_names(names, letters), strict=True)
    ]


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
