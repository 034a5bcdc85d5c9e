"""The page *Curves*: what happens to something as something else disappears. Both are
lists in the question.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from irmeval.core.params import Field, fields, format_value
from irmeval.core.tables import decimals, escape_markdown
from irmeval.core.text import count_noun
from irmeval.experiments.axes import AXES, Axis
from irmeval.experiments.axes.by_lines import GAINS, names_for
from irmeval.experiments.incompleteness.curves import Params
from irmeval.experiments.incompleteness.watched_curves import Curves
from irmeval.experiments.watched import STATISTICS
from irmeval.experiments.watched.decisions import CELLS
from irmeval.reading.gain_maps import PRESETS
from irmeval.report import exports
from irmeval.ui.state.tab_state import made_once
from irmeval.ui.state.view import View
from irmeval.ui.widgets import answer, experiment, form, inputs, output

NAME = "curves"
MEAN = "mean"
ORDER = "order"
NONE = "none"
"""No lines."""
SELDOM = (
    *("rounding", "correlation", "gold", "samples", "alpha", "pairs", "threshold", "sample_of"),
    *("least_relevant", "least_nonrelevant"),
)
BESIDE = 60
"""Width in pixels of a list inside the question, beside its letters."""
LETTER = 7
"""Width in pixels of each letter."""
WIDE = 10_000
"""Number of pairs from which there is no room for decimals."""
KINDS = {
    "Still not significant": "Pairs that are not significant, before and after.",
    "Spurious": (
        "Pairs that are significant now, but not on everything. Bompada et al. call them false"
        " negatives."
    ),
    "Missed": (
        "Pairs that are significant on everything, but not now. Bompada et al. call them false"
        " positives."
    ),
    "Still significant": "Pairs that are significant, before and after.",
}
"""Outcomes of a pair of runs, in the order of `CELLS`."""


def draw(view: View) -> None:
    """Draw the page."""
    axis, first = _question()
    with answer.controls():
        watch, by = _also(first), _lines(axis)
    params = _settings(view, axis, watch, by)
    result = experiment.run(view, NAME, experiment.measures_for(view, NAME), params)
    if result:
        of = result, view.selected().collection.fingerprint, tuple(view.dataset.teams.items())
        views = made_once("views", of, partial(_views, view, result))
        experiment.present(view, NAME, result, views, notes=result.notes)


def _question() -> tuple[Axis, str]:
    """Draw the question with its two lists; return what disappears, and what is
    watched.
    """
    _recall("of", "watch", "also", "lines")
    with st.container(key="question", horizontal=True, vertical_alignment="center"):
        st.title("What happens to", width="content", anchor=False)
        # the order of runs is the first of the list, since the page opens on it
        first = _pick(
            "Watched", {ORDER: STATISTICS[ORDER]} | {**STATISTICS}, "watch", "What is read off."
        )
        st.markdown("as", width="content")
        of = _pick("What disappears", AXES, "of", "What is taken away, step by step.")
        st.markdown("disappear?", width="content")
    return AXES[of], first


def _pick(label: str, items: Mapping[str, Any], name: str, help: str) -> str:
    """Draw a list inside the question, of words; return the name of what is picked."""
    names = {item.words: key for key, item in items.items()}
    picked: str = form.choose(
        label,
        [*names],
        key=name,
        help=help,
        label_visibility="collapsed",
        width=BESIDE + LETTER * max(map(len, names)),
    )
    _keep(name, picked, next(iter(names)))
    return names[picked]


def _also(first: str) -> tuple[str, ...]:
    """Draw the list of further statistics; return all that are watched. The order of
    the runs has the mean beside it.
    """
    shown = [first]
    if first == ORDER:
        shown = [MEAN, ORDER]
    others = {one.words: name for name, one in STATISTICS.items() if name not in shown}
    with inputs.popover("Also watch", "also_watch"):
        also = form.pick_some(
            "Also watch",
            [*others],
            "also",
            "Further statistics, each with its own charts.",
            (),
        )
    _keep("also", also, [])
    return tuple(name for name in STATISTICS if name in {*shown, *map(others.__getitem__, also)})


def _lines(axis: Axis) -> str:
    """Draw the list of what lines differ in, and their values; return both as text."""
    names = made_once("lines", (axis,), partial(_names, axis))
    with inputs.popover("Lines", "lines_of"):
        name = form.choose(
            "A line for each",
            [*names],
            key="lines",
            help="Draws one chart a measure, with a line for each value.",
            format_func=names.__getitem__,
        )
        _keep("lines", name, NONE)
        if name == NONE:
            return ""
        if name in AXES:
            field = AXES[name].levels
            values = form.widget(f"lines_{name}", field)
            return f"{name}={','.join(map(str, values or map(format_value, field.default)))}"
        if name == GAINS:
            choices = [*PRESETS]
            usual = choices[:2]
        else:
            choices = usual = [*axis.own[name].param.choices]
        picked = form.pick_some("Values", choices, f"lines_{name}", "A line for each.", usual)
    if not picked:
        return ""
    return f"{name}={','.join(picked)}"


def _names(axis: Axis) -> dict[str, str]:
    """What lines may differ in, and its label."""
    return {name: _label(axis, name) for name in [NONE, *names_for(axis)]}


def _label(axis: Axis, name: str) -> str:
    if name in AXES:
        return AXES[name].words
    if name in axis.own:
        return axis.own[name].param.label
    return name


def _settings(view: View, axis: Axis, watch: Sequence[str], by: str) -> Params:
    """Draw the levels, in sight, and the other settings; return all parameters."""
    idle = made_once("idle", (axis, watch, by), partial(_idle, axis, watch, by))
    prefix = f"{axis.name}_"
    if axis.name == next(iter(AXES)):
        prefix = ""
    with answer.controls():
        levels = form.widget(f"{prefix}levels", _levels_of(axis))
    _keep(f"{prefix}levels", levels, [*map(format_value, axis.levels.default)])
    decided = {
        "of": axis.name,
        "watch": watch,
        "by": by,
        "levels": levels or axis.levels.default,
        "team_rule": view.rules.team_rule,
        **idle,
    }
    # a pool's depth leaves nothing to chance, so that one trial is all
    if axis.trials == 1:
        decided["trials"] = 1
    with answer.settings() as in_force:
        return form.params(
            Params,
            prefix,
            seldom=[name for name in SELDOM if name not in decided],
            in_force=in_force,
            declared={"trials": replace(fields(Params)["trials"], default=axis.trials)},
            **decided,
        )


def _idle(axis: Axis, watch: Sequence[str], by: str) -> dict[str, Any]:
    """The values of the parameters that nothing uses."""
    usual = form.make(Params, {"of": axis.name, "watch": watch, "by": by})
    return {name: fields(Params)[name].default for name in usual.idle}


def _levels_of(axis: Axis) -> Field:
    return axis.levels


def _recall(*names: str) -> None:
    """Give widgets the values last set on the page, if it was opened from a menu."""
    form.recall([*names, *(f"{axis}_levels" for axis in AXES), "levels"])


def _keep(name: str, value: Any, usual: Any) -> None:
    """Keep a widget's value for the next visit of the page."""
    form.keep(name, value, usual)


