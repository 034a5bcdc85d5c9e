"""Agreement of tests, the stability method and the swap method on the pairs of runs
that certainly differ.
"""

from itertools import combinations

import numpy as np

from irmeval.core.numbers import against
from irmeval.core.params import checked, param
from irmeval.core.text import count_noun
from irmeval.experiments.base import COLLECTION, MATRIX, MEASURES, Work, experiment
from irmeval.experiments.facts import Fact, Verdict
from irmeval.experiments.headlines import name_end, written_alike
from irmeval.experiments.needs import PAIRS
from irmeval.experiments.results import Chart, Choice, Frame, NextStep, Result, Table, table, tidy
from irmeval.experiments.scored import OfScores, Scored, score_runs
from irmeval.experiments.settings import Samples, Seed, Sets, Size
from irmeval.experiments.trials import EQUIVALENT
from irmeval.plots import cells
from irmeval.stats.correlation import critical_tau
from irmeval.stats.orderings import MINORITY, ORDERINGS, SWAP, compare_orderings

PAPER = (("sign", MINORITY), ("sign", SWAP), (MINORITY, SWAP))
"""The comparisons in Table 14 of Sakai 2007 (reliability)."""
LEVEL = 0.01
"""The level of a significant tau there."""


@checked
class Params:
    """How the pairs of runs are ordered."""

    fuzziness: float = param(
        "fuzziness f",
        "For the minority rate: two means tie where they differ by less than this share.",
        low=0,
        high=1,
        template="ties within a fuzziness of {}",
        default=0.05,
    )
    size: Size = None
    sets: Sets = 1000
    samples: Samples = 1000
    seed: Seed = 1


class PairOrderings(OfScores, Result):
    """Similarity of the orders of the pairs of runs by p of each test, by minority
    rate, and by swap rate, most certain pair first.
    """

    tau: np.ndarray
    """float64 [measure, ordering, ordering], Kendall's tau-b; NaN for an ordering that
    ties all pairs
    """
    scores: Scored
    params: Params

    @property
    def critical(self) -> float:
        """The tau between orders of this many pairs that the source calls significant at
        `LEVEL`, two-sided, as if pairs shared no runs: unrelated orders of the 435 pairs of
        30 runs reach it in .08 of simulations.
        """
        return critical_tau(self.scores.pairs, alpha=LEVEL)

    def frame(self) -> Frame:
        """One row per observation: measure, ordering_a, ordering_b, tau, whether the source
        calls it significant at `LEVEL`.
        """
        columns = {"tau": self.tau, "significant": np.abs(self.tau) >= self.critical}
        frame = tidy(
            {"measure": self.scores.names, "ordering_a": ORDERINGS, "ordering_b": ORDERINGS},
            columns,
        )
        later = np.triu(np.ones((len(ORDERINGS), len(ORDERINGS)), bool), 1)
        return frame[np.tile(later.ravel(), len(self.scores.names))].reset_index(drop=True)

    def as_in_the_paper(self) -> Frame:
        """One row per measure: tau between sign test, minority rate and swap rate, and
        the tau that it calls significant (Table 14).
        """
        columns = {
            f"{a} - {b}": self.tau[:, ORDERINGS.index(a), ORDERINGS.index(b)] for a, b in PAPER
        }
        # .083 for the paper's 435 pairs, where it says .09
        return table({"measure": self.scores.names, **columns, "significant from": self.critical})

    def choice(self) -> Choice:
        """The measure by which the runs are compared."""
        names = tuple(map(str, self.scores.names))
        return Choice("measure", names, "Measure by which the runs are compared.")

    def facts(self, choice: str = "") -> list[Fact]:
        """How alike every two orderings are, by each measure."""
        found = []
        for measure, tau in zip(self.scores.names, self.tau, strict=True):
            for a, b in combinations(range(len(ORDERINGS)), 2):
                pair = f"{ORDERINGS[a]} and {ORDERINGS[b]}"
                found.append(Fact("tau", str(measure), pair, float(tau[a, b])))
        return [fact for fact in found if np.isfinite(fact.value)]

    def verdict(self, choice: str = "") -> Verdict:
        name = choice or str(self.scores.names[0])
        beside = f"{count_noun(self.scores.pairs, 'pair')} of runs."
        if self.scores.pairs == 1:
            return Verdict("One pair of runs has no order, so Kendall's tau is undefined.")
        facts = [fact for fact in self.facts() if fact.measure == name]
        if not facts:
            return Verdict(f"Kendall's tau is undefined by {name}: too many pairs tie.", beside)
        least = min(facts, key=lambda fact: fact.value)
        answer = "Yes" if least.value > EQUIVALENT else "No"
        if np.isfinite(self.critical):
            beside += (
                f" Sakai (2007) calls a tau of {self.critical:.2f} significant at {LEVEL:g}; pairs"
                " that share runs reach it more often."
            )
        lines, taus = [fact.line for fact in facts], [fact.value for fact in facts]
        who = name_end(lines, taus, least.value, ".2f", "pair of orderings")
        said = f"by {name}, {who} are the least alike (tau {against(least.value, EQUIVALENT)})"
        if len(written_alike(taus, least.value, ".2f")) == len(taus):
            said = f"by {name}, {who} have tau {against(least.value, EQUIVALENT)}"
        return Verdict(f"{answer}: {said}.", beside + self.scores.left_out())

    def next_steps(self) -> list[NextStep]:
        several = self.scores.pairs > 1
        asked = "Which pairs of runs differ?" if several else "Do the two runs differ?"
        return [NextStep(asked, "matrix")]

    def charts(self, choice: str = "") -> list[Chart]:
        name = choice or str(self.scores.names[0])
        tau = self.tau[[*map(str, self.scores.names)].index(name)]
        return [
            Chart(
                "orders",
                f"Orders of the run pairs by {name}",
                "Kendall's tau between two orders of the pairs of runs by how certain their"
                " difference is: 1 is the same order.",
                lambda: cells.cells(
                    ORDERINGS,
                    ORDERINGS,
                    tau,
                    title="Kendall's tau",
                    form=".2f",
                    shades=cells.Shades(diagonal=True),
                ),
            )
        ]

    def tables(self) -> list[Table]:
        return [
            Table("measures", "Measures", self.as_in_the_paper),
            Table("orderings", "All orderings", self.frame),
        ]


@experiment(
    "pair-orderings",
    title="Pair orderings",
    question="Do all methods order pairs of runs alike?",
    does="compare the orders that tests and swaps give pairs of runs",
    formula=r"\tau_b = \frac{concordant - discordant}{\sqrt{untied_x \cdot untied_y}}",
    source="Sakai 2007 (reliability of graded relevance metrics), Section 4.6, Table 14",
    takes=(COLLECTION, MATRIX, MEASURES),
    # takes two thirds as long with fewer, due to tests without samples
    first={"sets": 1000, "samples": 1000},
    pages=("swap",),
    needs=PAIRS,
)
def pair_orderings(work: Work[Params]) -> PairOrderings:
    """Orders the pairs of runs by the certainty of their difference: by p of each
    significance test, by minority rate, and by swap rate. The orders are compared with
    each other.

    Raises `ParamError` if there are too few runs or topics.
    """
    scores, params = score_runs(work), work.params
    return PairOrderings(
        np.stack(
            work.each(lambda values: compare_orderings(values, **vars(params)), scores.values)
        ),
        scores,
        params,
    )
