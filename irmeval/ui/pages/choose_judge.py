"""The widgets of judges: who the others are, what their grades become, and by whose
judgments a page evaluates.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from irmeval.collection import Collection
from irmeval.core.errors import IrmevalError
from irmeval.core.tables import escape_markdown
from irmeval.experiments.planning.joint import coverage
from irmeval.experiments.planning.judges import JudgeAgreement
from irmeval.experiments.results import Frame
from irmeval.judges import Judges, grade_maps
from irmeval.judges.grade_maps import HIGHEST, map_as_text
from irmeval.judges.simulation import Simulation
from irmeval.ui.state import cache, keys
from irmeval.ui.state.dataset import Dataset
from irmeval.ui.state.mailboxes import SAID
from irmeval.ui.state.streamlit_internals import DroppedFile
from irmeval.ui.state.tab_state import widgets
from irmeval.ui.state.view import View
from irmeval.ui.widgets import (
    answer,
    experiment,
    form,
    inputs,
    output,
    receiving,
    refusals,
    session,
    simulated_judge,
    workspaces,
)
from irmeval.ui.widgets.workspaces import remove_judges
from irmeval.workspace.stored import OtherJudge

MAX_MAPPED = 200
"""Maximum number of grades of a judge with a table; for more, the map is only a
text.
"""
LETTERS = 4_000
"""Maximum length of that text."""
GIVEN = "grade in the file"
"""Column of the grades."""
NUMBER = "judgments"
"""Column of the number of documents with each grade."""
BECOMES = "becomes"
"""Column of mapped grades."""


class EditedJudge(NamedTuple):
    """A judge whose grades are mapped, as they are when drawn."""

    dataset: Dataset
    name: str
    judge: OtherJudge

    def key(self, part: str) -> str:
        """Key of a widget. A judge that was changed has new ones, which drop old edits."""
        judge = self.judge
        state = self.dataset.key, self.name, judge.qrels.sha256, judge.map, judge.relevant
        return f"{part}-{blake2b(repr(state).encode(), digest_size=6).hexdigest()}"


def edit(view: View) -> None:
    """Draw the grade table, the map and the lowest relevant grade of a judge, and a
    button that removes the judge.
    """
    dataset = view.dataset
    picker, level, text, remove = st.columns([2, 2, 4, 2], vertical_alignment="bottom")
    with picker:
        name = form.choose(
            "Grades of",
            [*dataset.judges],
            key="grades_of",
            bind=None,
            help="The judge whose grades are mapped by the table.",
        )
    edited = EditedJudge(dataset, name, dataset.judges[name])
    with level:
        _draw_level(edited)
    with text:
        _draw_map(edited)
    with remove:
        st.button(
            "Remove",
            key="judge_removed",
            on_click=remove_judges,
            args=(dataset, [name]),
            help="This can be undone.",
            width="stretch",
        )
    if wrong := SAID.take("grade_map"):
        st.error(escape_markdown(wrong))
    # as in trec_eval, each grade below 0 means not judged
    grades, counts = np.unique(np.maximum(edited.judge.qrels.grade, -1), return_counts=True)
    if grades.size > MAX_MAPPED:
        st.caption(
            f"{grades.size:,} grades, from {grades[0]} to {grades[-1]}: too many for a table. Write"
            " the map as text."
        )
        return
    _draw_grades(edited, grades, counts)
    if view.everything and (panel := view.everything.collection.panel):
        own = panel.judges.grade[panel.judges.number(panel.own)]
        scale = ", ".join(map(str, np.unique(own[own >= 0]).tolist()))
        st.caption(
            f"Change a cell of the column *{BECOMES}*. The grades of the collection's own judgments"
            f" are {scale}."
        )


def _draw_level(edited: EditedJudge) -> None:
    """Draw the lowest relevant grade."""
    name = edited.key("relevant")
    form.number(
        "Relevant from",
        1,
        HIGHEST,
        edited.judge.relevant,
        key=name,
        bind=None,
        on_change=_read_otherwise,
        args=(edited, lambda now: (map_as_text(now.map), widgets[keys.widget_key(name)])),
        help=(
            "The lowest grade, after mapping, of a document that is relevant to this judge. Lower"
            " grades count as 0 in scores."
        ),
    )


def _draw_map(edited: EditedJudge) -> None:
    """Draw the map as text."""
    name = edited.key("map")
    inputs.text(
        "Map",
        map_as_text(edited.judge.map),
        name=name,
        on_change=_read_otherwise,
        args=(edited, lambda now: (widgets[keys.widget_key(name)], now.relevant)),
        max_chars=LETTERS,
        placeholder="as in the file",
        help=(
            "GRADE:BECOMES or FIRST-LAST:BECOMES, as in 0-49:0,50-100:1; other grades stay; -1: not"
            " judged. The same as `--map` on the command line."
        ),
    )


def _draw_grades(edited: EditedJudge, grades: np.ndarray, counts: np.ndarray) -> None:
    """Draw the table of the judge's grades, whose last column can be changed."""
    became = grade_maps.apply_map(grades, dict(edited.judge.map))
    relevant = np.where(became >= edited.judge.relevant, "yes", "no")
    frame = pd.DataFrame(
        {
            GIVEN: grades,
            NUMBER: counts,
            BECOMES: became,
            "relevant": np.where(became < 0, "not judged", relevant),
        }
    )
    cell = st.column_config.NumberColumn(
        BECOMES,
        min_value=-1,
        max_value=HIGHEST,
        step=1,
        help="The grade on the scale of the collection; -1: not judged.",
    )
    name = edited.key("grades")

    def read(now: OtherJudge) -> tuple[str, int]:
        return edited_map(now, grades.tolist(), widgets[name]["edited_rows"]), now.relevant

    st.data_editor(
        frame,
        hide_index=True,
        disabled=[GIVEN, NUMBER, "relevant"],
        column_config={NUMBER: st.column_config.NumberColumn(format="%,d"), BECOMES: cell},
        key=name,
        on_change=_read_otherwise,
        args=(edited, read),
        width="stretch",
    )


