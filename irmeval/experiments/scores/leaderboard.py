"""Runs by measures: their means, how sure these are, and which runs differ from a baseline."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Annotated, NamedTuple

import numpy as np

from irmeval.core.params import Param, checked
from irmeval.core.text import counted, names_or_number, some_of, verb
from irmeval.experiments.base import experiment
from irmeval.experiments.ends import Ends, ends_of
from irmeval.experiments.results import Chart, Figure, Frame, Table, result
from irmeval.experiments.scored import OfScores
from irmeval.experiments.scores.baselines import Against, baselines_of, cost, pairs, place, run_test, tests_of
from irmeval.experiments.settings import Correct, Samples, Seed, Test, Testing
from irmeval.experiments.significance.every_pair import describe_test
from irmeval.experiments.table import table, tidy
from irmeval.experiments.work import Work
from irmeval.plots import cells, pins, row_charts
from irmeval.scoring.score_table import Scores
from irmeval.scoring.scores import evaluate
from irmeval.stats.anova import letters
from irmeval.stats.best import MEANING, METHOD
from irmeval.stats.corrections import adjust
from irmeval.stats.defaults import CORRECTION, TEST
from irmeval.stats.intervals import mean_interval
from irmeval.stats.pairs import Differences, hedges_g
from irmeval.stats.ranks import RANKED, Ranks, rank_runs

READABLE = 40
"""Runs that a figure shows."""
LEVEL = 0.95
"""Of the intervals."""
LEVELS = (0.05, 0.01, 0.001)
"""A run has as many marks as p is below these."""
BETTER, WORSE, SAME, BASELINE = "▲", "▼", "–", "baseline"


@checked
class Params(Testing):
    """What the means are compared with, and how."""

    baseline: Annotated[
        str,
        Param(
            "baseline", "The run that all others are tested against; several: A,B. Empty: the best by the first measure.", empty="the best"
        ),
    ] = ""
    test: Test = TEST
    samples: Samples = 1000
    correction: Correct = CORRECTION
    against_best: Annotated[
        str,
        Param(
            "against the best",
            "Where no baseline is named, it is the best run, picked for the scores that it is tested by. max-t: allows for that; test and "
            "correction are left aside. chosen: test and correction as for a named baseline; too many differences are found.",
            choices=("max-t", "chosen"),
        ),
    ] = "max-t"
    seed: Seed = 1

    @property
    def allows_for_picking(self) -> bool:
        """Whether the baseline is picked for its scores, and tested against in a way that allows for it."""
        return not self.baseline and self.against_best == "max-t"

    @property
    def unused(self) -> frozenset[str]:
        """Nothing where what allows for a picked baseline is drawn."""
        return frozenset() if self.allows_for_picking else super().unused

    @property
    def tested_by(self) -> str:
        """The test and the correction, or what allows for a baseline that was picked."""
        return METHOD if self.allows_for_picking else super().tested_by


class KeptScores(NamedTuple):
    """What is kept of one measure."""

    values: np.ndarray
    """float64 [run, topic]"""
    low: np.ndarray
    """float64 [run]"""
    high: np.ndarray


@result
class Leaderboard(OfScores):
    """The mean of every run by every measure, its interval, and its difference from a baseline.

    Attributes
    ----------
    scores : Scores
    low, high : float64 [measure, run]
        Ends of the 95% interval of each mean over topics (`irmeval.stats.intervals.mean_interval`); NaN on a single topic.
    difference : float64 [measure, run]
        Mean less that of the baseline, on the topics with a score for every run; NaN where there are fewer than two.
    tested : float64 [measure, run]
        p-values before correction, 1 / samples where none of the samples of a bootstrap reached the difference; NaN for the baseline.
    least : bool [measure, run]
        Where that is so: p is below what is said.
    baseline : the run that the others are held against
    params : Params
    others : what further baselines are told by, where several are named
    ends : on a sample, the means as estimated, with both of their intervals
    """

    scores: Scores
    low: np.ndarray
    high: np.ndarray
    difference: np.ndarray
    tested: np.ndarray
    least: np.ndarray
    baseline: str
    params: Params
    others: tuple[Against, ...] = ()
    ends: Ends = Ends()

    @property
    def _every(self) -> list[Against]:
        return [Against(self.baseline, self.difference, self.tested, self.least), *self.others]

    @property
    def views(self) -> list["Leaderboard"]:
        """The same held against each of its baselines in turn; p stay corrected for the pairs of all."""
        every = self._every
        if not self.others:
            return [self]
        turned = [[every[k], *every[:k], *every[k + 1 :]] for k in range(len(every))]
        return [replace(self, **first._asdict(), others=(*rest,)) for first, *rest in turned]

    @cached_property
    def p(self) -> np.ndarray:
        """p-values, corrected for the number of runs that the measure compares with the baseline (with several baselines, of pairs with
        any of them), or of all pairs where it is picked as the best [measure, run]; NaN for the baseline."""
        if self.params.allows_for_picking:
            return self.tested
        p = np.full(self.tested.shape, np.nan)
        for m, (corrected, tested) in enumerate(zip(p, self.tested, strict=True)):
            if (compared := np.isfinite(tested)).any():
                corrected[compared] = adjust(pairs(self._every, self.scores.runs, m), self.params.correction)[: compared.sum()]
        return p

    def effects(self, measure: str | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Of each run less the baseline by a measure, by default the first, on the topics with a score for every run: Hedges' g of the
        difference, and the share of topics that the run wins, each [run]; NaN for the baseline and where topics are fewer than two."""
        values = self.scores.values[self.measures.index(measure) if measure else 0]
        scores, base = values[:, ~np.isnan(values).any(axis=0)], self.scores.runs.index(self.baseline)
        found, others = np.full((2, len(values)), np.nan), np.delete(np.arange(len(values)), base)
        if min(scores.shape) > 1:
            z = -Differences(scores[[base, *others]])[: len(others)]
            found[:, others] = hedges_g(z), (z > 0).mean(axis=1)
        return found[0], found[1]

    @property
    def method(self) -> str:
        """How p came about: the test and the correction, or what allows for a baseline that was picked."""
        over = f" over {counted(len(pairs(self._every, self.scores.runs, 0)), 'pair')}" if self.others else ""
        return self.params.tested_by + over

    def notes(self) -> list[str]:
        """What the test and the correction do, in words, and what ranks and groups are."""
        tested = [MEANING] if self.params.allows_for_picking else describe_test(self.params.test, self.params.correction)
        return [*tested, RANKED]

    @cached_property
    def _ranks(self) -> dict[int, Ranks]:
        """Those that were asked for, by measure."""
        return {}

    def ranks(self, measure: str | None = None) -> Ranks:
        """The ranks that each run may have by a measure, by default the first, on the topics with a score for every run, and which runs are
        not told apart: paired t over all pairs with Holm's correction at .05. Any rank where runs or topics are fewer than two."""
        m = self.measures.index(measure) if measure else 0
        if m not in self._ranks:
            self._ranks[m] = rank_runs(self.scores.values[m], alpha=1 - LEVEL)
        return self._ranks[m]

    def groups(self, measure: str | None = None) -> list[str]:
        """Letters of each run, in the order of the files: two that share one are not told apart (`ranks`), nor are any between them."""
        order, groups = self.order(measure), [""] * len(self.scores.runs)
        for run, group in zip(order, letters(self.ranks(measure).alike[np.ix_(order, order)]), strict=True):
            groups[run] = group
        return groups

    @cached_property
    def marks(self) -> np.ndarray:
        """Texts [measure, run]: one, two or three triangles where p is below .05, .01, .001, up where the run is better than the baseline,
        down where it is worse; a dash where they are not told apart."""
        below = (self.p[..., None] < np.array(LEVELS)).sum(axis=-1)
        marks = np.full(self.p.shape, SAME, dtype=object)
        for cell in zip(*np.nonzero(below), strict=True):
            marks[cell] = (BETTER if self.difference[cell] > 0 else WORSE) * int(below[cell])
        marks[~np.isfinite(self.p)] = ""
        marks[:, self.scores.runs.index(self.baseline)] = BASELINE
        return marks

    def said_of_p(self, m: int, run: int) -> str:
        """A p-value to three digits; one that no sample reached is below what it could be at most."""
        p = self.p[m, run]
        return "" if p != p else f"< {p:.3g}" if self.least[m, run] and p < 1 else f"{p:.3g}"

    def frame(self) -> Frame:
        """One row per run and measure, in the order of the files: run, measure, topics that the mean is over, score, low and high end of
        its interval, difference from the baseline, p_value (corrected), method of p, rank_low and rank_high (`ranks`), group (`groups`).
        On a sample, what `Ends` has. Where baselines are several, the same for each of them, and a column baseline."""
        if self.others:
            import pandas as pd

            return pd.concat([view._frame().assign(baseline=view.baseline) for view in self.views], ignore_index=True)
        return self._frame()

    def _frame(self) -> Frame:
        axes = {"run": self.scores.runs, "measure": self.measures}
        columns = {
            "topics": self.scores.counts,
            "score": self.scores.means,
            "low": self.low,
            "high": self.high,
            "difference": self.difference,
            "p_value": self.p,
        }
        found = [self.ranks(measure) for measure in self.measures]
        ranked = {
            "rank_low": np.array([each.low for each in found]),
            "rank_high": np.array([each.high for each in found]),
            "group": np.array([self.groups(measure) for measure in self.measures], dtype=object),
            **self.ends.columns(),
        }
        frame = tidy(axes, {name: values.T for name, values in (columns | ranked).items()}).assign(method=self.method)
        return frame[[*(name for name in frame if name not in ranked), *ranked]]

    def board(self) -> Frame:
        """One row per run, best by the first measure first: over how many topics its means are, and the means."""
        return self.scores.board().iloc[self.order()].reset_index(drop=True)

    def compared(self, measure: str | None = None) -> Frame:
        """One row per run, best by a measure first, by default the first: mean, its interval, difference from the baseline, mark, p in
        words, Hedges' g of the difference, share of the topics that it wins, how p came about, the ranks and the group of the run, its
        mean rank over topics (`Scores.mean_ranks`), its Borda count over all measures (`Scores.borda`); on a sample, what `Ends` has."""
        m = self.measures.index(measure) if measure else 0
        effect, won = self.effects(measure)
        columns = {
            "run": self.scores.runs,
            str(self.measures[m]): self.scores.means[m],
            "low": self.low[m],
            "high": self.high[m],
            "difference": self.difference[m],
            "mark": self.marks[m],
            "p": [self.said_of_p(m, r) for r in range(len(self.scores.runs))],
            "Hedges' g": effect,
            "topics won": won,
            "method": [self.method] * len(self.scores.runs),
            "rank_low": self.ranks(measure).low,
            "rank_high": self.ranks(measure).high,
            "group": self.groups(measure),
            "mean rank": self.scores.mean_ranks[m],
            "Borda": self.scores.borda,
            **self.ends.columns_of(m),
        }
        return table(columns).iloc[self.order(measure)].reset_index(drop=True)

    def order(self, measure: str | None = None) -> np.ndarray:
        """The runs, best by a measure first, by default the first."""
        return np.argsort(-self.scores.means[self.measures.index(measure) if measure else 0], kind="stable")

    def headline(self) -> str:
        """Which run each measure puts first, and how many are told apart from the baseline by the first."""
        best: dict[str, list[str]] = {}
        runs = self.scores.runs
        for measure, means in zip(self.measures, self.scores.means, strict=True):
            if np.isfinite(means).any():
                best.setdefault(runs[int(np.nanargmax(means))], []).append(measure)
        topics, ranked = counted(len(self.scores.topics), "topic"), sorted(best.items(), key=lambda item: -len(item[1]))
        wins = "; ".join(f"{run} by {names_or_number(by, len(self.measures), 'measure')}" for run, by in ranked)
        alone = f"{runs[0]} is the only run, on {topics}: its mean {self.measures[0]} is {self.scores.means[0, 0]:.4f}."
        said = f"Best of {len(runs):,} runs on {topics}: {wins}." if len(runs) > 1 else alone
        return " ".join(filter(None, (said, self.estimated(), *(view.told_apart() for view in self.views))))

    def estimated(self, measure: str | None = None) -> str:
        """The mean of the best run as an estimator on a sample has it, in words; empty where the measure, by default the first, is none."""
        m, best = self.measures.index(measure) if measure else 0, self.order(measure)[0]
        said = self.ends.said(m, best)
        return said and f"On all judgments, {self.measures[m]} of {self.scores.runs[best]} is estimated at {said}."

    def told_apart(self, measure: str | None = None) -> str:
        """How many runs are significantly better than the baseline, and worse, by a measure."""
        m = self.measures.index(measure) if measure else 0
        told = self.p[m] < LEVELS[0]
        better, worse = (int(np.count_nonzero(told & (sign * self.difference[m] > 0))) for sign in (1, -1))
        if not (others := int(np.isfinite(self.p[m]).sum())):
            return ""
        why = ", which allows for picking the best by its scores" if self.params.allows_for_picking else ""
        ahead = "none is" if not better else f"{better:,} {verb(better, 'is', 'are')}"
        return (
            f"By {self.measures[m]}, {self.baseline} is significantly better than {some_of(worse, others, 'other run')}; {ahead} "
            f"significantly better than {self.baseline} ({self.method}{why}, p < {LEVELS[0]:g})."
        )

    def by_topic(self, runs: Sequence[str]) -> Frame:
        """One row per topic, highest by the first measure of the first run first; a column per run and measure."""
        scores = self.scores
        places = [scores.runs.index(run) for run in runs]
        columns = {
            f"{run} {measure}": scores.values[m, place]
            for run, place in zip(runs, places, strict=True)
            for m, measure in enumerate(scores.measures)
        }
        order = np.argsort(-scores.values[0, places[0]], kind="stable")
        return table({"topic": scores.topics, **columns}).iloc[order].reset_index(drop=True)

    def charts(self) -> list[Chart]:
        """The means of the best runs as cells, and by the first measure with their intervals."""
        return [
            Chart(
                "means",
                "Mean scores",
                f"The best {READABLE} runs at most, by mean {self.measures[0]}, best first; a darker cell is a higher mean.",
                self._means,
                wide=True,
            ),
            self.chart_of(self.measures[0]),
        ]

    def chart_of(self, measure: str) -> Chart:
        """The means by one measure with their intervals, beside the baseline's."""
        shown = f"The best {READABLE} of {len(self.scores.runs)} runs" if len(self.scores.runs) > READABLE else "All runs"
        drawn = " and, thick, that over judgments, around the estimate" if (estimated := self.estimated(measure)) else ""
        rare = f" {self.ends.rare}".rstrip() if estimated else ""
        return Chart(
            "intervals",
            "Means and their intervals",
            f"{shown} by mean {measure}, with its {LEVEL:.0%} interval over topics (Student's t, corrected for skew){drawn}; the line is "
            f"the mean of {self.baseline}. Blue: significantly better, orange: significantly worse, grey: not significant ({self.method})."
            f"{rare}",
            lambda: self._intervals(measure),
        )

    def _means(self) -> Figure:
        best = pins.best(self.order(), self.scores.runs, READABLE)
        return cells.cells([self.scores.runs[r] for r in best], self.measures, self.scores.means[:, best].T, title="mean score")

    def _intervals(self, measure: str) -> Figure:
        m = self.measures.index(measure)
        best, ends = pins.best(self.order(measure), self.scores.runs, READABLE), self.ends.of(m)
        means, *inner, low, high = (self.scores.means[m], self.low[m], self.high[m]) if ends is None else ends
        return row_charts.intervals(
            [self.scores.runs[r] for r in best],
            means[best],
            low[best],
            high[best],
            self.p[m, best] < LEVELS[0],
            f"mean {measure}",
            origin=float(means[self.scores.runs.index(self.baseline)]),
            form=".4f",
            inner=[end[best] for end in inner],
        )

    def tables(self) -> list[Table]:
        """The means; and by the first measure with intervals and marks."""
        first = [Table("means", "Means", self.board), Table("compared", "Compared with the baseline", self.compared)]
        more = enumerate(self.views[1:], 2)
        return [*first, *(Table(f"compared-{k}", f"Compared with {view.baseline}", view.compared) for k, view in more)]


