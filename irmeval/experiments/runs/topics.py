"""Spread of scores over topics: by run, and by topic."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import compress

import numpy as np

from irmeval.core.params import checked, param
from irmeval.core.places import pick
from irmeval.core.text import capitalize, quantify, verb
from irmeval.experiments.base import COLLECTION, MATRIX, MEASURES, Work, experiment
from irmeval.experiments.ends import Ends, ends_of
from irmeval.experiments.facts import Fact, Verdict
from irmeval.experiments.headlines import name_end, written_alike
from irmeval.experiments.needs import PAIRS
from irmeval.experiments.results import Chart, Frame, NextStep, Result, Table, table, tidy
from irmeval.experiments.runs.pair import BARS, describe_shown
from irmeval.experiments.scored import OfScores, Scored, score_runs
from irmeval.metrics import measure
from irmeval.plots.axes import spaced_indices
from irmeval.plots.cells import Shades, cells
from irmeval.plots.points import KINDS, strips
from irmeval.reading.score_matrix import Matrix
from irmeval.stats.means import best_first, mean_of_known, tied

ALIKE = 1.1
"""Ratio up to which two spreads are about equal."""
MANY = 40
"""Number of runs up to which each has a box with its name."""
DRAWN = 100_000
"""Maximum number of scores in a figure."""


@checked
class Params:
    """Which scores are drawn, and how."""

    by: str = param(
        "measure", "Measure whose scores are shown; empty: the first.", measure=True, default=""
    )
    drawn: str = param(
        "drawn as",
        "box: quartiles, with outliers as dots. strip: every score as a dot.",
        choices=KINDS,
        value_labels={"box": "drawn as boxes", "strip": "drawn as strips"},
        default="box",
    )


class TopicScores(OfScores, Result):
    """Scores of runs on topics by one measure."""

    scores: Scored
    params: Params
    ends: Ends = Ends()
    """on a sample of the judgments, the estimated means and their intervals"""

    @property
    def values(self) -> np.ndarray:
        """Scores [run, topic]."""
        return self.scores.values[0]

    @cached_property
    def runs(self) -> np.ndarray:
        """The runs, best mean first."""
        return best_first(mean_of_known(self.values))

    @cached_property
    def topics(self) -> np.ndarray:
        """The topics, easiest first: highest mean over the runs."""
        return best_first(mean_of_known(self.values.T))

    def frame(self) -> Frame:
        """One row per observation: run, topic, score."""
        return tidy({"run": self.scores.runs, "topic": self.scores.topics}, {"score": self.values})

    def of_runs(self) -> Frame:
        """One row per run, best mean first: spread of its scores over topics; on a
        sample of the judgments, the columns of `Ends`.
        """
        frame = _spread("run", self.scores.runs, self.values).assign(**self.ends.columns_of(0))
        return frame.iloc[self.runs].reset_index(drop=True)

    def of_topics(self) -> Frame:
        """One row per topic, easiest first: spread of the runs' scores, and the best
        run, or the number of runs that tie.
        """
        frame = _spread("topic", self.scores.topics, self.values.T)
        scores = tied(self.values.T)
        # tied as in every other order: rounding alone makes no run the best of a topic
        best = scores == scores.max(axis=1, keepdims=True)
        names = [[*compress(self.scores.runs, of_topic)] for of_topic in best]
        frame["best run"] = [
            (
                of_topic[0]
                if len(of_topic) == 1
                else f"{quantify(len(of_topic), len(self.scores.runs), 'run')} tie"
            )
            for of_topic in names
        ]
        return frame.iloc[self.topics].reset_index(drop=True)

    @cached_property
    def deviations(self) -> tuple[float, float]:
        """Standard deviations of the means of topics over the runs, and of the means of
        runs over the topics.
        """
        by_topic, by_run = self.values.mean(axis=0), self.values.mean(axis=1)
        return float(by_topic.std()), float(by_run.std())

    def facts(self, choice: str = "") -> list[Fact]:
        """Both deviations, and the means of the easiest and of the hardest topic."""
        name, means = self.scores.names[0], self.values.mean(axis=0)
        ends = [self.topics[0], self.topics[-1]]
        return [
            Fact("deviation of means", name, "topics", self.deviations[0]),
            Fact("deviation of means", name, "runs", self.deviations[1]),
            *(Fact("mean", name, f"topic {self.scores.topics[t]}", means[t]) for t in ends),
        ]

    def verdict(self, choice: str = "") -> Verdict:
        """Whether topics or runs differ more, and the easiest and hardest topics."""
        of_topics, of_runs = self.deviations
        claim = (
            f"By {self.scores.names[0]}, {compare_spread(of_topics, of_runs)}: standard deviation"
            f" {of_topics:.3f} over topics, {of_runs:.3f} over runs."
        )
        beside = [self.scores.left_out().strip()]
        if self.ends.columns():
            beside.append("Estimated from a sample of judgments, topics differ by its draw too.")
        return Verdict(claim, " ".join(filter(None, beside)), self._describe_ends())

    def _describe_ends(self) -> str:
        *_, easiest, hardest = self.facts()
        means = self.values.mean(axis=0)
        high, low = f"{easiest.value:.3f}", f"{hardest.value:.3f}"
        if high == low:
            return f"All topics are equally hard (mean {high})."
        names = [f"topic {topic}" for topic in self.scores.topics]
        first, last = (
            name_end(names, means, end.value, ".3f", "topic") for end in (easiest, hardest)
        )
        be = verb(len(written_alike(means, easiest.value, ".3f")), "is", "are")
        return f"{capitalize(first)} {be} the easiest (mean {high}), {last} the hardest ({low})."

    def next_steps(self) -> list[NextStep]:
        name = self.scores.names[0]
        return [
            NextStep(f"Would other topics agree by {name}?", "stability"),
            NextStep("Which runs differ?", "matrix", {"measure": name}),
        ]

    def charts(self, choice: str = "") -> list[Chart]:
        name = self.scores.names[0]
        boxes = "A box spans the middle half, its line is the median, dots are outliers"
        how = "Each dot is a score" if self.params.drawn == "strip" else boxes
        most = max(1, min(DRAWN // self.runs.size, BARS))
        drawn = self.topics[spaced_indices(self.topics.size, most)]
        left_out = describe_shown(drawn.size, self.topics.size)
        runs = pick(self.scores.runs, self.runs)
        topics, values = pick(self.scores.topics, drawn), self.values[:, drawn]
        as_read = np.sort(drawn)
        of_topics = [f"topic {self.scores.topics[t]}" for t in as_read]
        by_run = self.values[np.ix_(self.runs, as_read)]
        boxes_of = partial(strips, kind=self.params.drawn, ytitle=name)
        charts = [
            Chart(
                "by-run",
                "By run",
                f"{name} over the topics, best mean first. {how}; the diamond is the"
                f" mean.{left_out}",
                lambda: boxes_of(runs, by_run, of_topics, xtitle="runs, best first"),
                True,
            ),
            Chart(
                "by-topic",
                "By topic",
                f"{name} over the runs, easiest topic first. {how}; the diamond is the mean. A tall"
                f" box is a topic on which runs differ strongly.{left_out}",
                lambda: boxes_of(
                    topics, values.T, self.scores.runs, xtitle="topics, easiest first"
                ),
                True,
            ),
            Chart(
                "every-score",
                "Every score",
                f"{name}, best run on top, easiest topic on the left. A cell bluer than its"
                " neighbours is a topic on which its run is strong; a fainter one,"
                f" weak.{left_out}",
                lambda: cells(
                    runs,
                    topics,
                    values[self.runs],
                    title=name,
                    shades=Shades(low=min(0.0, float(values.min()))),
                    titles=("topics, easiest first", ""),
                ),
                True,
            ),
        ]
        # of more boxes than can be named, the map of all scores is first
        return charts if self.runs.size <= MANY else charts[::-1]

    def tables(self) -> list[Table]:
        return [
            Table("runs", "Runs", self.of_runs),
            Table("topics", "Topics", self.of_topics),
            Table("scores", "Every score", self.frame),
        ]


def compare_spread(topics: float, runs: float) -> str:
    """Compare topics and runs by standard deviations of their means: ``topics differ
    2.3 times as much as runs``.
    """
    less, more = sorted((topics, runs))
    if not more:
        return "neither topics nor runs differ"
    if more <= ALIKE * less:
        return "topics and runs differ about equally"
    one, other = ("topics", "runs") if topics > runs else ("runs", "topics")
    if not less:
        return f"{one} differ, {other} do not"
    return f"{one} differ {more / less:.1f} times as much as {other}"


def _spread(what: str, names: Sequence[str], values: np.ndarray) -> Frame:
    """Mean, standard deviation and quartiles of values [name, ...]."""
    quartiles = np.quantile(values, [0, 0.25, 0.5, 0.75, 1], axis=1)
    columns = dict(
        zip(("least", "1st quartile", "median", "3rd quartile", "most"), quartiles, strict=True)
    )
    return table(
        {what: list(names), "mean": values.mean(axis=1), "deviation": values.std(axis=1), **columns}
    )


def with_shown_measure(work: Work[Params]) -> Work[Params]:
    """The work for the one measure that is shown."""
    return replace(
        work,
        measures=(
            ()
            if isinstance(work.source, Matrix)
            else (measure(work.params.by or work.measures[0]),)
        ),
    )


@experiment(
    "topics",
    title="Topics",
    question="How are scores spread over topics?",
    does="show scores topic by topic, and which topics are hard",
    formula=r"mean_t = \frac{1}{m} \sum_{r=1}^{m} s_{rt}",
    source="Sakai & Kando 2008, Fig. 2",
    takes=(COLLECTION, MATRIX, MEASURES),
    needs=PAIRS,
)
def topics(work: Work[Params]) -> TopicScores:
    """Shows scores on the full judgments by one measure topic by topic: the spread of a
    run's scores over topics, and which topics are hard.

    Raises `ParamError` if there are fewer than two runs or topics.
    """
    return TopicScores(
        score_runs(with_shown_measure(work)), work.params, ends_of(with_shown_measure(work))
    )
