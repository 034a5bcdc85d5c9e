"""An experiment on a page: question, form, background work, and result, all derived
from the experiment's record.

On demand the result stands beside that of other settings: A is the result of the page,
and B differs in what is picked.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Collection as Names
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import streamlit as st

from irmeval.collection import Collection
from irmeval.collection.shards import Sharded
from irmeval.collection.team_names import kinds_text
from irmeval.core.errors import IrmevalError
from irmeval.core.params import Field, checked, fields, format_value, param, takes
from irmeval.core.tables import escape_markdown
from irmeval.core.text import capitalize, count_noun, duration_in_words, list_all
from irmeval.experiments import EXPERIMENTS, Chart, Experiment, Result
from irmeval.experiments.facts import Verdict
from irmeval.experiments.results import Choice, NextStep
from irmeval.experiments.scored import names_of
from irmeval.experiments.settings import SAMPLED, Method, Seed
from irmeval.experiments.work import Progress
from irmeval.judges import Judges
from irmeval.metrics import Measure
from irmeval.plots.axes import on_one_scale
from irmeval.plots.points import with_names_placed
from irmeval.reading.policy import NOT_IN_PROFILES, PROFILES, Policy
from irmeval.reading.score_matrix import Matrix
from irmeval.report.differences import find_largest
from irmeval.ui.state import cache, keys
from irmeval.ui.state.tab_state import made_once
from irmeval.ui.state.view import Loaded
from irmeval.ui.widgets import answer, form, inputs, jobs, link, output, session

POLICY = "policy"
"""B has another policy."""
GAINS = "gains"
"""B has another gain map."""
JUDGMENTS = "judgments"
"""B keeps fewer judgments."""
MEASURES = "measures"
"""B has other measures."""
PROFILE = "All decisions of one program or tradition."
MAX_DIFFERENCES = 3
"""Maximum number of differences in a sentence."""
ENDS = ("_low", "_high")
"""Suffixes of column names of band limits."""


@checked
class KeptJudgments:
    """Judgments that B keeps."""

    kept: float = param(
        "B: judgments kept, %",
        "Share of the judgments that is kept, of each topic.",
        low=1,
        high=100,
        rate=True,
        default=50.0,
    )
    method: Method = "stratified"
    draw: Seed = 1


@dataclass(frozen=True)
class OtherSettings:
    """Settings of B."""

    loaded: Loaded[Any] | None
    """collection of B; None if that is A's"""
    measures: tuple[Measure, ...]
    params: Any
    differences: Mapping[str, tuple[str, str]]
    """differing settings of A and B, in words"""


def choose_other(
    name: str,
    result: Result,
    loaded: Loaded[Any] | None,
    made: Collection | Matrix | Judges | None = None,
) -> OtherSettings | None:
    """Draw B's form: the differing settings, with their widgets; None if an error is
    shown. `made` are data made by the page, such as judges.
    """
    own = fields(type(result.params))
    collection = loaded.collection if loaded and isinstance(loaded.collection, Collection) else None
    # the sidebar has the rule, the page itself what other settings depend on
    options = {
        key: field.param.label
        for key, field in own.items()
        if key not in ("team_rule", "of", "watch") and takes(result.params, key)
    }
    if result.measures:
        options[MEASURES] = MEASURES
    if collection:
        options |= {POLICY: POLICY, GAINS: GAINS}
    if collection and not isinstance(collection, Sharded):  # the workers keep its judgments
        options[JUDGMENTS] = JUDGMENTS
    # fewer judgments change every result
    usual = [next((key for key in (JUDGMENTS, "seed") if key in options), next(iter(options)))]
    picked = form.pick_some(
        "B differs in",
        list(options),
        f"{name}_differs",
        "Everything else is as in A.",
        usual,
        options.__getitem__,
    )
    prefix = f"{name}_b_"
    try:
        values = _widgets(prefix, [key for key in picked if key in own], own, _runs(name))
        params = replace(result.params, **values)
        differences = {
            own[key].param.label: (_text(getattr(result.params, key)), _text(getattr(params, key)))
            for key in values
        }
        measures = result.measures
        if MEASURES in picked:
            measures = form.draw_measures(
                "B: measures", f"{prefix}{MEASURES}", collection.design if collection else None
            )
        differences |= {MEASURES: (", ".join(result.measures), ", ".join(measures))}
        other, data_differences = (
            _data(prefix, picked, loaded) if loaded and collection else (None, {})
        )
        on = other or loaded
        EXPERIMENTS[name].work(on.collection if on else made, measures, params)
    except IrmevalError as error:
        st.error(escape_markdown(f"B: {error}"))
        return None
    differences |= data_differences
    return OtherSettings(
        other,
        measures,
        params,
        {label: pair for label, pair in differences.items() if pair[0] != pair[1]},
    )


