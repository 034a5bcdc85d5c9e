"""The widgets for the grades of other judges: what each grade becomes, and the lowest relevant grade."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from hashlib import blake2b
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from irmeval.core.errors import IrmevalError
from irmeval.core.tables import escape_markdown
from irmeval.judges import grade_maps
from irmeval.judges.grade_maps import HIGHEST, map_as_text
from irmeval.ui.state import keys
from irmeval.ui.state.dataset import Dataset
from irmeval.ui.state.tab_state import Value, widgets
from irmeval.ui.widgets import form, inputs, session
from irmeval.ui.widgets.workspaces import remove_judges
from irmeval.workspace.stored import OtherJudge

MOST = 200
"""Most grades of a judge with a table; for more, the map is only a text."""
LETTERS = 4_000
"""Most letters of that text."""
GIVEN = "grade in the file"
"""Column of the grades."""
NUMBER = "judgments"
"""Column of how many have each."""
BECOMES = "becomes"
"""Column of what each is mapped to."""
REFUSED = Value("map_refused", "")
"""Why the last map is not allowed."""


def edit(dataset: Dataset) -> None:
    """Draw the grade table, the map and the lowest relevant grade of a judge, and a button that removes the judge."""
    names = [*dataset.judges]
    picker, level, text, remove = st.columns([2, 2, 4, 2], vertical_alignment="bottom")
    with picker:
        name = form.choose("Grades of", names, key="grades_of", bind=None, help="The judge whose grades are mapped by the table.")
    judge = dataset.judges[name]
    grades, counts = np.unique(np.maximum(judge.qrels.grade, -1), return_counts=True)
    became = grade_maps.apply_map(grades, dict(judge.map))
    stamp = blake2b(repr((dataset.key, name, judge.qrels.sha256, judge.map, judge.relevant)).encode(), digest_size=6).hexdigest()
    take = partial(_read_otherwise, dataset, name)
    level_key, map_key, table_key = (f"{part}-{stamp}" for part in ("relevant", "map", "grades"))  # new keys drop old edits
    with level:
        help = "The lowest grade, after mapping, of a document that is relevant to this judge. Lower grades count as 0 in scores."
        leveled = partial(take, lambda judge: (map_as_text(judge.map), widgets[keys.widget_key(level_key)]))
        form.number("Relevant from", 1, HIGHEST, judge.relevant, key=level_key, bind=None, on_change=leveled, help=help)
    with text:
        help = (
            "GRADE:BECOMES or FIRST-LAST:BECOMES, as in 0-49:0,50-100:1; grades that are not named stay, -1 is not judged. The same as "
            "`--map` on the command line."
        )
        more: dict[str, Any] = {"max_chars": LETTERS, "placeholder": "as in the file", "help": help}
        mapped = partial(take, lambda judge: (widgets[keys.widget_key(map_key)], judge.relevant))
        inputs.text("Map", map_as_text(judge.map), name=map_key, on_change=mapped, **more)
    with remove:
        more = {"help": "This can be undone.", "width": "stretch"}
        st.button("Remove", key="judge_removed", on_click=remove_judges, args=(dataset, [name]), **more)
    if wrong := REFUSED.pop():
        st.error(escape_markdown(wrong))
    if grades.size > MOST:
        st.caption(f"{grades.size:,} grades, from {grades[0]} to {grades[-1]}: too many for a table. Write the map as text.")
        return
    relevant = [("not judged", "no", "yes")[0 if grade < 0 else 1 + (grade >= judge.relevant)] for grade in became.tolist()]
    frame = pd.DataFrame({GIVEN: grades, NUMBER: counts, BECOMES: became, "relevant": relevant})
    cell = st.column_config.NumberColumn(
        BECOMES, min_value=-1, max_value=HIGHEST, step=1, help="The grade on the scale of the collection; -1: not judged."
    )
    st.data_editor(
        frame,
        hide_index=True,
        disabled=[GIVEN, NUMBER, "relevant"],
        column_config={NUMBER: st.column_config.NumberColumn(format="%,d"), BECOMES: cell},
        key=table_key,
        on_change=take,
        args=(lambda judge: (edited_map(judge, grades.tolist(), widgets[table_key]["edited_rows"]), judge.relevant),),
        width="stretch",
    )
    if panel := session.all_loaded().collection.panel:
        own = panel.judges.grade[panel.judges.number(panel.own)]
        scale = ", ".join(map(str, np.unique(own[own >= 0]).tolist()))
        st.caption(f"Change a cell of the column *{BECOMES}*. The grades of the collection's own judgments are {scale}.")


def edited_map(judge: OtherJudge, grades: Sequence[int], rows: Mapping[int, Mapping[str, Any]]) -> str:
    """The grade map of a judge as text, after rows of the table were edited. An empty cell means the grade of the file."""
    given = dict(judge.map)
    for row, edits in rows.items():
        grade = grades[int(row)]
        given[grade] = grade if edits.get(BECOMES) is None else int(edits[BECOMES])
    return map_as_text((grade, after) for grade, after in sorted(given.items()) if grade != after)


def _read_otherwise(dataset: Dataset, name: str, read: Callable[[OtherJudge], tuple[str, int]]) -> None:
    """Set the map and the lowest relevant grade of a judge. If they are not allowed, show why and change nothing."""
    before = dataset.judges.get(name)
    if before is None:  # another tab may have removed the judge
        return
    try:
        dataset.judges[name] = OtherJudge.of(before.qrels, *read(before))
        session.all_loaded()
    except IrmevalError as error:
        dataset.judges[name] = before
        REFUSED.set(str(error))
