"""A visitor's collections: which one is open, how each is called, what is put away and taken back, and all of them in one file."""

import re
from collections.abc import Callable, Sequence

import streamlit as st

from irmeval.collection.base import qrels_of
from irmeval.collection.joining import Index
from irmeval.core.errors import IrmevalError, ReadError
from irmeval.core.tables import escape_markdown
from irmeval.core.words import counted, list_few, shorten, slug
from irmeval.metrics import distinct
from irmeval.reading.files import MAX_BYTES
from irmeval.reading.policy import DEFAULT
from irmeval.scoring.selection import names_text, parse_names
from irmeval.ui.state import judge_choice, keys, quotas, visitors
from irmeval.ui.state.dataset import NAMELESS, Desk, Judged
from irmeval.ui.state.digests import fingerprint
from irmeval.ui.state.record import PINNED, decided
from irmeval.ui.widgets import form, inputs, session
from irmeval.workspace import Workspace
from irmeval.workspace.base import ENDING, MAX_NAME, MAX_NOTES, is_name, looks_like_workspace
from irmeval.workspace.stored import Stored

File = tuple[str, bytes]
FOLDER = re.compile(r"(?P<folder>[^/\\]+?)(\.zip)?[/\\]")


def receive(desk: Desk, files: Sequence[File]) -> None:
    """Take what was dropped. Runs go to the collection that is open, and qrels beside its own, where they judge some of the same
    documents; other qrels, and both together, are a collection of their own. A workspace brings those that it holds."""
    visitor = visitors.current()
    packed = [file for file in files if looks_like_workspace(*file)]
    plain = [file for file in files if file not in packed]
    visitor.undo = None
    visitors.weigh(visitor, desk)
    if plain:
        folder = FOLDER.match(plain[0][0])
        _place(desk, lambda to: to.add(plain), folder["folder"] if folder else "")
    else:
        desk.add(plain)
    for name, data in packed:
        try:
            _take(name, data)
        except IrmevalError as error:
            session.desk().refuse(error if isinstance(error, ReadError) else ReadError(name, None, "a workspace", str(error)))


def receive_dataset(desk: Desk, name: str) -> None:
    """The same of qrels that ir_datasets has under an id."""
    _place(desk, lambda to: to.add_dataset(name))


def _place(desk: Desk, read: Callable[[Desk], None], folder: str = "") -> None:
    """Have files read where they belong: on the desk that is open, or on one of their own; what has no name of its own yet is called as
    its folder or its qrels."""
    if desk.first or desk.judges:
        desk = _beside(desk, read)
    else:
        read(desk)
    if visitors.has_content(desk) and (not desk.name or desk.name.startswith(NAMELESS)):
        desk.name = ""
        desk.name = visitors.current().called(folder or desk.title, but=desk)


def _beside(desk: Desk, read: Callable[[Desk], None]) -> Desk:
    """Read files where there are judgments already; returns the dataset that they went to."""
    apart = _apart(desk)
    read(apart)
    if desk.first and apart.first and not desk.first.index.shares(apart.first.index.qrels):
        own = True
        apart.told.insert(0, _strangers([apart.first.name], desk))
    else:  # judges stay with what everybody sees
        own = desk.whole and apart.whole if desk.first else visitors.has_content(apart)
    if own:
        session.open_desk(apart)
        return apart
    desk.take(apart)
    return desk


def _apart(desk: Desk) -> Desk:
    """A new, empty dataset for files that may be a collection of their own, beside the open one."""
    return Desk(others=desk.others, beside=visitors.loaded(visitors.current().desks), settings=_of_policy(desk))


def _strangers(names: Sequence[str], desk: Desk) -> str:
    """A sentence: these qrels do not belong to the open dataset, and what became of them."""
    of = desk.title if visitors.has_content(desk) else session.usual_name()
    whose = "its" if len(names) == 1 else "their"
    return f"{list_few([*names])}: no document in common with {of}, so a collection of {whose} own now."


