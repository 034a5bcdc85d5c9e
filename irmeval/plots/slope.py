"""Two orders of the same names, side by side."""

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from irmeval.plots import pins
from irmeval.plots.axes import round_values
from irmeval.plots.canvas import Figure, escape_name, make_figure
from irmeval.plots.colors import GREY, MARKED, PALETTE, faint, ink
from irmeval.plots.elements import measure
from irmeval.plots.names import LETTER, label_width, labels, shorten_names, space_out

LINE = 19
"""Pixels from one rank to the next."""
LETTERS = 18
"""The most letters of a name on either side, so that lines have room between them on a
telephone too.
"""
AWAY = 3 * "\u00a0"
"""Between a dot and its name."""
SPACE = 5
"""Room for one blank of `AWAY`, in pixels."""
ROW = 4
"""Number of names in a line of a hover text."""
MANY = 40
"""With more names only those that move most are named, and the others are grey."""
MOVERS = 15
"""How many names that is."""
TALL = 520
"""Height of a figure with more names, in pixels: a line for each would be off the
screen.
"""
TYPE = 12
"""Size at which `elements.measure` gives the length of a name in the widest of the usual
letters, as Verdana's: a figure outside of a page has them, and nothing widens its margin.
"""
RANK = 52
"""Room for a rank on the left, in pixels."""
RANKS = 6
"""About how many ranks stand there."""
TOP = 40
"""Height of the titles above the ranks, in pixels."""
BOLD = 1.12
"""Length of a bold text as a multiple of that of a plain one, in these letters."""
BEND = 0.04
"""Length of the line from a rank to a name beside it, as a share of the figure."""

CLIMBS = ": green climbs, vermilion falls, grey stays"
"""The meaning of the colours of `slope` where no run is marked."""


def slope(
    names: Sequence[str],
    left: Sequence[float],
    right: Sequence[float],
    titles: tuple[str, str],
    note: str = "",
    forward: str = "",
) -> Figure:
    """A line from the rank of each name on the left to that on the right: green if it
    climbs, vermilion if it falls, grey if it stays. A `note` stands below; of many
    names, the one brought `forward` is among those that are named.
    """
    names, left, right = pins.without_hidden(names, left, right)
    if len(names) > MANY:
        return _slope_of_many(names, left, right, titles, note, forward)
    tied = [_by_rank(names, ranks, pins.marked(names)) for ranks in (left, right)]
    shared = [len(here) - 1 for end in tied for here in end.values() if len(here) > 1]
    more = max((len(f" + {others}") for others in shared), default=0)
    short = dict(zip(names, labels(names, LETTERS - more), strict=True))
    widest = label_width(shorten_names(names, LETTERS - more)) + LETTER * more
    side = len(AWAY) * SPACE + max(widest, *(measure(title, TYPE) for title in titles))
    alike = _by_style(names, left, right)
    traces = [_lines(each.color, each.width, each.ranks, tied) for each in alike]
    for end, by_rank in enumerate(tied):
        texts = {rank: _shared([short[name] for name in here]) for rank, here in by_rank.items()}
        traces.append(_labels(end, texts))
    return make_figure(
        traces,
        height=74 + LINE * (len(names) + bool(note)),
        hovermode="closest",
        margin={"l": side, "r": side, "t": TOP, "b": 10},
        xaxis=_across(1.02),
        yaxis={"range": [len(names) + 0.7 + bool(note), 0.3], "visible": False},
        annotations=[
            _above(titles[0], 0, "right"),
            _above(titles[1], 1, "left"),
            *_below(note, len(names) + 1.2),
        ],
    )


class _Alike(NamedTuple):
    """Lines that are drawn alike, as one trace."""

    color: str
    width: float
    ranks: list[tuple[str, float, float]]
    """name, rank before, rank after"""


