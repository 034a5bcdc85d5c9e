"""All pairs of names as coloured cells."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from irmeval.plots.canvas import Figure, escape_name, make_figure
from irmeval.plots.colors import PALETTE, faint
from irmeval.plots.names import label_width, ticks

TALL = 720
"""Largest height of a figure: four fifths of a common window, in pixels."""
EDGE = 17
"""Room right of the cells and below them, in pixels: half a name goes beyond a small
cell.
"""
CORNER = 108
"""Least width of the names: their corner has the legend."""
SCALE = 76
"""Height of the legend, in pixels."""
NARROW = 400
"""Width of a row of cells on a narrow screen, in pixels."""
SMALLEST = 10
"""Smallest size of a name, in pixels."""
LARGEST = 12
"""Largest size of a name, in pixels."""
NAMED = 40
"""The most names that are all written on an axis, each beside its cell."""
EVERY = 10
"""With more names, every tenth is written."""
BLOCKS = 200
"""The most cells in a row; of more names, a cell is a block of several."""
PALE = 0.5
"""Opacity of a difference that is significant alone only: halfway between grey and full
colour, on light and dark pages.
"""
BARE = {"showgrid": False, "ticks": ""}
"""An axis without lines."""


def pairs(
    names: Sequence[str],
    means: np.ndarray,
    difference: np.ndarray,
    verdict: np.ndarray,
    p: Sequence[np.ndarray],
    ends: Sequence[np.ndarray],
    *,
    level: float,
    estimated: Sequence[np.ndarray] = (),
) -> Figure:
    """Cells [row, column] coloured by `verdict`: blue where the row is better,
    vermilion where it is worse; faint for 1, alone, full for 2, with all pairs at
    once; grey for 0, not significant.

    Over each cell lies an invisible mark, number row * names + column, which has the
    hover text and takes clicks. For more than `NAMED` names there is `dense`.

    `p` are the p-values alone and at once as text, `ends` the low and high ends of the
    intervals at a level alone and at once, NaN where there are none. `estimated` are
    the differences as estimated from a sample, and the ends of their intervals over
    judgments and over topics; empty without a sample. All are [row, column].
    """
    n = len(names)
    labels = [*map(escape_name, names)]
    color = _off_diagonal(verdict)
    room = TALL - EDGE - _beside(names, LARGEST)
    cell = min(26.0, room / n)
    size = max(SMALLEST, min(LARGEST, int(cell - 1)))
    axis: dict[str, Any] = {"type": "category", "categoryorder": "array", "categoryarray": labels}
    axis |= {"tickfont": {"size": size}}
    cells = COLORED | {
        "x": labels,
        "y": labels,
        "z": color.astype(np.float32),
        "colorscale": _scale(),
        "xgap": 1,
        "ygap": 1,
        "hoverinfo": "skip",
        "colorbar": _legend(),
    }
    of_rows, of_columns = np.broadcast_arrays(means[:, None], means)
    numbers = np.stack([of_rows, of_columns, difference, *(estimated or ends)], axis=-1)
    told = _intervals(ends, level, bool(estimated))
    return _in_square(
        [cells, _marks(labels, _say_p(p), numbers, told, cell * 0.9)],
        n,
        cell,
        _beside(names, size),
        # on a narrow screen, names have less room across than down
        across=axis | _written(names, NARROW // size),
        down=axis | _written(names, int(n * cell / size)),
        annotations=[] if np.nan_to_num(color).any() else [NONE_DIFFERS],
        hoverdistance=30,
    )


COLORED: dict[str, Any] = {"type": "heatmap", "zmin": -2, "zmax": 2, "name": "verdict"}
"""Cells coloured by a verdict: 2 and 1 better, 0 not significant, -1 and -2 worse."""
NONE_DIFFERS = {
    "text": "no two of these runs differ significantly",
    "x": 0.5,
    "y": 0.5,
    "xref": "paper",
    "yref": "paper",
    "showarrow": False,
    "font": {"size": 14},
}


def _off_diagonal(verdict: np.ndarray) -> np.ndarray:
    """Verdicts as numbers of colours, none for a name and itself."""
    color = verdict.astype(float)
    np.fill_diagonal(color, np.nan)
    return color


def _in_square(
    traces: Sequence[dict[str, Any]],
    n: int,
    cell: float,
    beside: float,
    *,
    across: dict[str, Any],
    down: dict[str, Any],
    **layout: Any,
) -> Figure:
    """A figure of n times n cells of this size, with room for names beside them. The
    first row is on top, and the names of columns stand above them.
    """
    side, ends = int(beside + EDGE + cell * n), n - 0.5
    return make_figure(
        [*traces],
        width=side,
        height=side,
        hovermode="closest",
        margin={"l": beside, "r": EDGE, "t": beside, "b": EDGE},
        xaxis={**across, **BARE, "range": [-0.5, ends], "side": "top", "tickangle": -90},
        yaxis={**down, **BARE, "range": [ends, -0.5]},
        **layout,
    )


def dense(
    names: Sequence[str], difference: np.ndarray, verdict: np.ndarray, at_once: np.ndarray
) -> Figure:
    """The cells of `pairs` for many names: one square without gaps, every tenth name
    written. Of more than `BLOCKS` names, a cell is a block of neighbours with its mean
    colour. `difference` and `verdict` are as in `pairs`, `at_once` the p-values at once
    as text.
    """
    n = len(names)
    side = -(-n // BLOCKS)
    color = _off_diagonal(verdict)
    most = -(-n // EVERY)
    if side > 1:
        cells, at = _block_cells(color, side), ticks(names, most)
        at["tickvals"] = [place / side for place in at["tickvals"]]
    else:
        cells, at = _pair_cells(names, difference, color, at_once), _written(names, most)
    beside = _beside(names, SMALLEST)
    across = len(cells["z"])
    cell = max(1.0, (TALL - EDGE - beside) / across)
    axis = {
        "type": "category",
        "categoryorder": "array",
        "categoryarray": cells["x"],
        "tickfont": {"size": SMALLEST},
    } | at
    cells |= COLORED | {
        "colorscale": _scale(steps=side == 1),
        "colorbar": _legend(),
        # the diagonal is a gap: a run and itself are no pair
        "hoverongaps": False,
    }
    return _in_square([cells], across, cell, beside, across=axis, down=axis)


def _pair_cells(
    names: Sequence[str], difference: np.ndarray, color: np.ndarray, at_once: np.ndarray
) -> dict[str, Any]:
    """A cell for each pair. Its hover text takes the names from the axes, the difference
    as a number, and words from the template: as text, they were most of the 3 MB of 126
    runs. A second text, p alone, would be a third of the bytes: the close-up has it.
    """
    labels = [*map(escape_name, names)]
    return {
        "x": labels,
        "y": labels,
        "z": _in_digits(color),
        "customdata": difference.astype(np.float32),
        "text": at_once.tolist(),
        "hovertemplate": (
            "<b>%{y}</b> and <b>%{x}</b><br>difference %{customdata:+.4f},"
            " p %{text} at once<extra></extra>"
        ),
    }


def _in_digits(color: np.ndarray) -> list[list[int | None]]:
    """Numbers of colours, None for a gap: as text, half as long as four bytes each."""
    digits = np.nan_to_num(color).astype(int).astype(object)
    digits[np.isnan(color)] = None
    return digits.tolist()


def _say_p(p: Sequence[np.ndarray]) -> list[str]:
    """The p-values of each pair, alone and at once."""
    texts = zip(*(of.ravel() for of in p), strict=True)
    return [f"{alone} alone, {at_once}" for alone, at_once in texts]


def _written(names: Sequence[str], most: int) -> dict[str, list[Any]]:
    """The ticks of an axis whose places are the names: each at its name, since Plotly
    takes the number of a place for a run of that name where there is one.
    """
    at = ticks(names, most)
    return at | {"tickvals": [escape_name(names[place]) for place in at["tickvals"]]}


def _beside(names: Sequence[str], size: int) -> float:
    """Room for the names on either side of the cells, in pixels."""
    return max(CORNER, 24 + label_width(names) * size / LARGEST)


def _block_cells(color: np.ndarray, side: int) -> dict[str, Any]:
    """A cell for each block of `side` times `side` pairs, in their mean colour."""
    n = len(color)
    count = -(-n // side)
    padded = np.full((count * side, count * side), np.nan)
    padded[:n, :n] = color
    blocks = padded.reshape(count, side, count, side).transpose(0, 2, 1, 3)
    parts = blocks.reshape(count, count, side * side)
    known = np.isfinite(parts)
    pairs = np.maximum(known.sum(axis=-1), 1)
    means = np.nansum(parts, axis=-1) / pairs
    places = [f"{side * k + 1:,} to {min(side * (k + 1), n):,}" for k in range(count)]
    return {
        "x": places,
        "y": places,
        "z": np.where(known.any(axis=-1), means, np.nan).astype(np.float32),
        "customdata": (known & (np.abs(parts) == 2)).sum(axis=-1) / pairs,
        "hovertemplate": (
            "runs %{y} and %{x}<br>%{customdata:.0%} of the pairs differ at once<extra></extra>"
        ),
    }


def _intervals(ends: Sequence[np.ndarray], level: float, estimated: bool) -> str:
    """Hover text on the intervals that exist: alone and at once, or those of
    estimates.
    """
    spans = [f"%{{customdata[{i}]:+.4f}} to %{{customdata[{i + 1}]:+.4f}}" for i in range(3, 7)]
    if estimated:
        return (
            f"estimated %{{customdata[3]:+.4f}}, {level:.0%} intervals:<br>{spans[1]} over"
            f" judgments<br>{spans[3]} over topics"
        )
    known = [
        (k, how)
        for k, how in ((0, "alone"), (2, "at once"))
        if np.isfinite(ends[k][~np.eye(len(ends[k]), dtype=bool)]).any()
    ]
    return "<br>".join(f"{level:.0%} interval {how}: {spans[k]}" for k, how in known)


def _marks(
    labels: list[str], said: list[str], numbers: np.ndarray, told: str, size: float
) -> dict[str, Any]:
    """Invisible marks over the cells, with the hover text."""
    n = len(labels)
    return {
        "type": "scatter",
        "mode": "markers",
        "x": labels * n,
        "y": [label for label in labels for _ in labels],
        "text": said,
        "customdata": numbers.reshape(n * n, -1).astype(np.float32),
        # a browser need draw only one of what nobody sees
        "marker": {
            "symbol": "square",
            "size": size,
            "opacity": 0,
            "color": "gray",
            "maxdisplayed": 1,
        },
        "selected": {"marker": {"opacity": 0}},
        "unselected": {"marker": {"opacity": 0}},
        "hovertemplate": (
            "<b>%{y}</b> %{customdata[0]:.4f}<br><b>%{x}</b>"
            " %{customdata[1]:.4f}<br>difference %{customdata[2]:+.4f}, p"
            f" %{{text}} at once<br>{told}<extra></extra>"
        ),
        "name": "pairs",
    }


def _legend() -> dict[str, Any]:
    """The steps of colours, in the corner between the names."""
    return {
        "tickvals": [-1.6, -0.8, 0, 0.8, 1.6],
        "ticktext": [
            "worse, at once",
            "worse, alone",
            "not significant",
            "better, alone",
            "better, at once",
        ],
        "tickfont": {"size": SMALLEST},
        "thickness": 8,
        "lenmode": "pixels",
        "len": SCALE,
        "x": 0,
        "xanchor": "right",
        "xpad": 12,
        "y": 1,
        "yanchor": "bottom",
        "ypad": 4,
    }


def _scale(*, steps: bool = True) -> list[list[object]]:
    """Five colours, in steps or from one into the next: vermilion and pale vermilion,
    pale grey, pale blue and blue.
    """
    better, worse = PALETTE["blue"], PALETTE["vermilion"]
    colors = [
        faint(worse, 1),
        faint(worse, PALE),
        "rgba(128,128,128,0.13)",
        faint(better, PALE),
        faint(better, 1),
    ]
    if not steps:
        return [[at / 4, color] for at, color in enumerate(colors)]
    return [[at / 5, color] for step, color in enumerate(colors) for at in (step, step + 1)]
