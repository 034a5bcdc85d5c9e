"""Data of the page being drawn: the sample, the operator's files, or the visitor's
uploads.
"""

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, replace
from typing import Any, TypeVar

import streamlit as st

from irmeval.collection import Collection
from irmeval.collection.base import DEFAULT_JUDGE
from irmeval.core.errors import IrmevalError, ReadError, SchedulerError
from irmeval.core.tables import escape_markdown
from irmeval.core.text import count_noun
from irmeval.experiments.recipe import COLLECTION, JUDGES, Recipe
from irmeval.reading.policy import DEFAULT, Policy
from irmeval.reading.score_matrix import Matrix
from irmeval.reading.trec import Qrels
from irmeval.scoring.selection import Selected, SelectedBy, Selection
from irmeval.ui.state import cache, marked_runs, rooms, server_files, visitors
from irmeval.ui.state.dataset import Dataset
from irmeval.ui.state.keys import MEASURES, RUNS
from irmeval.ui.state.mailboxes import ADDRESS, MARKS, REDRAW, TAB
from irmeval.ui.state.tab_state import made_once, widgets
from irmeval.ui.state.view import Asked, Loaded, View
from irmeval.ui.widgets import answer, form, inputs, refusals
from irmeval.workspace.stored import JUDGED_BY, PINNED, find_decisions

EVERYTHING = Selection()
"""All runs and topics."""
T = TypeVar("T")


class Unfinished(IrmevalError):
    """The loaded files are not a complete collection yet."""


def ask(page: str, question: str) -> Asked:
    """What is known of a page before the sidebar is drawn."""
    looked = dataset()
    matrix = looked.matrix.complete if looked.matrix else None
    return Asked(page, question, visitors.here(), looked, matrix)


def view(asked: Asked) -> View:
    """What a page is drawn from, with the values of the sidebar."""
    everything = chosen = None
    if asked.matrix:
        asked.visitor.used.add(asked.matrix.fingerprint)
    with suppress(IrmevalError):
        if asked.matrix is None:
            everything = all_loaded(asked.dataset)
            chosen = selected(asked.dataset, everything.collection)
    now = REDRAW.get()
    # a score matrix takes no rules
    selection = EVERYTHING if asked.matrix else now.selection
    return View(
        **vars(asked),
        policy=now.policy,
        selection=selection,
        measures=now.measures,
        everything=everything,
        chosen=chosen,
    )


def _once(name: str, depends_on: tuple[Any, ...], make: Callable[[], T]) -> T:
    """What was made since the drawing began if it depends on the same; else it is made."""
    made = REDRAW.get().made
    if name not in made or made[name][0] != depends_on:
        made[name] = depends_on, make()
    found: T = made[name][1]
    return found


def dataset() -> Dataset:
    """Dataset of this tab: the one that the visitor opened last, unless the tab shows
    another.
    """
    visitor, tab = visitors.here(), TAB.get()
    if tab.open in (None, visitor.dataset.key):  # a page asks often
        return visitor.dataset
    if tab.sample and tab.sample.key == tab.open:
        return tab.sample
    others = (other for other in visitor.other_datasets if other.key == tab.open)
    return next(others, visitor.dataset)


def look_at(dataset: Dataset) -> None:
    """Show a dataset in this tab, whatever other tabs show."""
    TAB.get().open = dataset.key


def look_at_sample() -> None:
    """Show the shared collection in this tab only, as without loaded data."""
    # an empty one of this tab, which other tabs and the store do not see
    empty = TAB.get().sample = Dataset()
    look_at(empty)


def look_at_own() -> None:
    """Show the dataset that the visitor opened last."""
    look_at(visitors.here().dataset)


def open_dataset(dataset: Dataset) -> None:
    """Show a dataset in this tab and in new ones, with its own settings."""
    look_at(dataset)
    visitors.here().open(dataset)
    usual = {**asdict(DEFAULT), **asdict(EVERYTHING), JUDGED_BY: DEFAULT_JUDGE}
    arrange(usual | _values_of(dataset.settings))
    ADDRESS.get().data = None


def arrange(values: dict[str, Any]) -> None:
    """Set widgets to these values before they are drawn next."""
    TAB.get().arranged = values


def _values_of(settings: dict[str, Any]) -> dict[str, Any]:
    """Settings of a dataset in the form of a tab's state."""
    values = {name: value for name, value in settings.items() if name != PINNED}
    values[RUNS] = replace(
        marked_runs.marks(),
        search="",
        hidden=frozenset(),
        pinned=tuple(settings.get(PINNED, ())),
    )
    return values


