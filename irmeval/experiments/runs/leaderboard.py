"""Runs by measures: means, their intervals, and which runs differ from a baseline."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from irmeval.core.lazy import pd
from irmeval.core.params import checked, param
from irmeval.core.text import capitalize, count_noun, count_with_be, quantify
from irmeval.experiments.base import Work, experiment
from irmeval.experiments.ends import Ends, ends_of
from irmeval.experiments.results import Chart, Figure, Frame, NextStep, Table, result, table, tidy
from irmeval.experiments.runs.baselines import Against, baselines_of, describe_against, pairs, run_test, test_key, tests_of
from irmeval.experiments.scored import OfScores, describe_best
from irmeval.experiments.settings import CORRECTION, TEST, Correct, Samples, Seed, Test, Testing
from irmeval.plots import cells, pins, row_charts
from irmeval.scoring.score_table import Scores
from irmeval.scoring.scores import evaluate
from irmeval.stats.anova import letters
from irmeval.stats.best import MEANING, METHOD
from irmeval.stats.corrections import adjust
from irmeval.stats.intervals import mean_interval
from irmeval.stats.means import best_first
from irmeval.stats.pairs import Differences, hedges_g
from irmeval.stats.ranks import RANKED, Ranks, rank_runs

READABLE = 40
"""Runs in a figure."""
LEVEL = 0.95
"""Level of the intervals."""
LEVELS = (0.05, 0.01, 0.001)
"""A run has a mark for each of these levels that its p is below."""
BETTER = "▲"  # than the baseline, significantly
WORSE = "▼"
SAME = "–"  # neither
BASELINE = "baseline"  # the run itself


@checked
class Params(Testing):
    """With which baseline the runs are compared, and how."""

    baseline: str = param(
        "baseline", "All other runs are tested against this run, or several: A,B. Empty: the best run.", empty="the best", default=""
    )
    test: Test = TEST
    samples: Samples = 1000
    correction: Correct = CORRECTION
    against_best: str = param(
        "against the best",
        "Without a named baseline, it is the best run, which is picked by the scores of the test. max-t: allows for that; test and "
        "correction are not used. chosen: test and correction as for a named baseline; too many differences are significant.",
        choices=("max-t", "chosen"),
        value_labels={"max-t": "picking the best is allowed for", "chosen": "picking the best is not allowed for"},
        default="max-t",
    )
    seed: Seed = 1

    @property
    def allows_for_picking(self) -> bool:
        """Whether the baseline is picked by its scores, and the test allows for that."""
        return not self.baseline and self.against_best == "max-t"

    @property
    def unused(self) -> frozenset[str]:
        """Parameters without effect: none with `METHOD`, which draws samples."""
        return frozenset() if self.allows_for_picking else super().unused

    @property
    def tested_by(self) -> str:
        """The names of test and correction, or of the method that allows for a picked baseline."""
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
    """The mean of every run by every measure, its interval, and its difference from a baseline."""

    scores: Scores
    low: np.ndarray
    high: np.ndarray
    """float64 [measure, run], ends of the 95% interval of each mean over topics (`stats.intervals.mean_interval`); NaN on a single topic"""
    difference: np.ndarray
    """float64 [measure, run], mean minus that of the baseline, on the topics with a score for every run; NaN for fewer than two topics"""
    tested: np.ndarray
    """float64 [measure, run], p before correction; NaN for the baseline"""
    least: np.ndarray
    """bool [measure, run], whether no sample of a bootstrap reached the difference: p is then below `tested`, 1 / samples"""
    baseline: str
    params: Params
    others: tuple[Against, ...] = ()
    """the tests against further baselines"""
    ends: Ends = Ends()
    """on a sample of the judgments, the estimated means and their intervals"""

    @property
    def _every(self) -> list[Against]:
        return [Against(self.baseline, self.difference, self.tested, self.least), *self.others]

    @property
    def views(self) -> list["Leaderboard"]:
        """The leaderboard against each of its baselines in turn; p are corrected for the pairs with any baseline."""
        every = self._every
        if not self.others:
            return [self]
        turned = [[every[k], *every[:k], *every[k + 1 :]] for k in range(len(every))]
        return [replace(self, **first._asdict(), others=(*rest,)) for first, *rest in turned]

    @cached_property
    def p(self) -> np.ndarray:
        """p-values [measure, run], corrected for the number of pairs with a baseline; or by `METHOD`, which allows for all pairs. NaN for
        the baseline."""
        if self.params.allows_for_picking:
            return self.tested
        p = np.full(self.tested.shape, np.nan)
        for m, (corrected, tested) in enumerate(zip(p, self.tested, strict=True)):
            if (compared := np.isfinite(tested)).any():
                corrected[compared] = adjust(pairs(self._every, self.scores.runs, m), self.params.correction)[: compared.sum()]
        return p

    def effects(self, measure: str | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Each run less the baseline by a measure, by default the first, on the topics with a score for every run: Hedges' g of the
        difference, and the share of topics that the run wins, each [run]; NaN for the baseline and for fewer than two topics."""
        values = self.scores.values[self.measures.index(measure) if measure else 0]
        scores, base = values[:, ~np.isnan(values).any(axis=0)], self.scores.runs.index(self.baseline)
        found, others = np.full((2, len(values)), np.nan), np.delete(np.arange(len(values)), base)
        if min(scores.shape) > 1:
            z = -Differences(scores[[base, *others]])[: len(others)]
            found[:, others] = hedges_g(z), (z > 0).mean(axis=1)
        return found[0], found[1]

    @property
    def method(self) -> str:
        """How p is computed: `Params.tested_by`, and over how many pairs with several baselines."""
        over = f" over {count_noun(len(pairs(self._every, self.scores.runs, 0)), 'pair')}" if self.others else ""
        return self.params.tested_by + over

    @property
    def _method_in_tables(self) -> str:
        return self.method if self.params.allows_for_picking else capitalize(self.method)

    def notes(self) -> list[str]:
        """Sentences on the test, the correction, ranks and groups."""
        tested = [MEANING] if self.params.allows_for_picking else self.params.describe_test()
        return [*tested, RANKED]

    @cached_property
    def _ranks(self) -> dict[int, Ranks]:
        """The ranks by measure that were computed already."""
        return {}

    def ranks(self, measure: str | None = None) -> Ranks:
        """The ranks that each run may have by a measure, by default the first, on the topics with a score for every run, and which runs do
        not differ: paired t over all pairs with Holm's correction at .05. All ranks for fewer than two runs or topics."""
        m = self.measures.index(measure) if measure else 0
        if m not in self._ranks:
            self._ranks[m] = rank_runs(self.scores.values[m], alpha=1 - LEVEL)
        return self._ranks[m]

    def groups(self, measure: str | None = None) -> list[str]:
        """Letters of each run, in the order of the files: runs that share a letter do not differ (`ranks`), nor do the runs between
        them."""
        order, groups = self.order(measure), [""] * len(self.scores.runs)
        for run, group in zip(order, letters(self.ranks(measure).alike[np.ix_(order, order)]), strict=True):
            groups[run] = group
        return groups

    @cached_property
    def marks(self) -> np.ndarray:
        """Texts [measure, run]: one, two or three triangles for p below .05, .01, .001, up for a run better than the baseline, down for a
        worse one; a dash for no significant difference."""
        below = (self.p[..., None] < np.array(LEVELS)).sum(axis=-1)
        marks = np.full(self.p.shape, SAME, dtype=object)
        for cell in zip(*np.nonzero(below), strict=True):
            marks[cell] = (BETTER if self.difference[cell] > 0 else WORSE) * int(below[cell])
        marks[~np.isfinite(self.p)] = ""
        marks[:, self.scores.runs.index(self.baseline)] = BASELINE
        return marks

    def p_text(self, m: int, run: int) -> str:
        """A p-value to three digits, with ``<`` if no sample reached the difference."""
        p = self.p[m, run]
        return "" if p != p else f"< {p:.3g}" if self.least[m, run] and p < 1 else f"{p:.3g}"

    def frame(self) -> Frame:
        """One row per run and measure, in the order of the files: run, measure, topics with a score, score (the mean), low and high end of
        its interval, difference from the baseline, p_value (corrected), method of p, rank_low and rank_high (`ranks`), group (`groups`); on
        a sample of the judgments, the columns of `Ends`. With several baselines, the same for each of them, and a column baseline."""
        if self.others:
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
        frame = tidy(axes, {name: values.T for name, values in (columns | ranked).items()}).assign(method=self._method_in_tables)
        return frame[[*(name for name in frame if name not in ranked), *ranked]]

    def board(self) -> Frame:
        """One row per run, best by the first measure first: number of topics, and the means."""
        return self.scores.board().iloc[self.order()].reset_index(drop=True)

    def compared(self, measure: str | None = None) -> Frame:
        """One row per run, best by a measure first, by default the first: mean, its interval, difference from the baseline, mark, p as
        text, Hedges' g of the difference, share of topics that the run wins, method of p, ranks, group, mean rank over topics, Borda count
        over all measures; on a sample of the judgments, the columns of `Ends`."""
        m = self.measures.index(measure) if measure else 0
        effect, won = self.effects(measure)
        columns = {
            "run": self.scores.runs,
            str(self.measures[m]): self.scores.means[m],
            "low": self.low[m],
            "high": self.high[m],
            "difference": self.difference[m],
            "mark": self.marks[m],
            "p": [self.p_text(m, r) for r in range(len(self.scores.runs))],
            "Hedges' g": effect,
            "topics won": won,
            "method": [self._method_in_tables] * len(self.scores.runs),
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
        return best_first(self.scores.means[self.measures.index(measure) if measure else 0])

    def headline(self) -> str:
        runs, topics = self.scores.runs, count_noun(len(self.scores.topics), "topic")
        alone = f"{runs[0]} is the only run, on {topics}: its mean {self.measures[0]} is {self.scores.means[0, 0]:.4f}."
        if not np.isfinite(self.scores.means).any():
            return f"{capitalize(quantify(0, len(self.scores.topics), 'topic'))} has a score."
        said = f"Best of {len(runs):,} runs on {topics}: {describe_best(self.scores)}." if len(runs) > 1 else alone
        return " ".join(filter(None, (said, self.estimated(), *(view.describe_significant() for view in self.views))))

    def estimated(self, measure: str | None = None) -> str:
        """A sentence on the estimated mean of the best run by a measure, by default the first; empty if the measure is no estimator."""
        m, best = self.measures.index(measure) if measure else 0, self.order(measure)[0]
        said = self.ends.describe(m, best)
        return said and f"On all judgments, {self.measures[m]} of {self.scores.runs[best]} is estimated at {said}."

    def describe_significant(self, measure: str | None = None) -> str:
        """How many runs are significantly better and worse than the baseline, by a measure."""
        m = self.measures.index(measure) if measure else 0
        why = ", which allows for picking the best by its scores" if self.params.allows_for_picking else ""
        said = describe_against(self.baseline, self.scores.runs, self.difference[m], self.p[m], LEVELS[0])
        return said and f"By {self.measures[m]}, {said} ({self.method}{why}, p < {LEVELS[0]:g})."

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

    def next_steps(self) -> list[NextStep]:
        first, baseline, runs = self.measures[0], self.baseline, self.scores.runs
        p = self.p[0]
        if len(runs) == 1:
            return [NextStep("How much of the run is unjudged?", "unjudged"), NextStep("What does it score on fewer judgments?", "curves")]
        alike = [runs[r] for r in self.order() if p[r] >= LEVELS[0]]
        others = [runs[r] for r in self.order() if runs[r] != baseline]
        found = []
        if alike:
            pair = {"measure": first, "run_a": baseline, "run_b": alike[0]}
            found.append(
                NextStep(f"{count_with_be(len(alike), 'run')} not significantly different from {baseline} ({self.method})", "matrix", pair)
            )
        elif others and np.isfinite(p).any():
            pair = {"run_a": baseline, "run_b": others[0]}
            rest = "every other run" if len(others) > 1 else others[0]
            found.append(NextStep(f"{baseline} differs significantly from {rest} ({self.method})", "two-runs", pair))
        ahead = dict(zip(self.measures, self.scores.leaders, strict=True))
        best, *level = ahead[first] or [runs[0]]
        if other := next((m for m, leaders in ahead.items() if leaders and not {*leaders} & {best, *level}), None):
            found.append(NextStep(f"{first} and {other} put different runs first", "rankings", {"sorted_by": first, "against": other}))
        elif len(ahead) > 1 and all(leaders == (best,) for leaders in ahead.values()):
            found.append(NextStep(f"Every measure puts {best} first: do they agree further down?", "agreement"))
        stays = "Do runs that tie part" if level else f"Does {best} stay first"
        return [*found, NextStep(f"{stays} on fewer judgments?", "curves")]

    def charts(self) -> list[Chart]:
        return [
            Chart(
                "means",
                "Mean scores",
                f"At most {READABLE} runs, by mean {self.measures[0]}, best first; a darker cell is a higher mean.",
                self._means,
                wide=True,
            ),
            self.chart_of(self.measures[0]),
        ]

    def chart_of(self, measure: str) -> Chart:
        """The means by one measure with their intervals, and a line at the baseline's mean."""
        n = len(self.scores.runs)
        shown = f"the best {READABLE} of {n} runs" if n > READABLE else "all runs" if n > 1 else "the run"
        drawn = " and, thick, the interval over judgments around the estimate" if (estimated := self.estimated(measure)) else ""
        rare = f" {self.ends.rare}".rstrip() if estimated else ""
        tested = f"Blue: significantly better, orange: significantly worse, grey: not significant ({self.method})."
        line = f"; the line is the mean of {self.baseline}" if n > 1 else ""
        return Chart(
            "intervals",
            "Means and their intervals",
            f"Mean {measure} of {shown}, with its {LEVEL:.0%} interval over topics (Student's t, corrected for skew){drawn}{line}."
            f"{f' {tested}' if np.isfinite(self.p[self.measures.index(measure)]).any() else ''}{rare}",
            lambda: self._intervals(measure),
        )

    def _means(self) -> Figure:
        best = pins.first_drawn(self.order(), self.scores.runs, READABLE)
        return cells.cells([self.scores.runs[r] for r in best], self.measures, self.scores.means[:, best].T, title="mean score")

    def _intervals(self, measure: str) -> Figure:
        m = self.measures.index(measure)
        best, ends = pins.first_drawn(self.order(measure), self.scores.runs, READABLE), self.ends.of_measure(m)
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
        first = [Table("means", "Means", self.board), Table("compared", "Compared with the baseline", self.compared)]
        return [*first, *(Table(f"compared-{k}", f"Compared with {one.baseline}", one.compared) for k, one in enumerate(self.views[1:], 2))]


@experiment(
    "leaderboard",
    title="Leaderboard",
    question="Who is best, by which measure?",
    does="rank the runs by every measure, with intervals and tests",
    source="the common practice of TREC; intervals: Johnson 1978, Hall 1983; tests: Sakai 2006",
    stored=("test", "samples", "seed"),
)
def leaderboard(work: Work[Params]) -> Leaderboard:
    """Every run is scored by every measure, and has a mean over the topics with an interval. Every run is tested against a baseline: a
    named run, or the best, which is picked by its scores.

    Raises `UnknownName` for a baseline that is no run.
    """
    c, kept, params = work.collection, work.cache, work.params
    if missing := [m for m in work.measures if m not in kept]:
        for measure, values in zip(missing, evaluate(c, missing).values, strict=True):
            kept[measure] = KeptScores(values, *mean_interval(values, level=LEVEL, bounds=measure.metric.range))
    bases = baselines_of(work)
    for measure in work.steps(work.measures):
        for base in bases:
            if test_key(measure, base, params) not in kept:
                kept[test_key(measure, base, params)] = run_test(kept[measure].values, base, params)
    values, low, high = map(np.array, zip(*(kept[m] for m in work.measures), strict=True))
    scores = Scores(values, work.measures, c.runs, c.topics)
    times = np.where([m.metric.summed for m in work.measures], scores.counts.T, 1).T  # a summed metric has a sum for its mean
    first, *others = (tests_of(work, base) for base in bases)
    return Leaderboard(scores, low * times, high * times, *first[1:], first.baseline, params, (*others,), ends_of(work, level=LEVEL))
