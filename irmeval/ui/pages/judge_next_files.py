"""Widgets of the page *Judge next*: downloads of the list, and uploads of new
judgments.
"""

from hashlib import sha256

import streamlit as st

from irmeval.collection.merge import merge_judgments
from irmeval.core.tables import csv, escape_markdown
from irmeval.experiments.incompleteness.changes import Changes, changes
from irmeval.experiments.incompleteness.judge_next import JudgeNext, Params
from irmeval.experiments.incompleteness.judgments_needed import JudgmentsNeeded
from irmeval.reading.files import unpack_one
from irmeval.report import exports
from irmeval.ui.state.cache import store
from irmeval.ui.state.view import View
from irmeval.ui.widgets import answer, form, output

LIMIT = 64 << 20
"""Maximum bytes of text in a file dropped here, unpacked."""


def offer_files(result: JudgeNext) -> None:
    """Draw the downloads of the list, in the form for judges."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.download_button(
            "List in TREC's format",
            lambda: exports.qrels_to_fill_in(result.chosen),
            "to-judge.qrels.txt",
            icon=":material/download:",
            help=(
                "One line per document, `topic 0 document -1`. Replace each -1 with a grade, and"
                " drop the file below."
            ),
            on_click="ignore",
        )
        st.download_button(
            "List as CSV",
            lambda: csv(result.frame()),
            "to-judge.csv",
            help="Topic, document, why, value.",
            on_click="ignore",
        )


def sample(result: JudgmentsNeeded) -> None:
    """Draw the download of a sample to judge."""
    st.download_button(
        "Sample to judge, with its strata",
        lambda: exports.qrels_to_fill_in(result.chosen),
        "sample-to-judge.qrels.txt",
        icon=":material/download:",
        help=(
            "One line per document of the pool, `topic 0 document stratum grade`; -1: not drawn."
            " Replace each ? with a grade and load the file on the page Collection as sampled"
            " judgments."
        ),
        on_click="ignore",
        key="needed_sample",
    )


def receive_judgments(view: View, params: Params) -> None:
    """Draw the uploader of new judgments, and their effect."""
    st.header("New judgments")
    dropped = st.file_uploader(
        "Drop the list with its grades",
        key="returned",
        help=(
            "A qrels file: topic, 0, document, grade; -1: not judged yet. The judgments count as"
            " the first judge's, on this page only."
        ),
    )
    if not dropped:
        st.caption(
            "Replace each -1 with a grade, and drop the list here to see which scores, ranks and"
            " decisions change."
        )
        return
    with answer.errors_shown():
        changed = _changed(view, dropped.name, dropped.getvalue(), params)
        st.write(escape_markdown(changed.headline()))
        tables = {table.title: table for table in changed.tables()}
        help = "Download buttons are at the upper right of each table."
        output.result_table(
            tables[
                form.pick_one("What changed", {title: title for title in tables}, "changed", help)
            ]
        )
        all_judged = changed.returned.collection
        st.download_button(
            "All judgments, as a qrels file",
            lambda: exports.reduced_qrels(all_judged, all_judged.grade),
            "qrels.txt",
            help="The loaded and the new judgments, for the page Collection.",
            on_click="ignore",
        )


def _changed(view: View, name: str, data: bytes, params: Params) -> Changes:
    collection, measures = view.selected().collection, form.measures(view)
    text = unpack_one(name, data, "qrels file", LIMIT)
    key = (
        "_compared",
        collection.fingerprint,
        name,
        # a list that was corrected comes back under the same name
        sha256(text[1]).hexdigest(),
        tuple(map(str, measures)),
        params.testing,
    )
    with st.spinner("Reading the lists again with the new judgments ..."):
        return store().get_or_make(
            key,
            lambda: changes(
                collection, merge_judgments(collection, *text), measures, params.testing
            ),
        )
