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
STYLE = """
[data-testid=stMainBlockContainer] > [data-testid=stVerticalBlock] {
  > :has(> .st-key-above) {order: -3}
  > :has(> [data-testid=stHeading] > * > * > h1) {order: -2}
  > :has(> .st-key-terms) {order: -1}
}
.terms {font-size: .8125rem; line-height: 1.65; margin: -.9rem 0 -.4rem}
.terms > button {
  font: inherit; color: inherit; background: none; border: 0; border-bottom: 1px dotted; padding: 0; margin-right: .7em; cursor: help;
  opacity: .8; white-space: nowrap;
}
.terms > [popover] a {color: inherit; text-decoration: underline}
.terms > button:is(:hover, :focus-visible) {opacity: 1; border-bottom-style: solid}
.terms > [popover] {
  inset: auto; margin: .3rem 0; position-area: bottom span-right; position-try-fallbacks: flip-inline, flip-block;
  max-width: min(26rem, 90vw); padding: .7rem .9rem; line-height: 1.5; border: 1px solid rgba(128, 128, 128, .5); border-radius: .5rem;
  color: light-dark(#101216, #fafafa); background: light-dark(#fff, #26251f); box-shadow: 0 4px 16px rgba(0, 0, 0, .25);
}
@media (max-width: 640px) {.terms {white-space: nowrap; overflow-x: auto; padding-bottom: .4rem}}
.terms > [popover] {white-space: normal}
@supports not (position-area: bottom) {.terms > [popover] {inset: 0; margin: auto; height: fit-content}}
"""
"""The line stands below the title, which the page draws."""


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
