"""Links: an address names the data of its page and shows no other data; next steps are
links under a finding, with settings.
"""

import re
from collections.abc import Container
from contextlib import suppress
from functools import cache
from itertools import chain
from typing import Any

import streamlit as st

from irmeval.collection.shards import Sharded
from irmeval.core.errors import IrmevalError
from irmeval.core.folders import page_scripts
from irmeval.core.params import fields
from irmeval.core.tables import escape_markdown
from irmeval.core.text import MAX_QUOTED, count_noun, slug
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.results import NextStep
from irmeval.reading.policy import Policy
from irmeval.scoring.selection import Selection
from irmeval.scoring.unjudged_near_top import runs_with_unjudged
from irmeval.ui.state import keys, server_files, visitors
from irmeval.ui.state.dataset import Dataset
from irmeval.ui.state.mailboxes import ADDRESS, REDRAW
from irmeval.ui.state.streamlit_internals import goes_through_history
from irmeval.ui.state.tab_state import made_once, widgets
from irmeval.ui.state.view import Asked, View
from irmeval.ui.state.visitor import Visitor
from irmeval.ui.widgets import inputs, menu, refusals, session, upload
from irmeval.workspace.stored import JUDGED_BY

DATA = "data"
"""URL parameter, as in ``data=1a2b3c4d.17x50.qrels``: fingerprint, runs, topics, name.
The shared collection has none.
"""
DIGITS = 8
MOST_ADDRESSES = 100
"""Maximum number of earlier states of a dataset whose URLs remain valid."""
_NAMED = re.compile(r"[0-9a-f]{8}\.(\d{1,7})x(\d{1,7})(?:\.([\w-]{1,40}))?", re.ASCII)
_FIELDS = {
    name: field
    for name, field in (fields(Policy) | fields(Selection)).items()
    if name in keys.BESIDE
}


def keep_values() -> None:
    """Set values of widgets before a page is drawn: those they have, until the page was
    completely drawn once, and those in the URL of a new tab for the data and the
    widgets beside every page, until these exist.

    If a page is picked in a menu before the one before is whole, the browser may not
    know a widget that this server knows, nor what it holds; it leaves out of the
    address what it knows no widget of.
    """
    address = ADDRESS.get()
    if address.linked is None:
        address.linked = _linked()
    linked = address.linked
    if address.whole == keys.page_name():
        return
    address.whole = None
    _hold_widgets()
    heard = {*widgets, *address.refused}
    if address.visitor is not None:
        heard.add(DATA)
    address.linked = {name: texts for name, texts in linked.items() if name not in heard}
    for name in address.linked.keys() - {*st.query_params}:
        _apply(name, address.linked[name])


def _linked() -> dict[str, list[str]]:
    """Values in the URL of a new tab for the data and the widgets beside every page."""
    heeded = (keys.BESIDE | {DATA}).intersection(st.query_params)
    return {name: st.query_params.get_all(name) for name in heeded}


def _hold_widgets() -> None:
    """Set the widgets of the page, and those beside every page, to the values they have."""
    own = keys.widget_key("")
    for name in [*widgets]:
        if name in keys.BESIDE or name.startswith(own):
            # Streamlit drops the value of a widget that a drawing leaves out, unless it was set
            widgets[name] = widgets[name]


def _apply(name: str, texts: list[str]) -> None:
    """Give a value of the first URL to what has it now: the URL, or a widget."""
    if name in (DATA, keys.RUNS):
        st.query_params[name] = texts
    elif field := _FIELDS.get(name):
        with suppress(IrmevalError):
            widgets[name] = field.check(texts[-1])
    elif name == keys.MEASURES:
        widgets[name] = texts
    elif name == JUDGED_BY:
        widgets[name] = texts[-1]


def note_whole() -> None:
    """Note that a page was completely drawn. Values set before a widget's first drawing
    are in the URL after the next one.
    """
    address = ADDRESS.get()
    # what a widget has from the URL is written into it one drawing later
    if {*(address.linked or ())} <= {*st.query_params}:
        address.whole = keys.page_name()


