"""Scores of ideal lists, by number of relevant documents."""

import numpy as np

from irmeval.collection.build import from_lists
from irmeval.core.params import checked, param
from irmeval.core.text import count_noun, share_that
from irmeval.experiments.base import MEASURES, Work, experiment
from irmeval.experiments.facts import Fact, Verdict
from irmeval.experiments.results import Chart, Figure, Frame, Result, Table, tidy
from irmeval.metrics import Measure, distinct
from irmeval.plots import colors, line_charts
from irmeval.scoring.scores import evaluate

ROUNDING = 1e-9
"""Scores this close to 1 are 1."""
N = 1000
"""Judged nonrelevant documents of the topic, none retrieved."""


@checked
class Params:
    """RBP persistences, and numbers of relevant documents."""

    p: tuple[float, ...] = param(
        "RBP's p",
        "Probability that the user continues to the next rank.",
        low=0.01,
        high=0.99,
        offers=(0.5, 0.8, 0.9, 0.95, 0.98),
        template="RBP with p = {}",
        # these p, and the R below, are those of Sakai & Kando 2008, Table 1
        default=(0.5, 0.8, 0.95),
    )
    R: tuple[int, ...] = param(
        "R",
        "Relevant documents, all at the top of the list.",
        low=1,
        high=1000,
        offers=(1, 2, 5, 10, 20, 50, 100, 200, 500, 1000),
        template="{} relevant documents",
        default=(1, 10, 100, 1000),
    )


class IdealLists(Result):
    """Scores of ideal lists."""

    values: np.ndarray
    """float64 [measure, R]"""
    measures: tuple[Measure, ...]
    params: Params

    def frame(self) -> Frame:
        """One row per observation: measure, R, score."""
        return tidy({"measure": self.measures, "R": self.params.R}, {"score": self.values})

    def wide(self) -> Frame:
        """One row per R, one column per measure."""
        return tidy({"R": self.params.R}, dict(zip(self.measures, self.values, strict=True)))

    def facts(self, choice: str = "") -> list[Fact]:
        """The lowest score that each measure gives an ideal list, and its R."""
        least, R = self.values.argmin(axis=1), self.params.R
        return [
            Fact("score of an ideal list", str(m), "", float(row[at]), float(R[at]))
            for m, row, at in zip(self.measures, self.values, least, strict=True)
        ]

    def verdict(self, choice: str = "") -> Verdict:
        facts = self.facts()
        full = [fact.measure for fact in facts if fact.value >= 1 - ROUNDING]
        if len(full) == len(facts):
            return Verdict("1 by each of these measures, for any number of relevant documents.")
        worst = min(facts, key=lambda fact: fact.value)
        R = count_noun(int(worst.level), "relevant document")
        lowest = f"As little as {worst.value:.4f} by {worst.measure}, with {R}"
        one = share_that(len(full), len(facts), "measure", "give")
        return Verdict(f"{lowest}; {one} it 1 for any number.")

    def charts(self, choice: str = "") -> list[Chart]:
        return [
            Chart(
                "curves",
                "Ideal lists",
                "Score of a list of all R relevant documents and nothing else. If a measure's line"
                " is below 1, topics with few relevant documents weigh less in its mean.",
                self._curves,
            )
        ]

    def tables(self) -> list[Table]:
        return [
            Table("lists", "Ideal lists", self.wide),
            Table("scores", "Every score", self.frame),
        ]

    def _curves(self) -> Figure:
        n = len(self.params.p)  # the chosen measures get their colours first, as on every page
        style = colors.styles((*self.measures[n:], *self.measures[:n]))
        return line_charts.curves(
            range(len(self.params.R)),
            [
                line_charts.ChartLine(m, v, style[m])
                for m, v in zip(self.measures, self.values, strict=True)
            ],
            line_charts.Axes(
                xtitle="relevant documents R",
                ytitle="score of an ideal list",
                yrange=(0, 1.05 * max(float(self.values.max()), 1.0)),
                ticks=dict(enumerate(map(str, self.params.R))),
            ),
        )


@experiment(
    "ideal-lists",
    title="Ideal lists",
    question="What does an ideal list score?",
    does="score ideal lists by RBP and other measures",
    formula=r"RBP = 1 - p^R",
    source="Sakai & Kando 2008, Section 3.3, Table 1",
    takes=(MEASURES,),
    pages=("top-heaviness",),
)
def ideal_lists(work: Work[Params]) -> IdealLists:
    """Scores a list of all R relevant documents, of one grade, and nothing else by RBP
    and the chosen measures. RBP gives it 1 - p^R, since it does not depend on the
    number of relevant documents.

    RBP has each p. A prime counts as the measure without it: every document is judged.
    """
    params = work.params
    of_p = [f"RBP(p={p})" for p in params.p]
    measures = distinct([*of_p, *(m.raw for m in work.measures)])
    judgments = [[*[1] * R, *[0] * N] for R in params.R]
    lists = {"ideal": [*map(range, params.R)]}
    scores = evaluate(from_lists(judgments, lists), measures)
    return IdealLists(scores.values[:, 0], measures, params)
