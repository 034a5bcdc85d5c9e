"""May a judge rank systems?"""

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from irmeval.collection.base import Panel
from irmeval.collection.team_names import LETTERS, Kinds, TeamRule, parse_kinds
from irmeval.core.errors import ParamError
from irmeval.core.numbers import against
from irmeval.core.params import checked, param
from irmeval.core.text import all_of, count_noun, list_all, list_few, verb
from irmeval.experiments.base import COLLECTION, LISTS, MEASURES, OTHERS, SCORES, Work, experiment
from irmeval.experiments.facts import Fact, Verdict
from irmeval.experiments.headlines import SAME
from irmeval.experiments.needs import PAIRS
from irmeval.experiments.planning.audit_charts import charts_of
from irmeval.experiments.planning.one_audit import (
    InCommon,
    JudgeAudit,
    audit_judge,
    circles,
    compare_judges,
    scores_of,
)
from irmeval.experiments.results import Chart, Choice, Frame, NextStep, Result, Table, rowwise
from irmeval.experiments.settings import TEST, Alpha, Level, Seed, Test, Testing
from irmeval.experiments.trials import EQUIVALENT
from irmeval.metrics import Measure
from irmeval.stats.mixtures import DecisionCounts
from irmeval.stats.pair_tests import FAMILYWISE
from irmeval.stats.ranking_by_judge import WAYS

ALL = "all"
"""Stands for the number of all runs."""
READINGS = ("alone", "at_once")
TOLD_IN_WORDS = "ten"
TOLD = 10
"""The headline's number of best runs."""
RUNS = 5
"""With fewer runs, nothing is stated of other topics: five have ten pairs."""
TOPICS = 10
"""The same with fewer topics, since intervals over topics are too narrow."""
PLACES = (
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
)


@checked
class Params(Testing):
    """How a judge is compared with the reference."""

    test: Test = TEST
    alpha: Alpha = 0.05
    samples: int = param(
        "samples",
        "Resamples of topics, of labels of teams, and of a simulated test.",
        low=10,
        high=100_000,
        template="{} samples",
        default=1000,
    )
    trials: int = param(
        "trials",
        "Random sets of topics, for each number of topics that the reference judges.",
        low=1,
        high=100,
        template="{} trials",
        default=20,
    )
    level: Level = 95.0
    team_rule: TeamRule = LETTERS
    kinds: Kinds = ""
    seed: Seed = 1
    at_once = FAMILYWISE
    unused = frozenset()  # topics and labels are drawn whatever the test


