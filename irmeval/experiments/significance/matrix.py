"""Which runs differ significantly: every pair is tested, by every measure."""

from functools import cached_property
from itertools import pairwise
from string import ascii_lowercase as LETTERS
from typing import Any

import numpy as np

from irmeval.core.params import checked
from irmeval.core.text import count_noun, percent, quantify, verb, worst_of
from irmeval.experiments.base import COLLECTION, MATRIX, MEASURES, Work, experiment
from irmeval.experiments.ends import Ends, ends_of
from irmeval.experiments.results import Chart, Figure, Frame, NextStep, Table, result, table, tidy_pairs
from irmeval.experiments.runs.two_runs import Pair
from irmeval.experiments.scored import describe_left_out, each_measure, names_of
from irmeval.experiments.settings import CORRECTION, TEST, Alpha, Correct, Samples, Seed, Test, Testing
from irmeval.experiments.significance.pair_tests import Tested, run_test
from irmeval.metrics import Measure
from irmeval.plots import heatmap, levels, pins, row_charts
from irmeval.stats.bootstrap import required_difference
from irmeval.stats.intervals import difference_interval
from irmeval.stats.means import best_first
from irmeval.stats.pairs import Differences, by_rows, discriminative_power, effect_size, hedges_g, stretches_alike
from irmeval.stats.significance import APART, TESTS, compare, correct, describe_p

READABLE = 30
"""Runs in a figure, unless more are chosen."""


@checked
class Params(Testing):
    """How pairs of runs are tested."""

    test: Test = TEST
    samples: Samples = 1000
    alpha: Alpha = 0.05
    correction: Correct = CORRECTION
    seed: Seed = 1

    @property
    def unused(self) -> frozenset[str]:
        """Samples and seed, if the test draws no samples. *Power* draws samples with any test, and names them itself."""
        return super().unused and frozenset({"samples", "seed"})