def forget() -> None:
    """Delete all data and decisions of this visitor, on disk too, and restart at a bare
    URL.
    """
    visitor = visitors.here()
    visitors.forget(visitor)
    rooms.end(visitors.owner())
    visitors.release([visitor])
    # what the browser still shows would be sent, and stored, again
    widgets.clear()
    TAB.get().forgotten = True


def restore_settings() -> None:
    """Set the widgets before a page is drawn: to the visitor's last settings at a bare
    URL, or to those of a collection just opened.
    """
    visitor, tab = visitors.here(), TAB.get()
    # first, as another tab or server may have changed the settings
    visitors.sync(visitor)
    if not tab.begun and not st.query_params:
        widgets.update(_values_of(visitor.dataset.settings))
        if visitor.measures:
            widgets[MEASURES] = [*visitor.measures]
    tab.begun = True
    if tab.arranged:
        widgets.update(tab.arranged)
        tab.arranged = tab.settings = None
    # they are read before their widget is drawn
    inputs.make_valid(MEASURES, inputs.texts(form.MEASURES))


def remember(asked: Asked) -> None:
    """Store this visitor's data, and the changes since the tab was opened."""
    visitor, looked, tab, now = asked.visitor, asked.dataset, TAB.get(), REDRAW.get()
    decided = now.policy, now.selection
    settings = dict(made_once("decisions", decided, functools.partial(_decisions, *decided)))
    # none are marked if nothing could be drawn
    marks, pinned = MARKS.find(), looked.pinned
    if marks:
        pinned = marks.pinned
    if pinned:
        settings[PINNED] = [*pinned]
    if (name := chosen_judge(looked)) != looked.own:
        settings[JUDGED_BY] = name
    # at the first drawing they are those of the URL, which may be of somebody else
    if tab.settings not in (None, settings):
        looked.settings = settings
    tab.settings = settings
    if MEASURES in widgets:  # else not drawn
        measures = [*widgets[MEASURES]]
        if tab.measures not in (None, measures):
            visitor.measures = measures
        tab.measures = measures
    visitors.sync(visitor)


def _decisions(policy: Policy, selection: Selection | IrmevalError) -> dict[str, Any]:
    """What is kept of the sidebar; not a selection that is invalid."""
    if isinstance(selection, IrmevalError):
        return find_decisions(policy)
    return find_decisions(policy, selection)


def sources(policy: Policy | None) -> Iterator[tuple[Collection | Matrix, Mapping[str, Qrels]]]:
    """Data that a result may be based on, with their other judges: all collections
    under a policy; without one, the matrices.
    """
    own = dict.fromkeys([dataset(), *visitors.here().datasets])
    if policy is None:
        return ((scores, {}) for mine in own for scores in mine.all_scores())
    return _collections(own, policy)


def _collections(
    own: Iterable[Dataset], policy: Policy
) -> Iterator[tuple[Collection, Mapping[str, Qrels]]]:
    """Collections of datasets, and the shared one, with their other judges."""
    for mine in own:
        others = {name: judge.qrels for name, judge in mine.judges.items()}
        made = _source(mine, policy)
        if made:
            yield made, others
    yield server_files.shared_collection(policy).collection, {}


def _source(mine: Dataset, policy: Policy) -> Collection | None:
    """The collection of a dataset, or that which its judges stand beside; None if there is
    neither.
    """
    if made := mine.collection(policy):
        return made
    if mine.used or not mine.judges:
        return None
    return server_files.shared_collection(policy).collection


def put_matrix_away() -> None:
    """Return to the collection that was loaded before the score matrix."""
    dataset().matrices = ()


def all_loaded(looked: Dataset) -> Loaded[Collection]:
    """All runs and topics of a dataset, under the policy and by the judge of the
    sidebar. Raises `Unfinished` if there are no judgments.
    """
    decided = REDRAW.get().policy
    if not looked.used and server_files.watched_files():  # they change in between
        return _load_all(looked, decided)
    judges = tuple(map(id, looked.judges.values()))
    depends_on = looked.key, looked.uploader, judges, decided, chosen_judge(looked)
    return _once("everything", depends_on, lambda: _load_all(looked, decided))


def _load_all(looked: Dataset, decided: Policy) -> Loaded[Collection]:
    if not looked.used:
        loaded = server_files.shared_collection(decided)
    elif mine := looked.collection(decided):
        loaded = Loaded(mine, f"Your upload: {looked.title}")
    else:
        raise Unfinished(looked.describe_missing(decided))
    return replace(loaded, collection=by_chosen_judge(looked, loaded.collection))