def receive_judges(desk: Desk, files: Sequence[File]) -> list[str]:
    """Take the qrels of other judges: beside those of what is open, where they judge some of the same documents; else as a collection of
    their own. What is wrong with those that cannot be used."""
    visitor, before = visitors.current(), desk.judges
    visitor.undo = None
    visitors.weigh(visitor, desk)
    apart, own = _apart(desk), desk.judged(session.policy())
    wrong = apart.add_judges(files)
    index = own.index if own else Index(qrels_of(session.shared(session.policy()).collection))
    strangers = {name: judge for name, judge in apart.judges.items() if not index.shares(judge.qrels)}
    desk.told = []
    try:
        for name, judge in apart.judges.items():
            if name not in strangers:
                desk.seat(name, judge)
        session.base()
    except IrmevalError as error:
        desk.judges = before
        wrong.append(str(error))
    if strangers:
        apart.judges = {}
        apart.take_judges(strangers)
        apart.told.insert(0, _strangers([*strangers], desk))
        apart.name = visitor.called(apart.title, but=apart)
        wrong += [str(fault.first) for faults in apart.refused for fault in faults]
        session.open_desk(apart)
    return wrong


def _of_policy(desk: Desk) -> dict[str, object]:
    """What was decided of the policy, which a collection dropped beside another begins with; gains are of one's own grades."""
    return {name: value for name, value in desk.settings.items() if hasattr(DEFAULT, name) and name != "gains"}


def _take(name: str, data: bytes) -> None:
    """Have the collections of a workspace; one that is here already under its name takes its place."""
    visitor = visitors.current()
    (sizes, runs), (others, other_runs) = visitors.loaded(visitor.desks), visitors.others(visitor)
    room, why = quotas.room(quotas.UPLOAD, quotas.UPLOAD_ALL, others)
    most, _ = quotas.room(quotas.RUNS, quotas.RUNS_ALL, other_runs)
    try:
        found = Workspace.parse(name, data, limit=max(room - sizes, 1), most=max(most - runs, 0))
    except ReadError as error:
        if "MiB" in error.expected and room - sizes < MAX_BYTES:
            error = ReadError(name, None, f"at most {why}", "more", "Remove a collection first.")
        raise error from None
    desks = {}
    for stored in found.collections:
        made = _desk_of(stored)
        if stored.beside:
            try:
                _beside_usual(name, stored, made)
            except IrmevalError as error:
                session.desk().refuse(error if isinstance(error, ReadError) else ReadError(name, None, "judges that fit", str(error)))
                continue
        desks[stored.name] = made
        for other in visitor.desks:
            if other.title == made.name and _same(other, made):
                _drop(other)
        made.name = visitor.called(made.name) if made.name else ""
        visitor.beside.append(made)
    if found.measures:
        visitor.measures = list(found.measures)
    visitor.parameters = visitor.parameters | {page: dict(values) for page, values in found.parameters.items()}
    if desks:
        session.open_desk(desks.get(found.open) or next(iter(desks.values())))
        st.session_state[session.ARRANGED]["measures"] = visitor.measures or list(form.MEASURES)


def _beside_usual(file: str, stored: Stored, made: Desk) -> None:
    """Have judges who stand beside what everybody sees take the place of those of the same names there; raises `IrmevalError` where
    everybody sees something else here, or they do not fit it."""
    usual, visitor = session.usual_name(), visitors.current()
    if stored.beside != usual:
        remedy = "Open it where that is shown."
        raise ReadError(file, None, f"collections, or judges beside {usual}", f"judges beside {shorten(stored.beside)}", remedy)
    judge_choice.with_others(made, session.shared(session.policy()).collection)
    before = visitor.bare()
    made.judges = before.judges | made.judges
    _drop(before)


def _same(one: Desk, other: Desk) -> bool:
    matrices = [desk.matrix and desk.matrix.fingerprint for desk in (one, other)]
    return fingerprint(one) == fingerprint(other) and matrices[0] == matrices[1]


