"""A figure for a lecture room: larger type, thicker lines, names that do not
overlap.
"""

from collections.abc import Iterable, Mapping
from math import isfinite
from typing import Any

import numpy as np

from irmeval.plots.elements import measure
from irmeval.plots.line_charts import BAND, LEADER, leaders
from irmeval.plots.names import label_width
from irmeval.plots.points import with_names_placed
from irmeval.plots.theme import (
    HEIGHT,
    MARGIN,
    TELEPHONE,
    Figure,
    escape_name,
    in_two_lines,
    space_out,
)

TYPE = 19
"""Height of letters, in pixels."""
LINE = 27
"""Distance from one name to the next, in pixels."""
TALL = 330
"""Height of a usual figure, in pixels."""


def with_lines(figure: Figure, lines: Mapping[str, str]) -> Figure:
    """Leave in a figure only the lines with these names, under the labels given, and
    their bands, on an axis of their own height; all lines if there are no names.
    """
    if not lines:
        return figure
    shown = {escape_name(name): escape_name(label) for name, label in lines.items()}
    if figure.data[0].type == "heatmap":
        return _with_columns(figure, shown)
    left_out = {trace.name for trace in figure.data} - {*shown, *(f"{n}{BAND}" for n in shown)}
    figure.layout.shapes = [s for s in figure.layout.shapes if not s.name or s.name not in left_out]
    figure.data = [trace for trace in figure.data if trace.name.removesuffix(BAND) in shown]
    for trace in figure.data:
        trace.name = shown.get(trace.name, trace.name)
    # the name of a line may be in two rows
    for note in figure.layout.annotations:
        note.text = note.text.replace("<br>", " ")
    figure.layout.annotations = [
        note for note in figure.layout.annotations if _named(note.text, shown)
    ]
    for note in figure.layout.annotations:
        name = _named(note.text, shown)
        note.text = shown[name] + note.text.removeprefix(name)
    beside = [note.text for note in figure.layout.annotations if not note.yshift]
    figure.layout.margin.r = 24 + label_width(beside)
    _lower_the_top(figure)
    return figure


def _with_columns(figure: Figure, shown: Mapping[str, str]) -> Figure:
    """Leave in a table of cells only the columns of these names, under their labels."""
    cells, axis = figure.data[0], figure.layout.xaxis
    names = np.array(axis.ticktext, dtype=object)
    kept = np.flatnonzero([name in shown for name in names])
    cells.z, cells.text = (
        np.array(part, dtype=object)[:, kept].tolist() for part in (cells.z, cells.text)
    )
    axis.ticktext = [shown[name] for name in names[kept]]
    cells.x = axis.tickvals = [*range(len(kept))]
    axis.range = (-0.5, len(kept) - 0.5)
    return figure


def _named(text: str, names: Iterable[str]) -> str:
    """The line that a label names, perhaps with a number behind; empty if none."""
    return next((name for name in names if f"{text} ".startswith(f"{name} ")), "")


def _lower_the_top(figure: Figure) -> None:
    """Let the vertical axis end above the highest point that is left."""
    heights = [y for trace in figure.data for y in trace.y if y is not None and isfinite(y)]
    low, high = figure.layout.yaxis.range or (0, 0)
    if heights and low < high:
        figure.layout.yaxis.range = (low, min(high, low + 1.08 * (max(heights) - low)))


def _space_names(layout: Any) -> None:
    """Move the names at the ends of lines apart, as their letters are larger."""
    names = [
        note for note in layout.annotations if note.xref == "paper" and note.yref in (None, "y")
    ]
    if not names or not layout.yaxis.range:
        return
    low, high = sorted(layout.yaxis.range)
    in_lines = max(note.text.count("<br>") + 1 for note in names)
    gap = in_lines * (high - low) * LINE / (TALL - 90)
    # a leader goes from the end of a line to a name that was moved already
    led = {shape.y1: shape.y0 for shape in layout.shapes if shape.name == LEADER}
    ends = [led.get(note.y, note.y) for note in names]
    heights = space_out(ends, gap, low, high)
    moved = leaders(
        [(end, at, note.font.color) for note, end, at in zip(names, ends, heights, strict=True)],
        gap,
    )
    layout.shapes = [*(shape for shape in layout.shapes if shape.name != LEADER), *moved]
    for note, height in zip(names, heights, strict=True):
        note.y = height


def projected(figure: Figure) -> Figure:
    """Change a figure, so that it can be read from the last row."""
    layout, margin = figure.layout, figure.layout.margin
    _space_names(layout)
    if figure.data[0].type == "heatmap":  # the caption says what the cells are
        layout.annotations = ()
    # a list, as of `theme.list_names`
    for k, note in enumerate(note for note in layout.annotations if note.yref == "paper"):
        note.y = 1 - k * LINE / (TALL - 90)
    for note in layout.annotations:
        note.font.size = TYPE
    for trace in figure.data:
        if trace.type == "heatmap" or trace.mode == "text":
            trace.textfont.size = TYPE
        mode = trace.mode or "" if trace.type == "scatter" else ""
        if "lines" in mode and trace.line.width != 0:
            trace.line.width = 4
        if "markers" in mode:
            trace.marker.size = 11
    figure.update_layout(
        height=max(TALL, (layout.height or HEIGHT) - HEIGHT + TALL),
        font={"size": TYPE},
        legend={"font": {"size": TYPE - 2}},
        margin={
            "l": 1.14 * margin.l,
            "r": MARGIN + 1.45 * (margin.r - MARGIN),
            "t": margin.t,
            "b": 1.14 * margin.b,
        },
    )
    for axis in (layout.xaxis, layout.yaxis):
        axis.title.font.size = axis.tickfont.size = TYPE - 2
    upright, room = layout.yaxis.title, layout.height - margin.t - margin.b
    if upright.text and "<br>" not in upright.text and measure(upright.text, TYPE - 2) > room:
        upright.text = in_two_lines(upright.text)
        margin.l += LINE
    below = layout.xaxis.title.text or ""
    # beside long names
    if "<br>" not in below and TELEPHONE - margin.l - margin.r < measure(below, TYPE - 7):
        layout.xaxis.title.text = in_two_lines(below)
        layout.xaxis.nticks = 3
        margin.b += LINE
    return with_names_placed(figure)
