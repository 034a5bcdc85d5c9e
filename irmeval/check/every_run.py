"""Check every run of a collection beside the others, from files or as it was read."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from irmeval.check import Check, check
from irmeval.check.finding import worst_first
from irmeval.check.shape import file_findings, judgment_findings
from irmeval.collection import Collection
from irmeval.collection.base import assemble
from irmeval.collection.joining import Index, Lists, name_runs
from irmeval.core.errors import ReadError
from irmeval.metrics import Measure
from irmeval.reading.faults import Examined, examine, examine_texts
from irmeval.reading.files import paths, read_bytes, stem, unpack_one
from irmeval.reading.foreign import IRDS
from irmeval.reading.judgments import apply_negative, read_qrels
from irmeval.reading.policy import Policy
from irmeval.reading.trec import QRELS, Qrels, Run
from irmeval.scoring.scores import Scores, evaluate
from irmeval.scoring.selection import subset


def check_files(qrels: str | Path, runs: Iterable[str | Path], measures: Sequence[Measure], policy: Policy) -> list[Check]:
    """Check every run beside the others. A check of the qrels comes first, if they have faults or there are no runs.

    Raises
    ------
    ReadError
        If the qrels cannot be used at all, or a path does not exist.
    """
    files = [text for path in paths(runs) for text in examine_texts(str(path), read_bytes(path))]
    return _checks(_judged(qrels), files, measures, policy)


def check_parsed(name: str, qrels: Qrels, runs: Mapping[str, Run], measures: Sequence[Measure], policy: Policy) -> list[Check]:
    """Check qrels, by the name of their collection, and runs that were read, with the lines that were left out when they were."""
    return _checks((name, Examined.of(qrels)), [(name, Examined.of(run)) for name, run in sorted(runs.items())], measures, policy)


def _checks(qrels: tuple[str, Examined], files: list[tuple[str, Examined]], measures: Sequence[Measure], policy: Policy) -> list[Check]:
    """The checks of qrels and files that were read."""
    name, judged = qrels
    found = tuple(judged.faults.values())
    if not isinstance(judged.sound, Qrels):
        raise found[0].first
    index = Index(apply_negative(judged.sound, policy))
    findings = [*file_findings(judged.faults, None, policy.repeated)]
    if not files:
        findings += judgment_findings(assemble(index.qrels, [], [], policy))
    of_qrels = [Check(name, worst_first(findings), {}, found, name)] if findings else []
    names = _names(files)
    joined: dict[str, Lists] = {}
    for name, (_, examined) in zip(names, files, strict=True):
        if isinstance(examined.sound, Run):
            try:
                joined[name] = index.join(examined.sound, policy.depth, policy.order)
            except ReadError:  # reported by the check of this run
                continue
    field = assemble(index.qrels, list(joined), list(joined.values()), policy) if joined else None
    scores = evaluate(field, measures) if field else None
    checks = []
    for name, (file, examined) in zip(names, files, strict=True):
        others = without_run(name, field, scores)
        found_of_run = check(examined, name, index, measures, policy=policy, collection=others[0], field=others[1])
        checks.append(found_of_run._replace(file=file))
    return of_qrels + checks


def without_run(name: str, collection: Collection | None, scores: Scores | None) -> tuple[Collection | None, Scores | None]:
    """A collection and its scores without one run; None if no other run is left."""
    if collection is None or scores is None or collection.runs == (name,):
        return None, None
    kept = np.flatnonzero(np.array(collection.runs) != name)
    left = subset(collection, kept, np.arange(len(collection.topics)))
    return left, Scores(scores.values[:, kept], scores.measures, left.runs, scores.topics)


def _judged(path: str | Path) -> tuple[str, Examined]:
    """The name and the content of a qrels file."""
    if str(path).startswith(IRDS):
        return str(path), Examined(read_qrels(path), {})
    name, text = unpack_one(str(path), read_bytes(path), "qrels file")
    return name, examine(name, text, QRELS)


def _names(files: list[tuple[str, Examined]]) -> list[str]:
    try:
        return name_runs([(stem(name), ex.sound.tags if isinstance(ex.sound, Run) else (stem(name),)) for name, ex in files])
    except ReadError:
        return [name for name, _ in files]
