"""Agreement of judges on documents."""

from collections.abc import Mapping
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from irmeval.core.errors import ParamError
from irmeval.core.params import checked, param
from irmeval.core.places import pick
from irmeval.core.registry import check_known
from irmeval.core.text import count_noun, list_all
from irmeval.experiments.base import JUDGES, Work, experiment
from irmeval.experiments.facts import Fact, Verdict
from irmeval.experiments.headlines import best_and_worst
from irmeval.experiments.planning.joint import Second, judged_columns
from irmeval.experiments.results import (
    Chart,
    Figure,
    Frame,
    NextStep,
    Result,
    Table,
    rowwise,
    table,
)
from irmeval.experiments.settings import Level, Seed
from irmeval.judges import Judges
from irmeval.judges.simulation import Simulation
from irmeval.plots.cells import cells
from irmeval.plots.row_charts import Ranges, intervals
from irmeval.stats import judge_agreement as method
from irmeval.stats.bootstrap import Resamples
from irmeval.stats.judge_agreement import ALPHAS, STATISTICS, PairCounts
from irmeval.stats.means import mean_of_known

EVERYBODY = "all"
"""Placeholder for all judges together in place of two names, and for all topics."""
TOLD = "alpha_ordinal"
"""Statistic of the headline."""
DRAWN = (
    "agreement",
    "agreement_binary",
    "kappa",
    "kappa_linear",
    "kappa_quadratic",
    "alpha_ordinal",
    "overlap",
    "precision",
    "recall",
)
"""Statistics on one scale, up to 1."""


@checked
class Params:
    """Whom the sentence and the charts compare with the first judge, and how intervals
    are estimated.
    """

    second: Second = ""
    samples: int = param(
        "samples",
        "Resamples of the topics, for the skew of the intervals.",
        low=10,
        high=100_000,
        template="{} samples of topics",
        default=1000,
    )
    level: Level = 95.0
    seed: Seed = 1


