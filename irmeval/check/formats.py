"""Checks as JSON, JUnit XML or SARIF."""

import json
import os
from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

from irmeval.check import Check, CheckFinding
from irmeval.check.finding import rule_name
from irmeval.check.shape import file_findings
from irmeval.check.text_report import describe_effect, rank
from irmeval.core.tables import as_json
from irmeval.core.text import one_line
from irmeval.core.version import __version__

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def to_json(checks: Sequence[Check]) -> str:
    """A JSON list of objects with name, level, the measure on whose mean effects are,
    findings and complete tables.
    """
    listed: list[dict[str, Any]] = [
        {
            "name": check.name,
            "level": check.level,
            "measure": check.measure,
            "findings": [finding._asdict() for finding in check.findings],
            "tables": {title: json.loads(as_json(frame)) for title, frame in check.tables.items()},
        }
        for check in checks
    ]
    return json.dumps(listed, indent=1, ensure_ascii=False) + "\n"


def to_junit(checks: Sequence[Check]) -> str:
    """JUnit XML, which continuous integration shows as tests: a suite per run, a test
    per finding. Errors fail; warnings and notes pass, with their text as output.
    """
    suites = "".join(_suite(check) for check in checks)
    tests, failures = (
        sum(len(check.findings) for check in checks),
        sum(check.count("error") for check in checks),
    )
    whole = (
        f'<testsuites name="irmeval check" tests="{tests}"'
        f' failures="{failures}">{suites}\n</testsuites>'
    )
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{whole}\n'


def _suite(check: Check) -> str:
    name = _attribute(check.name)
    cases = "".join(
        f'\n  <testcase classname="{name}"'
        f' name="{_attribute(f"{one.subject}: {one.what}")}">{_outcome(check, one)}</testcase>'
        for one in check.findings
    )
    return (
        f'\n <testsuite name="{name}" tests="{len(check.findings)}"'
        f' failures="{check.count("error")}">{cases}\n </testsuite>'
    )


def _outcome(check: Check, finding: CheckFinding) -> str:
    said = _attribute(
        " ".join(filter(None, [finding.meaning, finding.remedy, describe_effect(check, finding)]))
    )
    if finding.level == "error":
        return f'<failure message="{_attribute(finding.what)}">{said}</failure>'
    return f"<system-out>{finding.level}: {said}</system-out>"


def _attribute(text: str) -> str:
    return escape(one_line(text))


def to_sarif(checks: Sequence[Check]) -> str:
    """A SARIF 2.1.0 log (OASIS 2020), which code scanning shows next to lines of a
    file: a rule for each subject, and a result for each finding, with its level, file,
    and line if it has one.
    """
    reported = rank(checks)
    rules = [*dict.fromkeys(rule_name(finding.subject) for _, finding in reported)]
    driver = {
        "name": "irmeval check",
        "semanticVersion": __version__,
        "rules": [
            {"id": kind, "shortDescription": {"text": kind.replace("-", " ")}} for kind in rules
        ],
    }
    results = [_result(check, finding, rules) for check, finding in reported]
    log = {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results}],
    }
    return json.dumps(log, indent=1, ensure_ascii=False) + "\n"


def _result(check: Check, finding: CheckFinding, rules: Sequence[str]) -> dict[str, Any]:
    lines = {
        of.what: fault.first.line
        for fault in check.faults
        for of in file_findings({fault.first.expected: fault}, None, "refuse")
    }
    place: dict[str, Any] = {
        # as bytes: the name of a file need not be text
        "artifactLocation": {"uri": quote(os.fsencode(Path(check.file or check.name).as_posix()))}
    }
    if line := lines.get(finding.what):
        place["region"] = {"startLine": line}
    kind, effect = rule_name(finding.subject), describe_effect(check, finding)
    text = " ".join(
        filter(None, [f"{check.name}:", finding.what, finding.meaning, finding.remedy, effect])
    )
    return {
        "ruleId": kind,
        "ruleIndex": rules.index(kind),
        "level": finding.level,
        "message": {"text": text},
        "locations": [{"physicalLocation": place}],
    }


WRITERS: dict[str, Callable[[Sequence[Check]], str]] = {
    "json": to_json,
    "junit": to_junit,
    "sarif": to_sarif,
}
"""Writers of checks by format."""