# ---------------------------------------------------------------- more


def _views(view: View, result: Curves) -> dict[str, Callable[[], None]]:
    """Further views of a result, by title."""
    views: dict[str, Callable[[], None]] = {}
    if result.means.ndim > 3:
        views["Run by run"] = partial(_run_by_run, result)
    if "c11" in result.values:
        views["Decisions"] = partial(_decisions, result)
    # with lines, a level has several samples
    if result.axis.removes and not result.by.name:
        views["Reduced qrels"] = partial(_reduced, view, result)
    for table in output.tables_of(NAME, result):
        if table.name not in ("summary", "trials"):  # a view may stand for a table
            views.setdefault(table.title, partial(output.result_table, table))
    return views


def _run_by_run(result: Curves) -> None:
    """Draw the runs' own curves, by one measure."""
    measure = form.choose(
        "Measure", result.measures, key="measure", help="Measure whose runs are drawn."
    )
    output.chart(result.chart_of_runs(measure), "runs")


def _reduced(view: View, result: Curves) -> None:
    """Draw the download of the judgments of one sample."""
    params, c, axis = result.params, view.selected().collection, result.axis
    teams = view.dataset.teams
    levels = [*result.levels]
    level = form.choose(
        axis.levels.param.label.capitalize(),
        levels,
        len(levels) - 1,
        key="reduced_level",
        help="Level whose judgments are written.",
    )
    trial = form.number(
        "Trial", 1, params.trials, key="reduced_trial", help="Number of the sample."
    )
    st.download_button(
        "Reduced qrels, in TREC's format",
        lambda: exports.sample(c, params, level, trial, teams),
        f"qrels-{axis.name}-{level:g}-{trial}.txt",
        on_click="ignore",
    )


def _decisions(result: Curves) -> None:
    """Draw the number of pairs with equal decisions, and the kinds of differences, of
    one measure at one level.
    """
    names, levels = result.measures, [f"{level:g}" for level in result.levels]
    with st.container(horizontal=True):
        name = form.choose(
            "Measure", names, key="decided", width=240, help="Measure whose pairs are counted."
        )
        level = form.choose(
            "Level", levels, len(levels) - 1, key="at", width=160, help="Level of the samples."
        )
    m, at = names.index(name), levels.index(level)
    counts = [result.curve(cell)[m, 0, at] for cell in CELLS]
    every = sum(counts)
    digits = decimals(counts)
    if every >= WIDE:
        digits = 0
    grid = st.grid(2, border=True, min_column_width=100)
    for (title, meaning), count in zip(KINDS.items(), counts, strict=True):
        with grid.cell():
            st.metric(
                title,
                f"{count:,.{digits}f}",
                f"{count / every:.1%}",
                delta_color="off",
                delta_arrow="off",
            )
            st.caption(meaning)
    st.caption(
        f"Pairs of runs by {escape_markdown(name)}, mean over"
        f" {count_noun(result.params.trials, 'trial')}. Rows: not significant, significant on"
        f" {result.everything}; columns: not significant, significant"
        f" {result.axis.at(float(level))} ({result.params.decided_by})."
    )
