"""Check whether a run can be trusted: what is odd about it, what that means, and what to do."""

from collections.abc import Container, Sequence
from typing import TYPE_CHECKING, NamedTuple

from irmeval.check import shape, standing, ties
from irmeval.check.finding import LEVELS, Finding, worst_first, wrong
from irmeval.check.ranking import BY_SCORE, Ranking, ranking_of
from irmeval.collection import Collection
from irmeval.collection.base import assemble, qrels_of
from irmeval.collection.joining import Index
from irmeval.core.errors import ReadError
from irmeval.metrics import Measure, distinct
from irmeval.reading.faults import Examined
from irmeval.reading.policy import Policy
from irmeval.reading.trec import Fault, Run
from irmeval.scoring.judge_next import PERSISTENCE
from irmeval.scoring.scores import Scores, evaluate

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["LEVELS", "Check", "Finding", "check", "qrels_of"]


class Check(NamedTuple):
    """The findings about a run."""

    name: str
    findings: tuple[Finding, ...]
    """worst first"""
    tables: "dict[str, pd.DataFrame]"
    """the numbers behind them, by title"""
    faults: tuple[Fault, ...] = ()
    """faults of its file"""
    file: str = ""
    """path of its file; empty if not known"""

    @property
    def level(self) -> str:
        """The worst level of all findings."""
        return self.findings[0].level

    def count(self, level: str) -> int:
        """The number of findings of a level."""
        return sum(finding.level == level for finding in self.findings)


def check(
    examined: Examined,
    name: str,
    index: Index,
    measures: Sequence[str | Measure],
    *,
    policy: Policy,
    field: Scores | None = None,
    collection: Collection | None = None,
    outside: Container[str] = (),
) -> Check:
    """Check a run: its file, its lists, its scores, and how it compares with others.

    Parameters
    ----------
    examined : Examined
        The run as `irmeval.reading.faults.examine` read it.
    name : str
        What to call it.
    index : Index
        The qrels.
    measures : texts or measures
        The first is the one by which runs are ranked.
    policy : Policy
        How lists are ordered and cut, and means taken.
    field, collection : Scores and Collection, optional
        Other runs, under the same policy, and their scores by the same measures.
    outside : topics, optional
        Topics of the run that are left out without a finding.
    """
    run = examined.sound
    findings = list(shape.file_findings(examined.faults, run if isinstance(run, Run) else None, policy.repeated))
    tables: dict[str, pd.DataFrame] = {}
    if isinstance(run, Run):
        try:
            run = run._replace(name=name)
            ranking = ranking_of(run, index, policy.order if policy.order in BY_SCORE else "trec_eval")
            more, tables = _joined(ranking, index, distinct(measures), policy, field, collection, outside)
            findings += more
        except ReadError as error:
            findings.append(wrong("topics", f"Expected {error.expected}, came {error.came}.", "The run cannot be scored.", error.remedy))
    return Check(name, worst_first(findings), tables, tuple(examined.faults.values()))


def _joined(
    ranking: Ranking,
    index: Index,
    measures: tuple[Measure, ...],
    policy: Policy,
    field: Scores | None,
    collection: Collection | None,
    outside: Container[str],
) -> "tuple[list[Finding], dict[str, pd.DataFrame]]":
    """Findings and tables of a run that shares topics with the qrels."""
    run = ranking.run
    reordered: Ranking | ReadError
    try:
        reordered = ranking_of(run, index, "rank")
    except ReadError as error:
        reordered = error
    scored = ranking if policy.order == ranking.order else ranking_of(run, index, policy.order)
    own = assemble(index.qrels, [run.name], [index.join(run, policy.depth, policy.order)], policy)
    mine = evaluate(own, measures)
    p = next((float(m.params["p"]) for m in measures if "p" in m.params), PERSISTENCE)
    tables = {
        "Ties": ties.tie_range(ranking, policy),
        "Judged": standing.judged_share(own, collection),
        "To judge next": standing.judge_next(own, p, collection),
        "Bounds": standing.bounds(scored, policy, measures),
        "Topics": standing.by_topic(scored, mine, field),
    }
    findings = [
        *shape.topic_findings(ranking, policy, outside),
        shape.length_finding(ranking, policy, collection),
        *shape.score_findings(ranking),
        shape.precision_finding(ranking, policy),
        shape.rank_finding(ranking, policy, reordered),
        ties.tie_finding(ranking, policy, tables["Ties"]),
        *shape.judgment_findings(own),
        standing.judged_finding(tables["Judged"]),
        standing.next_finding(tables["To judge next"], p),
        standing.bounds_finding(tables["Bounds"]),
    ]
    if collection is not None and (same := standing.same_finding(own, collection)):
        findings.append(same)
    if field is not None:
        tables = {"Standing": standing.ladder(mine, field), "Places": standing.place_table(mine, field), **tables}
        findings.append(standing.standing_finding(tables["Places"], tables["Standing"]))
        if far := standing.outlier_finding(tables["Topics"]):
            findings.append(far)
    return findings, tables
