"""The widgets of how the grades of other judges are read: what each becomes, and from which one on a document is relevant."""

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from irmeval.core.errors import IrmevalError
from irmeval.core.tables import escape_markdown
from irmeval.judges import grade_maps
from irmeval.judges.grade_maps import HIGHEST, as_text
from irmeval.ui.state import keys
from irmeval.ui.state.dataset import Dataset
from irmeval.ui.widgets import form, inputs, session
from irmeval.ui.widgets.workspaces import remove_judges
from irmeval.workspace.stored import OtherJudge

MOST = 200
"""Grades of a judge for which there is a table; where there are more, the map is a text alone."""
LETTERS = 4_000
"""Of that text."""
GIVEN, NUMBER, BECOMES = "grade in the file", "judgments", "becomes"
REFUSED = "map_refused"


def edit(dataset: Dataset) -> None:
    """Draw, for one of the dropped judges, the table of their grades, the level, and a button that removes them."""
    names = [*dataset.judges]
    picker, level, text, remove = st.columns([2, 2, 4, 2], vertical_alignment="bottom")
    with picker:
        name = form.choose("Grades of", names, key="grades_of", bind=None, help="Whose grades are read as the table says.")
    judge = dataset.judges[name]
    grades, counts = np.unique(np.maximum(judge.qrels.grade, -1), return_counts=True)
    became = grade_maps.apply_map(grades, dict(judge.map))
    stamp = blake2b(repr((dataset.key, name, judge.qrels.sha256, judge.map, judge.relevant)).encode(), digest_size=6).hexdigest()
    with level:
        help = "From which grade on a document is relevant to this judge, of what the grades become. Lower ones count as 0 for scores."
        key = f"relevant-{stamp}"  # other grades begin unedited
        form.number("Relevant from", 1, HIGHEST, judge.relevant, key=key, bind=None, on_change=_level, args=(dataset, name, key), help=help)
    with text:
        help = (
            "GRADE:BECOMES or FIRST-LAST:BECOMES, as in 0-49:0,50-100:1; a grade that is not named stays, -1 is not judged. The same as "
            "`--map` of the commands."
        )
        key, shown = f"map-{stamp}", as_text(judge.map)
        said: dict[str, Any] = {"max_chars": LETTERS, "placeholder": "as in the file", "help": help}
        inputs.text("Map", shown, name=key, on_change=_text, args=(dataset, name, key), **said)
    with remove:
        st.button(
            "Remove",
            key="judge_removed",
            help="It can be taken back.",
            on_click=remove_judges,
            args=(dataset, [name]),
            width="stretch",
        )
    if wrong := st.session_state.pop(REFUSED, ""):
        st.error(escape_markdown(wrong))
    if grades.size > MOST:
        st.caption(f"{grades.size:,} grades, from {grades[0]} to {grades[-1]}: too many for a table. Write the map as text.")
        return
    key = f"grades-{stamp}"
    relevant = [("not judged", "no", "yes")[0 if grade < 0 else 1 + (grade >= judge.relevant)] for grade in became.tolist()]
    frame = pd.DataFrame({GIVEN: grades, NUMBER: counts, BECOMES: became, "relevant": relevant})
    cell = st.column_config.NumberColumn(
        BECOMES, min_value=-1, max_value=HIGHEST, step=1, help="Its grade in the scale of the collection; -1: not judged."
    )
    st.data_editor(
        frame,
        hide_index=True,
        disabled=[GIVEN, NUMBER, "relevant"],
        column_config={NUMBER: st.column_config.NumberColumn(format="%,d"), BECOMES: cell},
        key=key,
        on_change=_cells,
        args=(dataset, name, key, grades.tolist()),
        width="stretch",
    )
    if panel := session.base().collection.panel:
        own = panel.judges.grade[panel.judges.number(panel.own)]
        scale = ", ".join(map(str, np.unique(own[own >= 0]).tolist()))
        st.caption(f"Change a cell of the column *{BECOMES}*. The grades of the collection's own judgments are {scale}.")


def changed(judge: OtherJudge, grades: Sequence[int], rows: Mapping[int, Mapping[str, Any]]) -> str:
    """The grade map of a judge as text, after rows of the table were edited; an emptied cell means the grade of the file."""
    given = dict(judge.map)
    for row, edits in rows.items():
        grade = grades[int(row)]
        given[grade] = grade if edits.get(BECOMES) is None else int(edits[BECOMES])
    return as_text((grade, after) for grade, after in sorted(given.items()) if grade != after)


def _cells(dataset: Dataset, name: str, key: str, grades: Sequence[int]) -> None:
    if judge := dataset.judges.get(name):  # another tab may have removed them
        _take(dataset, name, changed(judge, grades, st.session_state[key]["edited_rows"]), judge.relevant)


def _text(dataset: Dataset, name: str, key: str) -> None:
    if judge := dataset.judges.get(name):
        _take(dataset, name, st.session_state[keys.of(key)], judge.relevant)


def _level(dataset: Dataset, name: str, key: str) -> None:
    if judge := dataset.judges.get(name):
        _take(dataset, name, as_text(judge.map), st.session_state[keys.of(key)])


def _take(dataset: Dataset, name: str, grades: str, relevant: int) -> None:
    """Set how the grades of a judge are read; where that is not allowed, say why and leave all as it was."""
    before = dataset.judges[name]
    try:
        dataset.judges[name] = OtherJudge.of(before.qrels, grades, relevant)
        session.base()
    except IrmevalError as error:
        dataset.judges[name] = before
        st.session_state[REFUSED] = str(error)
