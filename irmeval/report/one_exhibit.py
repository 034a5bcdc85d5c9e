"""Exhibits of a paper as text: a list of all of them, and those that a table or figure
belongs to.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from irmeval.collection import Collection
from irmeval.core import terminal
from irmeval.core.errors import ParamError
from irmeval.core.lazy import pd
from irmeval.core.text import count_noun, list_all, shorten
from irmeval.experiments import EXPERIMENTS
from irmeval.papers.base import (
    Exhibit,
    Paper,
    comparable_topics,
    describe_left_out,
    describe_reading,
    deviations,
    holding,
    printed_of,
    tables_of,
)
from irmeval.papers.exhibits import NO_OVERRIDES, Overrides, Remade, answer_findings, make
from irmeval.papers.findings import MARKS, Outcome
from irmeval.report import printed as prints
from irmeval.report.wide import of_frame


def list_exhibits(paper: Paper) -> str:
    """A table with a row for each exhibit: label, title, number of findings."""
    asked = [finding.exhibit for finding in paper.findings.values()]
    rows = [(one.label, one.title, asked.count(one.label)) for one in paper.exhibits]
    frame = pd.DataFrame(rows, columns=["exhibit", "shows", "findings"])
    return prints.text(of_frame(frame, paper.reference))


def find_exhibits(paper: Paper, label: str) -> list[Exhibit]:
    """The exhibits with this label, or else those that a table or figure belongs to.

    Raises `ParamError` if there is none.
    """
    found = holding(paper.labels, label)
    if not found:
        known = list_all(paper.labels)
        raise ParamError(f"exhibit: expected one of {known}, found {shorten(label)}.")
    return [exhibit for exhibit in paper.exhibits if exhibit.label in found]


def write_exhibits(
    paper: Paper,
    exhibits: Sequence[Exhibit],
    collection: Collection,
    *,
    overrides: Overrides = NO_OVERRIDES,
    team: Mapping[str, str] | None = None,
    progress: Any = None,
) -> str:
    """The exhibits on a collection as text: how each differs from the paper, its
    findings with their verdicts, and its tables.
    """
    labels = {exhibit.label for exhibit in exhibits}
    made = make(paper, collection, overrides, team=team, labels=labels, progress=progress)
    return "\n".join("\n".join(_lines(paper, one)) for one in made)


def _lines(paper: Paper, made: Remade) -> Iterator[str]:
    exhibit = made.exhibit
    yield f"{paper.title}, {exhibit.label}: {exhibit.title}"
    if made.result is None:
        yield terminal.escape(f"Not available on this collection: {made.error}")
        return
    collection = made.runs.collection
    # one on artificial lists has no runs
    if EXPERIMENTS[exhibit.experiment].data:
        worked = comparable_topics(paper, exhibit, collection)
        runs = count_noun(len(worked.runs), "run")
        yield f"{runs}. The paper: {exhibit.selects or paper.selects}"
        yield from filter(None, [made.runs.instead, describe_left_out(worked, collection)])
    differs = deviations(paper, exhibit, collection, made.result.params)
    yield from filter(None, [differs, describe_reading(exhibit)])
    for claim, here in answer_findings(paper, made).items():
        yield from describe_answer(claim, paper.findings[claim].published, here)
    yield ""
    printed = printed_of(paper, exhibit, made.result)
    if printed:
        yield from (f"{table.label}\n{prints.text(table)}" for table in printed)
    else:
        table = tables_of(exhibit, made.result)[0]
        yield prints.text(of_frame(table.make(), f"{table.title}."))


def describe_answer(claim: str, published: str, here: Outcome) -> Iterator[str]:
    """Lines on a finding: its verdict with a mark, what is published, what is here."""
    yield f"{MARKS[here.verdict]} {here.verdict}: {claim}."
    yield f"    published: {published}; here: {here.here}"
    # without an interval, the line above gives the reason in place of numbers
    if here.why and here.interval:
        yield f"    open: {here.why}"
