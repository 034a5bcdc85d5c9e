"""Widgets of the pages of papers."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from html import escape
from types import MappingProxyType
from typing import Any, NamedTuple

import pandas as pd
import streamlit as st

from irmeval.collection import Collection
from irmeval.core.errors import ParamError
from irmeval.core.parallel import watch_for_cancel
from irmeval.core.tables import escape_markdown
from irmeval.core.text import count_noun, list_all, slug, verb
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.results import Chart, Table
from irmeval.experiments.work import Progress
from irmeval.metrics import Measure, distinct
from irmeval.papers import PAPERS
from irmeval.papers.base import (
    Exhibit,
    Paper,
    charts_of,
    comparable_topics,
    describe_left_out,
    describe_reading,
    deviations,
    inputs_of,
    lowest_grade,
    printed_of,
    tables_of,
)
from irmeval.papers.exhibits import (
    ExhibitRuns,
    Overrides,
    Remade,
    answer_findings,
    choose_runs,
    list_findings,
    make,
)
from irmeval.papers.findings import (
    AS_PUBLISHED,
    DIRECTION,
    DOES_NOT,
    EACH,
    HOLDS,
    MARKS,
    NO,
    ORDER,
    SHORT,
    TOGETHER,
    UNDECIDED,
    UNLIKE,
    YES,
    Finding,
    Outcome,
)
from irmeval.papers.layout import Printed
from irmeval.plots import colors
from irmeval.report.paper_folder import (
    combine_verdicts,
    describe_finding,
    describe_verdicts,
    zipped,
)
from irmeval.report.printed import markdown
from irmeval.scoring.selection import Selection
from irmeval.ui.state import cache, keys
from irmeval.ui.state.tab_state import made_once, widgets
from irmeval.ui.state.view import View
from irmeval.ui.widgets import answer, experiment, form, inputs, jobs, output

EXHIBITS = "Its tables and figures"
"""Heading above a table or figure."""
FOUND = "Findings"
"""Title of the job that checks the findings on the data."""
EXHIBIT = "Table or figure"
"""Title of the job that computes an exhibit."""
COLUMNS = (
    "verdict",
    "finding",
    "here",
    "published",
    "exhibit",
    "statistic",
    "margin",
    "low",
    "high",
    "interval",
    "samples",
    "p",
    "why",
)
"""Columns of the downloaded findings."""
WIDTHS = {"verdict": 104, "finding": 456, "here": 280, "exhibit": 90}
"""Column widths in pixels. A row is one line, so that all findings and the first exhibit are near;
what is published stands with a ticked one.
"""
COLOURS = {
    **dict.fromkeys(YES, "background-color: rgba(0, 158, 115, 0.22)"),
    DIRECTION: "background-color: rgba(86, 180, 233, 0.22)",
    **dict.fromkeys(NO, "background-color: rgba(213, 94, 0, 0.22)"),
}
"""Style of a cell with a verdict, on a light and on a dark page."""
BADGES = {
    **dict.fromkeys(YES, "green"),
    DIRECTION: "blue",
    **dict.fromkeys(NO, "orange"),
    UNDECIDED: "gray",
}
"""Colour of a verdict in a line of text."""
SORTED = {"paper": "as in the paper", "verdict": "by verdict"}
"""Orders of the findings."""
RULE = (
    "A finding holds if every measure that the paper puts ahead is ahead here. It is in the paper's"
    " direction if they are, but the interval of the margin includes 0 or is undefined, as with one"
    " sample of the judgments. The interval is over topics, or over samples of the judgments on"
    " these topics and runs."
)
"""When a finding holds."""
BESIDE_LIST = "findings_table"
"""Key of a table of findings that a narrow window shows as a list."""
TICK = "Tick a finding for what is published, and for what leaves it open."
SAID = {
    HOLDS: ("holds", "hold"),
    AS_PUBLISHED: ("is as in the paper", "are as in the paper"),
    DIRECTION: ("leans the paper's way", "lean the paper's way"),
    DOES_NOT: ("does not hold", "do not hold"),
    UNLIKE: ("is not as in the paper", "are not as in the paper"),
    UNDECIDED: ("is undecided", "are undecided"),
}


def of_page() -> Paper:
    """The paper of the open page."""
    return PAPERS[keys.page_name()]


def decide(view: View) -> Overrides:
    """Draw the switches, and return the reader's deviations from the paper. Rules of
    the sidebar override the paper's own.
    """
    with answer.settings() as in_force:
        own = inputs.toggle(
            "Runs as the paper chose them",
            True,
            name=keys.AS_CHOSEN,
            bind="query-params",
            help=(
                "Each table and figure uses its own runs, such as one per team; settings under Runs"
                " and topics in the sidebar override them. Off: all use the runs selected in the"
                " sidebar."
            ),
        )
        published = inputs.toggle(
            "One sample per rate, as published",
            name=keys.AS_PUBLISHED,
            bind="query-params",
            help=(
                "The papers drew one random sample of the judgments at each rate. Off: ten, with a"
                " band."
            ),
        )
        together = inputs.toggle(
            "Verdicts that hold together",
            name=keys.TOGETHER,
            bind="query-params",
            help=(
                "On: at most 10% of all verdicts below are expected to be false (Benjamini &"
                " Hochberg 1995). Off: each uses its own 90% interval."
            ),
        )
        in_force += [
            "runs as the paper chose them" if own else "runs of the sidebar",
            "one sample per rate" if published else "ten samples per rate",
            "verdicts hold together" if together else "each verdict alone",
        ]
    rules = asdict(view.rules)
    if own:  # those of the sidebar only where they differ from the usual ones
        usual = asdict(Selection())
        rules = {name: value for name, value in rules.items() if value != usual[name]}
    return Overrides(rules, {}, published, TOGETHER if together else EACH)


def exhibit_runs(view: View, paper: Paper, exhibit: Exhibit, overrides: Overrides) -> ExhibitRuns:
    """Runs of an exhibit."""
    everything, teams = view.all_loaded().collection, view.dataset.teams
    key = (
        "_runs_of",
        everything.fingerprint,
        paper.name,
        exhibit.label,
        tuple(overrides.rules.items()),
        # a visitor's own teams decide which runs are chosen; what is kept is of all visitors
        tuple(teams.items()),
    )
    return cache.store().get_or_make(
        key, lambda: choose_runs(paper, exhibit, everything, overrides, teams)
    )


def show_findings(view: View, overrides: Overrides, paper: Paper) -> pd.DataFrame | None:
    """Draw a table of the findings of a paper with verdicts, and return it; None while
    there is none.
    """
    table = check_findings(view, overrides, [paper])
    if table is None:
        return None
    table = combine_verdicts(table, overrides.verdicts)
    note_open(len(table), len(paper.findings))
    answer.show_sentence(tell_verdicts(table["verdict"], len(paper.findings)))
    with answer.controls():
        order = pick_order()
        st.markdown(f"[{EXHIBITS}](#{slug(EXHIBITS)})", width="content")
    with answer.body():
        _draw_findings(sort_findings(table, order))
    explain_verdicts(table, overrides.verdicts)
    return table


def explain_verdicts(table: pd.DataFrame, verdicts: str) -> None:
    """Draw the button that tells when a finding holds, and how many verdicts may be
    false.
    """
    with answer.settings_line(), st.popover("How a verdict is made"):
        st.markdown(escape_markdown(RULE))
        st.markdown(escape_markdown(describe_verdicts(table, verdicts)))


def check_findings(
    view: View, overrides: Overrides, papers: Sequence[Paper]
) -> pd.DataFrame | None:
    """Findings of papers on the open collection that are answered so far, each with a
    separate verdict; None while there are none.
    """
    everything, team = view.all_loaded().collection, view.dataset.teams
    names = tuple(paper.name for paper in papers)
    title = FOUND
    if len(papers) == 1:
        title = f"{FOUND} of {papers[0].title}"
    # joint verdicts are given below
    key = (
        title,
        everything.fingerprint,
        names,
        repr(replace(overrides, verdicts=EACH)),
        tuple(team.items()),
    )
    store = cache.store()

    def work(progress: Progress) -> Iterator[pd.DataFrame]:
        step = [0, sum(len(paper.findings) for paper in papers)]

        def remake(paper: Paper) -> Iterator[Remade]:
            before = sum(len(earlier.findings) for earlier in papers[: papers.index(paper)])

            def note(done: int, of: int) -> None:
                step[0] = before + len(paper.findings) * done // of
                progress(*step)

            # others are made when somebody opens them
            answering_exhibits = {finding.exhibit for finding in paper.findings.values()}
            return make(
                paper,
                everything,
                overrides,
                team=team,
                labels=answering_exhibits,
                store=store,
                progress=note,
            )

        return _findings_so_far(papers, remake, lambda: progress(*step))

    found: pd.DataFrame | None = jobs.run(
        title, key, lambda progress: cache.keep_result(key, work(progress)), cache.result_of(key)
    )
    return found


def _findings_so_far(
    papers: Sequence[Paper], remake: Callable[[Paper], Iterator[Remade]], look: Callable[[], None]
) -> Iterator[pd.DataFrame]:
    """Yield the findings decided so far, again and again; `look` is called between two
    steps.
    """
    done: list[pd.DataFrame] = []
    for paper in papers:
        answers: dict[str, Outcome] = {}
        for made in remake(paper):
            with watch_for_cancel(look):
                answers |= answer_findings(paper, made)
            yield pd.concat([*done, list_findings(paper, answers)], ignore_index=True)
        done.append(list_findings(paper, answers))


def note_open(answered: int, of: int) -> None:
    """Note beside the verdict how many findings are answered, until all are."""
    so_far = ""
    if answered < of:
        so_far = f"{answered} of {count_noun(of, 'finding')}"
    answer.note_so_far(so_far)


def pick_order() -> str:
    """Draw the choice of an order of the findings, one of `SORTED`."""
    return form.pick_button("Findings", SORTED, "sorted", None, label_visibility="collapsed")


def sort_findings(table: pd.DataFrame, order: str) -> pd.DataFrame:
    """Findings in an order of `SORTED`; those with equal verdicts stay as in the
    paper.
    """
    if order != "verdict":
        return table
    place = table["verdict"].map(ORDER.index)
    return table.iloc[place.argsort(kind="stable")].reset_index(drop=True)


def in_short(verdict: str) -> str:
    """Mark and word of a verdict, as in a cell of a table."""
    return f"{MARKS[verdict]} {SHORT[verdict]}"


def mark_verdicts(table: pd.DataFrame, columns: Sequence[str]) -> Any:
    """The table with the colour of each verdict in these columns, whose cells are as of
    `in_short`.
    """
    style = {in_short(verdict): colour for verdict, colour in COLOURS.items()}
    return table.style.map(lambda cell: style.get(cell, ""), subset=[*columns])


def _draw_findings(table: pd.DataFrame) -> None:
    """Draw the table of findings; a ticked row is shown in full, and its exhibit
    opens.
    """
    marked = table.assign(verdict=[*map(in_short, table["verdict"])])
    with st.container(key=BESIDE_LIST):
        state = st.dataframe(
            mark_verdicts(marked[[*COLUMNS]], ["verdict"]),
            key="findings",
            on_select=partial(open_exhibit, table),
            selection_mode="single-row",
            hide_index=True,
            height="content",
            column_order=[*WIDTHS],
            column_config=columns_of(WIDTHS),
        )
        st.caption(TICK)
    draw_as_list(table)
    for place in state.selection.rows:
        if place < len(table):
            show_finding(table.iloc[place].to_dict())


def draw_as_list(table: pd.DataFrame) -> None:
    """Draw findings as a list, which a narrow window shows in place of the table (by the
    style sheet): a row of that has room for a third of a finding.
    """
    rows = table[["verdict", "finding", "published", "here"]].itertuples(index=False)
    with st.container(key="findings_list"):
        st.html(f"<ol>{''.join(_list_item(*row) for row in rows)}</ol>")


def _list_item(verdict: str, finding: str, published: str, here: str) -> str:
    """A finding behind its verdict, as HTML; it opens what is published and found."""
    colour = COLOURS.get(verdict, "")
    return (
        f"<li><details><summary><b style='{colour}'>{in_short(verdict)}</b> {escape(finding)}"
        f"</summary>published: {escape(published)} · here: {escape(here)}</details></li>"
    )


def columns_of(
    widths: Mapping[str, int], labels: Mapping[str, str] = MappingProxyType({})
) -> dict[str, Any]:
    """Columns of a table with these widths in pixels, each wide enough for its label, by
    default its name.
    """
    columns = {
        name: st.column_config.Column(labels.get(name, name), width=width)
        for name, width in widths.items()
    }
    return output.fit_labels(columns)


def tell_verdicts(verdicts: Iterable[str], of: int) -> str:
    """Text of the verdicts: ``Of 93 findings, 40 hold, 1 does not and 52 are
    undecided.`` Without the total until all are decided.
    """
    counts = Counter(verdicts)
    parts = []
    for verdict, forms in SAID.items():
        if count := counts[verdict]:
            parts.append(f"{count} {verb(count, *forms)}")
    said = f"{list_all(parts)}."
    if counts.total() < of:
        return said
    return f"Of {count_noun(of, 'finding')}, {said}"


def show_finding(row: Mapping[Any, Any]) -> None:
    """Draw a finding in full."""
    with st.container(border=True):
        st.markdown(describe_in_colour(row))
        st.markdown("\n".join(f"- {escape_markdown(line)}" for line in describe_finding(row)))


def describe_in_colour(row: Mapping[Any, Any]) -> str:
    """A finding behind its verdict with mark and colour, as Markdown."""
    verdict = row["verdict"]
    badge = f":{BADGES[verdict]}-badge[{MARKS[verdict]} {verdict}]"
    return f"{badge} {escape_markdown(row['finding'])}"


def finding_of(row: Mapping[Any, Any]) -> Finding:
    """Finding of a row."""
    return PAPERS[row["paper"]].findings[row["finding"]]


def exhibit_title(label: str, paper: Paper) -> str:
    """Title of an exhibit, as in the menu and the URL."""
    return next(
        (f"{label}: {exhibit.title}" for exhibit in paper.exhibits if exhibit.label == label), label
    )


def open_exhibit(table: pd.DataFrame) -> None:
    """Go to the exhibit on this page that answers the ticked finding."""
    for place in widgets["findings"].selection.rows:
        widgets[keys.widget_key("exhibit")] = finding_of(table.iloc[place]).exhibit


def offer_files(view: View, paper: Paper, overrides: Overrides) -> None:
    """Draw the button that computes the whole paper on this collection and downloads
    it.
    """
    everything, team = view.all_loaded().collection, view.dataset.teams
    st.download_button(
        "All of them as a ZIP",
        # made on the press, since it takes seconds
        lambda: zipped(paper, everything, team, overrides),
        f"{paper.name}.zip",
        icon=":material/download:",
        help=(
            "A web page, every table in LaTeX as printed and in full as CSV, every figure as HTML,"
            " and a manifest. This takes a few seconds."
        ),
        on_click="ignore",
    )


def pick(paper: Paper) -> Exhibit:
    """One of the paper's tables and figures."""
    offered = {exhibit.label: exhibit for exhibit in paper.exhibits}
    label = form.choose(
        EXHIBIT,
        list(offered),
        list(offered).index(paper.opens),
        key="exhibit",
        format_func=lambda label: exhibit_title(label, paper),
        help="As the paper counts them.",
    )
    return offered[label]