def read_address(own: bool) -> None:
    """In a new tab, or after going back or forward, show the data of the URL: the
    shared collection if it has settings but no data, unless the page is about the
    visitor's `own`.
    """
    visitor, address = visitors.here(), ADDRESS.get()
    # this server may have forgotten them meanwhile, and they are another record then
    is_read = address.visitor is visitor.token
    if not is_read or goes_through_history():
        address.visitor, address.data = visitor.token, st.query_params.get(DATA)
        _look_at(address.data, visitor)
    if own and visitor.looks_at_shared(session.dataset()):
        session.look_at_own()


def _look_at(asked: str | None, visitor: Visitor) -> None:
    """Show the data that a URL asks for, if the visitor has them."""
    # a URL of settings alone is one that somebody else has sent, or of the sample
    names_no_data = asked is None and bool(st.query_params)
    if names_no_data and visitor.has_own:
        session.look_at_sample()
    else:
        session.look_at(_find(asked, visitor))


def _find(asked: str | None, visitor: Visitor) -> Dataset:
    """The visitor's dataset that a URL means, as it is now, else as it has been; without
    any, the one that they opened last.
    """
    if not asked:
        return visitor.dataset
    meant = [dataset for dataset in visitor.datasets if _has_been(asked, dataset)]
    now = [dataset for dataset in meant if data_name(dataset)[:DIGITS] == asked[:DIGITS]]
    return next(chain(now, meant), visitor.dataset)


def other_data_asked(asked: Asked) -> str | None:
    """Data of the URL, if they are not the loaded ones."""
    address = ADDRESS.get()
    if address.data is not None and _has_been(address.data, asked.dataset):
        address.data = None
    return address.data


def forget_asked() -> None:
    """Use the loaded data for a page whose URL has none. Called when another page is
    opened.
    """
    if DATA not in st.query_params:
        ADDRESS.get().data = None


def name_data(dataset: Dataset) -> None:
    """Write the name of the loaded data to the URL, and remember it."""
    if ADDRESS.get().data is not None:  # the page is about other data
        return
    name = data_name(dataset)
    inputs.write_address(DATA, name)
    digits = name[:DIGITS]
    if digits and digits not in dataset.addresses:
        dataset.addresses = [*dataset.addresses, digits][-MOST_ADDRESSES:]


def _has_been(asked: str, dataset: Dataset) -> bool:
    """Whether the data in a URL are a dataset, now or before files were added or
    removed.
    """
    return asked[:DIGITS] in (data_name(dataset)[:DIGITS], *dataset.addresses)


def explain_other_data(asked: Asked, other: str) -> None:
    """Show in place of a page on which data its link was made, and how to continue."""
    here = escape_markdown(server_files.title_of(asked.dataset))
    st.title("This link was made for other data")
    st.write(f"{_describe(other)}. The loaded data are {here}.")
    st.write("Drop the same files to see the page as it was when the link was made.")
    upload.draw_uploader(asked.dataset)
    refusals.show_all(asked.dataset, REDRAW.get().policy)
    st.button(f"Show the page on {here}", key="show_here", on_click=ADDRESS.change, kwargs=HERE)


def _describe(asked: str) -> str:
    """What the data in a URL were: name, numbers of runs and topics, measures."""
    parts: list[str] = []
    if named := _NAMED.fullmatch(asked):
        runs, topics, title = named.groups("")
        if title:
            parts.append(f"**{escape_markdown(title)}**")
        if int(runs):
            parts.append(count_noun(int(runs), "run"))
        if int(topics):
            parts.append(count_noun(int(topics), "topic"))
    measures = ", ".join(text[:MAX_QUOTED] for text in st.query_params.get_all("measures"))
    if measures:
        parts.append(f"measures {escape_markdown(measures)}")
    return "; ".join(parts) or "The link does not describe its data"


def offer_own_data(view: View) -> None:
    """If the URL refers to the shared collection and the visitor has loaded their own,
    report it, with a button that shows that.
    """
    if view.visitor.looks_at_shared(view.dataset):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.info("This URL shows the data of the server. Your own data are still loaded.")
            st.button("Show the page on my own data", key="show_own", on_click=session.look_at_own)