class JudgeAgreement(Result):
    """Agreement of judges on common documents. Intervals are over topics, and NaN with
    one topic.
    """

    n: np.ndarray
    """float64 [pair, topic, G, G], documents by the grades of the first and of the
    second judge of the pair
    """
    of_topics: np.ndarray
    """float64 [pair, statistic, topic], each of `STATISTICS`; NaN if undefined"""
    pooled: np.ndarray
    """float64 [pair, statistic], over the documents of all topics together"""
    low: np.ndarray
    high: np.ndarray
    """the interval of `pooled`"""
    means: np.ndarray
    """float64 [pair, statistic], mean over the topics where it is defined"""
    mean_low: np.ndarray
    mean_high: np.ndarray
    """the interval of `means`"""
    together: np.ndarray
    """float64 [3, alpha], Krippendorff's alphas (`ALPHAS`) of all judges together:
    pooled, low, high
    """
    overlap: float
    """documents relevant to all judges, as a share of those relevant to any"""
    judges: Judges
    params: Params
    measures = ()

    @cached_property
    def pairs(self) -> list[tuple[str, str]]:
        """Names of the two judges of each pair."""
        return [(self.judges.names[a], self.judges.names[b]) for a, b in self.judges.pairs()]

    @cached_property
    def shown(self) -> int:
        """Index of the pair of the first judge and the one compared with it."""
        if self.params.second:
            return self.judges.names.index(self.params.second) - 1
        return 0

    def frame(self) -> Frame:
        """One row per pair of judges, statistic and topic; topic `all` is for all
        documents together. Undefined values are left out.
        """
        rows = []
        for p, (a, b) in enumerate(self.pairs):
            for s, name in enumerate(STATISTICS):
                values = [
                    (EVERYBODY, self.pooled[p, s]),
                    *zip(self.judges.topics, self.of_topics[p, s], strict=True),
                ]
                rows += [
                    (a, b, name, topic, value) for topic, value in values if np.isfinite(value)
                ]
        if len(self.judges.names) > 2:
            # of two judges, these rows would repeat their pair
            more = [*zip(ALPHAS, self.together[0], strict=True), ("overlap", self.overlap)]
            rows += [
                (EVERYBODY, EVERYBODY, name, EVERYBODY, value)
                for name, value in more
                if np.isfinite(value)
            ]
        return rowwise(("judge_a", "judge_b", "statistic", "topic", "value"), rows)

    def summary(self) -> Frame:
        """One row per pair and statistic: value over all documents, mean over topics,
        their intervals, number of topics.
        """
        defined = np.isfinite(self.of_topics).sum(axis=-1)
        columns = {
            "pooled": self.pooled,
            "low": self.low,
            "high": self.high,
            "mean over topics": self.means,
            "mean, low": self.mean_low,
            "mean, high": self.mean_high,
            "topics": defined,
        }
        names = [
            (a, b, statistic.label, statistic.meaning)
            for a, b in self.pairs
            for statistic in STATISTICS.values()
        ]
        heads = rowwise(("judge a", "judge b", "statistic", "meaning"), names)
        return heads.assign(**{name: values.ravel() for name, values in columns.items()})

    def by_pair(self) -> Frame:
        """One row per pair of judges, with a column for each statistic over all
        documents.
        """
        names = dict(zip(("judge a", "judge b"), zip(*self.pairs, strict=True), strict=True))
        return table(
            names | {s.label: self.pooled[:, i] for i, s in enumerate(STATISTICS.values())}
        )

    def confusion(self) -> Frame:
        """One row per pair of judges and of grades: number of documents."""
        met = product(self.pairs, self.judges.grades.tolist(), self.judges.grades.tolist())
        rows = [
            (*pair, g, h, int(n))
            for (pair, g, h), n in zip(met, self.n.sum(axis=1).ravel(), strict=True)
        ]
        return rowwise(("judge a", "judge b", "grade of a", "grade of b", "documents"), rows)

    def thresholds(self) -> Frame:
        """One row per pair and choice of the least relevant grade of each judge."""
        told = pick(STATISTICS, ("precision", "recall", "overlap", "agreement_binary"))
        levels = [int(g) for g in self.judges.grades if g > 0]
        rows = []
        for (pair, n), first, second in product(
            zip(self.pairs, self.n.sum(axis=1), strict=True), levels, levels
        ):
            counts = PairCounts(n, self.judges.grades, first, second)
            rows.append(
                (*pair, first, second, *(float(statistic.compute(counts)) for statistic in told))
            )
        heads = ("judge a", "judge b", "relevant to a from", "relevant to b from")
        return rowwise((*heads, *(statistic.label.lower() for statistic in told)), rows)

    def coverage(self) -> Frame:
        """One row per judge: documents judged, and documents by grade."""
        of_grades = {f"grade {g}": (self.judges.grade == g).sum(axis=1) for g in self.judges.grades}
        return table({"judge": self.judges.names, **judged_columns(self.judges), **of_grades})

    def expected(self) -> Frame:
        """One row per simulated judge and statistic: the value expected from that kind
        of judge's errors and the grades of the first, and the value observed. Judges
        are left out whose grades are mapped, who err on some runs only, or who err on
        another judge.
        """
        first = self.judges.grade[0]
        own, counts = np.unique(first[first >= 0], return_counts=True)
        return table(
            [
                row
                for name, s in self._simulations.items()
                for row in self._expected(name, own, counts[:, None] * s.table(own))
            ]
        )

    @cached_property
    def _simulations(self) -> dict[str, Simulation]:
        """Simulated judges whose agreement with the first follows from their errors."""
        first, mapped = self.judges.names[0], {name for name, _ in self.judges.maps}
        made = zip(self.judges.names, self.judges.made, strict=True)
        found = {}
        for name, text in made:
            if not text or mapped & {first, name}:
                continue
            simulation = Simulation.parsed(text)
            if self._errs_on_first(simulation):
                found[name] = simulation
        return found

    def _errs_on_first(self, simulation: Simulation) -> bool:
        """Whether a simulated judge errs alike on all documents of the first judge."""
        errs_on = simulation.first or self.judges.own
        return not simulation.runs and errs_on == self.judges.names[0]

    def beside_expected(self, other: str, grades: np.ndarray, meetings: np.ndarray) -> Frame:
        """One row per statistic of the first judge and another one: expected and
        observed value. `meetings` [G, G] is how often each grade of the first, of
        `grades` [G], is expected with each grade of the other.
        """
        return table(self._expected(other, grades, meetings))

    def _expected(
        self, other: str, grades: np.ndarray, meetings: np.ndarray
    ) -> list[dict[str, Any]]:
        p, at = self.judges.names.index(other) - 1, np.searchsorted(self.judges.grades, grades)
        n = np.zeros(self.n.shape[-2:])
        n[np.ix_(at, at)] = meetings
        counted_on = PairCounts(
            n,
            self.judges.grades,
            self.judges.level[0],
            self.judges.level[self.judges.number(other)],
        )
        return [
            {
                "judge": other,
                "statistic": s.label,
                "expected": float(s.compute(counted_on)),
                "observed": observed,
            }
            for s, observed in zip(STATISTICS.values(), self.pooled[p].tolist(), strict=True)
            if s.name != "documents"
        ]

    def facts(self, choice: str = "") -> list[Fact]:
        """Each statistic of every two judges, over all documents."""
        found = []
        for pair, values in zip(self.pairs, self.pooled.tolist(), strict=True):
            for name, value in zip(STATISTICS, values, strict=True):
                found.append(Fact(name, "", " and ".join(pair), value))
        return [fact for fact in found if np.isfinite(fact.value)]

    def verdict(self, choice: str = "") -> Verdict:
        of = {name: float(self.pooled[self.shown, s]) for s, name in enumerate(STATISTICS)}
        a, b = map(self.judges.short_label, self.pairs[self.shown])
        below = f"{self._describe_leniency(of)} {self._describe_pairs()}".strip()
        if of["documents"] == 1:
            alike = "the same grade" if of["agreement"] else "different grades"
            return Verdict(
                f"{a} and {b} give {alike} to the only document that both judged.", below=below
            )
        documents = count_noun(int(of["documents"]), "document")
        same = f"{a} and {b} give the same grade to {of['agreement']:.0%} of {documents}"
        if np.isnan(of[TOLD]):
            return Verdict(f"{same}; there is only one grade.", below=below)
        return Verdict(f"{same}; Krippendorff's alpha is {of[TOLD]:.2f}.", below=below)

    def _describe_leniency(self, of: Mapping[str, float]) -> str:
        """The interval of alpha, and how many documents each judge marks relevant."""
        told = [*STATISTICS].index(TOLD)
        low, high = self.low[self.shown, told], self.high[self.shown, told]
        said = []
        if np.isfinite(low):
            level = f"{self.params.level:g}%"
            said.append(f"The {level} interval of alpha over topics is {low:.2f} to {high:.2f}.")
        if of["documents"] > 1:
            a, b = self.pairs[self.shown]
            shares = (
                f"{a} marks {of['relevant_a']:.0%} of them relevant, {b} {of['relevant_b']:.0%}"
            )
            said.append(f"{shares}.")
        return " ".join(said)

    def _describe_pairs(self) -> str:
        """A sentence on the pairs of judges that agree most and least, on the topics
        with documents of every pair; empty for one pair, or without such a topic.
        """
        judged = self.n.any(axis=(2, 3))
        # in DL 2020 one judge of four has judged 16 topics, the others 54: alphas of unlike topics
        # would not be comparable
        shared = judged.all(axis=0)
        if len(self.pairs) < 2 or not shared.any():
            return ""
        pairs = [(self.judges.level[a], self.judges.level[b]) for a, b in self.judges.pairs()]
        tables = self.n[:, shared].sum(axis=1)
        alphas = [
            float(STATISTICS[TOLD].compute(PairCounts(n, self.judges.grades, *levels)))
            for n, levels in zip(tables, pairs, strict=True)
        ]
        if not np.isfinite(alphas).any():
            return ""
        agree = best_and_worst(
            [*map(" and ".join, self.pairs)],
            alphas,
            "agree {}",
            ("most", "least"),
            label="alpha",
            form=".3f",
            noun="pair of judges",
        )
        on = (
            ""
            if np.array_equal(shared, judged.any(axis=0))
            else f", on the {count_noun(int(shared.sum()), 'topic')} that all have judged"
        )
        return f"Of {len(self.pairs)} pairs of judges, {agree}{on}."

    def next_steps(self) -> list[NextStep]:
        who = list_all([*map(self.judges.label, self.pairs[self.shown])])
        steps = [NextStep(f"Do {who} order runs alike?", "systems")]
        if self._has_holes:
            steps.append(NextStep("What if one filled in for the other?", "holes"))
        return [*steps, NextStep("Which document should be judged next?", "judge-next")]

    @property
    def _has_holes(self) -> bool:
        """Whether one of the two has judged a document that the other has not."""
        a, b = self.judges.pairs()[self.shown]
        judged = self.judges.grade[[a, b]] >= 0
        return bool((judged[0] != judged[1]).any())

    def charts(self, choice: str = "") -> list[Chart]:
        charts = [self._chart_of_agreement(), self._chart_of_grades()]
        if len(self.judges.names) > 2:
            caption = (
                "Krippendorff's alpha of every two judges: agreement beyond chance. A difference of"
                " two grades weighs as much as the share of judgments between them. 1 is full"
                " agreement, 0 agreement by chance."
            )
            charts.append(Chart("pairs", "All pairs of judges", caption, self._pairs))
        return charts

    def _chart_of_agreement(self) -> Chart:
        """Agreement of the shown pair by each statistic."""
        p = self.shown
        at = [
            s
            for s, name in enumerate(STATISTICS)
            if name in DRAWN and np.isfinite(self.pooled[p, s])
        ]
        names = [[*STATISTICS.values()][s].label for s in at]
        pooled, low, high = self.pooled[p, at], self.low[p, at], self.high[p, at]
        return Chart(
            "agreement",
            f"Agreement of {self.pairs[p][0]} and {self.pairs[p][1]}",
            f"Agreement on the documents that both judged, with its {self.params.level:g}% interval"
            " over topics. Full agreement is 1; kappa and alpha are 0 for agreement by chance.",
            lambda: intervals(names, Ranges(pooled, low, high, low > 0), "agreement"),
        )

    def _chart_of_grades(self) -> Chart:
        """Grades of the first judge of the shown pair against those of the second."""
        p = self.shown
        (a, b), grades = self.pairs[p], [str(int(g)) for g in self.judges.grades]
        return Chart(
            "grades",
            f"Grades of {a} and {b}",
            f"Documents by the grade of {a} (rows) and of {b} (columns); on the diagonal they"
            " agree.",
            lambda: cells(
                grades, grades, self.n[p].sum(axis=0), title="documents", form=",.0f", titles=(b, a)
            ),
        )

    def _pairs(self) -> Figure:
        names = self.judges.names
        alphas = np.ones((len(names), len(names)))
        for (a, b), value in zip(
            self.judges.pairs(), self.pooled[:, [*STATISTICS].index(TOLD)], strict=True
        ):
            alphas[a, b] = alphas[b, a] = value
        return cells(names, names, alphas, title="alpha")

    def tables(self) -> list[Table]:
        made = [Table("expected", "Expected", self.expected)] if self._simulations else []
        return [
            Table("summary", "Agreement", self.summary),
            *made,
            Table("grades", "Grades", self.confusion),
            Table("thresholds", "Thresholds", self.thresholds),
            Table("coverage", "Judged documents", self.coverage),
            Table("topics", "Every topic", self.frame),
        ]


