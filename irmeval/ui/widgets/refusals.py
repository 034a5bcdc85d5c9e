"""Refused files: their errors and remedies."""

from collections.abc import Sequence
from itertools import chain

import pandas as pd
import streamlit as st

from irmeval.collection.shards import Sharded
from irmeval.core.errors import REPEATED, UNKNOWN_FORMAT, ReadError
from irmeval.core.params import fields
from irmeval.core.tables import escape_markdown
from irmeval.core.text import quantify
from irmeval.reading.faults import MAX_KINDS, FaultKind, FilesRefused
from irmeval.reading.files import path_within
from irmeval.reading.formats import format_at, rater_columns
from irmeval.reading.formats.base import SEE_FORMATS
from irmeval.reading.policy import Policy
from irmeval.report.exports import list_formats
from irmeval.ui.state import keys, visitors
from irmeval.ui.state.dataset import Dataset
from irmeval.ui.state.streamlit_internals import is_open, session_id
from irmeval.ui.state.tab_state import widgets
from irmeval.ui.state.view import View
from irmeval.ui.widgets import answer, inputs

FILE = ":material/block:"


def show(error: ReadError, name: str) -> None:
    """Show the error of one file in a line, or those of several in a table; and if it
    helps, the switch of `keep_first`, so named.
    """
    if isinstance(error, FilesRefused):
        kinds = error.kinds
        st.error(f"{error.headline}.", icon=FILE)
        table(kinds)
    else:
        kinds = [FaultKind(1, 0, error)]
        st.error(_written(str(error)), icon=FILE)
        _list_formats(kinds)
    if any(kind.first.kind == REPEATED for kind in kinds):
        keep_first(name)
    if isinstance(error, FilesRefused):
        with st.expander("File by file"):
            rows = [
                {
                    "file": fault.first.file,
                    "lines": fault.lines or None,
                    "first line": fault.first.line,
                    "should be": fault.first.expected,
                    "found": fault.first.came,
                    "other lines": fault.likewise,
                }
                for fault in chain.from_iterable(error.refused)
            ]
            st.dataframe(rows, hide_index=True)


def table(kinds: Sequence[FaultKind]) -> None:
    """Draw a table of kinds of errors: numbers of files and lines, the first one, and
    the remedy.
    """
    rows = pd.DataFrame([*map(_row, kinds[:MAX_KINDS])])
    st.table(rows, border="horizontal", hide_index=True)
    if len(kinds) > MAX_KINDS:
        st.caption(f"And {len(kinds) - MAX_KINDS:,} more kinds.")
    _list_formats(kinds)


def _row(kind: FaultKind) -> dict[str, str]:
    """What the table has of a kind of error."""
    first, lines, place = kind.first, "", kind.first.file
    if kind.lines:
        lines = f"{kind.lines:,}"
    if first.line:
        place += f", line\u00a0{first.line}"
    return {
        "Files": f"{kind.files:,}",
        "Lines": lines,
        "Should be": escape_markdown(first.expected),
        "First place": escape_markdown(place),
        "Found": escape_markdown(first.came),
        "What to do": _written(f"{first.remedy} {kind.likewise}".rstrip()),
    }


def _written(text: str) -> str:
    """Markdown of an error or a remedy; it leads to the list below in place of the
    command.
    """
    return escape_markdown(text).replace(SEE_FORMATS, "See *Supported formats* below.")


def _list_formats(kinds: Sequence[FaultKind]) -> None:
    """List the supported formats if the remedy of an error is to see them."""
    if any(kind.first.kind == UNKNOWN_FORMAT for kind in kinds):
        with st.expander("Supported formats"):
            st.dataframe(list_formats(), hide_index=True)


def keep_first(name: str) -> None:
    """Draw a switch that keeps the first of duplicate documents; it sets the policy."""
    key = keys.widget_key(name)
    widgets[key] = widgets.get("repeated", "refuse") != "refuse"

    def take() -> None:
        widgets["repeated"] = "refuse"
        if widgets[key]:
            widgets["repeated"] = "first"

    inputs.toggle(
        "Keep the first of duplicate documents",
        name=name,
        on_change=take,
        help=fields(Policy)["repeated"].param.help,
    )


def show_all(dataset: Dataset, policy: Policy) -> None:
    """Show the refused files of this tab until they are dismissed, and what is
    missing.
    """
    if _was_closed(dataset.tab):
        dataset.forget_refused()
    refusal = dataset.refusal(policy)
    if refusal:
        show(refusal, "keep_first_dropped")
    keeps_first = policy.repeated != "refuse"
    if keeps_first and dataset.has_duplicates:
        keep_first("keep_first_dropped")  # so that it can be turned off here
    for name, file in [*dataset.undecided.items()]:
        ask_format(dataset, name, file.keys)
    _show_remarks(dataset)
    show_sentences(*dataset.messages, dataset.waiting())


def _was_closed(tab: str) -> bool:
    """Whether the files were dropped in a tab that is there no more."""
    is_another = tab not in ("", session_id())
    return is_another and not is_open(tab)


def _show_remarks(dataset: Dataset) -> None:
    """Show what was read with a remark, and a button that dismisses this and what was
    refused.
    """
    for line in dataset.remarks:
        st.error(escape_markdown(line), icon=FILE)
    if dataset.refused or dataset.remarks:
        st.button("Dismiss", key="refused_away", on_click=dataset.forget_refused)


def ask_format(dataset: Dataset, name: str, fitting: Sequence[str]) -> None:
    """Ask for the format of a file that several formats fit; a press reads it so."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.warning(f"{escape_markdown(path_within(name))} could be either. What is it?", icon=FILE)
        raters = rater_columns(fitting)
        if len(raters) > 1:
            st.button(
                f"{quantify(len(raters), len(raters), 'column').capitalize()}, each a judge",
                key=f"raters-{name}",
                on_click=_read_raters,
                args=(dataset, name),
            )
        for key in fitting:
            title = format_at(key).title
            st.button(
                title[0].upper() + title[1:],
                key=f"format-{name}-{key}",
                on_click=_read_as,
                args=(dataset, name, key),
            )


def _read_as(dataset: Dataset, name: str, key: str) -> None:
    """Read a file in the format that was pressed."""
    dataset.decide(name, key)
    visitors.here().name_by_files(dataset)


def _read_raters(dataset: Dataset, name: str) -> None:
    """Read each column of grades of a file as a judge."""
    dataset.take_raters(name)
    # the file has named it: no judge is called as the file is
    dataset.name = visitors.here().unused_name(dataset.title, but=dataset)


def require_lists(view: View) -> None:
    """Stop with one line if the page needs the documents of the runs and these are on
    workers.
    """
    collection = view.selected().collection
    if isinstance(collection, Sharded):
        st.info(
            "This page needs the documents of the lists, which are on the workers of"
            f" {collection.address}."
        )
        answer.stop_page()


def show_sentences(*lines: str) -> None:
    """Show messages on how files were read, if there are any."""
    if said := " ".join(filter(None, lines)):
        st.info(escape_markdown(said))
