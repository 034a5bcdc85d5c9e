"""Check whether a run can be trusted: what is odd about it, what that means, and what to do."""

from collections.abc import Callable, Container, Iterator, Mapping
from typing import NamedTuple

from irmeval.check import shape, standing, ties
from irmeval.check.field import Field
from irmeval.check.finding import LEVELS, Finding, worst_first, wrong
from irmeval.check.ranking import BY_SCORE, ranking_of
from irmeval.collection.base import qrels_of
from irmeval.core.errors import ReadError
from irmeval.core.lazy import pd
from irmeval.reading.faults import Examined
from irmeval.reading.trec import Fault, Run

__all__ = ["LEVELS", "Check", "Field", "Finding", "check", "qrels_of"]


class Tables(Mapping[str, "pd.DataFrame"]):
    """Tables by title. Those in `make` are computed when they are first used; those in `made` exist already."""

    def __init__(self, make: "dict[str, Callable[[], pd.DataFrame]]", made: "dict[str, pd.DataFrame]"):
        self._titles, self._make, self._made = (*make, *made), make, dict(made)

    def __getitem__(self, title: str) -> "pd.DataFrame":
        if title not in self._made:
            self._made[title] = self._make[title]()
        return self._made[title]

    def __iter__(self) -> Iterator[str]:
        return iter(self._titles)

    def __len__(self) -> int:
        return len(self._titles)


class Check(NamedTuple):
    """The findings about a run."""

    name: str
    findings: tuple[Finding, ...]
    """worst first"""
    tables: "Mapping[str, pd.DataFrame]"
    """the numbers behind them, by title"""
    faults: tuple[Fault, ...] = ()
    """faults of its file"""
    file: str = ""
    """path of its file; empty if unknown"""

    @property
    def level(self) -> str:
        """The worst level of all findings; green if there are none."""
        return self.findings[0].level if self.findings else "green"

    @property
    def scored(self) -> bool:
        """Whether the run can be scored: its file can be read, and shares topics with the qrels."""
        return bool(self.tables)

    def levels(self) -> dict[str, str]:
        """The worst level of the findings of each subject."""
        return {finding.subject: finding.level for finding in reversed(self.findings)}

    def only(self, subjects: Container[str]) -> "Check":
        """The check with the findings of these subjects."""
        return self._replace(findings=tuple(finding for finding in self.findings if finding.subject in subjects))

    def without(self, known: Container[Finding]) -> "Check":
        """The check without these findings."""
        return self._replace(findings=tuple(finding for finding in self.findings if finding not in known))

    def count(self, level: str) -> int:
        """The number of findings of a level."""
        return sum(finding.level == level for finding in self.findings)


def check(examined: Examined, name: str, field: Field, *, outside: Container[str] = ()) -> Check:
    """Check a run: its file, its lists, its scores, and how it compares with others.

    Parameters
    ----------
    examined : Examined
        The run as `irmeval.reading.faults.examine` read it.
    name : str
        Name of the run.
    field : Field
        The qrels, the policy, the measures, and the runs that it is compared with. If one of these has this name, it is this run.
    outside : topics, optional
        Topics of the run that are ignored without a finding.
    """
    run = examined.sound
    findings = list(shape.file_findings(examined.faults, run if isinstance(run, Run) else None, field.policy.repeated))
    tables = Tables({}, {})
    if isinstance(run, Run):
        try:
            more, tables = _joined(run._replace(name=name), field, outside)
            findings += more
        except ReadError as error:
            findings.append(wrong("topics", f"Expected {error.expected}, found {error.came}.", "The run cannot be scored.", error.remedy))
    return Check(name, worst_first(findings), tables, tuple(examined.faults.values()))


def _joined(run: Run, field: Field, outside: Container[str]) -> tuple[list[Finding], Tables]:
    """Findings and tables of a run that shares topics with the qrels."""
    index, policy = field.index, field.policy
    places = index.find(run)
    ranking = ranking_of(run, index, policy.order if policy.order in BY_SCORE else "trec_eval", places)
    scored = ranking if policy.order == ranking.order else ranking_of(run, index, policy.order, places)
    if run.name not in field.collection.runs:
        field = field.with_run(run.name, index.lists(run, places, policy.depth, policy.order))
    number, p = field.collection.runs.index(run.name), field.persistence
    others = field.others(number)
    tables = {
        "Ties": ties.tie_range(ranking, policy),
        "Judged": standing.judged_share(field, number),
        "To judge next": field.unjudged.table(number, p, others.size > 0),
        "Bounds": standing.bounds(scored, field, number),
        "Topics": standing.by_topic(scored, field, number),
    }
    findings = [
        *shape.topic_findings(ranking, policy, outside),
        shape.length_finding(ranking, policy, int(field.longest[others if others.size else [number]].max())),
        *shape.score_findings(ranking),
        shape.precision_finding(ranking, policy),
        shape.rank_finding(ranking, policy, lambda: ranking_of(run, index, "rank", places)),
        ties.tie_finding(ranking, policy, tables["Ties"]),
        *field.judgments,
        standing.judged_finding(tables["Judged"], int(field.longest.max())),
        standing.next_finding(tables["To judge next"], p),
        standing.bounds_finding(tables["Bounds"]),
    ]
    if same := standing.same_finding(field.same(number)):
        findings.append(same)
    if others.size:
        tables = {"Places": standing.place_table(field, number), **tables}
        findings.append(standing.standing_finding(tables["Places"], field, number))
        if far := standing.outlier_finding(tables["Topics"]):
            findings.append(far)
        return findings, Tables({"Standing": lambda: standing.ladder(field, number)}, tables)
    return findings, Tables({}, tables)