def _by_style(
    names: Sequence[str], left: Sequence[float], right: Sequence[float]
) -> Iterable[_Alike]:
    """The lines by colour and width; a marked run has its own trace, above the others."""
    own, marked = pins.colors(names), pins.marked(names)
    alike: dict[tuple[str, float, str], _Alike] = {}
    lines = zip(names, left, right, strict=True)
    for name, before, after in sorted(lines, key=lambda line: line[0] in marked):
        color = pins.color(name, own, _direction(before, after))
        width, alone = 1, ""
        if name in marked:
            width, alone = 3, name
        elif before != after and (not own or name in own):
            width = 2
        here = alike.setdefault((color, width, alone), _Alike(color, width, []))
        here.ranks.append((name, before, after))
    return alike.values()


def _across(end: float) -> dict[str, Any]:
    """The axis from the left order to the right one."""
    return {"range": [-0.02, end], "visible": False}


def _above(title: str, x: float, side: str) -> dict[str, Any]:
    """The title of an order above its ranks, or in line with the names beside these; on a
    telephone those of both would touch where each was in the middle.
    """
    said = escape_name(title)
    beside = {"left": f"{AWAY}{said}", "right": f"{said}{AWAY}"}
    return {
        "x": x,
        "xref": "x",
        "xanchor": side,
        "y": 1,
        "yref": "paper",
        "yanchor": "bottom",
        "text": beside.get(side, said),
        "font": {"size": TYPE},
        "showarrow": False,
    }


def describe_named(names: int) -> str:
    """A sentence on which of so many names `slope` names; empty if it names all."""
    if names <= MANY:
        return ""
    return f" Named: the {MOVERS} runs of {names:,} that move most, and the one brought forward."


def find_movers(
    names: Sequence[str], left: Sequence[float], right: Sequence[float], forward: str = ""
) -> list[int]:
    """Places of the names that `slope` names where there are many: marked ones, the one
    brought forward, and those that move most.
    """
    far = sorted(range(len(names)), key=lambda i: -abs(left[i] - right[i]))
    movers = [i for i in far[:MOVERS] if left[i] != right[i]]
    marked = {forward, *pins.marked(names)}
    return [i for i in far if i in movers or names[i] in marked]


def _slope_of_many(
    names: Sequence[str],
    left: Sequence[float],
    right: Sequence[float],
    titles: tuple[str, str],
    note: str,
    forward: str,
) -> Figure:
    """The same for many names: those that move most in colour with their whole names,
    the others faint; ranks stand on the left, as beside the names they would leave a
    telephone no room for lines.
    """
    own, movers = pins.colors(names), find_movers(names, left, right, forward)
    others = [(names[i], left[i], right[i]) for i in range(len(names)) if i not in movers]
    tied = [_by_rank(names, ranks, ()) for ranks in (left, right)]
    traces = [_lines(faint(GREY, 0.35), 1, others, tied)]
    gap = (len(names) + 1) * LINE / (TALL - 50)
    heights = space_out([right[i] for i in movers], gap, 1, len(names))
    texts: dict[float, str] = {}
    widest = 0.0
    for i, height in zip(movers, heights, strict=True):
        color = pins.color(names[i], own, _direction(left[i], right[i]))
        width = 4 if names[i] == forward else 2
        line = _lines(color, width, [(names[i], left[i], right[i])], tied)
        # bent, so that names of near ranks do not touch
        bent = {"x": [0, 1, 1 + BEND], "y": [left[i], right[i], height]}
        traces.append(line | bent | {"marker": {"size": [5, 5, 0], "color": color}})
        said, wide = escape_name(names[i]), measure(names[i], TYPE)
        if names[i] == forward:
            said, wide = f"<b>{said}</b>", BOLD * wide
        widest = max(widest, wide)
        texts[height] = f'{MARKED}{ink(color)}">{said}</span>'
    traces.append(_labels(1, texts) | {"x": [1 + BEND] * len(texts)})
    before, after = titles
    widest = max(widest, measure(after, TYPE))
    return make_figure(
        traces,
        height=TALL + LINE * bool(note),
        hovermode="closest",
        margin={
            "l": max(RANK, measure(before, TYPE) / 2),
            "r": len(AWAY) * SPACE + widest,
            "t": TOP,
            "b": 10,
        },
        xaxis=_across(1 + BEND),
        yaxis=_ranks(len(names), len(names) + 1 + bool(note) * gap),
        annotations=[
            _above(before, 0, "center"),
            _above(after, 1 + BEND, "left"),
            # a rank is lower than a line of text, which needs the height of several
            *_below(note, len(names) + 1 + gap / 2),
        ],
    )


