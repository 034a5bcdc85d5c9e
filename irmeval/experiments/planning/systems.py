"""Agreement of judges on systems."""

from functools import cached_property
from itertools import compress
from typing import Any

import numpy as np

from irmeval.collection.base import Panel
from irmeval.collection.team_names import LETTERS, TeamRule
from irmeval.core.errors import ParamError
from irmeval.core.numbers import against
from irmeval.core.params import checked, param
from irmeval.core.places import pick
from irmeval.core.text import all_of, count_noun, count_with_be, how_many, list_all, verb
from irmeval.experiments.base import COLLECTION, LISTS, MEASURES, OTHERS, Work, experiment
from irmeval.experiments.facts import Fact, Verdict
from irmeval.experiments.needs import PAIRS
from irmeval.experiments.planning.joint import Second, coverage, find_other, union_and_intersection
from irmeval.experiments.results import (
    Chart,
    Choice,
    Figure,
    Frame,
    NextStep,
    Result,
    Table,
    of_measure,
    rowwise,
    tidy,
)
from irmeval.experiments.runs.matrix import READABLE
from irmeval.experiments.settings import TEST, Alpha, Level, Seed, Test, Testing
from irmeval.experiments.trials import EQUIVALENT
from irmeval.metrics import Measure
from irmeval.plots import pins
from irmeval.plots.cells import cells
from irmeval.plots.points import points, strips
from irmeval.plots.row_charts import Ranges, intervals
from irmeval.scoring.scores import evaluate
from irmeval.stats.correlation import rbo, spearman, tau_ap, tau_b
from irmeval.stats.intervals import correlation_intervals
from irmeval.stats.means import best_first, mean_of_known, rank_scores
from irmeval.stats.mixtures import (
    DecisionCounts,
    GroupGains,
    Mixed,
    compare_groups,
    count_decisions,
    mixtures,
)

ALIKE = {
    "tau_b": ("Kendall's tau", tau_b, -1.0),
    # tau AP takes one of the two orders as right, so that both directions are there
    "tau_ap": ("tau AP, first judge's order as reference", lambda x, y: tau_ap(y, x), -1.0),
    "tau_ap_back": ("tau AP, other judge's order as reference", tau_ap, -1.0),
    "rbo": ("RBO (p 0.9)", rbo, 0.0),
    "spearman": ("Spearman's rho", spearman, -1.0),
}
"""Correlations of the orders by the first judge (x) and by the other (y): name in
tables, function, lowest value.
"""
SWAPS = 0.05
"""Two systems swap if their order differs in more than this share of the mixtures."""
FEW_TOPICS = 10
"""Number of topics up to which intervals of tau by RR, which is often 0 or 1, contain
the true value too rarely.
"""
SETS = ("union", "intersection")
"""Documents relevant to any judge, and to every judge."""


@checked
class Params(Testing):
    """Compared judges, and settings of the comparison."""

    second: Second = ""
    test: Test = TEST
    alpha: Alpha = 0.05
    samples: int = param(
        "samples",
        "Resamples of topics, and of team labels.",
        low=10,
        high=100_000,
        template="{} samples",
        default=1000,
    )
    mixtures: int = param(
        "mixtures",
        "In each, a judge is drawn at random for every topic.",
        low=2,
        high=2000,
        template="{} mixtures",
        default=1000,
    )
    level: Level = 95.0
    team_rule: TeamRule = LETTERS
    seed: Seed = 1
    unused = frozenset()  # topics and team labels are drawn whatever the test


