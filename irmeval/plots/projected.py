"""A figure for a lecture room: larger type, thicker lines, names that do not
overlap.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from irmeval.plots.axes import to_numbers
from irmeval.plots.canvas import HEIGHT, MARGIN, TELEPHONE, Figure, escape_name, in_two_lines
from irmeval.plots.elements import measure
from irmeval.plots.line_charts import BAND, LEADER, in_one_line, leaders
from irmeval.plots.names import label_width, space_out
from irmeval.plots.points import with_names_placed

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
    _leave_traces(figure, shown)
    _leave_names(figure.layout, shown)
    # those with a shift are texts within the figure
    beside = [note.text for note in figure.layout.annotations if not note.yshift]
    figure.layout.margin.r = 24 + label_width(beside)
    _lower_the_top(figure)
    return figure


def _leave_traces(figure: Figure, shown: Mapping[str, str]) -> None:
    """Leave the lines with these names, and what is drawn for them."""
    kept, left_out = [], set()
    for trace in figure.data:
        if trace.name.removesuffix(BAND) in shown:
            trace.name = shown.get(trace.name, trace.name)
            kept.append(trace)
        else:
            left_out.add(trace.name)
    figure.data = kept
    # a shape without a name is of no line, as the dotted level
    figure.layout.shapes = [one for one in figure.layout.shapes if one.name not in left_out]


def _leave_names(layout: Any, shown: Mapping[str, str]) -> None:
    """Leave the names of these lines, under their labels."""
    kept = []
    for note in layout.annotations:
        text = in_one_line(note.text)
        name = _named(text, shown)
        if name:
            note.text = shown[name] + text.removeprefix(name)
            kept.append(note)
    layout.annotations = kept


def _with_columns(figure: Figure, shown: Mapping[str, str]) -> Figure:
    """Leave in a table of cells only the columns of these names, under their labels."""
    cells, axis = figure.data[0], figure.layout.xaxis
    kept = np.flatnonzero(np.isin(axis.ticktext, [*shown]))
    cells.z = np.array(cells.z, dtype=object)[:, kept].tolist()
    cells.text = np.array(cells.text, dtype=object)[:, kept].tolist()
    axis.ticktext = [*map(shown.get, np.array(axis.ticktext)[kept])]
    cells.x = axis.tickvals = [*range(len(kept))]
    axis.range = (-0.5, len(kept) - 0.5)
    return figure


def _named(text: str, names: Iterable[str]) -> str:
    """The line that a label names, perhaps with a number behind; empty if none."""
    return next((name for name in names if f"{text} ".startswith(f"{name} ")), "")


def _lower_the_top(figure: Figure) -> None:
    """Let the vertical axis end above the highest point that is left."""
    # empty, too, as no trace may be left
    heights = np.concatenate([[], *(to_numbers(trace.y) for trace in figure.data)])
    heights = heights[np.isfinite(heights)]
    axis = figure.layout.yaxis
    if not axis.range or not heights.size:
        return
    low, high = axis.range
    # an axis of ranks falls, and has the best of them at its top
    if low < high:
        highest = float(heights.max())
        axis.range = (low, min(high, low + 1.08 * (highest - low)))


def space_names(layout: Any, line: float) -> None:
    """Move the names at the ends of lines apart, after their letters or the axis have
    changed; `line` is the height of a line of text, as a share of the axis.
    """
    names = _names_at_ends(layout)
    if not (names and layout.yaxis.range):
        return
    low, high = sorted(layout.yaxis.range)
    rows = 1 + max(note.text.count("<br>") for note in names)
    gap = rows * (high - low) * line
    ends = _ends_of_lines(layout, names)
    heights = space_out(ends, gap, low, high)
    colors = [note.font.color for note in names]
    others = [shape for shape in layout.shapes if shape.name != LEADER]
    layout.shapes = [*others, *leaders([*zip(ends, heights, colors, strict=True)], gap)]
    for note, height in zip(names, heights, strict=True):
        note.y = height


def _names_at_ends(layout: Any) -> list[Any]:
    """The annotations beside the figure at heights of its axis: those of lines."""
    at_ends = ("paper", None), ("paper", "y")
    return [note for note in layout.annotations if (note.xref, note.yref) in at_ends]


def _ends_of_lines(layout: Any, names: Iterable[Any]) -> list[float]:
    """Where lines end: at their names, or where the leader of a moved name begins."""
    led = {shape.y1: shape.y0 for shape in layout.shapes if shape.name == LEADER}
    return [led.get(note.y, note.y) for note in names]


def projected(figure: Figure) -> Figure:
    """Change a figure, so that it can be read from the last row."""
    layout, margin = figure.layout, figure.layout.margin
    space_names(layout, LINE / (TALL - 90))
    if figure.data[0].type == "heatmap":  # the caption says what the cells are
        layout.annotations = ()
    _space_list(layout)
    for note in layout.annotations:
        note.font.size = TYPE
    for trace in figure.data:
        _thicken(trace)
    figure.update_layout(
        height=max(TALL, layout.height - HEIGHT + TALL),
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
    _break_titles(layout)
    return with_names_placed(figure)


def _space_list(layout: Any) -> None:
    """Move the names of a list (`names.list_names`) apart."""
    listed = [note for note in layout.annotations if note.yref == "paper"]
    for row, note in enumerate(listed):
        note.y = 1 - row * LINE / (TALL - 90)


def _thicken(trace: Any) -> None:
    """Larger texts and marks of a trace, and a thicker line; bars stay."""
    if trace.type == "heatmap":
        trace.textfont.size = TYPE
    if trace.type != "scatter":
        return
    mode = str(trace.mode)
    if mode == "text":
        trace.textfont.size = TYPE
    # the outline of a band has no width
    if "lines" in mode and trace.line.width != 0:
        trace.line.width = 4
    if "markers" in mode:
        trace.marker.size = 11


def _break_titles(layout: Any) -> None:
    """Titles of axes that would be longer than their axis in two lines."""
    margin, upright, across = layout.margin, layout.yaxis.title, layout.xaxis.title
    if _is_longer(upright.text, TYPE - 2, layout.height - margin.t - margin.b):
        upright.text = in_two_lines(upright.text)
        margin.l += LINE
    # on a telephone, whose letters are smaller
    if _is_longer(across.text, TYPE - 7, TELEPHONE - margin.l - margin.r):
        across.text = in_two_lines(across.text)
        layout.xaxis.nticks = 3
        margin.b += LINE


def _is_longer(title: str | None, size: float, room: float) -> bool:
    """Whether a title in one line has no room, in pixels."""
    in_one_line = bool(title) and "<br>" not in str(title)
    return in_one_line and measure(str(title), size) > room
