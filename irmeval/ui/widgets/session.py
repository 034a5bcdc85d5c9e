"""Data of the page being drawn: the sample, the operator's files, or the visitor's
uploads.
"""

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Generic, TypeVar

import streamlit as st

from irmeval.collection import Collection
from irmeval.collection.base import DEFAULT_JUDGE
from irmeval.collection.shards import Sharded
from irmeval.collection.team_names import team_of
from irmeval.core import parallel
from irmeval.core.errors import IrmevalError, ReadError, SchedulerError
from irmeval.core.folders import SAMPLE
from irmeval.core.tables import escape_markdown
from irmeval.core.text import count_noun
from irmeval.experiments.recipe import COLLECTION, JUDGES, Recipe
from irmeval.metrics import Measure
from irmeval.reading.files import list_files
from irmeval.reading.policy import DEFAULT, Policy
from irmeval.reading.score_matrix import Matrix
from irmeval.reading.trec import Qrels
from irmeval.scoring.selection import Choice, Selected, Selection
from irmeval.ui.state import cache, marked_runs, rooms, server_files, visitors
from irmeval.ui.state.dataset import Dataset
from irmeval.ui.state.keys import MEASURES, RUNS
from irmeval.ui.state.naming import distinctive
from irmeval.ui.state.tab_state import Value, widgets
from irmeval.ui.state.visitor import Visitor
from irmeval.ui.widgets import answer, form, inputs, refusals
from irmeval.workspace.stored import JUDGED_BY, PINNED, find_decisions

OPEN = Value[str | None]("open", None)
"""Key of the collection of the tab."""
SAMPLE_SHOWN = Value[Dataset | None]("sample", None)
"""Empty dataset, if the tab shows the shared collection although the visitor has their
own.
"""
ARRANGED = Value[dict[str, Any] | None]("arranged", None)
"""Values for widgets before they are drawn."""
ASKED = Value[str | None]("data_asked", None)
"""Data in the URL that are not loaded."""
INTRODUCED = Value("introduced", False)
"""Whether the sample has been introduced."""
FORGOTTEN = Value("forgotten", False)
"""Whether the visitor's data were just deleted."""
BEGUN = Value("begun", False)
"""Whether the visitor's last settings, or those of a URL, were applied."""
SETTINGS = Value[dict[str, Any]]("settings", {})
"""Settings of the collection at the last rerun."""
MEASURES_BEFORE = Value[list[str]]("measures_before", [])
"""Measures at the last rerun."""
EVERYTHING = Selection()
"""All runs and topics."""
_MADE = Value[dict[str, tuple[tuple[Any, ...], Any]]]("made_this_drawing", {})
"""What was made for the page since its drawing began, by name, with what it depends
on.
"""
T = TypeVar("T")
C = TypeVar("C", bound=Collection | Matrix, covariant=True)


class Unfinished(IrmevalError):
    """The loaded files are not a complete collection yet."""


@dataclass(frozen=True)
class Loaded(Generic[C]):
    """A collection, or a score matrix in its place, and its source."""

    collection: C
    name: str
    synthetic: bool = False


@dataclass(frozen=True)
class View:
    """What a page is drawn from: one record a drawing, which the frame makes after the
    sidebar and hands to the page.
    """

    page: str
    """URL path"""
    visitor: Visitor
    dataset: Dataset
    matrix: Matrix | None
    """the score matrix, in place of a collection"""
    policy: Policy
    selection: Selection | IrmevalError
    """rules, or why they are invalid"""
    measures: tuple[Measure, ...]
    """those of the sidebar"""
    everything: Loaded[Collection] | None
    """all runs and topics; None if something is missing or cannot be read"""
    loaded: Loaded[Collection] | None
    """the selected ones"""

    def all_loaded(self) -> Loaded[Collection]:
        """All runs and topics, on a page that the frame draws only if they are there."""
        assert self.everything
        return self.everything

    def selected(self) -> Loaded[Collection]:
        """The selected ones, on such a page."""
        assert self.loaded
        return self.loaded


def view(page: str) -> View:
    """The record for a page, from the values of the sidebar."""
    with suppress(IrmevalError):
        everything = None if matrix() else all_loaded()
        return _view(page, everything, None if matrix() else loaded_or_none())
    return _view(page, None, None)


def _view(
    page: str, everything: Loaded[Collection] | None, chosen: Loaded[Collection] | None
) -> View:
    return View(
        page,
        visitors.here(),
        dataset(),
        matrix(),
        policy(),
        form.SELECTION.get(),
        form.CHOSEN.get(),
        everything,
        chosen,
    )


