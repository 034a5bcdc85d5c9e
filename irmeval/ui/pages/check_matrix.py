"""The widgets of the page that checks runs: all that are loaded, in a matrix, with what is wrong below it."""

from collections import Counter
from collections.abc import Sequence

import pandas as pd
import streamlit as st

from irmeval.check import LEVELS, Check
from irmeval.check.finding import MARKS, OF_RUNS
from irmeval.check.text_report import LEGEND, count_levels, find_common
from irmeval.collection import Collection
from irmeval.core.tables import escape_markdown
from irmeval.core.text import count_noun, list_all, list_few
from irmeval.metrics import Measure
from irmeval.ui.pages import check
from irmeval.ui.state import keys
from irmeval.ui.widgets import results

CELLS = MARKS | {"green": "·"}
SHOWN = 10
"""Wrong runs of which all that is wrong is shown at once."""
OFTEN = 3
"""Oddities that the sentence names."""


def check_all(
    candidates: Sequence[check.Candidate], everything: Collection, measures: tuple[Measure, ...], known: tuple[str, ...]
) -> list[Check]:
    """Check runs, and show the progress."""
    place, checks = st.empty(), []
    for number, candidate in enumerate(candidates, 1):
        checks.append(check.check_run(candidate, everything, measures, known))
        place.progress(number / len(candidates), f"{number:,} of {count_noun(len(candidates), 'run')} checked")
    place.empty()
    return checks


def draw(checks: Sequence[Check]) -> None:
    """Draw how many runs are wrong, what all have in common, the matrix, then what is wrong, and on demand what is odd."""
    common = find_common(checks)
    rest = [one.without(common) for one in checks]
    wrong = [one.name for one in rest if one.level == "red"]
    named = f" Wrong: {list_few(wrong)}." if wrong else ""
    odd = Counter(finding.subject for one in rest for finding in one.findings if finding.level == "amber").most_common(OFTEN)
    often = f" Odd most often: {', '.join(f'{subject} ({n:,})' for subject, n in odd)}." if odd else ""
    shared = " What all runs share is not counted; it stands below." if common else ""
    st.markdown(escape_markdown(f"{count_levels(rest)}{named}{often}{shared}"))
    order = sorted(range(len(rest)), key=lambda i: [-rest[i].count(level) for level in LEVELS[:2]])
    checks, rest = [checks[i] for i in order], [rest[i] for i in order]
    _matrix(checks, rest, {finding.subject for finding in common})
    if common:
        bad, all_scored = any(finding.level != "green" for finding in common), all(one.scored for one in checks)
        subjects = ", ".join(dict.fromkeys(finding.subject for finding in common))
        with st.expander(f"The same for {'all' if all_scored else 'all others'}: {subjects}", expanded=bad):
            for finding in common:
                check.draw_finding(finding)
    for one in [one for one in rest if one.count("red")][:SHOWN]:
        st.markdown(f"**{escape_markdown(one.name)}**")
        for finding in one.findings[: one.count("red")]:
            check.draw_finding(finding)
    listed = [(one.name, finding) for one in rest for finding in one.findings if finding.level != "green"]
    if listed:
        with st.expander(f"Everything wrong or odd: {count_noun(len(listed), 'finding')}"):
            columns = {"run": [name for name, _ in listed], "level": [MARKS[finding.level] for _, finding in listed]}
            columns |= {field: [getattr(finding, field) for _, finding in listed] for field in ("subject", "what", "meaning", "remedy")}
            results.table(pd.DataFrame(columns), key="check_findings")


def _matrix(checks: Sequence[Check], rest: Sequence[Check], common: set[str]) -> None:
    """Draw a row per run and a column per check that is wrong or odd in some run, the worst first, but for what is `common` to all, which
    the `rest` lacks. The selected run is checked below."""
    frame = pd.DataFrame({"run": [one.name for one in checks]})
    levels = {subject: [one.levels().get(subject, "") for one in checks] for subject in OF_RUNS}
    bad = [subject for subject in OF_RUNS if {"red", "amber"} & {one.levels().get(subject) for one in rest}]
    for subject in sorted(bad, key=lambda subject: [-levels[subject].count(level) for level in LEVELS[:2]]):
        frame[subject] = [CELLS.get(level, "") for level in levels[subject]]

    def take() -> None:
        cells = st.session_state["check_matrix"].selection.cells
        if cells and cells[0][0] < len(checks):
            st.session_state[keys.widget_key("candidate")] = checks[cells[0][0]].name

    stays = {"run": st.column_config.Column(pinned=True)}  # where a narrow window scrolls sideways
    results.table(frame, key="check_matrix", on_select=take, selection_mode="single-cell", column_config=stays)
    fine = [subject for subject in OF_RUNS if subject not in {*bad, *common}]
    no_finding = f" Nothing wrong or odd in any run: {list_all(fine)}." if fine else ""
    st.caption(f"{LEGEND}{no_finding} Click a cell to look at its run below.")
