"""Runs in charts, in the sidebar: a search, and a list in which each run is shown or hidden, highlighted, and pinned.

It changes no number. In the address the search is ``show=``, hidden runs are ``hidden=``, the highlighted run is ``run=``, and pinned runs
are ``pinned=``.
"""

import json
from collections.abc import Collection as Names
from collections.abc import Sequence
from html import escape

import numpy as np
import streamlit as st

from irmeval.core.errors import ParamError
from irmeval.core.folders import PAGES
from irmeval.core.lazy import pa, pc
from irmeval.core.tables import escape_markdown
from irmeval.core.text import count_noun, natural_key, shorten
from irmeval.plots import pins, theme
from irmeval.scoring.selection import names_text, parse_names
from irmeval.ui.state import keys
from irmeval.ui.state.keys import BY_TEAM, CLOSED, HIGHLIGHTED, SEARCHED
from irmeval.ui.widgets import address, answer, highlighting, inputs, session
from irmeval.workspace.stored import PINNED

LONGEST = 200
"""Most letters of a search."""
ALL_BUT = "*,"
"""In the address before the names of the shown runs, if most are hidden."""
LISTED = 300
"""Most rows of the list."""
PRESSED, CHANGED = "runs_pressed", "drawn_changed"
"""A field into which the browser writes the pressed buttons of the list (`dashboard.js`); in a tab's state: draw the page again."""
ALL_SHOWN = {SEARCHED: "", CLOSED: "", CHANGED: True}
"""In a tab's state: what a press on *Show all* sets."""
PARTS = "eye", "name", "pin"
"""The buttons of a run: whether it is shown, highlighted, pinned."""
MEANS = "Hidden runs are left out of charts and tables. All numbers stay those of all runs."


def choose() -> None:
    """Draw the search and the list. Charts show what the search finds, and pinned runs, but no closed eyes; all if none would be left."""
    state, runs = st.session_state, session.loaded_or_matrix().collection.runs
    everything = runs if session.matrix() else session.all_loaded().collection.runs
    for key in (CHANGED, highlighting.LATELY):
        state.pop(key, None)
    address.refuse_unless_valid(CLOSED, lambda text: _closed(text, everything))
    closed = _keep_address(everything)
    _keep_marks(everything)
    text = inputs.text(
        "Runs in charts",
        name=SEARCHED,
        bind="query-params",
        max_chars=LONGEST,
        placeholder="Part of a name, or /expression/",
        help="Charts and tables of every page show the runs with this in their name, or those that match an /expression/ between slashes "
        f"(RE2 syntax); pinned runs stay. {MEANS} The list below shows, hides, highlights and pins runs one by one.",
    )
    found = [*runs]
    with answer.errors_shown():
        is_regex = len(text) > 1 and text[0] == text[-1] == "/"
        fits = matches(runs, text[1:-1], "regex") if is_regex else matches(runs, text, "text")
        found = [run for run, fit in zip(runs, fits, strict=True) if fit]
    pinned = [run for run in state.get(PINNED, ()) if run in runs]
    listed = [*dict.fromkeys([*pinned, *sorted(found or runs, key=lambda run: natural_key(run.casefold()))])]
    left = ({*listed} - closed) | ({state.get(HIGHLIGHTED)} & {*runs})
    state[session.HIDDEN] = frozenset(runs) - left if left else frozenset()
    if not found:
        st.caption(escape_markdown(f"No run matches {shorten(text)}: the search hides none."))
    if not left:
        st.caption("All of these are hidden, so all runs are drawn.")
    if lit := state[HIGHLIGHTED]:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(f"Highlighted: {escape_markdown(lit)}")
            st.button("Let go", key="let_go", on_click=highlighting.highlight, args=(None,), shortcut="Esc", type="tertiary")
    _list(listed, closed, runs, everything)
    inputs.toggle(
        "Colour runs by team",
        name=BY_TEAM,
        bind="query-params",
        help=f"The {pins.MOST} teams with the most runs have a colour each; if there are more teams, {pins.MOST - 1} have, and the rest is "
        "grey. The rule under Runs and topics assigns runs to teams.",
    )


def note_hidden_runs() -> None:
    """On a page that leaves runs out, say so in the line of the settings, with a button that shows all again."""
    state = st.session_state
    if state.get(answer.LEFT_OUT):
        with (state.get(answer.NOTE) or st).container(key="runs_note", horizontal=True, vertical_alignment="center", width="content"):
            st.caption(describe(session.loaded_or_matrix().collection.runs))
            st.button("Show all", key="runs_all", on_click=st.session_state.update, kwargs=ALL_SHOWN, help=MEANS)


def describe(runs: Names[str]) -> str:
    """How many of the runs are drawn."""
    return pins.count_drawn(len(runs) - len(session.hidden_runs()), len(runs))


def matches(names: Sequence[str], text: str, how: str) -> np.ndarray:
    """Which names contain a text, in any case, or match a regular expression (RE2, in linear time). Raises `ParamError` for a bad one."""
    if how == "text" or not text:
        return np.array([text.lower() in name.lower() for name in names], dtype=bool)
    if len(text) > LONGEST:
        raise ParamError(f"Search: expected at most {LONGEST} letters, found {len(text):,}.")
    try:
        found: np.ndarray = pc.match_substring_regex(pa.array(names, pa.string()), text).to_numpy(zero_copy_only=False)
    except pa.ArrowInvalid as error:
        raise ParamError(f"Search: expected a regular expression in RE2 syntax, found {shorten(text)} ({error}).") from None
    return found


