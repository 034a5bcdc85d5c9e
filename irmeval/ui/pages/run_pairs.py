"""Pairs of runs on the page: the matrix and details of a clicked cell."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from irmeval.collection.shards import Sharded
from irmeval.core.errors import IrmevalError
from irmeval.core.tables import escape_markdown
from irmeval.experiments.incompleteness.what_if import Params as Asked
from irmeval.experiments.results import Chart, pick_named
from irmeval.experiments.runs.matrix import READABLE, PairMatrix
from irmeval.experiments.runs.pair import PairOfRuns
from irmeval.experiments.runs.two_lists import lists_of_topic
from irmeval.experiments.runs.two_runs import TwoRuns
from irmeval.experiments.scored import runs_best_first
from irmeval.metrics import measure
from irmeval.plots import pins
from irmeval.plots.heatmap import NAMED
from irmeval.scoring.filled import can_fill
from irmeval.scoring.selection import names_text
from irmeval.scoring.with_holes import have_many_holes
from irmeval.ui.state import keys, marked_runs
from irmeval.ui.state.tab_state import made_once, widgets
from irmeval.ui.state.view import View
from irmeval.ui.widgets import (
    answer,
    experiment,
    form,
    inputs,
    jobs,
    output,
    reporting,
    session,
)


def draw_pairs(view: View, result: PairMatrix, name: str) -> None:
    """Draw the matrix, two of its runs below it, and all runs against one. Of more runs
    than can be named, a close-up follows the matrix.
    """
    marked_runs.redraw_if_changed()
    shown, charts = narrow(result, name), list[Chart]()
    if shown.size > NAMED:
        every = made_once(
            "matrix-all", (result, name, tuple(shown)), lambda: result.chart_of_matrix(name, shown)
        )
        draw_square(every, "matrix-all", shown.size)
        output.let_it_be_drawn()
        charts.append(every)
        shown = close_up(shown)
    chart = made_once(
        "matrix", (result, name, tuple(shown)), lambda: result.chart_of_matrix(name, shown)
    )
    matrix(result, chart, shown)
    charts.append(chart)
    jobs.note_shown("matrix", partial(draw_square, charts[0], "matrix-before", len(result.runs)))
    with st.container(horizontal=True):
        a, b = pick([result.runs[r] for r in _order(result, name)])
    draw_pair(result, name, a, b)
    against = made_once(
        "against", (result, name, a, tuple(shown)), lambda: result.chart_against(name, a, shown)
    )
    output.chart(against, "against")
    charts.append(against)
    views = {}
    if a != b:
        views = {"Topics": lambda: output.table(result.pair(name, a, b).frame())}
    notes = result.params.describe_test
    output.below_charts(view, "matrix", result, charts, views, notes=notes)


def draw_square(chart: Chart, name: str, runs: int, **more: Any) -> None:
    """Draw a matrix: of many runs as large as the window has room for (the style sheet
    makes it a square), of few by their number.
    """
    if runs < MANY:
        output.chart(chart, name, width="content", **more)
        return
    with st.container(key=f"square-{name}"):
        output.chart(chart, name, width="stretch", height="stretch", **more)


def _order(result: PairMatrix, name: str) -> np.ndarray:
    """Runs, best first."""
    return made_once("by-mean", (result, name), partial(result.order, name))


def narrow(result: PairMatrix, name: str) -> np.ndarray:
    """Draw the field that filters the runs; return those to show, best first."""
    with pins.use_pins(*marked_runs.in_charts()) as chosen:
        order = pins.first_drawn(_order(result, name), result.runs, len(result.runs))
    with answer.controls():
        words = inputs.text(
            "Only runs with",
            name="only",
            width=300,
            bind="query-params",
            placeholder="Part of a name",
            help="Names that contain this text, or one of several texts separated by commas.",
        )
    parts = [*filter(None, map(str.strip, words.lower().split(",")))]
    kept = [*order]
    if parts:
        kept = [r for r in order if _has_one(result.runs[r].lower(), parts)]
    if len(order) < 2:
        st.info("Only one run is shown. Show more in the sidebar, under Runs in charts.")
    elif len(kept) < 2:
        st.info("Fewer than two names contain this text. All runs are shown.")
        kept = list(order)
    elif parts:
        st.caption(f"{len(kept)} of {len(order)} runs are shown. All their pairs count at once.")
    if chosen.left:
        answer.note_left_out()
    return np.array(kept)


def _has_one(name: str, parts: Sequence[str]) -> bool:
    """Whether a name has one of some texts in it."""
    return any(part in name for part in parts)


def close_up(order: np.ndarray) -> np.ndarray:
    """Draw the choice of the runs that are shown closer, best first; return them."""
    first = form.number(
        "Close-up from place",
        1,
        order.size - READABLE + 1,
        1,
        key="from",
        width=220,
        help=f"Place of the first of {READABLE} neighbouring runs, the best run having place 1.",
    )
    return order[first - 1 :][:READABLE]


def matrix(result: PairMatrix, chart: Chart, shown: np.ndarray) -> None:
    """Draw the matrix of the shown runs, its `chart`; a click on a cell sets the
    widgets of `pick` to its two runs.
    """
    names = [result.runs[r] for r in shown]

    def take() -> None:
        points = widgets["chart-matrix"].selection.point_indices
        if points:
            row, column = divmod(points[-1], len(names))
            if row != column:
                widgets.update(
                    {keys.widget_key("run_a"): names[row], keys.widget_key("run_b"): names[column]}
                )

    draw_square(chart, "matrix", shown.size, on_select=take, selection_mode="points")


def pick(options: Sequence[str]) -> tuple[str, str]:
    """Draw the choice of two runs, best first: those of a clicked cell, or of the URL;
    at first the two best.
    """
    asked = {}
    for i, (name, label) in enumerate((("run_a", "Run"), ("run_b", "Against"))):
        key, help = keys.widget_key(name), "Best first. Type to search."
        inputs.refuse_unless_option(name, options, label)
        before, linked = widgets.get(key), st.query_params.get(key)
        # a link, or going back, asks for other runs than those shown
        if linked and linked != widgets.get(f"{key}_written"):
            before = linked
        if before not in options:
            before = options[i]
        widgets[key] = before
        asked[key] = form.choose(
            label, options, i, key=name, bind=None, persist_state="session", help=help, width=RUN
        )
    # a value set by a callback reaches the URL of a bound widget one click late
    if not asked.items() <= st.query_params.items():
        st.query_params.update(asked)
    widgets.update({f"{key}_written": run for key, run in asked.items()})
    a, b = asked.values()
    return a, b


def draw_pair(result: PairMatrix, name: str, a: str, b: str) -> None:
    """Two runs topic by topic."""
    if a == b:
        st.info("Pick two different runs.")
        return
    both = made_once("pair", (result, name, a, b), lambda: result.pair(name, a, b))
    claim, *numbers = made_once("pair-said", (both,), partial(_say_pair, both))
    st.markdown(claim)
    with st.grid(4, min_column_width=100):
        for text in numbers:
            st.markdown(text)
    output.chart(made_once("pair-chart", (both,), both.chart), "pair")


def _say_pair(both: PairOfRuns) -> list[str]:
    """The claim on two runs, and its numbers, in Markdown."""
    claim, beside, below = map(escape_markdown, both.verdict())
    numbers = [
        f":small[{escape_markdown(label)}]  \n**{text}**" for label, text in both.numbers().items()
    ]
    return [f"{claim} :small[{' '.join(filter(None, [beside, below]))}]", *numbers]


def pick_pair(view: View) -> dict[str, str]:
    """Draw the choice of the two runs of *Two runs*; return the parameter that names
    them, none if there is one run only.
    """
    source, measures = view.scores().collection, experiment.measures_for(view, "two-runs")
    options = list(source.runs)
    with suppress(IrmevalError):  # which the experiment explains
        options = made_once(
            "order", (source, measures[:1]), lambda: runs_best_first(source, measures)
        )
    if len(options) < 2:
        return {}
    with answer.controls():
        a, b = pick(options)
    if a == b:
        st.info("Pick two different runs.")
        answer.stop_page()
    return {"pair": names_text((a, b))}


def draw_two_runs(view: View, result: TwoRuns, name: str) -> None:
    """Two runs by one measure topic by topic, and by all measures."""
    both = made_once("both", (result, name), partial(result.pair_by, name))
    draw_topics(view, both)
    output.let_it_be_drawn()
    views = {"Topics": lambda: output.table(both.frame())}
    charts = output.charts_of("two-runs", result, name)
    output.below_charts(
        view, "two-runs", result, charts, views, notes=result.notes, default="Table"
    )
    if not view.matrix and _have_holes(view, both):
        draw_with_holes(view, both.a, both.b, name)


def _have_holes(view: View, both: PairOfRuns) -> bool:
    """Whether more than a tenth of the top of one of the runs is unjudged."""
    collection = view.selected().collection
    places = [collection.runs.index(run) for run in (both.a, both.b)]
    holes = made_once("holes", (collection.fingerprint,), lambda: have_many_holes(collection))
    return bool(holes[places].any())


def draw_with_holes(view: View, a: str, b: str, name: str) -> None:
    """Draw the difference of two runs if the holes of both were judged, and whether its
    sign is safe.
    """
    st.header("Would it hold if unjudged documents were judged?")
    known = [each for each in form.measures(view) if can_fill(measure(each))]
    if not known:
        st.caption(
            "Available for measures that grades alone determine. Choose one in the sidebar, such as"
            " nDCG@10."
        )
        return
    answer.start_block("holes")
    asked: dict[str, Any] = {"pair": names_text((a, b)), **experiment.teams_and_kinds(view)}
    params = replace(form.last_params(Asked, "", "what-if"), **asked)
    if result := experiment.run(view, "what-if", known, params):
        # a measure that grades alone do not determine has no answer: the first that has one speaks
        if name not in known:
            name = ""
        verdict = result.verdict(name)
        answer.show_sentence(verdict.claim)
        for shown in pick_named(result.tables(), ("pair",)):
            output.result_table(shown)
        said = filter(None, [verdict.beside, verdict.below, *result.notes()])
        st.caption(escape_markdown(" ".join(said)))
        reporting.button("what-if", result)


@answer.fragment
def draw_topics(view: View, both: PairOfRuns) -> None:
    """Draw two runs topic by topic. A bar that is clicked shows its topic's two lists;
    several, clicked with Shift, list their topics, which can be used alone.
    """
    chart = made_once("pair-chart", (both,), both.chart)
    jobs.note_shown("two-runs", partial(output.hero, chart, "two-runs-before"))
    state = output.hero(chart, "two-runs", on_select="rerun", selection_mode=("points", "box"))
    bars = state.selection.point_indices if state else []
    # a selection may be of bars that were drawn before
    places = sorted({int(both.shown[bar]) for bar in bars if bar < both.shown.size})
    if len(places) == 1:
        draw_lists(view, both, both.topics[both.order[places[0]]])
    elif places:
        draw_picked_topics(view, both, places)
    elif _has_lists(view):
        st.caption("Click a bar for its topic's two lists, several with Shift.")
    else:
        st.caption("Click bars to list their topics, several with Shift.")


def _has_lists(view: View) -> bool:
    """Whether ranked lists are here: a score matrix has none, workers keep theirs."""
    return not view.matrix and not isinstance(view.selected().collection, Sharded)


def draw_lists(view: View, both: PairOfRuns, topic: str) -> None:
    """Draw the lists of both runs for a topic, side by side with their grades."""
    if not _has_lists(view):
        st.caption("The ranked lists are not loaded here, only scores.")
        return
    collection = view.selected().collection
    depends_on = collection.fingerprint, both.a, both.b, topic
    frame = made_once(
        "two-lists",
        depends_on,
        lambda: lists_of_topic(collection, both.a, both.b, topic, LISTED),
    )
    t = both.topics.index(topic)
    st.subheader(escape_markdown(f"Topic {topic}, down to rank {LISTED}"))
    st.caption(escape_markdown(f"{both.name}: {both.x[t]:.4f} {both.a}, {both.y[t]:.4f} {both.b}."))
    grade, rank = st.column_config.TextColumn("grade"), st.column_config.TextColumn
    looks = {f"grade in {run}": grade for run in (both.a, both.b)}
    looks |= {f"rank in {run}": rank(f"in {run}") for run in (both.a, both.b)}
    output.table(frame, column_config=looks)


def draw_picked_topics(view: View, both: PairOfRuns, places: Sequence[int]) -> None:
    """Draw the scores on some topics, by their positions in the order of the bars, and
    a button that uses only these.
    """
    st.write(escape_markdown(both.of_topics(places)))
    picked = [both.topics[place] for place in both.order[places]]
    frame = both.frame()
    output.table(frame[frame["topic"].isin(picked)].reset_index(drop=True))
    rule = ",".join(picked)
    if view.matrix or rule.count(",") >= len(picked):
        return  # a score matrix takes no rules, whose topics are separated by commas
    if st.button("Use only these topics", key="topics_alone"):
        session.arrange({"topics_only": rule})
        st.rerun()


MANY = 20
"""Number of runs from which a matrix is as large as the window has room for."""
LISTED = 20
"""Number of ranks of the lists of two runs."""
RUN = 150
"""Width in pixels of a list of runs beside another."""
