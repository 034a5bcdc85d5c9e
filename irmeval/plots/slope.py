"""Two orders of the same names, side by side."""

from collections.abc import Sequence

from irmeval.plots import pins
from irmeval.plots.names import label_width, labels, shorten_names
from irmeval.plots.theme import GREY, PALETTE, Figure, escape_name, make_figure

LINE = 19
"""Pixels from one rank to the next."""
LETTERS = 18
"""The most letters of a name on either side, so that lines have room between them on a telephone too."""
AWAY = 8
"""Pixels from a dot to its name."""

CLIMBS = ": green climbs, vermillion falls, grey stays"
"""The meaning of the colours of `slope` where no run is marked."""


def slope(names: Sequence[str], left: Sequence[float], right: Sequence[float], titles: tuple[str, str]) -> Figure:
    """A line from the rank of each name on the left to that on the right: green if it climbs, vermillion if it falls, grey if it stays."""
    names, left, right = pins.without_hidden(names, left, right)
    lines = []
    own, marked = pins.colors(names), pins.marked(names)
    for name, before, after in sorted(zip(names, left, right, strict=True), key=lambda line: line[0] in marked):
        up = before - after
        color = pins.color(name, own, PALETTE["green"] if up > 0 else PALETTE["vermillion"] if up < 0 else GREY)
        lines.append(
            {
                "type": "scatter",
                "x": [0, 1],
                "y": [before, after],
                "name": escape_name(name),
                "mode": "lines+markers",
                "line": {"color": color, "width": 3 if name in marked else 2 if up and (not own or name in own) else 1},
                "marker": {"size": 5, "color": color},
                "hovertemplate": f"{before:g} → {after:g}",
            }
        )
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
    side = 2 * AWAY + label_width(said)
    texts = [
        {
            "x": x,
            "y": rank,
            "text": pinned.get((x, rank), escape_name(text)),
            "xanchor": "left" if x else "right",
            "xshift": AWAY if x else -AWAY,
            "showarrow": False,
            "font": {"size": 12},
        }
        for (x, rank, _), text in zip(shared, said, strict=True)
    ]
    return make_figure(
        lines,
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
        annotations=texts,
    )
