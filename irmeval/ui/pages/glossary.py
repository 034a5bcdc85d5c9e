"""The glossary's widgets: search, the entry that an address names, and a card per term."""

import streamlit as st

from irmeval.core.tables import escape_markdown
from irmeval.lessons.glossary import TERMS, Term, find
from irmeval.ui.pages import terms
from irmeval.ui.widgets import address, inputs

TERM = "term"
"""In the address: the key of the one term that is shown."""


def asked_term() -> Term | None:
    """The term that the address names; an unknown one is refused above the page."""
    address.refuse_unless_valid(TERM, TERMS.__getitem__)
    key = st.query_params.get(TERM)
    return TERMS[key] if key else None


def search() -> list[Term]:
    """The terms that the search box leaves, by name."""
    text = inputs.text("Search", name="word", placeholder="A word, or a name", live=True, width=300, bind="query-params")
    return sorted(find(text), key=lambda term: term.name.lower())


def card(term: Term) -> None:
    """A term with its meaning, formula and source, and the pages and metrics that use it."""
    facts = {"Source": term.source, "Metrics": ", ".join(terms.metrics_of(term))}
    lines = [f"{name}: {escape_markdown(text)}" for name, text in facts.items() if text]
    if pages := terms.pages_of(term):
        lines.append(f"Pages: {', '.join(f'[{escape_markdown(name)}]({page})' for page, name in pages.items())}")
    st.markdown(
        f"## [{escape_markdown(term.name)}](?{TERM}={term.key})\n{escape_markdown(term.meaning)}"
        + (f"\n\n$\\displaystyle {term.formula}$" if term.formula else "")
    )
    st.markdown("  \n".join(f":small[{line}]" for line in lines))