def _once(name: str, depends_on: tuple[Any, ...], make: Callable[[], T]) -> T:
    """What was made since the drawing began if it depends on the same; else it is made."""
    made = _MADE.setdefault({})
    if name not in made or made[name][0] != depends_on:
        made[name] = depends_on, make()
    found: T = made[name][1]
    return found


def dataset() -> Dataset:
    """Dataset of this tab: the one that the visitor opened last, unless the tab shows
    another.
    """
    visitor, key = visitors.here(), OPEN.get()
    # a page asks often
    others = (
        [] if key in (None, visitor.dataset.key) else [*visitor.other_datasets, SAMPLE_SHOWN.get()]
    )
    return next((other for other in others if other and other.key == key), visitor.dataset)


def look_at(dataset: Dataset) -> None:
    """Show a dataset in this tab, whatever other tabs show."""
    OPEN.set(dataset.key)


def looks_at_sample() -> bool:
    """Whether this tab shows the shared collection although the visitor has opened one
    of their own.
    """
    return not dataset().has_content and visitors.here().dataset.has_content


def look_at_sample() -> None:
    """Show the shared collection in this tab only, as without loaded data."""
    SAMPLE_SHOWN.set(empty := Dataset())
    look_at(empty)


def look_at_own() -> None:
    """Show the dataset that the visitor opened last."""
    look_at(visitors.here().dataset)


def open_dataset(dataset: Dataset) -> None:
    """Show a dataset in this tab and in new ones, with its own settings."""
    look_at(dataset)
    visitors.here().open(dataset)
    usual = {**asdict(DEFAULT), **asdict(EVERYTHING), JUDGED_BY: DEFAULT_JUDGE}
    ARRANGED.set(usual | _values_of(dataset.settings))
    ASKED.set(None)


