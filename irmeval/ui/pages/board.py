"""The leaderboard on its page: bars from zero, intervals, marks against a baseline, and
a line per run over rates.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from itertools import starmap
from typing import Any, NamedTuple, TypeGuard

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from irmeval.core.places import pick
from irmeval.core.tables import escape_markdown
from irmeval.experiments.incompleteness.curves import Params as Rates
from irmeval.experiments.incompleteness.filled_holes import COLUMNS
from irmeval.experiments.incompleteness.watched_curves import Curves
from irmeval.experiments.results import Chart
from irmeval.experiments.runs.leaderboard import BASELINE, LEVEL, Leaderboard, Params
from irmeval.metrics import Measure
from irmeval.plots.elements import measure as measure_text
from irmeval.report import exports
from irmeval.scoring import score_table
from irmeval.scoring.with_holes import have_many_holes
from irmeval.ui.state import keys, marked_runs
from irmeval.ui.state.mailboxes import REDRAW
from irmeval.ui.state.tab_state import made_once, widgets
from irmeval.ui.state.view import View
from irmeval.ui.widgets import answer, experiment, form, inputs, jobs, output

RANKS = "ranks"
"""Column of ranges of ranks."""
INTERVAL = "interval"
"""Column of the interval of the mean in detail."""
ESTIMATE = "estimate"
"""Column in front of its intervals, if judgments are a sample."""
RUNS = "runs"
"""Columns of their names and pins, which nobody can leave out."""
DETAIL = "in detail"
"""Columns of the measure by which runs are ranked, likewise."""
AGAINST = "against the baseline"
"""Columns of marks."""
OTHERS = "other measures"
"""Columns of the measures that are not in detail."""
TESTS = "difference and p"
"""Columns of the difference from the baseline, and p alone and at once."""
GROUPS = "groups and topics"
"""Columns of letters, mean ranks, Borda counts and numbers of topics."""
OVER = "over rates"
"""Column of means as judgments disappear."""
OFFERED = (RANKS, INTERVAL, AGAINST, OTHERS, TESTS, GROUPS, OVER)
USUAL = (RANKS, INTERVAL, AGAINST, OTHERS)
"""Columns at first: those that fit into a window of 1280 pixels with four measures."""
OF_JUDGMENTS = (OTHERS, OVER)
"""Columns that a score matrix does not have."""
HOLES = "with holes"
"""Column of the score if unjudged documents were judged."""
BAR = 92
"""Width of a column of means, in pixels: four decimals, and the shortest bar whose
length can be compared.
"""
MARK = 34
"""Width of a column of marks."""
CROWDED = 4
"""With more measures, only the one in detail has bars; the others have their marks
beside their numbers.
"""
NUMBER = 80
"""Width of a column of numbers with marks, in pixels."""
ROOM = 943
NARROW = 879
"""Width of the columns in a window of 1440 pixels, and in one of 1280."""
SEEN = 12
"""Rows by which Streamlit sets the width of a column."""
GO: tuple[tuple[float, tuple[str, ...]], ...] = (
    (ROOM, ()),
    (NARROW, (HOLES,)),
    (np.inf, (HOLES, INTERVAL)),
)
"""Widest table, and usual columns that give way to its measures: charts below have them."""
PLACES = {"intervals": "board", "with-holes": "holes"}
"""Key of each chart on the page."""
BASE = "●"
"""The mark of the baseline."""
PIN = "◆"
"""Text beside the name of a pinned run, as on the chart of intervals."""
CURVES = "Leaderboard over rates"
"""Title of the job."""
WITH_HOLES = "Leaderboard with holes"
"""Title of the job that judges the holes."""


class Column(NamedTuple):
    """A column of the table."""

    name: str
    values: Any
    look: Any = None
    """how Streamlit shows it; None for the usual way"""

    @property
    def width(self) -> float:
        """Pixels: as many as are set, or as the longest text takes."""
        return float((self.look or {}).get("width") or self._longest())

    def _longest(self) -> float:
        texts = filter(is_text, [self.name, *self.values[:SEEN]])
        return max(measure_text(text, output.LABEL_SIZE) for text in texts) + output.LABEL_EDGES


def is_text(value: object) -> TypeGuard[str]:
    """Whether a value of a table is a text."""
    return isinstance(value, str)


def settings(view: View) -> Params:
    """The form: a baseline among the runs, and the test against it."""
    with answer.settings() as in_force:
        run = form.choose(
            "Baseline",
            view.scores().collection.runs,
            None,
            key="baseline",
            placeholder="the best by the measure in detail",
            help=(
                "Run to compare all others with. Only its pairs are then tested at once, which is"
                " valid if you chose it beforehand. Empty: the best run, with all pairs."
            ),
        )
        in_force.append(f"against {run or 'the best'}")
        decided: dict[str, Any] = {
            "baseline": run or "",
            "holes": False,
            "team_rule": Params().team_rule,
            "kinds": "",
        }
        if not view.matrix:
            help = (
                "Scores if unjudged documents were judged. On by default if more than a tenth of a"
                " top 10 is unjudged."
            )
            c = view.selected().collection
            many = made_once("many", (c.fingerprint,), lambda: bool(have_many_holes(c).any()))
            holes = inputs.toggle("With holes", many, name="holes", bind="query-params", help=help)
            if holes:
                in_force.append("with holes")
            decided |= {"holes": holes, **experiment.teams_and_kinds(view)}
        return form.params(
            Params, seldom=("samples", "alpha", "at_once", "seed"), in_force=in_force, **decided
        )


def run(view: View, params: Params) -> Leaderboard | None:
    """The result without holes, None while it is computed."""
    measures = experiment.measures_for(view, "leaderboard")
    result: Leaderboard | None = experiment.run(
        view, "leaderboard", measures, replace(params, holes=False)
    )
    return result


def add_holes(view: View, params: Params, result: Leaderboard) -> Leaderboard:
    """The result with unjudged documents judged, if that is asked for: it takes longer,
    or is not done unasked. Until then the result itself; a question stands here.
    """
    if not params.holes:
        return result
    found: Leaderboard | None = experiment.run(
        view,
        "leaderboard",
        experiment.measures_for(view, "leaderboard"),
        params,
        title=WITH_HOLES,
        optional="intervals with unjudged documents judged",
    )
    return found or result


def draw(view: View, result: Leaderboard, choice: str, place: DeltaGenerator) -> None:
    """Draw the table by a measure at its `place`, then its intervals, and the chosen
    runs topic by topic.
    """
    columns, whole = pick_columns(result)
    in_detail, measure = made_once("in-detail", (result, choice), partial(_detail, result, choice))
    with place:
        ticked = draw_table(view, in_detail, measure, columns, whole=whole)
    output.let_it_be_drawn()
    charts = output.charts_of("leaderboard", result, choice)
    draw_charts(charts)
    jobs.note_shown(
        "leaderboard", partial(_draw_again, view, in_detail, measure, columns, charts, whole=whole)
    )
    topics = made_once("topics", (result, *ticked), lambda: result.by_topic(ticked))

    def by_topic() -> None:
        _draw_downloads(result, topics)

    def notes() -> list[str]:
        return [*describe_columns(in_detail, measure), *result.notes()]

    output.below_charts(
        view, "leaderboard", result, charts, {"Scores by topic": by_topic}, notes=notes
    )
    st.header("Topic by topic")
    st.caption(
        "Tick rows above to choose the runs; topics are ordered by the first run's first measure,"
        " highest first."
    )
    output.table(topics)


def draw_charts(charts: Iterable[Chart]) -> None:
    """Draw the intervals, and the scores with holes if there are any."""
    for chart in charts:
        output.chart(chart, PLACES[chart.name])


def _draw_again(
    view: View,
    result: Leaderboard,
    measure: Measure,
    columns: Sequence[str],
    charts: Iterable[Chart],
    *,
    whole: bool,
) -> None:
    """Draw what the page showed, without what takes long."""
    # means over rates are a job of their own, and what is shown before must not begin one
    quick = [name for name in columns if name != OVER]
    draw_table(view, result, measure, quick, whole=whole)
    draw_charts(charts)


def _detail(result: Leaderboard, name: str) -> tuple[Leaderboard, Measure]:
    """The result with the measure of this name in detail, and the measure."""
    return result.in_detail(name), result.names[result.names.index(name)]


def _draw_downloads(result: Leaderboard, topics: pd.DataFrame) -> None:
    """Draw the downloads of scores by topic."""
    output.downloads(
        "by-topic",
        {"Topics of the chosen runs": lambda: topics, "All topics": result.scores.frame},
        {},
    )
    st.download_button(
        "All topics, as trec_eval -q prints them",
        lambda: exports.trec_scores(result.scores),
        "scores.txt",
        # by default Streamlit draws the whole page again after a download
        on_click="ignore",
    )


def pick_columns(result: Leaderboard) -> tuple[list[str], bool]:
    """Draw the choice of columns; return them, and whether all rows are shown."""
    offered = made_once("offered", (result,), partial(_offered, result))
    usual = [name for name in USUAL if name in offered]
    with answer.controls(), inputs.popover("Columns", "Columns"):
        picked = form.pick_some(
            "Columns", offered, "columns", "Columns besides run and mean.", usual
        )
        whole = inputs.toggle(
            "All rows",
            name="all_rows",
            bind="query-params",
            help="Shows the table at full length.",
        )
    return picked, whole


def _offered(result: Leaderboard) -> list[str]:
    """Columns that the result has."""
    if result.measures:
        return [*OFFERED]
    return [name for name in OFFERED if name not in OF_JUDGMENTS]


def draw_table(
    view: View, result: Leaderboard, measure: Measure, picked: Sequence[str], *, whole: bool
) -> list[str]:
    """Draw the table, best by a measure first, with the picked columns, at full length
    if asked; return the ticked runs, by default the best.

    A click on the heading of a measure puts it in detail, one on a cell highlights
    its run.
    """
    over_rates = None
    if OVER in picked:
        over_rates = _curves(view, measure)
    depends_on = result, measure, tuple(picked), marked_runs.marks().pinned, over_rates
    columns = made_once("board", depends_on, partial(_columns, *depends_on))
    frame = pd.DataFrame({column.name: column.values for column in columns})
    shown = output.without_hidden(frame)
    key = f"board-{measure}"  # ticks are places in the order by this measure
    height = output.height_of(shown)
    if whole:
        height = "content"

    def take() -> None:
        selection = widgets[key].selection
        if selection.columns:
            put_in_detail(result, selection.columns[0])
        elif selection.cells:
            marked_runs.toggle_highlight(shown["run"].iloc[selection.cells[-1][0]])

    with st.container(key="board"):  # the style sheet says how high it is
        state = output.table(
            shown,
            column_config={column.name: column.look for column in columns if column.look},
            on_select=take,
            selection_mode=["multi-row", "single-column", "single-cell"],
            key=key,
            height=height,
        )
    there = [*picked]
    if {INTERVAL, ESTIMATE}.isdisjoint(shown):
        there = [name for name in picked if name != INTERVAL]
    st.caption(escape_markdown(_caption(result, measure, there)))
    ticked = [shown["run"].iloc[row] for row in state.selection.rows if row < len(shown)]
    return ticked or [frame["run"].iloc[0]]


def fit(columns: list[Column]) -> list[Column]:
    """The columns, without those that have no room beside so many measures."""
    for room, names in GO:
        left = [column for column in columns if column.name not in names]
        if _width(left) <= room:
            break
    return left


def _width(columns: Sequence[Column]) -> float:
    """Width of columns, in pixels."""
    return sum(column.width for column in columns)


def rank_by_added(result: Leaderboard) -> None:
    """Show a measure in detail that was just added, from this drawing on."""
    # no callback of the sidebar can do it: what was added is offered once it is scored
    drawn = REDRAW.get()
    added = {*result.names}.difference(drawn.ranked or result.names)
    drawn.ranked = tuple(result.names)
    if len(added) == 1:
        put_in_detail(result, added.pop())


def put_in_detail(result: Leaderboard, name: str) -> None:
    """Show a measure in detail from the next drawing on; ignore other columns."""
    if name in result.names:
        widgets[keys.widget_key("in_detail")] = name


def _curves(view: View, measure: Measure) -> Curves | None:
    """Means of the runs as judgments disappear; None while they are computed."""
    found: Curves | None = experiment.run(view, "curves", [measure], _last_rates(), title=CURVES)
    return found


def _last_rates() -> Rates:
    """The parameters of *Curves* as last set, if judgments disappear there."""
    last = form.last_params(Rates, "", "curves")
    shows_runs = last.of == "judgments" and not last.by and "mean" in last.watch
    if not shows_runs:
        return Rates()
    return last


CLICK = "Click the heading of a measure to rank by it."


def _marks(result: Leaderboard) -> str:
    """Legend of the marks, a sentence."""
    return f"Against {result.baseline} ({BASE}): {result.explain_marks()}"


def _caption(result: Leaderboard, measure: Measure, picked: Sequence[str]) -> str:
    """The marks, and what a sample of judgments does to intervals."""
    said = []
    if AGAINST in picked:
        said.append(_marks(result))
    if INTERVAL in picked and result.ends.columns():
        said.append(_interval_caption(result, measure))
    if not said:
        return CLICK
    return " ".join(said)


def describe_columns(result: Leaderboard, measure: Measure) -> list[str]:
    """How to read the columns, sentences."""
    return [
        "Rank: from and to which place, with all pairs tested together.",
        _interval_caption(result, measure),
        _marks(result),
        "Two runs share a letter if they do not differ, all pairs tested together.",
        CLICK,
    ]


def _interval_caption(result: Leaderboard, measure: Measure) -> str:
    if result.ends.columns_of(result.names.index(measure)):
        over = "; ".join(f"over {name}, {means}" for name, means in score_table.OVER.items())
        return f"{LEVEL:.0%} intervals around the estimate (the mean minus its bias): {over}."
    said = f"Interval: {LEVEL:.0%}, of mean {measure} over topics."
    if result.ends.columns():
        said += f" {measure} is not an estimator, so it ignores the effect of the sample."
    return said


def _columns(
    result: Leaderboard,
    measure: Measure,
    picked: Sequence[str],
    marked: Sequence[str],
    over_rates: Curves | None,
) -> list[Column]:
    """The columns, from the left: rank, run and interval, the measure in detail, the
    others, then what is picked for few tasks. If the usual ones are picked, those that
    fit.
    """
    compared = result.compared(measure)
    others = [name for name in result.names if name != measure]
    makes: dict[str, Callable[[], list[Column]]] = {
        RANKS: lambda: _rank(compared),
        RUNS: lambda: _runs(compared, marked),
        INTERVAL: lambda: _intervals(compared),
        DETAIL: lambda: _bars(result, measure, measure, marks=AGAINST in picked),
        OTHERS: lambda: _others(result, others, measure, marks=AGAINST in picked),
        HOLES: lambda: _with_holes(compared),
        TESTS: lambda: _tests(compared),
        GROUPS: lambda: _groups(result, compared),
        OVER: lambda: _over_rates(over_rates, compared),
    }
    asked = {*picked, RUNS, DETAIL, HOLES}
    columns: list[Column] = []
    for name, make in makes.items():
        if name in asked:
            columns += make()
    is_usual = [*picked] == [name for name in USUAL if name in picked]
    if not is_usual:
        return columns
    return fit(columns)


def _rank(compared: pd.DataFrame) -> list[Column]:
    ends = zip(compared["rank_low"], compared["rank_high"], strict=True)
    return [Column("rank", [*starmap(_places, ends)])]


def _places(low: int, high: int) -> str:
    """From which to which place; one alone is a number."""
    if low == high:
        return f"{low}"
    return f"{low} to {high}"


def _runs(compared: pd.DataFrame, marked: Sequence[str]) -> list[Column]:
    """The runs; before them a mark for those that are pinned, if some are."""
    runs = Column("run", compared["run"].to_numpy())  # not pinned: Streamlit fades what is
    pinned = compared["run"].isin(marked).to_numpy()
    if not pinned.any():
        return [runs]
    pins = np.where(pinned, PIN, "")
    return [Column("pinned", pins, st.column_config.TextColumn("", width=30)), runs]


def _others(
    result: Leaderboard, others: Sequence[Measure], order_by: Measure, *, marks: bool
) -> list[Column]:
    """Means by the measures that are not in detail: bars, or numbers where many would not
    fit.
    """
    draw = _bars
    if len(result.names) > CROWDED:
        draw = _numbers
    columns: list[Column] = []
    for name in others:
        columns += draw(result, name, order_by, marks=marks)
    return columns


def _marked(result: Leaderboard, name: Measure, order_by: Measure) -> tuple[np.ndarray, list[str]]:
    """Means by a measure and their marks, in the order by another."""
    m, order = result.names.index(name), result.order(order_by)
    marks = result.marks[m, order]
    return result.scores.means[m, order], np.where(marks == BASELINE, BASE, marks).tolist()


def _numbers(result: Leaderboard, name: Measure, order_by: Measure, *, marks: bool) -> list[Column]:
    """Means by a measure as numbers, with their marks."""
    values, signs = _marked(result, name, order_by)
    texts = [f"{value:.4f} {sign * marks}" for value, sign in zip(values, signs, strict=True)]
    help = None
    if marks:
        help = f"{name}, and its mark {AGAINST}"
    look = st.column_config.TextColumn(str(name), width=NUMBER, help=help)
    return [Column(name, np.where(np.isnan(values), "", texts), look)]


def _bars(result: Leaderboard, name: Measure, order_by: Measure, *, marks: bool) -> list[Column]:
    """Means by a measure as bars from 0, and their marks."""
    values, signs = _marked(result, name, order_by)
    # from 0 to the best: bars of several measures are not to be compared
    top = float(np.nanmax(values, initial=0.0)) or 1.0
    bars = st.column_config.ProgressColumn(
        str(name), format="%.4f", min_value=0.0, max_value=top, width=BAR
    )
    if not marks:
        return [Column(name, values, bars)]
    help = f"{name} {AGAINST}"
    return [
        Column(name, values, bars),
        Column(help, signs, st.column_config.TextColumn(" ", width=MARK, help=help)),
    ]


def _intervals(compared: pd.DataFrame) -> list[Column]:
    """Interval of each mean; on a sample the estimate of an estimator and both of its
    intervals.
    """
    if ESTIMATE not in compared:
        return [Column(INTERVAL, _spans(compared, ""))]
    help = "The mean minus its bias, as estimated from the sample."
    estimate = st.column_config.NumberColumn(format="%.4f", help=help)
    over = [Column(f"over {name}", _spans(compared, f"_{name}")) for name in score_table.OVER]
    return [Column(ESTIMATE, compared[ESTIMATE].to_numpy(), estimate), *over]


def _spans(compared: pd.DataFrame, over: str) -> list[str]:
    ends = zip(compared[f"low{over}"], compared[f"high{over}"], strict=True)
    return [*starmap(_span, ends)]


def _span(low: float, high: float) -> str:
    """An interval; empty if there is none."""
    if np.isnan(low):
        return ""
    return f"{low:.4f} to {high:.4f}"


def _with_holes(compared: pd.DataFrame) -> list[Column]:
    """Scores with holes judged, once they are computed."""
    if COLUMNS[0] not in compared:
        return []
    return [Column(HOLES, [*starmap(_hole_text, compared[[*COLUMNS]].itertuples(index=False))])]


def _tests(compared: pd.DataFrame) -> list[Column]:
    signed = st.column_config.NumberColumn("difference", format="%+.4f")
    return [
        Column("difference", compared["difference"].to_numpy(), signed),
        Column("p alone", compared["p alone"].to_numpy()),
        Column("p at once", compared["p at once"].to_numpy()),
    ]


def _groups(result: Leaderboard, compared: pd.DataFrame) -> list[Column]:
    topics = result.board().set_index("run").loc[compared["run"], "topics"]
    mean_rank = st.column_config.NumberColumn(
        format="%.1f", help="Over topics, each with the same weight."
    )
    borda = st.column_config.NumberColumn(
        format="%g", help="Number of runs with a lower mean, summed over measures."
    )
    return [
        Column("group", compared["group"].to_numpy()),
        Column("mean rank", compared["mean rank"].to_numpy(), mean_rank),
        Column("Borda", compared["Borda"].to_numpy(), borda),
        Column("topics", topics.to_numpy(), st.column_config.Column(width=60)),
    ]


def _over_rates(found: Curves | None, compared: pd.DataFrame) -> list[Column]:
    """A line for each run, on one scale that includes 0, once it is computed."""
    if found is None:
        return []
    means = np.nan_to_num(found.means[0, 0].mean(axis=1).T)
    lines = dict(zip(found.runs, means.tolist(), strict=True))
    first, last = found.realised[0], found.realised[-1]
    look = st.column_config.LineChartColumn(
        OVER,
        width=120,
        help=f"Its mean on {first.amount} to {last.amount}{last.beside} of the judgments, as on"
        " the page Curves.",
        y_min=min(0.0, float(means.min())),
        y_max=float(means.max()) or 1.0,
    )
    return [Column(OVER, pick(lines, compared["run"]), look)]


def _hole_text(mean: float, low: float, high: float, least: float, most: float) -> str:
    """A score with holes judged; its bounds where nothing more is known."""
    if not np.isnan(mean):
        return f"{low:.4f} to {high:.4f}"
    if np.isnan(least):
        return ""
    return f"{least:.4f} to {most:.4f} (bounds)"