class Systems(Result):
    """The same runs by the judgments of several judges, on the topics that all of them
    scored.
    """

    means: np.ndarray
    """float64 [judge, measure, run]"""
    alike: np.ndarray
    """float64 [measure, statistic, 3], each of `ALIKE` with its interval over topics
    (`irmeval.stats.intervals.correlation_intervals`)
    """
    of_topics: np.ndarray
    """float64 [measure, topic], tau-b of the two orders on one topic; NaN if one of
    them is all ties
    """
    decisions: tuple[DecisionCounts, ...]
    """per measure"""
    teams: tuple[GroupGains, ...]
    """per measure"""
    mixed: tuple[Mixed, ...]
    """per measure, without the taus between mixtures"""
    between: np.ndarray
    """float64 [measure, 3], mean, 5th and 95th percentile of the taus between
    mixtures
    """
    sets: np.ndarray
    """float64 [2, measure, run], means by `SETS`"""
    judges: tuple[str, ...]
    """names; the first two are compared"""
    runs: tuple[str, ...]
    topics: tuple[str, ...]
    team_names: tuple[str, ...]
    measures: tuple[Measure, ...]
    params: Params
    dropped: int
    """topics that not every judge scored"""
    panel: Panel

    @cached_property
    def places(self) -> np.ndarray:
        """Place of each run by each judge [judge, measure, run]."""
        return rank_scores(self.means)

    @property
    def shown(self) -> list[str]:
        """The measures with a chart."""
        return [*map(str, self.measures)]

    def frame(self) -> Frame:
        """One row per measure, statistic and topic; topic `all` is for the means over
        topics. Undefined values are left out.
        """
        rows: list[tuple[Any, ...]] = []
        for m, name in enumerate(self.measures):
            said = dict(zip(ALIKE, map(float, self.alike[m, :, 0]), strict=True))
            said |= {
                f"decisions_{kind}": float(n) for kind, n in self.decisions[m]._asdict().items()
            }
            said |= {
                "mixtures_tau": float(np.mean(self.mixed[m].tau)),
                "mixtures_swaps": float((self.mixed[m].swapped > SWAPS).sum()),
            }
            rows += [(name, statistic, "all", value) for statistic, value in said.items()]
            rows += [
                (name, "tau_b", topic, value)
                for topic, value in zip(self.topics, self.of_topics[m], strict=True)
            ]
        rows = [(*self.judges[:2], *row) for row in rows if np.isfinite(row[-1])]
        return rowwise(("judge_a", "judge_b", "measure", "statistic", "topic", "value"), rows)

    def summary(self) -> Frame:
        """One row per measure: correlations of the two orders, with intervals."""
        names = [f"{label}{end}" for label in ALIKE for end in ("", ", low", ", high")]
        return tidy(
            {"measure": self.measures},
            dict(zip(names, self.alike.reshape(len(self.measures), -1).T, strict=True)),
        )

    def decided(self) -> Frame:
        """One row per measure: pairs of runs that differ significantly by both judges,
        by one, in opposite directions, by neither.
        """
        a, b = self.judges[:2]
        names = ("same way by both", f"by {a} alone", f"by {b} alone", "opposed", "by neither")
        return tidy(
            {"measure": self.measures}, dict(zip(names, np.array(self.decisions).T, strict=True))
        )

    def by_run(self) -> Frame:
        """One row per measure and run, largest gain first: mean and place by either
        judge, places gained, range over mixtures.
        """
        a, b = self.judges[:2]
        gained = self.places[0] - self.places[1]
        columns = {
            a: self.means[0],
            b: self.means[1],
            f"place by {a}": self.places[0],
            f"place by {b}": self.places[1],
            "places gained": gained,
            "mixtures, lowest": np.array([mixed.means.min(axis=0) for mixed in self.mixed]),
            "mixtures, highest": np.array([mixed.means.max(axis=0) for mixed in self.mixed]),
            **dict(zip(SETS, self.sets, strict=True)),
        }
        return tidy({"measure": self.measures, "run": self.runs}, columns, descending=gained)

    def by_team(self) -> Frame:
        """One row per measure and team: places that its runs gain by the other judge,
        the same relative to other teams, and p.
        """
        names = ("places gained, mean", "more than others", "p", "p, Holm")
        columns = dict(zip(names, np.array(self.teams).swapaxes(0, 1), strict=True))
        return tidy({"measure": self.measures, "team": self.team_names}, columns)

    def by_topic(self) -> Frame:
        """One row per measure and topic: tau-b between the orders of the runs."""
        return tidy({"measure": self.measures, "topic": self.topics}, {"tau": self.of_topics})

    def mixing(self) -> Frame:
        """One row per measure: correlations of orders where the judge of each topic is
        drawn at random, and of orders by `SETS`.
        """
        tau, swapped = (
            np.array([getattr(mixed, part) for mixed in self.mixed]) for part in ("tau", "swapped")
        )
        columns = {
            "tau with the first judge, mean": tau.mean(axis=-1),
            "lowest": tau.min(axis=-1),
            **dict(zip(("tau between mixtures, mean", "5%", "95%"), self.between.T, strict=True)),
            f"pairs that swap in more than {SWAPS:.0%}": (swapped > SWAPS).sum(axis=-1),
            "pairs": np.array(swapped.shape[-1]),
            **{
                f"tau of the {kind}": tau_b(means, self.means[0])
                for kind, means in zip(SETS, self.sets, strict=True)
            },
        }
        return tidy({"measure": self.measures}, columns)

    def choice(self) -> Choice | None:
        return of_measure(self.measures, "Measure of the sentence and the charts.")

    def facts(self, choice: str = "") -> list[Fact]:
        """Tau of the two orders by each measure, and how pairs are decided."""
        found = []
        for m, measure in enumerate(map(str, self.measures)):
            found.append(Fact("tau", measure, "", float(self.alike[m, 0, 0])))
            found += [
                Fact(f"pairs decided: {kind}", measure, "", float(n), reading="alone")
                for kind, n in self.decisions[m]._asdict().items()
            ]
        return [fact for fact in found if np.isfinite(fact.value)]

    def verdict(self, choice: str = "") -> Verdict:
        name = choice or str(self.measures[0])
        m = [*map(str, self.measures)].index(name)
        a, b = map(self.panel.judges.short_label, self.judges[:2])
        tau, runs = float(self.alike[m, 0, 0]), count_noun(len(self.runs), "run")
        known = self._describe_interval(m), self._describe_decisions(m), self._describe_favour(m)
        beside, below = self._describe_left_out(), " ".join(filter(None, known))
        if not np.isfinite(tau):
            tie = f"{all_of(len(self.runs), 'run')} tie by at least one of them"
            return Verdict(f"By {name}, {a} and {b}: {tie}, so tau is undefined.", beside, below)
        answer = "Yes" if tau >= EQUIVALENT else "Not fully"
        n = self.decisions[m].opposed
        opposed = count_with_be(n, "pair") if n else "no pair is"
        return Verdict(
            f"{answer}: by {name}, {a} and {b} order {runs} with tau {against(tau, EQUIVALENT)};"
            f" {opposed} decided oppositely.",
            beside,
            below,
        )

    def _describe_interval(self, m: int) -> str:
        """The interval of tau, and what is known of it on few topics."""
        _, low, high = self.alike[m, 0]
        if not np.isfinite(low):
            return ""
        topics = count_noun(len(self.topics), "topic")
        said = f"{self.params.level:g}% interval of tau over {topics}: {low:.2f} to {high:.2f}."
        if self.measures[m].metric.name == "RR" and len(self.topics) <= FEW_TOPICS:
            said += (
                f" 95% intervals of tau by RR on {FEW_TOPICS} topics are known to contain the true"
                " value in only 71 of 100 cases."
            )
        return said

    def _describe_decisions(self, m: int) -> str:
        """How many pairs differ by both judges, by one, and in opposite directions."""
        d, (a, b) = self.decisions[m], self.judges[:2]
        ways = {
            "in the same direction by both": d.both,
            f"by {a} alone": d.first_only,
            f"by {b} alone": d.second_only,
            "oppositely": d.opposed,
        }
        found = [(n, how) for how, n in ways.items() if n] or [(0, "by either judge")]
        if sum(d) == 1:
            n, how = found[0]
            return f"Tested alone, the pair {'differs' if n else 'does not differ'} {how}."
        (n, how), *rest = found
        first = f"{how_many(n, 'differs', 'differ')} {how}"
        told = list_all([first, *(f"{n:,} {how}" for n, how in rest)])
        return f"Of {count_noun(sum(d), 'pair')}, tested pair by pair, {told}."

    def _describe_favour(self, m: int) -> str:
        """The team whose runs rise or fall most by the other judge; empty if none does
        significantly.
        """
        teams = self.teams[m]
        sure = np.flatnonzero(np.nan_to_num(teams.adjusted, nan=1.0) < self.params.alpha)
        if not sure.size:
            return ""
        most = int(sure[np.argmax(np.abs(teams.difference[sure]))])
        way = "rise" if teams.difference[most] > 0 else "fall"
        places = f"{abs(teams.difference[most]):.1f} places"
        return (
            f"By {self.judges[1]}, runs of {self.team_names[most]} {way} {places} compared with the"
            " others."
        )

    def _describe_left_out(self) -> str:
        if not self.dropped:
            return ""
        topics = count_noun(self.dropped, "topic")
        out = verb(self.dropped, "is", "are")
        return f"{topics} that some judge did not judge {out} left out."

    def next_steps(self) -> list[NextStep]:
        a, b = map(self.panel.judges.label, self.judges[:2])
        moved = np.abs(self.places[0, 0] - self.places[1, 0])
        found = [NextStep("Do they agree on documents?", "judges")]
        if moved.any():
            run = self.runs[int(moved.argmax())]
            found.append(NextStep(f"Is {run} sound?", "check", {"candidate": run}))
        return [*found, NextStep(f"Can {b} fill in what {a} has not judged?", "holes")]

    def charts(self, choice: str = "") -> list[Chart]:
        measure = choice or str(self.measures[0])
        a, b = self.judges[:2]
        kinds = ("same way by both", f"{a} alone", f"{b} alone", "opposed", "neither")
        return [
            self.chart_of(measure),
            self.mixtures_of(measure),
            Chart(
                "decisions",
                "Decisions on pairs",
                f"Pairs of runs that differ significantly ({self.params.decided_by}), by judge."
                " Opposed pairs matter most: the judges disagree about which run is better.",
                lambda: cells(
                    kinds,
                    self.measures,
                    np.array(self.decisions, float).T,
                    title="pairs",
                    form=",.0f",
                ),
                wide=True,
            ),
            Chart(
                "topics",
                "Single topics",
                f"Kendall's tau between the orders by {a} and by {b} on each topic, by each"
                " measure. Orders on single topics differ more than orders by means.",
                lambda: strips(
                    self.measures,
                    self.of_topics,
                    self.topics,
                    "strip",
                    xtitle="",
                    ytitle="tau on a topic",
                ),
            ),
        ]

    def chart_of(self, measure: str) -> Chart:
        """Means of the runs by either judge."""
        m = self.measures.index(measure)
        a, b = self.judges[:2]
        titles = f"{measure} by {a}", f"{measure} by {b}"
        moved = np.argsort(-np.abs(self.places[0, m] - self.places[1, m]), kind="stable")[
            :4
        ].tolist()
        return Chart(
            "means",
            f"{measure} by {a} and by {b}",
            f"A dot is a run; on the dotted line {a} and {b} give the same mean. Labelled: the runs"
            " that change place most.",
            lambda: points(
                self.runs, self.means[0, m], self.means[1, m], titles, moved, identity=True
            ),
            usual=" Labelled: the runs that change place most.",
        )

    def mixtures_of(self, measure: str) -> Chart:
        """The range of each run's mean over mixtures of judges."""
        m = self.measures.index(measure)
        whose = f"each of the best {READABLE} runs" if len(self.runs) > READABLE else "each run"

        def draw() -> Figure:
            best = pins.first_drawn(best_first(self.means[0, m]), self.runs, READABLE)
            mixed, names = self.mixed[m].means[:, best], pick(self.runs, best)
            return intervals(
                names,
                Ranges(self.means[0, m, best], mixed.min(axis=0), mixed.max(axis=0), best >= 0),
                f"mean {measure}",
            )

        return Chart(
            "mixtures",
            "Mixtures of judges",
            f"Point: the mean of {whose} by {self.judges[0]}; line: its range over"
            f" {self.params.mixtures:,} mixtures (Voorhees 2000). In a mixture, each topic is"
            f" judged by {', '.join(self.judges[:-1])} or {self.judges[-1]}, at random.",
            draw,
        )

    def tables(self) -> list[Table]:
        return [
            Table("summary", "Agreement", self.summary),
            Table("decisions", "Decisions", self.decided),
            Table("runs", "Runs", self.by_run),
            Table("teams", "Teams", self.by_team),
            Table("mixtures", "Mixtures", self.mixing),
            Table("topics", "Topics", self.by_topic),
            Table("coverage", "Judged documents", lambda: coverage(self.panel)),
            Table("observations", "Every observation", self.frame),
        ]