@result
class Significance:
    """Every pair of runs, tested by every measure. Pairs are in the order of ``np.triu_indices(runs, 1)``."""

    tested: tuple[Tested, ...]
    """per measure"""
    names: tuple[str, ...]
    """of the measures, or of the score matrix"""
    measures: tuple[Measure, ...]
    runs: tuple[str, ...]
    """in the order of the files, or as chosen"""
    topics: int
    """how many there are, including those left out"""
    params: Params
    ends: Ends = Ends()
    """on a sample of the judgments, the estimated differences and their intervals"""

    @cached_property
    def means(self) -> np.ndarray:
        """Mean scores [measure, run]."""
        return np.array([tested.scores.mean(axis=1) for tested in self.tested])

    @cached_property
    def difference(self) -> np.ndarray:
        """Mean score of the first run of a pair minus that of the second [measure, pair]."""
        return np.array([tested.pairs.difference for tested in self.tested])

    @cached_property
    def p(self) -> np.ndarray:
        """p-values, corrected for the number of pairs [measure, pair]."""
        return self.params.corrected(self._uncorrected)

    @property
    def _uncorrected(self) -> np.ndarray:
        return np.array([tested.pairs.p for tested in self.tested])

    @cached_property
    def significant(self) -> np.ndarray:
        """bool [measure, pair]: p is below alpha."""
        return self.p < self.params.alpha

    @cached_property
    def power(self) -> np.ndarray:
        """Share of the pairs that differ significantly [measure]."""
        return discriminative_power(self.p, alpha=self.params.alpha)

    @cached_property
    def required(self) -> np.ndarray:
        """Smallest significant difference in mean score, estimated by Sakai's bootstrap with any test [measure]."""
        alpha, samples, seed = self.params.alpha, self.params.samples, self.params.seed
        return np.array([float(required_difference(tested.scores, alpha=alpha, samples=samples, seed=seed)) for tested in self.tested])

    @cached_property
    def intervals(self) -> tuple[np.ndarray, np.ndarray]:
        """Ends of the interval of each difference at level 1 - alpha (Student's t, corrected for skew), each [measure, pair]."""
        low, high = zip(*(difference_interval(tested.scores, level=1 - self.params.alpha) for tested in self.tested), strict=True)
        return np.array(low), np.array(high)

    @cached_property
    def effect(self) -> np.ndarray:
        """Effect size of each difference, in its standard deviations over topics [measure, pair]."""
        return np.array([effect_size(tested.scores) for tested in self.tested])

    @cached_property
    def hedges(self) -> np.ndarray:
        """Effect size corrected for few topics, Hedges' g [measure, pair]."""
        return np.array([by_rows(hedges_g, Differences(tested.scores)) for tested in self.tested])

    @cached_property
    def won(self) -> np.ndarray:
        """Share of the topics on which the first run of a pair is better [measure, pair]."""
        return np.array([by_rows(lambda z: (z > 0).mean(axis=1), Differences(tested.scores), quick=True) for tested in self.tested])

    @cached_property
    def square(self) -> np.ndarray:
        """The number of the pair of two runs, in either order [run, run]; 0 on the diagonal."""
        R = len(self.runs)
        number = np.zeros((R, R), np.int64)
        number[np.triu_indices(R, 1)] = np.arange(R * (R - 1) // 2)
        return number + number.T

    def order(self, name: str) -> np.ndarray:
        """The runs by mean score, best first."""
        return best_first(self.means[self.names.index(name)])

    def _turned(self, m: int, k: Any, sign: Any) -> tuple[Any, Any, Any]:
        """The difference and the ends of its interval, of pairs `k`; of the second run less the first if the sign is -1."""
        low, high = np.sort(sign * np.stack([end[m, k] for end in self.intervals]), axis=0)
        return sign * self.difference[m, k], low, high

    def pair(self, name: str, a: str, b: str) -> Pair:
        """Two different runs by one measure, a less b."""
        m, i, j = self.names.index(name), self.runs.index(a), self.runs.index(b)
        tested, k, sign = self.tested[m], self.square[i, j], 1 if i < j else -1
        _, low, high = self._turned(m, k, sign)
        p, effect = float(self.p[m, k]), sign * float(self.effect[m, k])
        said, how = str(self.p_text[m, k]), self.params.tested_by
        if self.params.correction != "none":
            how += f" over {count_noun(self.p.shape[1], 'pair')}"
        scores, ends = (tested.scores[i], tested.scores[j]), self.ends.of_pairs(m, k, sign)
        return Pair(name, a, b, tested.topics, *scores, p, said, self.params.alpha, effect, float(low), float(high), how, ends)

    @cached_property
    def p_text(self) -> np.ndarray:
        """The p-values as text [measure, pair]; if no sample of a bootstrap reached the difference, below 1 / samples, corrected."""
        said = np.vectorize(lambda p: describe_p(p, self.params.test, self.params.samples), otypes=[object])(self.p)
        below = TESTS[self.params.test].simulated & (self._uncorrected == 0) & (self.p > 0) & (self.p < 1)
        said[below] = [f"< {text}" for text in said[below]]
        return said

    def frame(self) -> Frame:
        """One row per measure and pair: measure, run_a, run_b, difference (a less b), p_value (corrected), significant, Hedges' g, share of
        topics won by run_a; on a sample of the judgments, the columns of `Ends`."""
        columns = {"difference": self.difference, "p_value": self.p, "significant": self.significant}
        columns |= {"hedges_g": self.hedges, "topics_won": self.won, **self.ends.columns()}
        return tidy_pairs(self.names, self.runs, columns)

    def detailed(self) -> Frame:
        """`frame` with p as text, effect size and the interval of the difference."""
        low, high = self.intervals
        frame = self.frame().assign(effect_size=self.effect.ravel(), low=low.ravel(), high=high.ravel())
        last = ["hedges_g", "topics_won", *self.ends.columns()]
        return frame.assign(p_value=self.p_text.ravel())[[*(name for name in frame if name not in last), *last]]

    def summary(self) -> Frame:
        """One row per measure, most powerful first: power, required difference, significant pairs, all pairs, topics."""
        columns = {
            "measure": self.names,
            "power": self.power,
            "required difference": self.required,
            "told apart": self.significant.sum(axis=1),
            "pairs": self.p.shape[1],
            "topics": [len(tested.topics) for tested in self.tested],
        }
        return table(columns, by="power", falling=True)

    def marked(self) -> Frame:
        """One row per run, best by the first measure first: its letter, and its means with the letters of the runs that it is significantly
        better than, as in ``0.3120^bc``."""
        best = self.order(self.names[0])[: len(LETTERS)]
        columns: dict[str, list[str]] = {"": [*LETTERS[: len(best)]], "run": [self.runs[r] for r in best]}
        for m, name in enumerate(self.names):
            means = self.means[m]
            better = self.significant[m][self.square[np.ix_(best, best)]] & np.greater.outer(means[best], means[best])
            beaten = ["".join(np.array([*LETTERS[: len(best)]])[row]) for row in better]
            columns[name] = [f"{means[r]:.4f}^{letters}".rstrip("^") for r, letters in zip(best, beaten, strict=True)]
        return table(columns)

    def by_test(self) -> Frame:
        """One row per measure: its power under every test, with the same correction."""
        samples, seed, alpha = self.params.samples, self.params.seed, self.params.alpha
        columns: dict[str, Any] = {"measure": self.names}
        for name in APART:
            p = np.array([compare(tested.scores, name, samples=samples, seed=seed).p for tested in self.tested])
            columns[TESTS[name].label] = discriminative_power(correct(p, self.params.correction, name, samples), alpha=alpha)
        return table(columns)

    def headline(self) -> str:
        left_out = describe_left_out(self.topics - min(len(tested.topics) for tested in self.tested)) + self._out_of_reach()
        pairs, most, least = self.p.shape[1], int(self.power.argmax()), int(self.power.argmin())
        how = self.params.decided_by
        if self.power[most] == self.power[least]:
            n, found = len(self.names), int(self.significant[most].sum())
            who = self.names[0] if n == 1 else "both measures" if n == 2 else f"each of {n} measures"
            told = f"{quantify(found, pairs, 'pair')} of runs {verb(max(found, 1), 'differs', 'differ')} significantly"
            return f"By {who}, {told}{f', {self.power[most]:.1%}' if 0 < found < pairs else ''} ({how}).{left_out}"
        return (
            f"Of {count_noun(pairs, 'pair')} of runs, {self.names[most]} finds the most significantly different, {self.power[most]:.1%}, "
            f"and {self.names[least]} the fewest, {self.power[least]:.1%} ({how}).{left_out}"
        )

    def _out_of_reach(self) -> str:
        """A sentence if no difference can be significant, however large: the samples are too few for the correction."""
        params, pairs = self.params, self.p.shape[1]
        if params.is_significant(np.zeros(pairs)).all():
            return ""
        return (
            f" No pair can be significant: the least p of {params.samples:,} samples, {1 / params.samples:g}, is corrected for {pairs:,} "
            "pairs. Take more samples, or a test without samples."
        )

    def next_steps(self) -> list[NextStep]:
        name, order = self.names[0], self.order(self.names[0])
        undecided = ~self.significant[0]
        pair = next(((a, b) for a, b in pairwise(order) if undecided[self.square[a, b]]), (order[0], order[1]))
        a, b = (self.runs[r] for r in pair)
        settings = {"run_a": a, "run_b": b}
        n, pairs, how = int(undecided.sum()), undecided.size, self.params.tested_by
        if n:
            some = f"{n:,} of {pairs:,} pairs {verb(n, 'does', 'do')} not differ"
            which = "The two runs do not differ" if pairs == 1 else "No pair differs" if n == pairs else some
            told = f"{which} significantly by {name} ({how})"
            near = f"{a} and {b} do not differ significantly ({how}): by other measures?"
        else:
            told = f"By {name} {'every pair differs' if pairs > 1 else 'the two runs differ'} significantly ({how})"
            near = f"{a} and {b} are the two best: by other measures too?"
        weak, least = worst_of(self.names, self.power)
        share = f"{percent(least)} of the pairs" if least else "no pair"
        power = f"{weak} finds {share} significantly different ({how}): how large must a difference be?"
        return [
            NextStep(told, "matrix", {"measure": name, **settings}),
            NextStep(near, "two-runs", settings),
            NextStep(power if pairs > 1 else "How large must a difference be?", "power"),
            NextStep("What is left of this on fewer judgments?", "decisions"),
        ]

    def charts(self) -> list[Chart]:
        first = self.names[0]
        best = self.order(first)[:READABLE]
        return [self.chart_of_levels(), self.chart_of_matrix(first, best), self.chart_of_groups(first, best)]

    def tables(self) -> list[Table]:
        return [
            Table("power", "Power", self.summary),
            Table("marks", "Means with the letters of the runs that are significantly worse", self.marked),
            Table("pairs", "Every pair", self.detailed),
            Table("tests", "Power by every test", self.by_test),
        ]

    def chart_of_levels(self) -> Chart:
        """The p-values of all pairs in ascending order, a curve per measure (ASL curves)."""
        return Chart(
            "levels",
            "Sorted p-values",
            "Pairs of runs from the smallest p (for the bootstrap, the achieved significance level) to the largest: the further right a "
            "curve crosses the dotted alpha, the more differences are significant by its measure. Names are in the order of power; the "
            f"figure shows the part where the curves rise. p: {self.params.tested_by}.",
            lambda: levels.levels(
                self.names, np.sort(self.p, axis=1), self.params.alpha, describe_p(0, self.params.test, self.params.samples)
            ),
        )

    def chart_of_matrix(self, name: str, shown: np.ndarray) -> Chart:
        """Every run of `shown` against every other, in that order."""
        every = shown.size == len(self.runs)
        some = "All runs" if every else f"{shown.size:,} of {len(self.runs):,} runs"
        return Chart(
            "matrix",
            "Every run against every other" if every else f"{some} against each other",
            f"{some} by mean {name}, best first.{self._all_grey(name, shown)} Blue: the run of the row is better, orange: "
            f"worse, darker for a smaller p; grey: not significant ({self.params.decided_by}). Point at a cell for its numbers; click it "
            "to see the pair.",
            lambda: self._matrix(name, pins.first_drawn(shown, self.runs, shown.size)),
        )

    def _all_grey(self, name: str, shown: np.ndarray) -> str:
        """A sentence if no two of the runs `shown` differ significantly."""
        significant = self.significant[self.names.index(name)]
        if significant[self.square[np.ix_(shown, shown)][np.triu_indices(shown.size, 1)]].any():
            return ""
        others = int(significant.sum())
        which = f"; {count_noun(others, 'pair')} of runs further apart {verb(others, 'does', 'do')}" if others else ""
        return f" No two of them differ significantly{which}."

    def _matrix(self, name: str, shown: np.ndarray) -> Figure:
        m, k = self.names.index(name), self.square[np.ix_(shown, shown)]
        sign = np.where(np.less.outer(shown, shown), 1, -1)
        names, (difference, *ends) = [self.runs[r] for r in shown], self._turned(m, k, sign)
        numbers = self.means[m, shown], difference, self.p[m, k], self.p_text[m, k]
        return heatmap.pairs(names, *numbers, *ends, alpha=self.params.alpha, estimated=self.ends.of_pairs(m, k, sign))

    def groups(self, name: str, shown: np.ndarray) -> list[tuple[int, int]]:
        """First and last place in `shown` of each longest stretch of runs without a significant difference, best first."""
        return stretches_alike(~self.significant[self.names.index(name)][self.square[np.ix_(shown, shown)]])

    def chart_of_groups(self, name: str, shown: np.ndarray) -> Chart:
        """The runs `shown` with a bar beside each of their `groups`."""
        return Chart(
            "groups",
            "Groups of runs",
            f"Runs by mean {name}. A bar joins neighbours of which no two differ significantly ({self.params.decided_by}). Two runs "
            "without a common bar differ significantly, or two of the runs between them do.",
            lambda: self._ladder(name, pins.first_drawn(shown, self.runs, shown.size)),
        )

    def _ladder(self, name: str, shown: np.ndarray) -> Figure:
        means = self.means[self.names.index(name), shown]
        return row_charts.ladder([self.runs[r] for r in shown], means, self.groups(name, shown), f"mean {name}")

    def chart_against(self, name: str, run: str, shown: np.ndarray) -> Chart:
        """The differences of the runs `shown` from one run, with their intervals."""
        m, i = self.names.index(name), self.runs.index(run)
        others = shown[shown != i]
        k = self.square[i, others]
        sign = np.where(others < i, 1, -1)
        mean, *inner, low, high = self.ends.of_pairs(m, k, sign) or self._turned(m, k, sign)
        plain = self.params.correction == "none" and not TESTS[self.params.test].joint
        notes = " p is not corrected for the number of runs, nor for picking the best run: too many differences are significant."
        notes = (notes if plain else "") + (f" {self.ends.rare}".rstrip() if inner else "")
        return Chart(
            "against",
            f"All against {run}",
            f"Difference in mean {name} of each run from {run}, with its {1 - self.params.alpha:.0%} interval over topics"
            f"{' and, thick, that over judgments' if inner else ''}; "
            f"blue: significantly better, orange: significantly worse, grey: not significant ({self.params.decided_by}).{notes}",
            lambda: row_charts.intervals(
                [self.runs[r] for r in others], mean, low, high, self.significant[m, k], f"{name} minus that of {run}", inner=inner
            ),
        )


@experiment(
    "matrix",
    title="Matrix",
    question="Which runs differ significantly?",
    does="test every pair of runs for a difference",
    source="Sakai 2006; Sakai & Kando 2008, Table 3; Sakai 2007 (alternatives to bpref), Table 3",
    takes=(COLLECTION, MATRIX, MEASURES),
    stored=("test", "samples", "seed"),
    pages=("matrix", "power", "two-runs"),
)
def significance(work: Work[Params]) -> Significance:
    """Every pair of runs is tested for a difference in mean score over the topics. The discriminative power of a measure is the share of
    pairs that differ significantly.

    The runs to compare also decide the order of the runs. Raises `ParamError` if there are fewer than two runs, or fewer than two topics
    with a score for every run, and `UnknownName` for an unknown run.
    """
    source, params = work.data, work.params
    tested = each_measure(work, lambda name, scores: run_test(name, scores, source.topics, params))
    ends = ends_of(work, pairs=True, level=1 - params.alpha)
    return Significance(tested, names_of(source, work.measures), work.measures, work.runs, len(source.topics), params, ends)
