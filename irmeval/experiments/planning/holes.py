"""Missing judgments: another judge fills them in, or the measure skips them."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from irmeval.collection import Collection
from irmeval.collection.base import Panel
from irmeval.collection.joining import NEAR
from irmeval.core import parallel
from irmeval.core.errors import ParamError
from irmeval.core.params import checked, param
from irmeval.core.places import pick
from irmeval.core.text import list_all, quantify, verb
from irmeval.experiments.base import COLLECTION, LISTS, MEASURES, OTHERS, Work, experiment
from irmeval.experiments.facts import LONGEST, Fact, Verdict
from irmeval.experiments.headlines import written_alike
from irmeval.experiments.planning.joint import Second, coverage, find_other
from irmeval.experiments.results import (
    Chart,
    Choice,
    Frame,
    NextStep,
    Result,
    Table,
    of_measure,
    table,
)
from irmeval.experiments.settings import AXES, PAPERS, Axis, Method, Rates, Rounding, Seed, Trials
from irmeval.experiments.sweep import ALL, draw_grades
from irmeval.experiments.trials import (
    Banded,
    OfMeans,
    find_knee,
    over_trials,
)
from irmeval.metrics import Measure, distinct, measure
from irmeval.reading.trec import join_keys
from irmeval.reductions import share_left
from irmeval.scoring.scores import evaluate
from irmeval.stats.decision_agreement import Knee, describe_knee

BPREF = measure("Bpref")
"""Always shown for comparison: the best known of the measures made for holes."""


@checked
class Params:
    """What is kept of the first judge's judgments, and what the other judge fills
    in.
    """

    second: Second = ""
    rates: Rates = PAPERS
    trials: Trials = 3
    seed: Seed = 1
    rounding: Rounding = "floor"
    method: Method = "stratified"
    near: int = param(
        "unjudged, to rank",
        "The other judge also fills in documents that the first never judged and a run has down to"
        " this rank. 0: none.",
        low=0,
        high=NEAR,
        template="unjudged filled to rank {}",
        value_labels={"0": "unjudged not filled"},
        default=0,
    )
    threshold: float = param(
        "tau above",
        "Tau must stay above this; the lowest rate at which it does is reported.",
        low=0,
        high=1,
        default=0.9,
    )
    axis: Axis = AXES[0]


ADVICE = {"filled": "Ask the other judge", "condensed": "Skip them", "raw": "Neither"}
"""What to do about missing judgments where ways of one kind are best."""
FEW = 3
"""Fewer ways than this are named in a claim."""


class Way(NamedTuple):
    """A way to treat holes."""

    base: Measure
    kind: str
    """``raw`` for the measure as it is, ``condensed`` for its condensed form,
    ``filled`` for the measure on filled holes
    """
    measure: Measure

    @property
    def name(self) -> str:
        """The way in charts and tables."""
        if self.kind == "filled":
            return f"{self.measure}, filled"
        return str(self.measure)


class Holes(Banded, OfMeans, Result):
    """Mean scores of runs where the other judge fills in what is taken from the first,
    and where nobody does. `full` are the means on all judgments of the first judge.
    """

    looked_at = "tau"

    kept: np.ndarray
    """float64 [rate, trial], judgments of the first judge that are kept"""
    left: np.ndarray
    """the same as a share of all of them, in per cent"""
    unjudged: int
    """documents that runs have down to rank `near` and the first judge has not
    judged
    """
    covered: int
    """those of them that the other judge has judged"""
    ways: tuple[Way, ...]
    panel: Panel
    other: str
    """name of the judge who fills in"""

    @cached_property
    def least(self) -> Knee:
        """Lowest rate down to which the mean tau over trials stays above the threshold,
        for each way.
        """
        return find_knee(self.realised, over_trials(self.tau), threshold=self.params.threshold)

    @property
    def axes(self) -> dict[str, Sequence[Any]]:
        return {"way": [way.name for way in self.ways], "rate": self.params.rates}

    @property
    def observed(self) -> dict[str, np.ndarray]:
        return {"judgments": self.kept.mean(axis=-1)[:, None], "mean": self.mean, "tau": self.tau}

    def suffices(self) -> Frame:
        """One row per way: the lowest rate, and number of the first judge's judgments,
        at which tau stays above the threshold.
        """
        # from the share that was left, not the rate asked for: every topic keeps a least number of
        # judgments
        whole = self.kept[0].mean() / (self.left[0].mean() / ALL)
        rates = describe_knee(self.least.interpolated, self.least.below)
        least = zip(self.least.interpolated, self.least.below, strict=True)
        judgments = [
            "" if np.isnan(at) else f"{'< ' if below else ''}{at / ALL * whole:,.0f}"
            for at, below in least
        ]
        return table({"way": self.axes["way"], "least rate, %": rates, "judgments": judgments})

    @property
    def shown(self) -> list[str]:
        """The measures with a chart."""
        return [str(way.base) for way in self.ways if way.kind == "filled"]

    def _of(self, base: Measure) -> list[int]:
        """The ways on the chart of a measure."""
        beside = Way(BPREF, "raw", BPREF)
        return [w for w, way in enumerate(self.ways) if way.base == base or way == beside]

    def _in_words(self, w: int) -> str:
        """The name of a way within a sentence, without its comma: ``AP filled by model``."""
        way = self.ways[w]
        if way.kind != "filled":
            return way.name
        return f"{way.base} filled by {self.panel.judges.short_label(self.other)}"

    def choice(self) -> Choice | None:
        return of_measure(self.shown, "Measure of the sentence and the charts.")

    def facts(self, choice: str = "") -> list[Fact]:
        """Tau of each way at the lowest rate, and the rate at which it falls."""
        last, taus = self.realised[-1], over_trials(self.tau)[:, -1]
        return [
            Fact("tau", str(way.base), way.name, float(tau), last.asked, last.left)
            for way, tau in zip(self.ways, taus, strict=True)
            if np.isfinite(tau)
        ]

    def verdict(self, choice: str = "") -> Verdict:
        here, last = self._of(measure(choice) if choice else self.ways[0].base), self.realised[-1]
        if last.too_much:
            return last.refusal()
        tau = over_trials(self.tau[here, -1])
        if not np.isfinite(tau).any():
            return Verdict("At the lowest rate all runs tie, so there is no order of runs.")
        most = float(np.nanmax(tau))
        best = pick(here, written_alike(tau, most, ".2f"))
        who = self._keep_order(best)
        lead = f"{self._advise(best)}: with {last.amount} of the judgments"
        claim = f"{lead}, {who} (tau {most:.2f})."
        if len(claim.split()) > LONGEST:
            ways = quantify(len(best), len(here), "way")
            claim = f"{lead}, {ways} keep the order equally well (tau {most:.2f})."
        kept = f"Kept: judgments by {self.panel.judges.names[0]}{last.beside}."
        beside = [kept, last.reason.strip()] if last.beside else []
        below = self._describe_others(here, tau, most), self._describe_coverage()
        return Verdict(
            claim,
            " ".join(filter(None, beside)),
            " ".join(filter(None, below)),
        )

    def _keep_order(self, best: Sequence[int]) -> str:
        """Which ways keep the order best."""
        if len(best) >= FEW:
            judge = self.panel.judges.short_label(self.other)
            return f"all ways keep the order, filled by {judge} or not"
        keep = verb(len(best), "keeps the order best", "keep the order equally well")
        return f"{list_all([*map(self._in_words, best)])} {keep}"

    def _advise(self, best: Sequence[int]) -> str:
        """What to do, by the ways that keep the order best."""
        kinds = {_kind_of(self.ways[w]) for w in best}
        if len(kinds) == 1:
            return ADVICE.get(kinds.pop(), "Either")
        return "Either"

    def _describe_others(self, here: Sequence[int], tau: np.ndarray, most: float) -> str:
        """Tau of the other ways; empty if all keep the order equally well."""
        alike = written_alike(tau, most, ".2f")
        less = [i for i in np.flatnonzero(np.isfinite(tau)).tolist() if i not in alike]
        if not less:
            return ""
        told = [f"{tau[i]:.2f} for {self._in_words(here[i])}" for i in less]
        return f"Tau is {list_all(told)}."

    def _describe_coverage(self) -> str:
        """How many documents the other judge has judged alone; empty if none are asked
        for.
        """
        if not (self.params.near and self.unjudged):
            return ""
        covered = quantify(self.covered, self.unjudged, "document")
        own = self.panel.judges.names[0]
        return (
            f"{self.other} has judged {covered} that {own} never judged and runs retrieved down to"
            f" rank {self.params.near}."
        )

    def next_steps(self) -> list[NextStep]:
        judges = self.panel.judges
        other, own = judges.label(self.other), judges.label(judges.names[0])
        found = []
        if self.unjudged > self.covered:
            found.append(NextStep("Which unjudged document comes first?", "judge-next"))
        return [
            *found,
            NextStep(f"Does {other} agree with {own}?", "judges"),
            NextStep(f"Which runs does {other} favour?", "systems"),
        ]

    def charts(self, choice: str = "") -> list[Chart]:
        base = choice or str(self.ways[0].base)
        caption = (
            "Mean score over all runs and topics. Where a line is flat, scores do not depend on the"
            " number of judgments."
        )
        return [
            self.chart_of(base),
            self._chart(base, "mean", f"Mean {base}", caption, self.mean, "mean score"),
        ]

    def chart_of(self, base: str) -> Chart:
        """Tau against the judgments kept, for each way of a measure."""
        caption = (
            f"Filled: {self.other} judges what is missing; prime: unjudged documents are removed."
            " Agreement of the order of the runs is with that by the same measure on all judgments"
            f" by {self.panel.judges.names[0]}."
        )
        more = {"top": 1.0, "threshold": self.params.threshold}
        return self._chart(
            base,
            "tau",
            f"Order of the runs by {base}",
            caption,
            self.tau,
            "tau with all judgments",
            **more,
        )

    def _chart(
        self,
        base: str,
        name: str,
        title: str,
        caption: str,
        values: np.ndarray,
        ytitle: str,
        **more: float,
    ) -> Chart:
        here = self._of(measure(base))
        return self.line_chart(
            name, title, caption, values[here], ytitle, [self.ways[w].name for w in here], **more
        )

    @property
    def x_axis(self) -> dict[str, Any]:
        x, suffix = (
            (self.params.rates, "%")
            if self.params.axis == AXES[0]
            else (tuple(self.kept.mean(axis=-1).tolist()), "")
        )
        return {
            "rates": x,
            "suffix": suffix,
            "xtitle": f"judgments by {self.panel.judges.names[0]} kept",
        }

    def tables(self) -> list[Table]:
        return [
            Table("summary", "Summary", self.summary),
            Table("suffices", "Judgments needed", self.suffices),
            Table(
                "coverage",
                "Judged documents",
                lambda: coverage(self.panel, max(self.params.near, 1)),
            ),
            Table("trials", "Every trial", self.frame),
        ]


def _kind_of(way: Way) -> str:
    """Kind of a way; Bpref skips what is not judged, as condensed forms do."""
    return "condensed" if way.base == BPREF else way.kind


def ways_of(measures: tuple[Measure, ...]) -> tuple[Way, ...]:
    """The ways to treat holes: each measure as it is, filled, and condensed where it
    has such a form; then Bpref.
    """
    bases = distinct([str(m).removesuffix("'") for m in measures])
    ways: list[Way] = []
    for base in bases:
        ways += [Way(base, "raw", base), Way(base, "filled", base)]
        if base.metric.primed:
            ways.append(Way(base, "condensed", measure(f"{base}'")))
    if BPREF not in bases:
        ways.append(Way(BPREF, "raw", BPREF))
    return tuple(ways)


@experiment(
    "holes",
    title="Holes",
    question="Missing judgments: ask another judge, or skip them?",
    does="fill missing judgments by another judge, or skip them",
    formula=r"\tau_b = \frac{concordant - discordant}{\sqrt{untied_x \cdot untied_y}}",
    source=(
        "Abbasiantaeb et al. 2024 (arXiv 2405.04727), holes filled by language models; Sakai &"
        " Kando 2008, reduced judgments"
    ),
    takes=(COLLECTION, LISTS, MEASURES, OTHERS),
)
def holes(work: Work[Params]) -> Holes:
    """Judgments of the first judge are removed at random, anew for each rate and trial.
    They are replaced by judgments of another judge (filled), or by none. The order of
    the runs is compared with that on all judgments of the first judge.

    Raises `ParamError` where the other judge has judged no document that could be
    filled in.
    """
    collection, params = work.collection, work.params
    panel, number = collection.panel, find_other(collection, params.second)
    assert panel
    judges, union = panel.judges, panel.union
    own = np.flatnonzero(judges.pooled[0])
    known, near = np.zeros((2, judges.topic.size), bool)
    known[own] = collection.grade >= 0
    near[union.judgment_index[union.rank <= params.near]] = True
    given, ways = judges.scoring(number), ways_of(work.measures)
    _refuse_none(given[known | near] >= 0, judges.names[0], judges.names[number])
    filling = Filling(collection, union, own, np.where(known | near, given, -1), ways)
    less = sum(rate < ALL for rate in params.rates)
    has_whole = less < len(params.rates)
    tick = parallel.ticker(work.progress, 1 + has_whole + params.trials * less)

    def means_on(grades: np.ndarray) -> np.ndarray:
        found = filling.means_on(grades)
        tick(1)
        return found

    def at_rate(grades: np.ndarray) -> np.ndarray:
        if grades is collection.grade:
            return whole
        return means_on(grades)

    full = filling.full_means()
    tick(1)
    # nothing is drawn at 100%, so one scoring serves all trials
    whole = means_on(collection.grade) if has_whole else np.empty(0)
    means = np.empty((len(ways), len(params.rates), params.trials, len(collection.runs)))
    kept, left = np.zeros((2, len(params.rates), params.trials))
    for trial in range(params.trials):
        # trials count from 1: these are the samples of *Curves* with the same settings
        drawn = draw_grades(collection, params, params.rates, trial + 1)
        means[:, :, trial] = np.stack(parallel.map_threads(at_rate, drawn), axis=1)
        kept[:, trial] = np.count_nonzero(np.array(drawn) >= 0, axis=1)
        left[:, trial] = share_left(collection.grade, np.array(drawn))
    unjudged = near & ~known
    return Holes(
        full=full,
        means=means,
        kept=kept,
        left=left,
        unjudged=int(unjudged.sum()) + _outside(union, params.near),
        covered=int((given[unjudged] >= 0).sum()),
        ways=ways,
        runs=collection.runs,
        measures=work.measures,
        params=params,
        panel=panel,
        other=judges.names[number],
    )


def _refuse_none(fills: np.ndarray, first: str, second: str) -> None:
    """Raise `ParamError` unless the second judge fills any hole of the first."""
    if not fills.any():
        raise ParamError(
            f"holes: {second} has judged no document that {first} has judged, so it cannot fill"
            " any hole."
        )


class Filling(NamedTuple):
    """How missing judgments are filled, and the ways that are compared."""

    collection: Collection
    """with the judgments of the first judge"""
    union: Collection
    """with the documents that any judge has judged"""
    own: np.ndarray
    """int [J], the places of the first judge's documents in the union"""
    filler: np.ndarray
    """int [document of the union], the other judge's grades, -1 where it fills nothing"""
    ways: tuple[Way, ...]

    def full_means(self) -> np.ndarray:
        """Means of every way on all judgments of the first judge, where there is nothing
        to fill [way, run].
        """
        measures = distinct([str(way.measure) for way in self.ways])
        of = dict(zip(measures, evaluate(self.collection, measures).means, strict=True))
        return np.stack([of[way.measure] for way in self.ways])

    def means_on(self, grades: np.ndarray) -> np.ndarray:
        """Means of every way on what is kept [way, run]."""
        mixed = self.filler.copy()
        mixed[self.own[grades >= 0]] = grades[grades >= 0]
        bare = [way.measure for way in self.ways if way.kind != "filled"]
        filled = [way.measure for way in self.ways if way.kind == "filled"]
        alone = iter(evaluate(self.collection, bare, grades=grades).means)
        # other judges may have judged topics that the first has not: these do not count
        scores = evaluate(self.union, filled, grades=mixed).on(self.collection.topics)
        together = iter(scores.means)
        return np.stack([next(together if way.kind == "filled" else alone) for way in self.ways])


def _outside(union: Collection, rank: int) -> int:
    """Documents outside all judgments that runs have down to a rank, each once per
    topic.
    """
    near = np.flatnonzero(union.outside.rank <= rank)
    if not near.size:
        return 0
    topic = union.outside.list[near] % len(union.topics)
    return len(join_keys(union.topics, topic, union.outside.documents.take(near)).unique())
