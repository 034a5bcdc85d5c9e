"""Whether a measure always rises if a relevant document is swapped with a nonrelevant
one above it. Tries every list; needs no data.
"""

from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from irmeval.collection.build import from_lists
from irmeval.core.errors import ParamError
from irmeval.core.params import checked, param
from irmeval.core.text import all_of, count_noun, list_all
from irmeval.experiments.base import MEASURES, Work, experiment
from irmeval.experiments.facts import Fact, Verdict
from irmeval.experiments.results import Chart, Frame, NextStep, Result, Table, table
from irmeval.metrics import Measure, distinct
from irmeval.plots import cells
from irmeval.scoring.scores import evaluate
from irmeval.stats.correlation import count_opposed_pairs

MAX_LISTS = 5_000
"""Maximum number of lists."""
EQUAL = 1e-9
"""Tolerance for equal scores."""
FEW = 3
"""Fewer measures than this are named in a sentence."""
WAYS = ("rises", "stays", "falls")


@checked
class Params:
    """Number of judged documents, all of which are retrieved."""

    # 2 of 30 documents, as in the two lists of Ahlgren & Grönqvist 2008, Table 4
    R: int = param(
        "R", "Relevant documents.", low=1, high=100, template="{} relevant documents", default=2
    )
    N: int = param(
        "N",
        "Judged nonrelevant documents.",
        low=1,
        high=1000,
        template="{} nonrelevant documents",
        default=28,
    )
    nonrelevant_from: int = param(
        "nonrelevant from",
        "First of the ranks with a nonrelevant document in both lists that are shown as ordered"
        " oppositely. 0: none.",
        low=0,
        high=1100,
        default=0,
    )
    nonrelevant_to: int = param("to", "Last of these ranks.", low=0, high=1100, default=0)

    def __post_init__(self) -> None:
        if comb(self.R + self.N, self.R) > MAX_LISTS:
            raise ParamError(
                f"R, N: expected at most {MAX_LISTS:,} lists of R and N documents, found"
                f" {comb(self.R + self.N, self.R):,}."
            )


class SwapProperty(Result):
    """Effect of swaps on the score of every list, and lists that two measures order
    oppositely.

    A swap exchanges a relevant document with a nonrelevant one above it.
    """

    lists: tuple[tuple[int, ...], ...]
    """ranks of the relevant documents in each list, from 1"""
    scores: np.ndarray
    """float64 [measure, list]"""
    counts: np.ndarray
    """int [measure, way], swaps after which the score rises, stays, falls"""
    measures: tuple[Measure, ...]
    params: Params

    @property
    def alike(self) -> np.ndarray:
        """Indices of the lists without a relevant document at the ranks asked for
        [list].
        """
        blank = range(self.params.nonrelevant_from, self.params.nonrelevant_to + 1)
        kept = [i for i, ranks in enumerate(self.lists) if not {*ranks} & {*blank}]
        return np.array(kept or [*range(len(self.lists))])

    @property
    def always(self) -> np.ndarray:
        """Whether each measure rises after every swap [measure]."""
        return self.counts[:, 0] == self.counts.sum(axis=1)

    def frame(self) -> Frame:
        """One row per measure: swaps after which its score rises, stays, falls; the
        share after which it rises; whether it always does.
        """
        shares = self.counts[:, 0] / self.counts.sum(axis=1)
        columns = dict(zip(WAYS, self.counts.T, strict=True))
        return table({"measure": self.measures, **columns, "share": shares, "always": self.always})

    def opposed(self) -> Frame:
        """One row per two measures: pairs of lists that they order oppositely, all
        pairs, the opposed ones with nonrelevant documents at the ranks asked for, and
        the first of these: ranks of its relevant documents, and scores (Ahlgren &
        Grönqvist 2008, Table 4).
        """
        return table([self._opposed(a, b) for a, b in combinations(range(len(self.measures)), 2)])

    def _opposed(self, a: int, b: int) -> dict[str, Any]:
        """A row of `opposed`; empty cells where no such pair is opposed."""
        lists = self.alike
        count, _ = count_opposed_pairs(self.scores[a], self.scores[b], EQUAL)
        alike, pair = count_opposed_pairs(self.scores[a, lists], self.scores[b, lists], EQUAL)
        row: dict[str, Any] = {
            "measure a": self.measures[a],
            "measure b": self.measures[b],
            "opposed": count,
            "pairs": comb(len(self.lists), 2),
            "shown of": alike,
        }
        for place, which in zip(("first", "second"), lists[[*pair]], strict=True):
            ranks = ", ".join(map(str, self.lists[which]))
            by_a, by_b = self.scores[a, which], self.scores[b, which]
            cells = {f"{place} list": ranks, f"{place} by a": by_a, f"{place} by b": by_b}
            row |= cells if alike else dict.fromkeys(cells)
        return row

    def facts(self, choice: str = "") -> list[Fact]:
        """Share of the swaps after which each measure rises."""
        shares = (self.counts[:, 0] / self.counts.sum(axis=1)).tolist()
        named = zip(self.measures, shares, strict=True)
        return [Fact("swaps that raise the score", str(m), "", share) for m, share in named]

    def verdict(self, choice: str = "") -> Verdict:
        swaps = count_noun(int(self.counts[0].sum()), "swap")
        documents = self.params.R + self.params.N
        lists = count_noun(len(self.lists), "list")
        beside = f"In {lists} with {self.params.R} of {documents} documents relevant."
        facts = self.facts()
        always = [fact.measure for fact in facts if fact.value == 1]
        if len(always) == len(facts):
            every = all_of(len(facts), "measure")
            return Verdict(f"Yes: by {every}, the score rises after each of {swaps}.", beside)
        worst = min(facts, key=lambda fact: fact.value)
        said = f"{worst.measure} rises after only {worst.value:.1%} of {swaps}"
        if always:
            few = list_all(always) if len(always) < FEW else count_noun(len(always), "measure")
            said += f", {few} after each"
        return Verdict(f"No: {said}.", beside)

    def next_steps(self) -> list[NextStep]:
        return [
            NextStep("How top-heavy is it?", "top-heaviness"),
            NextStep("How does it score my list?", "lab"),
        ]

    def charts(self, choice: str = "") -> list[Chart]:
        shares = self.counts / self.counts.sum(axis=1, keepdims=True)
        return [
            Chart(
                "shares",
                "Effect of a swap",
                "Share of the swaps after which the score rises, stays or falls. In every list,"
                " each relevant document is swapped with each nonrelevant one above it. A measure"
                " of rank effectiveness should always rise.",
                lambda: cells.cells(
                    self.measures,
                    WAYS,
                    shares,
                    title="share",
                    form=".1%",
                    shades=cells.Shades(high=1.0),
                ),
            )
        ]

    def tables(self) -> list[Table]:
        return [
            Table("measures", "Measures", self.frame),
            Table("opposed", "Lists ordered oppositely", self.opposed),
        ]


