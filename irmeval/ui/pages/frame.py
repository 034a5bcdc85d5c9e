"""The frame around every page: navigation, the sidebar's record of what is loaded,
watched files, background work.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Literal, NamedTuple
from urllib.parse import unquote

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from irmeval.collection import Collection
from irmeval.collection.caveats import describe_caveats, describe_sample
from irmeval.core.errors import IrmevalError, SchedulerError
from irmeval.core.folders import PAGES, page_scripts
from irmeval.core.registry import nearest_names
from irmeval.core.tables import escape_markdown
from irmeval.core.text import count_noun, list_few, shorten, verb
from irmeval.experiments import EXPERIMENTS
from irmeval.metrics import Measure
from irmeval.papers import PAPERS
from irmeval.reading.design import Design
from irmeval.reading.formats import FormatNames
from irmeval.reading.policy import Policy
from irmeval.reading.score_matrix import Matrix
from irmeval.report import overview
from irmeval.ui.pages import palette, terms
from irmeval.ui.state import keys, marked_runs, server_files, visitors
from irmeval.ui.state.dataset import Dataset
from irmeval.ui.state.mailboxes import ADDRESS, REDRAW, TAB
from irmeval.ui.state.streamlit_internals import goes_through_history, session_id
from irmeval.ui.state.tab_state import forget_drawn, keep_put, made_once, widgets
from irmeval.ui.state.view import Asked, Loaded, View
from irmeval.ui.state.visitor import Visitor
from irmeval.ui.widgets import (
    answer,
    experiment,
    form,
    inputs,
    jobs,
    link,
    menu,
    receiving,
    refusals,
    reporting,
    runs_in_charts,
    session,
    switches,
    upload,
    workspaces,
)
from irmeval.workspace.stored import JUDGED_BY

EVERY = 2.0
"""Seconds between two looks at watched files."""
NOWHERE = "nowhere"
"""The dashboard's own name for the page at every address that does not exist."""
WITHOUT_DATA = menu.WITHOUT_DATA | {NOWHERE}
"""Pages that need no collection."""
WITHOUT_QRELS = (
    {"collection"}
    | WITHOUT_DATA
    | {page for e in EXPERIMENTS.values() if e.matrix or e.scored for page in e.pages}
)
"""Pages with content if only a score matrix is loaded."""
BEFOREHAND = {"collection"} | WITHOUT_DATA | {*PAPERS}
"""Pages with content whatever is selected; they ask for a collection themselves if they
need one.
"""
COLLECTION = str(PAGES / "data/collection.py")
"""Script of the page where data are dropped."""
SAMPLE = "The sample is **synthetic**: drop your own files {}."
"""Shown unless the introduction is."""
ICON = Path(__file__).with_name("icon.svg")
"""Icon of each tab."""
SCRIPT = Path(__file__).with_name("main.py")
"""The script that Streamlit runs."""


@jobs.drawing()
@answer.may_stop()
def run() -> None:
    """Draw the page of the URL inside the frame.

    The order of the steps matters. The page is known first, because keys of widgets
    have its name. What the address and the last visit say is then in the tab's state,
    because a widget that is drawn no longer takes it. Widgets of the sidebar follow,
    because the page is computed with their values; the data are read after the widgets
    that decide how. The page is last, except for remarks on what it did.
    """
    keep_put()
    visitors.current()
    by_address, page = _navigate()
    where = page.url_path if page.url_path in by_address else NOWHERE
    question = menu.question_of(where or keys.FIRST) or page.title
    # an icon by its name would fetch a font from another server
    st.set_page_config(f"{question} · irmeval", page_icon=str(ICON), layout="wide")
    _open(where)
    above = st.container(key="above")
    with above:
        REDRAW.get().bar = st.empty()
    palette.start_or_end(where)
    switches.install(where)
    session.restore_settings()
    link.read_address(where == "collection")
    asked = session.ask(where, question)
    # taken before anything is drawn, and compared at the end
    held = asked.dataset.loaded
    sidebar = Sidebar(*(st.sidebar.container() for _ in Sidebar._fields))
    display = _draw_settings(asked, sidebar)
    if where not in WITHOUT_DATA and (other := link.other_data_asked(asked)):
        link.explain_other_data(asked, other)
        return
    missing = _read_data(asked)
    view = REDRAW.get().view = session.view(asked)
    with sidebar.record:
        _record(view)
    if where not in menu.WITHOUT_DATA and (view.matrix or view.has_runs):
        with sidebar.marks:
            runs_in_charts.choose(view)
    session.remember(asked)  # the collection too, now that it is made
    with display:
        switches.draw([*by_address])
        palette.offer(view, by_address)
    with above:
        palette.draw(view, by_address)
        _draw_tabs(where, by_address)
        _show_notices(view.visitor)
        palette.draw_tour(view, by_address)
    try:
        _draw_page(page, view, missing, by_address)
    finally:  # a page may stop
        terms.line(where or keys.FIRST, _line_above(view))
        with above:
            _draw_remarks(view)
        session.remember(asked)
        jobs.sidebar(by_address)
    link.note_whole()
    # files go on being read when another drawing, which had begun that, was ended for this one
    if asked.dataset.loaded != held:
        st.rerun()


