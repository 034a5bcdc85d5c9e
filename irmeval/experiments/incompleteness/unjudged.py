"""Unjudged documents among those retrieved, by rank."""

from collections.abc import Callable, Sequence
from functools import cached_property, partial

import numpy as np

from irmeval.collection import Collection
from irmeval.collection.joining import NEAR
from irmeval.core.numbers import per_cent
from irmeval.core.params import checked, param
from irmeval.core.places import pick
from irmeval.core.text import count_noun, verb
from irmeval.experiments.axes.depth import SHALLOWER
from irmeval.experiments.base import COLLECTION, LISTS, MEASURES, Work, experiment
from irmeval.experiments.facts import Fact, Verdict
from irmeval.experiments.results import Chart, Figure, Frame, NextStep, Result, Table, table, tidy
from irmeval.metrics import Measure
from irmeval.plots import line_charts
from irmeval.plots.colors import GREY, PALETTE, Style
from irmeval.scoring.scores import evaluate
from irmeval.scoring.unjudged_near_top import PERSISTENCE, first_unjudged, rank_unjudged
from irmeval.stats.correlation import tau_b
from irmeval.stats.means import mean_of_known

OFFERS = (*range(1, 11), 15, 20, 30, 50, 75, 100, 150, 200, 300, 500, 750, 1000)
LISTED = 1000
"""Documents to judge in a result; the file contains all."""
BETWEEN = 0.3
"""Least distance of two names on the axis of ranks, in powers of ten: on a telephone they
are turned, and a smaller one is no line of text.
"""
TOP = 10
"""Ranks that the verdict is about."""
JUDGED_AT = (TOP, 100, 1000)
"""Cut-offs at which judged documents are counted."""


@checked
class Params:
    """Ranges of ranks to count."""

    ranks: tuple[int, ...] = param(
        "ranks up to",
        "Last rank of each range; the next range begins after it.",
        low=1,
        high=1_000_000,
        offers=OFFERS,
        template="ranks {}",
        default=(1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000),
    )
    p: float = param(
        "persistence p",
        "Documents to judge next are ordered by what each could add to RBP with this p.",
        low=0.01,
        high=0.999,
        template="RBP(p={})",
        default=PERSISTENCE,
    )


