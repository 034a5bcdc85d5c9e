"""Checks as text, JSON, JUnit XML or SARIF."""

import json
import os
from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

from irmeval.check import LEVELS, Check, Finding
from irmeval.check.shape import file_findings
from irmeval.core.tables import as_json
from irmeval.core.text import counted, one_line
from irmeval.core.version import __version__
from irmeval.reading import faults

MARKS = {"red": "WRONG", "amber": "odd", "green": "fine"}
ROWS = 10
"""Rows of a table in the text form."""
SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
SARIF_LEVELS = {"red": "error", "amber": "warning"}
"""Level of a finding -> level in SARIF; green findings are left out."""


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


def to_sarif(checks: Sequence[Check]) -> str:
    """A SARIF 2.1.0 log (OASIS 2020), which code scanning shows beside the lines of a file: a rule for each subject, and a result for each
    red or amber finding, with its file, and with its line if it has one."""
    reported = [(check, finding) for check in checks for finding in check.findings if finding.level in SARIF_LEVELS]
    rules = [*dict.fromkeys(_rule(finding) for _, finding in reported)]
    driver = {
        "name": "irmeval check",
        "semanticVersion": __version__,
        "rules": [{"id": rule, "shortDescription": {"text": rule.replace("-", " ")}} for rule in rules],
    }
    results = [_result(check, finding, rules) for check, finding in reported]
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": results}]}
    return json.dumps(log, indent=1, ensure_ascii=False) + "\n"


def _rule(finding: Finding) -> str:
    return finding.subject.replace(" ", "-")


def _result(check: Check, finding: Finding, rules: Sequence[str]) -> dict[str, Any]:
    lines = {of.what: fault.first.line for fault in check.faults for of in file_findings({fault.first.expected: fault}, None, "refuse")}
    place: dict[str, Any] = {"artifactLocation": {"uri": quote(os.fsencode(Path(check.file or check.name).as_posix()))}}
    if line := lines.get(finding.what):
        place["region"] = {"startLine": line}
    rule, text = _rule(finding), " ".join(filter(None, [f"{check.name}:", finding.what, finding.meaning, finding.remedy]))
    return {
        "ruleId": rule,
        "ruleIndex": rules.index(rule),
        "level": SARIF_LEVELS[finding.level],
        "message": {"text": text},
        "locations": [{"physicalLocation": place}],
    }


WRITERS: dict[str, Callable[[Sequence[Check], bool], str]] = {
    "text": as_text,
    "json": lambda checks, _: to_json(checks),
    "junit": lambda checks, _: to_junit(checks),
    "sarif": lambda checks, _: to_sarif(checks),
}
"""Format -> writer of checks. The second argument asks for tables; JSON always has them, JUnit and SARIF never."""