def _values_of(settings: dict[str, Any]) -> dict[str, Any]:
    """Settings of a dataset in the form of a tab's state."""
    values = {name: value for name, value in settings.items() if name != PINNED}
    values[RUNS] = replace(
        marked_runs.MARKS.get(),
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
    widgets.clear()
    FORGOTTEN.set(True)


def restore_settings() -> None:
    """Set the widgets before a page is drawn: to the visitor's last settings at a bare
    URL, or to those of a collection just opened.
    """
    visitor = visitors.here()
    _MADE.set({})
    visitors.sync(visitor)
    server_files.LOOKED.set({})
    OPEN.setdefault(None)  # Streamlit logs an error for each look at a missing key
    if not BEGUN.is_set() and not st.query_params:
        widgets.update(_values_of(visitor.dataset.settings))
        if visitor.measures:
            widgets[MEASURES] = [*visitor.measures]
    BEGUN.set(True)
    if arranged := ARRANGED.pop():
        widgets.update(arranged)
        SETTINGS.pop()
    # they are read before their widget is drawn
    inputs.make_valid(MEASURES, inputs.texts(form.MEASURES))


def remember() -> None:
    """Store this visitor's data, and the changes since the tab was opened."""
    visitor, looked, decided = (
        visitors.here(),
        dataset(),
        (form.POLICY.get(), form.SELECTION.get()),
    )
    settings = find_decisions(
        *(record for record in decided if isinstance(record, Policy | Selection))
    )
    marks = marked_runs.MARKS
    # none are set if nothing could be drawn
    if pinned := marks.get().pinned if marks.is_set() else looked.pinned:
        settings[PINNED] = [*pinned]
    if (name := chosen_judge(looked)) != looked.own:
        settings[JUDGED_BY] = name
    if settings != SETTINGS.setdefault(settings):
        SETTINGS.set(settings)
        looked.settings = settings
    # else not drawn
    if MEASURES in widgets and (measures := [*widgets[MEASURES]]) != MEASURES_BEFORE.setdefault(
        measures
    ):
        MEASURES_BEFORE.set(measures)
        visitor.measures = measures
    visitors.sync(visitor)


def sources(policy: Policy | None) -> Iterator[tuple[Collection | Matrix, Mapping[str, Qrels]]]:
    """Data that a result may be based on, with their other judges: all collections
    under a policy; without one, the matrices.
    """
    own = [dataset(), *(other for other in visitors.here().datasets if other is not dataset())]
    if policy is None:
        yield from ((scores, {}) for mine in own for scores in mine.all_scores())
        return
    for mine in own:
        if (made := mine.collection(policy)) is not None or (mine.judges and not mine.used):
            yield (
                made or shared_collection(policy).collection,
                {name: judge.qrels for name, judge in mine.judges.items()},
            )
    yield shared_collection(policy).collection, {}


def matrix() -> Matrix | None:
    """The score matrix that this visitor dropped, on the topics that all runs have.
    While there is one, pages work on it.
    """
    return (dropped := dataset().matrix) and dropped.complete


def put_matrix_away() -> None:
    """Return to the collection that was loaded before the score matrix."""
    dataset().matrices = ()


def loaded_or_matrix() -> Loaded[Collection | Matrix]:
    """Data of pages that need only scores: the score matrix, or else the collection."""
    if dropped := matrix():
        visitors.here().used.add(dropped.fingerprint)
        return Loaded(dropped, f"Your upload: {dropped.name}")
    return loaded()


def policy() -> Policy:
    """The policy of the sidebar."""
    return form.POLICY.get()


def all_loaded() -> Loaded[Collection]:
    """All runs and topics, under the policy and by the judge of the sidebar. Raises
    `Unfinished` if there are no judgments.
    """
    looked, decided = dataset(), policy()
    if not looked.used and server_files.watched_files():  # they change in between
        return _load_all(looked, decided)
    judges = tuple(map(id, looked.judges.values()))
    depends_on = looked.key, looked.uploader, judges, decided, chosen_judge(looked)
    return _once("everything", depends_on, lambda: _load_all(looked, decided))


def _load_all(looked: Dataset, decided: Policy) -> Loaded[Collection]:
    if not looked.used:
        loaded = shared_collection(decided)
    elif mine := looked.collection(decided):
        loaded = Loaded(mine, f"Your upload: {looked.title}")
    else:
        raise Unfinished(describe_missing())
    return replace(loaded, collection=by_chosen_judge(looked, loaded.collection))


def chosen_judge(looked: Dataset) -> str:
    """Judge of a dataset whose judgments are used for evaluation."""
    name = widgets.get(JUDGED_BY)
    return name if name in looked.judge_names else looked.own


def with_judges(looked: Dataset, collection: Collection) -> Collection:
    """A collection with the other judges of a dataset."""
    if not (others := {**looked.judges}):
        return collection
    joined = cache.with_judges(collection, looked.own, others)
    if looked.used:  # the visitor's own data, and so all results on them
        visitors.here().used |= {collection.fingerprint, joined.fingerprint}
    return joined


def by_chosen_judge(looked: Dataset, collection: Collection) -> Collection:
    """A collection with the other judges of a dataset, by the judgments of the chosen
    one.
    """
    joined, name = with_judges(looked, collection), chosen_judge(looked)
    return joined if name == looked.own else cache.judged_by(joined, name)


def describe_missing(runs: bool = False) -> str:
    """A sentence on what the visitor's files lack: judgments, and with `runs` also
    runs. Empty if nothing is missing.
    """
    looked, decided = dataset(), policy()
    judged, taken = looked.judged(decided), looked.runs_in_use(decided)
    if not looked.used or (judged and (taken or not runs)):
        return ""
    if (looked.qrels and not judged) or (looked.runs and not taken):
        return (
            "The loaded files have duplicate lines and cannot be used as they are. See the page"
            " where you dropped them."
        )
    return looked.waiting()


def loaded_under(policy: Policy) -> Loaded[Collection]:
    """Selected runs and topics under another policy than the sidebar's."""
    everything, own = all_loaded(), dataset()
    if own.used:
        key = "under_policy", everything.collection.fingerprint, policy
        c = cache.store().get_or_make(
            key, lambda: own.collection_under(policy) or everything.collection
        )
    else:
        c = shared_collection(policy).collection
    c = by_chosen_judge(own, c)
    note_use(c)
    return replace(everything, collection=cache.selected(c, selection(), team_list()).collection)


def note_use(*collections: Collection) -> None:
    """Note that results on these collections are private to this visitor, if the
    visitor loaded the data.
    """
    if dataset().used:
        visitors.here().used |= {collection.fingerprint for collection in collections}


def shared_collection(policy: Policy) -> Loaded[Collection]:
    """Collection that all visitors see, under a policy: the operator's files, or else
    the sample.
    """
    given = server_files.named_files()
    if watched := server_files.watched_files():
        found = server_files.read_watched(*watched, policy).collection
    elif given.qrels:
        found = server_files.collection(
            given.qrels, given.runs, policy, parallel.default_scheduler(), given.formats
        )
    else:
        found = server_files.collection(SAMPLE / "qrels.txt.gz", (SAMPLE / "runs",), policy)
    return Loaded(found, usual_name(), synthetic=not given.qrels)


def usual_name() -> str:
    """Name of the collection that all visitors see."""
    qrels = server_files.named_files().qrels
    return f"{_name_of(qrels)} on this server" if qrels else "Sample collection"


@functools.cache
def _name_of(qrels: Path) -> str:
    """Name of a file on this server, or of its folder; cached, since pages ask
    often.
    """
    return distinctive(qrels.name) or distinctive(qrels.resolve().parent.name) or qrels.name


def pins() -> tuple[
    tuple[str, ...], tuple[str, ...], str, Mapping[str, str], frozenset[str], tuple[str, ...]
]:
    """Arguments of `irmeval.plots.pins.use_pins`: pinned runs, all runs, the
    highlighted one, teams if they have colours, hidden runs, and the measures of the
    sidebar.
    """
    measures = tuple(form.CHOSEN.get())
    try:
        runs = loaded_or_matrix().collection.runs
        marks = marked_runs.MARKS.get().among(runs)
        return (
            marks.pinned,
            runs,
            marks.highlighted,
            teams_of(runs) if marks.by_team else {},
            marks.hidden_among(runs),
            measures,
        )
    except IrmevalError:
        return (), (), "", {}, frozenset(), measures


def teams_of(runs: Iterable[str]) -> dict[str, str]:
    """Run -> team, by this visitor's CSV or else by the rule in the sidebar."""
    rule, listed = selection().team_rule, team_list()
    return {run: listed.get(run) or team_of(run, rule) for run in runs}


def run_files() -> list[Path]:
    """Run files on this server that are loaded, in the order of the runs; none for
    uploads.
    """
    if dataset().used:
        return []
    if watched := server_files.watched_files():
        return [*server_files.read_watched(*watched, policy()).files]
    return list_files(server_files.named_files().runs or [SAMPLE / "runs"])


def selected(everything: Collection | None = None) -> Selected:
    """Apply the sidebar's selection to the loaded collection, or to one that a page
    made of it.
    """
    of = everything or all_loaded().collection
    rules, teams = selection(), team_list()

    def select() -> Selected:
        found = cache.selected(of, rules, teams)
        note_use(of, found.collection)
        return found

    return _once("selected", (of.fingerprint, rules, teams), select)


def loaded() -> Loaded[Collection]:
    """Collection of every page: the selected runs and topics, under the policy."""
    everything = all_loaded()
    return replace(everything, collection=selected(everything.collection).collection)


def recipe(result: Any, *, gains: str = "", **rules: Any) -> Recipe:
    """Recipe of a result with this visitor's policy and rules, since others may share
    the result; a page can set `gains` and `rules`.
    """
    made: Recipe = result.recipe()
    if made.source == JUDGES:
        return replace(made, policy=policy())
    if made.source != COLLECTION:
        return made
    decided = replace(policy(), gains=gains) if gains else policy()
    return replace(
        made, policy=decided, chosen=Choice.of(replace(selection(), **rules), team_list())
    )


def selection() -> Selection:
    """The rules of the sidebar that select runs and topics. Raises `ParamError` if they
    are not valid.
    """
    rules = form.SELECTION.get()
    if isinstance(rules, IrmevalError):
        raise rules
    return rules


def team_list() -> dict[str, str]:
    """Run -> team, from this visitor's CSV."""
    return dataset().teams


def loaded_or_none() -> Loaded[Collection] | None:
    """`loaded`, or None if the files cannot be read under the policy or the selection
    is empty.
    """
    try:
        return loaded()
    except IrmevalError:
        return None


def has_runs() -> bool:
    """Whether a collection is loaded, and the selection contains runs."""
    return (found := loaded_or_none()) is not None and bool(found.collection.runs)


def require_loaded(title: str = "") -> None:
    """Stop the page if nothing is loaded: with its title and an error unless files are
    missing, and a remedy if the selection is the reason.
    """
    try:
        loaded()
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
                c, hint = all_loaded().collection, "Change *Settings* in the sidebar, or use all."
                size = f"{count_noun(len(c.runs), 'run')} and {count_noun(len(c.topics), 'topic')}"
                st.write(f"**{escape_markdown(all_loaded().name)}** has {size}. {hint}")
                st.button(
                    "Use all runs and topics",
                    key="select_all",
                    on_click=widgets.update,
                    kwargs=asdict(EVERYTHING),
                )
        answer.stop_page()


def require_lists() -> None:
    """Stop with one line if the page needs the documents of the runs and these are on
    workers.
    """
    if isinstance(collection := loaded().collection, Sharded):
        st.info(
            "This page needs the documents of the lists, which are on the workers of"
            f" {collection.address}."
        )
        answer.stop_page()


def on_sample() -> bool:
    """Whether this tab shows the sample."""
    return matrix() is None and (found := loaded_or_none()) is not None and found.synthetic


def serves_sample() -> bool:
    """Whether the collection that all visitors see is the sample."""
    return server_files.named_files().qrels is None
