"""A ranked list as tiles, and scores as bars beside them."""

from collections.abc import Callable, Iterable, Sequence
from html import escape

import pandas as pd

from irmeval.experiments.learn import lab
from irmeval.experiments.learn.lab import KINDS, Lab, swap_ranks
from irmeval.lessons import Lesson
from irmeval.lessons.reading import describe_list, legend
from irmeval.metrics import Measure
from irmeval.plots import colors

COLUMNS = {
    "list": {"score": "raw"},
    "condensed": {"raw": "raw", "condensed": "condensed"},
    "swaps": {"as it is": "raw", "first swap": "raw_swap_1", "second swap": "raw_swap_2"},
}
"""Columns of the table of scores by figure of a list, with titles."""
CLASSES = dict.fromkeys("123", "relevant") | {"0": "nonrelevant", "u": "unjudged", "x": "unjudged"}
"""Class of a tile in the style sheet by what the document is."""
LETTERS = {kind: kind for kind in "0123"} | {"u": "?", "x": "?"}
"""What a tile shows of it."""


def tiles(documents: Sequence[str], *, moved: Sequence[int] = (), upto: int = lab.LONGEST) -> str:
    """A tile per rank. Ranks in `moved` are marked, and those below `upto` are pale."""
    parts = []
    for rank, document in enumerate(documents, start=1):
        names = [CLASSES[document]]
        if rank in moved:
            names.append("moved")
        if rank > upto:
            names.append("ahead")
        parts.append(
            f'<span role=listitem class="{" ".join(names)}"'
            f' title="{escape(KINDS[document])}"><b>{LETTERS[document]}</b>{rank}</span>'
        )
    return f"<div role=list class=tiles>{''.join(parts)}</div>"


def scene(lesson: Lesson) -> str:
    """The lists that a lesson's question is about, with what they lack; empty if it is
    about none.
    """
    if lesson.lists:
        rows = "".join(
            f"<div class=named><b>{escape(name)}</b>{tiles(lab.parse(text))}</div>"
            for name, text in lesson.lists.items()
        )
        return f"<div class=scene>{rows}</div>"
    if not lesson.scene:
        return ""
    documents = lab.parse(lesson.scene)
    return f"<div class=scene>{tiles(documents)}<p>{describe_list(lesson)}</p></div>"


def figure(result: Lab, chart: str) -> str:
    """Draw the list, its swaps, and the scores of each measure."""
    documents = list(result.documents)
    shown = _LISTS[chart](result, documents)
    missing = sum(document in "123" for document in result.rest)
    shown += f"<p>{legend(documents, missing)}</p>"
    return f"<div class=toy><div>{shown}</div>{_bars(result, COLUMNS[chart])}</div>"


def _named(name: str, row: str) -> str:
    """A row of tiles under its name."""
    return f"<div>{name}</div>{row}"


def _both_lists(result: Lab, documents: Sequence[str]) -> str:
    """The list, and its condensed form."""
    judged = [document for document in documents if document not in "ux"]
    return _named("raw", tiles(documents)) + _named("condensed", tiles(judged))


def _swapped_lists(result: Lab, documents: Sequence[str]) -> str:
    """The list, and as it is after either swap."""
    shown = _named("as it is", tiles(documents))
    swaps = zip(("first swap", "second swap"), result.params.swaps.values(), strict=True)
    for name, ranks in swaps:
        shown += _named(name, tiles(swap_ranks(documents, *ranks), moved=ranks))
    return shown


_LISTS: dict[str, Callable[[Lab, Sequence[str]], str]] = {
    "list": lambda result, documents: tiles(documents),
    "condensed": _both_lists,
    "swaps": _swapped_lists,
}
"""What draws the lists of a figure."""


def _bars(result: Lab, columns: dict[str, str]) -> str:
    frame, styles = result.frame().set_index("measure"), colors.styles(result.measures)
    head = "".join(f"<th>{name_column(title, result.measures)}</th>" for title in ("", *columns))
    rows = []
    for measure in result.measures:
        cells = "".join(
            bar(frame[column].loc[measure], measure.metric.range[1], styles[measure].color)
            for column in columns.values()
        )
        rows.append(f"<tr><th>{escape(measure)}</th>{cells}</tr>")
    return f"<table class=bars><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def name_column(title: str, measures: Iterable[Measure]) -> str:
    """The heading of a column of scores; that of condensed scores has the first prime
    in it, as in ``condensed (AP')``.
    """
    primed = [measure for measure in measures if measure.metric.primed]
    if title != "condensed" or not primed:
        return title
    return title + escape(f" ({primed[0]}')")


def bar(value: float | None, top: float, color: str) -> str:
    """A table cell with a number above a bar, which has no length if there is no `top`;
    empty if there is no number.
    """
    if pd.isna(value):
        return "<td></td>"
    share = min(value / top, 1)
    return (
        f"<td>{value:.3f}<i><b style='width: {100 * share:.1f}%; background: {color}'></b></i></td>"
    )