def _drop(desk: Desk) -> None:
    """Drop a dataset."""
    visitor = visitors.current()
    if desk is visitor.desk:
        visitor.desk = next((other for other in visitor.desks if other is not desk), None) or Desk()
    visitor.beside = [other for other in visitor.beside if other not in (desk, visitor.desk)]


def _desk_of(stored: Stored) -> Desk:
    settings = {
        name: value
        for record in (stored.policy, stored.selection)
        for name, value in vars(record).items()
        if value != getattr(type(record)(), name)
    }
    runs = (*stored.runs.values(), *stored.held.values())
    return Desk(
        qrels=Judged(stored.qrels_name, Index(stored.qrels)) if stored.qrels else None,
        runs=dict(stored.runs),
        held_qrels=Judged(stored.held_name, Index(stored.held_qrels)) if stored.held_qrels else None,
        held=dict(stored.held),
        matrix=stored.matrix,
        unpacked=sum(run.documents.nbytes + 3 * run.score.nbytes for run in runs),
        uploader=1,
        name="" if stored.beside else stored.name,
        settings=settings | ({PINNED: list(stored.pinned)} if stored.pinned else {}),
        teams=dict(stored.teams),
        team_file=stored.team_file,
        notes=stored.notes,
        judges=dict(stored.judges),
    )


def _stored_of(desk: Desk) -> Stored:
    policy, selection = decided(desk.settings)
    return Stored(
        _title(desk),
        desk.qrels.index.qrels if desk.qrels else None,
        desk.qrels.name if desk.qrels else "",
        desk.runs,
        desk.held_qrels.index.qrels if desk.held_qrels else None,
        desk.held_qrels.name if desk.held_qrels else "",
        desk.held,
        desk.matrix,
        policy,
        selection,
        tuple(desk.settings.get(PINNED, ())),
        desk.teams,
        desk.team_file,
        desk.notes,
        desk.judges,
        "" if visitors.has_content(desk) else session.usual_name(),
    )


def _title(desk: Desk) -> str:
    """What it is called; where it stands for what everybody sees, as that is, or with a number where another collection has the name."""
    return desk.title if visitors.has_content(desk) else visitors.current().called(session.usual_name(), but=desk)


def workspace() -> Workspace:
    """The visitor's workspace: all that they have loaded and decided."""
    visitor = visitors.current()
    stored = tuple(_stored_of(desk) for desk in visitor.desks if visitors.has_content(desk) or desk.judges)
    names = [each.name for each in stored]
    opened = title if (title := _title(session.desk())) in names else next(iter(names), "")
    measures = distinct(st.session_state.get("chosen", ()))
    return Workspace(stored, opened, measures, {page: kept for page, kept in visitor.parameters.items() if kept})


def switch() -> None:
    """Where a visitor has collections of their own: which one is open, on every page, and a way to the others."""
    desks = visitors.current().desks
    if not any(map(visitors.has_content, desks)):
        return
    shown = {desk.key: desk.title for desk in desks if visitors.has_content(desk)} | {"": session.usual_name()}
    looked = session.desk()
    st.session_state[keys.COLLECTION] = looked.key if looked.key in shown else ""
    form.choose(
        "Collection",
        list(shown),
        format_func=lambda key: shown[key],
        key=keys.COLLECTION,
        bind=None,
        on_change=_switch,
        help="What every page works on. Each collection has its own policy, selection and pinned runs.",
    )


def _switch() -> None:
    visitor, key = visitors.current(), st.session_state[keys.COLLECTION]
    session.open_desk(next((desk for desk in visitor.desks if desk.key == key), None) or visitor.bare())


