"""An experiment on a page: question, form, work in the background, and result. All of it follows from the experiment's record."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Collection as Names
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import streamlit as st

from irmeval.collection import Collection
from irmeval.core.errors import IrmevalError
from irmeval.core.params import fields
from irmeval.core.tables import escape_markdown
from irmeval.experiments import EXPERIMENTS, Chart, Result
from irmeval.experiments.scored import names_of
from irmeval.experiments.work import Progress
from irmeval.judges import Judges
from irmeval.reading.score_matrix import Matrix
from irmeval.ui.state import cache, cached
from irmeval.ui.widgets import answer, compare, form, inputs, jobs, results, session
from irmeval.ui.widgets.session import Loaded


class Pick(NamedTuple):
    """A choice of the measure, or of something else, for which a chart is drawn: label, key and help of its widget."""

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
    """Draw a second experiment on a page, under its question; `view` and the returned result as in `block`."""
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
    on: Collection | Judges | None = None,
    **view: Any,
) -> Any:
    """Draw form and result; return the result, None while there is none.

    `prefix`, `seldom` and `decided` as in `form.params`; `measures` replace those of the page; `title` and `on` as in `run`, `view` as in
    `present`.
    """
    params = settings(name, prefix, seldom, **(decided or {}))
    result = run(name, measures_for(name) if measures is None else measures, params, title=title, on=on)
    if result:
        present(name, result, on=on, **view)
    return result


def settings(name: str, prefix: str = "", seldom: Names[str] = (), **decided: Any) -> Any:
    """Draw the form of an experiment in the line of the settings; return its parameters. The arguments are those of `form.params`."""
    with answer.settings() as in_force:
        return form.params(EXPERIMENTS[name].params, prefix, seldom=seldom, in_force=in_force, **decided)


def measures_for(name: str) -> Sequence[str]:
    """The measures of an experiment: those of the sidebar; none for a score matrix, or if it takes none."""
    experiment = EXPERIMENTS[name]
    return () if not experiment.measured or (experiment.matrix and session.matrix()) else form.measures()


def run(name: str, measures: Sequence[str], params: Any, *, title: str = "", on: Collection | Judges | None = None) -> Any:
    """The result, None while it is computed or if it was stopped. A tab has one job of each `title`; `on` replaces the loaded data."""
    experiment = EXPERIMENTS[name]
    title = title or experiment.title
    source = on or (_loaded(name).collection if experiment.data else None)
    try:
        work = experiment.work(source, measures, params, team=session.team_list(), store=cache.store())
        key = experiment.key(work)
        ready = cached.result_of(key)
    except IrmevalError as error:
        st.error(escape_markdown(str(error)))
        answer.stop_page()

    def make(progress: Progress) -> Iterator[Any]:
        return cached.keep_result(key, experiment.compute_in_steps(replace(work, progress=progress)))

    result = jobs.run(title, key, make, ready)
    if result is not None:
        asked = fields(type(params)) if experiment.first else {}
        done = {asked[name].param.label: (getattr(result.params, name), getattr(params, name)) for name in experiment.first}
        answer.SO_FAR.set(", ".join(f"{n:,} of {of:,} {label}" for label, (n, of) in done.items() if n < of))
    return result


def present(
    name: str,
    result: Result,
    *,
    draw: Callable[[Any], object] | None = None,
    charts_of: Callable[[Any], list[Chart]] | None = None,
    views: Mapping[str, Callable[[Any], None]] | None = None,
    pick: Pick | None = None,
    notes: Mapping[str, object] | None = None,
    on: Collection | Judges | None = None,
    **view: Any,
) -> None:
    """Draw the result, or its charts beside those of other settings, and a line with all it depends on.

    `draw` replaces the usual block, and `charts_of` the charts that are compared; `views` draw more of the result, by title; `pick` chooses
    the argument of its `chart_of`; `notes` are added to the last line; `on` as in `run`, `view` as in `results.block`.
    """
    charts_of = charts_of or _charts
    if pick:
        names = pick.among or names_of(_loaded(name).collection, result.measures)
        with answer.settings_line():
            shown = form.choose(pick.label, names, key=pick.key, help=pick.help, width=form.LIST_WIDTH)
        charts_of = partial(_charts, shown=shown, among=pick.among)
    loaded = _loaded(name) if EXPERIMENTS[name].data or EXPERIMENTS[name].judged else None
    other = second = None
    with answer.settings_line():
        help = "Shows the page twice: A as set above, B with the settings that you change."
        compares = inputs.toggle("Compare", name=f"{name}_compare", bind="query-params", help=help)
    if compares:
        other = compare.settings(name, result, loaded if EXPERIMENTS[name].data and not on else None, on)
    if other:
        b = other.loaded.collection if other.loaded else on
        second = run(name, other.measures, other.params, title=f"{EXPERIMENTS[name].title} B", on=b)
    if other and second:
        compare.draw(name, result, second, other, charts_of)
        if EXPERIMENTS[name].data:
            results.provenance(other.loaded or loaded, other.params, setting="B")
    elif draw:
        answer.show_sentence(result.headline())
        draw(result)
    else:
        own = {title: partial(draw_view, result) for title, draw_view in (views or {}).items()}
        results.block(name, result, own, charts=charts_of(result), **view)
    results.provenance(loaded, result.params, **(notes or {}))


def _charts(result: Any, shown: str = "", among: Sequence[str] = ()) -> list[Chart]:
    """A result's charts, one of them for the picked option if the result has such a chart."""
    charts: list[Chart] = result.charts()
    if not shown or (not among and result.measures and shown not in result.measures):
        return charts
    chosen = result.chart_of(shown)
    return [chosen if chart.name == chosen.name else chart for chart in charts]


def _loaded(name: str) -> Loaded[Collection | Matrix]:
    return session.loaded_or_matrix() if EXPERIMENTS[name].matrix else session.loaded()
