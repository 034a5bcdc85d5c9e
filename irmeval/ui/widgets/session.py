"""What a visitor has loaded: the sample, the server's own files, or uploads."""

from collections.abc import Iterable, Iterator, Mapping
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
from irmeval.experiments.recipe import COLLECTION, JUDGES, Recipe
from irmeval.reading.files import paths
from irmeval.reading.matrix import Matrix
from irmeval.reading.policy import DEFAULT, Policy
from irmeval.reading.trec import Qrels
from irmeval.scoring.selection import Choice, Selected, Selection
from irmeval.ui.state import arguments, cached, judge_choice, visitors
from irmeval.ui.state.dataset import Dataset
from irmeval.ui.state.keys import BY_TEAM, CLOSED, HIGHLIGHTED, MEASURES, SEARCHED
from irmeval.ui.state.naming import distinctive
from irmeval.ui.widgets import form, inputs, refusals
from irmeval.workspace.stored import JUDGED_BY, PINNED, find_decisions

OPEN, ARRANGED, ASKED, INTRODUCED, HIDDEN = "open", "arranged", "data_asked", "introduced", "hidden_runs"
"""In a tab's state: the key of the collection it looks at, what widgets are to be set to before they are drawn, the data that its
address asked for and are not here, whether the sample was introduced above the page already, and the runs that are not drawn."""
C = TypeVar("C", bound=Collection | Matrix, covariant=True)


class Unfinished(IrmevalError):
    """What is loaded does not make a collection yet."""


@dataclass(frozen=True)
class Loaded(Generic[C]):
    """A collection, or a score matrix in its place, and where it comes from."""

    collection: C
    name: str
    synthetic: bool = False


def dataset() -> Dataset:
    """The dataset that this tab shows: the one that its visitor opened last, unless the tab was set to another."""
    visitor, key = visitors.current(), st.session_state.get(OPEN)
    if key in (None, visitor.dataset.key):  # nearly always, and a page asks for it often
        return visitor.dataset
    return next(
        (dataset for dataset in [*visitor.beside, st.session_state.get("sample")] if dataset and dataset.key == key), visitor.dataset
    )


def look_at(dataset: Dataset) -> None:
    """Show a dataset in this tab, whatever other tabs show."""
    st.session_state[OPEN] = dataset.key


def looks_at_sample() -> bool:
    """Whether this tab shows what everybody sees although its visitor has opened a dataset of their own."""
    return not dataset().has_content and visitors.current().dataset.has_content


def look_at_sample() -> None:
    """Show in this tab alone what everybody sees, as if the visitor had loaded nothing."""
    st.session_state["sample"] = Dataset()
    look_at(st.session_state["sample"])


def look_at_own() -> None:
    """Show the dataset that the visitor opened last."""
    look_at(visitors.current().dataset)


def open_dataset(dataset: Dataset) -> None:
    """Show a dataset here and in tabs to come, with what was last decided on it."""
    look_at(dataset)
    visitors.current().open(dataset)
    usual = {**asdict(DEFAULT), **asdict(Selection()), PINNED: [], SEARCHED: "", CLOSED: "", JUDGED_BY: DEFAULT_JUDGE}
    st.session_state[ARRANGED] = usual | _shorten_settings(dataset.settings)
    st.session_state[ASKED] = None


def arrange(**settings: Any) -> None:
    """Draw the page again with widgets of the sidebar set so."""
    st.session_state[ARRANGED] = settings
    st.rerun()


def _shorten_settings(settings: dict[str, Any]) -> dict[str, Any]:
    """Settings in the form that an address has them."""
    names = settings.get("runs_only")
    return settings | {"runs_only": visitors.current().shorten_choice(names)} if names else settings


def forget() -> None:
    """Forget all that this visitor has loaded and decided, on disk too."""
    visitor = visitors.current()
    visitor.forget()
    visitors.release([visitor])
    st.session_state.clear()
    st.query_params.clear()


def begin() -> None:
    """Where a tab has just been opened at an address that says nothing, begin with what its visitor last decided; where they open another
    collection, with what was decided on that."""
    cached.look_again()
    state, visitor = st.session_state, visitors.current()
    state.setdefault(OPEN, None)  # for a key that is not there, Streamlit writes an error each time
    if "begun" not in state and not st.query_params:
        state.update(_shorten_settings(visitor.dataset.settings))
        if visitor.measures:
            state["measures"] = [*visitor.measures]
    state["begun"] = True
    if arranged := state.pop(ARRANGED, None):
        state.update(arranged)
        state.pop("settings", None)
    for key, usual in ((MEASURES, form.MEASURES), (PINNED, ())):  # which are looked at before they are drawn
        inputs.make_valid(key, inputs.texts(usual))


