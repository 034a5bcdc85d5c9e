"""Orders of judging: relevant documents found and agreement on the order of runs, by
budget.
"""

from collections.abc import Sequence
from functools import cached_property, partial
from itertools import product
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from irmeval.core.params import checked
from irmeval.core.places import pick, place_of_choice
from irmeval.core.text import capitalize, count_noun, list_all, verb
from irmeval.experiments.base import COLLECTION, IF_OTHERS, MEASURES, Work, experiment
from irmeval.experiments.facts import Fact, Verdict
from irmeval.experiments.headlines import describe_crossings, written_alike
from irmeval.experiments.incompleteness.ordering import (
    CHANCE,
    DEPTH,
    STORED,
    Budgets,
    Ordering,
    grades_by,
    judged_first,
    pools,
)
from irmeval.experiments.planning.joint import Driver
from irmeval.experiments.results import (
    Chart,
    Choice,
    Frame,
    NextStep,
    Result,
    Table,
    table_of_crossings,
    tidy,
)
from irmeval.experiments.settings import DECISIONS, TEST, Alpha, Test, Testing, Trials
from irmeval.experiments.sweep import ALL, Drawn, Plan, Sample, gather, read_whole, sweep
from irmeval.experiments.trials import (
    EQUIVALENT,
    OfMeans,
    Realised,
    band,
    over_trials,
)
from irmeval.plots.colors import styles_of_others
from irmeval.reductions import ORDERS
from irmeval.reductions.base import keep_judgments
from irmeval.stats.correlation import tau_ap
from irmeval.stats.crossings import find_crossings
from irmeval.stats.means import rank_scores, tied

SPOKEN_OF = 20.0
"""The headline uses the budget nearest to this."""


@checked
class Params(Ordering, Testing):
    """Budgets, number of trials, and the judge from whose grades the orders learn."""

    budgets: Budgets = (5.0, 10.0, 20.0, 35.0, 50.0, 75.0)
    trials: Trials = 5
    driver: Driver = ""
    test: Test = TEST
    alpha: Alpha = 0.05
    samples = 1000


CELL = "cell"
"""Cache key of cells."""


class OrderCell(NamedTuple):
    """Results of one measure on the first documents of an order."""

    means: np.ndarray
    """float64 [run]"""
    apart: np.ndarray
    """bool [pair], which differ significantly, on the whole pool and here"""
    counts: tuple[int, int]
    """documents judged, and relevant documents found"""


