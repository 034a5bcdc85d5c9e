"""The palette: pages, runs, measures, words and actions, found by typing and gone to by
Enter. Ctrl+K opens it on every page. The tour.
"""

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

import streamlit as st

from irmeval.lessons.glossary import TERMS
from irmeval.metrics import METRICS
from irmeval.papers.comparisons import find_by_name
from irmeval.ui.pages import terms
from irmeval.ui.state import keys, marked_runs, visitors
from irmeval.ui.state.mailboxes import REDRAW, REPORT, TAB
from irmeval.ui.state.tab_state import widgets
from irmeval.ui.state.view import View
from irmeval.ui.widgets import form, menu, reporting, session, switches

END = {"on_tour": False}
"""What a button sets that ends the tour."""
ASKED = "tour"
"""URL parameter that starts the tour."""

STEPS = {
    "": (
        "Judgments disappear from left to right: what happens to the mean of each measure, and to"
        " the order of the runs?"
    ),
    "leaderboard": (
        "The same runs, by the same measures. Measures in the sidebar apply to every page: pick"
        " others, or type one, as `P@10`."
    ),
    "matrix": (
        "Every run against every other: coloured where they differ significantly. Click a cell to"
        " see that pair topic by topic."
    ),
    "lab": (
        "One ranked list. Click a grade or move a document to see the score of each measure, rank"
        " by rank."
    ),
    "glossary": "The glossary. Words under a page's title open their entry in place.",
    "collection": (
        "Drop your own qrels and runs here, and every page uses them. The URL of a page keeps all"
        " settings."
    ),
}
"""Steps of the tour: the URL path of a page, and the sentence above it."""
INTRODUCTION = (
    "**irmeval** shows how reliable measures of search quality are when judgments are missing. This"
    " sample is **synthetic**."
)


def start_or_end(page: str) -> None:
    """Start the tour if the URL asks for it; end it on a page that is not a step of
    it.
    """
    tab = TAB.get()
    if tab.first_screen is None:
        tab.first_screen = page == "" and not st.query_params
    if ASKED in st.query_params:
        # a link that is copied from here would start the tour, too
        del st.query_params[ASKED]
        tab.on_tour = True
    if page not in STEPS:
        tab.on_tour = False


def draw_tour(view: View, pages: Mapping[str, st.Page]) -> None:
    """Draw the page's step of the tour, or on the first screen an introduction and two
    links; both only on the sample.
    """
    tab = TAB.get()
    is_start = tab.on_tour or (view.page == "" and bool(tab.first_screen))
    tab.introduced = is_start and view.on_sample
    if tab.introduced:
        with st.container(key="tour", border=True, horizontal=True, vertical_alignment="center"):
            if tab.on_tour:
                _step(view.page, pages)
            else:
                st.markdown(INTRODUCTION, width="stretch")
                with st.container(key="ways", horizontal=True, width="content"):
                    st.page_link(pages["collection"], label="Use my files")
                    st.page_link(pages["lessons"], label="Teach a class")
                offer(view, pages)


def offer(view: View, pages: Mapping[str, st.Page]) -> None:
    """Draw a link that starts the tour."""
    if view.on_sample:
        st.page_link(pages[""], label="Take the tour", query_params={ASKED: "1"})


def _step(page: str, pages: Mapping[str, st.Page]) -> None:
    steps, last = [*STEPS], len(STEPS) - 1
    at = steps.index(page)
    st.markdown(f"**{at + 1} of {last + 1}** {STEPS[page]}", width="stretch")
    for step, label in ((at - 1, "Back"), (at + 1, "Next")):
        if 0 <= step <= last:
            st.page_link(pages[steps[step]], label=label)
    st.button("Skip" if at < last else "Done", key="tour_end", on_click=TAB.change, kwargs=END)


OTHER_WORDS = {
    "collection": ("use my files", "upload", "wrong file"),
    "check": ("is my run sound", "errors in a run"),
    "leaderboard": ("best run", "who is best"),
    "two-runs": ("one pair", "compare two runs"),
    "matrix": ("all pairs", "significance"),
    "": (
        "tau below 0.9",
        "do the same runs still differ",
        "shallower pool",
        "fewer teams",
        "fewer topics",
        "how good must a judge be",
        "do grades help",
    ),
    "what-if": ("sign of a difference", "how sure is the sign of a difference"),
    "judge-next": ("what to judge next", "documents to judge"),
    "estimates": ("sampled judgments", "inferred measures"),
    "topics-needed": ("how many topics", "sample size"),
    "audit": ("language model as judge",),
    "judges": ("second judge", "agreement of judges"),
    "lessons": ("teach a class", "lecture"),
    "findings": ("finding of a paper", "reproduce a paper"),
    "across": ("compare two collections", "several collections"),
    "report": ("tables for a paper", "LaTeX"),
}
"""Page -> words by which people look for it, beside its name."""
Pages = Mapping[str, st.Page]
OFFERS = "Pages, runs, measures, words, actions"