def chosen_judge(looked: Dataset) -> str:
    """Judge of a dataset whose judgments are used for evaluation."""
    name = widgets.get(JUDGED_BY)
    if name in looked.judge_names:
        return str(name)
    return looked.own


def with_judges(looked: Dataset, collection: Collection) -> Collection:
    """A collection with the other judges of a dataset."""
    if not (others := {**looked.judges}):
        return collection
    joined = cache.with_judges(collection, looked.own, others)
    visitors.here().note_use(looked, collection, joined)
    return joined


def by_chosen_judge(looked: Dataset, collection: Collection) -> Collection:
    """A collection with the other judges of a dataset, by the judgments of the chosen
    one.
    """
    joined, name = with_judges(looked, collection), chosen_judge(looked)
    if name == looked.own:
        return joined
    return cache.judged_by(joined, name)


def loaded_under(view: View, policy: Policy) -> Loaded[Collection]:
    """Selected runs and topics of a page under another policy than the sidebar's."""
    everything, own = view.all_loaded(), view.dataset
    if own.used:
        key = "under_policy", everything.collection.fingerprint, policy
        c = cache.store().get_or_make(
            key, lambda: own.collection_under(policy) or everything.collection
        )
    else:
        c = server_files.shared_collection(policy).collection
    c = by_chosen_judge(own, c)
    view.visitor.note_use(own, c)
    return replace(everything, collection=cache.selected(c, view.rules, own.teams).collection)


def selected(looked: Dataset, everything: Collection) -> Selected:
    """Apply the sidebar's selection to the collection of a dataset."""
    rules = selection()

    def select() -> Selected:
        found = cache.selected(everything, rules, looked.teams)
        visitors.here().note_use(looked, everything, found.collection)
        return found

    return _once("selected", (everything.fingerprint, rules, looked.teams), select)


def loaded(looked: Dataset) -> Loaded[Collection]:
    """Collection of every page: the selected runs and topics, under the policy."""
    everything = all_loaded(looked)
    return replace(everything, collection=selected(looked, everything.collection).collection)


def recipe(result: Any, *, gains: str = "", **rules: Any) -> Recipe:
    """Recipe of a result with this visitor's policy and rules, since others may share
    the result; a page can set `gains` and `rules`.
    """
    made: Recipe = result.recipe()
    policy = REDRAW.get().policy
    if made.source == JUDGES:
        return replace(made, policy=policy)
    if made.source != COLLECTION:
        return made
    if gains:
        policy = replace(policy, gains=gains)
    chosen = SelectedBy.of(replace(selection(), **rules), dataset().teams)
    return replace(made, policy=policy, chosen=chosen)


def selection() -> Selection:
    """The rules of the sidebar that select runs and topics. Raises `ParamError` if they
    are not valid.
    """
    rules = REDRAW.get().selection
    if isinstance(rules, IrmevalError):
        raise rules
    return rules


def loaded_or_none(looked: Dataset) -> Loaded[Collection] | None:
    """`loaded`, or None if the files cannot be read under the policy or the selection
    is empty.
    """
    try:
        return loaded(looked)
    except IrmevalError:
        return None


def require_loaded(looked: Dataset, title: str = "") -> None:
    """Stop the page if nothing is loaded: with its title and an error unless files are
    missing, and a remedy if the selection is the reason.
    """
    try:
        loaded(looked)
    # the frame says in its place what is missing
    except Unfinished:
        answer.stop_page()
    except IrmevalError as error:
        if title:
            st.title(title)
        if isinstance(error, ReadError):
            refusals.show(error, "keep_first")
        else:
            st.error(escape_markdown(str(error)))
            if not isinstance(error, SchedulerError):
                _offer_all(all_loaded(looked))
        answer.stop_page()


def _offer_all(everything: Loaded[Collection]) -> None:
    """Say how much there is to select from, with a button that selects all."""
    c = everything.collection
    size = f"{count_noun(len(c.runs), 'run')} and {count_noun(len(c.topics), 'topic')}"
    st.write(
        f"**{escape_markdown(everything.name)}** has {size}. Change *Settings* in the sidebar, or"
        " use all."
    )
    st.button(
        "Use all runs and topics",
        key="select_all",
        on_click=widgets.update,
        kwargs=asdict(EVERYTHING),
    )