def _widgets(
    prefix: str, keys: Sequence[str], own: Mapping[str, Field], runs: Sequence[str]
) -> dict[str, Any]:
    """Values of B's own parameters."""
    values = {}
    with st.grid(4, vertical_alignment="bottom"):
        for key in keys:
            field = replace(own[key], default=own[key].default + 1) if key == "seed" else own[key]
            values[key] = own[key].check(form.widget(f"{prefix}{key}", field, "B: ", runs))
    return values


def _data(
    prefix: str, picked: Sequence[str], loaded: Loaded[Collection]
) -> tuple[Loaded[Collection] | None, dict[str, tuple[str, str]]]:
    """B's collection, None if it is A's, and its differences."""
    a = b = loaded.collection.policy
    if POLICY in picked:
        profile = form.choose(
            "B: policy", list(PROFILES), 1, key=f"{prefix}{POLICY}", help=PROFILE, width=300
        )
        b = replace(PROFILES[profile], **{key: getattr(a, key) for key in NOT_IN_PROFILES})
    if GAINS in picked:
        inputs.refuse_unless_valid(f"{prefix}{GAINS}", lambda text: Policy(gains=str(text)))
        b = replace(b, gains=form.widget(f"{prefix}{GAINS}", fields(Policy)[GAINS], "B: "))
    found = session.loaded_under(b) if b != a else loaded
    differences = {POLICY: (form.describe_policy(a), form.describe_policy(b))}
    if JUDGMENTS in picked:
        kept = form.params(KeptJudgments, prefix)
        found = replace(
            found, collection=cache.reduced(found.collection, kept.method, kept.kept, kept.draw)
        )
        differences[JUDGMENTS] = (
            "all",
            f"{kept.kept:g}% ({SAMPLED[kept.method]}, draw {kept.draw})",
        )
    session.note_use(found.collection)
    return (None if found is loaded else found), differences


def _text(value: Any) -> str:
    return (
        ", ".join(map(format_value, value))
        if isinstance(value, tuple)
        else format_value(value)
        if value not in (None, "")
        else "as usual"
    )


def describe_settings(other: OtherSettings) -> str:
    """A sentence on the differences between A and B."""
    parts = [f"{label} {b} instead of {a}" for label, (a, b) in other.differences.items()]
    return f"B has {'; '.join(parts)}." if parts else "B has the same settings as A."


def describe_differences(a: Result, b: Result) -> str:
    """Sentences on the largest differences between the two results."""
    pairs = (
        (first.make(), second.make()) for first, second in zip(a.tables(), b.tables(), strict=False)
    )
    apart = next(
        (
            found
            for first, second in pairs
            if (found := [d for d in find_largest(first, second) if not d.column.endswith(ENDS)])
        ),
        [],
    )
    if not apart:
        return ""
    apart = [d for d in apart if d.first != d.second]
    if not apart:
        return "The results are the same."
    more = (
        f"; smaller ones in {count_noun(len(apart) - MAX_DIFFERENCES, 'other column')}"
        if len(apart) > MAX_DIFFERENCES
        else ""
    )
    return f"Largest differences, A and B: {'; '.join(map(str, apart[:MAX_DIFFERENCES]))}{more}."


