"""What an ideal list scores, by the number of relevant documents there are."""

from typing import Annotated

import numpy as np

from irmeval.collection.build import from_lists
from irmeval.core.params import Param, checked
from irmeval.core.text import some_of, verb
from irmeval.experiments.base import MEASURES, experiment
from irmeval.experiments.results import Chart, Figure, Frame, Table, result
from irmeval.experiments.table import tidy
from irmeval.experiments.work import Work
from irmeval.metrics import Measure, distinct
from irmeval.plots import line_charts, theme
from irmeval.scoring.scores import evaluate

N = 1000
"""Judged nonrelevant documents of the topic; none is retrieved."""


@checked
class Params:
    """Which RBPs, and how many relevant documents."""

    p: Annotated[
        tuple[float, ...],
        Param(
            "RBP's p", "Probability that the user goes on.", low=0.01, high=0.99, offers=(0.5, 0.8, 0.9, 0.95, 0.98), said="RBP with p = {}"
        ),
    ] = (0.5, 0.8, 0.95)
    R: Annotated[
        tuple[int, ...],
        Param(
            "R",
            "Relevant documents, all at the top of the list.",
            low=1,
            high=1000,
            offers=(1, 2, 5, 10, 20, 50, 100, 200, 500, 1000),
            said="{} relevant",
        ),
    ] = (1, 10, 100, 1000)


@result
class IdealLists:
    """Scores of ideal lists.

    Attributes
    ----------
    values : float64 [measure, R]
    measures, params : what the axes stand for
    """

    values: np.ndarray
    measures: tuple[Measure, ...]
    params: Params

    def frame(self) -> Frame:
        """One row per observation: measure, R, score."""
        return tidy({"measure": self.measures, "R": self.params.R}, {"score": self.values})

    def wide(self) -> Frame:
        """One row per R, one column per measure."""
        return tidy({"R": self.params.R}, dict(zip(self.measures, self.values, strict=True)))

    def headline(self) -> str:
        """Which measures give an ideal list less than 1, and how little."""
        short = [i for i, v in enumerate(self.values) if np.any(v < 1 - 1e-9)]
        if not short:
            return "An ideal list scores 1 by each of these measures, for any number of relevant documents."
        worst = min(short, key=lambda i: float(self.values[i].min()))
        R = self.params.R[int(self.values[worst].argmin())]
        full = len(self.measures) - len(short)
        return (
            f"An ideal list scores as little as {self.values[worst].min():.4f} by {self.measures[worst]} (R = {R}); "
            f"{some_of(full, len(self.measures), 'measure')} always {verb(max(full, 1), 'gives', 'give')} it 1."
        )

    def charts(self) -> list[Chart]:
        """Score against R."""
        return [
            Chart(
                "curves",
                "Ideal lists",
                "Score of a list that holds all R relevant documents at its top and nothing else. By a measure whose line is below "
                "1, topics with few relevant documents weigh less in the mean.",
                self._curves,
            )
        ]

    def tables(self) -> list[Table]:
        """Per R; and one row per observation."""
        return [Table("lists", "Ideal lists", self.wide), Table("scores", "Every score", self.frame)]

    def _curves(self) -> Figure:
        n = len(self.params.p)  # the chosen measures have first choice of a colour, as on every page
        style = theme.styles((*self.measures[n:], *self.measures[:n]))
        return line_charts.curves(
            range(len(self.params.R)),
            [line_charts.Curve(m, v, style[m]) for m, v in zip(self.measures, self.values, strict=True)],
            xtitle="relevant documents R",
            ytitle="score of an ideal list",
            yrange=(0, 1.05 * max(float(self.values.max()), 1.0)),
            ticks=dict(enumerate(map(str, self.params.R))),
        )


@experiment(
    "ideal-lists",
    title="Ideal lists",
    question="What does an ideal list score?",
    does="score ideal lists by RBP and other measures",
    source="Sakai & Kando 2008, Section 3.3, Table 1",
    params=Params,
    takes=(MEASURES,),
    pages=("top_heaviness",),
)
def ideal_lists(work: Work[Params]) -> IdealLists:
    """A list of all R relevant documents, of one grade, and nothing else, is scored by RBP and the chosen measures. RBP gives it 1 - p^R,
    as it does not ask how many relevant documents there are.

    The measures are scored beside RBP with each p; a prime counts as the measure without it, as every document is judged.
    """
    params = work.params
    measures = distinct([*(f"RBP(p={p})" for p in params.p), *(m.raw for m in work.measures)])
    judgments = [[*[1] * R, *[0] * N] for R in params.R]
    values = evaluate(from_lists(judgments, {"ideal": [range(R) for R in params.R]}), measures).values[:, 0]
    return IdealLists(values, measures, params)