class Audit(Result):
    """Judges against a reference: whether they order the same runs alike, at the top
    too, and whom they favour.
    """

    audits: tuple[JudgeAudit, ...]
    """by judge, then measure"""
    in_common: dict[str, InCommon]
    """measure -> all judges on the topics that all have judged"""
    reference: str
    judges: tuple[str, ...]
    """without the reference"""
    names: tuple[str, ...]
    """of the measures; empty where files of scores do not say"""
    measures: tuple[Measure, ...]
    params: Params
    panel: Panel | None
    """the judges of a collection"""

    def choice(self) -> Choice | None:
        several_judges, several_measures = len(self.judges) > 1, len(self.names) > 1
        label = "measure"
        if several_judges:
            label = "judge" + " and measure" * several_measures
        options = tuple(map(self._option, self.audits))
        return Choice(label, options, "What the sentence and the charts are about.")

    def _option(self, audit: JudgeAudit) -> str:
        """An audit among others: its judge, its measure, or both."""
        if len(self.judges) == 1:
            return audit.measure or audit.judge
        if len(self.names) > 1:
            return f"{audit.judge} by {audit.measure}"
        return audit.judge

    def shown(self, choice: str) -> JudgeAudit:
        """The audit of an option, by default the first."""
        return next(
            (audit for audit in self.audits if self._option(audit) == choice), self.audits[0]
        )

    def frame(self) -> Frame:
        """One row per judge, statistic and number k of the reference's best runs, with
        the ends of its interval where there is one; a first column has the measure
        where there are several. Undefined values are left out.
        """
        rows = []
        for audit in self.audits:
            lead = (audit.measure, audit.judge, self.reference)
            rows += [(*lead, *row) for row in _rows(audit) if np.isfinite(row[2])]
        heads = ("measure", "judge", "reference", "statistic", "k", "value", "low", "high")
        made = rowwise(heads, rows)
        if len(self.names) <= 1:
            return made.drop(columns="measure")
        return made

    def _by_audit(self, rows: Any, *heads: str) -> Frame:
        """A table with rows of each audit, a function of it, below the measure, where
        there is a name, and the judge.
        """
        found: list[tuple[Any, ...]] = []
        for audit in self.audits:
            found += [(audit.measure, audit.judge, *row) for row in rows(audit)]
        made = rowwise(("measure", "judge", *heads), found)
        if not any(self.names):
            return made.drop(columns="measure")
        return made

    def summary(self) -> Frame:
        """One row per judge: its order, its decisions, its winner."""
        tops = sorted(set[int]().union(*(audit.tops[:-1] for audit in self.audits)))

        def row(audit: JudgeAudit) -> Iterator[tuple[Any, ...]]:
            d, winner = audit.decisions[-1][0], audit.winner
            at_top = [audit.tau(k)[0] if k in audit.ks else np.nan for k in tops]
            shares = _shares(d)
            won: tuple[Any, ...] = ("", *[np.nan] * 4)
            if winner:
                name = audit.runs[winner.system]
                won = (name, winner.place, winner.loss, winner.p_alone, winner.p_at_once)
            order = (*audit.tau(audit.tops[-1]), *at_top, audit.tau_ap[0])
            yield (
                _answer(audit).lower(),
                len(audit.runs),
                len(audit.topics),
                *order,
                100 * shares["not_confirmed"],
                d.opposed,
                100 * shares["found"],
                *won,
            )

        order = ("tau, all", "low", "high", *(f"tau, best {k}" for k in tops), "tau AP")
        decided = ("not confirmed, %", "opposed", "found, %")
        return self._by_audit(
            row,
            "may rank",
            "runs",
            "topics",
            *order,
            *decided,
            "winner",
            "its place",
            "loss",
            "p of the loss",
            "p, all pairs",
        )

    def at_top(self) -> Frame:
        """One row per judge and number of the reference's best runs: tau-b among them,
        with its interval over topics.
        """
        return self._by_audit(
            lambda audit: [(k, *audit.tau(k)) for k in audit.ks],
            "best runs",
            "tau-b",
            "low",
            "high",
        )

    def decided(self) -> Frame:
        """One row per judge, number of best runs and reading: pairs that differ by the
        judge, and the decisions of the reference.
        """

        def rows(audit: JudgeAudit) -> Iterator[tuple[Any, ...]]:
            for k, readings in zip(audit.tops, audit.decisions, strict=True):
                for reading, d in zip(("alone", "at once"), readings, strict=True):
                    by_judge, by_reference = (
                        d.both + d.second_only + d.opposed,
                        d.both + d.first_only + d.opposed,
                    )
                    yield (
                        k,
                        reading,
                        sum(d),
                        by_judge,
                        d.both,
                        d.second_only,
                        d.opposed,
                        by_reference,
                        100 * _shares(d)["found"],
                    )

        judged = ("differ by the judge", "confirmed", "not confirmed", "opposed")
        return self._by_audit(
            rows,
            "best runs",
            "reading",
            "pairs",
            *judged,
            f"differ by {self.reference}",
            "of these found, %",
        )

    def favoured(self, of: str = "team") -> Frame:
        """One row per judge and team, or kind of system: places that its runs gain by
        the judge, the same relative to others, and p.
        """

        def rows(audit: JudgeAudit) -> list[tuple[Any, ...]]:
            found = {"team": audit.teams, "kind": audit.kinds}[of]
            if found is None:
                return []
            return [
                (name, int((found.group == g).sum()), *(part[g] for part in found.gains))
                for g, name in enumerate(found.names)
            ]

        return self._by_audit(
            rows, of, "runs", "places gained, mean", "more than others", "p", "p, Holm"
        )

    def circular(self) -> Frame:
        """One row per judge and run: its scores by both, as it is and in order of the
        judge's grades.
        """

        def rows(audit: JudgeAudit) -> Iterator[tuple[Any, ...]]:
            circle = audit.circle
            if circle is None:
                return
            for r in np.argsort(-audit.means[0], kind="stable"):
                yield (
                    audit.runs[r],
                    audit.means[0, r],
                    circle.reference[r],
                    circle.ceiling[0],
                    audit.means[1, r],
                    circle.judge[r],
                )

        by = f"by {self.reference}"
        return self._by_audit(
            rows,
            "run",
            by,
            f"re-ranked, {by}",
            f"ideal list, {by}",
            "by the judge",
            "re-ranked, by the judge",
        )

    def needed(self) -> Frame:
        """One row per judge, way to estimate means and number of topics judged by the
        reference: tau-b with the order on all topics.
        """

        def rows(audit: JudgeAudit) -> Iterator[tuple[Any, ...]]:
            for w, name in enumerate(WAYS.values()):
                for t, (mean, low, high) in zip(
                    audit.enough.topics, audit.enough.tau[w], strict=True
                ):
                    yield name, t, 100 * t / len(audit.topics), mean, low, high, audit.enough.least

        return self._by_audit(
            rows, "means", "topics judged", "topics judged, %", "tau-b", "5%", "95%", "enough from"
        )

    def facts(self, choice: str = "") -> list[Fact]:
        """Of each judge, by each measure: tau of the orders of all runs and of the best
        ones, and the pairs that the reference does not confirm.
        """
        found = []
        for audit in self.audits:
            for k in _scopes(audit):
                found.append(Fact("tau", audit.measure, audit.judge, float(audit.tau(k)[0]), k))
            lost = _shares(audit.decisions[-1][0])["not_confirmed"]
            what = "pairs not confirmed"
            found.append(Fact(what, audit.measure, audit.judge, lost, reading="alone"))
        return [fact for fact in found if np.isfinite(fact.value)]

    def verdict(self, choice: str = "") -> Verdict:
        audit = self.shown(choice)
        judge, by = audit.judge, ""
        if self.panel:
            judge = self.panel.judges.short_label(judge)
        if audit.measure:
            by = f"By {audit.measure}, "
        others = self._describe_others(audit).strip()
        left_out = describe_left_out(audit, self.reference).strip()
        taus = {k: float(audit.tau(k)[0]) for k in _scopes(audit)}
        if not np.isfinite(taus[len(audit.runs)]):
            none = "gives all runs the same mean, so there is no order to compare"
            return Verdict(f"{by}{judge} or {self.reference} {none}.", left_out, others)
        said = f"{judge} orders the runs with tau {against(taus[len(audit.runs)], EQUIVALENT)}"
        if len(audit.runs) > TOLD and np.isfinite(taus.get(TOLD, np.nan)):
            said += f", the {TOLD_IN_WORDS} best with {against(taus[TOLD], EQUIVALENT)}"
        return Verdict(
            f"{_answer(audit)}. {by}{said}; {EQUIVALENT:g} is required.",
            left_out,
            f"{describe(audit, self.reference, self.params.level)} {others}".strip(),
        )

    def _describe_others(self, shown: JudgeAudit) -> str:
        """A sentence on the judge who orders the best runs most like the reference, on
        the topics that all have judged; empty where no judge is ahead.
        """
        common = self.in_common[shown.measure]
        taus = {name: tau for name, tau in common.taus.items() if np.isfinite(tau)}
        if len(taus) < 2 or np.ptp([*taus.values()]) <= SAME:
            return ""
        most = max(taus.values())
        best = [name for name, tau in taus.items() if most - tau <= SAME]
        apart = {len(audit.topics) for audit in self.audits if audit.measure == shown.measure}
        on = ""
        if apart != {common.topics}:
            on = f" on the {common.topics:,} topics of all"
        return (
            f" Of {len(taus)} judges, {list_all(best)} {verb(len(best), 'orders', 'order')} the"
            f" {TOLD} best most like {self.reference}{on}: tau {most:.2f}."
        )

    def next_steps(self) -> list[NextStep]:
        if self.panel is None:
            return [
                NextStep("Which pairs of runs differ?", "matrix"),
                NextStep("How many topics would decide?", "topics-needed"),
            ]
        judges = (self.reference, self.audits[0].judge)
        who = list_all([*map(self.panel.judges.label, judges)])
        return [
            NextStep(f"How do {who} order single runs?", "systems"),
            NextStep(f"Do {who} agree on documents?", "judges"),
        ]

    def charts(self, choice: str = "") -> list[Chart]:
        shown = self.shown(choice)
        by_measure = [audit for audit in self.audits if audit.measure == shown.measure]
        return charts_of(shown, by_measure, self.reference, self.params)

    def tables(self) -> list[Table]:
        made = [
            Table("summary", "Verdict", self.summary),
            Table("top", "At the top", self.at_top),
            Table("decisions", "Decisions", self.decided),
            Table("enough", "Topics needed", self.needed),
            Table("teams", "Teams", self.favoured),
        ]
        if any(audit.kinds for audit in self.audits):
            made.append(Table("kinds", "Kinds", lambda: self.favoured("kind")))
        if any(audit.circle for audit in self.audits):
            made.append(Table("circularity", "Re-ranked", self.circular))
        return [*made, Table("observations", "Every value", self.frame)]