def view() -> View:
    """What this page is drawn from. The last line of a page is ``draw(frame.view())``."""
    made = REDRAW.get().view
    assert made, "the frame draws no page before it has made this"
    return made


class Sidebar(NamedTuple):
    """Places in the sidebar, from top to bottom. Each is there even while it is empty: a
    widget that moves loses its value in the URL.
    """

    collections: DeltaGenerator
    record: DeltaGenerator
    measures: DeltaGenerator
    judge: DeltaGenerator
    marks: DeltaGenerator
    settings: DeltaGenerator


def _navigate() -> tuple[dict[str, st.Page], st.Page]:
    """Draw the menu. Returns its pages by URL path, and the requested one."""
    pages: dict[str, list[st.Page]] = {}
    for section, entries in menu.entries().items():
        pages[section.capitalize()] = [page for item in entries.items() for page in _pages(*item)]
    by_address = {page.url_path: page for page in chain(*pages.values())}
    pages[reporting.menu_entry()] = [*pages.pop("Report"), *_pages_of_nowhere(by_address)]
    page = st.navigation(pages, position="top", expanded=True)  # on a telephone all entries
    if TAB.take("forgotten"):
        # a redraw would keep the address, and with it what was deleted
        st.switch_page(page, query_params={})
    return by_address, page


def _open(where: str) -> None:
    """Note the page being drawn, and keep the values of its widgets; leave the jobs and
    refused values of the previous page.
    """
    last = REDRAW.get()
    now = replace(last, page=where, recalled=None, marks=None, looked={}, made={})
    just_opened = last.page != where
    if just_opened:
        # else the last view is there until the next is made: a button may be pressed meanwhile
        now.view = None
        # parts of other pages would stay in memory as long as the tab
        forget_drawn()
        jobs.leave()
        marked_runs.leave_page()
        is_new = last.page is None
        left = visitors.closed_tabs() if is_new else [session_id()]
        upload.notify_of_unread(receiving.forget(left))
        # an address has values of its own, and so has going back; a menu takes those last set
        by_menu = not is_new or not st.query_params
        if by_menu and not goes_through_history():
            now.recalled = where
    REDRAW.set(now)
    link.keep_values()
    if just_opened:  # after that, which does not keep what was refused
        inputs.forget_refusals()
        link.forget_asked()


def _draw_settings(asked: Asked, sidebar: Sidebar) -> DeltaGenerator:
    """Draw the widgets whose values apply to every page. Returns the place for those that
    change how it looks.
    """
    now = REDRAW.get()
    with sidebar.collections:
        workspaces.switch(asked)
    design = None
    try:
        answer.start_block("sidebar")
        with sidebar.settings, answer.settings(switches.LABEL) as in_force:
            display, rules = st.container(), st.container()
            if asked.matrix is None:
                with rules:
                    now.policy, now.selection = form.decide(in_force)
        if asked.matrix is None:
            with sidebar.judge:
                _choose_judge(asked.dataset)
            session.remember(asked)
    finally:  # a widget that is not drawn loses what was picked
        if asked.matrix is None:
            loaded = session.loaded_or_none(asked.dataset)
            design = loaded.collection.design if loaded else None
        with sidebar.measures:
            now.measures = _pick_measures(asked, design)
    return display