class Orders(OfMeans, Result):
    """Scores of runs on the first documents of each order, `means` [order, measure,
    budget, trial, run], and on the whole pool, `full`. All trials of an order that is
    not random are equal.
    """

    looked_at = "found"

    apart_full: np.ndarray
    """bool [measure, pair], which pairs of runs differ significantly on the whole pool;
    pairs as in ``np.triu_indices(runs, 1)``
    """
    apart: np.ndarray
    """bool [order, measure, budget, trial, pair], which of these still do"""
    judged: np.ndarray
    """int [order, budget, trial], documents judged"""
    found: np.ndarray
    """int [order, budget, trial], relevant documents (grade 1 and up) among them"""
    found_by_own: np.ndarray
    """int [order, budget, trial], relevant documents found if the order learns from the
    first judge
    """
    pool: int
    """documents of all pools"""
    relevant: int
    """relevant documents among them"""
    topics: int
    orders: tuple[str, ...]
    simulated: str = ""
    """sentence on a simulated driver"""
    left = None

    @cached_property
    def realised(self) -> list[Realised]:
        """Realised budgets."""
        judged = self.judged[0, :, 0].tolist()
        return [
            self.params.realise(*each, self.pool, self.topics)
            for each in zip(self.params.budgets, judged, strict=True)
        ]

    @cached_property
    def share(self) -> np.ndarray:
        """Share of the relevant documents of the pools that is found [order, budget,
        trial].
        """
        return self.found / max(self.relevant, 1)

    @cached_property
    def tau_ap(self) -> np.ndarray:
        """The same with tau AP, in which the top of the order weighs most."""
        return tau_ap(self.means, self.full[:, None, None, :])

    @cached_property
    def drop(self) -> np.ndarray:
        """Maximum number of places that a run falls, int [order, measure, budget,
        trial].
        """
        fallen: np.ndarray = rank_scores(self.means) - rank_scores(self.full)[:, None, None, :]
        return np.maximum(fallen.max(axis=-1), 0)

    @cached_property
    def kept(self) -> np.ndarray:
        """Pairs that differ significantly both on the whole pool and here, in the same
        direction, int [order, measure, budget, trial].
        """
        a, b = np.triu_indices(len(self.runs), 1)
        # means that differ by rounding alone have no direction
        before, after = (
            np.sign(means[..., a] - means[..., b]) for means in map(tied, (self.full, self.means))
        )
        return np.count_nonzero(self.apart & (after == before[:, None, None, :]), axis=-1)

    def frame(self) -> Frame:
        """One row per order, trial, budget and measure; one trial of an order that is
        not random. Budgets are in per cent of the pool, or documents per topic; judged
        and found are documents of all topics.
        """
        counts = {"judged": self.judged, "found": self.found}
        of_measure = {
            "tau": self.tau,
            "tau_ap": self.tau_ap,
            "drop": self.drop,
            "error": self.error,
        }
        columns = {name: values.transpose(0, 2, 1)[..., None] for name, values in counts.items()}
        columns |= {name: values.transpose(0, 3, 2, 1) for name, values in of_measure.items()}
        axes = {
            "order": self.orders,
            "trial": range(1, self.params.trials + 1),
            "budget": self.params.budgets,
            "measure": self.measures,
        }
        frame = tidy(axes, columns)[
            ["order", "trial", "budget", "judged", "found", "measure", *of_measure]
        ]
        random = [name for name in self.orders if ORDERS[name].random]
        return frame[frame["order"].isin(random) | (frame["trial"] == 1)].reset_index(drop=True)

    def summary(self) -> Frame:
        """One row per order, budget and measure, means over trials: documents judged;
        share of relevant documents found and tau, with bands; tau AP; most places that
        a run falls; error; significant pairs that are kept, and all of them.
        """
        columns = {"judged": self.judged.mean(axis=-1)[:, :, None]}
        for name, values in {"found": self.share[:, None], "tau": self.tau}.items():
            low, middle, high = (ends.transpose(0, 2, 1) for ends in band(values))
            columns |= {name: middle, f"{name}_low": low, f"{name}_high": high}
        rest = {
            "tau_ap": self.tau_ap,
            "drop": self.drop,
            "error": self.error,
            "pairs kept": self.kept,
        }
        columns |= {name: values.mean(axis=-1).transpose(0, 2, 1) for name, values in rest.items()}
        columns["pairs"] = self.apart_full.sum(axis=-1)
        return tidy(
            {"order": self.orders, "budget": self.params.budgets, "measure": self.measures}, columns
        )

    def misled(self) -> Frame:
        """One row per order and budget: share of relevant documents found when driven
        by the other judge and by the first, and the loss.
        """
        found, own = (
            counts.mean(axis=-1) / max(self.relevant, 1)
            for counts in (self.found, self.found_by_own)
        )
        columns = {
            f"driven by {self.params.driver}": found,
            "by the first judge": own,
            "lost": own - found,
        }
        return tidy({"order": self.orders, "budget": self.params.budgets}, columns)

    @property
    def spoken_of(self) -> int:
        """Place of the budget that the verdict is about."""
        return int(np.argmin(np.abs(np.array(self.params.budgets) - SPOKEN_OF)))

    @property
    def best(self) -> int:
        """Place of the order that finds most at that budget."""
        return int(self.share.mean(axis=-1)[:, self.spoken_of].argmax())

    def facts(self, choice: str = "") -> list[Fact]:
        """At each budget, the share of the relevant documents that each order has found,
        and tau of the order of the runs by each measure.
        """
        shares, taus = self.share.mean(axis=-1), over_trials(self.tau)
        found = []
        cells = product(enumerate(self.orders), enumerate(self.realised))
        for (o, order), (b, realised) in cells:
            at = (realised.asked, realised.left)
            found.append(Fact("relevant found", "", order, float(shares[o, b]), *at))
            found += [
                Fact("tau", str(measure), order, float(taus[o, m, b]), *at)
                for m, measure in enumerate(self.measures)
            ]
        return [fact for fact in found if np.isfinite(fact.value)]

    def verdict(self, choice: str = "") -> Verdict:
        b = self.spoken_of
        budget, share = self.realised[b], self.share.mean(axis=-1)[:, b]
        of_pool = self.params.at_budget(budget).removesuffix(budget.beside)
        if not self.relevant:
            return Verdict("The pools contain no relevant document.", self.simulated)
        if budget.nearly_all:
            return Verdict(
                f"At {of_pool}, less than a twentieth is unjudged, too little to compare orders.",
                f"{self.simulated}{budget.reason}".strip(),
            )
        beside = [budget.reason.strip(), self._describe_driver(b)]
        if budget.beside:
            beside.insert(0, f"Budget: {self.params.at_budget(budget)}.")
        below = self._describe_tau(choice), self._describe_rise(choice)
        return Verdict(
            self._describe_found(share, of_pool),
            " ".join(filter(None, beside)),
            " ".join(filter(None, below)),
        )

    def _describe_found(self, share: np.ndarray, of_pool: str) -> str:
        """Share found by the best order, by-depth and at random."""
        driven = f"Driven by {self.params.driver}, " if self.params.driver else ""
        if self.simulated:
            driven = f"Driven by {self.params.driver} (simulated), "
        most = written_alike(share, share.max(), ".0%")
        if len(most) == len(share):
            said = f"every order finds {share[0]:.0%} of the relevant documents at {of_pool}."
            return capitalize(f"{driven}{said}")
        best = pick(self.orders, most)
        # with at-random too, a sentence on several orders would be too long
        beside = [DEPTH, CHANCE] if len(best) == 1 else [DEPTH]
        others = [
            f"{name} {share[self.orders.index(name)]:.0%}" for name in beside if name not in best
        ]
        who = list_all(best) if len(best) <= 2 else count_noun(len(best), "order")
        finds = verb(len(best), "finds", "find")
        found = f"{who} {finds} {share.max():.0%} of the relevant documents at {of_pool}"
        return capitalize(f"{driven}{', '.join([found, *others])}.")

    def _describe_tau(self, choice: str) -> str:
        """How well the best order and by-depth keep the order of the runs, by a
        measure.
        """
        m, b = self._measure(choice), self.spoken_of
        tau, share = over_trials(self.tau)[:, m, b], self.share.mean(axis=-1)[:, b]
        best, depth = self.best, self.orders.index(DEPTH)
        if not np.isfinite(tau[best]):
            return ""
        said = f"{self.measures[m]} then orders the runs with tau {tau[best]:.2f}"
        # the claim has named the only order that finds most
        if best == depth and len(written_alike(share, share.max(), ".0%")) == 1:
            return f"{said}."
        said += f" ({self.orders[best]})"
        if best == depth or not np.isfinite(tau[depth]):
            return f"{said}."
        return f"{said} and {tau[depth]:.2f} ({DEPTH})."

    def _measure(self, choice: str) -> int:
        """Index of the chosen measure, by default the first."""
        return place_of_choice(choice, self.measures)

    @cached_property
    def rises(self) -> np.ndarray:
        """The budget at which tau rises to 0.9 [order, measure]."""
        return find_crossings(self.params.budgets, over_trials(self.tau), EQUIVALENT, rising=True)

    @property
    def _most(self) -> str:
        """How far orders were followed that do not reach it: ``not up to 75``."""
        return f"not up to {self.params.budgets[-1]:g}"

    def _describe_rise(self, choice: str) -> str:
        """At which budget each order reaches a tau of .9."""
        unit, m = self.params.axis.get("suffix", "%"), self._measure(choice)
        return describe_crossings(
            f"Tau by {self.measures[m]}",
            "reaches 0.9",
            self.orders,
            self.rises[:, m],
            f"at {{:.0f}}{unit}".format,
            end=f"{self._most}{unit}",
            first=self.params.budgets[0],
        )

    def _describe_driver(self, budget: int) -> str:
        """The order that another judge misleads most; empty if the first judge drives."""
        if not self.params.driver:
            return ""
        found, own = (
            counts.mean(axis=-1)[:, budget] / max(self.relevant, 1)
            for counts in (self.found, self.found_by_own)
        )
        o = int(np.argmax(own - found))
        if own[o] <= found[o]:
            return f"{self.params.driver} misleads no order."
        told = f"driven by the first judge, it would have found {own[o]:.0%}, not {found[o]:.0%}"
        return f"{self.params.driver} misleads {self.orders[o]} most: {told}."

    @property
    def band_of(self) -> str:
        return " (random orders only)"

    def next_steps(self) -> list[NextStep]:
        best = self.orders[int(self.share[:, 0].mean(axis=-1).argmax())]
        now = NextStep("Which documents should be judged now?", "judge-next")
        if len(self.runs) < 2:
            return [now]
        settings = {"method": best, **DECISIONS}
        differ = f"Do runs still differ on what {best} judges first?"
        return [NextStep(differ, "curves", settings), now]

    def choice(self) -> Choice:
        measures = tuple(map(str, self.measures))
        return Choice("measure", measures, "Measure whose charts are shown.")

    def charts(self, choice: str = "") -> list[Chart]:
        """The charts by a measure, by default the first."""
        m = place_of_choice(choice, self.measures)
        measure = self.measures[m]
        pairs, whole = int(self.apart_full[m].sum()), "on the whole pool"
        found = f"Share of the relevant documents of the pools ({self.relevant:,}) that is found."
        tau = f"Agreement of the order of the runs by {measure} with that {whole}"
        drop = f"Most places that a run falls by {measure}, compared with its rank {whole}."
        error = f"Root mean square of the runs' {measure} minus that {whole}."
        kept = (
            f"Share of the pairs of runs that differ significantly by {measure} {whole} ({pairs:,})"
            f" and still do. Tests: {self.params.decided_by}."
        )
        styles = styles_of_others(self.orders, self.orders[self.best], CHANCE)
        line = partial(self.line_chart, lines=self.orders, styles=styles)
        of_order = [
            line(
                "tau",
                "Kendall's tau",
                f"{tau}. The dotted line is 0.9.",
                self.tau[:, m],
                "Kendall's tau",
                top=1.0,
                threshold=EQUIVALENT,
                rising=True,
            ),
            line(
                "tau-ap",
                "Tau AP",
                f"{tau}, with most weight on the top.",
                self.tau_ap[:, m],
                "tau AP",
                top=1.0,
            ),
            line("drop", "Largest drop", drop, self.drop[:, m]),
        ]
        made = [line("found", "Relevant found", found, self.share, top=1.0)]
        if len(self.runs) > 1:
            made += of_order
        made.append(line("error", "Error of the means", error, self.error[:, m]))
        if pairs:
            share = self.kept[:, m] / pairs
            made.append(line("pairs", "Significant pairs kept", kept, share, top=1.0))
        return made

    @property
    def x_axis(self) -> dict[str, Any]:
        return {"rates": self.params.budgets, **self.params.axis}

    def tables(self) -> list[Table]:
        misled = (
            [Table("misled", "Driven by another judge", self.misled)] if self.params.driver else []
        )
        rises = table_of_crossings(
            "Tau of 0.9",
            "tau of 0.9 at",
            {"order": self.orders, "measure": self.measures},
            self.rises,
            self._most,
        )
        return [
            Table("summary", "Summary", self.summary),
            rises,
            *misled,
            Table("trials", "Every trial", self.frame),
        ]


