"""The widgets of the page that checks runs: all that are loaded, by what distinguishes
them, or one, and what was found.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from typing import NamedTuple

import pandas as pd
import streamlit as st

from irmeval.check import LEVELS, Check, CheckFinding, ScoredRuns, check
from irmeval.check.field import ALPHA
from irmeval.check.text_report import (
    count_levels,
    describe_effect,
    describe_levels,
    find_common,
    list_unremarkable,
    name_common,
    rank,
)
from irmeval.collection import Collection
from irmeval.core import parallel
from irmeval.core.tables import escape_markdown
from irmeval.core.text import capitalize, count_noun, duration_in_words, list_few
from irmeval.experiments.facts import Verdict
from irmeval.experiments.results import Chart
from irmeval.experiments.runs.matrix import READABLE
from irmeval.metrics import Measure
from irmeval.plots import elements
from irmeval.plots.row_charts import Ranges, intervals
from irmeval.reading.faults import Examined, examine, examine_texts, group_faults
from irmeval.reading.files import distinct_names, path_within, read_bytes, unpack
from irmeval.reading.trec import Run
from irmeval.report import exports
from irmeval.ui.state import cache, keys, server_files
from irmeval.ui.state.mailboxes import CANDIDATES
from irmeval.ui.state.tab_state import made_once, widgets
from irmeval.ui.state.view import View
from irmeval.ui.widgets import form, jobs, output, receiving, refusals

ICONS = {
    "error": ":red[:material/error:]",
    "warning": ":orange[:material/warning:]",
    "note": ":gray[:material/info:]",
}
TILES = 4
"""Measures whose place is shown large."""
LETTERS = 70
"""Length of a finding that fits in a row of the table; longer ones wrap."""
WRAPPED = 470
"""Width in pixels of the column of findings where one wraps: without a width Streamlit
would make it as wide as the longest.
"""
TWO_LINES = 65
"""Height in pixels of a row of two lines: up to 64 Streamlit does not wrap texts."""
ONE_LINE = 27
"""Height in pixels of a row of one line, so that 22 runs are seen at a glance."""
HEADING = 38
"""Height in pixels of the heading of a table."""
AT_A_GLANCE = 22 * ONE_LINE + HEADING
"""Maximum height in pixels of the table of findings."""
ON_SCREEN = 480
"""The same for rows of two lines, so that the table ends on a small screen."""
NEXT = "To judge next"
LIMIT = 512 << 20
"""Maximum bytes of text in a file dropped here, unpacked."""


@dataclass(frozen=True)
class Candidate:
    """A run that can be checked."""

    name: str
    key: Callable[[], str]
    """identifies it among all runs, including those of other visitors, whatever its
    name
    """
    read: Callable[[], Examined]


def _dropped_here() -> list[Candidate]:
    """Runs dropped here."""
    return CANDIDATES.get()


def candidates(view: View) -> list[Candidate]:
    """Runs that can be checked: dropped here or loaded."""
    return [*_dropped_here(), *_loaded(view)]


def pick(offered: Sequence[Candidate], first: str) -> Candidate | None:
    """Draw the choice of a run: dropped here, or one of those loaded; at first the one
    of the name `first`.
    """
    line = st.grid(2, key="candidates_of_check", vertical_alignment="bottom")
    with line:
        dropped = st.file_uploader(
            "Drop one run",
            key=receiving.uploader("check"),
            help=(
                "It is compared with the loaded collection and not added to it. Any format, plain"
                " or packed."
            ),
        )
    if dropped:
        # an uploader holds its bytes in memory, and copies them at each redraw
        receiving.empty_uploader("check", [dropped])
        CANDIDATES.set(_dropped(dropped.name, dropped.getvalue()))
        # before the list is drawn, after which Streamlit refuses a value
        widgets[keys.widget_key("candidate")] = _dropped_here()[0].name
        st.rerun()
    named = {candidate.name: candidate for candidate in offered}
    placeholder = "The worst run"
    if _dropped_here():
        placeholder = "The run dropped last"
    with line:
        name = form.choose(
            "Or check a loaded run",
            list(named),
            None,
            key="candidate",
            placeholder=placeholder,
            help="At first the run dropped last, else the one with the worst finding.",
        )
    dropped_here = [candidate.read().faults for candidate in _dropped_here()]
    faulty = [[*faults.values()] for faults in dropped_here if faults]
    if len(faulty) > 1:
        st.write(f"{len(faulty)} of the {len(dropped_here)} dropped runs have errors:")
        refusals.table(group_faults(faulty))
    return named.get(name or first)


def newest_or(worst: str) -> str:
    """The run dropped last, else the worst one."""
    names = [candidate.name for candidate in _dropped_here()]
    return next(iter(names), worst)


def _dropped(name: str, data: bytes) -> list[Candidate]:
    key = blake2b(data, digest_size=12).hexdigest()
    texts = examine_texts(name, data, limit=LIMIT)
    names = distinct_names([path_within(inner) for inner, _ in texts])
    return [
        _candidate(f"{run} (dropped)", f"{key}/{inner}", examined)
        for run, (inner, examined) in zip(names, texts, strict=True)
    ]


def _candidate(name: str, key: str, examined: Examined) -> Candidate:
    return Candidate(name, lambda: key, lambda: examined)


def _loaded(view: View) -> list[Candidate]:
    """Loaded runs whose files can be read."""
    runs, dataset, policy = view.all_loaded().collection.runs, view.dataset, view.policy
    # refused runs, too: the check tells what is wrong with them
    refused = [
        _of_run(f"{name} (refused)", run)
        for name, run in dataset.runs.items()
        if run.repeated and policy.repeated == "refuse"
    ]
    if dataset.used:
        return [
            *(
                _of_run(name, run)
                for name, run in zip(runs, dataset.runs_in_use(policy).values(), strict=True)
            ),
            *refused,
        ]
    files = server_files.run_files(policy)
    if len(files) != len(runs):  # some hold several runs
        return refused
    return [
        *(
            Candidate(name, partial(str, path), partial(_read, str(path)))
            for name, path in zip(runs, files, strict=True)
        ),
        *refused,
    ]


def _of_run(name: str, run: Run) -> Candidate:
    return Candidate(name, lambda: run.sha256 or _digest(run), partial(Examined.of, run))


def _digest(run: Run) -> str:
    """Digest of everything that a check examines in a run: two runs may have the same
    order and different ties.
    """
    digest = blake2b(
        repr((run.name, run.tags, run.topics, [fault.lines for fault in run.repeated])).encode(),
        digest_size=12,
    )
    for column in (
        run.topic,
        run.score,
        # Arrow has no buffer, but None, where nothing is missing
        *(part for ids in (run.documents, run.rank) for part in ids.buffers() if part),
    ):
        digest.update(column)
    return digest.hexdigest()


def _read(path: str) -> Examined:
    ((name, text),) = unpack(path, read_bytes(path))
    return examine(name, text)


def check_run(
    candidate: Candidate,
    everything: Collection,
    measures: tuple[Measure, ...],
    known: tuple[str, ...],
) -> Check:
    """Check the run against the others; `known` are all topics of the qrels, selected
    or not.
    """
    key = "_checked", everything.fingerprint, candidate.name, candidate.key(), measures, known
    field = partial(_field, everything, measures)
    return cache.store().get_or_make(
        key, lambda: check(candidate.read(), candidate.name, field(), outside=known)
    )


def _field(everything: Collection, measures: tuple[Measure, ...]) -> ScoredRuns:
    """Loaded runs, with values computed once for all of them."""
    scores = None
    if everything.runs:
        scores = cache.scores(everything, measures)
    return cache.store().get_or_make(
        ("_field", everything.fingerprint, measures),
        lambda: ScoredRuns.of(everything, measures, scores).prepare(),
    )


def headline(report: Check) -> str:
    """Number of errors, warnings and notes, and the first finding to look at."""
    said = f"{report.name}: {describe_levels(report)}."
    if report.level == LEVELS[-1]:
        return said
    return f"{said} Look first at: {report.findings[0].subject}."


class OfRun(NamedTuple):
    """What is shown of the check of one run."""

    report: Check
    headline: str
    bad: list[str]
    """errors and warnings"""
    notes: list[str]
    unremarkable: str
    """checks without a finding"""
    chart: Chart | None
    """the run among the others"""


def of_run(report: Check) -> OfRun:
    """What is shown of a check."""
    return made_once("of-run", (id(report),), partial(_of_report, report))


def _of_report(report: Check) -> OfRun:
    texts: dict[bool, list[str]] = {True: [], False: []}
    for finding in report.findings:
        is_bad = finding.level != LEVELS[-1]
        texts[is_bad].append(describe_finding(finding, describe_effect(report, finding)))
    chart, unremarkable = None, ""
    if "Standing" in report.tables:
        chart = _standing_chart(report.tables["Standing"])
    if report.scored:
        unremarkable = list_unremarkable([report])
    return OfRun(
        report,
        headline(report),
        texts[True],
        texts[False],
        unremarkable,
        chart,
    )


def findings(shown: OfRun) -> None:
    """Draw the run's place, with errors and warnings on the left and notes on the
    right.
    """
    report = shown.report
    if "Places" in report.tables:
        places = report.tables["Places"].head(TILES)
        rows = places[["measure", "score", "place", "of", "shared with"]].itertuples(index=False)
        for (measure, score, place, of, shared), column in zip(
            rows, st.columns(len(places)), strict=True
        ):
            at = f"{place} of {of}"
            if shared:
                at += ", shared"
            column.metric(
                escape_markdown(measure), f"{score:.4f}", at, delta_color="off", delta_arrow="off"
            )
    left, right = st.columns([3, 2], gap="large")
    with left:
        if shown.bad:
            st.header("Findings")
        else:
            st.header("No problems found")
        for text in shown.bad:
            st.markdown(text)
        if shown.chart:
            output.chart(shown.chart, "standing")
    with right:
        st.header("Notes")
        for text in shown.notes:
            st.markdown(text)
        if shown.unremarkable:
            st.caption(f"Nothing to report: {shown.unremarkable}.")


def _standing_chart(ladder: pd.DataFrame) -> Chart:
    """Draw the difference of every other run from the run, with its interval, best
    first.
    """
    name, others = ladder.columns[2], ladder[~ladder["this run"]]
    which = "every other run"
    if len(others) > READABLE:
        which = f"the {READABLE} runs nearest in rank"
    first = min(int(ladder["this run"].to_numpy().argmax()) - READABLE // 2, len(others) - READABLE)
    others = others.iloc[max(first, 0) :].head(READABLE)
    mine = ladder["run"][ladder["this run"]].item()
    ranges = Ranges(
        others["difference"].to_numpy(),
        others["low"].to_numpy(),
        others["high"].to_numpy(),
        (others["p"] < ALPHA).to_numpy(),
    )
    title = f"difference in {name} from {mine}"
    caption = (
        f"Mean {name} of {which} minus that of {mine}, with the {1 - ALPHA:.0%} interval of all"
        f" pairs at once; grey is not significant (p at least {ALPHA:g})."
    )
    draw = partial(intervals, list(others["run"]), ranges, title)
    return Chart("standing", f"Compared with other runs by {name}", caption, draw)


def describe_finding(finding: CheckFinding, effect: str = "") -> str:
    """A finding with its icon, effect, meaning and remedy, in Markdown."""
    subject = finding.subject.capitalize()
    if effect:
        subject += f" ({escape_markdown(effect)})"
    what, meaning = escape_markdown(finding.what), escape_markdown(finding.meaning)
    said = f"{ICONS[finding.level]} **{subject}.** {what} :gray[{meaning}]"
    if finding.remedy:
        said += f"  \n**→ {escape_markdown(finding.remedy)}**"
    return said


def views(report: Check, everything: Collection) -> dict[str, Callable[[], None]]:
    """Draw the tables behind the findings, and downloads."""
    tables = {"Findings": pd.DataFrame(report.findings), **report.tables}
    shown: dict[str, Callable[[], None]] = {
        title: partial(output.table, frame) for title, frame in report.tables.items()
    }
    if NEXT in shown:
        shown[NEXT] = lambda: output.table_to_judge(report.tables[NEXT])

    def take_away() -> None:
        output.downloads("check", {title: frame.copy for title, frame in tables.items()}, {})
        if report.name in everything.runs:
            st.download_button(
                "The run without its unjudged documents, as a run file",
                lambda: exports.condensed_run(everything, report.name),
                f"{report.name.replace('/', '-')}-condensed.txt",
                on_click="ignore",
            )

    return {**shown, "Download": take_away}


LOOKS = 10
"""Number of times that results so far are shown while all runs are checked."""


def check_all(
    candidates: Sequence[Candidate],
    everything: Collection,
    measures: tuple[Measure, ...],
    known: tuple[str, ...],
) -> tuple[Check, ...]:
    """Check runs in the background; return the checks so far, of the first runs."""
    runs = tuple((candidate.name, candidate.key()) for candidate in candidates)
    key = "_checks", everything.fingerprint, runs, measures, known
    ready = cache.result_of(key)

    def look(progress: jobs.Progress) -> Iterator[tuple[Check, ...]]:
        checks: list[Check] = []
        each = parallel.map_in_turn(
            lambda candidate: check_run(candidate, everything, measures, known), candidates
        )
        for one in each:
            checks.append(one)
            progress(len(checks), len(candidates))
            if len(checks) % max(1, len(candidates) // LOOKS) == 0:
                yield tuple(checks)
        yield tuple(checks)

    found = jobs.run(
        "Check",
        key,
        lambda progress: cache.keep_result(key, look(progress)),
        ready,
        ask=ask_for_more,
    )
    return found or ()


def ask_for_more(job: jobs.Job) -> str:
    """The question before a check of all runs that takes long."""
    return f"{capitalize(duration_in_words(job.asks))} more to check the other runs. Continue?"


COLUMNS = "run", "level", "check", "effect", "what"
"""Of the table of errors and warnings."""


class OfAll(NamedTuple):
    """What is shown of the checks of several runs."""

    checks: Sequence[Check]
    verdict: Verdict
    common: tuple[CheckFinding, ...]
    """what holds for all runs"""
    among: str
    """the runs that were compared for that"""
    listed: dict[str, list[str]]
    """columns of a table of errors and warnings, largest effect first"""
    worst: str
    """the run with the worst finding; empty before there is one"""


def of_all(checks: Sequence[Check], runs: int) -> OfAll:
    """What is shown of the checks of `runs`, some of which may not be checked yet."""
    depends_on = id(checks), len(checks), runs
    return made_once("of-all", depends_on, partial(_of_checks, checks, runs))


def _of_checks(checks: Sequence[Check], runs: int) -> OfAll:
    common = find_common(checks)
    rest = [one.without(common) for one in checks]
    ranked = rank(rest)
    worst = next((one.name for one, _ in ranked), "")
    among = ""
    if common:
        among = name_common(checks)
    return OfAll(checks, _verdict(rest, runs), common, among, _columns(ranked), worst)


def _columns(ranked: Sequence[tuple[Check, CheckFinding]]) -> dict[str, list[str]]:
    """The columns of the table of errors and warnings."""
    rows = [_row(one, finding) for one, finding in ranked if finding.level != LEVELS[-1]]
    return {name: [row[place] for row in rows] for place, name in enumerate(COLUMNS)}


def _row(one: Check, finding: CheckFinding) -> tuple[str, ...]:
    return one.name, finding.level, finding.subject, describe_effect(one, finding), finding.what


def _verdict(checks: Sequence[Check], runs: int) -> Verdict:
    """How many runs have errors and warnings, and which have errors."""
    errors = [one.name for one in checks if one.count("error")]
    beside = []
    if errors:
        beside.append(f"Errors: {list_few(errors)}.")
    if len(checks) < runs:
        beside.append(f"So far {len(checks):,} of {count_noun(runs, 'run')} are checked.")
    return Verdict(count_levels(checks), " ".join(beside))


def draw(shown: OfAll) -> None:
    """Draw findings on all runs, and a table of errors and warnings, largest effect
    first.
    """
    if shown.common:
        subjects = ", ".join(dict.fromkeys(finding.subject for finding in shown.common))
        is_bad = shown.common[0].level != LEVELS[-1]
        with st.expander(f"{shown.among}: {subjects}", expanded=is_bad):
            for finding in shown.common:
                st.markdown(describe_finding(finding))
    if shown.listed["run"]:
        _draw_table(shown.listed, shown.checks)


def _draw_table(columns: Mapping[str, Sequence[str]], checks: Sequence[Check]) -> None:
    """Draw errors and warnings, a row each. A click on one shows its run below."""
    listed = columns["run"]

    def take() -> None:
        cells = widgets["check_runs"].selection.cells
        if cells and cells[0][0] < len(listed):
            widgets[keys.widget_key("candidate")] = listed[cells[0][0]]

    row, most = ONE_LINE, AT_A_GLANCE
    # Streamlit makes a column as wide as its first cells, and cuts the names below alike
    widest = max(elements.measure(name, output.LABEL_SIZE) for name in listed)
    looks = {"run": st.column_config.Column(width=round(widest) + output.LABEL_EDGES)}
    if max(map(len, columns["what"])) > LETTERS:
        row, most = TWO_LINES, ON_SCREEN
        looks["what"] = st.column_config.Column(width=WRAPPED)
    output.table(
        pd.DataFrame(columns),
        key="check_runs",
        on_select=take,
        selection_mode="single-cell",
        column_config=looks,
        row_height=row,
        height=min(most, row * len(listed) + HEADING),
    )
    st.caption(
        f"Effect: change of the mean {checks[0].measure} without the problem. Click a cell for its"
        " run."
    )