@experiment(
    "swap-property",
    title="Swap property",
    question="Does a better list always score more?",
    does="check that a better list always scores more",
    formula=r"g_i = 0,\ g_j = 1,\ i < j \quad \Rightarrow \quad s(L_{i \leftrightarrow j}) > s(L)",
    source="Ahlgren & Grönqvist 2008, Section 5, Table 4, Appendix (Propositions 1-3)",
    takes=(MEASURES,),
)
def swap_property(work: Work[Params]) -> SwapProperty:
    """Swaps each relevant document with each nonrelevant one above it, in every list of
    R relevant and N judged nonrelevant documents. A measure has the swap property if
    its score rises every time. Two measures are compared by the pairs of lists that
    they order oppositely.

    A prime counts as the measure without it: every document is judged.
    """
    params, measures = work.params, distinct(m.raw for m in work.measures)
    ranks = range(1, params.R + params.N + 1)
    lists = tuple(combinations(ranks, params.R))
    places = np.array(lists)
    relevant = (places[:, :, None] == ranks).any(axis=1)
    # the relevant documents come first among the judgments, and keep their order in every list
    documents = (
        np.where(relevant, relevant.cumsum(axis=1), params.R + (~relevant).cumsum(axis=1)) - 1
    )
    judgments = [1] * params.R + [0] * params.N
    values = evaluate(
        from_lists(
            [judgments], {str(i): [ranking] for i, ranking in enumerate(documents.tolist())}
        ),
        measures,
    ).values[..., 0]
    above = places[:, :, None] > ranks
    above &= ~relevant[:, None]
    before, low, high = np.nonzero(above)
    bits = np.packbits(relevant, axis=1)  # a bit for each rank distinguishes the lists
    swapped = bits[before]
    for rank in (places[before, low] - 1, high):
        swapped[np.arange(before.size), rank // 8] ^= (128 >> rank % 8).astype(np.uint8)
    names, wanted = (each.view(f"S{bits.shape[1]}").ravel() for each in (bits, swapped))
    by_name = np.argsort(names)
    after = by_name[np.searchsorted(names, wanted, sorter=by_name)]
    change = values[:, after] - values[:, before]
    counts = np.stack(
        [
            (change > EQUAL).sum(axis=1),
            (np.abs(change) <= EQUAL).sum(axis=1),
            (change < -EQUAL).sum(axis=1),
        ],
        axis=1,
    )
    return SwapProperty(lists, values, counts, measures, params)
