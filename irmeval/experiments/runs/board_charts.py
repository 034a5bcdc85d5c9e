"""Figures of the leaderboard."""

from functools import partial
from typing import Any

import numpy as np

from irmeval.experiments.results import Chart, Figure
from irmeval.plots import cells, pins, row_charts

READABLE = 40
"""Runs in a figure."""
LEVEL = 0.95
"""Level of the intervals."""


def draw_means(board: Any) -> Chart:
    """The means by all measures."""
    caption = (
        f"At most {READABLE} runs, by mean {board.names[0]}, best first; a bluer cell is a higher"
        " mean."
    )
    return Chart("means", "Mean scores", caption, partial(_means, board), wide=True)


def draw_intervals(board: Any, measure: str) -> Chart:
    """The means by one measure with their intervals, and a line at the baseline's
    mean.
    """
    n = len(board.scores.runs)
    shown = (
        f"the best {READABLE} of {n} runs" if n > READABLE else "all runs" if n > 1 else "the run"
    )
    drawn = (
        " and, thick, the interval over judgments around the estimate"
        if (estimated := board.estimated(measure))
        else ""
    )
    rare = f" {board.ends.rare}".rstrip() if estimated else ""
    tested = (
        f"Blue: significantly better, orange: worse, grey: not significant with {board.family} at"
        f" once, {board.params.at_once_by}."
    )
    line = f"; the line is the mean of {board.baseline}" if n > 1 else ""
    caption = (
        f"Mean {measure} of {shown}, with its {LEVEL:.0%} interval over topics (Student's t,"
        f" corrected for skew){drawn}{line}."
        f"{f' {tested}' if np.isfinite(board.p_alone[board.names.index(measure)]).any() else ''}"
        f"{rare}"
    )
    return Chart(
        "intervals", "Means and their intervals", caption, partial(_intervals, board, measure)
    )


def _means(board: Any) -> Figure:
    best = pins.first_drawn(board.order(), board.scores.runs, READABLE)
    return cells.cells(
        [board.scores.runs[r] for r in best],
        board.names,
        board.scores.means[:, best].T,
        title="mean score",
    )


def _intervals(board: Any, measure: str) -> Figure:
    m = board.names.index(measure)
    best, ends = (
        pins.first_drawn(board.order(measure), board.scores.runs, READABLE),
        board.ends.of_measure(m),
    )
    means, *inner, low, high = (
        (board.scores.means[m], board.low[m], board.high[m]) if ends is None else ends
    )
    return row_charts.intervals(
        [board.scores.runs[r] for r in best],
        row_charts.Ranges(
            means[best],
            low[best],
            high[best],
            np.abs(board.verdict[m, best]) == 2,
            inner=[end[best] for end in inner],
        ),
        f"mean {measure}",
        origin=float(means[board.scores.runs.index(board.baseline)]),
        form=".4f",
    )