@experiment(
    "judges",
    title="Judges",
    question="Do judges agree on documents?",
    does="measure how well judges agree on documents",
    formula=r"\kappa = \frac{p_o - p_e}{1 - p_e}",
    source="Voorhees 2000 (overlap); Cohen 1960 and 1968 (kappa); Krippendorff 2004 (alpha)",
    takes=(JUDGES,),
)
def judges(work: Work[Params]) -> JudgeAgreement:
    """Compares the grades of every two judges for the same documents: how often they
    are equal, agreement beyond chance, overlap of the relevant documents. Only
    documents that both have judged count.

    Intervals are over topics, as the documents of a topic are not independent:
    Student's t times the jackknife's standard error, corrected for the skew that
    resampled topics show. Raises `UnknownName` for an unknown judge, and
    `ParamError` where two judges have no document in common.
    """
    given, params = work.judges, work.params
    if params.second:
        check_known(params.second, given.names[1:], "unknown judge beside the first")
    grades, T = given.grades, len(given.topics)
    n = np.stack(
        [
            method.confusion(given.grade[a], given.grade[b], grades, given.topic, T)
            for a, b in given.pairs()
        ]
    )
    for (a, b), documents in zip(given.pairs(), n.sum(axis=(1, 2, 3)), strict=True):
        if not documents:
            raise ParamError(
                f"judges: {given.names[a]} and {given.names[b]} have judged no document in common."
            )
    drawn = Resamples(params.seed, params.samples, T)
    levels = [(given.level[a], given.level[b]) for a, b in given.pairs()]
    # percentiles of resampled topics held the truth in .90 of simulations, these intervals in .93;
    # 95% is asked for
    found = method.estimate_statistics(n, grades, levels, drawn, params.level)
    alike = method.coincidences(given.grade, grades, given.topic, T)
    by_all, by_any = method.count_relevant_to_all(given.grade, np.array(given.level))
    return JudgeAgreement(
        n=n,
        **found._asdict(),
        means=mean_of_known(found.of_topics),
        together=method.estimate_alphas(alike, grades, drawn, params.level),
        overlap=by_all / by_any if by_any else np.nan,
        judges=given,
        params=params,
    )
