"""Value of a relevant document at each rank of an artificial list."""

from collections.abc import Sequence
from functools import cached_property, partial
from itertools import compress

import numpy as np

from irmeval.collection.build import from_lists
from irmeval.core.errors import ParamError
from irmeval.core.params import checked, param
from irmeval.core.text import count_noun, list_all
from irmeval.experiments.base import MEASURES, Work, experiment
from irmeval.experiments.facts import Fact, Verdict
from irmeval.experiments.results import Chart, Figure, Frame, NextStep, Result, Table, tidy
from irmeval.metrics import Measure, distinct
from irmeval.plots import line_charts
from irmeval.scoring.scores import evaluate

SCALES = ("score", "share of rank 1")
HALF = 0.5
"""Share of its worth at rank 1 that a document has lost half of."""
TICKS = 10
"""Approximate maximum number of ranks labelled on an axis."""


@checked
class Params:
    """Range of ranks of the relevant document, and the number of other documents."""

    R: tuple[int, ...] = param(
        "R",
        "Relevant documents of the topic; a chart for each.",
        low=1,
        high=1000,
        offers=(1, 10, 100),
        template="{} relevant documents",
        # as in Sakai & Kando 2008, Fig. 1, with ranks 1 to 20
        default=(10, 100),
    )
    last: int = param(
        "last rank",
        "The relevant document moves from rank 1 to this one.",
        low=2,
        high=100,
        template="ranks 1 to {}",
        default=20,
    )
    N: int = param(
        "N",
        "Judged nonrelevant documents of the topic; the bpref family counts in them.",
        low=1,
        high=100_000,
        template="{} nonrelevant documents",
        default=1000,
    )
    scale: str = param(
        "shown as",
        "The score itself, or its share of the score at rank 1, which shows the shape alone.",
        choices=SCALES,
        value_labels={SCALES[0]: "the score itself", SCALES[1]: "the share of the score at rank 1"},
        template="{}",
        default=SCALES[0],
    )

    def __post_init__(self) -> None:
        if self.last > self.N + 1:
            raise ParamError(
                f"N: expected at least {self.last - 1} to fill the list down to the last rank,"
                f" found {self.N}."
            )


