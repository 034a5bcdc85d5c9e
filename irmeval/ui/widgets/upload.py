"""The uploader of files and folders, and messages on how long data are kept."""

import json
from collections.abc import Callable, Sequence
from typing import Literal

import streamlit as st

from irmeval.collection.team_names import Groups, read_teams
from irmeval.core.errors import ReadError
from irmeval.core.tables import escape_markdown
from irmeval.core.text import count_noun
from irmeval.reading.files import stem
from irmeval.reading.foreign import has_ir_datasets
from irmeval.ui.state import keys, visitors
from irmeval.ui.state.cookies import days_kept
from irmeval.ui.state.dataset import Dataset
from irmeval.ui.state.naming import Tell
from irmeval.ui.state.streamlit_internals import DroppedFile, session_id
from irmeval.ui.state.tab_state import widgets
from irmeval.ui.state.visitor import Visitor
from irmeval.ui.state.visitors import why_not_forgotten
from irmeval.ui.widgets import answer, form, inputs, receiving, session, workspaces
from irmeval.ui.widgets.bar import Bar

HELP = (
    "Qrels, runs and scores by topic, plain or packed: TREC, BEIR, MS MARCO, CSV, JSON, Parquet and"
    " more. Files are recognised by their content. Runs are added to the open collection; qrels"
    " with runs become a new collection. Qrels alone are a collection too, for comparing judges;"
    " other qrels of the same documents are added as judges. A workspace (.irmeval) restores"
    " everything saved in it."
)
UNLIMITED = 1 << 30
"""Maximum MB of a file that the browser sends. It would silently drop a larger one; the
server refuses it with a message.
"""
LOOK = 1.0
"""Seconds between two looks at the files that come."""
FAILED = "uploads_failed"
NAMED = 10
"""Maximum number of files in one message."""
KINDS: dict[str, tuple[Literal[True, "directory"], str]] = {
    "Files": (True, "qrels and runs, a score matrix, or a workspace"),
    "A folder": ("directory", "a folder with qrels and runs"),
}
"""Choices of the uploader: label -> files that can be picked, and their description."""


def draw_uploader(dataset: Dataset) -> None:
    """Draw the uploader, and read dropped files; the page is then redrawn."""
    with st.container(key="upload_line", horizontal=True, vertical_alignment="center"):
        kind = form.pick_one(
            "Drop",
            {kind: kind for kind in KINDS},
            "upload_kind",
            "All files in the folder are read, except hidden ones.",
            bind=None,
            label_visibility="collapsed",
        )
    accepted, what = KINDS[kind]
    with st.container(key="uploads"):
        dropped = st.file_uploader(
            f"Drop {what}, at most {_limit()} per file",
            accept_multiple_files=accepted,
            # a new key for each drop empties the uploader, and Streamlit lets the bytes go
            key=receiving.uploader(f"upload-{kind}"),
            help=HELP,
            max_upload_size=UNLIMITED,
        )
    _listen_to_browser()
    coming = st.container(key="coming")  # the style sheet shows it while files come
    with coming:
        _watch_arrivals(dataset, (receiving.phase(), dataset.loaded))
    if has_ir_datasets():
        name = inputs.text(
            "Or use the qrels of an ir_datasets id",
            placeholder="vaswani",
            name=f"dataset-{dataset.uploader}",
            help=(
                "If this machine does not have them yet, ir_datasets downloads them. Drop the runs"
                " above."
            ),
        )
        if name:
            with st.spinner(f"Reading {escape_markdown(name)} ..."):
                workspaces.read_into_place(dataset, lambda to: to.add_dataset(name.strip()))
            st.rerun()
    drop = receiving.drop(dropped)
    with coming:
        if drop.missing:
            to_come = f"Still to come: {_listed(drop.missing)}. {_destination(dataset)}"
            st.caption(escape_markdown(to_come))
        if drop.lost:
            _name_lost(drop.lost, len(drop.files))
        waits = bool(drop.missing or drop.lost) and not _goes_on_without(len(drop.files))
    if waits and drop.missing:
        answer.stop_page()  # what is open would pass for what comes
    if not waits and drop.ids:
        _read(dataset, f"upload-{kind}", drop)
        st.rerun()


def _read(dataset: Dataset, uploader: str, drop: receiving.Drop) -> None:
    """Read the files received, with a bar, and name those that are missing.

    Streamlit may end the page wherever it is drawn, as when the next drop arrives. So the
    files are known as coming until the work that reads them has begun, which nothing ends.
    """

    def work(read: Callable[[Tell], None]) -> None:
        receiving.forget_files(drop.ids, absent=drop.absent)
        bar.work(read)

    shown = [(name, data) for name, data in drop.files if not stem(name).startswith(".")]
    with st.container(key="reading"):
        st.caption(
            escape_markdown(f"{_listed([name for name, _ in shown])}. {_destination(dataset)}")
        )
        bar = Bar("Reading: {} of {} read")
        receiving.empty_uploader(uploader)
        workspaces.receive(dataset, shown, work)
        receiving.forget_files(drop.ids, absent=drop.absent)  # those of a workspace too
    for name in (*drop.missing, *drop.lost):
        session.dataset().refuse(
            ReadError(name, None, "a file", "nothing: it could not be received", "Drop it again.")
        )
    bar.leave()


def _listen_to_browser() -> None:
    """Draw the hidden field in which a script of the page writes the names of the files
    that the browser could not send. Nobody else knows: a slow file is no lost one.
    """
    with st.container(key="uploads_failed"):
        inputs.text("Failed", name=FAILED, live=True, on_change=_note_failed)


