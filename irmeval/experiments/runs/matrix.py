"""Significance tests of every pair of runs by every measure."""

from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from string import ascii_lowercase as LETTERS
from typing import Any

import numpy as np

from irmeval.core.params import checked
from irmeval.core.places import pick, place_of_choice
from irmeval.core.text import capitalize, count_noun, verb
from irmeval.experiments.base import COLLECTION, MATRIX, MEASURES, Work, experiment
from irmeval.experiments.ends import Ends, ends_of
from irmeval.experiments.facts import Fact, Verdict
from irmeval.experiments.needs import PAIRS, check_enough
from irmeval.experiments.results import (
    Chart,
    Choice,
    Figure,
    Frame,
    NextStep,
    Result,
    Table,
    table,
    tidy_pairs,
)
from irmeval.experiments.runs.pair import PairOfRuns
from irmeval.experiments.scored import (
    each_measure,
    names_of,
)
from irmeval.experiments.settings import (
    DECISIONS,
    TEST,
    Alpha,
    AtOnce,
    Samples,
    Seed,
    Test,
    Testing,
    settings_of_test,
)
from irmeval.experiments.verdicts import (
    LONE,
    PAIR_BY_PAIR,
    describe_colors,
    describe_marks,
    describe_pairs,
    name_family,
    together,
)
from irmeval.metrics import Measure
from irmeval.plots import cells, heatmap, pins, row_charts
from irmeval.plots.colors import styles
from irmeval.reading.score_matrix import Matrix
from irmeval.stats.bootstrap import required_difference
from irmeval.stats.means import best_first, mean_of_known
from irmeval.stats.pair_tests import FAMILYWISE, Intervals, PairTests
from irmeval.stats.significance import APART, TESTS, describe_p

MARKED = "Means with the letters of the runs that are significantly worse at once"
"""Title of a table."""
READABLE = 30
"""Number of runs in a close-up, whose cells can be clicked."""


@checked
class Params(Testing):
    """How pairs of runs are tested."""

    test: Test = TEST
    samples: Samples = 1000
    alpha: Alpha = 0.05
    at_once: AtOnce = FAMILYWISE
    seed: Seed = 1

    @property
    def unused(self) -> frozenset[str]:
        """Samples and seed, if the test draws no samples. *Power* draws samples with
        any test, and states them itself.
        """
        return super().unused and frozenset({"samples", "seed"})


