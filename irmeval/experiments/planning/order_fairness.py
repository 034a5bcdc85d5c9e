"""Bias of an order of judging against a team that did not contribute to the pool."""

from typing import NamedTuple

import numpy as np

from irmeval.collection.team_names import LETTERS, TeamRule
from irmeval.core.params import checked
from irmeval.core.places import place_of_choice
from irmeval.experiments.base import Work, experiment
from irmeval.experiments.facts import Fact, Verdict
from irmeval.experiments.headlines import name_end
from irmeval.experiments.incompleteness.ordering import (
    CHANCE,
    Budgets,
    Ordering,
    judged_first,
    pools,
)
from irmeval.experiments.incompleteness.pool_bias import WithoutTeam
from irmeval.experiments.results import Chart, Choice, Frame, NextStep, Table, tidy
from irmeval.experiments.trials import Realised, banded, describe_asked
from irmeval.plots.colors import styles_of_others
from irmeval.reductions import ORDERS
from irmeval.scoring.scores import evaluate_many
from irmeval.stats.means import mean_of_known, rank_scores


@checked
class Params(Ordering):
    """Budgets, and the teams of runs."""

    budgets: Budgets = (5.0, 10.0, 20.0, 50.0)
    team_rule: TeamRule = LETTERS


class OrderFairness(WithoutTeam):
    """Scores and ranks of each run [order, measure, budget, run] on the first documents
    of an order, from a pool with all teams and one without the run's own. Budgets are
    of that pool. If nothing relevant is judged, scores are NaN.
    """

    orders: tuple[str, ...]
    realised: tuple[Realised, ...]
    """realised budgets if all teams form the pool"""

    def frame(self) -> Frame:
        """One row per order, measure, budget and run: the columns of `WithoutTeam`."""
        return tidy(
            {
                "order": self.orders,
                "measure": self.measures,
                "budget": self.params.budgets,
                "run": self.runs,
            },
            self.columns,
        )

    def summary(self) -> Frame:
        """One row per order, measure and budget: share lost (mean, most, and by which
        run), places lost (mean, most).
        """
        columns = {
            "mean lost": mean_of_known(self.lost),
            # a run without a score on what is judged is NaN, which `max` would spread to all
            "most lost": np.fmax.reduce(self.lost, axis=-1),
            "by": np.array(self.runs, dtype=object)[
                np.nan_to_num(self.lost, nan=-np.inf).argmax(axis=-1)
            ],
            "mean places lost": self.places.mean(axis=-1),
            "most places lost": self.places.max(axis=-1),
        }
        return tidy(
            {"order": self.orders, "measure": self.measures, "budget": self.params.budgets}, columns
        )

    def facts(self, choice: str = "") -> list[Fact]:
        """At the first budget, the share of its score that a run loses on average with
        each order.
        """
        spent = self.realised[0]
        lost = mean_of_known(self.lost[:, :, 0])
        return [
            Fact("share lost", str(measure), order, float(lost[o, m]), spent.asked, spent.left)
            for m, measure in enumerate(self.measures)
            for o, order in enumerate(self.orders)
            if np.isfinite(lost[o, m])
        ]

    def verdict(self, choice: str = "") -> Verdict:
        name = choice or str(self.measures[0])
        if len({*self.team_of_run}) == 1:
            return Verdict("All runs are of one team: without it no document is pooled.")
        spent = self.params.at_budget(self.realised[0]).removesuffix(self.realised[0].beside)
        facts = [fact for fact in self.facts() if fact.measure == name]
        beside = self._describe_budget()
        if not facts:
            return Verdict(
                f"At {spent}, no order finds a relevant document, so scores cannot be compared.",
                beside,
            )
        least, most = (end(facts, key=lambda fact: fact.value) for end in (min, max))
        loss = f"At {spent}, a run without its team loses"
        low, high = f"{least.value:z.1%}", f"{most.value:z.1%}"
        if low == high:
            orders = "some orders"
            if len(facts) == len(self.orders):
                orders = "every order"
            return Verdict(f"{loss} {low} of its {name} with {orders}.", beside)
        places = self._describe_places(name)
        names, lost = [fact.line for fact in facts], [fact.value for fact in facts]
        first, last = (name_end(names, lost, end.value, "z.1%", "order") for end in (least, most))
        if (first, last) != (least.line, most.line):
            said = f"Least with {first}, most with {last}. {places}"
            return Verdict(f"{loss} {low} to {high} of its {name}.", beside, said)
        ends = f"{least.line} ({low}), most with {most.line} ({high})"
        return Verdict(f"{loss} least {name} with {ends}.", beside, places)

    def _describe_places(self, name: str) -> str:
        """The most places that a run loses with each order."""
        m = [*map(str, self.measures)].index(name)
        most = self.places[:, m, 0].max(axis=-1).tolist()
        lost = [f"{order} {places}" for order, places in zip(self.orders, most, strict=True)]
        return f"Places lost at most: {', '.join(lost)}."

    def _describe_budget(self) -> str:
        """The budget that was asked for and why another one was spent; empty if it was."""
        spent = self.realised[0]
        if not spent.beside:
            return ""
        return f"Budget: {self.params.at_budget(spent)}.{spent.reason}"

    def next_steps(self) -> list[NextStep]:
        return [NextStep("What does each team contribute?", "leave-one-out")]

    def choice(self) -> Choice:
        measures = tuple(map(str, self.measures))
        return Choice("measure", measures, "Measure whose charts are shown.")

    def charts(self, choice: str = "") -> list[Chart]:
        """The charts by a measure, by default the first."""
        m = place_of_choice(choice, self.measures)
        measure = self.measures[m]
        lost, places = 100 * self.lost[:, m], self.places[:, m]
        mean = mean_of_known(lost)
        beside = (
            "if its team's runs are not pooled, compared with the same budget if they are. Mean"
            " over runs."
        )
        the_most = "The same for the run that loses most."
        of_score = f"Share of its {measure} that a run loses {beside}"
        of_places = f"Places that a run loses by {measure} {beside}"
        largest = np.fmax.reduce(lost, axis=-1)
        return [
            self._chart("lost", f"{measure} lost", of_score, mean, f"{measure} lost, %"),
            self._chart(
                "most",
                f"{measure} lost at most",
                the_most,
                largest,
                f"{measure} lost at most, %",
            ),
            self._chart("places", "Places lost", of_places, places.mean(axis=-1), "places lost"),
            self._chart(
                "most-places",
                "Places lost at most",
                the_most,
                places.max(axis=-1),
                "places lost at most",
            ),
        ]

    def _chart(self, name: str, title: str, caption: str, values: np.ndarray, ytitle: str) -> Chart:
        return Chart(
            name,
            title,
            f"{caption} 0 is fair.{describe_asked(self.realised)}",
            lambda: banded(
                self.orders,
                self.params.budgets,
                values[..., None],
                ytitle,
                styles=styles_of_others(self.orders, "", CHANCE),
                **self.params.axis,
            ),
        )

    def tables(self) -> list[Table]:
        return [Table("summary", "Summary", self.summary), Table("runs", "Every run", self.frame)]


