"""What an ideal list scores, by the number of relevant documents there are."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import numpy as np

from irmeval.collection import of_lists
from irmeval.experiments.base import Chart, experiment
from irmeval.metrics import Measure, measure
from irmeval.params import Param, check
from irmeval.scores import evaluate

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

N = 1000
"""Judged nonrelevant documents of the topic, none of them retrieved."""


@dataclass(frozen=True)
class Params:
    """Which RBPs, and how many relevant documents."""

    p: Annotated[
        tuple[float, ...], Param("RBP's p", "Probability that the user goes on.", low=0.01, high=0.99, offers=(0.5, 0.8, 0.9, 0.95, 0.98))
    ] = (
        0.5,
        0.8,
        0.95,
    )
    R: Annotated[
        tuple[int, ...],
        Param("R", "Relevant documents, all at the top of the list.", low=1, high=1000, offers=(1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)),
    ] = (
        1,
        10,
        100,
        1000,
    )

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True, eq=False)
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

    def frame(self) -> "pd.DataFrame":
        """One row per observation: measure, R, score."""
        import pandas as pd

        index = pd.MultiIndex.from_product([[str(m) for m in self.measures], self.params.R], names=["measure", "R"])
        return pd.DataFrame({"score": self.values.ravel()}, index).reset_index()

    def wide(self) -> "pd.DataFrame":
        """One row per R, one column per measure."""
        import pandas as pd

        return pd.DataFrame({"R": self.params.R, **{str(m): v for m, v in zip(self.measures, self.values, strict=True)}})

    def headline(self) -> str:
        """Which measures give an ideal list less than 1, and how little."""
        short = [i for i, v in enumerate(self.values) if np.any(v < 1 - 1e-9)]
        if not short:
            return "An ideal list scores 1 by each of these measures, however many relevant documents there are."
        worst = min(short, key=lambda i: float(self.values[i].min()))
        R = self.params.R[int(self.values[worst].argmin())]
        full = len(self.measures) - len(short)
        return (
            f"An ideal list scores as little as {self.values[worst].min():.4f} by {self.measures[worst]} (R = {R}); "
            f"{full} of {len(self.measures)} measures always give it 1."
        )

    def charts(self) -> list[Chart]:
        """Score against R."""
        return [
            Chart(
                "Ideal lists",
                "Score of a list that holds all R relevant documents at its top and nothing else. A line below 1 is a measure to which topics with few "
                "relevant documents count for less in the mean.",
                self._curves,
            )
        ]

    def tables(self) -> "dict[str, pd.DataFrame]":
        """Per R; and one row per observation."""
        return {"Ideal lists": self.wide(), "Every score": self.frame()}

    def _curves(self) -> "go.Figure":
        from irmeval.plots import curves, theme

        n = len(self.params.p)  # the chosen measures have first choice of a colour, as on every page
        style = theme.styles(map(str, (*self.measures[n:], *self.measures[:n])))
        return curves.curves(
            range(len(self.params.R)),
            [curves.Curve(str(m), v, style[str(m)]) for m, v in zip(self.measures, self.values, strict=True)],
            xtitle="relevant documents R",
            ytitle="score of an ideal list",
            yrange=(0, 1.05 * max(float(self.values.max()), 1.0)),
            ticks=dict(enumerate(map(str, self.params.R))),
        )


@experiment(
    "ideal-lists",
    title="Ideal lists",
    source="Sakai & Kando 2008, Section 3.3, Table 1",
    params=Params,
    data=False,
)
def ideal_lists(measures: Sequence[str | Measure], params: Params = Params()) -> IdealLists:
    """A list of all R relevant documents, of one grade, and nothing else, is scored by RBP and the chosen measures.
    RBP gives it 1 - p^R, as it does not ask how many relevant documents there are.

    The measures are scored beside RBP with each p; a prime counts as the measure without it, as every document is judged.
    """
    chosen = tuple(dict.fromkeys([*(measure(f"RBP(p={p})") for p in params.p), *(measure(m).raw for m in measures)]))
    judgments = [[*[1] * R, *[0] * N] for R in params.R]
    values = evaluate(of_lists(judgments, {"ideal": [range(R) for R in params.R]}), chosen).values[:, 0]
    return IdealLists(values, chosen, params)
