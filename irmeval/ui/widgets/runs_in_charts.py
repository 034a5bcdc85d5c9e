"""Runs in charts, in the sidebar: a search, and a list in which each run can be shown
or hidden, highlighted, and pinned.

What is set is a record of `marked_runs`.
"""

import json
from collections.abc import Iterable, Sequence
from html import escape

import streamlit as st

from irmeval.core.errors import ParamError
from irmeval.core.folders import PAGES
from irmeval.core.tables import escape_markdown
from irmeval.core.text import count_noun, natural_key, shorten
from irmeval.plots import pins
from irmeval.plots.colors import on_dark
from irmeval.ui.state import keys, marked_runs
from irmeval.ui.state.keys import RUNS
from irmeval.ui.state.mailboxes import BLOCK, MARKS, REDRAW
from irmeval.ui.state.run_marks import LONGEST, MarkedRuns
from irmeval.ui.state.tab_state import made_once, widgets
from irmeval.ui.state.view import View
from irmeval.ui.widgets import answer, inputs

LISTED = 300
"""Maximum number of rows of the list."""
SEARCH = "runs_search"
"""The field of the search."""
BY_TEAM = "runs_by_team"
"""The switch for the colours of teams."""
PRESSED = "runs_pressed"
"""Field into which the browser writes the pressed buttons of the list
(`dashboard.js`).
"""
ALL_SHOWN = {"search": "", "hidden": frozenset[str]()}
"""Value set by *Show all*."""
BUTTONS = {"eye": "Draw", "name": "Highlight", "pin": "Pin"}
"""Buttons of a run, and their effect."""
MEANS = (
    "Hidden runs are omitted from charts and tables. All numbers are still computed on all runs."
)


def choose(view: View) -> None:
    """Draw the search and the list. Charts show the matches and pinned runs, without
    hidden ones; all if none would be left.
    """
    runs = view.scores().collection.runs
    loaded = runs
    if not view.matrix:
        loaded = view.all_loaded().collection.runs
    marks = _keep_address(loaded)
    # the record is the one writer: *Show all* and the address change it too
    widgets[keys.widget_key(SEARCH)] = marks.search
    inputs.text(
        "Runs in charts",
        name=SEARCH,
        on_change=_search,
        max_chars=LONGEST,
        placeholder="Part of a name, or /expression/",
        help=(
            "Charts and tables of every page show runs whose name contains this text, or matches"
            f" an /expression/ between slashes (RE2 syntax); pinned runs stay. {MEANS} Use the list"
            " below to show, hide, highlight and pin single runs."
        ),
    )
    with answer.errors_shown():
        if not marks.found_in(runs):
            st.caption(escape_markdown(f"No run matches {shorten(marks.search)}; none is hidden."))
    if marks.hidden.issuperset(marks.listed(runs)) and marks.highlighted not in runs:
        st.caption("All of these are hidden, so all runs are shown.")
    if marks.highlighted:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(f"Highlighted: {escape_markdown(marks.highlighted)}")
            let_go = {"highlighted": ""}
            st.button(
                "Clear",
                key="let_go",
                on_click=marked_runs.change,
                kwargs=let_go,
                shortcut="Esc",
                type="tertiary",
            )
    _list(runs)


def note_hidden_runs(view: View) -> None:
    """Report in the line of settings that a page omits runs, with a button that shows
    all again.
    """
    block = BLOCK.get()
    if block.left_out:
        with (block.note or st).container(
            key="runs_note", horizontal=True, vertical_alignment="center", width="content"
        ):
            st.caption(describe(view.scores().collection.runs))
            st.button(
                "Show all",
                key="runs_all",
                on_click=marked_runs.change,
                kwargs=ALL_SHOWN,
                help=MEANS,
            )


def describe(runs: Sequence[str]) -> str:
    """Number of runs drawn."""
    return pins.count_drawn(len(runs) - len(marked_runs.marks().hidden_among(runs)), len(runs))


def _keep_address(runs: Sequence[str]) -> MarkedRuns:
    """Record of the tab, or at first of its URL, without runs of other data. The URL is
    then updated.
    """
    marks, refused = marked_runs.marks(), list[str]()
    linked: list[str] = []
    # once: afterwards the URL is written from the record
    if MARKS.find() is None:
        linked = st.query_params.get_all(RUNS)
    for text in linked:
        try:
            marks = marks.with_text(text, runs)
        except ParamError as error:
            refused.append(str(error))
    marks = marks.among(runs)
    MARKS.set(marks)
    REDRAW.get().marks = marks
    if refused:
        inputs.refuse(RUNS, " ".join(refused))
    inputs.write_address(RUNS, marks.as_texts(runs))
    return marks


def _search() -> None:
    if inputs.is_text(text := widgets[keys.widget_key(SEARCH)], LONGEST):
        marked_runs.change(search=text)


