"""The widgets of the page that compares judges: who the others are."""

import streamlit as st

from irmeval import Collection, IrmevalError, Judges, ReadError
from irmeval.check import qrels_of
from irmeval.reading import trec
from irmeval.reading.files import stem, unpack
from irmeval.reading.trec import Qrels
from irmeval.report.tables import escape_markdown
from irmeval.ui import form, simulated
from irmeval.ui.cached import kept, store
from irmeval.ui.simulated import Invented
from irmeval.words import counted

FIRST = "qrels"
"""The name of the judge whose judgments are loaded."""
LIMIT = 64 << 20
"""Bytes of text in a file that is dropped here, unpacked."""
MOST = 20
"""Judges that may be dropped."""
FROM = {"simulated": "Simulated", "files": "From files"}


def pick(collection: Collection) -> Judges | None:
    """The judges to compare: that of the collection, and others that were dropped or do not exist; None where there is no other yet."""
    kind = form.pick_one("The other judge is", FROM, "other", "A judge who does not exist errs as you say; files are qrels of your own.")
    return _simulated(collection) if kind == "simulated" else _dropped(collection)


def _simulated(collection: Collection) -> Judges:
    judge = simulated.pick(collection)
    left, right = st.columns([3, 1], vertical_alignment="bottom")
    with left:
        simulated.take_away(judge)
    with right:
        level = _level(collection)
    return _invented(collection.fingerprint, judge.name, judge.text, level, collection, judge)


def _dropped(collection: Collection) -> Judges | None:
    held: dict[str, Qrels] = st.session_state.setdefault("judges", {})
    left, right = st.columns([3, 1], vertical_alignment="bottom")
    with left:
        files = st.file_uploader(
            "Drop the qrels of other judges",
            accept_multiple_files=True,
            key=f"judges-{st.session_state.get('judges_dropped', 0)}",
            help="Four columns: topic, iteration, document, grade. Plain text, .gz, or .zip. They are compared here, and kept as long as "
            "this tab is open.",
        )
    with right:
        level = _level(collection)
    for error in st.session_state.pop("judges_refused", []) if not files else ():
        st.error(escape_markdown(error))
    if files:
        st.session_state["judges_refused"] = [str(error) for file in files for error in _take(held, file.name, file.getvalue())]
        st.session_state["judges_dropped"] = st.session_state.get("judges_dropped", 0) + 1
        st.rerun()
    if not held:
        st.info("Drop the qrels of a second assessor, or of a language model, to hold them against those that are loaded.")
        return None
    st.caption(f"Compared with {escape_markdown(', '.join(held))}.")
    st.button("Remove them", key="judges_removed", on_click=held.clear)
    return _together(collection.fingerprint, tuple((name, qrels.sha256) for name, qrels in held.items()), level, collection, dict(held))


def _take(held: dict[str, Qrels], name: str, data: bytes) -> list[IrmevalError]:
    """Keep the qrels in a file under names of their own; what is wrong with those that cannot be read."""
    wrong: list[IrmevalError] = []
    try:
        for inner, text in unpack(name, data, LIMIT):
            if len(held) >= MOST:
                raise ReadError(name, None, f"at most {counted(MOST, 'judge')}", "more", "Remove some first.")
            held[_free(held, stem(inner).removesuffix(".txt"))] = trec.read_qrels(inner, text)
    except IrmevalError as error:
        wrong.append(error)
    return wrong


def _free(held: dict[str, Qrels], name: str) -> str:
    """A name that nobody has yet."""
    names = (name if i == 1 else f"{name} ({i})" for i in range(1, MOST + 3))
    return next(other for other in names if other not in {FIRST, *held})


def _level(collection: Collection) -> int:
    return form.number("Relevant from grade", 1, max(collection.top_grade, 1), 1, key="relevant_from", help="To every judge alike.")


@kept(store)
def _invented(fingerprint: str, name: str, text: str, level: int, _collection: Collection, _judge: Invented) -> Judges:
    made = {} if _judge.biased else {name: text}
    return _relevant_from(Judges.of({FIRST: qrels_of(_collection), name: _judge.qrels}, made), level)


@kept(store)
def _together(
    fingerprint: str, digests: tuple[tuple[str, str], ...], level: int, _collection: Collection, _others: dict[str, Qrels]
) -> Judges:
    return _relevant_from(Judges.of({FIRST: qrels_of(_collection)} | _others), level)


def _relevant_from(judges: Judges, level: int) -> Judges:
    for name in judges.names:
        judges = judges.relevant_from(name, level)
    return judges