def _closed(text: str, runs: Sequence[str]) -> set[str]:
    """The runs whose eye is closed, from the text in the address. Raises `ParamError` for an unknown run."""
    named = {*parse_names(text.removeprefix(ALL_BUT), runs, CLOSED)}
    return {*runs} - named if text.startswith(ALL_BUT) else named


def _written(closed: Names[str], runs: Sequence[str]) -> str:
    """The text in the address for these runs, which `_closed` reads."""
    if 2 * len(closed) > len(runs):
        return ALL_BUT + names_text(run for run in runs if run not in closed)
    return names_text(sorted(closed, key=lambda run: (run == "*", run))) if closed else ""  # a run named * must not look like ALL_BUT


def _keep_address(runs: Sequence[str]) -> set[str]:
    """The runs whose eye is closed, from the tab's state or at first from its address, which is then kept up to date."""
    state = st.session_state
    text = state[CLOSED] if CLOSED in state else st.query_params.get(CLOSED, "")
    try:
        closed = _closed(text, runs) if inputs.is_text(text) else set()
    except ParamError:  # of other data
        closed = set()
    state[CLOSED] = _written(closed, runs)
    address.write(CLOSED, state[CLOSED])
    return closed


def _keep_marks(runs: Sequence[str]) -> None:
    """Keep the pinned runs and the highlighted one, from the tab's state or at first from its address, which is then kept up to date."""
    state = st.session_state
    address.refuse_unless_option(PINNED, runs, "Pinned runs")
    address.refuse_unless_option(HIGHLIGHTED, runs, "Highlight")
    pinned = state[PINNED] if PINNED in state else st.query_params.get_all(PINNED)
    state[PINNED] = [run for run in pinned if run in runs][: pins.MOST]
    lit = state[HIGHLIGHTED] if HIGHLIGHTED in state else st.query_params.get(HIGHLIGHTED)
    state[HIGHLIGHTED] = lit if lit in runs else None
    address.write(PINNED, state[PINNED])
    address.write(HIGHLIGHTED, state[HIGHLIGHTED])


@st.fragment
def _list(listed: Sequence[str], closed: Names[str], runs: Sequence[str], everything: Sequence[str]) -> None:
    """The list, sent only when it is opened; a press in it draws the whole page again."""
    if CHANGED in st.session_state:
        st.rerun()
    if session.hidden_runs():
        st.caption(describe(runs))
    box = st.expander("Show, highlight or pin", key="runs_listed", on_change="rerun")
    if not box.open:
        return
    with box:
        with st.container(horizontal=True):
            everything_shown = not closed and not session.hidden_runs()
            st.button("Show all", key="runs_shown", disabled=everything_shown, on_click=st.session_state.update, kwargs=ALL_SHOWN)
            hidden = {CLOSED: _written({*closed, *listed}, everything), CHANGED: True}
            st.button("Hide these", key="runs_hidden", disabled={*listed} <= {*closed}, on_click=st.session_state.update, kwargs=hidden)
        with st.container(key="runs_list"):
            st.html(_rows(listed[:LISTED], closed))
        if len(listed) > LISTED:
            st.caption(f"The first {LISTED} of {count_noun(len(listed), 'run')}: type more letters to find others.")
        st.caption(f"{MEANS} To compute on fewer:")
        st.page_link(str(PAGES / "data/selection.py"), label="Selection")
        inputs.text("Pressed", name=PRESSED, live=True, on_change=_press, args=(closed, everything))


def _rows(listed: Sequence[str], closed: Names[str]) -> str:
    """A row per run: eye, its own colour on charts if it has one, name, pin. A press on the name highlights the run."""
    with pins.use_pins(*session.marked_runs()) as marked:
        colors: dict[str, str] = theme.on_dark(marked.color) if st.context.theme.type == "dark" else marked.color
    pinned, lit, rows = st.session_state[PINNED], st.session_state[HIGHLIGHTED], []
    for run in listed:
        name, color = escape(run), colors.get(run)
        no_room = run not in pinned and len(pinned) >= pins.MOST
        eye, named, pin = (
            f'<button data-run="{name}" data-part="{part}" data-was="{str(on).lower()}" aria-pressed="{str(on).lower()}" '
            f'aria-label="{does} {name}" title="{does} {name}"{" disabled" if part == "pin" and no_room else ""}>{text}</button>'
            for part, does, on, text in zip(
                PARTS, ("Draw", "Highlight", "Pin"), (run not in closed, run == lit, run in pinned), ("", name, ""), strict=True
            )
        )
        swatch = f' style="background: {color}; border-color: {color}"' if color else ""
        rows.append(f"<li>{eye}<i{swatch}></i>{named}{pin}</li>")
    return f'<ul class="runs" aria-label="Runs in charts">{"".join(rows)}</ul>'


def _press(closed: Names[str], runs: Sequence[str]) -> None:
    """Read the pressed buttons: a JSON list of [run, one of `PARTS`, whether it is on]."""
    text, state = st.session_state[keys.widget_key(PRESSED)], st.session_state
    state[keys.widget_key(PRESSED)] = ""
    try:
        pressed = [(run, part, on) for run, part, on in json.loads(text) if run in runs and part in PARTS and isinstance(on, bool)]
    except (ValueError, TypeError):
        return
    eyes, names, held = ({run: on for run, part, on in pressed if part == of} for of in PARTS)
    state[CLOSED] = _written(({*closed} - eyes.keys()) | {run for run, on in eyes.items() if not on}, runs)
    pinned = dict.fromkeys([*(run for run in state.get(PINNED, ()) if held.get(run, True)), *(run for run, on in held.items() if on)])
    if held:
        state[PINNED] = [*pinned][: pins.MOST]
    if names:
        state[HIGHLIGHTED] = next((run for run, on in names.items() if on), None)
    state[CHANGED] = True