@experiment(
    "orders",
    title="Orders",
    question="In which order should documents be judged?",
    does="simulate orders of judging and count relevant documents",
    formula=r"\frac{relevant\ documents\ judged}{relevant\ documents\ of\ the\ pools}",
    source=(
        "Cormack, Palmer & Clarke 1998; Aslam, Pavlu & Savell 2003; Moffat, Webber & Zobel 2007;"
        " Losada, Parapar & Barreiro 2016; Lipani et al. 2017"
    ),
    takes=(COLLECTION, MEASURES, IF_OTHERS),
    stored=(*STORED, "driver", "test", "alpha"),
    first={"trials": 1},
)
def orders(work: Work[Params]) -> Orders:
    """Simulates orders of judging. The pool of a topic is the judged documents that a
    run has down to rank 100. Each order judges them one by one, and learns only from
    the judgments that it has requested. At each budget all runs are scored on the
    judgments so far, the order of the runs is compared with their order on the whole
    pool, and every pair is tested again.

    Raises `UnknownName` for a `driver` who is no judge.
    """
    collection, params = work.collection, work.params
    topics = pools(collection, params, 1)
    plan = _plan(work, topics)
    sweep(work, plan)
    whole, cells = read_whole(work, CELL), gather(work, plan, CELL)
    of_level = dict(zip(plan.levels, zip(*cells, strict=True), strict=True))
    rows = [[of_level[name, budget] for budget in params.budgets] for name in ORDERS]
    means, apart, counts = (_gather(rows, part) for part in range(len(OrderCell._fields)))
    counts = np.moveaxis(counts[:, 0], -1, 0)
    found_by_own, simulated = counts[1], ""
    # a judge who drives the order errs: what it finds is counted by the first judge's grades too
    if params.driver:
        found_by_own = _count_found(work, collection.grade)
    if params.driver and collection.panel:
        simulated = collection.panel.judges.describe_simulated([params.driver])
    return Orders(
        full=np.array([cell.means for cell in whole]),
        means=means,
        apart_full=np.array([cell.apart for cell in whole]),
        apart=apart,
        judged=counts[0],
        found=counts[1],
        found_by_own=found_by_own,
        pool=whole[0].counts[0],
        relevant=whole[0].counts[1],
        topics=len(collection.topics),
        orders=tuple(ORDERS),
        simulated=simulated,
        runs=collection.runs,
        measures=work.measures,
        params=params,
    )