def _shares(d: DecisionCounts) -> dict[str, float]:
    """Shares of the pairs that differ by the judge that the reference confirms, does
    not confirm and opposes; and of the reference's pairs that the judge finds in the
    same direction. NaN without such pairs.
    """
    by_judge, by_reference = (
        d.both + d.second_only + d.opposed or np.nan,
        d.both + d.first_only + d.opposed or np.nan,
    )
    counts = {"confirmed": d.both, "not_confirmed": d.second_only, "opposed": d.opposed}
    return {name: n / by_judge for name, n in counts.items()} | {"found": d.both / by_reference}


def _rows(audit: JudgeAudit) -> Iterator[tuple[Any, ...]]:
    """Statistic, k, value and ends of its interval."""
    nan = np.nan
    for k, readings in zip(audit.tops, audit.decisions, strict=True):
        name = ALL if k == len(audit.runs) else str(k)
        yield ("tau", name, *map(float, audit.tau(k)))
        for reading, d in zip(READINGS, readings, strict=True):
            yield f"judge_{reading}", name, d.both + d.second_only + d.opposed, nan, nan
            yield f"reference_{reading}", name, d.both + d.first_only + d.opposed, nan, nan
            for share, value in _shares(d).items():
                yield f"{share}_{reading}", name, float(value), nan, nan
    yield ("tau_ap", ALL, *map(float, audit.tau_ap))
    if winner := audit.winner:
        yield "winner_place", ALL, winner.place, nan, nan
        yield "winner_loss", ALL, winner.loss, winner.low, winner.high
        yield "winner_p_alone", ALL, winner.p_alone, nan, nan
        yield "winner_p_at_once", ALL, winner.p_at_once, nan, nan
    for what, found in (("team", audit.teams), ("kind", audit.kinds)):
        for g, name in enumerate(found.names if found else ()):
            assert found
            yield f"favour_{what}:{name}", ALL, float(found.gains.change[g]), nan, nan
            yield f"favour_{what}_p:{name}", ALL, float(found.gains.adjusted[g]), nan, nan
    if circle := audit.circle:
        yield "best_run", ALL, float(audit.means[0].max()), nan, nan
        yield "best_reranked", ALL, float(circle.reference.max()), nan, nan
        yield ("ceiling", ALL, *circle.ceiling)
    yield "order_least", ALL, audit.enough.least, nan, nan
    for way, needed in zip(WAYS, audit.enough.needed, strict=True):
        yield (
            f"enough_{way}",
            ALL,
            nan if needed is None else 100 * needed / len(audit.topics),
            nan,
            nan,
        )


