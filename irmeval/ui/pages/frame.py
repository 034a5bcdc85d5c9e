"""The frame around every page: navigation, the sidebar's record of what is loaded,
watched files, background work.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Literal
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
from irmeval.papers import PAPERS
from irmeval.reading.formats import FormatNames
from irmeval.reading.score_matrix import Matrix
from irmeval.report import overview
from irmeval.ui.pages import palette, terms
from irmeval.ui.state import keys, marked_runs, server_files, visitors
from irmeval.ui.state.dataset import Dataset
from irmeval.ui.state.streamlit_internals import goes_through_history, session_id
from irmeval.ui.state.tab_state import Value, forget_drawn, keep_put, made_once, widgets
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
ASKED = Value("nowhere", "")
"""The last unknown URL."""
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
SAMPLE = "The sample is **synthetic**: drop your own files {}."
"""Shown unless the introduction is."""
VIEW = Value[session.View | None]("view", None)
"""What the page is drawn from. The frame fills it just before, and only `view` reads
it: a page is a script, which gets no arguments.
"""
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
    asks = menu.question_of(where or keys.FIRST) or page.title
    st.set_page_config(f"{asks} · irmeval", page_icon=str(ICON), layout="wide")
    _open(where)
    above = st.container(key="above")
    with above:
        server_files.BAR.set(st.empty())
    palette.start_or_end(where)
    switches.install(where)
    session.restore_settings()
    link.read_address(where == "collection")
    record, pinned, display = _draw_settings(where)
    if where not in WITHOUT_DATA and (asked := link.other_data_asked()):
        link.explain_other_data(asked)
        return
    missing = _read_data(where, asks)
    with record:
        _record()
    if where not in menu.WITHOUT_DATA and (session.matrix() or session.has_runs()):
        with pinned:
            runs_in_charts.choose()
    session.remember()  # the collection too, now that it is made
    with display:
        switches.draw([*by_address])
        palette.offer(by_address)
    with above:
        palette.draw(by_address)
        _draw_tabs(where, by_address)
        _show_notices()
        palette.draw_tour(where, by_address)
    introduces = where not in WITHOUT_DATA and session.on_sample() and not session.INTRODUCED.get()
    sample = SAMPLE.format("below" if where == "collection" else "on the page *Collection*")
    try:
        _draw_page(page, where, asks, missing, by_address)
    finally:  # a page may stop
        remarks = "" if where in WITHOUT_DATA else _remarks()
        terms.line(where or keys.FIRST, sample if introduces else remarks)
        with above:
            inputs.show_refusals()
            runs_in_charts.note_hidden_runs()
            link.offer_own_data()
            _show_refused()
        link.name_data()
        session.remember()
        jobs.sidebar(by_address)
    link.note_whole()


def view() -> session.View:
    """What this page is drawn from. The last line of a page is ``draw(frame.view())``."""
    made = VIEW.get()
    assert made, "the frame draws no page before it has made this"
    return made


def _navigate() -> tuple[dict[str, st.Page], st.Page]:
    """Draw the menu. Returns its pages by URL path, and the requested one."""
    pages: dict[str, list[st.Page]] = {}
    for section, entries in menu.entries().items():
        pages[section.capitalize()] = [page for item in entries.items() for page in _pages(*item)]
    by_address = {page.url_path: page for page in chain(*pages.values())}
    pages[reporting.menu_entry()] = [*pages.pop("Report"), *_pages_of_nowhere(by_address)]
    page = st.navigation(pages, position="top", expanded=True)  # on a telephone all entries
    if session.FORGOTTEN.pop():
        st.switch_page(page, query_params={})
    return by_address, page


def _open(where: str) -> None:
    """Note the page being drawn, and keep the values of its widgets; leave the jobs and
    refused values of the previous page.
    """
    form.RECALLED.set(None)
    just_opened = keys.PAGE.get() != where
    if just_opened:
        forget_drawn()
        jobs.leave()
        marked_runs.leave_page()
        left = [session_id()] if keys.PAGE.is_set() else visitors.closed_tabs()
        upload.notify_of_unread(receiving.forget(left))
        by_menu = keys.PAGE.is_set() or not st.query_params
        if by_menu and not goes_through_history():
            form.RECALLED.set(where)
    keys.PAGE.set(where)
    link.keep_values()
    if just_opened:  # after that, which does not keep what was refused
        inputs.forget_refusals()
        link.forget_asked()


def _draw_settings(where: str) -> tuple[DeltaGenerator, DeltaGenerator, DeltaGenerator]:
    """Draw the widgets whose values apply to every page. Returns places for content
    drawn after the data are read: the collection, the runs in charts, the display.
    """
    # each has its place even while it is empty: a widget that moves loses its value in the URL
    collections, record, picker, judge, pinned, foot = (st.sidebar.container() for _ in range(6))
    with collections:
        workspaces.switch()
    matrix = session.matrix()
    try:
        answer.start_block("sidebar")
        with foot, answer.settings(switches.LABEL) as in_force:
            display, rules = st.container(), st.container()
            if matrix is None:
                with rules:
                    form.decide(in_force)
        if matrix is None:
            with judge:
                _choose_judge()
            session.remember()
    finally:  # a widget that is not drawn loses what was picked
        design = (
            loaded.collection.design
            if matrix is None and (loaded := session.loaded_or_none())
            else None
        )
        with picker:
            if where in menu.WITHOUT_MEASURES:
                form.keep_measures(design)
            else:
                form.pick_measures(shown=matrix is None or where in WITHOUT_DATA, design=design)
    return record, pinned, display


def _choose_judge() -> None:
    """Draw the choice of the judge whose judgments every page uses, if there are
    several.
    """
    names = session.dataset().judge_names
    if len(names) == 1:
        inputs.refuse_unless_option(JUDGED_BY, names, "Judgments by")
        widgets.pop(JUDGED_BY, None)
    else:
        help = (
            "The judge whose judgments are used on every page. The page Judges compares the others"
            " with this one."
        )
        form.choose("Judgments by", names, key=JUDGED_BY, help=help)


def _read_data(where: str, asks: str) -> str:
    """Load the data that the page needs. Returns what is missing; empty if nothing
    is.
    """
    _show_watched()
    matrix = session.matrix()
    without_runs = matrix is None and where in menu.WITHOUT_RUNS
    missing = (
        ""
        if matrix or where in {"collection"} | WITHOUT_DATA
        else session.describe_missing(runs=not without_runs)
    )
    if matrix is None and not missing and where not in BEFOREHAND:
        session.require_loaded(asks)
    return missing


def _draw_page(
    page: st.Page, where: str, asks: str, missing: str, by_address: Mapping[str, st.Page]
) -> None:
    """Draw the page, or an explanation of missing data in its place."""
    answer.start_block("page")
    VIEW.set(made := session.view(where))
    matrix = made.matrix
    try:
        with answer.may_stop():
            if missing:
                _unfinished(asks, made.dataset, missing)
            elif matrix is None or where in WITHOUT_QRELS:
                page.run()
            else:
                shown = WITHOUT_QRELS - WITHOUT_DATA - {"collection"}
                _lacking(
                    asks,
                    matrix,
                    [menu.name_of(address) for address in by_address if address in shown],
                )
    except SchedulerError as error:
        st.error(escape_markdown(str(error)))


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
            yield menu.page(page_scripts()[name], title, keys.ROOT, default=True)
        shown: Literal["visible", "hidden"] = (
            "visible" if name == tabs[0] != keys.FIRST else "hidden"
        )
        if script := page_scripts().get(name):
            yield menu.page(script, title, name, visibility=shown)
        else:
            only = next(e.name for e in EXPERIMENTS.values() if name in e.pages)
            yield st.Page(
                partial(experiment.page, only), title=title, url_path=name, visibility=shown
            )


def _draw_tabs(where: str, by_address: Mapping[str, st.Page]) -> None:
    """Draw links to the pages of the same menu entry."""
    if len(tabs := menu.tabs_of(where)) > 1:
        with st.container(key="tabs", horizontal=True, gap="small"):
            for name in tabs:
                st.page_link(
                    by_address[name], label=escape_markdown(menu.name_of(name)), width="content"
                )


def _record() -> None:
    """Draw the data that every page uses, with links to change them."""
    if matrix := session.matrix():
        looked, name = session.dataset(), escape_markdown(matrix.name)
        alone = looked.title == matrix.name
        st.markdown(
            f"**{name}** (score matrix)"
            if alone
            else f"Score matrix **{name}** of **{escape_markdown(looked.title)}**"
        )
        aside = " · the judgments and runs are set aside" if looked.used else ""
        st.caption(
            f"{count_noun(len(matrix.runs), 'run')} · {count_noun(len(matrix.topics), 'topic')} ·"
            f" no judgments{aside}"
        )
        st.page_link(str(PAGES / "data/collection.py"), label="Change the data")
        return
    if missing := session.describe_missing():
        st.markdown(f"**{escape_markdown(session.dataset().title)}**")
        st.caption(escape_markdown(missing))
        with st.container(key="own"):
            st.page_link(
                str(PAGES / "data/collection.py"), label="Add what is missing", width="stretch"
            )
    if not (loaded := session.loaded_or_none()):
        return
    c, everything = loaded.collection, session.all_loaded().collection
    kind = " (synthetic)" if loaded.synthetic else ""
    st.markdown(f"**{escape_markdown(loaded.name)}**{kind}")
    counts = [
        (len(c.runs), len(everything.runs), "run"),
        (len(c.topics), len(everything.topics), "topic"),
    ]
    parts = [
        (
            (count_noun(n, noun) if n else f"no {noun}s")
            if n == of
            else f"{n} of {count_noun(of, noun)}"
        )
        for n, of, noun in counts
    ]
    st.caption(
        " · ".join(
            [
                *parts,
                count_noun(int((c.grade >= 0).sum()), "judgment"),
                f"policy: {form.describe_policy(c.policy)}",
            ]
        )
    )
    if said := made_once("sample", (c.fingerprint,), lambda: describe_sample(c)):
        st.caption(escape_markdown(said))
    if len(c.judges) > 1:
        st.caption(
            escape_markdown(
                f"By the judgments of {c.judges[0]}; others: {list_few([*c.judges[1:]])}."
            )
        )
    with st.container(key="own"):
        label = (
            "Use your own files"
            if loaded.synthetic
            else "Change the collection"
            if c.runs
            else "Add runs"
        )
        st.page_link(str(PAGES / "data/collection.py"), label=label, width="stretch")


def _remarks() -> str:
    """Sentences on sampled judgments and the bias of the measures on them, and on runs
    that lack topics; empty if there are none.
    """
    loaded = None if session.matrix() else session.loaded_or_none()
    if not loaded:
        return ""
    depends_on = loaded.collection.fingerprint, form.CHOSEN.get()
    return made_once("remarks", depends_on, lambda: _remarks_on(loaded.collection))


def _remarks_on(collection: Collection) -> str:
    sample, caveats = describe_sample(collection), describe_caveats(collection)
    biased = overview.describe_bias(collection, form.CHOSEN.get()) if sample else ""
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


def _unfinished(title: str, dataset: Dataset, missing: str) -> None:
    """Explain what is missing in place of a page, with links to add it."""
    st.title(title)
    refusals.show_sentences(*dataset.messages)
    st.info(f"**{escape_markdown(dataset.title)}**. {escape_markdown(missing)}")
    pages = [("data/collection.py", "Add what is missing")]
    if dataset.judged(session.policy()):
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


def _show_refused() -> None:
    """Show watched files with errors; other files stay in use."""
    if files := server_files.watched_files():
        with suppress(IrmevalError):  # the page shows it
            for error in server_files.read_watched(*files, session.policy()).refused:
                st.warning(
                    escape_markdown(
                        f"{error} Other runs stay in use; it is read again when it changes."
                    )
                )


def _pages_of_nowhere(others: Mapping[str, st.Page]) -> list[st.Page]:
    """The page at the last unknown URL, in no menu; none if there was none. Streamlit
    would show its first page there.
    """
    asked = unquote((st.context.url or "").rpartition("/")[2])
    if asked and asked not in {*others, keys.ROOT} and asked.strip() == asked:
        ASKED.set(asked)
    if not ASKED.get():
        return []
    return [
        st.Page(
            partial(_draw_nowhere, ASKED.get(), others),
            title="No such page",
            url_path=ASKED.get(),
            visibility="hidden",
        )
    ]


def _draw_nowhere(asked: str, others: Mapping[str, st.Page]) -> None:
    st.title("This page does not exist")
    st.write(
        f"There is no page {escape_markdown(shorten(asked))}. The menus list all pages, and"
        " *Search* finds them by name."
    )
    like = [
        others[name]
        for name in nearest_names(asked, [name for name in others if name not in ("", keys.FIRST)])
    ]
    with st.container(key="next-nowhere", horizontal=True, vertical_alignment="center"):
        st.markdown("Next", width="content")
        for says, page in [
            *(("A similar name", page) for page in like),
            ("The first page", others[keys.FIRST]),
        ]:
            st.page_link(page, label=f"{says}: **{escape_markdown(menu.name_of(page.url_path))}**")


def _show_notices() -> None:
    """Show the visitor's notices, until they dismiss them."""
    visitor = visitors.here()
    if visitor.notices:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.warning("  \n".join(f"{escape_markdown(text)}." for text in visitor.notices))
            st.button("Dismiss", key="told", on_click=visitor.notices.clear)
