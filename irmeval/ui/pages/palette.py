"""The palette: pages, runs, measures, words and actions, found by typing and gone to by Enter. Ctrl+K opens it on every page."""

import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import streamlit as st

from irmeval.lessons.glossary import TERMS
from irmeval.metrics import METRICS
from irmeval.papers.comparisons import find_by_name
from irmeval.ui.pages import glossary, tour
from irmeval.ui.state import keys, marked_runs, visitors
from irmeval.ui.state.tab_state import widgets
from irmeval.ui.widgets import form, menu, reporting, session, switches

Pages = Mapping[str, st.Page]
OFFERS = "Pages, runs, measures, words, actions"


def draw(pages: Pages) -> None:
    """Draw the button that opens the palette, and beside it, for windows in which the menus are folded away, the report and its count."""
    with st.container(key="search_bar", horizontal=True, vertical_alignment="center", width="content"):
        if n := reporting.count():
            st.page_link(pages["report"], label=f"Report ({n})")
        _button(pages)


@st.fragment
def _button(pages: Pages) -> None:
    """A fragment: a press draws nothing else again, and the entries are sent only then."""
    if st.button("Search", key="palette_open", icon=":material/search:", type="tertiary", shortcut="Ctrl+K"):
        st.dialog("Go to", width="medium")(choose)(pages)


def choose(pages: Pages) -> None:
    """Draw the list, narrowed by typing, and do what is picked; in a list no Markdown is read, so that a name is a name."""
    found, says = entries(pages), "Type a few letters, then press Enter"
    if picked := form.choose(OFFERS, [*found], None, key="palette", bind=None, placeholder=says):
        found[picked]()


def entries(pages: Pages) -> dict[str, Callable[[], object]]:
    """What the palette offers on the page that is drawn, and what each does."""
    found: dict[str, Callable[[], object]] = {}
    for address in (address for address in pages if address != keys.FIRST):
        # without its question: the browser puts short names that match first
        # without its question: the browser puts short names that match first
        found[f"{menu.name_of(address)} · page"] = partial(_go, pages[address])
    found |= {f"{name} · action": do for name, do in _actions(pages).items()}
    for metric in METRICS.values():
        shown = partial(_go, pages["catalogue"], {keys.widget_key_on("catalogue", "metric"): [metric.name]})
        found[" · ".join([metric.name, "measure", *metric.aliases])] = shown
    _, runs, *_ = session.pins()
    found |= {f"{run} · run": partial(_show_run, pages["topics"], run) for run in runs}
    for term in TERMS.values():
        found[f"{term.name} · word"] = partial(_go, pages["glossary"], asked={glossary.TERM: term.key})
    return found


def _actions(pages: Pages) -> dict[str, Callable[[], object]]:
    shown = reporting.SHOWN.get()
    found: dict[str, Callable[[], object]] = {
        f"Add to report: {find_by_name(name).title}": partial(_add, *given) for name, given in shown.items() if not reporting.place(*given)
    }
    if (view := keys.widget_key("view")) in widgets:
        found["Download the tables and figures of this page"] = partial(_go, None, {view: "Download"})
    found["Save all collections in a file"] = partial(_go, pages["collection"])
    found["Smaller type" if switches.larger() else "Larger type"] = _change_size
    for theme, of in switches.THEMES.items():
        found[f"Colours: {of}"] = partial(_paint, theme, [*pages])
    if session.on_sample():
        found["Take the tour"] = partial(_go, pages[""], asked={tour.ASKED: "1"})
    return found


def _go(page: st.Page | None = None, settings: Mapping[str, Any] | None = None, asked: Mapping[str, str] | None = None) -> None:
    """Open a page, or draw this one again, with these settings of widgets and these values in the address."""
    shared = {name: widgets[name] for name in keys.SHARED.intersection(st.query_params, widgets)} if page else {}
    if arranged := shared | {**(settings or {})}:
        session.ARRANGED.set(arranged)
    if page:
        st.switch_page(page, query_params=dict(asked or {}))
    st.rerun()


def _show_run(page: st.Page, run: str) -> None:
    marked_runs.change(highlighted=run)
    _go(page)


def _add(result: Any, rules: Mapping[str, Any]) -> None:
    reporting.add(result, rules)
    st.rerun()


def _change_size() -> None:
    larger = visitors.current().habits[keys.LARGER] = not switches.larger()
    _go(None, {keys.LARGER: larger})


def _paint(theme: str, pages: list[str]) -> None:
    """Set the colours in the browser, which keeps them."""
    st.html(f"<script>irmeval.paint({json.dumps(theme)}, {json.dumps(pages)})</script>", unsafe_allow_javascript=True)
