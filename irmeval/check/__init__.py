"""Checks of runs: errors and differences from other runs, their meaning, and
remedies.
"""

from collections.abc import Callable, Container, Iterator, Mapping
from functools import cache
from typing import NamedTuple

import numpy as np

from irmeval.check import shape, standing
from irmeval.check.field import ScoredRuns
from irmeval.check.finding import LEVELS, CheckFinding, error, note, worst_first
from irmeval.check.ranking import BY_SCORE, Ranking, ranking_of, tie_finding, tie_range
from irmeval.collection.base import qrels_of
from irmeval.collection.joining import LinePlaces
from irmeval.core.errors import ReadError
from irmeval.core.lazy import pd
from irmeval.reading.exclusions import take
from irmeval.reading.faults import Examined
from irmeval.reading.lines import is_integer
from irmeval.reading.trec import Fault, Run
from irmeval.scoring.scores import evaluate

__all__ = ["LEVELS", "Check", "CheckFinding", "ScoredRuns", "check", "qrels_of"]


class Check(NamedTuple):
    """Findings about a run."""

    name: str
    findings: tuple[CheckFinding, ...]
    """worst first"""
    tables: "Mapping[str, pd.DataFrame]"
    """tables behind the findings, by title"""
    faults: tuple[Fault, ...] = ()
    """errors of its file"""
    file: str = ""
    """path of its file; empty if unknown"""
    measure: str = ""
    """measure of effects: the first one"""

    @property
    def level(self) -> str:
        """Worst level of all findings; a note if there are none."""
        return self.findings[0].level if self.findings else LEVELS[-1]

    @property
    def scored(self) -> bool:
        """Whether the run can be scored: its file can be read, and shares topics with
        the qrels.
        """
        return bool(self.tables)

    def only(self, subjects: Container[str]) -> "Check":
        """The check with only the findings of these subjects."""
        return self._replace(
            findings=tuple(finding for finding in self.findings if finding.subject in subjects)
        )

    def without(self, known: Container[CheckFinding]) -> "Check":
        """The check without these findings."""
        return self._replace(
            findings=tuple(finding for finding in self.findings if finding not in known)
        )

    def count(self, level: str) -> int:
        """Number of findings of a level."""
        return sum(finding.level == level for finding in self.findings)


def check(
    examined: Examined,
    name: str,
    field: ScoredRuns,
    *,
    outside: Container[str] = (),
    places: LinePlaces | None = None,
) -> Check:
    """Check a run: its file, its lists, its scores, and its place among other runs.

    Parameters
    ----------
    examined : Examined
        The run as `irmeval.reading.faults.examine` read it.
    name : str
        Name of the run.
    field : Field
        The qrels, the policy, the measures, and the runs that it is compared with. If
        one of these has this name, it is this run.
    outside : topics, optional
        Topics of the run that are ignored without a finding.
    places : Places, optional
        The places of its lines in the qrels, if they are known.
    """
    run = examined.sound
    findings = list(
        shape.file_findings(
            examined.faults, run if isinstance(run, Run) else None, field.policy.repeated
        )
    )
    tables: dict[str, pd.DataFrame] = {}
    if isinstance(run, Run):
        try:
            more, tables = _joined(run._replace(name=name), field, outside, places)
            findings += more
        except ReadError as refused:
            what = f"Expected {refused.expected}, found {refused.came}."
            # a run that cannot be joined still has the findings of its file
            findings.append(error("topics", what, "The run cannot be scored.", refused.remedy))
    return Check(
        name,
        worst_first(findings),
        tables,
        tuple(examined.faults.values()),
        measure=str(field.measures[0]),
    )


