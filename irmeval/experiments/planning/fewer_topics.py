"""Number of pairs of runs that differ significantly with fewer topics and fewer
judgments.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from irmeval.core.params import checked, param
from irmeval.core.text import count_noun, percent
from irmeval.experiments.base import Work, experiment
from irmeval.experiments.headlines import differ
from irmeval.experiments.incompleteness.pools import SAMPLES, numbers_up_to
from irmeval.experiments.needs import PAIRS
from irmeval.experiments.results import Chart, NextStep, result
from irmeval.experiments.scored import check_pairs
from irmeval.experiments.settings import TEST, Alpha, Rates, Seed, Test, Testing, Trials
from irmeval.experiments.sweep import at_rates
from irmeval.experiments.trials import Banded, Realised, over_trials, realise
from irmeval.metrics import Measure
from irmeval.reductions.base import random_generator, share_left
from irmeval.scoring.scores import evaluate
from irmeval.stats.pairs import count_pairs


@checked
class Params(Testing):
    """Numbers of topics, and shares of their judgments."""

    topics: tuple[int, ...] = param(
        "topics",
        "Number of topics, drawn at random; a higher number means all topics.",
        low=1,
        high=100_000,
        offers=(2, 5, 10, 15, 20, 25, 30, 40, 50, 75, 100, 150, 200, 250),
        template="{} topics",
        default=(5, 10, 20, 30, 40, 50),
    )
    rates: Rates = (100.0, 10.0)
    trials: Trials = 10
    seed: Seed = 1
    test: Test = TEST
    alpha: Alpha = 0.05
    samples, method, rounding = SAMPLES, "stratified", "floor"


@result
class FewerTopics(Banded):
    """Shares of the pairs of runs that differ significantly on some topics and some of
    their judgments.
    """

    power: np.ndarray
    """float64 [measure, rate, topics, trial]"""
    left: np.ndarray
    """float64 [rate, topics, trial], realised share of the judgments of these topics,
    in per cent
    """
    topics: tuple[int, ...]
    """numbers of topics, ascending"""
    measures: tuple[Measure, ...]
    params: Params
    pairs: int
    """of runs"""
    columns = ("power",)

    @property
    def axes(self) -> dict[str, Sequence[Any]]:
        return {"measure": self.measures, "rate": self.params.rates, "topics": self.topics}

    def _realised_on(self, topics: int) -> list[Realised]:
        """Realised shares on a number of topics, given by its index."""
        return realise(self.params, self.params.rates, self.left[:, topics])

    @cached_property
    def realised(self) -> list[Realised]:
        """Realised share at each rate on all topics."""
        return self._realised_on(-1)

    @property
    def x_axis(self) -> dict[str, Any]:
        return {
            "rates": self.topics,
            "levels": {float(n): str(n) for n in self.topics},
            "xtitle": "topics",
        }

    def headline(self) -> str:
        name, power = self.measures[0], over_trials(self.power[0])
        few, many = (count_noun(n, "topic") for n in (self.topics[0], self.topics[-1]))
        most, least = self._realised_on(0)[0], self.realised[-1]
        tests = f" Tests: {self.params.decided_by}.{least.reason}"
        if np.isnan(power[[0, -1], [0, -1]]).any():
            untested = few if np.isnan(power[0, 0]) else many
            return f"On {untested}, no two runs have 2 topics with a score for both.{least.reason}"
        if self.pairs == 1 == self.params.trials:
            return (
                f"By {name}, in the only trial, the two runs {differ(power[-1, -1])} on {many} with"
                f" {least.amount} of the judgments{least.beside}. On {few} with {most.amount}, they"
                f" {differ(power[0, 0])}.{tests}"
            )
        if self.pairs == 1:
            told = f"the two runs differ significantly in {percent(power[-1, -1])} of the trials"
        else:
            told = f"{percent(power[-1, -1])} of {self.pairs:,} pairs of runs differ significantly"
        return (
            f"By {name}, {told} on {many} with {least.amount} of the judgments{least.beside}. On"
            f" {few} with "
            f"{most.amount},"
            f" {'they do in ' if self.pairs == 1 else ''}{percent(power[0, 0])}"
            f"{'' if self.pairs == 1 else ' do'}.{tests}"
        )

    def next_steps(self) -> list[NextStep]:
        if np.isnan(over_trials(self.power[0, 0, -1])):
            return [NextStep("Which runs differ on all judgments?", "matrix")]
        most, how = float(over_trials(self.power[0, 0, -1])), self.params.decided_by
        least = f"at most {percent(most)} of the pairs" if most else "no pair"
        found = [
            NextStep(
                f"{self.measures[0]} finds {least} significantly different ({how}): how large must"
                " a difference be?",
                "power",
            )
        ]
        return [*found, NextStep("Are they the same pairs?", "decisions")] if most else found

    def charts(self) -> list[Chart]:
        shares = [f"{one.amount} judged{one.beside}" for one in self.realised]
        caption = (
            f"Share of the pairs of runs that differ significantly ({self.params.decided_by}). A"
            " line per share of the judgments that is kept. The same number of judgments can be"
            " spent on few topics or on many."
        )
        return [
            self.line_chart(
                f"power-{m}",
                f"Power of {measure}",
                caption,
                power,
                "discriminative power",
                shares,
                top=1.0,
            )
            for m, (measure, power) in enumerate(zip(self.measures, self.power, strict=True), 1)
        ]


@experiment(
    "fewer-topics",
    title="Fewer topics",
    question="Fewer topics, or fewer judgments?",
    does="compare fewer topics with fewer judgments",
    formula=r"\frac{pairs\ with\ p < \alpha}{m(m - 1)/2}",
    source=(
        "Sakai & Kando 2008, Figs. 5-6, power with fewer judgments; here with fewer topics as well"
    ),
    first={"trials": 1},
    needs=PAIRS,
)
def fewer_topics(work: Work[Params]) -> FewerTopics:
    """Draws topics at random, and a share of their judgments, separately for relevant
    and nonrelevant documents. Every pair of runs is tested for a difference on these.

    In a trial, a smaller set of topics is part of every larger one.
    """
    collection, params = work.collection, work.params
    numbers = numbers_up_to(len(collection.topics), params.topics)
    power = np.empty((len(work.measures), len(params.rates), len(numbers), params.trials))
    left = np.empty(power.shape[1:])
    for measure, values in zip(
        work.measures, evaluate(collection, work.measures).values, strict=True
    ):
        check_pairs(measure, values)
    for trial in work.steps(range(1, params.trials + 1)):
        order = random_generator(params.seed, trial).permutation(len(collection.topics))
        for r, grades in enumerate(at_rates(collection, params, trial)):
            scores = evaluate(collection, work.measures, grades=grades)
            for i, n in enumerate(numbers):
                of = np.isin(collection.topic, order[:n])
                left[r, i, trial - 1] = share_left(collection.grade[of], grades[of])
            for m, values in enumerate(scores.values):
                for i, n in enumerate(numbers):
                    power[m, r, i, trial - 1] = params.power(values[:, np.sort(order[:n])])
    return FewerTopics(
        power, left, numbers, work.measures, params, count_pairs(len(collection.runs))
    )
