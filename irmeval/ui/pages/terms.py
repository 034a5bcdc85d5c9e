"""Words that a page uses: a line under its title, each of them opens its entry of the glossary on the spot."""

from functools import cache
from html import escape

import streamlit as st

from irmeval.core.folders import PAGES
from irmeval.experiments import EXPERIMENTS
from irmeval.lessons.glossary import TERMS, Term, terms_in, terms_of, texts_in
from irmeval.metrics import METRICS
from irmeval.papers import PAPERS
from irmeval.ui.pages import paper
from irmeval.ui.widgets import menu

PAGE = "glossary"


def line(page: str) -> None:
    """The terms of a page."""
    if terms := of_page(page):
        with st.container(key="terms"):
            st.html(f'<div class="terms">{"".join(map(_button, terms))}</div>')


def _button(term: Term) -> str:
    """A term, and what opens at a press on it."""
    more = f'<a href="{PAGE}?term={term.key}" target="_self">{"Formula and source" if term.formula else "In the glossary"}</a>'
    return (
        f'<button popovertarget="term-{term.key}">{escape(term.name)}</button>'
        f'<div popover id="term-{term.key}"><b>{escape(term.name)}</b><br>{escape(term.meaning)}<br>{more}</div>'
    )


@cache
def of_page(page: str) -> tuple[Term, ...]:
    """The terms that a page uses, by its address: in its script, in its experiments, in its paper; none on the glossary's own."""
    if page == PAGE:
        return ()
    shown = [e for e in EXPERIMENTS.values() if page in e.pages]
    texts = [text for script in PAGES.glob(f"*/{page}.py") for text in texts_in(script)]
    texts += ["policy"] * any(e.data for e in shown)  # it stands in the last line of each page
    if page in PAPERS:
        source = PAPERS[page]
        texts += [source.asks, *source.findings, *(exhibit.title for exhibit in source.exhibits)]
    keys = {term.key for e in shown for term in terms_of(e)} | {term.key for term in terms_in("\n".join(texts))}
    return tuple(term for key, term in TERMS.items() if key in keys)


@cache
def pages_of(term: Term) -> dict[str, str]:
    """Address -> name of the pages that use a term."""
    names = {script.stem: menu.name_of(script) for script in sorted(PAGES.glob("*/*.py")) if script != paper.SCRIPT}
    names |= {e.pages[0]: e.title for e in EXPERIMENTS.values() if not names.keys() & {*e.pages}}
    names |= {name: source.title for name, source in PAPERS.items()}
    return {page: name for page, name in names.items() if term in of_page(page)}


@cache
def metrics_of(term: Term) -> list[str]:
    """The metrics whose description uses a term."""
    return [name for name, metric in METRICS.items() if term in terms_in(f"{metric.meaning} {metric.unjudged}")]