def rules(paper: Paper, exhibit: Exhibit, made: ExhibitRuns, worked: Collection) -> dict[str, Any]:
    """Decisions of the exhibit on runs, topics and gains that differ from the sidebar;
    `worked` is its collection.
    """
    decided = asdict(made.rules)
    if len(worked.topics) < len(made.collection.topics):
        lowest = lowest_grade(paper, exhibit, made.collection)
        decided["has_grade"] = max(decided["has_grade"], lowest)
    if worked.policy != made.collection.policy:
        decided["gains"] = worked.policy.gains
    return decided


class Worked(NamedTuple):
    """What an exhibit is computed of."""

    measures: Sequence[Measure]
    params: Any
    collection: Collection


def _worked(paper: Paper, exhibit: Exhibit, made: ExhibitRuns, decided: Any) -> Worked:
    """What an exhibit is computed of. Raises `ParamError` if the collection does not allow
    it.
    """
    own, rule = made.collection, made.rules.team_rule
    measures, params = inputs_of(paper, exhibit, own, rule, decided)
    return Worked(measures, params, comparable_topics(paper, exhibit, own))


def work_of(paper: Paper, exhibit: Exhibit, made: ExhibitRuns, overrides: Overrides) -> Worked:
    """The same, made once for a page."""
    of = paper.name, exhibit.label, made.collection.fingerprint, made.rules, repr(overrides)
    return made_once("worked", of, partial(_worked, paper, exhibit, made, overrides.decided))


