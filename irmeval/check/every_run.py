"""Checks of every run of a collection compared with the others, from files or from
parsed runs.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, starmap
from pathlib import Path
from typing import NamedTuple

from irmeval.check import Check, ScoredRuns, check
from irmeval.check.finding import worst_first
from irmeval.check.shape import file_findings, judgment_findings
from irmeval.collection.base import assemble
from irmeval.collection.joining import Index, LinePlaces, Lists, name_runs, path_on_disk
from irmeval.core import parallel
from irmeval.core.errors import ReadError
from irmeval.core.registry import check_known
from irmeval.core.text import natural_key
from irmeval.metrics import Measure
from irmeval.reading.exclusions import take, take_judgments
from irmeval.reading.faults import Examined, examine, examine_texts
from irmeval.reading.files import list_files, read_bytes, unpack_one
from irmeval.reading.foreign import IRDS
from irmeval.reading.formats import AS_TOLD, FormatNames
from irmeval.reading.policy import Policy
from irmeval.reading.sources import apply_negative, read_qrels_file
from irmeval.reading.trec import Qrels, Run


class Checks(NamedTuple):
    """Checks of files. The check of the qrels is first, if they have errors or there
    are no runs.
    """

    names: tuple[str, ...]
    each: Iterator[Check]
    """in the order of the names, each as soon as it is done"""


def check_files(
    qrels: str | Path,
    runs: Iterable[str | Path],
    measures: Sequence[Measure],
    policy: Policy,
    only: Sequence[str] = (),
    *,
    formats: FormatNames = AS_TOLD,
) -> Checks:
    """Check every run, or only those in `only`, and compare them with all others.

    Raises
    ------
    ReadError
        If the qrels cannot be used at all, a path does not exist, or is named twice.
    UnknownName
        If there is no run of a name in `only`.
    """
    files = parallel.map_threads(
        lambda path: examine_texts(str(path), read_bytes(path), form=formats.run_format),
        list_files(runs),
    )
    found = [*chain.from_iterable(files)]
    return _checks(
        _judged(qrels, formats.qrels_format),
        found,
        [path_on_disk(name) for name, _ in found],
        measures,
        policy,
        only,
    )


def check_parsed(
    name: str,
    qrels: Qrels,
    runs: Mapping[str, Run],
    measures: Sequence[Measure],
    policy: Policy,
    only: Sequence[str] = (),
) -> Checks:
    """Check parsed qrels and runs, including the lines left out on parsing. `name` is
    that of the collection.
    """
    names = sorted(runs, key=natural_key)
    files = [(run, Examined.of(runs[run])) for run in names]
    return _checks((name, Examined.of(qrels)), files, names, measures, policy, only)


def _checks(
    qrels: tuple[str, Examined],
    files: list[tuple[str, Examined]],
    paths: list[str],
    measures: Sequence[Measure],
    policy: Policy,
    only: Sequence[str],
) -> Checks:
    name, judged = qrels
    found = tuple(judged.faults.values())
    if not isinstance(judged.sound, Qrels):
        raise found[0].first
    index = Index(apply_negative(take_judgments(judged.sound, policy), policy))
    # of the qrels once, not of each run again
    findings = [*file_findings(judged.faults, None, policy.repeated)]
    # without runs, what is odd about the judgments is told beside the qrels
    if not files:
        findings += judgment_findings(assemble(index.qrels, [], [], policy))
    of_qrels = [Check(name, worst_first(findings), {}, found, name)] if findings else []
    # named together with those that cannot be read, as every other command names them
    names = name_runs([*zip(paths, starmap(_tags_of, files), strict=True)])
    for one in only:
        check_known(one, names, "there is no run")
    runs = [(name, *file) for name, file in zip(names, files, strict=True)]
    joined = _join({name: examined for name, _, examined in runs}, index, policy)
    lists = {name: of_run for name, (of_run, _) in joined.items()}
    # all runs, also where few are checked: each is compared with the others
    field = ScoredRuns.joined(index, lists, measures, policy).prepare()
    wanted = [run for run in runs if not only or run[0] in only]

    def look(run: tuple[str, str, Examined]) -> Check:
        name, file, examined = run
        places = joined[name][1] if name in joined else None
        return check(examined, name, field, places=places)._replace(file=file)

    return Checks(
        (*(one.name for one in of_qrels), *(name for name, *_ in wanted)),
        chain(of_qrels, parallel.map_in_turn(look, wanted)),
    )


def _tags_of(file: str, examined: Examined) -> tuple[str, ...]:
    """The tags of a run; one that cannot be read is known by its file."""
    return examined.sound.tags if isinstance(examined.sound, Run) else (file,)


def _join(
    runs: Mapping[str, Examined], index: Index, policy: Policy
) -> dict[str, tuple[Lists, LinePlaces]]:
    """Lists of the runs by name, and the places of their lines, without runs that
    cannot be joined. Their own checks report why.
    """

    def join(examined: Examined) -> tuple[Lists, LinePlaces] | None:
        if not isinstance(examined.sound, Run):
            return None
        try:
            taken = take(examined.sound, policy)
            places = index.find(taken.run)
            lists = index.lists(taken.run, places, policy)
            return lists._replace(excluded=(taken.own, taken.listed)), places
        except ReadError:
            return None

    found = parallel.map_threads(join, runs.values())
    return {name: joined for name, joined in zip(runs, found, strict=True) if joined}


def _judged(path: str | Path, form: str) -> tuple[str, Examined]:
    """Name and parsed content of a qrels file."""
    if str(path).startswith(IRDS):
        return str(path), Examined(read_qrels_file(path), {})
    name, text = unpack_one(str(path), read_bytes(path), "qrels file")
    return name, examine(name, text, "qrels", form)
