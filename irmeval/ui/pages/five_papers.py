"""The page of all papers' findings: one table, with a column for each collection."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from irmeval.core.tables import FORMATS, escape_markdown
from irmeval.core.text import count_noun
from irmeval.papers import PAPERS
from irmeval.papers.exhibits import NO_OVERRIDES, Overrides
from irmeval.papers.findings import EACH, SHORT, Outcome
from irmeval.papers.findings_across import FINDINGS, FindingsAcross, answer_papers, verdicts_of
from irmeval.papers.on_collections import ResultOn
from irmeval.report.findings_table import LABEL, latex
from irmeval.report.paper_folder import combine_verdicts
from irmeval.ui.pages import compare_collections, paper
from irmeval.ui.pages.compare_collections import Chosen
from irmeval.ui.state import keys, server_files
from irmeval.ui.state.view import View
from irmeval.ui.widgets import answer, form, menu, output

VERDICTS = "Findings by collection"
"""Title of the job of the findings on other collections than the open one."""
FILTERS = ("all", *dict.fromkeys(SHORT.values()))
"""Choices of what is listed: all findings, or those with a verdict somewhere."""
WIDTHS = {"finding": 456, "paper": 160}
"""Column widths in pixels, without those of the collections."""
OF_COLLECTION = 110
"""Width in pixels of the column of a collection."""
BESIDE = {"here": 210}
"""Width of the column beside the verdict, where there is one collection."""
HEADING = 38
ROW = 35
"""Heights of the heading and of a row of the table in pixels."""
SEEN = 16.6
"""Number of visible rows of a long table, so that it ends in the window; a partial one
shows that there are more.
"""
Tables = Mapping[str, pd.DataFrame]
"""Findings that are answered so far, by collection, the open one first."""


def show(view: View, overrides: Overrides) -> None:
    """Draw the table, the sentence that sums it up, and its downloads."""
    first, *others = compare_collections.offered_collections(view)
    picked = _pick(first, others)
    open_one = paper.check_findings(view, overrides, [*PAPERS.values()])
    if open_one is None:
        return
    # what is still computed stands below the table
    with answer.rest():
        found = answer_others(picked, overrides)
    _show_all(view, first, picked, open_one, found, overrides)


def _show_all(
    view: View,
    first: Chosen,
    picked: Sequence[Chosen],
    open_one: pd.DataFrame,
    found: Mapping[str, ResultOn[Any]],
    overrides: Overrides,
) -> None:
    """Draw the findings on the open collection, and on the others so far."""
    tables = {first.name: open_one, **{name: list_all(one.found) for name, one in found.items()}}
    tables = {name: combine_verdicts(table, overrides.verdicts) for name, table in tables.items()}
    made = FindingsAcross(
        tuple(tables), tuple(answers_of(table, len(open_one)) for table in tables.values())
    )
    _say(made, open_one, len(picked) + 1)
    with answer.body():
        _draw(tables, made, overrides.verdicts)
        with st.container(horizontal=True, key="exports"):
            _offer(made)
    if overrides == NO_OVERRIDES and len(made.names) > 1 and len(found) == len(picked):
        of_open = compare_collections.result_on(first, made.answered[0])
        whole = verdicts_of({first.name: of_open, **found})
        output.below_charts(view, FINDINGS, whole, [], key="findings_view")


def _pick(first: Chosen, others: Sequence[Chosen]) -> list[Chosen]:
    """Draw the choice of other collections, if there are any; at first all that the
    visitor has loaded.
    """
    if not others:
        return []
    names = [one.name for one in others]
    own = [name for name in names if name != server_files.shared_name()]
    with answer.controls():
        picked = form.pick_some(
            f"Beside {first.name}",
            names,
            "of",
            "Other loaded collections, each with its own policy, runs and topics.",
            own,
        )
    return [one for one in others if one.name in picked]


def answer_others(some: Sequence[Chosen], overrides: Overrides) -> dict[str, ResultOn[Any]]:
    """Answers on other collections so far, by name."""
    if not some:
        return {}
    # each has its own rules; joint verdicts are given by whoever shows them
    alone = replace(overrides, rules={}, verdicts=EACH)
    make = partial(answer_papers, overrides=alone)
    found = compare_collections.run_on(VERDICTS, some, (repr(alone),), make, teams=True)
    return {**(found or {})}


def list_all(answered: Mapping[tuple[str, str], Outcome]) -> pd.DataFrame:
    """One row per finding, as of `list_findings`."""
    rows = [
        {
            "paper": of,
            "finding": claim,
            "exhibit": PAPERS[of].findings[claim].where,
            "published": PAPERS[of].findings[claim].published,
            "statistic": PAPERS[of].findings[claim].statistic,
            **here._asdict(),
        }
        for (of, claim), here in answered.items()
    ]
    return pd.DataFrame(rows)


def answers_of(table: pd.DataFrame, count: int) -> dict[tuple[str, str], Outcome]:
    """Answers of the first rows of a table of findings."""
    some = table.head(count)
    fields = some[[*Outcome._fields]].itertuples(index=False)
    return {
        (of, claim): Outcome(*here)
        for of, claim, here in zip(some["paper"], some["finding"], fields, strict=True)
    }


def _say(made: FindingsAcross, open_one: pd.DataFrame, collections: int) -> None:
    """Show the sentence, and how much of it is still to come."""
    paper.note_open(len(open_one), total := _count())
    if len(made.names) > 1:
        answer.show_sentence(made.verdict())
    else:
        answer.show_sentence(paper.tell_verdicts(open_one["verdict"], total))
    if len(made.names) < collections:
        st.caption(f"So far: {count_noun(len(made.names), 'collection')} of {collections}.")


def _count() -> int:
    """How many findings all papers have."""
    return sum(len(one.findings) for one in PAPERS.values())


def _draw(tables: Tables, made: FindingsAcross, verdicts: str) -> None:
    """Draw the table; a ticked row is shown in full, on each collection."""
    first, *_ = tables.values()
    with answer.controls():
        order = paper.pick_order()
        only = form.pick_button(
            "Verdict", {name: name for name in FILTERS}, "only", None, label_visibility="collapsed"
        )
    paper.explain_verdicts(first, verdicts)
    shown = paper.sort_findings(first, order)
    findings = [*zip(shown["paper"], shown["finding"], strict=True)]
    words = {
        name: [paper.in_short(answers[finding].verdict) for finding in findings]
        for name, answers in zip(made.names, made.answered, strict=True)
    }
    titles = [PAPERS[name].title for name in shown["paper"]]
    frame = pd.DataFrame({"finding": shown["finding"], "paper": titles, **words})
    widths = WIDTHS | dict.fromkeys(words, OF_COLLECTION)
    columns, order_of_columns = paper.columns_of(widths), ["finding", "paper", *words]
    if len(words) == 1:
        # the verdict first, as on the page of a paper, and on a telephone in sight
        frame = frame.assign(**{name: shown[name].to_numpy() for name in BESIDE})
        order_of_columns = [*words, "finding", "paper", *BESIDE]
        columns = paper.columns_of(widths | BESIDE, dict.fromkeys(words, "verdict"))
    kept, rows = [*range(len(frame))], _count()
    if only != "all":
        wanted = frame[[*words]].apply(
            lambda row: any(cell.endswith(f" {only}") for cell in row), axis=1
        )
        kept = [*wanted.to_numpy().nonzero()[0]]
        rows = len(kept)
    frame, shown = (one.iloc[kept].reset_index(drop=True) for one in (frame, shown))
    alone = len(words) == 1
    with st.container(key=paper.BESIDE_LIST if alone else "findings_of_several"):
        state = st.dataframe(
            paper.mark_verdicts(frame, [*words]),
            key="findings",
            on_select="rerun",
            selection_mode="single-row",
            hide_index=True,
            # the whole height from the first, so that nothing moves while findings arrive
            height=_height_of(rows),
            column_order=order_of_columns,
            column_config=columns,
        )
        st.caption(paper.TICK)
    if alone:
        paper.draw_as_list(shown)
    for place in state.selection.rows:
        if place < len(shown):
            _show_in_full(shown.iloc[place].to_dict(), tables)


def _height_of(rows: int) -> Any:
    """Height of a table of findings: of all if they are few."""
    if rows <= SEEN:
        return "content"
    return HEADING + int(SEEN * ROW)


def _show_in_full(row: Mapping[Any, Any], tables: Tables) -> None:
    """Draw a finding on each collection, with a link to its exhibit."""
    for name, table in tables.items():
        same = table[(table["paper"] == row["paper"]) & (table["finding"] == row["finding"])]
        if len(tables) > 1:
            st.caption(escape_markdown(name))
        paper.show_finding(same.iloc[0])
    of, finding = PAPERS[row["paper"]], paper.finding_of(row)
    if st.button(f"Show {finding.exhibit} of {of.title}", key="show_exhibit"):
        st.switch_page(
            menu.paper_page(of),
            query_params={
                keys.widget_key_on(of.name, "exhibit"): paper.exhibit_title(finding.exhibit, of)
            },
        )


def _offer(made: FindingsAcross) -> None:
    """Draw the downloads of the table."""
    output.download_button("LaTeX", lambda: made, latex, f"{LABEL}.tex", "text/x-tex")
    output.download_button("CSV", made.matrix, FORMATS["csv"], f"{LABEL}.csv", "text/csv")
    output.download_button(
        "CSV with numbers", made.frame, FORMATS["csv"], f"{LABEL}-answers.csv", "text/csv"
    )