@experiment(
    "leaderboard",
    title="Leaderboard",
    question="Who is best, by which measure?",
    does="rank the runs by every measure, with intervals and tests",
    source="the common practice of TREC; intervals: Johnson 1978, Hall 1983; tests: Sakai 2006",
    params=Params,
    stored=("test", "samples", "seed"),
    cost=cost,
)
def leaderboard(work: Work[Params]) -> Leaderboard:
    """Every run is scored by every measure; what counts is its mean over the topics, with an interval. Every run is tested against a
    baseline: one that is named, or the best, which is picked for its scores.

    Raises `UnknownName` for a baseline that is no run.
    """
    c, kept, params = work.collection, work.kept, work.params
    if missing := [m for m in work.measures if m not in kept]:
        for measure, values in zip(missing, evaluate(c, missing).values, strict=True):
            kept[measure] = KeptScores(values, *mean_interval(values, level=LEVEL, bounds=measure.metric.range))
    bases = baselines_of(work)
    for measure in work.steps(work.measures):
        for base in bases:
            if place(measure, base, params) not in kept:
                kept[place(measure, base, params)] = run_test(kept[measure].values, base, params)
    values, low, high = map(np.array, zip(*(kept[m] for m in work.measures), strict=True))
    scores = Scores(values, work.measures, c.runs, c.topics)
    times = np.where([m.metric.summed for m in work.measures], scores.counts.T, 1).T  # what a mean is of where it is a sum
    first, *others = (tests_of(work, base) for base in bases)
    low, high = low * times, high * times
    return Leaderboard(scores, low, high, *first[1:], first.baseline, params, (*others,), ends_of(work, level=LEVEL))