@experiment(
    "systems",
    title="Systems",
    question="Do judges agree on systems?",
    does="compare run orders and decisions under different judges",
    formula=r"\tau_b = \frac{concordant - discordant}{\sqrt{untied_x \cdot untied_y}}",
    source=(
        "Voorhees 2000 (mixtures); Yilmaz, Aslam & Robertson 2008 (tau AP); Webber, Moffat & Zobel"
        " 2010 (RBO)"
    ),
    takes=(COLLECTION, LISTS, MEASURES, OTHERS),
    needs=PAIRS,
)
def systems(work: Work[Params]) -> Systems:
    """Scores the runs by the judgments of several judges. The order of the runs and the
    decisions on pairs by the first judge are compared with those by another, and with
    mixtures of all judges, in which a random judge judges each topic.

    Only topics that every judge scored count. Raises `ParamError` where there are fewer
    than two.
    """
    collection, params = work.collection, work.params
    assert collection.panel
    number = find_other(collection, params.second)
    numbers = [0, number, *(j for j in range(1, len(collection.judges)) if j != number)]
    names = tuple(pick(collection.judges, numbers))
    scores = [evaluate(collection.judged_by(name), work.measures) for name in names]
    panel = collection.panel
    union = [
        evaluate(panel.union, work.measures, grades=grades)
        for grades in union_and_intersection(panel)
    ]
    # means by two judges over unlike topics would differ by the topics
    shared = [t for t in scores[0].topics if all(t in s.topics for s in scores[1:])]
    values, sets = ([s.on(shared).values for s in several] for several in (scores, union))
    kept: np.ndarray = np.isfinite(np.stack(values)).all(axis=(0, 1, 2))
    if np.count_nonzero(kept) < 2:
        raise ParamError(
            f"systems: expected at least 2 topics that {' and '.join(names)} all scored, found"
            f" {np.count_nonzero(kept)}."
        )
    topics = tuple(compress(shared, kept))
    both = np.stack(values)[..., kept]
    team_names = tuple(dict.fromkeys(work.teams))
    group = np.array([*map(team_names.index, work.teams)])

    def by(m: int) -> tuple[Any, ...]:
        return _compare(both[:, m], params, group, len(team_names))

    by_measure = work.each(by, range(len(work.measures)))
    alike, of_topics, decisions, found, mixed, between = zip(*by_measure, strict=True)
    return Systems(
        means=both.mean(axis=-1),
        alike=np.stack(alike),
        of_topics=np.stack(of_topics),
        decisions=decisions,
        teams=found,
        mixed=mixed,
        between=np.stack(between),
        sets=mean_of_known(np.stack(sets)[..., kept]),
        judges=names,
        runs=collection.runs,
        topics=topics,
        team_names=team_names,
        measures=work.measures,
        params=params,
        dropped=len(collection.topics) - len(topics),
        panel=panel,
    )


def _compare(own: np.ndarray, params: Params, group: np.ndarray, teams: int) -> tuple[Any, ...]:
    """What judges agree on by one measure, from scores [judge, run, topic]: the orders,
    on each topic too, the decisions, the teams, and mixtures of all judges.
    """
    first, second, *_ = own
    alike = correlation_intervals(
        [(compute, lowest) for _, compute, lowest in ALIKE.values()],
        first,
        second,
        samples=params.samples,
        seed=params.seed,
        level=params.level,
    )
    tests = map(params.compare, (first, second))
    apart = [np.sign(tested.difference) * tested.alone for tested in tests]
    ranks = [rank_scores(scores.mean(axis=-1)) for scores in (first, second)]
    gained = (ranks[0] - ranks[1]).astype(np.float64)
    found = compare_groups(gained, group, teams, params.samples, params.seed)
    mixed = mixtures(own, params.mixtures, params.seed)
    of_topics = tau_b(first.T, second.T)
    # of a thousand mixtures, only how far they are spread is kept
    slim = mixed._replace(between=np.empty(0))
    return alike, of_topics, count_decisions(*apart), found, slim, mixed.spread()