def data_name(dataset: Dataset) -> str:
    """Name of a dataset in a URL; empty for the shared collection."""
    matrix, policy = dataset.matrix, REDRAW.get().policy
    if matrix:
        sizes = len(matrix.runs), len(matrix.topics)
        return _name_in_url(matrix.fingerprint, *sizes, matrix.name)
    if not dataset.used:
        return ""
    judged, runs = dataset.judged(policy), dataset.runs_in_use(policy)
    topics = 0
    if judged:
        topics = len(judged.topics)
    return _name_in_url(dataset.fingerprint(), len(runs), topics, dataset.title)


def _name_in_url(fingerprint: str, runs: int, topics: int, title: str) -> str:
    return f"{fingerprint[:DIGITS]}.{runs}x{topics}.{slug(title)[:40]}"


HERE = {"data": None}
"""What a button sets that shows a page on the loaded data, whatever its URL names."""
MAX_LINKS = 3
"""Maximum number of links under a verdict."""


def draw_below(view: View, name: str, result: Any) -> None:
    """Draw links from the result of an experiment to other pages."""
    steps = made_once(f"next-{name}", (result,), result.next_steps)
    # a link to this page leads somewhere only if it changes its settings
    leads = [lead for lead in steps if lead.settings or lead.page != keys.page_name()]
    draw(view, leads, f"next-{name}")


def draw(view: View, found: list[NextStep], key: str, most: int = MAX_LINKS) -> None:
    """Draw links to the pages that support the loaded data, in a row with this key."""
    leads = [lead for lead in _supported(view, found) if _leads_somewhere(view, lead)]
    if not leads:
        return
    # a link may be opened in a new tab, which shows what its URL names
    data = {}
    if name := data_name(view.dataset):
        data = {DATA: name}
    with st.container(key=key, horizontal=True, vertical_alignment="center"):
        st.markdown("Next", width="content")
        for lead in leads[:most]:
            _draw_lead(lead, data, key)


def _draw_lead(lead: NextStep, data: dict[str, str], key: str) -> None:
    """Draw a link to a page on these data, or a button that changes this page: a link would
    leave its widgets as they are.
    """
    question, page, settings = lead
    label = f"{escape_markdown(question)} **{menu.name_of(page)}**"
    own: dict[str, Any] = {
        keys.widget_key_on(page, name): value for name, value in settings.items()
    }
    if page != keys.page_name():
        st.page_link(str(page_scripts()[page]), label=label, query_params=data | own)
        return
    st.button(
        label,
        key=f"step-{key}-{'-'.join(own)}",
        type="tertiary",
        on_click=widgets.update,
        args=(own,),
    )


def _supported(view: View, found: list[NextStep]) -> list[NextStep]:
    """Those of next steps that the loaded data allow."""
    if view.has_runs:
        return found
    if view.matrix:
        return _to(_scored(), found)
    left = _to(menu.WITHOUT_RUNS, found)
    if left != found:
        left.append(NextStep("Add runs to see the effect", "collection"))
    return left


def _to(pages: Container[str], found: list[NextStep]) -> list[NextStep]:
    """Those of next steps that lead to some pages."""
    return [lead for lead in found if lead.page in pages]


def _leads_somewhere(view: View, lead: NextStep) -> bool:
    """Whether the runs of a link to *Judge next*, all by default, have unjudged
    documents near the top. On workers nobody knows.
    """
    if lead.page != "judge-next":
        return True
    collection = view.selected().collection
    # to ask the workers would take longer than the page
    if isinstance(collection, Sharded):
        return False
    unjudged = made_once(
        "unjudged", (collection.fingerprint,), lambda: runs_with_unjudged(collection)
    )
    pair = lead.settings.get("pair", collection.runs)
    return bool(unjudged[[*map(collection.runs.index, pair)]].any())


@cache
def _scored() -> set[str]:
    """Pages that need scores alone."""
    pages: set[str] = set()
    for experiment in EXPERIMENTS.values():
        if experiment.matrix or experiment.scored:
            pages.update(experiment.pages)
    return pages
