"""On how many topics a run fails."""

from typing import TYPE_CHECKING

import numpy as np

from irmeval.core.params import checked
from irmeval.experiments.base import experiment
from irmeval.experiments.results import Chart, Table, result
from irmeval.experiments.table import tidy
from irmeval.experiments.work import Work
from irmeval.metrics import Measure
from irmeval.scoring.scores import evaluate

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go


@checked
class Params:
    """Nothing to set."""


@result
class Failures:
    """Number of topics on which each run scores 0.

    Attributes
    ----------
    counts : int [measure, run]
    runs, measures, params : what the axes stand for
    """

    counts: np.ndarray
    runs: tuple[str, ...]
    measures: tuple[Measure, ...]
    params: Params

    def frame(self) -> "pd.DataFrame":
        """One row per observation: measure, run, failures."""
        return tidy({"measure": self.measures, "run": self.runs}, {"failures": self.counts})

    def headline(self) -> str:
        """The most failures by each measure."""
        parts = [f"{most} by {m}" for m, most in zip(self.measures, self.counts.max(axis=1), strict=True)]
        return f"The most topics on which a run scores 0: {', '.join(parts)}."

    def charts(self) -> list[Chart]:
        """A box of the runs for each measure."""
        return [Chart("failures", "Failures by measure", "A box is the spread of all runs. The lower, the fewer topics fail.", self._boxes)]

    def tables(self) -> list[Table]:
        """Every number."""
        return [Table("failures", "Failures", self.frame)]

    def _boxes(self) -> "go.Figure":
        from irmeval.plots import strips

        return strips.strips(self.measures, self.counts, self.runs, "box", xtitle="measure", ytitle="topics with a score of 0")


@experiment("failures", title="Failures", question="On how many topics does a run fail?", source="An example, of nobody's", params=Params)
def failures(work: Work[Params]) -> Failures:
    """Counts the topics on which each run scores 0."""
    scores = [evaluate(work.collection, [m]).values[0] for m in work.steps(work.measures)]
    return Failures(np.sum(np.equal(scores, 0), axis=2), work.collection.runs, work.measures, work.params)