class Unjudged(Result):
    """Unjudged documents of each run. A stretch is a range of ranks."""

    looked_at = "judged@10"

    ends: tuple[int, ...]
    """last rank of each stretch, without stretches that no list reaches"""
    judged_at: tuple[int, ...]
    """those of `JUDGED_AT` that differ, since a list is longer than the one before"""
    share: np.ndarray
    """float64 [run, stretch], unjudged share of the documents at these ranks over all
    topics; NaN if none is retrieved
    """
    values: np.ndarray
    """int64 [2, run, stretch, topic], documents judged and documents retrieved"""
    counts: np.ndarray
    """float64 [4 to 6, run], means over topics: documents retrieved, relevant,
    unjudged; judged shares at `judged_at`
    """
    means: np.ndarray
    """float64 [measure, run]"""
    to_judge: Frame
    """the first `LISTED` unjudged documents near the top of the lists, in the order of
    `irmeval.scoring.unjudged_near_top.rank_unjudged`
    """
    near_top: int
    """number of all such documents"""
    rank_all: Callable[[], Frame]
    """function that lists all of them"""
    measures: tuple[Measure, ...]
    runs: tuple[str, ...]
    params: Params

    @cached_property
    def mean_share(self) -> np.ndarray:
        """Mean over the runs with documents at these ranks [stretch]."""
        return mean_of_known(self.share.T)

    @property
    def stretches(self) -> list[str]:
        """The ranks of each stretch in words."""
        return [
            f"{a + 1}-{b}" if b > a + 1 else str(b)
            for a, b in zip((0, *self.ends), self.ends, strict=False)
        ]

    def frame(self) -> Frame:
        """One row per run and stretch of ranks: run, ranks, share unjudged."""
        return tidy({"run": self.runs, "ranks": self.stretches}, {"unjudged": self.share})

    def positions(self) -> Frame:
        """One row per stretch of ranks: unjudged share, mean over the runs with
        documents there, and lowest and highest of a run (Ahlgren & Grönqvist 2008,
        Table 3).
        """
        # a run whose lists end before these ranks is NaN, which `min` would spread
        ends = {"least": np.fmin.reduce(self.share), "most": np.fmax.reduce(self.share)}
        return table({"ranks": self.stretches, "unjudged": self.mean_share, **ends})

    def summary(self) -> Frame:
        """One row per run, least judged first, after the mean of all runs: documents
        retrieved, relevant and unjudged per topic, judged shares, scores.
        """
        names = ["retrieved", "relevant", "unjudged", *(f"judged@{k}" for k in self.judged_at)]
        values = [*self.counts, *self.means]
        columns = {
            name: [*value, value.mean()]
            for name, value in zip([*names, *self.measures], values, strict=True)
        }
        order = [len(self.runs), *np.argsort(self.counts[3], kind="stable")]
        return (
            table({"run": [*self.runs, "mean of all runs"], **columns})
            .iloc[order]
            .reset_index(drop=True)
        )

    @property
    def top(self) -> np.ndarray:
        """Unjudged share of the top 10 of each run [run]."""
        return np.asarray(1 - self.counts[3])

    def facts(self, choice: str = "") -> list[Fact]:
        """The unjudged share of the top 10, of each run and on average."""
        names = [*self.runs, ""]
        values = [*self.top.tolist(), float(self.top.mean())]
        return [
            Fact("unjudged in the top 10", "", name, value, TOP, np.nan)
            for name, value in zip(names, values, strict=True)
        ]

    def verdict(self, choice: str = "") -> Verdict:
        *of_runs, mean = self.facts()
        most = max(of_runs, key=lambda fact: fact.value)
        said = self._describe_all(), self._describe_bias()
        if not most.value:
            return Verdict("Every document of every top 10 is judged.", *said)
        if len(of_runs) == 1:
            claim = f"{per_cent(most.value)} of the top 10 of {most.line} is unjudged."
        elif per_cent(float(self.top.min())) == per_cent(most.value):
            claim = f"{per_cent(mean.value)} of the top 10 of every run is unjudged."
        else:
            claim = (
                f"On average {per_cent(mean.value)} of the top 10 is unjudged,"
                f" {self._describe_most(most)}."
            )
        return Verdict(claim, *said)

    def _describe_most(self, most: Fact) -> str:
        """The run with the most unjudged documents in its top 10, or how many have as many."""
        share = per_cent(most.value)
        alike = sum(per_cent(value) == share for value in self.top.tolist())
        if alike == 1:
            return f"most of {most.line}: {share}"
        return f"at most {share}, of {count_noun(alike, 'run')}"

    def _describe_all(self) -> str:
        """How much is unjudged further down."""
        of_all = self.counts[2].sum() / max(self.counts[0].sum(), 1)
        if not self.near_top:
            return f"{per_cent(of_all)} of all that is retrieved is unjudged."
        documents = count_noun(self.near_top, "document")
        near = f"{documents} in the top {NEAR} {verb(self.near_top, 'is', 'are')} unjudged, and"
        return f"{near} {per_cent(of_all)} of all that is retrieved."

    def _describe_bias(self) -> str:
        """Whether runs with more judged documents score higher; empty if not."""
        tau = float(tau_b(self.counts[3], self.means[0]))
        # not `<= 0`: tau is NaN where all runs tie
        if not tau > 0:
            return ""
        return (
            f"Runs with more judged documents score higher by {self.measures[0]} (tau {tau:.2f})."
        )

    def next_steps(self) -> list[NextStep]:
        most = int(self.top.argmax())
        if not self.top[most]:
            return [NextStep("What if the pool had been shallower?", *SHALLOWER)]
        check = NextStep(f"Is {self.runs[most]} sound?", "check", {"candidate": self.runs[most]})
        steps = [NextStep("What if they were judged?", "what-if")]
        if self.near_top:
            steps.append(NextStep("Which should be judged next?", "judge-next"))
        return [*steps, check]

    def charts(self, choice: str = "") -> list[Chart]:
        named = (
            " Labelled: the mean of all runs, and the runs with the most and the fewest judged"
            " documents in the top 10."
        )
        return [
            Chart(
                "shares",
                "Unjudged documents by rank",
                "Unjudged share of the documents at these ranks, over all topics; a line per run."
                f"{named} A line far above the others is a run with few documents in the pool.",
                self._curves,
                usual=named,
            )
        ]

    def _curves(self) -> Figure:
        least, most = pick(self.runs, (int(self.counts[3].argmin()), int(self.counts[3].argmax())))
        colors = {
            "mean": PALETTE["blue"],
            least: PALETTE["vermilion"],
            most: PALETTE["green"],
        }
        style, grey = (
            {name: Style(color) for name, color in colors.items()},
            Style(GREY),
        )
        lines = [
            line_charts.ChartLine(run, 100 * share, style.get(run, grey))
            for run, share in zip(self.runs, self.share, strict=True)
        ]
        # named lines last, so that no grey one covers them
        lines.sort(key=lambda line: line.name in style)
        # logarithms of ranks, so that three ranks do not get the room of five hundred
        places = np.log10(np.maximum(self.ends, 1)).tolist()
        return line_charts.curves(
            places,
            [*lines, line_charts.ChartLine("mean", 100 * self.mean_share, style["mean"])],
            line_charts.Axes(
                xtitle="ranks",
                ytitle="documents unjudged, %",
                yrange=(0.0, 105 * float(np.nanmax(self.share, initial=0.0)) or 1.0),
                ticks=_ticks_apart(places, self.stretches),
            ),
            named=set(style),
        )

    def tables(self) -> list[Table]:
        return [
            Table("runs", "Runs", self.summary),
            Table("ranks", "By rank", self.frame),
            Table("positions", "Mean by rank", self.positions),
            Table("next", "Unjudged documents", self.rank_all),
        ]


