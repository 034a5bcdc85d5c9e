"""Two orders of the same names, side by side."""

from collections.abc import Sequence

from irmeval.plots import pins
from irmeval.plots.names import label_width, labels, shorten_names
from irmeval.plots.theme import GREY, PALETTE, Figure, escape_name, make_figure

LINE = 19
"""Pixels from one rank to the next."""
LETTERS = 18
"""The most letters of a name on either side, so that lines have room between them on a telephone too."""
AWAY = 3 * "\u00a0"
"""Between a dot and its name."""
SPACE = 5
"""Room for one blank of `AWAY`, in pixels."""

CLIMBS = ": green climbs, vermillion falls, grey stays"
"""The meaning of the colours of `slope` where no run is marked."""


def slope(names: Sequence[str], left: Sequence[float], right: Sequence[float], titles: tuple[str, str]) -> Figure:
    """A line from the rank of each name on the left to that on the right: green if it climbs, vermillion if it falls, grey if it stays."""
    names, left, right = pins.without_hidden(names, left, right)
    own, marked = pins.colors(names), pins.marked(names)
    alike: dict[tuple[str, float, str], list[tuple[str, float, float]]] = {}  # by style, and the name of a marked run: it has its own trace
    for name, before, after in sorted(zip(names, left, right, strict=True), key=lambda line: line[0] in marked):
        up = before - after
        color = pins.color(name, own, PALETTE["green"] if up > 0 else PALETTE["vermillion"] if up < 0 else GREY)
        width = 3 if name in marked else 2 if up and (not own or name in own) else 1
        alike.setdefault((color, width, name if name in marked else ""), []).append((name, before, after))
    # names of the same rank share a label, so that they do not overlap
    short, full = shorten_names(names, LETTERS), labels(names, LETTERS)
    shared, pinned = [], {}
    for x, ranks in ((0, left), (1, right)):
        for rank in sorted(set(ranks)):
            here = [i for i, r in enumerate(ranks) if r == rank]
            shared.append((x, rank, ", ".join(short[i] for i in here)))
            if any(names[i] in marked for i in here):
                pinned[x, rank] = ", ".join(full[i] for i in here)
    said = shorten_names([text for _, _, text in shared], LETTERS)
    texts = [(x, rank, pinned.get((x, rank), escape_name(text))) for (x, rank, _), text in zip(shared, said, strict=True)]
    side = len(AWAY) * SPACE + label_width(said)
    return make_figure(
        [
            *(_lines(*style[:2], here) for style, here in alike.items()),
            *(_labels(end, [(rank, text) for x, rank, text in texts if x == end]) for end in (0, 1)),
        ],
        height=74 + LINE * len(names),
        hovermode="closest",
        margin={"l": side, "r": side, "t": 40, "b": 10},
        xaxis={
            "tickvals": [0, 1],
            "ticktext": [escape_name(t) for t in titles],
            "side": "top",
            "range": [-0.02, 1.02],
            "showgrid": False,
            "ticks": "",
        },
        yaxis={"range": [len(names) + 0.7, 0.3], "visible": False},
    )


def _lines(color: str, width: float, ranks: Sequence[tuple[str, float, float]]) -> dict[str, object]:
    """Lines of one style from rank to rank (name, before, after), as one trace with a gap after each: it is drawn as fast as one line."""
    return {
        "type": "scatter",
        "x": [0, 1, None] * len(ranks),
        "y": [rank for _, before, after in ranks for rank in (before, after, None)],
        "text": [escape_name(name) for name, _, _ in ranks for _ in range(3)],
        "customdata": [f"{before:g} → {after:g}" for _, before, after in ranks for _ in range(3)],
        "mode": "lines+markers",
        "line": {"color": color, "width": width},
        "marker": {"size": 5, "color": color},
        "hovertemplate": "%{customdata}<extra>%{text}</extra>",
    }


def _labels(end: int, texts: Sequence[tuple[float, str]]) -> dict[str, object]:
    """Names (rank, text) beside one end of the lines. A browser draws them as a trace in a fraction of the time that annotations take."""
    return {
        "type": "scatter",
        "x": [end] * len(texts),
        "y": [rank for rank, _ in texts],
        "text": [f"{AWAY}{text}" if end else f"{text}{AWAY}" for _, text in texts],
        "textposition": "middle right" if end else "middle left",
        "textfont": {"size": 12},
        "mode": "text",
        "cliponaxis": False,
        "hoverinfo": "skip",
    }
