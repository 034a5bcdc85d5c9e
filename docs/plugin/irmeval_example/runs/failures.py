"""On how many topics a run fails."""

import numpy as np

from irmeval.core.params import checked
from irmeval.experiments.base import Work, experiment
from irmeval.experiments.facts import Fact, Verdict
from irmeval.experiments.results import Chart, Figure, Frame, Result, Table, tidy
from irmeval.metrics import Measure
from irmeval.plots import points
from irmeval.scoring.scores import evaluate


@checked
class Params:
    """Nothing to set."""


class Failures(Result):
    """Number of topics on which each run scores 0."""

    counts: np.ndarray
    """int [measure, run]"""
    runs: tuple[str, ...]
    measures: tuple[Measure, ...]
    params: Params

    def frame(self) -> Frame:
        """One row per observation: measure, run, failures."""
        return tidy({"measure": self.measures, "run": self.runs}, {"failures": self.counts})

    def facts(self, choice: str = "") -> list[Fact]:
        """The most topics on which a run fails, by each measure."""
        most = self.counts.max(axis=1).tolist()
        return [Fact("failures", str(m), "", n) for m, n in zip(self.measures, most, strict=True)]

    def verdict(self, choice: str = "") -> Verdict:
        worst = max(self.facts(), key=lambda fact: fact.value)
        return Verdict(f"By {worst.measure}, a run scores 0 on up to {worst.value:g} topics.")

    def charts(self, choice: str = "") -> list[Chart]:
        return [
            Chart(
                "failures",
                "Failures by measure",
                "A box is the spread of all runs. The lower, the fewer topics fail.",
                self._boxes,
            )
        ]

    def tables(self) -> list[Table]:
        return [Table("failures", "Failures", self.frame)]

    def _boxes(self) -> Figure:
        return points.strips(
            self.measures,
            self.counts,
            self.runs,
            "box",
            xtitle="measure",
            ytitle="topics with a score of 0",
        )


@experiment(
    "failures",
    title="Failures",
    question="On how many topics does a run fail?",
    source="An example, of nobody's",
)
def failures(work: Work[Params]) -> Failures:
    """Counts the topics on which each run scores 0."""
    scores = [evaluate(work.collection, [m]).values[0] for m in work.steps(work.measures)]
    return Failures(
        np.sum(np.equal(scores, 0), axis=2), work.collection.runs, work.measures, work.params
    )
