"""Check files on disk, and write checks as text, JSON or JUnit XML."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from irmeval.check import LEVELS, Check, Finding, check
from irmeval.check.finding import worst_first
from irmeval.check.sarif import to_sarif
from irmeval.check.shape import file_findings, judgment_findings
from irmeval.collection import Collection
from irmeval.collection.base import assemble
from irmeval.collection.joining import Index, Lists, name_runs
from irmeval.core.errors import ReadError
from irmeval.core.tables import as_json
from irmeval.core.words import counted, one_line
from irmeval.metrics import Measure
from irmeval.reading import faults
from irmeval.reading.faults import Examined, examine_texts
from irmeval.reading.files import paths, read_bytes, stem
from irmeval.reading.foreign import IRDS
from irmeval.reading.judgments import apply_negative, read_qrels
from irmeval.reading.policy import Policy
from irmeval.reading.trec import QRELS, Qrels, Run
from irmeval.scoring.scores import Scores, evaluate
from irmeval.scoring.selection import subset

MARKS = {"red": "WRONG", "amber": "odd", "green": "fine"}
ROWS = 10
"""Rows of a table in the text form."""


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
    examined = examine_texts(str(path), read_bytes(path), QRELS)
    if len(examined) != 1:
        raise ReadError(str(path), None, "one qrels file", f"a zip of {len(examined)}")
    return examined[0]


def _names(files: list[tuple[str, Examined]]) -> list[str]:
    try:
        return name_runs([(stem(name), ex.sound.tags if isinstance(ex.sound, Run) else (stem(name),)) for name, ex in files])
    except ReadError:
        return [name for name, _ in files]


def as_text(checks: Sequence[Check], tables: bool) -> str:
    """The findings line by line, worst first, with the first rows of the tables below them if wanted. If several files have faults, a table
    of the kinds of faults comes first."""
    faulty = [check.faults for check in checks if check.faults]
    lines = [_text(check, tables) for check in checks]
    if len(faulty) > 1:
        lines.insert(0, f"{len(faulty)} of {counted(len(checks), 'file')} at fault:\n{faults.as_text(faults.group_faults(faulty))}\n")
    return "\n".join(lines)


def _text(check: Check, tables: bool) -> str:
    counts = ", ".join(f"{check.count(level)} {MARKS[level].lower()}" for level in LEVELS)
    lines = [f"{check.name}: {counts}", ""]
    for finding in check.findings:
        lines.append(f"{MARKS[finding.level]:<6}{finding.subject}: {finding.what}")
        lines += [f"      {text}" for text in (finding.meaning, finding.remedy and f"-> {finding.remedy}") if text]
    if tables:
        for title, frame in check.tables.items():
            lines += ["", f"{title}{f' (first {ROWS} of {len(frame):,})' if len(frame) > ROWS else ''}"]
            lines.append(frame.head(ROWS).to_string(index=False, float_format=lambda value: f"{value:.4f}"))
    return "\n".join([*lines, ""])


def to_json(checks: Sequence[Check]) -> str:
    """A JSON list of objects with name, level, findings and complete tables."""
    listed: list[dict[str, Any]] = [
        {
            "name": check.name,
            "level": check.level,
            "findings": [Finding._asdict(finding) for finding in check.findings],
            "tables": {title: json.loads(as_json(frame)) for title, frame in check.tables.items()},
        }
        for check in checks
    ]
    return json.dumps(listed, indent=1, ensure_ascii=False) + "\n"


def to_junit(checks: Sequence[Check]) -> str:
    """JUnit XML, which continuous integration shows as tests: a suite per run, a test per finding. A red finding fails; an amber one
    passes, with its text as output."""
    suites = "".join(_suite(check) for check in checks)
    tests, failures = sum(len(check.findings) for check in checks), sum(check.count("red") for check in checks)
    whole = f'<testsuites name="irmeval check" tests="{tests}" failures="{failures}">{suites}\n</testsuites>'
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{whole}\n'


def _suite(check: Check) -> str:
    name = _attribute(check.name)
    cases = "".join(
        f'\n  <testcase classname="{name}" name="{_attribute(finding.subject)}: {_attribute(finding.what)}">{_outcome(finding)}</testcase>'
        for finding in check.findings
    )
    return f'\n <testsuite name="{name}" tests="{len(check.findings)}" failures="{check.count("red")}">{cases}\n </testsuite>'


def _outcome(finding: Finding) -> str:
    said = _attribute(" ".join(filter(None, [finding.meaning, finding.remedy])))
    if finding.level == "red":
        return f'<failure message="{_attribute(finding.what)}">{said}</failure>'
    return f"<system-out>{said}</system-out>" if finding.level == "amber" else ""


def _attribute(text: str) -> str:
    return escape(one_line(text))


WRITERS: dict[str, Callable[[Sequence[Check], bool], str]] = {
    "text": as_text,
    "json": lambda checks, _: to_json(checks),
    "junit": lambda checks, _: to_junit(checks),
    "sarif": lambda checks, _: to_sarif(checks),
}
"""Format -> writer of checks. The second argument asks for tables; JSON always has them, JUnit and SARIF never."""
