"""Confidence in the sign of the difference of two runs, given unjudged documents."""

from collections.abc import Sequence
from functools import cached_property, partial
from typing import Annotated, Any

import numpy as np

from irmeval.core.errors import ParamError
from irmeval.core.params import Param, checked
from irmeval.core.text import count_noun, list_all, quantify, verb
from irmeval.experiments.base import COLLECTION, LISTS, MEASURES, Work, experiment
from irmeval.experiments.needs import Needs
from irmeval.experiments.results import (
    Chart,
    Frame,
    NextStep,
    Table,
    name_pairs,
    result,
    table,
    tidy_pairs,
)
from irmeval.metrics import Measure
from irmeval.plots.line_charts import long_line
from irmeval.scoring.scores import evaluate
from irmeval.scoring.sign_probability import (
    HALF,
    SHARE,
    can_compute,
    difference_moments,
    moments,
    rank_documents,
)
from irmeval.stats.pairs import sign_probability

Relevance = Annotated[
    str,
    Param(
        "relevance of the unjudged",
        "share: relevant as often as the topic's judged documents are. half: relevant with"
        " probability .5.",
        choices=(SHARE, HALF),
        value_labels={
            SHARE: "unjudged documents relevant as often as judged ones",
            HALF: "unjudged documents relevant with probability 0.5",
        },
    ),
]
SURE = "sure: probability of {} and more"
Sure = Annotated[
    float,
    Param(
        "sure from",
        "A sign counts as sure from this probability on.",
        low=0.5,
        high=0.9999,
        template=SURE,
    ),
]
CALIBRATION_WARNING = (
    "These probabilities are too high. On three collections with judgments removed, signs of 95%"
    " and more were right in 87 to 100% of cases. If unjudged documents were relevant with"
    " probability 0.5, it was 71 to 100%. AP was worst, with few judgments or a shallow pool. With"
    " judgments removed at random, its signs of 95 to 99% were right in 74 to 93%."
)
"""Results of simulations."""
CAUTION = (
    "That is about missing judgments, the tests about other topics; in simulations such"
    " probabilities were too high."
)
"""The same in short, beside tests."""


def probability_in_words(sure: float) -> str:
    """Text of the probability of a sign, which is never certain."""
    return f"{sure:.1%}" if sure < 0.9995 else "more than 99.9%"


@checked
class Params:
    """Probability that an unjudged document is relevant, and that of a sure sign."""

    relevance: Relevance = SHARE
    sure: Sure = 0.95


