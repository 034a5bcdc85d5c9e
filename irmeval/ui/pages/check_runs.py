"""The widgets of the page that checks runs: all that are loaded, with what distinguishes them, by its effect on their scores."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from irmeval.check import LEVELS, Check
from irmeval.check.text_report import count_levels, describe_effect, find_common, name_common, rank
from irmeval.collection import Collection
from irmeval.core.tables import escape_markdown
from irmeval.core.text import count_noun, list_few
from irmeval.metrics import Measure
from irmeval.ui.pages import check
from irmeval.ui.state import keys
from irmeval.ui.state.tab_state import widgets
from irmeval.ui.widgets import results


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
    """Draw how many runs have errors and warnings, what holds for all, and a table of errors and warnings, the largest effect first."""
    common = find_common(checks)
    rest = [one.without(common) for one in checks]
    errors = [one.name for one in rest if one.count("error")]
    st.markdown(escape_markdown(count_levels(rest) + (f" Errors: {list_few(errors)}." if errors else "")))
    if common:
        subjects = ", ".join(dict.fromkeys(finding.subject for finding in common))
        with st.expander(f"{name_common(checks)}: {subjects}", expanded=common[0].level != LEVELS[-1]):
            for finding in common:
                check.draw_finding(finding)
    listed = [(one, finding) for one, finding in rank(rest) if finding.level != LEVELS[-1]]
    if not listed:
        return
    columns = {
        "run": [one.name for one, _ in listed],
        "level": [finding.level for _, finding in listed],
        "check": [finding.subject for _, finding in listed],
        "effect": [describe_effect(*each) for each in listed],
        "what": [finding.what for _, finding in listed],
    }

    def take() -> None:
        cells = widgets["check_runs"].selection.cells
        if cells and cells[0][0] < len(listed):
            widgets[keys.widget_key("candidate")] = columns["run"][cells[0][0]]

    stays = {"run": st.column_config.Column(pinned=True)}  # where a narrow window scrolls sideways
    results.table(pd.DataFrame(columns), key="check_runs", on_select=take, selection_mode="single-cell", column_config=stays)
    st.caption(f"Effect: how the mean {checks[0].measure} would change without it. Click a cell to look at its run below.")
