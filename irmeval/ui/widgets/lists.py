"""A ranked list as tiles, and scores as bars beside them."""

from collections.abc import Iterable, Sequence
from html import escape

from irmeval.experiments.learn.lab import KINDS, Lab
from irmeval.plots import theme

STYLE = """<style>
.toy {display: grid; grid-template-columns: minmax(0, auto) minmax(min(22rem, 100%), 1fr); gap: 1rem 3.5rem; align-items: start}
@media (max-width: 900px) {.toy {grid-template-columns: 100%}}
.tiles {display: flex; flex-wrap: wrap; gap: .5rem; margin: .3rem 0 1.1rem; font-variant-numeric: tabular-nums}
.tiles span {width: 3.4rem; text-align: center; font-size: 1rem}
.tiles b {display: grid; place-items: center; height: 3.4rem; border-radius: .6rem; font-size: 1.5rem; border: 2px solid transparent}
.tiles .relevant b {background: #0072b2; color: #fff}
.tiles .nonrelevant b {background: rgba(128,128,128,.22)}
.tiles .unjudged b {border: 2px dashed rgba(128,128,128,.8)}
.tiles .moved b {outline: 3px solid #d55e00; outline-offset: 2px}
.tiles .ahead {opacity: .3}
.bars {border-collapse: collapse; width: 100%; font-size: 1.35rem; font-variant-numeric: tabular-nums}
.bars th {text-align: left; font-weight: 400; padding: .2rem 1.2rem .2rem 0; white-space: nowrap}
.bars th:first-child {width: 1%}
.bars td {padding: .45rem 1.2rem .45rem 0; border-top: 1px solid rgba(128,128,128,.25)}
.bars i {display: block; height: .55rem; border-radius: .3rem; margin-top: .15rem; background: rgba(128,128,128,.2)}
.bars i b {display: block; height: 100%; border-radius: .3rem}
</style>"""
COLUMNS = {
    "list": {"score": "raw"},
    "condensed": {"raw": "raw", "condensed": "condensed"},
    "swaps": {"as it is": "raw", "first swap": "raw_swap_1", "second swap": "raw_swap_2"},
}
"""What a figure of a list shows: title of a column -> column of the table of scores."""


def tiles(documents: Sequence[str], *, moved: Iterable[int] = (), upto: int | None = None) -> str:
    """A tile per rank; `moved` are ranks that are marked, and what stands below rank `upto` is pale."""
    marked, parts = {*moved}, []
    for rank, document in enumerate(documents, start=1):
        kind = "unjudged" if document in "ux" else "nonrelevant" if document == "0" else "relevant"
        names = [kind, *(["moved"] if rank in marked else []), *(["ahead"] if upto is not None and rank > upto else [])]
        shown = "?" if kind == "unjudged" else escape(document)
        parts.append(f'<span role=listitem class="{" ".join(names)}" title="{escape(KINDS[document])}"><b>{shown}</b>{rank}</span>')
    return f"<div role=list class=tiles>{''.join(parts)}</div>"


def figure(result: Lab, chart: str) -> str:
    """Draw the list, its swaps, and the scores of each measure."""
    documents = list(result.documents)
    rows = [("", tiles(documents))]
    if chart == "condensed":
        rows = [("raw", tiles(documents)), ("condensed", tiles([d for d in documents if d not in "ux"]))]
    if chart == "swaps":
        rows = [
            ("as it is", tiles(documents)),
            *((name, tiles(_swapped(documents, *ranks), moved=ranks)) for name, ranks in _swaps(result)),
        ]
    shown = "".join(f"{f'<div>{name}</div>' if name else ''}{row}" for name, row in rows)
    return f"{STYLE}<div class=toy><div>{shown}</div>{_bars(result, COLUMNS[chart])}</div>"


def _swaps(result: Lab) -> list[tuple[str, tuple[int, int]]]:
    return list(zip(("first swap", "second swap"), result.params.swaps.values(), strict=True))


def _swapped(documents: Sequence[str], a: int, b: int) -> list[str]:
    other = list(documents)
    if max(a, b) <= len(other):
        other[a - 1], other[b - 1] = other[b - 1], other[a - 1]
    return other


def _bars(result: Lab, columns: dict[str, str]) -> str:
    frame, styles = result.frame().set_index("measure"), theme.styles(result.measures)
    head = "".join(f"<th>{title}</th>" for title in ("", *columns))
    rows = []
    for measure in result.measures:
        cells = "".join(bar(frame.loc[measure, column], measure.metric.range[1], styles[measure].color) for column in columns.values())
        rows.append(f"<tr><th>{escape(measure)}</th>{cells}</tr>")
    return f"<table class=bars><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def bar(value: float | None, top: float, color: str) -> str:
    """A cell of a table: a number above a bar; empty where there is none."""
    if value is None or value != value:
        return "<td></td>"
    share = min(value / top, 1) if top != float("inf") else 0
    return f"<td>{value:.3f}<i><b style='width: {100 * share:.1f}%; background: {color}'></b></i></td>"
