"""The page of several collections: figures of measures side by side, and a difference
over all.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import streamlit as st

from irmeval.collection import Collection
from irmeval.core import parallel
from irmeval.core.folders import PAGES
from irmeval.core.tables import escape_markdown
from irmeval.core.text import duration_in_words
from irmeval.core.version import __version__
from irmeval.experiments.across import Across
from irmeval.experiments.measures.pooled_variance import variances_as_text
from irmeval.experiments.recipe import ACROSS
from irmeval.experiments.settings import settings_in_words
from irmeval.experiments.work import Progress
from irmeval.metrics import distinct
from irmeval.papers.on_collections import (
    ResultOn,
    make_on,
    map_collections,
    notes_of,
    side_by_side,
    summarize,
)
from irmeval.scoring.selection import SelectedBy, Selection, select
from irmeval.ui.state import cache, keys, server_files
from irmeval.ui.state.dataset import Dataset
from irmeval.ui.state.tab_state import widgets
from irmeval.ui.state.view import View
from irmeval.ui.state.visitor import Visitor
from irmeval.ui.widgets import answer, experiment, form, jobs, output

FIGURES = "Collections"
"""Title of the job of the figures."""
HALF = 200
"""Width in pixels of a list beside another above a chart."""
Found = Mapping[str, ResultOn[Any]]
"""Results on collections, by name."""


class Chosen(NamedTuple):
    """A collection to compare: its name, cache key, reader, run -> team, and the rules
    that select its runs.
    """

    name: str
    key: tuple[Hashable, ...]
    read: Callable[[], Collection]
    teams: Mapping[str, str]
    rules: Selection


def page(view: View) -> None:
    """The whole page."""
    there = {chosen.name: chosen for chosen in offered_collections(view)}
    names = [*there]
    first = names
    # the sample is beside the point once there are others
    if server_files.serves_sample():
        first = [name for name in names if name != server_files.shared_name()] or names
    with answer.controls():
        picked = form.pick_some(
            "Collections",
            names,
            "of",
            "Your loaded collections, each with its own policy, runs and topics.",
            first,
        )
    params = experiment.settings(view, "scorecard", seldom=("test", "samples", "seed", "rounding"))
    some = [there[name] for name in names if name in picked]
    if len(some) < 2:
        _ask_for_more(some, names)
        return
    measures = form.measures(view)
    asked: dict[str, Any] = {"measures": measures, "params": params}
    figures = run_on(FIGURES, some, (measures, params), partial(summarize, **asked))
    digest_of: dict[str, str] = {}
    if figures is not None:
        made = side_by_side(figures, params)
        if len(figures) < len(some):
            answer.note_so_far(f"{len(figures)} of {len(some)} collections")
        answer.show_sentence(made.verdict())
        with answer.body():
            if note := notes_of(figures):
                st.caption(escape_markdown(note))
            _show_figures(view, made, whole=len(figures) == len(some))
        for name, one in figures.items():
            if one.on.data:
                digest_of[name] = f" `{one.on.data.fingerprint[:12]}`"
    policies = " · ".join(f"{each.name}{digest_of.get(each.name, '')}" for each in some)
    settings = " · ".join(settings_in_words(params))
    # the digests stand between ticks, which must not be escaped
    said = escape_markdown(f"{policies} · {settings} · irmeval {__version__}").replace("\\`", "`")
    answer.rest().caption(said)


def offered_collections(view: View) -> Iterator[Chosen]:
    """Collections with judgments and runs: the open one under the sidebar's decisions,
    others under their own.
    """
    looked, visitor = view.dataset, view.visitor
    if view.has_runs:
        yield _open_one(view)
    for dataset in visitor.datasets:
        if dataset is looked:
            continue
        if dataset.judged(dataset.policy) and dataset.runs_in_use(dataset.policy):
            yield _another(visitor, dataset)
    # the shared collection is the open one then
    if not looked.has_content:
        return
    name = server_files.shared_name()
    shared = server_files.shared_collection(visitor.empty_dataset().policy).collection
    if shared.runs:
        yield Chosen(name, (shared.fingerprint, ()), lambda: shared, {}, Selection())


def _open_one(view: View) -> Chosen:
    """The collection of the page."""
    looked, collection = view.dataset, view.selected().collection
    return Chosen(
        server_files.title_of(looked),
        (collection.fingerprint, _pairs(looked.teams)),
        lambda: collection,
        looked.teams,
        view.rules,
    )


def _another(visitor: Visitor, dataset: Dataset) -> Chosen:
    """Another collection of a visitor."""
    visitor.used.add(dataset.fingerprint())
    key = (
        dataset.fingerprint(),
        _pairs(dataset.teams),
        dataset.policy,
        dataset.selection,
        dataset.judged_by,
    )
    make = partial(_opened, dataset, visitor.used)
    return Chosen(dataset.title, key, make, dataset.teams, dataset.selection)


def _pairs(teams: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(teams.items()))


def _opened(dataset: Dataset, used: set[str]) -> Collection:
    """Selected runs and topics of a collection that is not open. Its fingerprint is
    noted, since results on it are private to this visitor.
    """
    made = dataset.collection(dataset.policy)
    assert made is not None
    if dataset.judged_by in dataset.judges:
        made = (
            dataset.judges[dataset.judged_by]
            .beside(made, dataset.judged_by, dataset.own)
            .judged_by(dataset.judged_by)
        )
    chosen = select(made, dataset.selection, dataset.teams).collection
    used.add(chosen.fingerprint)
    return chosen


def _ask_for_more(some: list[Chosen], names: list[str]) -> None:
    """Explain how to get a second collection, with a button that selects all loaded
    ones, including the sample, if there are several.
    """
    there = _describe_lack(some, names)
    st.info(
        escape_markdown(f"This page compares two or more collections. {there} ")
        + "To load another, drop its qrels and runs on the page *Collection*, or a workspace with"
        " several collections."
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        if len(names) > 1:
            label = f"Compare all {len(names)} collections"
            if len(names) == 2:
                label = f"Compare {escape_markdown(' with '.join(names))}"
            st.button(
                label,
                type="primary",
                on_click=widgets.update,
                kwargs={keys.widget_key("of"): names},
                key="compare_all",
            )
        st.page_link(str(PAGES / "data/collection.py"), label="Load another collection")


def _describe_lack(some: list[Chosen], names: list[str]) -> str:
    """Why there is nothing to compare, a sentence."""
    if not names:
        return "None with runs is loaded."
    if len(names) == 1:
        return f"Only {names[0]} is loaded."
    if not some:
        return "None is selected."
    return f"Only {some[0].name} is selected."


def run_on(
    title: str,
    some: Sequence[Chosen],
    what: tuple[Hashable, ...],
    make: Callable[..., Any],
    *,
    teams: bool = False,
) -> Found | None:
    """Results so far, by collection; each is cached. `teams` passes the teams of runs
    to the function.
    """
    store, by_name = cache.store(), {chosen.name: chosen for chosen in some}
    key_of = {name: (title, *chosen.key, *what) for name, chosen in by_name.items()}
    of_runs: dict[str, Mapping[str, str]] = {}
    if teams:
        of_runs = {chosen.name: chosen.teams for chosen in some}

    def work(progress: Progress) -> Iterator[Found]:
        found, lacking = {}, []
        for chosen in some:
            made = store.get(key_of[chosen.name])
            if made:
                found[chosen.name] = made
            else:
                lacking.append(chosen)
        scheduler = parallel.default_scheduler()
        sources = _sources(lacking, scheduler)

        # with this visitor's rules: the first visitor may have chosen the same runs by other rules
        def so_far() -> Found:
            ready = [name for name in by_name if name in found]
            return {name: _chosen_by(by_name[name], found[name]) for name in ready}

        if found:
            yield so_far()
        for name, made in map_collections(make, sources, scheduler, store, progress, of_runs):
            found[name] = store.setdefault(key_of[name], made)
            yield so_far()

    key = title, *((name, chosen.key) for name, chosen in by_name.items()), what
    return jobs.run(title, key, work, ask=_ask)


def _sources(lacking: Sequence[Chosen], scheduler: str) -> dict[str, Any]:
    """The collections by name, read here for a scheduler, else in their turn."""
    if not scheduler:
        return {chosen.name: chosen.read for chosen in lacking}
    return {chosen.name: chosen.read() for chosen in lacking}


def _ask(job: jobs.Job) -> str:
    """Text beside a button that computes what takes long, and is not shown yet."""
    return f"What is missing takes {duration_in_words(job.asks)}: compute it."


def result_on(chosen: Chosen, found: Any) -> ResultOn[Any]:
    """What was found on a collection, with a recipe of its data."""
    return _chosen_by(chosen, make_on(lambda *_, **__: found, chosen.name, chosen.read))


def _chosen_by(chosen: Chosen, made: ResultOn[Any]) -> ResultOn[Any]:
    return made._replace(on=replace(made.on, chosen=SelectedBy.of(chosen.rules, chosen.teams)))


def variances_of(some: Sequence[Chosen], measures: Sequence[str], way: str) -> str | None:
    """Variances of scores on collections, as text; None while they are computed."""

    def work(progress: Progress) -> Iterator[str]:
        texts = []
        for done, chosen in enumerate(some):
            progress(done, len(some))
            texts.append(variances_as_text(chosen.read(), distinct(measures), way))
        yield "; ".join(texts)

    return jobs.run(
        "Variances of others", (tuple(chosen.key for chosen in some), tuple(measures), way), work
    )


def _show_figures(view: View, made: Across, whole: bool) -> None:
    """Draw measures by collections for one criterion, a forest plot, and the agreement
    of collections on the order of measures.
    """
    names = [str(measure) for measure in made.measures]
    left, right = st.container(key="measures_of_across").columns(2)
    with left:
        criterion = form.pick_one(
            "Figure",
            {c.name: c.name for c in made.criteria},
            "figure",
            "Criterion that summarises a measure on each collection.",
        )
        charts = [made.chart_of_values(criterion)]
        output.chart(charts[0], "across-values")
    with right:
        if len(names) > 1:
            with st.container(horizontal=True):
                a = form.choose("Measure", names, key="a", width=HALF)
                b = form.choose("Minus", [name for name in names if name != a], key="b", width=HALF)
            charts.append(made.chart_of_effect(criterion, a, b))
            output.chart(charts[1], "across-forest")
        else:
            st.info("Pick a second measure in the sidebar to see the difference over collections.")
    st.header("Agreement on the order of measures")
    agreement = made.agreement().drop(columns="W by chance")
    if len(made.names) == 2:  # whose names leave no room on a phone
        agreement = agreement.set_axis(["criterion", "W", "tau"], axis=1)
    two = {name: st.column_config.NumberColumn(format="%.2f") for name in agreement.columns[1:]}
    output.table(agreement, key="across_agreement", column_config=two)
    st.caption(
        "W: Kendall's coefficient of concordance; 1 means equal orders of the measures. tau:"
        " Kendall's tau of two collections. Left at rank 10 follows mostly from definitions."
    )
    if whole:
        output.below_charts(view, ACROSS, made, charts, key="figures_view")