@experiment(
    "unjudged",
    title="Unjudged documents",
    question="How much is unjudged?",
    does="count unjudged documents of each run",
    formula=r"\frac{unjudged\ documents\ in\ the\ top\ k}{k}",
    source="Ahlgren & Grönqvist 2008, Tables 2-3; what to judge next: Moffat & Zobel 2008",
    takes=(COLLECTION, LISTS, MEASURES),
)
def unjudged(work: Work[Params]) -> Unjudged:
    """Counts the unjudged documents of each run, by rank, with its scores. Lists
    documents to judge next: the unjudged ones down to rank 100, by what they could add
    to the mean RBP of the runs.
    """
    collection, params = work.collection, work.params
    reached, judged_at = (
        _reached(ranks, int(collection.length.max(initial=0)))
        for ranks in (params.ranks, JUDGED_AT)
    )
    ends, lists = np.array(reached), collection.length.size
    shape = len(collection.runs), len(collection.topics), len(ends)
    judged = (collection.grade[collection.judgment_index] >= 0) & (collection.rank <= ends[-1])
    cell = np.repeat(np.arange(lists), np.diff(collection.start)) * len(ends) + np.searchsorted(
        ends, collection.rank
    )
    seen = np.bincount(cell[judged], minlength=lists * len(ends)).reshape(shape)
    retrieved = np.diff(
        np.minimum(collection.length.reshape(*shape[:2], 1), ends), axis=2, prepend=0
    )
    values = np.stack([seen, retrieved]).swapaxes(2, 3)
    means = evaluate(collection, work.measures).means
    listed, rank_all = (
        # not the first of all of them, which took 2.3 GB where nine in ten documents are unjudged
        first_unjudged(collection, params.p, LISTED),
        partial(rank_unjudged, collection, params.p),
    )
    found = shares(values), values, _counts(collection, judged_at), means, *listed, rank_all
    return Unjudged(reached, judged_at, *found, work.measures, collection.runs, params)


def _ticks_apart(places: Sequence[float], names: Sequence[str]) -> dict[float, str]:
    """Names at places on an axis, from its end back, that do not run into each other."""
    last = len(places) - 1
    kept = {places[last]: names[last]}
    for i in reversed(range(last)):
        if min(kept) - places[i] >= BETWEEN:
            kept[places[i]] = names[i]
    return kept


def _reached(ranks: Sequence[int], longest: int) -> tuple[int, ...]:
    """Ascending ranks whose stretch, from the one before, a list of this length
    reaches; the first in any case.
    """
    return tuple(
        rank for before, rank in zip((0, *ranks), ranks, strict=False) if before < max(longest, 1)
    )


def shares(values: np.ndarray) -> np.ndarray:
    """Unjudged shares [run, stretch], from `Unjudged.values`."""
    seen, retrieved = values.sum(axis=-1)
    with np.errstate(invalid="ignore"):
        return np.where(retrieved > 0, 1 - seen / retrieved, np.nan)


def _counts(collection: Collection, judged_at: Sequence[int]) -> np.ndarray:
    """`Unjudged.counts`, over all topics, with relevant documents or without."""
    length, lists = (
        collection.length,
        np.repeat(np.arange(collection.length.size), np.diff(collection.start)),
    )
    grade = collection.grade[collection.judgment_index]

    def per_list(which: np.ndarray) -> np.ndarray:
        return np.bincount(lists[which], minlength=length.size)

    shares = [
        per_list((grade >= 0) & (collection.rank <= k)) / np.clip(length, 1, k) for k in judged_at
    ]
    counts = np.array([length, per_list(grade > 0), length - per_list(grade >= 0), *shares], float)
    values = counts.reshape(len(counts), *collection.missing.shape)
    if collection.policy.average == "retrieved":
        values[:, collection.missing] = np.nan
    return mean_of_known(values)