def remember() -> None:
    """Keep what this visitor has loaded, and what they have decided since the tab was opened."""
    state, visitor = st.session_state, visitors.current()
    decided: list[Policy | Selection | IrmevalError | None] = [state.get(name) for name in ("policy", "selection")]
    settings = find_decisions(*(record for record in decided if isinstance(record, Policy | Selection)))
    if pinned := state.get(PINNED, dataset().settings.get(PINNED)):  # not where nothing could be drawn
        settings[PINNED] = [*pinned]
    if (name := judge_choice.chosen_judge(dataset())) != dataset().own:
        settings[JUDGED_BY] = name
    if settings != state.setdefault("settings", settings):
        state["settings"] = dataset().settings = settings
    if "measures" in state and (measures := [*state["measures"]]) != state.setdefault("measures_before", measures):  # else not shown
        state["measures_before"] = visitor.measures = measures
    visitor.keep()


def sources(policy: Policy | None) -> Iterator[tuple[Collection | Matrix, Mapping[str, Qrels]]]:
    """What this visitor could have a result made on again, and the further judges beside it: everything that is read, under a policy; or
    with none, score matrices."""
    own = [dataset(), *(other for other in visitors.current().datasets if other is not dataset())]
    if policy is None:
        yield from ((mine.matrix, {}) for mine in own if mine.matrix)
        return
    for mine in own:
        if (made := mine.collection(policy)) is not None or (mine.judges and not mine.used):
            yield made or shared(policy).collection, {name: judge.qrels for name, judge in mine.judges.items()}
    yield shared(policy).collection, {}


def here() -> str:
    """A value that changes whenever the data at hand change for this visitor."""
    return " ".join(f"{mine.key} {mine.uploader}" for mine in visitors.current().datasets)


def matrix() -> Matrix | None:
    """The score matrix that this visitor dropped; while it is there, it is what the pages work on."""
    return dataset().matrix


def put_matrix_away() -> None:
    """Go back to what was loaded before the score matrix."""
    dataset().matrix = None


def scored() -> Loaded[Collection | Matrix]:
    """What pages work on that need scores alone: the score matrix, or else the collection."""
    if dropped := matrix():
        visitors.current().used.add(dropped.fingerprint)
        return Loaded(dropped, f"Your upload: {dropped.name}")
    return loaded()


def policy() -> Policy:
    """The policy of the sidebar."""
    decided: Policy = st.session_state.get("policy", DEFAULT)
    return decided


def base() -> Loaded[Collection]:
    """All that is loaded, under the policy of the sidebar and by the judgments of the judge chosen there; `Unfinished` where there are no
    judgments."""
    looked, decided = dataset(), policy()
    if not looked.used:
        loaded = shared(decided)
    elif mine := looked.collection(decided):
        loaded = Loaded(mine, f"Your upload: {looked.title}")
    else:
        raise Unfinished(describe_missing())
    return replace(loaded, collection=judge_choice.by_chosen_judge(looked, loaded.collection))


def describe_missing(runs: bool = False) -> str:
    """What is missing of what this visitor dropped, in words: judgments, or `runs` where those are asked for too; empty where nothing
    is."""
    looked, decided = dataset(), policy()
    judged, taken = looked.judged(decided), looked.runs_in_use(decided)
    if not looked.used or (judged and (taken or not runs)):
        return ""
    if (looked.first and not judged) or (looked.held and not taken):
        return "The loaded files repeat lines and cannot be used as they are. What to do is said where they were dropped."
    return looked.waiting()


def under(policy: Policy) -> Loaded[Collection]:
    """The selected runs and topics of what is loaded, under another policy than the sidebar's."""
    everything = base()
    if dataset().used:
        c = cached.under_policy(everything.collection.fingerprint, policy, lambda: dataset().made_under(policy) or everything.collection)
    else:
        c = shared(policy).collection
    c = judge_choice.by_chosen_judge(dataset(), c)
    note_use(c)
    chosen = cached.selected(c.fingerprint, selection(), tuple(team_list().items()), c).collection
    return replace(everything, collection=chosen)


def note_use(collection: Collection) -> None:
    """Note that results on a collection are this visitor's alone, if the collection is their own."""
    if dataset().used:
        visitors.current().used.add(collection.fingerprint)


def shared(policy: Policy) -> Loaded[Collection]:
    """What everybody sees, under a policy."""
    given = arguments.named_files()
    if watched := watches():
        return Loaded(cached.read_watched(*watched, policy).collection, usual_name())
    if given.qrels:
        found = cached.collection(given.qrels, tuple(given.runs), policy, parallel.default_scheduler(), given.qrels_format)
        return Loaded(found, usual_name())
    return Loaded(cached.collection(SAMPLE / "qrels.txt.gz", (SAMPLE / "runs",), policy), usual_name(), synthetic=True)


