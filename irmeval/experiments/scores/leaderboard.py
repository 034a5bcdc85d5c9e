"""Runs by measures, and topics by runs."""

from collections.abc import Sequence

import numpy as np

from irmeval.experiments.base import Work, experiment
from irmeval.experiments.results import Chart, Figure, Frame, Table, result
from irmeval.experiments.table import tidy
from irmeval.metrics import Measure
from irmeval.params import checked
from irmeval.scores import Scores, evaluate
from irmeval.words import counted

READABLE = 40
"""Runs that the figure shows."""


@checked
class Params:
    """Nothing is to be decided."""


@result
class Leaderboard:
    """The mean of every run by every measure.

    Attributes
    ----------
    scores : Scores
    params : Params
    measures : of the scores
    """

    scores: Scores
    params: Params
    measures: tuple[Measure, ...]

    def frame(self) -> Frame:
        """One row per run and measure, in the order of the files: run, measure, topics that the mean is over, score."""
        axes = {"run": self.scores.runs, "measure": self.measures}
        return tidy(axes, {"topics": self.scores.counts.T, "score": self.scores.means.T})

    def board(self) -> Frame:
        """One row per run, best by the first measure first: over how many topics its means are, and the means."""
        import pandas as pd

        scores = self.scores
        columns = dict(zip(scores.measures, scores.means, strict=True))
        counts = scores.counts
        n = counts[0] if np.all(counts == counts[0]) else [" / ".join(map(str, c)) for c in counts.T]
        return pd.DataFrame({"run": scores.runs, "topics": n, **columns}).iloc[self.order].reset_index(drop=True)

    @property
    def order(self) -> np.ndarray:
        """The runs, best by the first measure first."""
        return np.argsort(-self.scores.means[0], kind="stable")

    def headline(self) -> str:
        """Which run each measure puts first."""
        best: dict[str, list[str]] = {}
        runs = self.scores.runs
        for measure, means in zip(self.measures, self.scores.means, strict=True):
            if np.isfinite(means).any():
                best.setdefault(runs[int(np.nanargmax(means))], []).append(measure)
        wins = [f"{run} by {', '.join(measures)}" for run, measures in sorted(best.items(), key=lambda item: -len(item[1]))]
        return f"Best of {counted(len(runs), 'run')} on {counted(len(self.scores.topics), 'topic')}: {'; '.join(wins)}."

    def by_topic(self, runs: Sequence[str]) -> Frame:
        """One row per topic, highest by the first measure of the first run first; a column per run and measure."""
        import pandas as pd

        scores = self.scores
        places = [scores.runs.index(run) for run in runs]
        columns = {
            f"{run} {measure}": scores.values[m, place]
            for run, place in zip(runs, places, strict=True)
            for m, measure in enumerate(scores.measures)
        }
        order = np.argsort(-scores.values[0, places[0]], kind="stable")
        return pd.DataFrame({"topic": scores.topics, **columns}).iloc[order].reset_index(drop=True)

    def charts(self) -> list[Chart]:
        """The means of the best runs as cells."""
        return [
            Chart(
                "means",
                "Mean scores",
                f"The best {READABLE} runs at most, by mean {self.measures[0]}, best first: the deeper the blue, the higher the mean.",
                self._means,
            )
        ]

    def _means(self) -> Figure:
        from irmeval.plots import cells

        best = self.order[:READABLE]
        return cells.cells([self.scores.runs[r] for r in best], self.measures, self.scores.means[:, best].T, title="mean score")

    def tables(self) -> list[Table]:
        """The means."""
        return [Table("means", "Means", self.board)]


@experiment(
    "leaderboard",
    title="Leaderboard",
    question="Who is best, by which measure?",
    source="the common practice of TREC",
    params=Params,
)
def leaderboard(work: Work[Params]) -> Leaderboard:
    """Every run is scored by every measure; what counts is its mean over the topics."""
    return Leaderboard(evaluate(work.collection, work.measures), work.params, work.measures)
