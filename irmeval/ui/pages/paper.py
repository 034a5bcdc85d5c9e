"""Widgets of the pages of papers."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from irmeval.core.errors import ParamError
from irmeval.core.parallel import watch_for_cancel
from irmeval.core.tables import escape_markdown
from irmeval.core.text import count_noun, list_all, verb
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.work import Progress
from irmeval.metrics import distinct
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
    TOGETHER,
    UNDECIDED,
    UNLIKE,
    Finding,
    Outcome,
)
from irmeval.papers.layout import Printed
from irmeval.plots import theme
from irmeval.report.paper_folder import (
    combine_verdicts,
    describe_finding,
    describe_verdicts,
    zipped,
)
from irmeval.report.printed import markdown
from irmeval.scoring.selection import Selection
from irmeval.ui.state import cache, keys
from irmeval.ui.state.tab_state import widgets
from irmeval.ui.state.view import View
from irmeval.ui.widgets import answer, experiment, form, inputs, jobs, menu, output, session

FOUND = "Findings"
"""Title of the job that checks the findings on the data."""
EXHIBIT = "Table or figure"
"""Title of the job that computes an exhibit."""
COLUMNS = (
    "verdict",
    "finding",
    "here",
    "published",
    "paper",
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
"""Columns of the downloaded findings. The page of a paper has no column of papers."""
WIDTHS = {
    "verdict": 92,
    "finding": 220,
    "here": 140,
    "published": 132,
    "interval": 85,
    "paper": 120,
    "exhibit": 90,
}
"""Column widths in pixels: the first two fit on a phone, the first four on a tablet."""
ROW = 70
"""Height in pixels of a row of three lines."""
HEADING = 38
"""Height of the heading in pixels."""
SEEN = 5.3
"""Number of visible rows; a partial one shows that there are more."""

SAID = {
    HOLDS: ("holds", "hold"),
    AS_PUBLISHED: ("is as in the paper", "are as in the paper"),
    DIRECTION: ("leans the paper's way", "lean the paper's way"),
    DOES_NOT: ("does not", "do not"),
    UNLIKE: ("is not as in the paper", "are not as in the paper"),
    UNDECIDED: ("is undecided", "are undecided"),
}


def of_page() -> Paper:
    """The paper of the open page."""
    return PAPERS[keys.page_name()]


def decide() -> Overrides:
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
    rules = asdict(session.selection())
    return Overrides(
        {
            name: value
            for name, value in rules.items()
            if not own or value != getattr(Selection(), name)
        },
        {},
        published,
        TOGETHER if together else EACH,
    )


def exhibit_runs(paper: Paper, exhibit: Exhibit, overrides: Overrides) -> ExhibitRuns:
    """Runs of an exhibit."""
    everything, teams = session.all_loaded().collection, session.team_list()
    key = (
        "_runs_of",
        everything.fingerprint,
        paper.name,
        exhibit.label,
        tuple(overrides.rules.items()),
        tuple(teams.items()),
    )
    return cache.store().get_or_make(
        key, lambda: choose_runs(paper, exhibit, everything, overrides, teams)
    )


def show_findings(overrides: Overrides, only: Paper | None = None) -> None:
    """Draw a table of the findings of all papers, or one of them, with verdicts."""
    papers = [only] if only else [*PAPERS.values()]
    everything, team = session.all_loaded().collection, session.team_list()
    names = tuple(paper.name for paper in papers)
    title = FOUND if len(papers) > 1 else f"{FOUND} of {papers[0].title}"
    # verdicts are given below
    key = (
        title,
        everything.fingerprint,
        names,
        repr(replace(overrides, verdicts=EACH)),
        tuple(team.items()),
    )
    ready = cache.result_of(key)
    store = cache.store()

    def work(progress: Progress) -> Iterator[pd.DataFrame]:
        step = [0, sum(len(paper.findings) for paper in papers)]

        def remake(paper: Paper) -> Iterator[Remade]:
            before = sum(len(earlier.findings) for earlier in papers[: papers.index(paper)])

            def note(done: int, of: int) -> None:
                step[0] = before + len(paper.findings) * done // of
                progress(*step)

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

    if (
        table := jobs.run(
            title, key, lambda progress: cache.keep_result(key, work(progress)), ready
        )
    ) is not None:
        _shown(papers, combine_verdicts(table, overrides.verdicts), overrides.verdicts)


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


def _shown(papers: Sequence[Paper], table: pd.DataFrame, verdicts: str) -> None:
    """Draw the table of findings; a ticked row is shown in full, with a link to its
    exhibit.
    """
    several, found = len(papers) > 1, sum(len(paper.findings) for paper in papers)
    answer.note_so_far(
        f"{len(table)} of {count_noun(found, 'finding')}" if len(table) < found else ""
    )
    answer.show_sentence(tell_verdicts(table["verdict"], found))
    state = output.table(
        table.assign(paper=[PAPERS[name].title for name in table["paper"]])[[*COLUMNS]].drop(
            columns=[] if several else "paper"
        ),
        key="findings",
        on_select="rerun" if several else partial(open_exhibit, table),
        selection_mode="single-row",
        height="content" if len(table) <= SEEN else HEADING + int(SEEN * ROW),
        row_height=ROW,
        column_order=[*WIDTHS],
        column_config={
            name: st.column_config.Column(name, width=width) for name, width in WIDTHS.items()
        },
    )
    st.caption(
        escape_markdown(
            f"{'So far: ' if len(table) < found else ''}{describe_verdicts(table, verdicts)}"
        )
    )
    st.caption(
        "A finding holds if every measure that the paper puts ahead is ahead here. It is in the"
        " paper's direction if they are, but the interval of the margin includes 0 or is undefined,"
        " as with one sample of the judgments. The interval is over topics, or over samples of the"
        " judgments on these topics and runs. Tick a finding for its details, and for what leaves"
        " it open."
    )
    for place in state.selection.rows:
        if place < len(table):
            _show_finding(table.iloc[place], several)


def tell_verdicts(verdicts: Iterable[str], of: int) -> str:
    """Text of the verdicts: ``Of 93 findings, 40 hold, 1 does not and 52 are
    undecided.`` Without the total until all are decided.
    """
    counts = Counter(verdicts)
    said = list_all(
        [
            f"{counts[verdict]} {verb(counts[verdict], *forms)}"
            for verdict, forms in SAID.items()
            if counts[verdict]
        ]
    )
    return f"Of {count_noun(of, 'finding')}, {said}." if counts.total() == of else f"{said}."


def _show_finding(row: Mapping[str, Any], several: bool) -> None:
    paper, finding = PAPERS[row["paper"]], finding_of(row)
    with st.container(border=True):
        st.markdown(f"**{escape_markdown(row['finding'])}**: {row['verdict']}")
        st.markdown("\n".join(f"- {escape_markdown(line)}" for line in describe_finding(row)))
        if several and st.button(f"Show {finding.exhibit} of {paper.title}", key="show_exhibit"):
            st.switch_page(
                menu.paper_page(paper),
                query_params={
                    keys.widget_key_on(paper.name, "exhibit"): exhibit_title(finding.exhibit, paper)
                },
            )


def finding_of(row: Mapping[str, Any]) -> Finding:
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


def offer_files(paper: Paper, overrides: Overrides) -> None:
    """Draw the button that computes the whole paper on this collection and downloads
    it.
    """
    st.download_button(
        "All of them as a ZIP",
        lambda: zipped(paper, session.all_loaded().collection, session.team_list(), overrides),
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
        key="exhibit",
        format_func=lambda label: exhibit_title(label, paper),
        help="As the paper counts them.",
    )
    return offered[label]


def rules(paper: Paper, exhibit: Exhibit, made: ExhibitRuns) -> dict[str, Any]:
    """Decisions of the exhibit on runs, topics and gains that differ from the
    sidebar.
    """
    worked = comparable_topics(paper, exhibit, made.collection)
    decided = asdict(made.rules)
    if len(worked.topics) < len(made.collection.topics):
        decided["has_grade"] = max(
            decided["has_grade"], lowest_grade(paper, exhibit, made.collection)
        )
    return decided | (
        {"gains": worked.policy.gains} if worked.policy != made.collection.policy else {}
    )


def remake_exhibit(
    view: View, paper: Paper, exhibit: Exhibit, made: ExhibitRuns, overrides: Overrides
) -> Any:
    """Result of an exhibit; None while it is computed, and with an error if the
    collection does not allow it.
    """
    collection = made.collection
    try:
        measures, params = inputs_of(
            paper, exhibit, collection, made.rules.team_rule, overrides.decided
        )
        worked = comparable_topics(paper, exhibit, collection)
    except ParamError as error:
        st.error(escape_markdown(str(error)))
        return None
    if EXPERIMENTS[exhibit.experiment].data:
        chosen = (
            f"{count_noun(len(worked.runs), 'run')}. The paper: {exhibit.selects or paper.selects}"
        )
        said = filter(
            None, [chosen, made.instead, describe_left_out(worked, collection), paper.differs]
        )
        st.caption(escape_markdown(" ".join(said)))
    return experiment.run(view, exhibit.experiment, measures, params, title=EXHIBIT, on=worked)


def show_exhibit(paper: Paper, exhibit: Exhibit, made: ExhibitRuns, result: Any) -> None:
    """Draw a reproduced table or figure: differences from the paper, the result, and
    its provenance.
    """
    if differs := deviations(paper, exhibit, made.collection, result.params):
        st.caption(escape_markdown(f"Unlike the paper: {differs}"))
    if reading := describe_reading(exhibit):
        st.caption(escape_markdown(reading))
    charts, tables = charts_of(exhibit, result), tables_of(exhibit, result)
    printed = {
        f"{table.label}, laid out as in the paper": partial(_print, table)
        for table in printed_of(paper, exhibit, result)
    }
    views, first = (
        printed | {table.title: partial(output.result_table, table) for table in tables[1:]},
        next(iter(printed), "Table"),
    )
    with theme.measures_first(
        distinct([m for one in paper.exhibits for m in one.measures or paper.measures])
    ):
        output.block(
            exhibit.experiment,
            result,
            views,
            charts=charts,
            tables=tables,
            rules=rules(paper, exhibit, made),
            default=first,
        )
    output.provenance(
        replace(session.loaded(), collection=comparable_topics(paper, exhibit, made.collection)),
        result.params,
    )


def _print(table: Printed) -> None:
    st.caption(
        escape_markdown(
            f"Numbers of the collection loaded here, in the layout of the paper's {table.label}:"
            f" {table.caption}"
        )
    )
    st.markdown(markdown(table))
