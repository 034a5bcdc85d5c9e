"""Findings in SARIF 2.1.0 (OASIS 2020), which code scanning shows beside the lines of a file."""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from irmeval.check import Check, Finding
from irmeval.check.shape import file_findings
from irmeval.core.version import __version__

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
LEVELS = {"red": "error", "amber": "warning"}
"""Level of a finding -> level in SARIF; green findings are left out."""


def to_sarif(checks: Sequence[Check]) -> str:
    """A SARIF log: a rule for each subject, and a result for each red or amber finding, with its file, and with its line if it has
    one."""
    told = [(check, finding) for check in checks for finding in check.findings if finding.level in LEVELS]
    rules = [*dict.fromkeys(_rule(finding) for _, finding in told)]
    driver = {
        "name": "irmeval check",
        "semanticVersion": __version__,
        "rules": [{"id": rule, "shortDescription": {"text": rule.replace("-", " ")}} for rule in rules],
    }
    results = [_result(check, finding, rules) for check, finding in told]
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
        "level": LEVELS[finding.level],
        "message": {"text": text},
        "locations": [{"physicalLocation": place}],
    }