def usual_name() -> str:
    """Name of what everybody sees."""
    qrels = arguments.named_files().qrels
    if not qrels:
        return "Sample collection"
    return f"{distinctive(qrels.name) or distinctive(qrels.resolve().parent.name) or qrels.name} on this server"


def hidden_runs() -> frozenset[str]:
    """The runs that charts and tables leave out; no number rests on it."""
    hidden: frozenset[str] = st.session_state.get(HIDDEN, frozenset())
    return hidden


def marked_runs() -> tuple[tuple[str, ...], tuple[str, ...], str, Mapping[str, str], frozenset[str]]:
    """The pinned runs, all runs, the highlighted run, run -> team where runs have the colours of their teams, and hidden runs."""
    state = st.session_state
    pinned, lit, by_team = tuple(state.get(PINNED, ())), state.get(HIGHLIGHTED) or "", state.get(BY_TEAM, False)
    try:
        runs = scored().collection.runs
        return pinned, runs, lit if lit in runs else "", teams_of(runs) if by_team else {}, hidden_runs()
    except IrmevalError:
        return (), (), "", {}, frozenset()


def teams_of(runs: Iterable[str]) -> dict[str, str]:
    """Run -> team, as this visitor's CSV or the rule in the sidebar says."""
    rule, listed = selection().team_rule, team_list()
    return {run: listed.get(run) or team_of(run, rule) for run in runs}


def files() -> list[Path]:
    """The run files on this server that are loaded, in the order of the runs; none where they are uploads."""
    if dataset().used:
        return []
    if watched := watches():
        return [*cached.read_watched(*watched, policy()).files]
    return paths(arguments.named_files().runs or [SAMPLE / "runs"])


def watches() -> tuple[Path, tuple[Path, ...], str] | None:
    """The qrels, the runs and the format of the qrels that this server watches, if it watches any."""
    given = arguments.named_files()
    return (given.qrels, tuple(given.runs), given.qrels_format) if given.watch else None


def selected(everything: Collection | None = None) -> Selected:
    """What the selection of the sidebar leaves of it, or of a collection that a page made of it, and why the rest is left out."""
    everything = everything or base().collection
    found = cached.selected(everything.fingerprint, selection(), tuple(team_list().items()), everything)
    if dataset().used:
        visitors.current().used |= {everything.fingerprint, found.collection.fingerprint}
    return found


def loaded() -> Loaded[Collection]:
    """The collection that every page works on: the selected runs and topics, under the policy."""
    everything = base()
    return replace(everything, collection=selected(everything.collection).collection)


def recipe(result: Any, *, gains: str = "", **rules: Any) -> Recipe:
    """The recipe of a result, in this visitor's words: who asked for it first may have chosen the same runs by other rules. `gains` and
    rules are those that a page decides."""
    made: Recipe = result.recipe()
    if made.source == JUDGES:
        return replace(made, policy=policy())
    if made.source != COLLECTION:
        return made
    decided = replace(policy(), gains=gains) if gains else policy()
    return replace(made, policy=decided, chosen=Choice.of(replace(selection(), **rules), team_list()))


def selection() -> Selection:
    """The rules of the sidebar by which runs and topics are chosen; raises `ParamError` where they are none."""
    rules: Selection | IrmevalError = st.session_state.get("selection", Selection())
    if isinstance(rules, IrmevalError):
        raise rules
    return rules


def team_list() -> dict[str, str]:
    """Run -> team, as this visitor's CSV says."""
    return dataset().teams


def usable() -> Loaded[Collection] | None:
    """`loaded`, where the files can be read under the policy, and the selection leaves something."""
    try:
        return loaded()
    except IrmevalError:
        return None


def has_runs() -> bool:
    """Whether a collection with runs is `usable`."""
    return (found := usable()) is not None and bool(found.collection.runs)


def check() -> None:
    """Stop with one line where nothing is `usable`; where it is the selection, one press takes all runs and topics; without a word where
    something is missing, which is said with what was dropped."""
    try:
        loaded()
    except Unfinished:
        st.stop()
    except IrmevalError as error:
        if isinstance(error, ReadError):
            refusals.tell(error, "keep_first")
        else:
            st.error(escape_markdown(str(error)))
            if not isinstance(error, SchedulerError):
                st.button("Use all runs and topics", key="select_all", on_click=st.session_state.update, kwargs=asdict(Selection()))
        st.stop()


def check_lists() -> None:
    """Stop with one line where the page needs the runs document by document, and they lie on workers."""
    if isinstance(collection := loaded().collection, Sharded):
        st.info(f"This page needs the documents of the lists, which are on the workers of {collection.address}.")
        st.stop()


def on_sample() -> bool:
    """Whether this tab looks at the sample."""
    return matrix() is None and (found := usable()) is not None and found.synthetic


def serves_sample() -> bool:
    """Whether who has loaded nothing looks at the sample."""
    return arguments.named_files().qrels is None
