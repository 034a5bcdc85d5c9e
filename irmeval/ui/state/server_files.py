"""Files that the operator gives on the command line, read once for all visitors."""

import functools
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeVar

import click
import streamlit as st

from irmeval.collection import Collection
from irmeval.collection.shards import read_runs
from irmeval.collection.watched import Snapshot, Watched
from irmeval.core import parallel
from irmeval.core.errors import Cancelled, ReadError
from irmeval.core.folders import SAMPLE
from irmeval.core.text import count_noun
from irmeval.reading import files
from irmeval.reading.faults import rename_files
from irmeval.reading.formats import AS_TOLD, AUTO, FormatNames, formats_of
from irmeval.reading.policy import Policy
from irmeval.ui.state import cache
from irmeval.ui.state.dataset import Dataset
from irmeval.ui.state.mailboxes import REDRAW
from irmeval.ui.state.naming import distinctive
from irmeval.ui.state.view import Loaded

T = TypeVar("T")

LOOK = 0.1
"""Seconds between two updates of the progress bar."""
PATH = click.Path(path_type=Path)
FLAGS = click.Command(
    "app.py",
    params=[
        click.Option(["--qrels"], type=PATH),
        click.Option(["--runs"], type=PATH, multiple=True),
        click.Option(["--watch"], is_flag=True),
        *(
            click.Option(
                [f"--{kind}-format"], type=click.Choice((AUTO, *formats_of(kind))), default=AUTO
            )
            for kind in ("qrels", "run")
        ),
    ],
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
)
"""Flags of ``streamlit run app.py -- --qrels Q --runs FOLDER --runs FOLDER``."""


class Named(NamedTuple):
    """Files given by the operator: all or nothing. Nobody else can give paths on the
    server.
    """

    qrels: Path | None
    runs: tuple[Path, ...]
    watch: bool
    formats: FormatNames


def named_files() -> Named:
    """Files on this server's command line. Raises `ReadError` if some are missing."""
    return _parsed(tuple(sys.argv[1:]))


@functools.cache
def _parsed(words: tuple[str, ...]) -> Named:
    found = FLAGS.make_context("streamlit run app.py --", [*words])
    formats = FormatNames(**{name: found.params.pop(name) for name in FormatNames._fields})
    named = Named(**found.params, formats=formats)
    if bool(named.qrels) != bool(named.runs):
        raise ReadError(
            "streamlit run app.py --", None, "both --qrels FILE and --runs FOLDER", "one of them"
        )
    if named.qrels and found.args:
        raise ReadError("streamlit run app.py --", None, "--runs before each folder", found.args[0])
    return named


def watched_files() -> tuple[Path, tuple[Path, ...], FormatNames] | None:
    """Qrels, runs and their formats that this server watches, if any."""
    given = named_files()
    if given.qrels is None or not given.watch:
        return None
    return given.qrels, given.runs, given.formats


def shared_collection(policy: Policy) -> Loaded[Collection]:
    """Collection that all visitors see, under a policy: the operator's files, or else
    the sample.
    """
    return Loaded(_read_shared(policy), shared_name(), synthetic=serves_sample())


def _read_shared(policy: Policy) -> Collection:
    given = named_files()
    if watched := watched_files():
        return read_watched(*watched, policy).collection
    if given.qrels:
        scheduler = parallel.default_scheduler()
        return collection(given.qrels, given.runs, policy, scheduler, given.formats)
    return sample(policy)


def serves_sample() -> bool:
    """Whether the collection that all visitors see is the sample."""
    return named_files().qrels is None


def shared_name() -> str:
    """Name of the collection that all visitors see."""
    qrels = named_files().qrels
    if qrels is None:
        return "Sample collection"
    return f"{_name_of(qrels)} on this server"


@functools.cache
def _name_of(qrels: Path) -> str:
    """Name of a file on this server, or of its folder; cached, since pages ask
    often.
    """
    names = distinctive(qrels.name), distinctive(qrels.resolve().parent.name), qrels.name
    return next(filter(None, names))


def title_of(dataset: Dataset) -> str:
    """Title of a dataset; without content it stands for the collection that all
    visitors see.
    """
    if dataset.has_content:
        return dataset.title
    return shared_name()