def _joined(
    run: Run, field: ScoredRuns, outside: Container[str], places: LinePlaces | None
) -> "tuple[list[CheckFinding], dict[str, pd.DataFrame]]":
    """Findings and tables of a run that shares topics with the qrels."""
    index, policy = field.index, field.policy
    run = take(run, policy).run
    places = places or index.find(run)

    @cache
    def ordered(by: str) -> Ranking:
        return ranking_of(run, index, by, places)

    ranking, scored = (
        ordered(policy.order if policy.order in BY_SCORE else BY_SCORE[0]),
        ordered(policy.order),
    )
    if run.name not in field.collection.runs:
        # a run from elsewhere is compared with the others as one of them
        field = field.with_run(run.name, index.lists(run, places, policy))
    number, p = field.collection.runs.index(run.name), field.persistence
    others = field.others(number)
    tables = {
        "Ties": tie_range(ranking, policy, field.measures[0]),
        "Judged": standing.judged_share(field, number),
        "To judge next": field.unjudged.table(number, p, others.size > 0),
        "Topics": standing.by_topic(scored, field, number),
    }
    found = [
        *_of_order(ordered, ranking, scored, field, number),
        tie_finding(ranking, policy, tables["Ties"], field.measures[0]),
        *_of_lists(ranking, field, number, outside),
        *shape.judgment_findings(field.collection),
        standing.judged_finding(
            tables["Judged"], field.judged[0, others], int(field.longest.max())
        ),
        standing.next_finding(tables["To judge next"], p),
        standing.bounds_finding(field, number),
        standing.same_finding(field.same(number)),
    ]
    if not others.size:
        return [*filter(None, found)], tables
    tables = {
        "Standing": standing.ladder(field, number),
        "Places": standing.place_table(field, number),
        **tables,
    }
    found += [
        standing.unjudged_finding(field),
        standing.standing_finding(tables["Places"], field, number),
        standing.outlier_finding(
            tables["Topics"], field.lost_far_below[number], field.lost_far_below[others]
        ),
    ]
    return [*filter(None, found)], tables


def _of_order(
    ordered: Callable[[str], Ranking],
    ranking: Ranking,
    scored: Ranking,
    field: ScoredRuns,
    number: int,
) -> Iterator[CheckFinding | None]:
    """Findings about scores and ranks, with the change in the mean of the first measure
    under another order of the lists.
    """
    policy, now = field.policy, float(field.means[0, number])
    single_ties = shape.count_single_ties(ranking)
    # each other order costs a sort and scores, and matters for ties of single precision
    # alone
    orders = [policy.order, *(BY_SCORE if single_ties.any() else [ranking.order])]
    if policy.order in BY_SCORE:
        orders.append("file")
    unranked = _first_unranked(ordered, ranking)
    if not unranked:
        orders.append("rank")
    mean = _means_by_order({by: ordered(by) for by in orders}, field, now)
    by_lines = mean.get("file", now) - now
    if np.isnan(by_lines):  # no topic has a score
        by_lines = 0.0
    yield from shape.score_findings(ranking, ordered("file").score, by_lines)
    if single_ties.any():
        single, double = (mean[by] for by in BY_SCORE)
        effect = single - double
        if policy.order == BY_SCORE[0]:
            effect = double - single
        yield shape.precision_finding(single_ties, policy, effect)
    if unranked:
        yield note(
            "ranks",
            f"The rank column contains a value that is not a whole number: {unranked}.",
            "Lists are not sorted by it.",
        )
    else:
        yield shape.rank_finding(
            ranking, policy, str(field.measures[0]), mean[ranking.order], mean["rank"]
        )


def _first_unranked(ordered: Callable[[str], Ranking], ranking: Ranking) -> str:
    """The first value of the rank column that is no whole number; empty if lists can be
    ordered by it.
    """
    try:
        ordered("rank")
    except ReadError:
        return next(text for text in ranking.run.rank.to_pylist() if not is_integer(text))
    return ""


def _means_by_order(
    rankings: Mapping[str, Ranking], field: ScoredRuns, now: float
) -> dict[str, float]:
    """Mean of the first measure under each order of a run's lists; under the first
    order it is `now`. Equal lists are scored once.
    """
    # most orders give the same lists, whose scores are known
    different: list[Ranking] = []
    place = {}
    for by, ranking in rankings.items():
        place[by] = next(
            (i for i, other in enumerate(different) if np.array_equal(ranking.line, other.line)),
            len(different),
        )
        if place[by] == len(different):
            different.append(ranking)
    _, *others = different
    means = [now]
    if others:
        alone = others[0].collection(
            field.policy, *(ranking.judgment_index for ranking in others[1:])
        )
        means += evaluate(alone, field.measures[:1]).means[0].tolist()
    return {by: means[i] for by, i in place.items()}


def _of_lists(
    ranking: Ranking, field: ScoredRuns, number: int, outside: Container[str]
) -> Iterator[CheckFinding | None]:
    """Findings about topics and lengths of lists."""
    scores, there = field.scores.values[0, number], ranking.length > 0
    known = scores[there & ~np.isnan(scores)]
    lost = float(known.mean() - field.means[0, number]) if known.size else 0.0
    yield from shape.topic_findings(ranking, field.policy, outside, lost)
    others = field.others(number)
    usual = min(field.policy.depth, int(field.longest[others if others.size else [number]].max()))
    lost = field.lost_below(int(field.usual[number]), number)
    yield shape.length_finding(ranking.length, field.policy, usual, str(field.measures[0]), lost)