def draw(view: View, pages: Pages) -> None:
    """Draw the button of the palette and, for windows with folded menus, the report
    with its count.
    """
    with st.container(
        key="search_bar", horizontal=True, vertical_alignment="center", width="content"
    ):
        if n := reporting.count():
            st.page_link(pages["report"], label=f"Report ({n})")
        _button(view, pages)


@st.fragment
def _button(view: View, pages: Pages) -> None:
    """A fragment: a press redraws nothing else, and the entries are sent only then."""
    if st.button(
        "Search", key="palette_open", icon=":material/search:", type="tertiary", shortcut="Ctrl+K"
    ):
        st.dialog("Go to", width="medium")(choose)(view, pages)


def choose(view: View, pages: Pages) -> None:
    """Draw the list, narrowed by typing, and run the picked entry; its texts are not
    Markdown, so names are shown unchanged.
    """
    found, says = entries(view, pages), "Type a few letters, then press Enter"
    if picked := form.choose(OFFERS, [*found], None, key="palette", bind=None, placeholder=says):
        found[picked]()


def entries(view: View, pages: Pages) -> dict[str, Callable[[], object]]:
    """Entries of the palette on the current page, with their actions."""
    found: dict[str, Callable[[], object]] = {}
    # the first page has two addresses, of which one is enough
    for address in (address for address in pages if address != keys.FIRST):
        # without its question: the browser puts short names that match first
        found[f"{menu.name_of(address)} · page"] = partial(_open, pages[address])
    found |= {
        f"{words} · {menu.name_of(page)}": partial(_open, pages[page])
        for page, of in OTHER_WORDS.items()
        for words in of
    }
    found |= {f"{name} · action": do for name, do in _actions(view, pages).items()}
    for metric in METRICS.values():
        shown = partial(
            _open, pages["catalogue"], {keys.widget_key_on("catalogue", "metric"): [metric.name]}
        )
        found[" · ".join([metric.name, "measure", *metric.aliases])] = shown
    board = pages["leaderboard"]
    found |= {f"{name} · best runs": partial(_rank_by, board, name) for name in form.OFFERED}
    runs = marked_runs.in_charts().runs
    found |= {f"{run} · run": partial(_show_run, pages["topics"], run) for run in runs}
    for term in TERMS.values():
        found[f"{term.name} · word"] = partial(
            _open, pages["glossary"], asked={terms.TERM: term.key}
        )
    return found


def _actions(view: View, pages: Pages) -> dict[str, Callable[[], object]]:
    shown = REPORT.get().shown
    found: dict[str, Callable[[], object]] = {
        f"Add to report: {find_by_name(name).title}": partial(_add, *given)
        for name, given in shown.items()
        if not reporting.place(*given)
    }
    if (below := keys.widget_key("view")) in widgets:
        found["Download the tables and figures of this page"] = partial(
            _draw_with, {below: "Download"}
        )
    found["Save all collections in a file"] = partial(_open, pages["collection"])
    found["Copy link"] = partial(st.html, switches.copy_button(pressed=True))
    found["Smaller type" if switches.larger() else "Larger type"] = _change_size
    for theme, of in switches.THEMES.items():
        found[f"Colours: {of}"] = partial(
            st.html, switches.theme_buttons([theme], [*pages], pressed=True)
        )
    if view.on_sample:
        found["Take the tour"] = partial(_open, pages[""], asked={ASKED: "1"})
    return found


NONE: Mapping[str, Any] = MappingProxyType({})
"""No values."""


def _open(
    page: st.Page, settings: Mapping[str, Any] = NONE, asked: Mapping[str, str] = NONE
) -> None:
    """Open a page with these values of its widgets, and what is `asked` in the URL."""
    shared = keys.SHARED.intersection(st.query_params, widgets)
    session.arrange({name: widgets[name] for name in shared} | {**settings})
    st.switch_page(page, query_params={**asked})


def _draw_with(settings: Mapping[str, Any]) -> None:
    """Draw this page again with these values of widgets."""
    session.arrange({**settings})
    st.rerun()


def _rank_by(page: st.Page, measure: str) -> None:
    """Open the leaderboard by a measure, beside those in use."""
    others = [name for name in map(str, REDRAW.get().measures) if name != measure]
    measures = [*others[: form.MAX_MEASURES - 1], measure]
    in_detail = keys.widget_key_on("leaderboard", "in_detail")
    _open(page, {keys.MEASURES: measures, in_detail: measure})


def _show_run(page: st.Page, run: str) -> None:
    marked_runs.change(highlighted=run)
    _open(page)


def _add(result: Any, rules: Mapping[str, Any]) -> None:
    reporting.add(result, rules)
    st.rerun()


def _change_size() -> None:
    larger = visitors.here().habits[keys.LARGER] = not switches.larger()
    _draw_with({keys.LARGER: larger})