def _scopes(audit: JudgeAudit) -> dict[int, str]:
    """The runs of which the answer speaks, in words, by their number."""
    scopes = {len(audit.runs): all_of(len(audit.runs), "run")}
    if TOLD in audit.tops[:-1]:
        scopes[TOLD] = f"the {TOLD} best"
    return scopes


def _answer(audit: JudgeAudit) -> str:
    """Whether the judge ranks systems as the reference does, on the topics that there
    are.
    """
    # the best runs count by themselves: on one year of TREC DL a judge has tau .91 for all runs,
    # .16 for the ten best
    same = [audit.tau(k)[0] >= EQUIVALENT for k in _scopes(audit)]
    if all(same):
        return "Yes"
    if any(same):
        return "In part"
    return "No"


def _explain_answer(audit: JudgeAudit, reference: str, level: float) -> str:
    """Intervals of the taus on which the answer rests, and whether it would be the same on
    other topics: sentences.
    """
    n, topics = len(audit.runs), len(audit.topics)
    taus = {name: audit.tau(k) for k, name in _scopes(audit).items()}
    parts = [
        f"{name} {low:.2f} to {high:.2f}" for name, (_, low, high) in taus.items() if low == low
    ]
    on = count_noun(topics, "topic")
    text = f"On {on}."
    if parts:
        text = f"{level:g}% intervals of tau over {on}: {', '.join(parts)}."
    if n < RUNS or topics < TOPICS:
        few = f"{count_noun(n, 'run')} on {on}"
        return f"{text} {few} are too few to speak of other topics."
    undecided = [name for name, tau in taus.items() if _is_undecided(*tau[1:])]
    if not undecided:
        return f"{text} Other topics would not change the answer, by the interval."
    some = ""
    if len(undecided) < len(taus):
        some = f" for {list_all(undecided)}"
    return f"{text} Other topics could change the answer{some}."