class PairMatrix(Result):
    """Every pair of runs, tested by every measure. Pairs are in the order of
    ``np.triu_indices(runs, 1)``.
    """

    tested: tuple[PairTests, ...]
    """per measure"""
    names: tuple[str, ...]
    """of the measures, or of the score matrix"""
    measures: tuple[Measure, ...]
    runs: tuple[str, ...]
    """in the order of the files, or as chosen"""
    topics: tuple[str, ...]
    params: Params
    loaded: int
    """number of runs, including those that are not selected"""
    ends: Ends = Ends()
    """on a sample of the judgments, the estimated differences and their intervals"""

    @cached_property
    def means(self) -> np.ndarray:
        """Mean scores [measure, run]."""
        return np.array([mean_of_known(tested.scores) for tested in self.tested])

    def _each(self, name: str) -> np.ndarray:
        return np.array([getattr(tested, name) for tested in self.tested])

    @property
    def difference(self) -> np.ndarray:
        """Mean score of the first run of a pair minus that of the second, on the topics
        of both [measure, pair].
        """
        return self._each("difference")

    @property
    def alone(self) -> np.ndarray:
        """bool [measure, pair]: p of the pair alone is below alpha."""
        return self._each("alone")

    @property
    def at_once(self) -> np.ndarray:
        """bool [measure, pair]: p with all pairs at once is below alpha."""
        return self._each("at_once")

    @cached_property
    def power(self) -> np.ndarray:
        """Share of the pairs that differ significantly, each alone [measure]."""
        return self.alone.mean(axis=1)

    @cached_property
    def family(self) -> str:
        """Text of the family of pairs tested at once."""
        return name_family(self.tested[0], loaded=self.loaded)

    def describe_marks(self, *, papers: bool = False) -> str:
        """Legend of the marks; `papers` for those of LaTeX."""
        return describe_marks(self.tested[0], self.family, self.params.at_once, papers=papers)

    @cached_property
    def required(self) -> np.ndarray:
        """Smallest significant difference in mean score, estimated by Sakai's bootstrap
        with any test, on the topics of all runs [measure]; NaN for fewer than two of
        these.
        """
        alpha, samples, seed = self.params.alpha, self.params.samples, self.params.seed
        scores = [
            tested.scores[:, np.isfinite(tested.scores).all(axis=0)] for tested in self.tested
        ]

        def required(known: np.ndarray) -> float:
            if known.shape[1] < 2:
                return np.nan
            return float(required_difference(known, alpha=alpha, samples=samples, seed=seed))

        return np.array([*map(required, scores)])

    @cached_property
    def square(self) -> np.ndarray:
        """Index of the pair of two runs, in either order [run, run]; 0 on the
        diagonal.
        """
        return np.maximum(self.tested[0].number, 0)

    def order(self, name: str) -> np.ndarray:
        """The runs by mean score, best first."""
        return best_first(self.means[self.names.index(name)])

    def _turned(self, m: int, k: Any, sign: Any) -> tuple[np.ndarray, Intervals]:
        """The difference and its intervals, of pairs `k`; of the second run minus the
        first if the sign is -1.
        """
        # a square has each pair twice, and its resampling takes most of a drawing
        pairs, which = np.unique(np.ravel(k), return_inverse=True)
        ends = self.tested[m].intervals(pairs)
        low, high, least, most = (sign * end[which].reshape(np.shape(k)) for end in ends)
        # where the sign is turned, the lower end is the higher one
        turned = Intervals(*np.sort([low, high], axis=0), *np.sort([least, most], axis=0))
        return sign * self.difference[m, k], turned

    def pair(self, name: str, a: str, b: str) -> PairOfRuns:
        """Two different runs by one measure, a minus b."""
        m, i, j = self.names.index(name), self.runs.index(a), self.runs.index(b)
        tested, k, sign = self.tested[m], int(self.square[i, j]), 1 if i < j else -1
        difference, intervals = self._turned(m, k, sign)
        known = np.flatnonzero(np.isfinite(tested.scores[[i, j]]).all(axis=0))
        return PairOfRuns(
            name=name,
            a=a,
            b=b,
            topics=tuple(pick(self.topics, known)),
            x=tested.scores[i, known],
            y=tested.scores[j, known],
            difference=float(difference),
            p_alone=float(tested.p_alone[k]),
            p_at_once=float(tested.p_at_once[k]),
            intervals=Intervals(*map(float, intervals)),
            effect=sign * float(tested.effect[k]),
            hedges=sign * float(tested.hedges[k]),
            params=self.params,
            pairs=tested.first.size,
            family=self.family,
            ends=self.ends.of_pairs(m, k, sign),
            limits=self.limits(m),
        )

    def frame(self) -> Frame:
        """One row per measure and pair: measure, run_a, run_b, difference (a less b),
        p_alone, p_at_once, Hedges' g, share of topics won by run_a; on a sample of the
        judgments, the columns of `Ends`.
        """
        columns = {
            "difference": self.difference,
            "p_alone": self._each("p_alone"),
            "p_at_once": self._each("p_at_once"),
        }
        columns |= {
            "hedges_g": self._each("hedges"),
            "topics_won": self._each("won"),
            **self.ends.columns(),
        }
        return tidy_pairs(self.names, self.runs, columns)

    def detailed(self) -> Frame:
        """`frame` with p as text, effect size and the intervals of the difference."""
        ends = [
            *map(np.concatenate, zip(*(tested.intervals() for tested in self.tested), strict=True))
        ]
        frame = self.frame()
        frame = frame.assign(
            effect_size=self._each("effect").ravel(),
            **dict(zip(Intervals._fields, ends, strict=True)),
        )
        frame = frame.assign(
            **{
                name: self.params.write_p(frame[name].to_numpy())
                for name in ("p_alone", "p_at_once")
            }
        )
        last = ["hedges_g", "topics_won", *self.ends.columns()]
        return frame[[*(name for name in frame if name not in last), *last]]

    def summary(self) -> Frame:
        """One row per measure, highest power first: power, required difference, pairs
        that differ alone and at once, all pairs, topics.
        """
        columns = {
            "measure": self.names,
            "power": self.power,
            "required difference": self.required,
            "told apart": self.alone.sum(axis=1),
            "at once": self.at_once.sum(axis=1),
            "pairs": self.alone.shape[1],
            "topics": self._each("topics").max(axis=1),
        }
        return table(columns, by="power", descending=True)

    def marked(self) -> Frame:
        """One row per run, best by the first measure first: its letter, and its means
        with the letters of the runs that it significantly exceeds, with all pairs at
        once, as in ``0.3120^bc``.
        """
        best = self.order(self.names[0])[: len(LETTERS)]
        columns: dict[str, list[str]] = {
            "": [*LETTERS[: len(best)]],
            "run": pick(self.runs, best),
        }
        for name, means, tested in zip(self.names, self.means, self.tested, strict=True):
            better = tested.verdict[np.ix_(best, best)] == 2
            beaten = ["".join(np.array([*LETTERS[: len(best)]])[row]) for row in better]
            columns[name] = [
                f"{means[r]:.4f}^{letters}".rstrip("^")
                for r, letters in zip(best, beaten, strict=True)
            ]
        return table(columns)

    def by_test(self) -> Frame:
        """One row per measure: its power under every test, each pair alone."""
        columns: dict[str, Any] = {"measure": self.names}
        for name in APART:
            columns[TESTS[name].label] = [
                replace(self.params, test=name).differ(tested.scores).mean()
                for tested in self.tested
            ]
        return table(columns)

    def choice(self) -> Choice:
        return Choice("measure", self.names, "Measure by which the runs are compared.")

    def facts(self, choice: str = "") -> list[Fact]:
        """Pairs that differ by each measure, alone and at once, and power."""
        found = []
        for name, alone, at_once, power in zip(
            self.names, self.alone, self.at_once, self.power, strict=True
        ):
            found += [
                Fact("pairs that differ", name, "", float(alone.sum()), reading="alone"),
                Fact("pairs that differ", name, "", float(at_once.sum()), reading="at once"),
                Fact("power", name, "", float(power), reading="alone"),
            ]
        return found

    def verdict(self, choice: str = "") -> Verdict:
        """How many pairs of runs differ by the measure chosen, by default the first."""
        tests = self.tested[place_of_choice(choice, self.names)]
        claim = f"By {choice or self.names[0]}, {describe_pairs(tests)}"
        return Verdict(claim, self.describe_family())

    def describe_family(self) -> str:
        """The family, and what is left out."""
        pairs = self.alone.shape[1]
        # the claim has the number of pairs
        usual = self.family in (LONE, f"all {count_noun(pairs, 'pair')}")
        family = "" if usual else f"{capitalize(self.family)}."
        return f"{family}{self._out_of_reach()}{self._describe_topics()}".strip()

    def _describe_topics(self) -> str:
        """A sentence on topics that lack scores; empty if there are none."""
        known = np.isfinite([tested.scores for tested in self.tested])
        by_some, by_all = known.any(axis=1), known.all(axis=1)
        said = ""
        empty = int((~by_some).sum(axis=1).max())
        if empty:
            topics, are = count_noun(empty, "topic"), verb(empty, "is", "are")
            said = f" {topics} without a score {are} left out."
        if (by_some & ~by_all).any():
            said += " Two runs are compared on the topics on which both have a score."
        return said

    def _out_of_reach(self) -> str:
        """A sentence if no pair can be significant at once, however large the
        difference: the samples are too few.
        """
        # of B samples, p at once is at least 1 / (B + 1), which may be above alpha
        if not any(np.isinf(tested.quantile_at_once) for tested in self.tested):
            return ""
        return (
            f" At once no pair can be significant with {self.params.samples:,} samples: take more."
        )

    def next_steps(self) -> list[NextStep]:
        a, b = self._neighbours()
        params = settings_of_test(self.params)
        steps = [
            NextStep(
                "Do two neighbours differ by other measures?",
                "two-runs",
                params | {"run_a": a, "run_b": b},
            ),
            NextStep("How large must a difference be?", "power", params),
        ]
        fewer = settings_of_test(self.params, at_once=False) | DECISIONS
        return [*steps, NextStep("How many remain on fewer judgments?", "curves", fewer)]

    def _neighbours(self) -> tuple[str, str]:
        """The first two neighbours by the first measure that do not differ at once, or
        the two best.
        """
        order, undecided = self.order(self.names[0]), ~self.at_once[0]
        for a, b in pairwise(order):
            if undecided[self.square[a, b]]:
                return self.runs[a], self.runs[b]
        return self.runs[order[0]], self.runs[order[1]]

    def charts(self, choice: str = "") -> list[Chart]:
        name = choice or self.names[0]
        shown = self.order(name)[: heatmap.NAMED]
        charts = [self.chart_of_levels(), self.chart_of_matrix(name, shown)]
        if len(self.names) > 1:
            return [self.chart_of_power(), *charts]
        return charts

    def tables(self) -> list[Table]:
        return [
            Table("power", "Power", self.summary),
            Table("marks", MARKED, self.marked, self._note_on_marks()),
            Table("pairs", "Every pair", self.detailed),
            Table("tests", "Power by every test", self.by_test),
        ]

    def _note_on_marks(self) -> str:
        """Which runs have letters, if not all have."""
        n = len(self.runs)
        if n <= len(LETTERS):
            return ""
        return f"The best {len(LETTERS)} of {n:,} runs."

    def chart_of_power(self) -> Chart:
        """The share of the pairs that differ by each measure, highest power first."""
        best = np.argsort(-self.power, kind="stable")
        found = self.at_once.mean(axis=1)
        names = pick(self.names, best)
        looks = styles(names)
        return Chart(
            "power",
            "Pairs that differ, by measure",
            f"Hollow: pairs that differ {PAIR_BY_PAIR} (power); full: also {together(self.family)}."
            f" Tests: {self.params.tested_by}; together, {self.params.at_once_by}.",
            lambda: row_charts.dumbbell(
                names,
                100 * self.power[best],
                100 * found[best],
                ("alone", "at once"),
                "pairs that differ, %",
                [looks[name].color for name in names],
            ),
        )

    def chart_of_levels(self) -> Chart:
        """The p-values of all pairs, each alone, in ascending order, a curve per
        measure (ASL curves).
        """
        return Chart(
            "levels",
            "Sorted p-values",
            "Pairs of runs from the smallest p to the largest, each pair alone. Test:"
            f" {self.params.tested_by}. A curve that crosses the dotted alpha further right has"
            " more significant differences. Measures are in order of power; only the rising part"
            " is shown. For the bootstrap, p is the achieved significance level.",
            lambda: cells.levels(
                self.names,
                np.sort(self._each("p_alone"), axis=1),
                self.params.alpha,
                describe_p(0, self.params.test, self.params.samples),
            ),
        )

    def chart_of_matrix(self, name: str, shown: np.ndarray) -> Chart:
        """Every run of `shown` against every other, in that order."""
        every = shown.size == len(self.runs)
        some = f"{shown.size:,} of {len(self.runs):,} runs"
        title = f"{some} against each other"
        if every:
            some, title = "All runs", "Every run against every other"
        looks = "Point at a cell for its numbers"
        if shown.size > heatmap.BLOCKS:
            looks = "A cell is a block of runs in its mean colour. Point at it for its share"
        return Chart(
            "matrix",
            title,
            f"{some} by mean {name}, best first.{self._all_grey(name, shown)} Blue: the run of the"
            " row is better, orange: worse; grey: not significant."
            f" {describe_colors(self.tested[0], self.family, self.params.at_once)} {looks}.",
            lambda: self._matrix(name, pins.first_drawn(shown, self.runs, shown.size)),
        )

    def limits(self, m: int) -> str:
        """A sentence on intervals by a measure that contain the truth too rarely, or
        that topics are too few for; else empty.
        """
        if self.ends.of_measure(m) is not None:
            return self.ends.rare
        tests = self.tested[m]
        # some pair is constant in too many resamples: by RR of 17 runs on 10 topics in 83% of
        # simulations
        few = np.isfinite(tests.quantile_at_once) and np.isinf(tests.interval_quantile)
        if not few:
            return ""
        return "There are too few topics for intervals of all pairs at once."

    def _all_grey(self, name: str, shown: np.ndarray) -> str:
        """A sentence if no two of the runs `shown` differ significantly."""
        significant = self.alone[self.names.index(name)]
        if significant[self.square[np.ix_(shown, shown)][np.triu_indices(shown.size, 1)]].any():
            return ""
        others = int(significant.sum())
        which = (
            f"; {count_noun(others, 'pair')} of runs further apart {verb(others, 'does', 'do')}"
            if others
            else ""
        )
        return f" No two of them differ significantly{which}."

    def _matrix(self, name: str, shown: np.ndarray) -> Figure:
        m, k = self.names.index(name), self.square[np.ix_(shown, shown)]
        sign = np.where(np.less.outer(shown, shown), 1, -1)
        tested = self.tested[m]
        at_once = self.params.write_p(tested.p_at_once[k])
        names, verdict = pick(self.runs, shown), tested.verdict[np.ix_(shown, shown)]
        if shown.size > heatmap.NAMED:  # without intervals
            return heatmap.dense(names, sign * self.difference[m, k], verdict, at_once)
        alone = self.params.write_p(tested.p_alone[k])
        difference, ends = self._turned(m, k, sign)
        return heatmap.pairs(
            names,
            self.means[m, shown],
            difference,
            verdict,
            [alone, at_once],
            ends,
            level=1 - self.params.alpha,
            estimated=self.ends.of_pairs(m, k, sign),
        )

    def chart_against(self, name: str, run: str, shown: np.ndarray) -> Chart:
        """The differences of the runs `shown` from one run, with their intervals at
        once.
        """
        m, i = self.names.index(name), self.runs.index(run)
        others = shown[shown != i]
        k = self.square[i, others]
        sign = np.where(others < i, 1, -1)
        difference, turned = self._turned(m, k, sign)
        ends, over = turned[:2], "of each pair alone, over topics"
        if np.isfinite(turned.low_at_once).any():
            ends, over = turned[2:], "of all pairs at once, over topics"
        # an estimate has two intervals: the inner one is over judgments, the outer one over topics
        mean, *inner, low, high = self.ends.of_pairs(m, k, sign) or (difference, *ends)
        if inner:
            over += " and, thick, that over judgments"
        return Chart(
            "against",
            f"All against {run}",
            f"Difference in mean {name} of each run from {run}, with its"
            f" {1 - self.params.alpha:.0%} interval"
            f" {over}. Blue: significantly"
            f" better at once, orange: worse, grey: not significant with {self.family} at once,"
            f" {self.params.at_once_by}. {self.limits(m)}".rstrip(),
            lambda: row_charts.intervals(
                pick(self.runs, others),
                row_charts.Ranges(mean, low, high, self.at_once[m, k], inner=inner),
                f"{name} minus that of {run}",
            ),
        )


