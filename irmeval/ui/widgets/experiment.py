"""An experiment on a page: question, form, background work, and result, all derived
from the experiment's record.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Collection as Names
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias

import streamlit as st

from irmeval.collection import Collection
from irmeval.collection.team_names import kinds_text
from irmeval.core.errors import IrmevalError
from irmeval.core.text import capitalize, duration_in_words, list_all
from irmeval.experiments import EXPERIMENTS, Experiment, Result
from irmeval.experiments.results import Choice, NextStep, pick_named
from irmeval.experiments.work import Progress, Work
from irmeval.judges import Judges
from irmeval.metrics import Measure
from irmeval.reading.score_matrix import Matrix
from irmeval.ui.state import cache
from irmeval.ui.state.mailboxes import BLOCK
from irmeval.ui.state.tab_state import made_once
from irmeval.ui.state.view import Loaded, View
from irmeval.ui.widgets import answer, form, inputs, jobs, link, output
from irmeval.ui.widgets.side_by_side import choose_other, draw_both

Data: TypeAlias = Collection | Matrix | Judges | None
"""Data made by the page, in place of those that are loaded."""


def page(view: View, name: str, **settings: Any) -> None:
    """Draw the whole page of an experiment; `settings` as in `block`."""
    show_question(name)
    block(view, name, **settings)


def show_question(name: str) -> None:
    """Draw the question above a page."""
    st.title(EXPERIMENTS[name].question)


def section(view: View, name: str, **settings: Any) -> Any:
    """Draw a second experiment on a page, under its question; `settings` and the returned
    result as in `block`.
    """
    st.header(EXPERIMENTS[name].question, divider="gray")
    answer.start_block(name)
    return block(view, name, **settings)


def block(
    view: View,
    name: str,
    *,
    prefix: str = "",
    seldom: Names[str] = (),
    decided: Mapping[str, Any] | None = None,
    measures: Sequence[str] | None = None,
    on: Data = None,
    **look: Any,
) -> Any:
    """Draw form and result; return the result, None while there is none. The arguments are
    those of `make`, and `look` as in `present`.
    """
    result = make(view, name, prefix, seldom=seldom, decided=decided, measures=measures, on=on)
    if result:
        present(view, name, result, on=on, **look)
    return result


def make(
    view: View,
    name: str,
    prefix: str = "",
    *,
    seldom: Names[str] = (),
    decided: Mapping[str, Any] | None = None,
    measures: Sequence[str] | None = None,
    title: str = "",
    on: Data = None,
) -> Any:
    """Draw the form; return the result, None while it is computed.

    `prefix`, `seldom` and `decided` as in `form.params`; `measures` replace those of the
    page; `title` and `on` as in `run`.
    """
    params = settings(view, name, prefix, seldom, **(decided or {}))
    chosen = measures_for(view, name) if measures is None else measures
    return run(view, name, chosen, params, title=title, on=on)


def settings(
    view: View, name: str, prefix: str = "", seldom: Names[str] = (), **decided: Any
) -> Any:
    """Draw the form of an experiment in the line of the settings; return its
    parameters. The arguments are those of `form.params`.
    """
    with answer.settings() as in_force:
        return form.params(
            EXPERIMENTS[name].params,
            prefix,
            seldom=seldom,
            in_force=in_force,
            runs=_runs(view, name),
            **decided,
        )


def _runs(view: View, name: str) -> tuple[str, ...]:
    """Runs to choose from, for an experiment that compares two of them."""
    compares = any(field.param.pair for field in EXPERIMENTS[name].declared.values())
    return _loaded(view, name).collection.runs if compares else ()


def teams_and_kinds(view: View) -> dict[str, str]:
    """Parameters that say which run is of which team and kind: by the sidebar, and by
    the CSV on the page Selection.
    """
    kinds = view.dataset.kinds
    text = made_once("kinds", tuple(kinds.items()), lambda: kinds_text(kinds))
    return {"team_rule": view.rules.team_rule, "kinds": text}


def measures_for(view: View, name: str) -> tuple[Measure, ...]:
    """Measures of an experiment: those of the sidebar; none for a score matrix, or if
    it takes none.
    """
    on_matrix = view.matrix is not None and _takes_matrix(name)
    return () if on_matrix or not EXPERIMENTS[name].measured else form.measures(view)


def run(
    view: View,
    name: str,
    measures: Sequence[str],
    params: Any,
    *,
    title: str = "",
    on: Data = None,
    optional: str = "",
    refuse: Callable[[IrmevalError], object] | None = None,
) -> Any:
    """The result, None while it is computed or if it was stopped. A tab has one job of
    each `title`; `on` replaces the loaded data; `optional` names what is added to a
    result that is shown already, and its progress is drawn where this is called. An
    error of the input is given to `refuse`, or else shown.
    """
    experiment = EXPERIMENTS[name]
    title = title or experiment.title
    try:
        # here, not in the thread: what cannot be computed is said at once
        work, key = _prepare(view, name, measures, params, title, on)
        ready = cache.result_of(key)
    except IrmevalError as error:
        (refuse or jobs.show_error)(error)
        if refuse:
            return None
        answer.stop_page()

    def make(progress: Progress) -> Iterator[Any]:
        # the last result alone is kept: a visitor who comes back gets it, whoever computed it
        return cache.keep_result(key, experiment.compute_in_steps(replace(work, progress=progress)))

    smaller = _smaller(experiment, params)
    share = min((least / getattr(params, name) for name, least in smaller.items()), default=1.0)
    with nullcontext() if optional else answer.body():
        result = jobs.run(
            title,
            key,
            make,
            ready,
            partial(_adds_measures, key),
            preview=share,
            ask=partial(_ask_optional, optional)
            if optional
            else partial(_ask, experiment, smaller, share),
            refuse=refuse or jobs.show_error,
        )
        if result is None and jobs.lacks_result(title):
            output.draw_waiting(name, f"This page will {experiment.does}.")
    if result is not None:
        answer.note_so_far(_so_far(experiment, result.params, params))
    return result


def _prepare(
    view: View, name: str, measures: Sequence[str], params: Any, title: str, on: Data
) -> tuple[Work[Any], Any]:
    """The work of an experiment, and the key of its result."""
    experiment = EXPERIMENTS[name]
    source = on or (_loaded(view, name).collection if experiment.data else None)
    teams = view.dataset.teams

    def prepare() -> tuple[Work[Any], Any]:
        work = experiment.work(source, measures, params, team=teams, store=cache.store())
        return work, experiment.key(work)

    # the work holds the source, so that no other can have its id meanwhile
    depends_on = id(source), tuple(measures), params, tuple(teams.items())
    return made_once(f"work-{title}", depends_on, prepare)


def _adds_measures(key: Any, before: Any) -> bool:
    """Whether all that sets a key apart from an earlier one is further measures: the charts
    of the others are true.
    """
    *rest, measures, last = key
    *rest_before, measures_before, last_before = before
    same = (rest, last) == (rest_before, last_before)
    return same and {*measures_before} <= {*measures}


def _so_far(experiment: Experiment[Any, Any], done: Any, asked: Any) -> str:
    """How much of the work a preliminary result has; empty for a final one."""
    counts = [(name, getattr(done, name), getattr(asked, name)) for name in experiment.first]
    return ", ".join(
        f"{n:,} of {of:,} {experiment.declared[name].param.label}"
        for name, n, of in counts
        if n < of
    )


def _smaller(experiment: Experiment[Any, Any], params: Any) -> dict[str, Any]:
    """Values of the parameters with which there is a first result, by name."""
    return {
        name: least for name, least in experiment.first.items() if least < getattr(params, name)
    }


def _ask_optional(what: str, job: jobs.Job) -> str:
    """The question whether something is added that takes long."""
    return f"Optional: {what}, {duration_in_words(job.asks)}."


def _ask(
    experiment: Experiment[Any, Any], smaller: Mapping[str, Any], share: float, job: jobs.Job
) -> str:
    """The question whether long work goes on; before its first result also how long that,
    a `share` of the whole with `smaller` parameters, takes.
    """
    told = experiment.does != experiment.question
    what = f"to {experiment.does}" if told else f"for {experiment.title}"
    said = (
        f"{capitalize(duration_in_words(job.asks))} more {what}. Continue? {job.done} of"
        f" {job.total} steps are done and kept."
    )
    if not smaller or job.looks:
        return said
    less = list_all([experiment.declared[name].say(least) for name, least in smaller.items()])
    whole = job.asks * job.total / max(job.total - job.done, 1)
    return f"{said} With {less}, it takes {duration_in_words(share * whole)} in all."


def present(
    view: View,
    name: str,
    result: Result,
    more: Mapping[str, Callable[[], None]] | None = None,
    *,
    on: Data = None,
    **look: Any,
) -> None:
    """Draw the result, or its charts beside those of other settings, and a line of
    provenance. `more` draws further views, by title; `on` as in `run`, `look` as in
    `output.block`.
    """
    choice = choose_shown(result)
    if not compare(view, name, result, choice, on=on):
        output.block(view, name, result, more, choice=choice, **look)
    provenance(view, name, result)


def compare(
    view: View,
    name: str,
    result: Result,
    choice: str = "",
    *,
    charts: Names[str] = (),
    on: Data = None,
) -> bool:
    """Draw the switch that compares the result with that of other settings, and, where it
    is on, both side by side; return whether they are drawn. `charts` are the names of those
    that are compared, by default all; `on` as in `run`.
    """
    with answer.settings_line():
        help = "Shows the page twice: A with the settings above, B with your changes."
        compares = inputs.toggle("Compare", name=f"{name}_compare", bind="query-params", help=help)
    if not compares:
        return False
    experiment = EXPERIMENTS[name]
    loaded = _loaded(view, name) if experiment.data else None
    if experiment.data:
        link.draw(view, [NextStep("Other collections?", "across")], f"next-{name}-collections")
    # above the charts: what a reader changes here is seen to change them
    with answer.body():
        other = choose_other(view, name, result, None if on else loaded, on, _runs(view, name))
    if other is None:
        return False
    verdict = answer.mark_preliminary(result.verdict(choice))
    data = other.loaded.collection if other.loaded else on
    title = f"{experiment.title} B"
    second = run(view, name, other.measures, other.params, title=title, on=data)
    if second is None:
        return False
    shown = choice, option_of(second, choice)
    verdicts = verdict, answer.mark_preliminary(second.verdict(shown[1]))
    drawn = [
        pick_named(made.charts(option), charts)
        for made, option in zip((result, second), shown, strict=True)
    ]
    with answer.body():
        draw_both(name, other, (result, second), verdicts, drawn, choice)
    if experiment.data:
        output.provenance(other.loaded or loaded, other.params, setting="B")
    return True


def provenance(view: View, name: str, result: Result) -> None:
    """Draw the last line of a page: data, parameters, version."""
    experiment = EXPERIMENTS[name]
    needs_data = experiment.data or experiment.judged
    output.provenance(_loaded(view, name) if needs_data else None, result.params)


def choose_shown(result: Result) -> str:
    """Draw the list of what a result can be shown for; return the picked option, empty if
    there is nothing to choose.
    """
    offered = made_once(f"choice-{BLOCK.get().name}", (result,), result.choice)
    if offered is None:
        return ""
    options = [*map(str, offered.options)]  # Streamlit copies them, and would parse measures anew
    first = offered.default or options[0]
    if len(options) == 1:
        return first
    with answer.controls():
        return form.choose(
            capitalize(offered.label),
            options,
            options.index(first),
            key=_key_of(offered),
            help=offered.help,
            width=form.LIST_WIDTH,
        )


def _key_of(offered: Choice) -> str:
    """Key of that list: its label, which the URL has behind the name of the page; in a
    second block of a page behind the name of the block.
    """
    label, block = offered.label.replace(" ", "_"), BLOCK.get().name
    return label if block == "page" else f"{block}_{label}"


def option_of(result: Result, choice: str) -> str:
    """That option for another result, or its usual one if it lacks that."""
    offered = result.choice()
    return choice if offered and choice in offered.options else ""


def _loaded(view: View, name: str) -> Loaded[Collection | Matrix]:
    """The data that an experiment is computed on."""
    return view.scores() if _takes_matrix(name) else view.selected()


def _takes_matrix(name: str) -> bool:
    """Whether an experiment needs scores alone."""
    experiment = EXPERIMENTS[name]
    return experiment.matrix or experiment.scored