def _pick_measures(asked: Asked, design: Design | None) -> tuple[Measure, ...]:
    """Draw the choice of measures on a page that they change; return them."""
    if asked.page in menu.WITHOUT_MEASURES:
        return form.keep_measures(design)
    # the scores of a matrix are by one measure
    needs_none = asked.matrix is not None and asked.page not in WITHOUT_DATA
    return () if needs_none else form.pick_measures(design)


def _choose_judge(dataset: Dataset) -> None:
    """Draw the choice of the judge whose judgments every page uses, if there are
    several.
    """
    names = dataset.judge_names
    if len(names) == 1:
        inputs.refuse_unless_option(JUDGED_BY, names, "Judgments by")
        widgets.pop(JUDGED_BY, None)
    else:
        help = (
            "The judge whose judgments are used on every page. The page Judges compares the others"
            " with this one."
        )
        form.choose("Judgments by", names, key=JUDGED_BY, help=help)


def _read_data(asked: Asked) -> str:
    """Load the data that the page needs. Returns what is missing; empty if nothing
    is.
    """
    _show_watched()
    if asked.matrix or asked.page in {"collection"} | WITHOUT_DATA:
        return ""
    missing = asked.dataset.describe_missing(
        REDRAW.get().policy, runs=asked.page not in menu.WITHOUT_RUNS
    )
    if not missing and asked.page not in BEFOREHAND:
        session.require_loaded(asked.dataset, asked.question)
    return missing


def _draw_page(page: st.Page, view: View, missing: str, by_address: Mapping[str, st.Page]) -> None:
    """Draw the page, or an explanation of missing data in its place."""
    answer.start_block("page")
    try:
        with answer.may_stop():
            if missing:
                _unfinished(view, missing)
            elif view.matrix is None or view.page in WITHOUT_QRELS:
                page.run()
            else:
                shown = WITHOUT_QRELS - WITHOUT_DATA - {"collection"}
                names = [menu.name_of(address) for address in by_address if address in shown]
                _lacking(view.question, view.matrix, names)
    except SchedulerError as error:
        st.error(escape_markdown(str(error)))


def _draw_remarks(view: View) -> None:
    """Draw what is only known after the page: values that it refused, and runs that its
    charts hide; and name its data in the URL.
    """
    inputs.show_refusals()
    runs_in_charts.note_hidden_runs(view)
    link.offer_own_data(view)
    _show_refused(view.policy)
    link.name_data(view.dataset)


def _pages(entry: str, tabs: Sequence[str]) -> Iterator[st.Page]:
    """Pages of an entry; menus show the first, under the entry's name. The very first
    page is at the root, and also at its own URL.
    """
    for name in tabs:
        if name in PAPERS:
            yield menu.paper_page(PAPERS[name])
            continue
        title = menu.label(entry if name == tabs[0] else menu.name_of(name), name)
        if name == keys.FIRST:
            # one script at two addresses, which Streamlit allows
            yield menu.page(page_scripts()[name], title, keys.ROOT, default=True)
        # a tab is a page without a menu entry: Streamlit takes no slash in an address
        shown: Literal["visible", "hidden"] = (
            "visible" if name == tabs[0] != keys.FIRST else "hidden"
        )
        if script := page_scripts().get(name):
            yield menu.page(script, title, name, visibility=shown)
        else:
            only = menu.experiment_of(name)
            assert only
            draw = partial(_draw_experiment, only.name)
            yield st.Page(draw, title=title, url_path=name, visibility=shown)


def _draw_experiment(name: str) -> None:
    """Draw the page of an experiment that has no script."""
    experiment.page(view(), name)


def _draw_tabs(where: str, by_address: Mapping[str, st.Page]) -> None:
    """Draw links to the pages of the same menu entry."""
    if len(tabs := menu.tabs_of(where)) > 1:
        with st.container(key="tabs", horizontal=True, gap="small"):
            for name in tabs:
                st.page_link(
                    by_address[name], label=escape_markdown(menu.name_of(name)), width="content"
                )