def edited_map(
    judge: OtherJudge, grades: Sequence[int], rows: Mapping[int, Mapping[str, Any]]
) -> str:
    """Grade map of a judge as text, after edits of the table. An empty cell keeps the
    grade of the file.
    """
    given = dict(judge.map)
    for row, edits in rows.items():
        grade, after = grades[int(row)], edits.get(BECOMES)
        if after is None:
            after = grade
        given[grade] = int(after)
    changed = {grade: after for grade, after in given.items() if grade != after}
    return map_as_text(sorted(changed.items()))


def _read_otherwise(edited: EditedJudge, read: Callable[[OtherJudge], tuple[str, int]]) -> None:
    """Set the map and the lowest relevant grade of a judge, which `read` returns for the
    judge as it is now. If they are invalid, show why and change nothing.
    """
    dataset, name = edited.dataset, edited.name
    # as it is now: the text was drawn when it may have been another
    before = dataset.judges.get(name)
    if before is None:  # another tab may have removed the judge
        return
    try:
        dataset.judges[name] = OtherJudge.of(before.qrels, *read(before))
        # read at once: what does not fit is refused here, and not by each page
        session.all_loaded(dataset)
    except IrmevalError as error:
        dataset.judges[name] = before
        SAID.change(grade_map=str(error))


FROM = {"files": "From files", "simulated": "Simulated"}