def _note_failed() -> None:
    try:
        names = json.loads(widgets[keys.widget_key(FAILED)])
    except ValueError:
        return
    if isinstance(names, list):
        receiving.note_failed(session_id(), names=[str(name) for name in names])


@st.fragment(run_every=LOOK)
def _watch_arrivals(dataset: Dataset, shown: tuple[tuple[str, int], tuple[int, int]]) -> None:
    """Show how many files are received, and redraw the page once it shows another phase
    or other files loaded than is `shown`: when files begin to come, are slow, are all
    here, have failed, or were read by a drawing of the page that was ended meanwhile.
    """
    now = receiving.phase()
    if (now, dataset.loaded) != shown:
        st.rerun()
    missing, here = len(receiving.awaited()), receiving.arrived_so_far()
    if not missing:
        return
    received = f"{here} of {count_noun(here + missing, 'file')} received"
    if now[0] == "slow":
        received += ". The connection is slow; nothing has failed."
    st.progress(here / (here + missing), received)


def draw_team_uploader(dataset: Dataset) -> None:
    """Draw the uploader of a CSV with the teams of runs, which is used until it is
    removed; the page is redrawn if teams change. A `ReadError` is shown in its place.
    """
    dropped = st.file_uploader(
        "A CSV with the team of each run",
        type="csv",
        key=receiving.uploader("teams"),
        help=(
            "Columns headed run and team, and perhaps kind: lexical, neural and so on. Without it,"
            " the rule in the sidebar takes the team from the run's name."
        ),
    )
    if dropped:
        with answer.errors_shown():
            found = read_teams(dropped.name, dropped.getvalue())
            if not found.teams:
                raise ReadError(
                    dropped.name, 2, "a run and its team", "nothing", "Give at least one."
                )
            _use_teams(dataset, found, dropped.name, dropped)
            st.rerun()
    if dataset.teams:
        st.caption(
            f"In use: {escape_markdown(dataset.team_file)}, with the teams of"
            f" {count_noun(len(dataset.teams), 'run')}."
        )
        st.button(
            "Remove this file",
            key="forget_teams",
            on_click=_use_teams,
            args=(dataset, Groups({}, {}), ""),
        )


def _use_teams(dataset: Dataset, groups: Groups, file: str, *read: DroppedFile) -> None:
    """Set the teams and kinds of runs, and empty the uploader."""
    (dataset.teams, dataset.kinds), dataset.team_file = groups, file
    receiving.empty_uploader("teams", read)


def show_how_long_kept() -> None:
    """Show how long the loaded data are kept."""
    visitor = visitors.here()
    if not visitor.loaded():
        return
    if not visitor.refused:  # else a warning says it
        st.caption(_how_long_kept(visitor))
    st.button(
        "Forget my data",
        key="forget",
        on_click=session.forget,
        help="Immediately, on disk too.",
    )


def _how_long_kept(visitor: Visitor) -> str:
    """A sentence on how long the data of a visitor are kept."""
    days = days_kept()
    if not visitor.key or not days:
        return (
            "Your data and settings are only in memory and are deleted a few minutes after you"
            " leave."
        )
    return (
        f"Your data and settings are kept on this server for you alone, until {days:g} days"
        " after you last use them."
    )


def warn_if_not_kept() -> None:
    """Warn of data that could not be removed from disk, or are not stored there."""
    visitor = visitors.here()
    if why := why_not_forgotten(visitor.key):
        st.error(
            "Your data are no longer shown, but still on this server's disk:"
            f" {escape_markdown(why)}. The server retries every half minute and does not read them."
            " If it restarts before that, they reappear: delete them again, or contact its"
            " operator."
        )
        st.button("Try again to forget my data", key="forget_again", on_click=session.forget)
    if visitor.loaded() and visitor.refused:
        st.warning(
            escape_markdown(
                "Your data are only in memory and are deleted a few minutes after you leave:"
                f" {visitor.refused}."
            )
        )


def _name_lost(lost: list[str], here: int) -> None:
    """Name the files that could not be received, `here` of others being there."""
    remedy = "Drop the missing files again"
    if here:
        remedy += ", or continue without them"
    st.error(
        f"Could not be received: {escape_markdown(_listed(lost))}. Nothing has been read yet,"
        f" and your data are unchanged. {remedy}. They may exceed {_limit()}, the"
        " connection may have failed, or the server may have no room."
    )


def _goes_on_without(here: int) -> bool:
    """Whether the visitor continues with the files received, once no other is on its
    way.
    """
    phase, _ = receiving.phase()
    if not here or phase == "coming":
        return False
    return st.button(f"Read the {count_noun(here, 'file')} received", key="without")


def notify_of_unread(names: Sequence[str]) -> None:
    """Notify the visitor of files that were being uploaded when the tab left the
    page.
    """
    if names:
        text = (
            f"Could not be received: {_listed(names)}. The page was left before these files were"
            " read. Drop them again"
        )
        visitors.here().notify(text)


def _destination(dataset: Dataset) -> str:
    """What becomes of files that are dropped."""
    if not dataset.has_content:
        return "They become a new collection."
    return f"They are added to {dataset.title}, or become a new collection."


def _listed(names: Sequence[str]) -> str:
    named, more = ", ".join(names[:NAMED]), len(names) - NAMED
    if more > 0:
        named += f" and {more} more"
    return named


def _limit() -> str:
    size: int = st.get_option("server.maxUploadSize")
    if size < 1024:
        return f"{size} MB"
    return f"{size / 1024:g} GB"