def draw_both(
    name: str,
    a: Result,
    b: Result,
    other: OtherSettings,
    charts_of: Callable[[Any], list[Chart]],
    verdicts: Sequence[Verdict],
) -> None:
    """Draw two results side by side on shared axes, each with its verdict."""
    answer.show_sentence(f"{describe_settings(other)} {describe_differences(a, b)}".strip())
    columns = st.columns(2)
    for column, label, verdict in zip(columns, "AB", verdicts, strict=True):
        column.markdown(f"**{label}** {escape_markdown(verdict.text)}")
    second = {chart.name: chart for chart in charts_of(b)}
    for chart in charts_of(a):
        pair = (chart, second[chart.name]) if chart.name in second else (chart,)
        made = [output.draw_figure(item) for item in pair]
        if len(made) == 2:
            for figure in on_one_scale(*(drawn.figure for drawn in made)):
                with_names_placed(figure)
        for label, item, drawn, place in zip("AB", pair, made, st.columns(2), strict=False):
            with place:
                key = f"{name}-{item.name}{'-b' if label == 'B' else ''}"
                output.chart(item._replace(title=f"{label}: {item.title}"), key, drawn)
    output.draw_picked(
        {
            f"Table {label}": partial(output.result_table, r.tables()[0])
            for label, r in zip("AB", (a, b), strict=True)
        },
        key=f"{name}_tables",
    )


class Pick(NamedTuple):
    """Choice of the measure, or of something else, of a chart: label, key and help of
    its widget.
    """

    label: str
    key: str
    help: str
    among: Sequence[str] = ()
    """by default the measures"""


def page(name: str, **view: Any) -> None:
    """Draw the whole page of an experiment; `view` as in `block`."""
    show_question(name)
    block(name, **view)


def show_question(name: str) -> None:
    """Draw the question above a page."""
    st.title(EXPERIMENTS[name].question)


def section(name: str, **view: Any) -> Any:
    """Draw a second experiment on a page, under its question; `view` and the returned
    result as in `block`.
    """
    st.header(EXPERIMENTS[name].question, divider="gray")
    answer.start_block(name)
    return block(name, **view)


def block(
    name: str,
    *,
    prefix: str = "",
    seldom: Names[str] = (),
    decided: Mapping[str, Any] | None = None,
    measures: Sequence[str] | None = None,
    title: str = "",
    on: Collection | Matrix | Judges | None = None,
    **view: Any,
) -> Any:
    """Draw form and result; return the result, None while there is none.

    `prefix`, `seldom` and `decided` as in `form.params`; `measures` replace those of
    the page; `title` and `on` as in `run`, `view` as in `present`.
    """
    params = settings(name, prefix, seldom, **(decided or {}))
    result = run(
        name, measures_for(name) if measures is None else measures, params, title=title, on=on
    )
    if result:
        present(name, result, on=on, **view)
    return result


def settings(name: str, prefix: str = "", seldom: Names[str] = (), **decided: Any) -> Any:
    """Draw the form of an experiment in the line of the settings; return its
    parameters. The arguments are those of `form.params`.
    """
    with answer.settings() as in_force:
        return form.params(
            EXPERIMENTS[name].params,
            prefix,
            seldom=seldom,
            in_force=in_force,
            runs=_runs(name),
            **decided,
        )


def _runs(name: str) -> tuple[str, ...]:
    """Runs to choose from, for an experiment that compares two of them."""
    compares = any(field.param.pair for field in EXPERIMENTS[name].declared.values())
    return _loaded(name).collection.runs if compares else ()


def teams_and_kinds() -> dict[str, str]:
    """Parameters that say which run is of which team and kind: by the sidebar, and by
    the CSV on the page Selection.
    """
    return {
        "team_rule": session.selection().team_rule,
        "kinds": kinds_text(session.dataset().kinds),
    }