@result
class Signs:
    """Differences of all pairs of runs, as random variables that depend on unjudged
    documents.
    """

    judged: np.ndarray
    """float64 [measure, pair], mean difference with unjudged documents as nonrelevant:
    the first run minus the second, pairs as in ``np.triu_indices(runs, 1)``
    """
    expected: np.ndarray
    deviation: np.ndarray
    """float64 [measure, pair], mean and standard deviation of the mean difference"""
    unjudged: int
    """unjudged documents of the pool, or down to rank 100 of a list"""
    others: tuple[Measure, ...]
    """measures without signs"""
    measures: tuple[Measure, ...]
    runs: tuple[str, ...]
    params: Params

    @cached_property
    def sure(self) -> np.ndarray:
        """Probability that the difference with all documents judged has the sign of the
        expected one [measure, pair], from .5 to 1.
        """
        return sign_probability(self.expected, self.deviation)

    def frame(self) -> Frame:
        """One row per measure and pair: the two runs, difference as judged, expected
        difference, deviation, confidence in its sign.
        """
        columns = {
            "difference": self.judged,
            "expected": self.expected,
            "deviation": self.deviation,
            "sure": self.sure,
        }
        return tidy_pairs(self.measures, self.runs, columns)

    def of_measures(self) -> Frame:
        """One row per measure: pairs, number of sure ones, and the least sure."""
        (a, b), sure = name_pairs(self.runs), self.sure >= self.params.sure
        columns = {
            "measure": self.measures,
            "pairs": a.size,
            "sure": sure.sum(axis=1),
            "share sure": sure.mean(axis=1),
            "least sure": self.sure.min(axis=1),
            "between": [f"{a[k]}, {b[k]}" for k in self.sure.argmin(axis=1)],
        }
        return table(columns)

    def headline(self) -> str:
        a, b = name_pairs(self.runs)
        sure, k = self.sure[0], int(self.sure[0].argmin())
        left_out = f" Signs are not known by {list_all(self.others)}." if self.others else ""
        least = (
            f". Least sure: {a[k]} and {b[k]}, {probability_in_words(sure[k])}"
            if a.size > 1
            else f" ({probability_in_words(sure[k])})"
        )
        if not self.unjudged:
            return (
                "No document is unjudged, so no judgment can change the sign of a difference in"
                f" {self.measures[0]}.{left_out}"
            )
        return (
            f"Given {count_noun(self.unjudged, 'unjudged document')}, the sign of the difference in"
            f" {self.measures[0]} is at least {self.params.sure:g} sure for"
            f" {quantify(int((sure >= self.params.sure).sum()), a.size, 'pair')} of"
            f" runs{least}.{left_out}"
        )

    def describe_pair(self) -> str:
        """Which of the first two runs is probably better by each measure, with its
        confidence.
        """
        a, b = self.runs[:2]
        by: dict[str, list[str]] = {}
        for measure, expected, sure in zip(
            self.measures, self.expected[:, 0], self.sure[:, 0], strict=True
        ):
            better = (a if expected > 0 else b) if expected else ""
            by.setdefault(better, []).append(
                f"{measure} ({probability_in_words(sure)})"
                if expected and self.unjudged
                else measure
            )
        equal = (
            [
                f"neither run is {'expected to be ' if self.unjudged else ''}better by"
                f" {list_all(by.pop(''))}"
            ]
            if "" in by
            else []
        )
        said = "; ".join(f"{run} by {list_all(names)}" for run, names in by.items())
        likely = [f"the better run is {'probably ' if self.unjudged else ''}{said}"] if said else []
        where = "allowing for unjudged documents" if self.unjudged else "with no unjudged document"
        return (
            f"On these topics, {where},"
            f" {'; '.join([*likely, *equal])}.{f' {CAUTION}' if self.unjudged else ''}"
        )

    def next_steps(self) -> list[NextStep]:
        left = int((self.sure[0] < self.params.sure).sum())
        if not self.unjudged:
            return [
                NextStep("No document is unjudged: which differences are significant?", "matrix")
            ]
        if not left:
            every, which = (
                ("Every sign", "which differences are")
                if self.sure.shape[1] > 1
                else ("The sign", "is the difference")
            )
            return [
                NextStep(f"{every} is sure by {self.measures[0]}: {which} significant?", "matrix")
            ]
        said = (
            f"{count_noun(left, 'sign')} {verb(left, 'is', 'are')} not sure by {self.measures[0]}:"
            " what should be judged next?"
        )
        settings = {
            "budget_by": "sign",
            "budget_relevance": self.params.relevance,
            "budget_alpha": f"{1 - self.params.sure:.4g}",
        }
        return [NextStep(said, "judge-next", settings)]

    def charts(self) -> list[Chart]:
        return [
            Chart(
                f"sure-{i + 1}",
                f"Signs by {measure}",
                f"How sure the sign of each pair's difference in {measure} is, surest first; the"
                f" mark is the last that is at least {self.params.sure:g} sure. Documents are taken"
                " to be relevant independently of each other and of the run."
                f" {CALIBRATION_WARNING}",
                partial(
                    long_line,
                    1,
                    -np.sort(-self.sure[i]),
                    "pairs of runs",
                    "probability of the sign",
                    max(int((self.sure[i] >= self.params.sure).sum()), 1),
                ),
            )
            for i, measure in enumerate(self.measures)
        ]

    def tables(self) -> list[Table]:
        return [
            Table("measures", "Measures", self.of_measures),
            Table("pairs", "Pairs", self.frame),
        ]


@experiment(
    "sign",
    title="Sign of a difference",
    question="How sure is the sign of a difference, given unjudged documents?",
    does="estimate how likely missing judgments keep the sign of a difference",
    formula=r"\Phi\left(\frac{|E[\Delta]|}{\sqrt{Var[\Delta]}}\right)",
    source="Carterette, Allan & Sitaraman 2006 (minimal test collections)",
    takes=(COLLECTION, LISTS, MEASURES),
    needs=Needs(runs=2),
)
def sign(work: Work[Params]) -> Signs:
    """Treats every unjudged document as relevant with some probability, independently
    of the others. The difference of two runs is then a random variable: its mean and
    variance follow from the measure, and the probability of its sign from the normal
    distribution. This is known for AP, P and RBP. Documents below rank 100 of all lists
    that are not in the pool count as nonrelevant.

    Raises `ParamError` for fewer than two runs, or for none of these measures.
    """
    collection = work.collection
    if not any(map(can_compute, work.measures)):
        raise ParamError(
            "sign: expected AP, P or RBP among the measures, without a prime, found"
            f" {', '.join(work.measures)}."
        )
    return signs_of(work, work.params, range(len(collection.runs)))


def signs_of(work: Work[Any], params: Params, runs: Sequence[int]) -> Signs:
    """Signs of the differences of some runs, by the measures for which they are known:
    at least one.
    """
    collection, measures = work.collection, work.measures
    known = tuple(measure for measure in measures if can_compute(measure))
    ranked = rank_documents(collection, runs)
    found = [
        difference_moments(moments(collection, measure, ranked, params.relevance))
        for measure in work.steps(known)
    ]
    expected, deviation = (np.stack(values) for values in zip(*found, strict=True))
    means = np.nan_to_num(evaluate(collection, known).means)[:, list(runs)]
    a, b = np.triu_indices(len(runs), 1)
    others = tuple(measure for measure in measures if not can_compute(measure))
    names, unjudged = (
        tuple(collection.runs[r] for r in runs),
        int(np.count_nonzero(ranked.grade < 0)),
    )
    return Signs(
        means[:, a] - means[:, b], expected, deviation, unjudged, others, known, names, params
    )