@experiment(
    "order-fairness",
    title="Fairness of orders",
    question="Is an order fair to a team that did not contribute?",
    does="measure the bias of orders against a team left out",
    formula=r"1 - \frac{s_{left\ out}}{s_{pooled}}",
    source=(
        "Zobel 1998 and Lipani et al. 2017, a team left out of the pool; Losada, Parapar & Barreiro"
        " 2017"
    ),
    pages=("orders",),
)
def order_fairness(work: Work[Params]) -> OrderFairness:
    """Leaves out each team in turn: the runs of the other teams form the pool, each
    order judges a share of it, and the team's own runs are scored on that. These scores
    are compared with those at the same budget from the pool of all teams. Random orders
    are drawn once.
    """
    teams = np.array(work.teams)
    shape = len(ORDERS), len(work.measures), len(work.params.budgets), len(teams)
    score_without, rank_without = np.empty(shape), np.empty(shape, np.int64)
    # the empty name leaves out nobody: the pool with which all others are compared, so it is first
    left_out = ["", *dict.fromkeys(work.teams)]
    # one at a time: all at once took 3.2 GB on a million topics, and threads do not speed up what
    # walks an order in Python
    for team in work.steps(left_out):
        if not team:
            score, rank, realised = _judge_pool(work, None)
            continue
        own = teams == team
        without = _judge_pool(work, ~own)
        score_without[..., own] = without.score[..., own]
        rank_without[..., own] = without.rank[..., own]
    of_runs = tuple(work.teams), work.measures, work.collection.runs, work.params
    return OrderFairness(
        score, score_without, rank, rank_without, *of_runs, tuple(ORDERS), realised
    )


class JudgedPool(NamedTuple):
    """Runs on what the orders judge of a pool."""

    score: np.ndarray
    """float64 [order, measure, budget, run]"""
    rank: np.ndarray
    """int, the same"""
    realised: tuple[Realised, ...]
    """what each budget comes to"""


def _judge_pool(work: Work[Params], of_runs: np.ndarray | None) -> JudgedPool:
    """The pool of some runs, bool [run], or of all, judged in each order."""
    collection, params = work.collection, work.params
    budgets = params.budgets
    shape = len(ORDERS), len(work.measures), len(budgets), len(collection.runs)
    score, rank = np.empty(shape), np.empty(shape, np.int64)
    topics = pools(collection, params, 1, of_runs=of_runs)
    for o, order in enumerate(ORDERS):
        grades = judged_first(collection, params, order, budgets, topics, collection.grade)
        scores = evaluate_many(collection, [(work.measures, row) for row in grades])
        for b, of_budget in enumerate(scores):
            score[o, :, b] = of_budget().means
            rank[o, :, b] = rank_scores(score[o, :, b])
    # every order judges as many documents, so the last one tells what a budget comes to
    judged = np.count_nonzero(grades >= 0, axis=1).tolist()
    pool = sum(topic.size for topic in topics)
    realised = [
        params.realise(budget, count, pool, len(topics))
        for budget, count in zip(budgets, judged, strict=True)
    ]
    return JudgedPool(score, rank, tuple(realised))