def manage(desk: Desk) -> None:
    """The name of the collection that is open, what can be done with it, and the last removal, which can be undone."""
    offer_undo()
    if not visitors.has_content(desk):
        if desk.judges:
            _save(desk)
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.session_state[keys.of(f"name-{desk.key}")] = desk.title  # another where qrels came to runs
        inputs.text("Name", name=f"name-{desk.key}", max_chars=MAX_NAME, on_change=_rename, args=(desk,), width=320)
        st.button("Remove this collection", key="remove", on_click=_remove, args=(desk,), help="It can be taken back.")
        _save(desk)
    with st.expander("Notes" if not desk.notes else f"Notes: {escape_markdown(desk.notes[:60])}"):
        st.session_state.setdefault(keys.of(f"notes-{desk.key}"), desk.notes)
        inputs.text(
            "Notes",
            name=f"notes-{desk.key}",
            draw=st.text_area,
            max_chars=MAX_NOTES,
            on_change=_note,
            args=(desk,),
            help="Saved with the collection.",
            label_visibility="collapsed",
        )


def offer_undo() -> None:
    """Say what was removed last, and draw a button that restores it."""
    visitor = visitors.current()
    if visitor.undo:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.info(f"{escape_markdown(visitor.removed)} removed.")
            st.button("Undo", key="undo", on_click=visitor.undo)


def _save(desk: Desk) -> None:
    st.download_button(
        "Save all in a file",
        workspace().to_bytes,  # of now: it is called where no visitor is known
        f"{slug(desk.title)[:40] or 'my'}{ENDING}",
        "application/zip",
        key="save",
        on_click="ignore",
        help="All your collections, with policy, selection, other judges, measures, parameters and notes. Drop the file here to have them "
        "again; every command takes it in place of QRELS RUN.",
    )


def _rename(desk: Desk) -> None:
    name = st.session_state[keys.of(f"name-{desk.key}")].strip()
    if is_name(name):
        desk.name = visitors.current().called(name, but=desk)
    st.session_state[keys.of(f"name-{desk.key}")] = desk.title


def _note(desk: Desk) -> None:
    desk.notes = st.session_state[keys.of(f"notes-{desk.key}")]


def _remove(desk: Desk) -> None:
    visitor = visitors.current()
    _drop(desk)
    session.open_desk(visitor.desk)

    def undo() -> None:
        visitor.beside.append(desk)
        visitor.undo = None
        session.open_desk(desk)

    visitor.undo, visitor.removed = undo, desk.title


def offer_removal(desk: Desk, ticked: Sequence[str]) -> None:
    """Draw a button that removes runs, where the visitor dropped them."""
    if desk.runs or desk.held:
        words = f"Remove {counted(len(ticked), 'run')} from this collection" if ticked else "Remove the runs that are ticked"
        st.button(words, key="remove_runs", disabled=not ticked, on_click=remove_runs, args=(desk, ticked))


def remove_runs(desk: Desk, runs: Sequence[str]) -> None:
    """Remove runs, in all tabs; this can be undone."""
    visitor, policy = visitors.current(), session.policy()
    files = [file for run, file in zip(session.base().collection.runs, desk.taken(policy), strict=True) if run in runs]
    gone = Desk(runs={name: desk.runs[name] for name in files if name in desk.runs})
    gone.held = {name: desk.held[name] for name in files if name in desk.held}
    if chosen := [run for run in parse_names(session.selection().runs_only, session.base().collection.runs) if run not in runs]:
        st.session_state["runs_only"] = visitor.shortened(names_text(chosen))
    before = desk.unpacked
    desk.remove(files)
    gone.unpacked = before - desk.unpacked

    def undo() -> None:
        desk.take(gone)
        visitor.undo = None

    visitor.undo, visitor.removed = undo, counted(len(files), "run")


def remove_judges(desk: Desk, names: Sequence[str]) -> None:
    """Remove further judges, in all tabs; this can be undone."""
    visitor, before = visitors.current(), dict(desk.judges)
    gone = [name for name in names if name in before]  # another tab may have removed them
    if not gone:
        return
    desk.judges, desk.told = {name: judge for name, judge in before.items() if name not in gone}, []

    def undo() -> None:
        desk.judges = before | desk.judges
        visitor.undo = None

    visitor.undo, visitor.removed = undo, gone[0] if len(gone) == 1 else counted(len(gone), "judge")