def remake_exhibit(
    view: View, paper: Paper, exhibit: Exhibit, made: ExhibitRuns, overrides: Overrides
) -> Any:
    """Result of an exhibit; None while it is computed, and with an error if the
    collection does not allow it.
    """
    try:
        worked = work_of(paper, exhibit, made, overrides)
    except ParamError as error:
        st.error(escape_markdown(str(error)))
        return None
    collection = worked.collection
    if EXPERIMENTS[exhibit.experiment].data:
        runs = count_noun(len(collection.runs), "run")
        chosen = f"{runs}. The paper: {exhibit.selects or paper.selects}"
        left_out = describe_left_out(collection, made.collection)
        said = filter(None, [chosen, made.instead, left_out, paper.differs])
        st.caption(escape_markdown(" ".join(said)))
    return experiment.run(
        view,
        exhibit.experiment,
        worked.measures,
        worked.params,
        title=EXHIBIT,
        on=collection,
    )


class Exhibited(NamedTuple):
    """What is shown of a reproduced table or figure."""

    notes: str
    """how it differs from the paper, and how it is read"""
    charts: list[Chart]
    tables: list[Table]
    printed: dict[str, Printed]
    """tables as the paper lays them out, by title"""
    colours: list[Measure]
    """measures of all exhibits of the paper, each with one colour"""
    rules: dict[str, Any]


