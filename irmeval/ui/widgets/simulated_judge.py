"""Widgets of a simulated judge: the documents on which they err, and how, in an
editable table.
"""

from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from irmeval.collection import Collection
from irmeval.core.errors import IrmevalError
from irmeval.judges import simulation
from irmeval.judges.simulation import KINDS, SHARE, TOP, Simulation, chances_text, parse_chances
from irmeval.reading.trec import Qrels
from irmeval.reading.writing import write_qrels
from irmeval.ui.state import keys
from irmeval.ui.state.cache import store
from irmeval.ui.state.naming import number_if_taken
from irmeval.ui.state.tab_state import widgets
from irmeval.ui.state.view import View
from irmeval.ui.widgets import answer, form, inputs

MAX_EDITABLE = 12
"""Maximum number of grades of the first judge with an editable table."""
TEXT = "matrix"
"""Name of the widget with the table as text; empty for the table of the kind."""
EVERYWHERE = "everything"
"""Option in place of a team: the judge errs on all documents alike."""
OWN = "own table"
"""Name of a judge with an edited table."""


class SimulatedJudge(NamedTuple):
    """A simulated judge."""

    name: str
    qrels: Qrels
    text: str
    """the text of the `Simulation`"""


def pick(view: View, whole: Collection) -> SimulatedJudge:
    """Draw the widgets, and return the judge that they describe, simulated from the
    first judge of the `whole` collection; teams are those of the page's runs. The page
    stops if the table is invalid.
    """
    runs: dict[str, list[str]] = {}
    for run, team in view.teams_of(view.selected().collection.runs).items():
        runs.setdefault(team, []).append(run)
    with st.grid(2, min_column_width=150, vertical_alignment="bottom"):
        kinds = "; ".join(f"{name}: {what}" for name, what in KINDS.items())
        kind = form.choose(
            "Errs by being",
            list(KINDS),
            key="errs",
            help=f"Fills the table below. {kinds}.",
            on_change=_fill,
        )
        help = "Share of the documents with a different grade. Fills the table below."
        share = (
            form.number(
                "On documents, %",
                0,
                100,
                round(100 * SHARE),
                key="share",
                help=help,
                on_change=_fill,
            )
            / 100
        )
        seed = form.number(
            "Seed of the judge", 0, 2**31 - 1, 1, key="judge_seed", help="Same seed, same mistakes."
        )
        help = (
            f"A biased judge errs only on documents that one team retrieved in its top {TOP}, and"
            " otherwise grades like the first judge."
        )
        only = form.choose("Errs on", [EVERYWHERE, *runs], key="biased", help=help)
    given = simulation.judge_qrels(whole).grade
    chances = _table(np.unique(given[given >= 0]), kind, share)
    theirs: tuple[str, ...] = ()
    name = kind
    if chances is not None:
        name = OWN
    if only != EVERYWHERE:
        name += f" on {only}"
        theirs = tuple(runs[only])
    text = Simulation(kind, share, seed, chances, theirs).text()
    qrels, text = store().get_or_make(
        ("_made", whole.fingerprint, text),
        lambda: simulation.simulate_judge(whole, Simulation.parsed(text)),
    )
    return SimulatedJudge(number_if_taken(name, {*whole.judges, view.dataset.own}), qrels, text)


def offer_files(judge: SimulatedJudge) -> None:
    """Draw a button that saves the judgments as a qrels file."""
    qrels = judge.qrels
    st.download_button(
        "Save these judgments",
        lambda: write_qrels(
            [qrels.topics[t] for t in qrels.topic],
            qrels.documents.to_pylist(),
            qrels.grade.tolist(),
        ),
        f"{judge.name.replace(' ', '-')}.qrels.txt",
        key="judge_saved",
        help="The judgments of this judge as a qrels file, for a program, or for another page.",
        on_click="ignore",
    )


def _table(grades: np.ndarray, kind: str, share: float) -> np.ndarray | None:
    """Draw the confusion matrix, at first that of the kind of judge; return it if it
    was edited, else None.
    """
    if grades.size > MAX_EDITABLE:
        return None
    inputs.refuse_unless_valid(TEXT, parse_chances)
    (left, right), of_kind = st.columns([3, 2]), simulation.confusion_matrix(grades, kind, share)
    with right:
        help = (
            "Rows separated by slashes, probabilities by colons, in ascending order of grades. Same"
            " as the table; empty: default."
        )
        text = inputs.text(
            "The table as text",
            name=TEXT,
            bind="query-params",
            placeholder=chances_text(of_kind),
            help=help,
        )
        st.caption(
            "Rows: grades of the first judge; columns: grades of this judge; cells: probabilities."
            " Rows must sum to 1. Choosing another kind resets the table."
        )
    try:
        table = of_kind
        if text:
            table = parse_chances(text)
        if table.shape == (grades.size, grades.size):
            with left:
                _edit(table, grades)
        if not text:
            return None
        return simulation.check_chances(table, grades)
    except IrmevalError as error:
        answer.refuse(str(error))


def _edit(table: np.ndarray, grades: np.ndarray) -> None:
    """Draw the cells of the table; an edited cell changes the text."""
    given, makes = "grade", [f"→ {grade}" for grade in grades]
    frame = pd.DataFrame(table, columns=makes)
    frame.insert(0, given, [str(grade) for grade in grades])
    frame["sum"] = table.sum(axis=1)
    cells: dict[str, Any] = {
        name: st.column_config.NumberColumn(
            name, min_value=0.0, max_value=1.0, step=0.01, format="%.4g"
        )
        for name in makes
    }
    cells["sum"] = st.column_config.NumberColumn("sum", help="Must be 1.", format="%.6g")
    # a new key drops old edits
    key = f"mistakes-{blake2b(chances_text(table).encode(), digest_size=6).hexdigest()}"

    def take() -> None:
        changed = table.copy()
        for row, edits in widgets[key]["edited_rows"].items():
            for name, value in edits.items():
                changed[int(row), makes.index(name)] = value or 0.0
        widgets[keys.widget_key(TEXT)] = chances_text(changed)

    st.data_editor(
        frame,
        hide_index=True,
        disabled=[given, "sum"],
        column_config=cells,
        key=key,
        on_change=take,
        width="stretch",
    )


def _fill() -> None:
    """Discard the edits, so that the table is that of the kind. Called when another
    kind or share is chosen.
    """
    widgets[keys.widget_key(TEXT)] = ""