def draw_uploader(view: View) -> None:
    """Read the qrels of other judges into the open collection and keep them there; the
    reading of their grades can be set.
    """
    dataset = view.dataset
    with st.container(key="uploads-judges"):
        files = st.file_uploader(
            "Drop the qrels of other judges, or files of scores",
            accept_multiple_files=True,
            key=receiving.uploader("judges"),
            help=(
                "Qrels of any format, plain or packed. They are kept with the open collection; no"
                " score changes until you choose them under *Judgments by*. Qrels that judge none"
                " of its documents become a separate collection. Scores by topic, a file for each"
                " judge, are compared without judgments."
            ),
        )
    if files:
        _read_files(dataset, files)
    if not dataset.judges:
        return
    st.caption(f"Beside the qrels of the collection: {escape_markdown(', '.join(dataset.judges))}.")
    if len(dataset.judges) > 1:
        st.button(
            "Remove the other judges",
            key="judges_removed",
            on_click=workspaces.remove_judges,
            args=(dataset, [*dataset.judges]),
        )
    edit(view)


def _read_files(dataset: Dataset, files: Sequence[DroppedFile]) -> None:
    """Read the files of other judges, and draw the page again."""
    other = keys.widget_key("other")
    if not dataset.judges and widgets.get(other) == "simulated":
        widgets[other] = "files"
    read = [(file.name, file.getvalue()) for file in files]
    SAID.change(judges=workspaces.receive_judges(dataset, read))
    receiving.empty_uploader("judges", files)
    for line in session.dataset().messages:  # not `dataset`: the files may have begun another
        st.toast(escape_markdown(line))
    st.rerun()


def show_refused() -> None:
    """Show the errors of the files dropped last, but only once."""
    for error in SAID.take("judges"):
        st.error(escape_markdown(error))


def draw_other_judges(view: View) -> None:
    """Draw an uploader for the qrels of others, and the coverage of each judge if there
    are others.
    """
    collection = view.selected().collection
    with st.expander("Other judges", expanded=collection.panel is not None):
        draw_uploader(view)
        show_refused()
        if collection.panel:
            output.table(coverage(collection.panel))


def pick_panel(view: View) -> tuple[Judges, Callable[[JudgeAgreement], Frame] | None]:
    """Judges to compare, and a table of the agreement that is expected of simulated ones,
    if there are any. The page stops if there is no other judge yet.
    """
    collection = view.selected().collection
    with add_other_judge(view) as (joined, in_force):
        assert joined.panel
        help = "For all judges, except those with a level of their own."
        relevant = form.number(
            "Relevant from grade",
            1,
            max(collection.top_grade, 1),
            1,
            key="relevant_from",
            help=help,
        )
        in_force.append(f"relevant from grade {relevant}")
    judges = joined.panel.judges
    levels = dict(zip(judges.names, judges.level, strict=True))
    own_levels = [f"{name} from {level}" for name, level in levels.items() if level > 1]
    if own_levels:
        st.caption(escape_markdown(f"Judges with a level of their own: {', '.join(own_levels)}."))
    for name, level in levels.items():
        if level == 1:
            judges = judges.relevant_from(name, relevant)
    texts = dict(zip(judges.names, judges.made, strict=True))
    made = {name: Simulation.parsed(text) for name, text in texts.items() if text}
    if biased := next((name for name, simulation in made.items() if simulation.runs), ""):
        st.caption(
            "The command of this page reads no runs, so it cannot simulate a judge who errs on what"
            " runs retrieved: OTHER is the file of *Save these judgments*. Commands that read runs"
            " simulate this judge themselves."
        )
        expected = made[biased].expected_counts(joined.alone)
        return judges, lambda found: found.beside_expected(biased, *expected)
    if not made:
        return judges, None
    return judges, JudgeAgreement.expected


@contextmanager
def add_other_judge(view: View) -> Iterator[tuple[Collection, list[str]]]:
    """Context behind the button of the judge: a collection with another judge, from
    files or simulated, and the texts in the line of settings. The page stops if there
    is none yet.
    """
    # before the settings, since the page may stop within them
    with answer.body():
        below = st.container()
    with answer.settings("Second judge") as in_force:
        yield _with_other_judge(view, in_force, below), in_force


