"""Runs by measures: means, intervals, differences from a baseline, and ranges of
ranks.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import product
from typing import NamedTuple

import numpy as np

from irmeval.collection.team_names import LETTERS, Kinds, TeamRule
from irmeval.core.errors import ParamError
from irmeval.core.lazy import pd
from irmeval.core.params import checked, param
from irmeval.core.places import pick, place_of_choice
from irmeval.core.text import capitalize, conjugate, count_noun, list_all, quantify
from irmeval.experiments.base import COLLECTION, MATRIX, MEASURES, Work, experiment
from irmeval.experiments.ends import Ends, ends_of
from irmeval.experiments.facts import Fact, Verdict
from irmeval.experiments.headlines import write_best
from irmeval.experiments.incompleteness.filled_holes import HoleEnds, fill_holes
from irmeval.experiments.results import (
    Chart,
    Choice,
    Figure,
    Frame,
    NextStep,
    Result,
    Table,
    table,
    tidy,
)
from irmeval.experiments.scored import OfScores, named_measures, values_of
from irmeval.experiments.settings import (
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
    describe_against,
    describe_marks,
    describe_ranks,
    explain_marks,
    mark,
    name_count,
    name_family,
)
from irmeval.metrics import Measure
from irmeval.plots import cells, pins, row_charts
from irmeval.plots.pins import READABLE
from irmeval.reading.score_matrix import Matrix
from irmeval.scoring.score_table import Scores
from irmeval.scoring.selection import parse_baselines
from irmeval.scoring.with_holes import Drawing
from irmeval.stats.intervals import LEVEL as LEVEL
from irmeval.stats.intervals import mean_interval
from irmeval.stats.means import best_first, mean_of_known
from irmeval.stats.pair_tests import FAMILYWISE, PairTests, Ranks, letters

BASELINE = "baseline"
ALL_PAIRS: tuple[str, ...] = ()
"""The family of pairs without a named baseline."""


@checked
class Params(Testing):
    """Baseline of the comparison, and settings of the tests."""

    baseline: str = param(
        "baseline",
        "Run, or several (A,B), to compare all others with; its pairs are the family at once."
        " Empty: the best run, with all pairs.",
        empty="the best",
        default="",
    )
    test: Test = TEST
    samples: Samples = 1000
    alpha: Alpha = 0.05
    at_once: AtOnce = FAMILYWISE
    holes: bool = param(
        "with holes",
        "Adds what each run would score if its unjudged documents were judged: mean, 95% interval,"
        " and bounds. See what-if.",
        template="with holes",
        default=False,
    )
    team_rule: TeamRule = LETTERS
    kinds: Kinds = ""
    seed: Seed = 1

    @property
    def unused(self) -> frozenset[str]:
        """Parameters without effect; teams and kinds matter to holes alone."""
        if self.holes:
            return super().unused
        return super().unused | {"team_rule", "kinds"}


class KeptScores(NamedTuple):
    """Cached results of one measure."""

    values: np.ndarray
    """float64 [run, topic]"""
    low: np.ndarray
    """float64 [run]"""
    high: np.ndarray


class Leaderboard(OfScores, Result):
    """Mean of every run by every measure, its interval, and its difference from a
    baseline.
    """

    scores: Scores
    low: np.ndarray
    high: np.ndarray
    """float64 [measure, run], limits of the 95% interval of each mean over topics
    (`stats.intervals.mean_interval`); NaN on a single topic
    """
    tests: tuple[PairTests, ...]
    """per measure, of all pairs of runs"""
    against: tuple[PairTests, ...]
    """per measure, of the pairs with the baselines if some are given, else of all
    pairs
    """
    baselines: tuple[str, ...]
    """baselines; the one of `compared` is first"""
    params: Params
    holes: HoleEnds = HoleEnds()
    """if asked for, the scores with unjudged documents judged"""
    ends: Ends = Ends()
    """on a sample of the judgments, the estimated means and their intervals"""
    loaded: int = 0
    """number of runs, including those that are not selected"""

    @property
    def names(self) -> tuple[Measure, ...]:
        """The measures; of a score matrix its name, as one."""
        return self.scores.measures

    @property
    def baseline(self) -> str:
        """The first of the baselines."""
        return self.baselines[0]

    @property
    def views(self) -> list["Leaderboard"]:
        """The leaderboard against each of its baselines in turn."""
        names = self.baselines
        return [
            self,
            *(
                replace(self, baselines=(names[k], *names[:k], *names[k + 1 :]))
                for k in range(1, len(names))
            ),
        ]

    def in_detail(self, measure: str) -> "Leaderboard":
        """The leaderboard against the best run by this measure, unless baselines were
        named.
        """
        # the best run by the first measure may not be the best by this one
        if self.params.baseline:
            return self
        return replace(self, baselines=(self.scores.runs[self.order(measure)[0]],))

    @cached_property
    def _with_baseline(self) -> tuple[np.ndarray, np.ndarray]:
        """Indices of the pairs of each run and the baseline, the last for the baseline
        itself; and 1 for a run that is first in its pair, -1 for one that is second,
        NaN for the baseline itself; each [run].
        """
        base = self.scores.runs.index(self.baseline)
        sign = np.where(np.arange(len(self.scores.runs)) < base, 1.0, -1.0)
        sign[base] = np.nan
        return self.against[0].number[base], sign

    def _of_pairs(self, name: str, *, signed: bool = False) -> np.ndarray:
        """A value of the pairs of each run with the baseline, by its name in
        `PairTests`; NaN for the baseline [measure, run].
        """
        number, sign = self._with_baseline
        # NaN for the baseline either way: the number that stands for it is that of another pair
        factor = sign if signed else np.abs(sign)
        if len(sign) == 1:
            return np.full((len(self.names), 1), np.nan)
        return np.array([getattr(tests, name)[number] * factor for tests in self.against])

    @cached_property
    def difference(self) -> np.ndarray:
        """float64 [measure, run], mean minus that of the baseline, on the topics of
        both; 0 for the baseline, NaN for fewer than two topics.
        """
        found = self._of_pairs("difference", signed=True)
        found[:, self.scores.runs.index(self.baseline)] = 0.0
        return found

    @cached_property
    def p_alone(self) -> np.ndarray:
        """p of each run and the baseline alone [measure, run]; NaN for the baseline."""
        return self._of_pairs("p_alone")

    @cached_property
    def p_at_once(self) -> np.ndarray:
        """p of each run and the baseline with the whole family at once [measure, run];
        NaN for the baseline.
        """
        return self._of_pairs("p_at_once")

    @cached_property
    def verdicts(self) -> np.ndarray:
        """Verdict on each run and the baseline, as `PairTests.verdict`, int [measure,
        run].
        """
        base = self.scores.runs.index(self.baseline)
        return np.array([tests.verdict[:, base] for tests in self.against])

    @property
    def family(self) -> str:
        """Text of the family of pairs tested at once."""
        return name_family(
            self.against[0],
            loaded=self.loaded,
            baselines=self.baselines if self.params.baseline else (),
        )

    def describe_marks(self, *, papers: bool = False) -> str:
        """Legend of the marks; `papers` for those of LaTeX."""
        return describe_marks(self.against[0], self.family, self.params.at_once, papers=papers)

    def explain_marks(self) -> str:
        """Legend of the marks without the test, for a page that names it elsewhere."""
        return explain_marks(self.against[0], self.family)

    @property
    def method(self) -> str:
        """Text of the method of p, for the cells of a table."""
        return f"alone: {self.params.tested_by}; at once: {self.params.at_once_by}, {self.family}"

    def notes(self) -> list[str]:
        """Sentences on the test, ranks and groups."""
        return [*self.params.describe_test(), describe_ranks(self.tests[0], loaded=self.loaded)]

    def ranks(self, measure: str | None = None) -> Ranks:
        """Ranges of ranks of each run by a measure, by default the first."""
        return self.tests[place_of_choice(measure, self.names)].ranks

    def groups(self, measure: str | None = None) -> list[str]:
        """Letters of each run, in the order of the files: two runs share one if and
        only if they do not differ at once; empty for many runs.
        """
        # letters, ranks and marks follow from one matrix of pairs at once, so that none contradicts
        # another (Piepho 2004)
        order, groups = self.order(measure), [""] * len(self.scores.runs)
        verdict = self.tests[place_of_choice(measure, self.names)].verdict
        for run, group in zip(
            order, letters(np.abs(verdict[np.ix_(order, order)]) == 2), strict=True
        ):
            groups[run] = group
        return groups

    @cached_property
    def marks(self) -> np.ndarray:
        """Texts [measure, run]: a triangle, up for a run better than the baseline, down
        for a worse one, if they differ alone; two if also at once; a dash for no
        significant difference.
        """
        marks = np.vectorize(mark, otypes=[object])(self.verdicts)
        marks[~np.isfinite(self.p_alone)] = ""
        marks[:, self.scores.runs.index(self.baseline)] = BASELINE
        return marks

    def frame(self) -> Frame:
        """One row per run and measure, in the order of the files: run, measure, topics
        with a score, score (the mean), low and high end of its interval, difference
        from the baseline, p_alone, p_at_once, method of p, rank_low and rank_high
        (`ranks`), group (`groups`); on a sample of the judgments, the columns of
        `Ends`; with holes, those of `HoleEnds`. With several baselines, the same for
        each of them, and a column baseline.
        """
        if len(self.baselines) > 1:
            return pd.concat(
                [view._frame().assign(baseline=view.baseline) for view in self.views],
                ignore_index=True,
            )
        return self._frame()

    def _frame(self) -> Frame:
        axes = {"run": self.scores.runs, "measure": self.names}
        columns = {
            "topics": self.scores.counts,
            "score": self.scores.means,
            "low": self.low,
            "high": self.high,
            "difference": self.difference,
            "p_alone": self.p_alone,
            "p_at_once": self.p_at_once,
        }
        found = [*map(self.ranks, self.names)]
        ranked = {
            "rank_low": np.array([each.low for each in found]),
            "rank_high": np.array([each.high for each in found]),
            "group": np.array([*map(self.groups, self.names)], dtype=object),
            **self.ends.columns(),
            **self.holes.columns(),
        }
        frame = tidy(axes, {name: values.T for name, values in (columns | ranked).items()}).assign(
            method=self.method
        )
        return frame[[*(name for name in frame if name not in ranked), *ranked]]

    def board(self) -> Frame:
        """One row per run, best by the first measure first: number of topics, and the
        means.
        """
        return self.scores.board().iloc[self.order()].reset_index(drop=True)

    def compared(self, measure: str | None = None) -> Frame:
        """One row per run, best by a measure first, by default the first: mean, its
        interval, difference from the baseline, mark, p alone and at once as text,
        Hedges' g of the difference, share of topics that the run wins, method of p,
        ranks, group, mean rank over topics, Borda count over all measures; on a sample
        of the judgments, the columns of `Ends`.
        """
        m = place_of_choice(measure, self.names)
        won, (_, sign) = self._of_pairs("won")[m], self._with_baseline
        columns = {
            "run": self.scores.runs,
            str(self.names[m]): self.scores.means[m],
            "low": self.low[m],
            "high": self.high[m],
            # a baseline is not compared with itself
            "difference": np.where(np.isnan(sign), np.nan, self.difference[m]),
            "mark": self.marks[m],
            "p alone": self.params.write_p(self.p_alone[m]),
            "p at once": self.params.write_p(self.p_at_once[m]),
            "Hedges' g": self._of_pairs("hedges", signed=True)[m],
            # `won` counts for the first run of a pair: the second wins what the first loses
            "topics won": np.where(sign < 0, self._of_pairs("lost")[m], won),
            "method": [self.method] * len(self.scores.runs),
            "rank_low": self.ranks(measure).low,
            "rank_high": self.ranks(measure).high,
            "group": self.groups(measure),
            "mean rank": self.scores.mean_ranks[m],
            "Borda": self.scores.borda,
            **self.ends.columns_of(m),
            **self.holes.columns_of(m),
        }
        return table(columns).iloc[self.order(measure)].reset_index(drop=True)

    def order(self, measure: str | None = None) -> np.ndarray:
        """The runs, best by a measure first, by default the first."""
        return best_first(self.scores.means[place_of_choice(measure, self.names)])

    def choice(self) -> Choice:
        return Choice(
            "in detail",
            tuple(map(str, self.names)),
            "The measure by which runs are ranked, and that has an interval.",
        )

    def facts(self, choice: str = "") -> list[Fact]:
        """The best mean by a measure, by default the first, and how many runs are worse
        and better than the baseline.
        """
        board, m = self._shown_for(choice)
        name = str(self.names[m])
        best = int(self.order(name)[0])
        facts = [Fact("mean", name, self.scores.runs[best], float(self.scores.means[m, best]))]
        sides = (("runs that are worse", -1), ("runs that are better", 1))
        for (what, side), (reading, least) in product(sides, (("alone", 1), ("at once", 2))):
            n = int(np.count_nonzero(board.known[m] & (side * board.verdicts[m] >= least)))
            facts.append(Fact(what, name, board.baseline, float(n), reading=reading))
        return facts

    def _shown_for(self, choice: str) -> tuple["Leaderboard", int]:
        """The leaderboard in detail by a measure, by default the first, and its index."""
        measure = choice or self.names[0]
        return self.in_detail(measure), self.names.index(measure)

    @cached_property
    def known(self) -> np.ndarray:
        """Whether a run is tested against the baseline, bool [measure, run]."""
        return np.isfinite(self.p_alone)

    def verdict(self, choice: str = "") -> Verdict:
        """The best run by a measure, by default the first, or the baseline, and how
        many runs are worse.
        """
        board, m = self._shown_for(choice)
        return Verdict(board._claim(m), board._beside(m), board._below(m))

    def _claim(self, m: int) -> str:
        name, runs, leaders = self.names[m], self.scores.runs, self.scores.leaders[m]
        if not leaders:
            return f"No topic has a score by {name}."
        mean = write_best(self.scores.means[m])
        if len(runs) == 1:
            return f"{runs[0]} is the only run: mean {name} {mean}."
        if self.params.baseline:
            return f"By {name}, {self.baseline} is {self._better_than(m)}."
        if len(leaders) > 1:
            tied = capitalize(quantify(len(leaders), len(runs), "run"))
            return f"{tied} tie as best by {name}, with {mean}."
        if not self.known[m].any():
            return f"{leaders[0]} is best by {name} ({mean})."
        return f"{leaders[0]} is best by {name} ({mean}), {self._better_than(m)}."

    def _better_than(self, m: int) -> str:
        """How many runs are worse than the baseline, at once."""
        worse = self.known[m] & (self.verdicts[m] == -2)
        than = quantify(int(worse.sum()), int(self.known[m].sum()), "other run")
        if self.against[m].first.size == 1:
            return f"better than {than}"
        pairs = self.family if self._is_usual(m) else "all pairs"
        return f"better than {than}, {pairs} tested together"

    def _is_usual(self, m: int) -> bool:
        """Whether the family is all pairs of all runs, or the only one."""
        return self.family in (LONE, f"all {count_noun(self.against[m].first.size, 'pair')}")

    def _beside(self, m: int) -> str:
        said = [self.estimated(self.names[m]), *(view._describe_family(m) for view in self.views)]
        return " ".join(filter(None, said))

    def _describe_family(self, m: int) -> str:
        """The family; empty if the claim has it, or if there is none."""
        if self._is_usual(m) or not self.known[m].any():
            return ""
        if self.params.baseline:  # picked for its scores, it would have all pairs as its family
            return f"Tested together: {self.family}, if {self.baseline} was chosen beforehand."
        return f"{capitalize(self.family)}."

    def _below(self, m: int) -> str:
        said = [self._other_leaders(m), *(view._readings(m) for view in self.views)]
        return " ".join(filter(None, said))

    def _readings(self, m: int) -> str:
        """What the claim leaves open: the other reading."""
        if self.params.baseline or self.against[m].first.size == 1:
            return self.describe_significant(self.names[m])
        if not self.known[m].any():
            return ""
        # those at once among them: p at once is never below p alone
        alone = int(np.count_nonzero(self.known[m] & (self.verdicts[m] < 0)))
        worse = f"{name_count(alone)} {conjugate(alone, 'are worse')}"
        return f"{capitalize(PAIR_BY_PAIR)}, {worse}."

    def _other_leaders(self, m: int) -> str:
        """A sentence on the measures that put another run first; empty if none does."""
        best: dict[str, list[str]] = {}
        for name, run in self._led_by_others(m):
            best.setdefault(run, []).append(name)
        said = [f"{run} by {list_all(names)}" for run, names in best.items()]
        if not said:
            return ""
        return f"Best by other measures: {'; '.join(said)}."

    def _led_by_others(self, m: int) -> Iterator[tuple[str, str]]:
        """Each measure that puts another run first, and that run."""
        mine = {*self.scores.leaders[m]}
        for name, leaders in zip(self.names, self.scores.leaders, strict=True):
            if leaders and mine.isdisjoint(leaders):
                yield str(name), self._name_leaders(leaders)

    def _name_leaders(self, leaders: Sequence[str]) -> str:
        """The run with the highest mean; of several, their number."""
        if len(leaders) == 1:
            return leaders[0]
        return quantify(len(leaders), len(self.scores.runs), "run")

    def estimated(self, measure: str | None = None) -> str:
        """A sentence on the estimated mean of the best run by a measure, by default the
        first; empty if the measure is no estimator.
        """
        m = place_of_choice(measure, self.names)
        best = self.order(measure)[0]
        said = self.ends.describe(m, best)
        if not said:
            return ""
        return (
            f"On all judgments, {self.names[m]} of {self.scores.runs[best]} is estimated at {said}."
        )

    def describe_significant(self, measure: str | None = None) -> str:
        """Number of runs better and worse than the baseline by a measure, tested pair
        by pair and together.
        """
        m = place_of_choice(measure, self.names)
        if not self.known[m].any():
            return ""
        said = describe_against(
            self.baseline, self.scores.runs, self.verdicts[m], self.known[m], self.family
        )
        said = f"By {self.names[m]}, {said}"
        return f"{said}."

    def by_topic(self, runs: Sequence[str]) -> Frame:
        """One row per topic, highest by the first measure of the first run first; a
        column per run and measure.
        """
        scores = self.scores
        places = [*map(scores.runs.index, runs)]
        columns = {
            f"{run} {measure}": scores.values[m, place]
            for run, place in zip(runs, places, strict=True)
            for m, measure in enumerate(scores.measures)
        }
        order = np.argsort(-scores.values[0, places[0]], kind="stable")
        return table({"topic": scores.topics, **columns}).iloc[order].reset_index(drop=True)

    def next_steps(self) -> list[NextStep]:
        if len(self.scores.runs) == 1:
            return [
                NextStep("How much of the run is unjudged?", "unjudged"),
                NextStep("What does it score on fewer judgments?", "curves"),
            ]
        stays = NextStep("Does the best stay first on fewer judgments?", "curves")
        return [*self._steps_to_pairs(), *self._steps_to_orders(), stays]

    def _steps_to_pairs(self) -> list[NextStep]:
        """To the best run that does not differ from the baseline, or the runner-up."""
        if not self.known[0].any():
            return []
        runs = [self.scores.runs[r] for r in self.order() if self.known[0, r]]
        alike = [
            self.scores.runs[r]
            for r in self.order()
            if self.known[0, r] and abs(self.verdicts[0, r]) < 2
        ]
        pair = {"run_a": self.baseline, **settings_of_test(self.params)}
        if not alike:
            rival = self.scores.runs.index(runs[0])
            way = "ahead" if self.verdicts[0, rival] < 0 else "behind"
            return [NextStep(f"How far {way} is it?", "two-runs", pair | {"run_b": runs[0]})]
        pair |= {"measure": self.names[0], "run_b": alike[0]}
        return [NextStep("Which runs differ?", "matrix", pair)]

    def _steps_to_orders(self) -> list[NextStep]:
        """To measures that put another run first, or else to all measures."""
        if len(self.names) == 1:
            return []
        first, best = self.names[0], {*self.scores.leaders[0]}
        for other, leaders in zip(self.names, self.scores.leaders, strict=True):
            if leaders and not best & {*leaders}:
                against = {"sorted_by": first, "against": other}
                return [NextStep("Why do measures disagree on the best?", "rankings", against)]
        return [NextStep("Do measures agree further down?", "agreement")]

    def charts(self, choice: str = "") -> list[Chart]:
        """The means with their intervals by the measure chosen; without one by the first,
        below all means.
        """
        board, m = self._shown_for(choice)
        in_detail = [board._chart_of_intervals(m), *board._charts_of_holes(m)]
        if choice:
            return in_detail
        return [self._chart_of_means(), *in_detail]

    def _chart_of_means(self) -> Chart:
        return Chart(
            "means",
            "Mean scores",
            f"At most {READABLE} runs, by mean {self.names[0]}, best first; a bluer cell is a"
            " higher mean.",
            self._means,
            wide=True,
        )

    def _means(self) -> Figure:
        best = pins.first_drawn(self.order(), self.scores.runs, READABLE)
        means = self.scores.means[:, best].T
        names = pick(self.scores.runs, best)
        return cells.cells(names, self.names, means, title="mean score")

    def _chart_of_intervals(self, m: int) -> Chart:
        """The means by one measure with their intervals, and a line at the baseline's
        mean.
        """
        return Chart(
            "intervals",
            "Means and their intervals",
            self._caption_of_intervals(m),
            partial(self._intervals, m),
        )

    def _caption_of_intervals(self, m: int) -> str:
        measure, n = self.names[m], len(self.scores.runs)
        shown = "the run" if n == 1 else "all runs"
        if n > READABLE:
            shown = f"the best {READABLE} of {n:,} runs"
        estimated = self.ends.of_measure(m) is not None
        drawn = " and, thick, over judgments around the estimate" if estimated else ""
        said = f"Mean {measure} of {shown}, with its {LEVEL:.0%} interval over topics{drawn}"
        line = f". The line is the mean of {self.baseline}." if n > 1 else "."
        if np.isfinite(self.p_alone[m]).any():
            line = (
                f"; orange: worse than {self.baseline} (the line), blue: better. Colours:"
                f" significantly with {self.family} at once, {self.params.at_once_by}; grey: not"
                " significant."
            )
        rare = f" {self.ends.rare}" * estimated
        return f"{said}{line}{rare}".rstrip()

    def _intervals(self, m: int) -> Figure:
        measure = self.names[m]
        best = pins.first_drawn(self.order(measure), self.scores.runs, READABLE)
        ends = self.ends.of_measure(m)
        if ends is None:
            ends = np.array([self.scores.means[m], self.low[m], self.high[m]])
        means, *inner, low, high = ends
        ranges = row_charts.Ranges(
            means[best],
            low[best],
            high[best],
            np.abs(self.verdicts[m, best]) == 2,
            inner=[end[best] for end in inner],
        )
        return row_charts.intervals(
            pick(self.scores.runs, best),
            ranges,
            f"mean {measure}",
            origin=float(means[self.scores.runs.index(self.baseline)]),
            form=".4f",
        )

    def _charts_of_holes(self, m: int) -> list[Chart]:
        """The means by one measure with their unjudged documents judged, if that was
        asked for.
        """
        if not self.holes.columns_of(m):
            return []
        return [self.holes.chart(self.names[m], m, self.scores.runs, self.scores.means[m])]

    def tables(self) -> list[Table]:
        first = [
            Table("means", "Means", self.board),
            Table("compared", "Compared with the baseline", self.compared),
        ]
        return [
            *first,
            *(
                Table(f"compared-{k}", f"Compared with {one.baseline}", one.compared)
                for k, one in enumerate(self.views[1:], 2)
            ),
        ]


@experiment(
    "leaderboard",
    title="Leaderboard",
    question="Who is best, by which measure?",
    does="rank runs by every measure, with intervals and tests",
    formula=r"mean_r = \frac{1}{n} \sum_{t=1}^{n} s_{rt}",
    source="the common practice of TREC; intervals: Johnson 1978, Hall 1983; tests: Sakai 2006",
    takes=(COLLECTION, MATRIX, MEASURES),
    stored=("test", "samples", "alpha", "at_once", "seed"),
)
def leaderboard(work: Work[Params]) -> Leaderboard:
    """Scores every run by every measure, with the mean over topics and its interval.
    All pairs of runs are tested, alone and at once, which gives ranks, groups, and a
    comparison of each run with a baseline: a given run, or the best.

    Of a score matrix, what needs judgments is left out: scores with holes, and
    estimates from a sample. Raises `UnknownName` for a baseline that is no run, and
    `ParamError` where holes are asked for of a score matrix, or of some runs alone.
    """
    _check_holes(work)
    source, kept, params, runs = work.data, work.cache, work.params, work.runs
    names = named_measures(source, work.measures)
    _keep_scores(work, names)
    named = parse_baselines(params.baseline, runs) if params.baseline else ()
    _keep_tests(work, names, named)
    values, low, high = map(np.array, zip(*pick(kept, names), strict=True))
    scores = Scores(values, names, runs, source.topics)
    # the mean of a summed metric is a sum
    times = np.where([m.metric.summed for m in names], scores.counts.T, 1).T
    best = runs[int(best_first(mean_of_known(values[0]))[0])]
    holes = HoleEnds()
    if params.holes:
        holes = fill_holes(work, values, Drawing(seed=params.seed), kinds=params.kinds)
    return Leaderboard(
        scores=scores,
        low=low * times,
        high=high * times,
        tests=tuple(kept[measure, ALL_PAIRS] for measure in names),
        against=tuple(kept[measure, named] for measure in names),
        baselines=named or (best,),
        params=params,
        holes=holes,
        ends=ends_of(work, level=LEVEL),
        loaded=len(source.runs) if isinstance(source, Matrix) else source.loaded,
    )


def _check_holes(work: Work[Params]) -> None:
    """Raise `ParamError` where holes are asked for of a score matrix, or of some runs."""
    if not work.params.holes:
        return
    if isinstance(work.data, Matrix):
        raise ParamError("holes: expected judgments and all runs, found scores alone.")
    # how likely a hole is relevant is learnt from where all runs rank it
    if work.only:
        raise ParamError("holes: expected judgments and all runs, found some runs alone.")


def _keep_scores(work: Work[Params], names: Sequence[Measure]) -> None:
    """Compute the scores by each measure that the cache lacks, and intervals of means."""
    missing = tuple(measure for measure in names if measure not in work.cache)
    if not missing:
        return
    scores = values_of(work.data, missing)[:, work.run_indices]
    for measure, values in zip(missing, scores, strict=True):
        # without bounds, 36 of 126 runs had an interval of 1.0 to 1.0 by RR on 10 topics
        low, high = mean_interval(values, level=LEVEL, bounds=measure.bounds(values))
        work.cache[measure] = KeptScores(values, low, high)


def _keep_tests(work: Work[Params], names: Sequence[Measure], named: tuple[str, ...]) -> None:
    """Compute the tests by each measure that the cache lacks: those of all pairs, and of
    the pairs with the named baselines.

    Ranks and groups are of all pairs, while a named baseline was chosen beforehand and
    has a family of its own pairs: fewer pairs at once, more of them found.
    """
    kept = work.cache
    indices = {ALL_PAIRS: [], named: [work.runs.index(name) for name in named]}
    for measure in work.steps(names):
        for family, baselines in indices.items():
            if (measure, family) not in kept:
                values = kept[measure].values
                kept[measure, family] = work.params.compare(values, baselines, measure)