def measures_for(name: str) -> tuple[Measure, ...]:
    """Measures of an experiment: those of the sidebar; none for a score matrix, or if
    it takes none.
    """
    experiment = EXPERIMENTS[name]
    return (
        ()
        if not experiment.measured
        or ((experiment.matrix or experiment.scored) and session.matrix())
        else form.measures()
    )


def run(
    name: str,
    measures: Sequence[str],
    params: Any,
    *,
    title: str = "",
    on: Collection | Matrix | Judges | None = None,
    optional: str = "",
    refuse: Callable[[IrmevalError], object] | None = None,
) -> Any:
    """The result, None while it is computed or if it was stopped. A tab has one job of
    each `title`; `on` replaces the loaded data; `optional` names what is added to a
    result that is shown already. An error of the input is given to `refuse`, or else
    shown.
    """
    experiment = EXPERIMENTS[name]
    title = title or experiment.title
    source = on or (_loaded(name).collection if experiment.data else None)
    try:
        work = experiment.work(
            source, measures, params, team=session.team_list(), store=cache.store()
        )
        key = experiment.key(work)
        ready = cache.result_of(key)
    except IrmevalError as error:
        if refuse:
            refuse(error)
            return None
        st.error(escape_markdown(str(error)))
        answer.stop_page()

    def make(progress: Progress) -> Iterator[Any]:
        return cache.keep_result(key, experiment.compute_in_steps(replace(work, progress=progress)))

    def stays(before: Any) -> bool:  # where measures are added, the charts of the others are true
        return (*before[:-2], before[-1]) == (*key[:-2], key[-1]) and {*before[-2]} <= {
            *work.measures
        }

    with answer.body():
        more = _preview(experiment, params, optional)
        result = jobs.run(title, key, make, ready, stays, refuse=refuse, **more)
    if result is not None:
        asked = fields(type(params)) if experiment.first else {}
        done = {
            asked[name].param.label: (getattr(result.params, name), getattr(params, name))
            for name in experiment.first
        }
        answer.note_so_far(
            ", ".join(f"{n:,} of {of:,} {label}" for label, (n, of) in done.items() if n < of)
        )
    return result


def _preview(experiment: Experiment[Any, Any], params: Any, optional: str) -> dict[str, Any]:
    """Share of the steps after which there is a preview, and the question where the
    work takes long, as for `jobs.run`; `optional` as for `run`.
    """
    smaller = {
        name: least for name, least in experiment.first.items() if least < getattr(params, name)
    }
    share = min((least / getattr(params, name) for name, least in smaller.items()), default=1.0)

    def ask(job: jobs.Job) -> str:
        told = experiment.does != experiment.question
        what = f"more to {experiment.does}" if told else f"more for {experiment.title}"
        if optional:
            what = f"more for {optional}"
        said = (
            f"{capitalize(duration_in_words(job.asks))} {what}. Continue? {job.done} of {job.total}"
            " steps are done and kept."
        )
        if optional:
            return f"Optional, not part of the result below. {said}"
        if not smaller or job.looks:
            return said
        less = list_all([experiment.declared[name].say(least) for name, least in smaller.items()])
        return (
            f"{said} With {less}, it takes"
            f" {duration_in_words(share * job.asks * job.total / max(job.total - job.done, 1))} in"
            " all."
        )

    return {"preview": share, "ask": ask}