def _with_other_judge(view: View, in_force: list[str], below: DeltaGenerator) -> Collection:
    """Collection with another judge; if there is none, the page asks for one and stops.
    Errors are `below` the line.
    """
    dataset, collection = view.dataset, view.selected().collection
    help = "A simulated judge makes errors that you specify; files are your own qrels."
    kept = {"persist_state": "session"}  # on the other pages of judges too
    if form.pick_one("The other judge is", FROM, "other", help, **kept) == "simulated":
        return _with_simulated_judge(view, in_force, below)
    if dataset.judges:
        draw_uploader(view)
    with below:
        _show_messages(dataset)
        if collection.panel is None:
            _ask_for_judge(view)
            answer.stop_page()
    return collection


def _ask_for_judge(view: View) -> None:
    """Draw the place to drop the judgments of a second judge, and a button for a simulated
    one.
    """
    st.write(
        "Only one judge is loaded. Drop the judgments of a second assessor, or of a language"
        " model, on the same topics."
    )
    draw_uploader(view)
    st.button("Try a simulated judge", key="try_simulated", on_click=_simulate)


def _simulate() -> None:
    widgets[keys.widget_key("other")] = "simulated"


def _with_simulated_judge(view: View, in_force: list[str], below: DeltaGenerator) -> Collection:
    """Collection with a simulated judge, whose errors are picked; arguments as above."""
    collection, own = view.selected().collection, view.dataset.own
    whole = view.all_loaded().collection
    if whole.panel and whole.judges[0] == whole.panel.own:
        whole = whole.alone  # others can be left out, the own one cannot
    judge = simulated_judge.pick(view, whole)
    simulated_judge.offer_files(judge)
    first = own
    if collection.panel:
        first = collection.judges[0]
    st.caption(
        f"**{escape_markdown(judge.name)}** is simulated: its grades are drawn from those of"
        f" {escape_markdown(first)}."
    )
    in_force.append(f"{judge.name}, simulated")
    with below:
        _show_messages(view.dataset)
    key = "_with_simulated_judge", whole.fingerprint, own, judge.name, judge.text
    # of all runs and topics: with fewer topics a grade may be missing, which changes the draws
    joined = cache.store().get_or_make(
        key, lambda: whole.with_judgments(judge.name, judge.text, first=own)
    )
    chosen = cache.selected(joined, view.rules, view.dataset.teams).collection
    view.visitor.note_use(view.dataset, joined, chosen)
    return chosen


def _show_messages(dataset: Dataset) -> None:
    """Draw messages on the files of other judges: which were removed, and how they were
    read.
    """
    workspaces.offer_undo()
    refusals.show_sentences(*dataset.messages)
    show_refused()


def pick_one(view: View, label: str, key: str) -> tuple[Collection, str]:
    """The loaded collection with other judges, and one of these: at first the simulated
    one, if any. The page stops if there is none.
    """
    refusals.require_lists(view)
    with add_other_judge(view) as (collection, in_force):
        others = collection.judges[1:]
        simulated: list[str] = []
        if collection.panel:
            made = collection.panel.judges.made[1:]
            simulated = [name for name, text in zip(others, made, strict=False) if text]
        other = others[0]
        if len(others) > 1:
            usual = others.index([*simulated, other][0])
            other = form.choose(label, others, usual, key=key, help="One of the other judges.")
        if view.dataset.judges:
            in_force[:] = [other]
            if other in simulated:
                in_force[:] = [f"{other}, simulated"]
    return collection, other


def page(view: View, name: str, *, seldom: Sequence[str] = ()) -> None:
    """Draw the page of an experiment on a collection with another judge; `seldom` as in
    `form.params`.
    """
    experiment.show_question(name)
    collection, other = pick_one(view, "Compared with", f"{name}_other")
    params = experiment.settings(view, name, f"{name}_", seldom=seldom, second=other)
    if result := experiment.run(view, name, form.measures(view), params, on=collection):
        experiment.present(view, name, result, on=collection)
