"""A visitor's collections: adding, opening, naming, removing, restoring, and saving all
in one file.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import chain

import streamlit as st

from irmeval.collection.base import qrels_of
from irmeval.collection.joining import Index
from irmeval.core.errors import IrmevalError, ReadError
from irmeval.core.tables import escape_markdown
from irmeval.core.text import count_noun, list_few, shorten, slug
from irmeval.core.written import WORKSPACE
from irmeval.metrics import Measure, distinct
from irmeval.reading.files import ZIP, stem
from irmeval.reading.policy import DEFAULT
from irmeval.scoring.selection import names_text, parse_names
from irmeval.ui.state import keys, quotas, server_files, visitors
from irmeval.ui.state.dataset import Dataset
from irmeval.ui.state.mailboxes import REDRAW, TAB
from irmeval.ui.state.naming import (
    Tell,
    holds_scores,
    name_quota,
    number_if_taken,
    tell_nobody,
)
from irmeval.ui.state.streamlit_internals import session_id
from irmeval.ui.state.tab_state import widgets
from irmeval.ui.state.view import Asked, View
from irmeval.ui.state.visitor import Visitor
from irmeval.ui.widgets import form, inputs, session
from irmeval.workspace import Workspace
from irmeval.workspace.base import looks_like_workspace
from irmeval.workspace.packed import MAX_NAME, MAX_NOTES, is_name
from irmeval.workspace.stored import OtherJudge, Stored

File = tuple[str, bytes]
FOLDER = re.compile(r"(?P<folder>[^/\\]+?)(\.zip)?[/\\]")


def receive(
    dataset: Dataset,
    files: Sequence[File],
    work: Callable[[Callable[[Tell], None]], None] = lambda do: do(tell_nobody),
) -> None:
    """Read dropped files: runs, and qrels that judge some of its documents, into the
    open collection; other qrels, and qrels with runs, as a new one; a workspace with
    all its collections. `work` does the reading, and shows what it is told of it.
    """
    packed, plain = _split(files, looks_like_workspace)
    _begin(dataset)
    if plain:
        folders = [folder["folder"] for name, _ in plain if (folder := FOLDER.match(name))]
        archives = [name for name, data in plain if data.startswith(ZIP)]
        read_into_place(
            dataset,
            lambda to: work(lambda tell: to.add(plain, tell)),
            [*archives, *folders[:1]],
        )
    else:
        dataset.add(plain)
    for name, data in packed:
        try:
            _open_workspace(name, data)
        except IrmevalError as error:
            _refuse(name, "a workspace", error)
    session.dataset().tab = session_id()


def _split(
    files: Sequence[File], is_one: Callable[[str, bytes], bool]
) -> tuple[list[File], list[File]]:
    """Files of a kind, and the others."""
    of_kind = [file for file in files if is_one(*file)]
    return of_kind, [file for file in files if file not in of_kind]


def _begin(dataset: Dataset) -> None:
    """Called before files are added to a dataset."""
    visitor = visitors.here()
    visitor.undo = None
    dataset.others = visitors.others(visitor)
    dataset.elsewhere = visitors.sum_loaded(
        other for other in visitor.datasets if other is not dataset
    )


def _refuse(name: str, wanted: str, error: IrmevalError) -> None:
    if not isinstance(error, ReadError):
        error = ReadError(name, None, wanted, str(error))
    session.dataset().refuse(error)


def read_into_place(
    dataset: Dataset, read: Callable[[Dataset], None], places: Sequence[str] = ()
) -> None:
    """Read files into the open dataset or a new one. A nameless dataset is named by its
    qrels, or by the archives or folder (`places`).
    """
    visitor = visitors.here()  # asked before: whoever asks may be ended by the next drop
    if dataset.qrels or dataset.judges:
        dataset = _read_beside(dataset, read)
    else:
        read(dataset)
    visitor.name_by_files(dataset, places)
    # it is a new one, or another tab has removed it meanwhile
    if dataset.has_content and dataset not in visitor.datasets:
        visitor.open(dataset)
        session.open_dataset(dataset)


def _read_beside(dataset: Dataset, read: Callable[[Dataset], None]) -> Dataset:
    """Read files for loaded judgments; return the dataset with them."""
    apart = _new_dataset(dataset)
    read(apart)
    if dataset.qrels and apart.qrels and not dataset.qrels.index.shares(apart.qrels.qrels):
        apart.messages.insert(0, _describe_unrelated([stem(apart.qrels.name)], dataset))
        return apart
    if _is_new_collection(dataset, apart):
        return apart
    dataset.take(apart)
    return dataset


def _is_new_collection(dataset: Dataset, apart: Dataset) -> bool:
    """Whether files that were read for loaded judgments are a collection by themselves."""
    # without own judgments, the dataset holds only judges of the shared collection, and these
    # stay
    if not dataset.qrels:
        return apart.has_content
    return bool(dataset.runs and apart.qrels and apart.runs)


def _new_dataset(dataset: Dataset) -> Dataset:
    """An empty dataset for files that may become a new collection, under the policy of
    the open one.
    """
    # gains belong to the grades of one collection
    policy = replace(dataset.policy, gains=DEFAULT.gains)
    return Dataset(
        policy=policy,
        others=dataset.others,
        elsewhere=visitors.sum_loaded(visitors.here().datasets),
    )


def _describe_unrelated(names: Sequence[str], dataset: Dataset) -> str:
    """A sentence: these qrels do not belong to the open dataset, and are a new
    collection.
    """
    of = server_files.title_of(dataset)
    return f"{list_few([*names])}: no document in common with {of}, so now a separate collection."


def receive_judges(dataset: Dataset, files: Sequence[File]) -> list[str]:
    """Add the qrels of other judges, or make a new collection of those that share no
    document with the open one; and files of scores. Return errors.
    """
    _begin(dataset)
    scores, judged = _split(files, holds_scores)
    if scores:
        read_into_place(dataset, lambda to: to.add(scores))
        dataset = session.dataset()
    if not judged:
        return _errors_of(dataset)
    apart = _new_dataset(dataset)
    wrong = apart.add_judges(judged)
    index = _documents_judged(dataset)
    fitting, strangers = {}, {}
    for name, judge in apart.judges.items():
        if index.shares(judge.qrels):
            fitting[name] = judge
        else:
            strangers[name] = judge
    wrong += _add_judges(dataset, fitting)
    if strangers:
        apart.judges = {}
        apart.take_judges(strangers)
        apart.messages.insert(0, _describe_unrelated([*strangers], dataset))
        apart.name = visitors.here().unused_name(apart.title, but=apart)
        wrong += _errors_of(apart)
        session.open_dataset(apart)
    return wrong


def _errors_of(dataset: Dataset) -> list[str]:
    """The first error of each file of its last drop that no policy accepts."""
    faults = chain.from_iterable(dataset.refused)
    return [str(fault.first) for fault in faults]


def _documents_judged(dataset: Dataset) -> Index:
    """The judged documents of a dataset, or of the shared collection if it has none."""
    policy = REDRAW.get().policy
    judged = dataset.judged(policy)
    if judged:
        return judged.index
    return Index(qrels_of(server_files.shared_collection(policy).collection))


def _add_judges(dataset: Dataset, judges: Mapping[str, OtherJudge]) -> list[str]:
    """Add judges to a dataset, all or none; return the error if they do not fit."""
    before, dataset.messages = dataset.judges, []
    try:
        for name, judge in judges.items():
            dataset.add_judge(name, judge)
        session.all_loaded(dataset)
    except IrmevalError as error:
        dataset.judges = before
        return [str(error)]
    return []


def _open_workspace(name: str, data: bytes) -> None:
    """Add the collections of a workspace; each replaces an equal one of the same
    name.
    """
    visitor = visitors.here()
    found = _parse_within_quotas(visitor, name, data)
    datasets = {}
    for stored in found.collections:
        made = Dataset.of(stored)
        if stored.beside:
            try:
                _add_shared_judges(name, stored, made)
            except IrmevalError as error:
                _refuse(name, "judges that fit", error)
                continue
        datasets[stored.name] = made
        _add_to(visitor, made)
    if found.measures:
        visitor.measures = list(found.measures)
    visitor.parameters = visitor.parameters | {
        page: dict(values) for page, values in found.parameters.items()
    }
    if datasets:
        first = next(iter(datasets.values()))
        session.open_dataset(datasets.get(found.open, first))
        arranged = TAB.get().arranged or {}
        session.arrange(arranged | {"measures": visitor.measures or list(form.MEASURES)})


def _parse_within_quotas(visitor: Visitor, name: str, data: bytes) -> Workspace:
    """Content of a workspace. Raises `ReadError` if it is invalid, or exceeds what is left
    of a quota.
    """
    size, runs = visitors.sum_loaded(visitor.datasets)
    others, other_runs = visitors.others(visitor)
    room, why = quotas.room_left(quotas.UPLOAD, quotas.UPLOAD_ALL, others)
    most, _ = quotas.room_left(quotas.RUNS, quotas.RUNS_ALL, other_runs)
    try:
        return Workspace.parse(name, data, limit=max(room - size, 1), most=max(most - runs, 0))
    except ReadError as error:
        raise name_quota(error, name, room - size, why, "Remove a collection first.") from None


def _add_to(visitor: Visitor, made: Dataset) -> None:
    """Add a dataset, in place of an equal one of the same name."""
    for other in visitor.datasets:
        if _is_equal(other, made):
            _drop(other)
    if made.name:
        made.name = visitor.unused_name(made.name)
    visitor.other_datasets.append(made)


def _is_equal(other: Dataset, made: Dataset) -> bool:
    return other.title == made.name and _same(other, made)


def _add_shared_judges(file: str, stored: Stored, made: Dataset) -> None:
    """Add the loaded judges of the shared collection to a workspace's. Raises
    `IrmevalError` if they do not fit the one here.
    """
    usual, visitor = server_files.shared_name(), visitors.here()
    if stored.beside != usual:
        remedy = "Open it in a dashboard that can show them."
        raise ReadError(
            file,
            None,
            f"collections, or judges beside {usual}",
            f"judges beside {shorten(stored.beside)}",
            remedy,
        )
    session.with_judges(made, server_files.shared_collection(REDRAW.get().policy).collection)
    before = visitor.empty_dataset()
    made.judges = before.judges | made.judges
    _drop(before)


def _same(one: Dataset, other: Dataset) -> bool:
    return _fingerprints(one) == _fingerprints(other)


def _fingerprints(dataset: Dataset) -> tuple[str, str]:
    """Fingerprints of the files of a dataset, and of its score matrix."""
    of_matrix = ""
    if matrix := dataset.matrix:
        of_matrix = matrix.fingerprint
    return dataset.fingerprint(), of_matrix


def _drop(dataset: Dataset) -> None:
    visitor = visitors.here()
    if dataset is visitor.dataset:
        others = (other for other in visitor.datasets if other is not dataset)
        visitor.dataset = next(others, Dataset())
    gone = dataset, visitor.dataset
    visitor.other_datasets = [other for other in visitor.other_datasets if other not in gone]


def _name_all(datasets: Sequence[Dataset], *taken: str) -> list[tuple[str, Dataset]]:
    """Titles of datasets; judges of the shared collection are under its name, with a
    number if it is taken.
    """
    usual, given, named = server_files.shared_name(), [*taken], list[tuple[str, Dataset]]()
    # those with content keep their titles, so they come first
    for dataset in sorted(datasets, key=lambda dataset: not dataset.has_content):
        name = dataset.title
        if not dataset.has_content:
            name = number_if_taken(usual, given)
        given.append(name)
        named.append((name, dataset))
    return named


def workspace(visitor: Visitor, looked: Dataset, measures: Sequence[Measure]) -> Workspace:
    """Workspace of a visitor who looks at a dataset: all their data and decisions."""
    kept = [dataset for dataset in visitor.datasets if dataset.has_content or dataset.judges]
    usual = server_files.shared_name()
    stored, names = [], {}
    for name, dataset in _name_all(kept):
        beside = usual
        if dataset.has_content:
            beside = ""
        stored.append(dataset.stored(name, beside))
        names[dataset.key] = name
    first = next(iter(names.values()), "")
    return Workspace(
        tuple(stored),
        names.get(looked.key, first),
        distinct(measures),
        {page: kept for page, kept in visitor.parameters.items() if kept},
    )


def switch(asked: Asked) -> None:
    """Draw the choice of the open collection, on every page, if a visitor has any."""
    visitor, looked = asked.visitor, asked.dataset
    usual, first = server_files.shared_name(), visitor.empty_dataset()
    others = []
    for dataset in visitor.datasets:
        beside_sample = dataset.judges and dataset is not first
        if dataset.has_content or beside_sample:
            others.append(dataset)
    if not others:
        return
    shown = {dataset.key: name for name, dataset in _name_all(others, usual)} | {"": usual}
    key = looked.key
    if key not in shown:
        key = ""
    widgets[keys.COLLECTION] = key
    form.choose(
        "Collection",
        list(shown),
        format_func=shown.__getitem__,
        key=keys.COLLECTION,
        bind=None,
        on_change=_switch,
        help=(
            "The data that every page uses. Each collection has its own policy, selection and"
            " pinned runs. To compare them, see the page Across collections."
        ),
    )


def _switch() -> None:
    visitor, key = visitors.here(), widgets[keys.COLLECTION]
    named = (dataset for dataset in visitor.datasets if dataset.key == key)
    session.open_dataset(next(named, visitor.empty_dataset()))


def manage(view: View) -> None:
    """Draw the name and notes of the open collection, and buttons that remove it, undo
    that, and save all collections.
    """
    dataset = view.dataset
    offer_undo()
    if not dataset.has_content:
        if dataset.judges:
            _save(view)
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        # it changes when qrels are added to runs
        widgets[keys.widget_key(f"name-{dataset.key}")] = dataset.title
        inputs.text(
            "Name",
            name=f"name-{dataset.key}",
            max_chars=MAX_NAME,
            on_change=_rename,
            args=(dataset,),
            width=320,
        )
        st.button(
            "Remove this collection",
            key="remove",
            on_click=_remove,
            args=(dataset,),
            help="This can be undone.",
        )
        _save(view)
    label = "Notes"
    if beginning := escape_markdown(dataset.notes[:60]):
        label = f"Notes: {beginning}"
    with st.expander(label):
        widgets.setdefault(keys.widget_key(f"notes-{dataset.key}"), dataset.notes)
        inputs.text(
            "Notes",
            name=f"notes-{dataset.key}",
            draw=st.text_area,
            max_chars=MAX_NOTES,
            on_change=_note,
            args=(dataset,),
            help="Saved with the collection.",
            label_visibility="collapsed",
        )


def offer_undo() -> None:
    """Show what was removed last, with a button that restores it."""
    visitor = visitors.here()
    if visitor.undo:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.info(f"{escape_markdown(visitor.removed)} removed.")
            st.button("Undo", key="undo", on_click=visitor.undo)


def _save(view: View) -> None:
    st.download_button(
        "Save all in a file",
        # the workspace is made now: Streamlit calls this where no visitor is known
        workspace(view.visitor, view.dataset, view.measures).to_bytes,
        f"{slug(view.dataset.title)[:40] or 'my'}{WORKSPACE}",
        "application/zip",
        key="save",
        on_click="ignore",
        help=(
            "All your collections, with policy, selection, other judges, measures, parameters and"
            " notes. Drop the file here to restore them; every command accepts it in place of QRELS"
            " RUN."
        ),
    )


def _rename(dataset: Dataset) -> None:
    name = widgets[keys.widget_key(f"name-{dataset.key}")].strip()
    if is_name(name):
        dataset.name = visitors.here().unused_name(name, but=dataset)
    widgets[keys.widget_key(f"name-{dataset.key}")] = dataset.title


def _note(dataset: Dataset) -> None:
    dataset.notes = widgets[keys.widget_key(f"notes-{dataset.key}")]


def _remove(dataset: Dataset) -> None:
    visitor = visitors.here()
    _drop(dataset)
    session.open_dataset(visitor.dataset)

    def restore() -> None:
        visitor.other_datasets.append(dataset)
        session.open_dataset(dataset)

    visitor.offer_undo(dataset.title, restore)


def offer_removal(dataset: Dataset, ticked: Sequence[str]) -> None:
    """Draw a button that removes runs, if the visitor has dropped any."""
    if not dataset.runs:
        return
    words = "Remove the ticked runs"
    if ticked:
        words = f"Remove {count_noun(len(ticked), 'run')} from this collection"
    st.button(
        words,
        key="remove_runs",
        disabled=not ticked,
        on_click=remove_runs,
        args=(dataset, ticked),
    )


def remove_runs(dataset: Dataset, runs: Sequence[str]) -> None:
    """Remove runs, in all tabs; this can be undone."""
    visitor, loaded = visitors.here(), session.all_loaded(dataset).collection.runs
    file_of = dict(zip(loaded, dataset.runs_in_use(REDRAW.get().policy), strict=True))
    files = [file for run, file in file_of.items() if run in runs]
    gone = Dataset(runs={file: dataset.runs[file] for file in dataset.runs if file in files})
    chosen = parse_names(session.selection().runs_only, loaded)
    left = [run for run in chosen if run not in runs]
    if left:
        widgets["runs_only"] = names_text(left)
    before = dataset.unpacked
    dataset.remove(files)
    gone.unpacked = before - dataset.unpacked
    visitor.offer_undo(count_noun(len(files), "run"), lambda: dataset.take(gone))


def remove_judges(dataset: Dataset, names: Sequence[str]) -> None:
    """Remove other judges, in all tabs; this can be undone."""
    visitor, before = visitors.here(), dict(dataset.judges)
    gone = [name for name in names if name in before]  # another tab may have removed them
    if not gone:
        return
    dataset.judges = {name: judge for name, judge in before.items() if name not in gone}
    dataset.messages = []

    def restore() -> None:
        dataset.judges = before | dataset.judges

    what = count_noun(len(gone), "judge")
    if len(gone) == 1:
        what = gone[0]
    visitor.offer_undo(what, restore)
