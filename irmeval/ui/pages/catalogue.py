"""Widgets of the catalogue: search, filters, and a card per metric."""

import streamlit as st

from irmeval.core.folders import PAGES
from irmeval.core.tables import escape_markdown
from irmeval.core.text import count_noun, verb
from irmeval.metrics import Measure, Metric
from irmeval.report import exports
from irmeval.ui.state import keys
from irmeval.ui.state.tab_state import widgets
from irmeval.ui.widgets import answer, form, inputs

MAX_CARDS = 8
"""Cards drawn at a time, since formulas are slow in a browser."""


def search(chosen: tuple[Measure, ...]) -> tuple[list[Metric], list[Metric]]:
    """Metrics that match the search box and the filters; and those to draw: picked by
    name, or first the metrics of the chosen measures.
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
        picked = (
            form.pick_some("Metrics", names, "metric", "Pick some to see only these.", ())
            if found
            else []
        )
        in_force += [family or "all families", *properties, *picked]
    mine = {measure.metric.name for measure in chosen}
    first = sorted(found, key=lambda metric: metric.name not in mine)[:MAX_CARDS]
    return found, [metric for metric in found if metric.name in picked] or first


def card(metric: Metric, chosen: tuple[Measure, ...]) -> None:
    """Draw the card of a metric, with a button that adds it to the measures."""
    with st.container(border=True):
        marks = [name for name, has in exports.PROPERTIES.items() if has(metric)]
        badges = " ".join(f":gray-badge[{mark}]" for mark in (metric.family, *marks))
        params = "\n".join(
            f"- {escape_markdown(exports.describe_parameter(field))}"
            for field in metric.params.values()
        )
        primed = f"Its prime is {metric.example}'." if metric.primed else "It has no prime."
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


def summary(metrics: list[Metric], shown: list[Metric]) -> str:
    """A sentence on the number of metrics."""
    graded, primed = (
        sum(exports.PROPERTIES[name](m) for m in metrics) for name in ("graded", "has a prime")
    )
    kinds = f", {graded} of them graded, {primed} with a prime" if len(metrics) > 1 else ""
    text = f"{count_noun(len(metrics), 'metric')} found{kinds}."
    if len(shown) < len(metrics):
        text += (
            f" {len(shown)} {verb(len(shown), 'is', 'are')} shown: pick others by name under"
            " Filter."
        )
    return text