def _exhibited(
    paper: Paper, exhibit: Exhibit, made: ExhibitRuns, worked: Collection, result: Any
) -> Exhibited:
    differs = deviations(paper, exhibit, made.collection, result.params)
    notes = [describe_reading(exhibit)]
    if differs:
        notes.insert(0, f"Unlike the paper: {differs}")
    printed = {
        f"{table.label}, laid out as in the paper": table
        for table in printed_of(paper, exhibit, result)
    }
    measures: list[str] = []
    for one in paper.exhibits:
        measures += one.measures or paper.measures
    return Exhibited(
        " ".join(filter(None, notes)),
        charts_of(exhibit, result),
        tables_of(exhibit, result),
        printed,
        [*distinct(measures)],
        rules(paper, exhibit, made, worked),
    )


def show_exhibit(
    view: View,
    paper: Paper,
    exhibit: Exhibit,
    made: ExhibitRuns,
    overrides: Overrides,
    result: Any,
    answered: pd.DataFrame | None = None,
) -> None:
    """Draw a reproduced table or figure: what the paper says of it, with the verdicts
    that are `answered`; differences from the paper; the result, and its provenance.
    """
    if answered is not None:
        _say_of_exhibit(paper, exhibit, answered)
    worked = work_of(paper, exhibit, made, overrides).collection
    of = paper.name, exhibit.label, result, worked.fingerprint, made.rules
    shown = made_once("exhibit", of, partial(_exhibited, paper, exhibit, made, worked, result))
    st.caption(escape_markdown(shown.notes))
    views = {title: partial(_print, table) for title, table in shown.printed.items()}
    views |= {table.title: partial(output.result_table, table) for table in shown.tables[1:]}
    with colors.measures_first(shown.colours):
        output.block(
            view,
            exhibit.experiment,
            result,
            views,
            charts=shown.charts,
            tables=shown.tables,
            rules=shown.rules,
            default=next(iter(shown.printed), "Table"),
        )
    output.provenance(replace(view.selected(), collection=worked), result.params)


def _say_of_exhibit(paper: Paper, exhibit: Exhibit, answered: pd.DataFrame) -> None:
    """Draw the findings of an exhibit, each with its verdict, what is published and
    what is here.
    """
    every = answered.to_dict("records")
    rows = [row for row in every if finding_of(row).exhibit == exhibit.label]
    if not rows:
        return
    lines = [
        f"{describe_in_colour(row)} :small[:gray[published: {escape_markdown(row['published'])} ·"
        f" here: {escape_markdown(row['here'])}]]"
        for row in rows
    ]
    st.markdown("**The paper says of it**\n\n" + "\n\n".join(lines))


def _print(table: Printed) -> None:
    st.caption(
        escape_markdown(
            f"Numbers of the collection loaded here, in the layout of the paper's {table.label}:"
            f" {table.caption}"
        )
    )
    st.markdown(markdown(table))