def run_files(policy: Policy) -> list[Path]:
    """Run files on this server, in the order of the runs of the shared collection."""
    watched = watched_files()
    if watched:
        return [*read_watched(*watched, policy).files]
    return files.list_files(named_files().runs or [SAMPLE / "runs"])


def _state(qrels: Path, runs: tuple[Path, ...]) -> tuple[tuple[int, int], ...]:
    looked = REDRAW.get().looked
    if (qrels, runs) not in looked:
        looked[qrels, runs] = tuple(
            files.file_state(path) for path in (qrels, *files.list_files(runs))
        )
    return looked[qrels, runs]


def collection(
    qrels: Path,
    runs: tuple[Path, ...],
    policy: Policy,
    scheduler: str = "",
    formats: FormatNames = AS_TOLD,
) -> Collection:
    """Collection from the operator's files, on the workers of a scheduler if one is
    given. Raises `ReadError` for files that cannot be used, without the server's
    folders.
    """
    try:
        state = _state(qrels, runs)
    except ReadError as error:  # an empty folder
        raise _without_folder(error) from None
    key = "_read", qrels, runs, policy, state, scheduler, formats
    made = cache.store().get_or_make(
        key, lambda: _read(qrels, runs, policy, scheduler, formats), base=True
    )
    if isinstance(made, ReadError):
        # a copy, since a raised error keeps all frames that it passed alive
        raise rename_files(made, str)
    return made


def sample(policy: Policy) -> Collection:
    """The sample collection, whose files nobody changes while this server runs."""
    files = SAMPLE / "qrels.txt.gz", (SAMPLE / "runs",)
    key = "_read", "sample", policy
    made = cache.store().get_or_make(key, lambda: _read(*files, policy, "", AS_TOLD), base=True)
    assert isinstance(made, Collection)
    return made


@functools.cache
def watched(qrels: Path, runs: tuple[Path, ...], formats: FormatNames) -> Watched:
    """Watcher of the operator's files; one for all visitors."""
    return Watched(qrels, runs, formats=formats)


def read_watched(
    qrels: Path, runs: tuple[Path, ...], formats: FormatNames, policy: Policy
) -> Snapshot:
    """Content of the watched files under a policy; errors give files without folders.
    Raises `ReadError` if none can be used.
    """
    held = watched(qrels, runs, formats)
    try:
        if held.ready(policy):
            found = held.seen(policy, None)
        else:
            found = _with_bar(partial(held.seen, policy))
    except ReadError as error:
        raise _without_folder(error) from None
    return found._replace(refused=tuple(map(_without_folder, found.refused)))


def _read(
    qrels: Path, runs: tuple[Path, ...], policy: Policy, scheduler: str, formats: FormatNames
) -> Collection | ReadError:
    """Read a collection. Errors are returned, and so cached too, since finding all
    errors takes longer than reading.
    """
    try:
        return _with_bar(
            lambda tell: read_runs(
                qrels, runs, scheduler, **formats._asdict(), progress=tell, **asdict(policy)
            )
        )
    except ReadError as error:
        return _without_folder(error)


def _with_bar(read: Callable[[Callable[[int, int], None]], T]) -> T:
    """Result of read(progress), which any thread may call; a bar shows the number of
    files read meanwhile.
    """
    place = REDRAW.get().bar or st
    bar, seen, left = place.progress(0.0, "Reading the collection ..."), (0, 1), False

    def tell(done: int, total: int) -> None:
        nonlocal seen
        seen = done, total
        if left:
            raise Cancelled("Stopped.")

    with ThreadPoolExecutor(1) as worker:
        reading = worker.submit(read, tell)
        try:
            while not wait([reading], LOOK).done:
                done, total = seen
                bar.progress(
                    done / total,
                    f"Reading the collection: {done:,} of {count_noun(total, 'run file')}",
                )
            bar.empty()
        finally:  # the page may be left
            left = True
    return reading.result()


def _without_folder(error: ReadError) -> ReadError:
    return rename_files(error, lambda name: Path(name).name)