@st.fragment
def _list(runs: Sequence[str]) -> None:
    """The list, sent only when it is opened; a press in it redraws the whole page."""
    marked_runs.redraw_if_changed()
    marks = marked_runs.marks()
    hidden = marks.hidden_among(runs)
    listed = marks.listed(made_once("by-name", tuple(runs), lambda: _by_name(runs)))
    if hidden:
        st.caption(describe(runs))
    box = st.expander("Show, highlight or pin", key="runs_listed", on_change="rerun")
    if not box.open:
        return
    with box:
        with st.container(horizontal=True):
            shown = not marks.hidden and not hidden
            st.button(
                "Show all",
                key="runs_shown",
                disabled=shown,
                on_click=marked_runs.change,
                kwargs=ALL_SHOWN,
            )
            none, hide = marks.hidden.issuperset(listed), {"hidden": marks.hidden.union(listed)}
            st.button(
                "Hide these",
                key="runs_hidden",
                disabled=none,
                on_click=marked_runs.change,
                kwargs=hide,
            )
        with st.container(key="runs_list"):
            # three of Streamlit's buttons a run would make each press wait for hundreds of widgets
            st.html(_rows(listed[:LISTED], marks))
        if len(listed) > LISTED:
            st.caption(
                f"The first {LISTED} of {count_noun(len(listed), 'run')}: type more letters to find"
                " others."
            )
        _colour_by_team(marks)
        st.caption(f"{MEANS} To compute on fewer:")
        st.page_link(str(PAGES / "data/selection.py"), label="Selection")
        inputs.text("Pressed", name=PRESSED, live=True, on_change=_press, args=(runs,))


def _by_name(runs: Iterable[str]) -> list[str]:
    """Runs in the order of their names, run2 before run10, in any case of letters."""
    return sorted(runs, key=lambda run: natural_key(run.casefold()))


def _colour_by_team(marks: MarkedRuns) -> None:
    widgets[keys.widget_key(BY_TEAM)] = marks.by_team
    inputs.toggle(
        "Colour runs by team",
        name=BY_TEAM,
        on_change=marked_runs.change,
        kwargs={"by_team": not marks.by_team},
        help=(
            f"The {pins.MAX_PINS} teams with the most runs have a colour each; if there are more"
            f" teams, {pins.MAX_PINS - 1} have one, and others are grey. The rule under Runs and"
            " topics assigns runs to teams."
        ),
    )


def _rows(listed: Sequence[str], marks: MarkedRuns) -> str:
    """A row per run: eye, its own colour on charts if it has one, name, pin. A press on
    the name highlights the run.
    """
    with pins.use_pins(*marked_runs.in_charts()) as marked:
        colors: dict[str, str] = marked.color
    if st.context.theme.type == "dark":
        colors = on_dark(colors)
    rows = []
    for run in listed:
        name, color = escape(run), colors.get(run)
        is_pinned, look, swatch = run in marks.pinned, "", ""
        if not is_pinned and len(marks.pinned) >= pins.MAX_PINS:
            look = " disabled"
        if color:
            swatch = f' style="background: {color}; border-color: {color}"'
        eye = _mark(name, "eye", run not in marks.hidden)
        named = _mark(name, "name", run == marks.highlighted, name)
        pin = _mark(name, "pin", is_pinned, look=look)
        rows.append(f"<li>{eye}<i{swatch}></i>{named}{pin}</li>")
    return f'<ul class="runs" aria-label="Runs in charts">{"".join(rows)}</ul>'


def _mark(name: str, part: str, on: bool, text: str = "", *, look: str = "") -> str:
    """A button of a run, as HTML, which tells whether it is on."""
    said, now = f"{BUTTONS[part]} {name}", str(on).lower()
    return (
        f'<button data-run="{name}" data-part="{part}" data-was="{now}" aria-pressed="{now}" '
        f'aria-label="{said}" title="{said}"{look}>{text}</button>'
    )


def _press(runs: Sequence[str]) -> None:
    """Read the pressed buttons: a JSON list of [run, one of `BUTTONS`, whether it is
    on].
    """
    text = widgets[keys.widget_key(PRESSED)]
    # two presses of one button write the same text, and equal values call nothing
    widgets[keys.widget_key(PRESSED)] = ""
    try:
        pressed = [(run, part, on) for run, part, on in json.loads(text)]
    except (ValueError, TypeError):
        return
    marks = marked_runs.marks()
    for run, part, on in pressed:
        # a browser may send anything, also what no dictionary can hold
        if run in runs and part in tuple(BUTTONS) and isinstance(on, bool):
            marks = marks.with_press(run, part, on=on)
    marked_runs.change(
        hidden=marks.hidden, pinned=marks.pinned[: pins.MAX_PINS], highlighted=marks.highlighted
    )
