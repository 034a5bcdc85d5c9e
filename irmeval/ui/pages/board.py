"""The leaderboard on its page: bars from zero, intervals, marks against a baseline, and
a line per run over rates.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from irmeval.experiments.incompleteness.curves import Params as Rates
from irmeval.experiments.incompleteness.filled_holes import COLUMNS
from irmeval.experiments.incompleteness.watched_curves import Curves
from irmeval.experiments.runs.board_charts import LEVEL
from irmeval.experiments.runs.leaderboard import BASELINE, Leaderboard, Params
from irmeval.experiments.verdicts import describe_ranks
from irmeval.metrics import Measure
from irmeval.scoring import score_table
from irmeval.scoring.with_holes import have_many_holes
from irmeval.ui.state import marked_runs
from irmeval.ui.state.tab_state import made_once, widgets
from irmeval.ui.widgets import answer, experiment, form, inputs, output, session

AGAINST = "against the baseline"
"""Columns of the marks and p against the baseline."""
INTERVAL = "interval"
"""Column of the interval of the mean."""
RANKS = "ranks and groups"
"""Columns of ranges of ranks, and of letters."""
OVER = "over rates"
"""Column of means as judgments disappear."""
HOLES = "with holes"
"""Column of the score if unjudged documents were judged."""
OTHERS = "other measures"
"""Columns of the other measures."""
BARS = 4
"""Most measures whose means are bars; of more, so that all are seen at once, they are
numbers.
"""
NUMBER = 60
"""Least width of a column of means without bars, in pixels."""
MARK = 38
"""Width of a column of marks."""
BASE = "●"
"""The mark of the baseline."""
PIN = "◆"
"""Text beside the name of a pinned run, as on the chart of intervals."""
CURVES = "Leaderboard over rates"
"""Title of the job."""
WITH_HOLES = "Leaderboard with holes"
"""Title of the job that judges the holes."""


def settings() -> Params:
    """The form: a baseline among the runs, and the test against it."""
    with answer.settings() as in_force:
        run = form.choose(
            "Baseline",
            session.loaded_or_matrix().collection.runs,
            None,
            key="baseline",
            placeholder="the best by the first measure",
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
        if not session.matrix():
            help = (
                "Scores if unjudged documents were judged. On by default if more than a tenth of a"
                " top 10 is unjudged."
            )
            c = session.loaded().collection
            many = made_once("many", (c.fingerprint,), lambda: bool(have_many_holes(c).any()))
            holes = inputs.toggle("With holes", many, name="holes", bind="query-params", help=help)
            in_force += ["with holes"] if holes else []
            decided |= {"holes": holes, **experiment.teams_and_kinds()}
        return form.params(
            Params, seldom=("samples", "alpha", "at_once", "seed"), in_force=in_force, **decided
        )


def run(params: Params) -> Leaderboard | None:
    """The result; without holes while these are not judged, which takes longer, or is
    not done unasked.
    """
    measures = experiment.measures_for("leaderboard")
    result: Leaderboard | None = experiment.run(
        "leaderboard", measures, replace(params, holes=False)
    )
    return (
        result
        if not params.holes
        else experiment.run(
            "leaderboard",
            measures,
            params,
            title=WITH_HOLES,
            optional="scores and intervals with unjudged documents judged",
        )
        or result
    )


def draw(result: Leaderboard) -> tuple[Measure, list[str]]:
    """Draw the table with selectable columns; return the measure in detail and the
    ticked runs, by default the best.
    """
    with answer.controls():
        measure = form.choose(
            "In detail",
            result.names,
            key="in_detail",
            width=form.LIST_WIDTH,
            help="The measure whose order, p, intervals and ranks are shown beside the means.",
        )
        with inputs.popover("Columns", "Columns"):
            offered = (
                (AGAINST, INTERVAL, RANKS, OVER, OTHERS)
                if result.measures
                else (AGAINST, INTERVAL, RANKS)
            )
            columns = form.pick_some(
                "Columns", offered, "columns", "Columns besides run, topics and mean."
            )
            whole = inputs.toggle(
                "All rows",
                name="all_rows",
                bind="query-params",
                help="Shows the table at full length.",
            )
    over_rates = (
        experiment.run("curves", [measure], _last_rates(), title=CURVES)
        if OVER in columns
        else None
    )
    depends_on = result, measure, tuple(columns), marked_runs.MARKS.get().pinned, over_rates
    frame, config, captions = made_once("board", depends_on, lambda: _table(*depends_on))
    answer.show_sentence(
        made_once("board-sentence", (result, measure), lambda: result.headline(measure))
    )
    shown = output.without_hidden(frame)
    height: dict[str, Any] = {"height": "content"} if whole else {}

    def take() -> None:
        if cells := widgets["board"].selection.cells:
            marked_runs.toggle_highlight(shown["run"].iloc[cells[-1][0]])

    state = output.table(
        shown,
        column_config=config,
        on_select=take,
        selection_mode=["multi-row", "single-cell"],
        key="board",
        **height,
    )
    for caption in captions:
        st.caption(caption)
    ticked = [shown["run"].iloc[row] for row in state.selection.rows if row < len(shown)]
    return measure, ticked or [frame["run"].iloc[0]]


def _last_rates() -> Rates:
    """The parameters of *Curves* as last set, if judgments disappear there."""
    last = form.last_params(Rates, "", "curves")
    shows_runs = last.of == "judgments" and not last.by and "mean" in last.watch
    return last if shows_runs else Rates()


def _table(
    result: Leaderboard,
    measure: Measure,
    picked: Sequence[str],
    pinned: Sequence[str],
    over_rates: Curves | None,
) -> tuple[pd.DataFrame, dict[str, Any], list[str]]:
    """The table, how its columns are shown, and the captions below it."""
    frame, config = _columns(result, measure, picked, pinned, over_rates)
    over = f"Interval: {LEVEL:.0%}, of the mean over topics (Student's t, corrected for skew)"
    if "estimate" in frame:
        meant = "; ".join(f"over {name}, {meaning}" for name, meaning in score_table.OVER.items())
        over = f"{LEVEL:.0%} intervals around the estimate (the mean minus its bias): {meant}"
    elif INTERVAL in picked and result.ends.columns():
        over += f"; {measure} is not an estimator, so the interval ignores the effect of the sample"
    bars = "Bars start at 0. " if len(result.names) <= BARS else ""
    captions = [
        f"{bars}In detail: {measure}. {over}. Against the baseline ({BASE}):"
        f" {result.describe_marks()}"
    ]
    if RANKS in picked:
        captions.append(describe_ranks(result.tests[0], loaded=result.loaded))
    return frame, config, captions


def _columns(
    result: Leaderboard,
    measure: Measure,
    picked: Sequence[str],
    marked: Sequence[str],
    over_rates: Curves | None,
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """The table, and how its columns are shown: the means by all measures with their
    marks, and beside them the measure in detail.
    """
    order = [result.scores.runs[run] for run in result.order(measure)]
    board, compared = result.board().set_index("run").loc[order], result.compared(measure)
    pinned = dict.fromkeys(marked, PIN)
    marks: dict[str, Any] = (
        {"pinned": [pinned.get(run, "") for run in order]} if pinned.keys() & {*order} else {}
    )
    columns: dict[str, Any] = {"run": order, **marks}
    config: dict[str, Any] = {
        "pinned": st.column_config.TextColumn("", width=30),
        "run": st.column_config.TextColumn("run"),  # not pinned: Streamlit fades what is
        "topics": st.column_config.Column(width=60),
    }
    others = OTHERS in picked
    for name in result.names if others else [measure]:
        columns[name] = board[name].to_numpy()
        top = float(np.nanmax(columns[name], initial=0.0)) or 1.0
        bars = not others or len(result.names) <= BARS
        config[name] = (
            st.column_config.ProgressColumn(
                name, format="%.4f", min_value=0.0, max_value=top, width=output.BAR_WIDTH
            )
            if bars
            else st.column_config.NumberColumn(name, format="%.4f", width=NUMBER)
        )
        if AGAINST in picked:
            verdicts = result.marks[result.names.index(name)]
            columns[marked := f"{name} {AGAINST}"] = [
                BASE if mark == BASELINE else mark for mark in verdicts[result.order(measure)]
            ]
            config[marked] = st.column_config.TextColumn(" ", width=MARK, help=f"{name} {AGAINST}")
    columns |= _detail(result, picked, compared, over_rates, config)
    return pd.DataFrame(columns | {"topics": board["topics"].to_numpy()}), config


def _detail(
    result: Leaderboard,
    picked: Sequence[str],
    compared: pd.DataFrame,
    found: Curves | None,
    config: dict[str, Any],
) -> dict[str, Any]:
    """The columns of the measure in detail; how they are shown goes into `config`."""
    columns: dict[str, Any] = {}
    if AGAINST in picked:
        columns |= {name: compared[name].to_numpy() for name in ("p alone", "p at once")}
        columns["difference"] = (
            compared["difference"].where(compared["mark"] != BASELINE).to_numpy()
        )
        config["difference"] = st.column_config.NumberColumn("difference", format="%+.4f")
    if INTERVAL in picked:
        columns |= _intervals(compared)
        config["estimate"] = st.column_config.NumberColumn(
            format="%.4f", help="The mean minus its bias, as estimated from the sample."
        )
    if result.holes.columns():
        columns[HOLES] = [
            _hole_text(*each) for each in zip(*(compared[name] for name in COLUMNS), strict=True)
        ]
    if RANKS in picked:
        ends = zip(compared["rank_low"], compared["rank_high"], strict=True)
        columns["ranks"] = [f"{low} to {high}" if low < high else f"{low}" for low, high in ends]
        columns["group"] = compared["group"].to_numpy()
        columns |= {name: compared[name].to_numpy() for name in ("mean rank", "Borda")}
        config["mean rank"] = st.column_config.NumberColumn(
            format="%.1f", help="Over topics, each with the same weight."
        )
        config["Borda"] = st.column_config.NumberColumn(
            format="%g", help="Number of runs with a lower mean, summed over measures."
        )
    if found:
        lines = dict(
            zip(found.runs, np.nan_to_num(found.means[0, 0].mean(axis=1).T).tolist(), strict=True)
        )
        columns[OVER] = [lines[run] for run in compared["run"]]
        low, high = min(0.0, *map(min, lines.values())), max(map(max, lines.values())) or 1.0
        first, last = found.realised[0], found.realised[-1]
        help = (
            f"Its mean on {first.amount} to {last.amount}{last.beside} of the judgments, as on the"
            " page Curves."
        )
        config[OVER] = st.column_config.LineChartColumn(
            OVER, width=120, help=help, y_min=low, y_max=high
        )
    return columns


def _intervals(compared: pd.DataFrame) -> dict[str, Any]:
    """Interval of each mean; on a sample the estimate of an estimator and both of its
    intervals.
    """

    def spans(over: str = "") -> list[str]:
        ends = zip(compared[f"low{over}"], compared[f"high{over}"], strict=True)
        return ["" if low != low else f"{low:.4f} to {high:.4f}" for low, high in ends]

    if "estimate" not in compared:
        return {INTERVAL: spans()}
    return {
        "estimate": compared["estimate"].to_numpy(),
        **{f"over {over}": spans(f"_{over}") for over in score_table.OVER},
    }


def _hole_text(mean: float, low: float, high: float, least: float, most: float) -> str:
    """A score with holes judged; its bounds where nothing more is known."""
    if mean != mean:
        return "" if least != least else f"{least:.4f} to {most:.4f} (bounds)"
    return f"{mean:.4f} ({low:.4f} to {high:.4f})"