def present(
    name: str,
    result: Result,
    *,
    draw: Callable[[Any], object] | None = None,
    charts_of: Callable[[Any], list[Chart]] | None = None,
    views: Mapping[str, Callable[[Any], None]] | None = None,
    pick: Pick | None = None,
    notes: Mapping[str, object] | None = None,
    on: Collection | Matrix | Judges | None = None,
    **view: Any,
) -> None:
    """Draw the result, or its charts beside those of other settings, and a line of
    provenance.

    `draw` replaces the usual block, and `charts_of` the charts that are compared;
    `views` draw more of the result, by title; `pick` chooses the argument of its
    `chart_of`; `notes` are added to the last line; `on` as in `run`, `view` as in
    `output.block`.
    """
    choice = choose_shown(name, result)
    usual = partial(_charts, choice=choice)
    if pick:
        names = pick.among or names_of(_loaded(name).collection, result.measures)
        with answer.controls():
            shown = form.choose(
                pick.label, names, key=pick.key, help=pick.help, width=form.LIST_WIDTH
            )
        usual = partial(_charts, choice=choice, shown=shown, among=pick.among)
    loaded = _loaded(name) if EXPERIMENTS[name].data or EXPERIMENTS[name].judged else None
    other = second = None
    with answer.settings_line():
        help = "Shows the page twice: A with the settings above, B with your changes."
        compares = inputs.toggle("Compare", name=f"{name}_compare", bind="query-params", help=help)
    if compares:
        if EXPERIMENTS[name].data:
            link.draw([NextStep("Compare two collections", "across")], f"next-{name}-collections")
        other = choose_other(
            name, result, loaded if EXPERIMENTS[name].data and not on else None, on
        )
    if other:
        b = other.loaded.collection if other.loaded else on
        verdict = answer.mark_preliminary(result.verdict(choice))
        second = run(name, other.measures, other.params, title=f"{EXPERIMENTS[name].title} B", on=b)
    if other and second:
        verdicts = [verdict, answer.mark_preliminary(second.verdict(option_of(second, choice)))]
        with answer.body():
            draw_both(name, result, second, other, charts_of or usual, verdicts)
        if EXPERIMENTS[name].data:
            output.provenance(other.loaded or loaded, other.params, setting="B")
    elif draw:
        output.show_verdict(name, result, choice)
        with answer.body():
            draw(result)
    else:
        own = {title: partial(draw_view, result) for title, draw_view in (views or {}).items()}
        charts = (
            charts_of(result)
            if charts_of
            else made_once(f"charts-{name}", (result, usual.keywords), partial(usual, result))
        )
        output.block(name, result, own, choice=choice, charts=charts, **view)
    output.provenance(loaded, result.params, **(notes or {}))


def choose_shown(name: str, result: Result) -> str:
    """Draw the list of what a result can be shown for; return the picked option, empty if
    there is nothing to choose.
    """
    offered = result.choice()
    if offered is None:
        return ""
    first = offered.default or offered.options[0]
    if len(offered.options) == 1:
        return first
    with answer.controls():
        return form.choose(
            capitalize(offered.label),
            offered.options,
            offered.options.index(first),
            key=_key_of(name, offered),
            help=offered.help,
            width=form.LIST_WIDTH,
        )


def _key_of(name: str, offered: Choice) -> str:
    """Key of that list: its label, which the URL has behind the name of the page; with the
    experiment's name if that has no page of its own.
    """
    label = offered.label.replace(" ", "_")
    return label if name == keys.page_name() else f"{name}_{label}"


def option_of(result: Result, choice: str) -> str:
    """That option for another result, or its usual one if it lacks that."""
    offered = result.choice()
    return choice if offered and choice in offered.options else ""


def _charts(
    result: Any, choice: str = "", shown: str = "", among: Sequence[str] = ()
) -> list[Chart]:
    """Charts of a result, one of them for the picked option if the result has such a
    chart.
    """
    charts: list[Chart] = result.charts(option_of(result, choice))
    if not shown or (not among and result.measures and shown not in result.measures):
        return charts
    chosen = result.chart_of(shown)
    return [chosen if chart.name == chosen.name else chart for chart in charts]


def _loaded(name: str) -> Loaded[Collection | Matrix]:
    return (
        session.loaded_or_matrix()
        if EXPERIMENTS[name].matrix or EXPERIMENTS[name].scored
        else session.loaded()
    )