def _ranks(last: int, bottom: float) -> dict[str, Any]:
    """The axis of ranks, with the first on top, and room down to `bottom` below the
    last.
    """
    shown = [(1.0, "1"), *round_values(2, last, RANKS)]
    return {
        "range": [bottom, 0],
        "tickvals": [rank for rank, _ in shown],
        "ticktext": [text for _, text in shown],
        "showgrid": False,
        "ticks": "",
    }


def _direction(before: float, after: float) -> str:
    """The colour of a line from one rank to another."""
    if before == after:
        return GREY
    if after < before:
        return PALETTE["green"]
    return PALETTE["vermilion"]


def _below(note: str, at: float) -> list[dict[str, object]]:
    """A note below the last rank, at this height; none if it is empty."""
    place = {"x": 0.5, "y": at, "xref": "x", "yref": "y", "showarrow": False}
    return [place | {"text": escape_name(note)}] if note else []


def _by_rank(
    names: Sequence[str], ranks: Sequence[float], marked: Container[str]
) -> dict[float, list[str]]:
    """Rank -> its names, marked ones first."""
    found: dict[float, list[str]] = {}
    pairs = zip(ranks, names, strict=True)
    for rank, name in sorted(pairs, key=lambda pair: pair[1] not in marked):
        found.setdefault(rank, []).append(name)
    return found


def _shared(names: Sequence[str]) -> str:
    """The label of names of one rank, which would overlap: the first, and the number of
    others.
    """
    return f"{names[0]} + {len(names) - 1}" if len(names) > 1 else names[0]


def _hover(before: float, after: float, tied: Sequence[str]) -> str:
    """Both ranks of a name, and all names of the rank pointed at, where there are
    several.
    """
    said = f"{before:g} → {after:g}"
    if len(tied) < 2:
        return said
    lines = [", ".join(map(escape_name, tied[i : i + ROW])) for i in range(0, len(tied), ROW)]
    return "<br>".join([said, "tied:", *lines])


def _lines(
    color: str,
    width: float,
    ranks: Sequence[tuple[str, float, float]],
    tied: Sequence[dict[float, list[str]]],
) -> dict[str, object]:
    """Lines of one style from rank to rank (name, before, after), as one trace with a
    gap after each: it is drawn as fast as one line.
    """
    places: list[float | None] = []
    texts: list[str] = []
    hover: list[str] = []
    for name, before, after in ranks:
        places += [before, after, None]
        texts += [escape_name(name)] * 3
        hover += [_hover(before, after, here) for here in (tied[0][before], tied[1][after], [])]
    return {
        "type": "scatter",
        "x": [0, 1, None] * len(ranks),
        "y": places,
        "text": texts,
        "customdata": hover,
        "mode": "lines+markers",
        "line": {"color": color, "width": width},
        "marker": {"size": 5, "color": color},
        "hovertemplate": "%{customdata}<extra>%{text}</extra>",
    }


def _labels(end: int, texts: Mapping[float, str]) -> dict[str, object]:
    """Rank -> label, beside one end of the lines. A browser draws them as a trace in a
    fraction of the time that annotations take.
    """
    place = f"{AWAY}{{}}" if end else f"{{}}{AWAY}"
    return {
        "type": "scatter",
        "x": [end] * len(texts),
        "y": [*texts],
        "text": [*map(place.format, texts.values())],
        "textposition": "middle right" if end else "middle left",
        "textfont": {"size": 12},
        "mode": "text",
        "cliponaxis": False,
        "hoverinfo": "skip",
    }