def _plan(work: Work[Params], topics: Sequence[Any]) -> Plan:
    """Orders and budgets as levels, and what is read off the judgments so far."""
    collection, params = work.collection, work.params
    seen = grades_by(collection, params.driver)

    def drawn(trial: int, levels: Sequence[tuple[str, float]]) -> list[Drawn]:
        name, budgets = levels[0][0], [budget for _, budget in levels]
        of_trial = topics if trial == 1 else pools(collection, params, trial)
        return [*map(Drawn, judged_first(collection, params, name, budgets, of_trial, seen))]

    def cell(sample: Sample) -> OrderCell:
        counts = int((sample.grades >= 0).sum()), int((sample.grades > 0).sum())
        if sample.full:
            return OrderCell(sample.means, params.differ(sample.values), counts)
        # a pair that does not differ on the whole pool is not counted here, so not tested
        apart = work.cache[CELL, None, sample.measure, ALL, 0].apart.copy()
        apart[apart] = params.differ(sample.values, np.flatnonzero(apart))
        return OrderCell(sample.means, apart, counts)

    levels = {
        (name, budget): params.share(budget, collection)
        for name in ORDERS
        for budget in params.budgets
    }
    pooled = np.concatenate([topic.judgments for topic in topics])
    return Plan(
        levels=levels,
        trials=params.trials,
        drawn=drawn,
        readings={CELL: cell},
        of_grades={},
        # the pool, not all judgments: no order comes to a document that no run has near its top
        whole=Drawn(keep_judgments(collection, np.isin(np.arange(collection.grade.size), pooled))),
        alike=[level for level in levels if not ORDERS[level[0]].random],
        drawn_apart=itemgetter(0),
    )


def _gather(rows: Sequence[Sequence[Sequence[Sequence[OrderCell]]]], part: int) -> np.ndarray:
    """One part of the cells [order, budget, measure, trial], as [order, measure,
    budget, trial, ...].
    """
    return np.array(
        [[[[cell[part] for cell in row] for row in of] for of in order] for order in rows]
    ).swapaxes(1, 2)


def _count_found(work: Work[Params], seen: np.ndarray) -> np.ndarray:
    """Relevant documents that the orders find if they learn from the grades `seen`, int
    [order, budget, trial].
    """
    collection, params = work.collection, work.params
    found = np.empty((len(ORDERS), len(params.budgets), params.trials), np.int64)
    for trial in range(params.trials):
        topics = pools(collection, params, trial + 1)
        for o, (name, order) in enumerate(ORDERS.items()):
            # otherwise all trials are equal, and the first one fills the rest
            if order.random or not trial:
                made = judged_first(collection, params, name, params.budgets, topics, seen)
                found[o, :, trial:] = (made > 0).sum(axis=1)[:, None]
    return found