def _record(view: View) -> None:
    """Draw the data that every page uses, with links to change them."""
    if view.matrix:
        _record_matrix(view.dataset, view.matrix)
        return
    if missing := view.dataset.describe_missing(view.policy):
        st.markdown(f"**{escape_markdown(view.dataset.title)}**")
        st.caption(escape_markdown(missing))
        _link_to_data("Add what is missing")
    if view.loaded:
        _record_collection(view.loaded, view.all_loaded().collection)


def _record_matrix(dataset: Dataset, matrix: Matrix) -> None:
    """Draw which score matrix every page uses."""
    name = escape_markdown(matrix.name)
    if dataset.title == matrix.name:
        st.markdown(f"**{name}** (score matrix)")
    else:
        st.markdown(f"Score matrix **{name}** of **{escape_markdown(dataset.title)}**")
    aside = " · the judgments and runs are set aside" if dataset.used else ""
    st.caption(
        f"{count_noun(len(matrix.runs), 'run')} · {count_noun(len(matrix.topics), 'topic')} ·"
        f" no judgments{aside}"
    )
    st.page_link(COLLECTION, label="Change the data")


def _record_collection(loaded: Loaded[Collection], everything: Collection) -> None:
    """Draw which collection every page uses, and how much of it."""
    c = loaded.collection
    kind = " (synthetic)" if loaded.synthetic else ""
    st.markdown(f"**{escape_markdown(loaded.name)}**{kind}")
    depends_on = c.fingerprint, everything.fingerprint, c.policy
    for said in made_once("record", depends_on, partial(_describe, c, everything)):
        st.caption(escape_markdown(said))
    if loaded.synthetic:
        _link_to_data("Use my files")
    else:
        _link_to_data("Change the collection" if c.runs else "Add runs")


def _describe(c: Collection, everything: Collection) -> list[str]:
    """How much of a collection every page uses, how it was sampled, and by whom it was
    judged.
    """
    parts = [
        _count_of(len(c.runs), len(everything.runs), "run"),
        _count_of(len(c.topics), len(everything.topics), "topic"),
        count_noun(int((c.grade >= 0).sum()), "judgment"),
        f"policy: {form.describe_policy(c.policy)}",
    ]
    said = [" · ".join(parts), describe_sample(c)]
    if len(c.judges) > 1:
        said.append(f"By the judgments of {c.judges[0]}; others: {list_few([*c.judges[1:]])}.")
    return [*filter(None, said)]


def _count_of(n: int, of: int, noun: str) -> str:
    """A number of things, and of how many."""
    if n != of:
        return f"{n} of {count_noun(of, noun)}"
    return count_noun(n, noun) if n else f"no {noun}s"


def _link_to_data(label: str) -> None:
    """Draw a link to the page where data are dropped, but not on that page."""
    if keys.page_name() == "collection":
        return
    with st.container(key="own"):
        st.page_link(COLLECTION, label=label, width="stretch")


def _line_above(view: View) -> str:
    """A remark on the data, in the line under the title: that the sample is one, unless the
    page introduces it, or how far measures can be trusted on them.
    """
    if view.page in WITHOUT_DATA or not view.loaded:
        return ""
    introduces = TAB.get().introduced
    if view.on_sample and not introduces:
        is_here = view.page == "collection"
        return SAMPLE.format("below" if is_here else "on the page *Collection*")
    collection, measures = view.loaded.collection, view.measures
    depends_on = collection.fingerprint, measures
    return made_once("remarks", depends_on, lambda: _remarks_on(collection, measures))


def _remarks_on(collection: Collection, measures: Sequence[Measure]) -> str:
    """Sentences on sampled judgments and the bias of the measures on them, and on runs
    that lack topics; empty if there are none.
    """
    sample, caveats = describe_sample(collection), describe_caveats(collection)
    biased = overview.describe_bias(collection, measures) if sample else ""
    return escape_markdown(" ".join(filter(None, [sample, biased, caveats])))