def _is_undecided(low: float, high: float) -> bool:
    """Whether an interval of tau has the required value within it, or is unknown."""
    # an unknown end is NaN, for which both comparisons fail
    return not (low >= EQUIVALENT or high < EQUIVALENT)


def describe(audit: JudgeAudit, reference: str, level: float) -> str:
    """What the verdict on a judge rests on, in sentences."""
    winner = f"{describe_winner(audit, reference)}."
    return f"{_explain_answer(audit, reference, level)} {winner}"


def describe_winner(audit: JudgeAudit, reference: str) -> str:
    """The place of the judge's winner by the reference: a sentence without its full
    stop.
    """
    winner = audit.winner
    if winner is None:
        return "It has no winner"
    place, ties = f"at place {winner.place}", ""
    if winner.place <= len(PLACES):
        place = PLACES[winner.place - 1]
    if winner.ties > 1:
        ties = f", the last of {winner.ties} that tie,"
    return f"Its winner{ties} is {place} by {reference}"


def describe_left_out(audit: JudgeAudit, reference: str) -> str:
    """Sentences on runs and topics that are left out, and on scores that are no
    shares.
    """
    text = ""
    if audit.lone:
        text += (
            f" Left out, as only one of {reference} and {audit.judge} scored"
            f" {verb(len(audit.lone), 'it', 'them')}: "
        )
        text += f"{list_few([*audit.lone], 3)}."
    if audit.dropped:
        text += (
            f" Left out: {count_noun(audit.dropped, 'topic')} without a score by both for every"
            " run."
        )
    low, high = audit.ends
    if low < 0 or high > 1:
        text += (
            f" Scores reach from {low:g} to {high:g}: orders and decisions do not depend on the"
            " scale, estimates from some topics may."
        )
    return text


@experiment(
    "audit",
    title="Audit",
    question="May this judge rank systems?",
    does="check if a judge, such as a language model, may rank runs",
    formula=(
        r"\tau_b(k) = \frac{concordant - discordant}{\sqrt{untied_x \cdot untied_y}}, \quad"
        r" rank_{reference} \le k"
    ),
    source=(
        "Voorhees 2000; Yilmaz, Aslam & Robertson 2008 (tau AP); Faggioli et al. 2023 (judges by"
        " language models); Clarke & Dietz 2024 (circularity); Angelopoulos et al. 2023"
        " (prediction-powered means)"
    ),
    takes=(COLLECTION, LISTS, SCORES, MEASURES, OTHERS),
    needs=PAIRS,
)
def audit(work: Work[Params]) -> Audit:
    """Compares the scores that a judge gives to runs with those of a reference: the
    order of all runs and of the best ones, decisions on pairs, and the winner. Also
    shows which teams a judge favours, what a run in the judge's own order would score,
    and how many topics the reference must judge.

    Only runs and topics that both scored count; each judge has its own. Raises
    `ParamError` for fewer than two runs or topics.
    """
    kind_of = parse_kinds(work.params.kinds)
    (reference, *judges), names = scores_of(work)
    panel = work.collection.panel if work.measures else None
    found = circles(work.collection, work.measures, work.params.seed) if panel else {}
    asked = [*product(judges, range(len(names)))]

    def make(one: tuple[Any, int]) -> JudgeAudit:
        judge, m = one
        return audit_judge(reference, judge, names[m], m, work, kind_of, found.get((judge.name, m)))

    # some runs may have no kind, but kinds of another collection's runs would have no effect unseen
    if kind_of and not {*kind_of} & {*work.data.runs}:
        raise ParamError(f"kinds: expected runs that are here, found {list_few([*kind_of], 3)}.")
    return Audit(
        audits=tuple(work.each(make, asked)),
        in_common={
            name: compare_judges(reference, judges, m, work.only, TOLD)
            for m, name in enumerate(names)
        },
        reference=reference.name,
        judges=tuple(judge.name for judge in judges),
        names=names,
        measures=work.measures,
        params=work.params,
        panel=panel,
    )