@experiment(
    "matrix",
    title="Matrix",
    question="Which runs differ significantly?",
    does="test every pair of runs for a significant difference",
    formula=(
        r"p_{ab} = Pr\left(\max_{c,d} |t^{*}_{cd}| \ge |t_{ab}|\right), \quad t_{ab} ="
        r" \frac{mean(d_{ab})}{sd(d_{ab})/\sqrt{n}}"
    ),
    source="Sakai 2006; Sakai & Kando 2008, Table 3; Sakai 2007 (alternatives to bpref), Table 3",
    takes=(COLLECTION, MATRIX, MEASURES),
    stored=("test", "samples", "alpha", "at_once", "seed"),
    needs=PAIRS,
)
def matrix(work: Work[Params]) -> PairMatrix:
    """Tests every pair of runs for a difference in mean score over their common topics:
    alone, and with all pairs at once. The discriminative power of a measure is the
    share of pairs that differ significantly alone.

    The runs to compare also decide the order of the runs. Raises `ParamError` if there
    are fewer than two runs, or fewer than two topics with a score for two runs, and
    `UnknownName` for an unknown run.
    """
    source, params = work.data, work.params

    def test(name: str, scores: np.ndarray) -> PairTests:
        tested = params.compare(scores, name=name)
        # a pair is tested on the topics that both have, so one pair with two topics is enough
        check_enough(f"{name}: ", len(scores), int(tested.topics.max(initial=0)))
        return tested

    tested, ends = each_measure(work, test), ends_of(work, pairs=True, level=1 - params.alpha)
    names = names_of(source, work.measures)
    return PairMatrix(
        tested=tested,
        names=names,
        measures=work.measures,
        runs=work.runs,
        topics=source.topics,
        params=params,
        loaded=len(source.runs) if isinstance(source, Matrix) else source.loaded,
        ends=ends,
    )
