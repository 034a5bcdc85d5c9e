"""The glossary's words: its own page, and on others those that the page uses, the first
few in a line at its end.
"""

from collections.abc import Iterable
from functools import cache
from html import escape
from typing import Any

import streamlit as st

from irmeval.core.folders import page_scripts
from irmeval.core.tables import escape_markdown
from irmeval.experiments import EXPERIMENTS, Experiment
from irmeval.lessons.glossary import TERMS, Term, find, terms_in, terms_of, texts_in
from irmeval.metrics import METRICS
from irmeval.papers import PAPERS
from irmeval.ui.widgets import inputs, menu

PAGE = "glossary"
"""Page of all terms."""
FEW = 4
"""Number of terms shown on other pages."""


@st.fragment
def line(page: str, note: str = "") -> None:
    """Draw the terms of a page, and a note beside them; others are sent on demand."""
    terms = terms_of_page(page)
    if not terms and not note:
        return
    with st.container(key="terms", horizontal=True, vertical_alignment="center"):
        if terms:
            st.html(
                f'<div class="terms">{"".join(map(_button, terms[:FEW]))}</div>', width="content"
            )
        if more := terms[FEW:]:
            with st.popover(
                "Words", type="tertiary", on_change="rerun", key=f"words-{page}"
            ) as others:
                if others.open:
                    st.markdown("  \n".join(map(_linked, more)))
        if note:
            st.caption(note, width="content")


def _linked(term: Term) -> str:
    """A term, with a link to its entry, and its meaning."""
    name = f"[**{escape_markdown(term.name)}**]({PAGE}?term={term.key})"
    return f"{name} {escape_markdown(term.meaning)}"


def _button(term: Term) -> str:
    """A term, and the entry that opens on a press."""
    label = "In the glossary"
    if term.formula:
        label = "Formula and source"
    # the browser opens an entry by itself: a press asks nothing of the server
    more = f'<a href="{PAGE}?term={term.key}" target="_self">{label}</a>'
    return (
        f'<button popovertarget="term-{term.key}">{escape(term.name)}</button>'
        "<div popover"
        f' id="term-{term.key}"><b>{escape(term.name)}</b><br>{escape(term.meaning)}<br>'
        f"{more}</div>"
    )


# of scripts and records alone, which are the same for all visitors
@cache
def terms_of_page(page: str) -> tuple[Term, ...]:
    """Terms that a page uses, by its URL path: in its script, in its experiments, in
    its paper; none on the glossary's own.
    """
    if page == PAGE:
        return ()
    used = {*terms_in("\n".join(_texts_of_page(page)))}
    for experiment in _shown_on(page):
        used.update(terms_of(experiment))
    return tuple(term for term in TERMS.values() if term in used)


def _shown_on(page: str) -> list[Experiment[Any, Any]]:
    """Experiments of a page."""
    return [experiment for experiment in EXPERIMENTS.values() if page in experiment.pages]


def _texts_of_page(page: str) -> list[str]:
    """Texts of a page's script and of its paper."""
    texts: list[str] = []
    if script := page_scripts().get(page):
        texts += texts_in(script)
    if any(experiment.data for experiment in _shown_on(page)):
        texts.append("policy")  # it is in the last line of each page
    if page in PAPERS:
        source = PAPERS[page]
        titles = [exhibit.title for exhibit in source.exhibits]
        texts += [source.asks, *source.findings, *titles]
    return texts


@cache
def pages_of(term: Term) -> dict[str, str]:
    """Names of the pages that use a term, by URL path."""
    return {page: menu.name_of(page) for page in menu.pages() if term in terms_of_page(page)}


@cache
def metrics_of(term: Term) -> list[str]:
    """Metrics whose description uses a term."""
    return [name for name, used in _terms_of_metrics().items() if term.key in used]


@cache
def _terms_of_metrics() -> dict[str, set[str]]:
    """Keys of the terms in the description of each metric."""
    return {
        name: {term.key for term in terms_in(f"{metric.meaning} {metric.unjudged}")}
        for name, metric in METRICS.items()
    }


TERM = "term"
"""URL parameter with the key of the one term that is shown."""


def asked_term() -> Term | None:
    """Term in the URL; an unknown one is reported above the page."""
    inputs.refuse_unless_valid(TERM, TERMS.__getitem__)
    key = st.query_params.get(TERM)
    if not key:
        return None
    return TERMS[key]


def search() -> tuple[list[Term], bool]:
    """Terms that match the search box, by name, and whether it has a word."""
    text = inputs.text(
        "Search",
        name="word",
        placeholder="A word, or a name",
        live=True,
        width=300,
        bind="query-params",
    )
    return sorted(find(text), key=lambda term: term.name.lower()), bool(text)


def index(terms: Iterable[Term]) -> None:
    """Draw the names of terms in columns; a press on one opens its meaning."""
    st.html(f'<div class="terms index">{"".join(map(_button, terms))}</div>')


def card(term: Term) -> None:
    """Draw a term with its meaning and formula; its name leads to the whole entry."""
    name, meaning = escape_markdown(term.name), escape_markdown(term.meaning)
    shown = f"## [{name}](?{TERM}={term.key})\n{meaning}"
    if term.formula:
        shown += f"\n\n$\\displaystyle {term.formula}$"
    st.markdown(shown)


def entry(term: Term) -> None:
    """Draw a term with its meaning, formula and source, and the pages and metrics that
    use it.
    """
    card(term)
    facts = {"Source": term.source, "Metrics": ", ".join(metrics_of(term))}
    lines = [f"{name}: {escape_markdown(text)}" for name, text in facts.items() if text]
    links = [f"[{escape_markdown(name)}]({page})" for page, name in pages_of(term).items()]
    if links:
        lines.append(f"Pages: {', '.join(links)}")
    st.markdown("  \n".join(f":small[{line}]" for line in lines))