class TopHeaviness(Result):
    """Scores of a list with one relevant document, at each of its ranks."""

    values: np.ndarray
    """float64 [measure, rank, R]"""
    measures: tuple[Measure, ...]
    params: Params

    @cached_property
    def shares(self) -> np.ndarray:
        """Each score as a share of that at rank 1 [measure, rank, R]; NaN if that is
        0.
        """
        first = self.values[:, :1]
        return np.where(first > 0, self.values / np.where(first > 0, first, 1), np.nan)

    def frame(self) -> Frame:
        """One row per observation: measure, R, rank, score, share of the score at rank
        1.
        """
        axes = {
            "measure": self.measures,
            "R": self.params.R,
            "rank": range(1, self.params.last + 1),
        }
        return tidy(
            axes, {"score": self.values.swapaxes(1, 2), "share": self.shares.swapaxes(1, 2)}
        )

    def wide(self) -> Frame:
        """One row per R and rank, one column per measure, on the chosen scale."""
        columns = {m: values.T for m, values in zip(self.measures, self._shown, strict=True)}
        return tidy({"R": self.params.R, "rank": range(1, self.params.last + 1)}, columns)

    @cached_property
    def halves(self) -> np.ndarray:
        """The rank at which a relevant document is worth half as much as at rank 1 or
        less, at the first R, beyond the last rank if at none [measure]; NaN without a
        score at rank 1.
        """
        lost = self.shares[:, :, 0] <= HALF
        never = np.ones((len(lost), 1), bool)
        rank = np.hstack([lost, never]).argmax(axis=1) + 1.0
        return np.where(np.isfinite(self.shares[:, 0, 0]), rank, np.nan)

    def facts(self, choice: str = "") -> list[Fact]:
        """The rank at which each measure has lost half of its value at rank 1."""
        what = "rank worth half of rank 1"
        halves = zip(self.measures, self.halves.tolist(), strict=True)
        return [Fact(what, str(m), "", rank) for m, rank in halves if np.isfinite(rank)]

    def verdict(self, choice: str = "") -> Verdict:
        facts = self.facts()
        if not facts:
            return Verdict(
                "A relevant document at rank 1 does not add to the score by any of these measures."
            )
        steepest, flattest = (end(facts, key=lambda fact: fact.value) for end in (min, max))
        said = f"{steepest.measure} halves the worth of rank 1 at {self._rank(steepest)}"
        if flattest.value > steepest.value:
            said += f", {flattest.measure} at {self._rank(flattest)}"
        return Verdict(f"{said}.", self._describe_blind(), self._describe_all(facts))

    def _rank(self, fact: Fact) -> str:
        last = self.params.last
        if fact.value <= last:
            return f"rank {fact.value:.0f}"
        return f"no rank down to {last}"

    def _describe_all(self, facts: Sequence[Fact]) -> str:
        """That rank for each measure, and the number of relevant documents."""
        ranks = sorted({fact.value for fact in facts})
        parts = [self._describe_rank(facts, rank) for rank in ranks]
        R = count_noun(self.params.R[0], "relevant document")
        return f"With {R}: {'; '.join(parts)}."

    def _describe_rank(self, facts: Sequence[Fact], rank: float) -> str:
        """The measures with that rank, and the rank."""
        names = list_all([fact.measure for fact in facts if fact.value == rank])
        if rank <= self.params.last:
            return f"{names} {rank:.0f}"
        return f"{names} none"

    def _describe_blind(self) -> str:
        """A sentence on measures that count ranks 1 and 2 the same; empty if none do."""
        first, second = self.values[:, 0, 0], self.values[:, 1, 0]
        # nDCG with base 2 discounts from rank 3 on, which Sakai & Kando 2008 remark on (Fig. 1)
        alike = (first == second) & (first > 0)
        blind = [*compress(self.measures, alike)]
        if not blind:
            return ""
        return f"Ranks 1 and 2 count the same by {list_all(blind)}."

    def next_steps(self) -> list[NextStep]:
        return [
            NextStep("Does a better list always score more?", "swap-property"),
            NextStep("How does it score my list?", "lab"),
        ]

    def charts(self, choice: str = "") -> list[Chart]:
        return [
            Chart(
                f"R-{R}",
                count_noun(R, "relevant document"),
                self._describe_chart(R),
                partial(self._curves, self._shown[:, :, i]),
            )
            for i, R in enumerate(self.params.R)
        ]

    def _describe_chart(self, R: int) -> str:
        as_share = self.params.scale == SCALES[1]
        shown = "the score as a share of that at rank 1" if as_share else "the score"
        document = f"One of {R} relevant documents" if R > 1 else "The only relevant document"
        return (
            f"{document} is retrieved, at the rank below the chart; the line is {shown}. A steep"
            " start means a top-heavy measure. All documents are judged, so primes give the same"
            " lines."
        )

    def tables(self) -> list[Table]:
        return [Table("ranks", "Ranks", self.wide), Table("scores", "Every score", self.frame)]

    @property
    def _shown(self) -> np.ndarray:
        if self.params.scale == SCALES[1]:
            return self.shares
        return self.values

    def _curves(self, values: np.ndarray) -> Figure:
        ranks = range(1, self.params.last + 1)
        step = next(s for s in (1, 5, 10) if s * TICKS >= self.params.last)
        return line_charts.curves(
            ranks,
            line_charts.measure_curves(self.measures, values),
            line_charts.Axes(
                xtitle="rank of the relevant document",
                ytitle=self.params.scale,
                yrange=(0, 1.05 * float(np.nanmax(values, initial=0)) or 1.0),
                ticks={r: str(r) for r in ranks if r == 1 or r % step == 0},
            ),
        )


@experiment(
    "top-heaviness",
    title="Top-heaviness",
    question="How top-heavy is a measure?",
    does="show how top-heavy measures are",
    formula=r"s(g),\ g = (0, \ldots, 0, 1, 0, \ldots, 0)",
    source="Sakai & Kando 2008, Section 3.4, Fig. 1",
    takes=(MEASURES,),
)
def top_heaviness(work: Work[Params]) -> TopHeaviness:
    """Retrieves one of R relevant documents at each rank in turn; all others in the
    list are judged nonrelevant. The faster the score falls, the more top-heavy the
    measure.

    A prime counts as the measure without it: every document is judged.
    """
    params, measures = work.params, distinct(m.raw for m in work.measures)
    # judgment 0 is the document that moves; the R - 1 others, never retrieved, come last
    judgments = [[1, *[0] * params.N, *[1] * (R - 1)] for R in params.R]
    above = list(range(1, params.last))
    runs = {
        f"rank {r}": [[*above[: r - 1], 0, *above[r - 1 :]]] * len(params.R)
        for r in range(1, params.last + 1)
    }
    return TopHeaviness(evaluate(from_lists(judgments, runs), measures).values, measures, params)