def _lacking(title: str, matrix: Matrix, pages: Sequence[str]) -> None:
    """Explain, on a page that needs judgments, that a score matrix has none, and list
    the pages that need none.
    """
    st.title(title)
    st.info(
        f"**{escape_markdown(matrix.name)}** is a score matrix: it has scores, but no judgments or"
        f" ranked lists, which this page needs. These pages support it: {' · '.join(pages)}."
    )
    st.button("Close the matrix and return to the collection", on_click=session.put_matrix_away)


def _unfinished(view: View, missing: str) -> None:
    """Explain what is missing in place of a page, with links to add it."""
    dataset = view.dataset
    st.title(view.question)
    refusals.show_sentences(*dataset.messages)
    st.info(f"**{escape_markdown(dataset.title)}**. {escape_markdown(missing)}")
    pages = [("data/collection.py", "Add what is missing")]
    if dataset.judged(view.policy):
        st.write(
            "This page needs runs. Without runs, judges can be compared, and a run can be checked"
            " before it is added."
        )
        pages = [
            ("data/collection.py", "Add runs"),
            ("planning/judges.py", "Compare judges"),
            ("data/check.py", "Check a run"),
        ]
    with st.container(key="missing", horizontal=True):
        for script, label in pages:
            st.page_link(str(PAGES / script), label=label)


def _show_watched() -> None:
    """Show the watched folders in the sidebar. Called before a page is drawn."""
    if files := server_files.watched_files():
        changed = server_files.watched(*files).look()
        with st.sidebar.container():
            _tick(files, changed)


@st.fragment(run_every=EVERY)
def _tick(files: tuple[Path, tuple[Path, ...], FormatNames], drawn: Hashable) -> None:
    watched = server_files.watched(*files)
    # the whole page: alone, this fragment would show the new runs nowhere
    if watched.look() != drawn:
        st.rerun()
    folders = ", ".join(escape_markdown(str(path.name)) for path in files[1])
    written = (
        f" {count_noun(len(watched.waiting), 'file')} {verb(len(watched.waiting), 'is', 'are')}"
        f" still being written: {list_few([*watched.waiting])}."
        if watched.waiting
        else ""
    )
    st.caption(
        f"Watching {folders}: a new run appears here automatically.{escape_markdown(written)}"
    )


def _show_refused(policy: Policy) -> None:
    """Show watched files with errors; other files stay in use."""
    if files := server_files.watched_files():
        with suppress(IrmevalError):  # the page shows it
            for error in server_files.read_watched(*files, policy).refused:
                st.warning(
                    escape_markdown(
                        f"{error} Other runs stay in use; it is read again when it changes."
                    )
                )


def _pages_of_nowhere(others: Mapping[str, st.Page]) -> list[st.Page]:
    """The page at the last unknown URL, in no menu; none if there was none. Streamlit
    would show its first page there.
    """
    address = ADDRESS.get()
    asked = unquote((st.context.url or "").rpartition("/")[2])
    is_page = asked in {"", keys.ROOT, *others} or asked.strip() != asked
    if not is_page:
        address.nowhere = asked
    if not address.nowhere:
        return []
    draw = partial(_draw_nowhere, address.nowhere, others)
    title = "No such page"
    return [st.Page(draw, title=title, url_path=address.nowhere, visibility="hidden")]


def _draw_nowhere(asked: str, others: Mapping[str, st.Page]) -> None:
    st.title("This page does not exist")
    st.write(
        f"There is no page {escape_markdown(shorten(asked))}. The menus list all pages, and"
        " *Search* finds them by name."
    )
    named = [name for name in others if name not in ("", keys.FIRST)]
    links = [("A similar name", others[name]) for name in nearest_names(asked, named)]
    links.append(("The first page", others[keys.FIRST]))
    with st.container(key="next-nowhere", horizontal=True, vertical_alignment="center"):
        st.markdown("Next", width="content")
        for says, page in links:
            st.page_link(page, label=f"{says}: **{escape_markdown(menu.name_of(page.url_path))}**")


def _show_notices(visitor: Visitor) -> None:
    """Show the visitor's notices, until they dismiss them."""
    if visitor.notices:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.warning("  \n".join(f"{escape_markdown(text)}." for text in visitor.notices))
            st.button("Dismiss", key="told", on_click=visitor.notices.clear)
