"""Widgets of the catalogue: search, filters, a table of all metrics, and a card for
each that is picked.
"""

from itertools import cycle

import streamlit as st

from irmeval.core.folders import PAGES
from irmeval.core.tables import escape_markdown
from irmeval.metrics import Measure, Metric
from irmeval.report import exports
from irmeval.ui.state import keys
from irmeval.ui.state.tab_state import widgets
from irmeval.ui.widgets import answer, form, inputs, output

MAX_CARDS = 8
"""Cards drawn at a time, since formulas are slow in a browser."""
COLUMNS = ["metric", "meaning", "family", "graded", "prime", "top-heavy", "range"]
"""Columns of the table that fit on the screen; the others are in *All columns*."""
TALL = 420
"""Height of the table in pixels, so that a card is on the first screen too."""


def search() -> tuple[list[Metric], list[str]]:
    """Metrics that match the search box and the filters, and the names of those that
    are picked by name.
    """
    with answer.controls():
        text = inputs.text(
            "Search",
            name="search",
            placeholder="Name, word or parameter",
            live=True,
            width=300,
            bind="query-params",
        )
    with answer.settings("Filter") as in_force:
        family = form.choose(
            "Family", exports.families(), None, key="family", placeholder="All families", width=240
        )
        properties = form.pick_some("Properties", list(exports.PROPERTIES), "property", None, ())
        found = exports.find(text, properties, family)
        names = [metric.name for metric in found]
        picked: list[str] = []
        if found:
            picked = form.pick_some(
                "Metrics", names, "metric", "Pick some to see their formulas.", ()
            )
        in_force += [family or "all families", *properties, *picked]
    return found, picked


def table(metrics: list[Metric]) -> list[str]:
    """Draw a row per metric; the names of those whose rows are picked."""
    frame = exports.frame(metrics)
    state = output.table(
        frame[COLUMNS],
        height=min(TALL, 36 * (len(metrics) + 1)),
        key="metrics",
        on_select="rerun",
        selection_mode="multi-row",
        column_config={"metric": st.column_config.Column(pinned=True)},
    )
    # a search may have shortened the table since it was ticked
    return [metrics[row].name for row in state.selection.rows if row < len(metrics)]


def explained(
    metrics: list[Metric], picked: list[str], chosen: tuple[Measure, ...]
) -> list[Metric]:
    """Metrics with a card: those picked, else those of the chosen measures, else the
    only ones found; at most `MAX_CARDS`.
    """
    wanted = {*picked}
    if not picked:
        wanted = {measure.metric.name for measure in chosen}
    some = [metric for metric in metrics if metric.name in wanted]
    if not some:
        some = metrics
    return some[:MAX_CARDS]


def cards(metrics: list[Metric], chosen: tuple[Measure, ...]) -> None:
    """Draw cards in two columns; one alone has the width of the page."""
    if not metrics:
        return
    columns = st.columns(min(len(metrics), 2))
    for metric, column in zip(metrics, cycle(columns), strict=False):
        with column:
            card(metric, chosen)


def card(metric: Metric, chosen: tuple[Measure, ...]) -> None:
    """Draw the card of a metric, with a button that adds it to the measures."""
    with st.container(border=True):
        marks = [name for name, has in exports.PROPERTIES.items() if has(metric)]
        badges = " ".join(f":gray-badge[{mark}]" for mark in (metric.family, *marks))
        params = "\n".join(
            f"- {escape_markdown(exports.describe_parameter(field))}"
            for field in metric.params.values()
        )
        primed = "It has no prime."
        if metric.primed:
            primed = f"Its prime is {metric.example}'."
        formula = "\n\n".join(
            f"$\\displaystyle {part}$" for part in metric.formula.split(r",\quad ")
        )
        st.markdown(
            f"## {escape_markdown(metric.name)}\n{badges}\n\n{formula}\n\n"
            f"{escape_markdown(metric.meaning)}\n\n**Unjudged"
            f" documents.** {escape_markdown(f'{metric.unjudged} {primed}')}\n\n**Parameters**, as"
            f" in `{metric.example}`\n{params}\n\n**Range** {exports.scale(metric)} · **Source**"
            f" {escape_markdown(metric.source)}"
        )
        mine = [m for m in chosen if m.metric is metric]
        if mine:
            st.caption(f"Among the measures: {escape_markdown(', '.join(mine))}")
            st.page_link(
                str(PAGES / "learn/lab.py"),
                label="Score a list with it",
                icon=":material/arrow_outward:",
            )
        else:
            st.button(
                f"Add {metric.example} to the measures",
                key=f"add-{metric.name}",
                on_click=_add,
                args=(metric.example,),
            )


def _add(measure: str) -> None:
    widgets[keys.MEASURES] = [*widgets[keys.MEASURES], measure]


def summary(metrics: list[Metric]) -> str:
    """A sentence on the number of metrics."""
    if len(metrics) == 1:
        return "1 metric found."
    graded = sum(map(exports.PROPERTIES["graded"], metrics))
    primed = sum(map(exports.PROPERTIES["has a prime"], metrics))
    return f"{len(metrics)} metrics: {graded} use grades, {primed} have a prime."
