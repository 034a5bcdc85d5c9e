"""Fewer judgments, at random or by an order of judging."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from irmeval.collection import Collection
from irmeval.core.params import Field, checked, param
from irmeval.experiments.axes.base import Trial, axis
from irmeval.experiments.settings import PAPERS, RATES, Method, Rounding
from irmeval.experiments.sweep import ALL, Drawn, draw_grades
from irmeval.experiments.trials import realise
from irmeval.reductions import REDUCTIONS, with_design
from irmeval.reductions.stratified import (
    LEAST_NONRELEVANT,
    LEAST_RELEVANT,
    LeastNonrelevant,
    LeastRelevant,
)

PAIR = "pair"
"""A sample of what two runs retrieved, for each pair of them."""


@checked
class Sampling:
    """How judgments are removed."""

    method: Method = "stratified"
    rounding: Rounding = "floor"
    sample_of: str = param(
        "sample of",
        "all: all judgments. pair: for each pair of runs, what the two retrieved, as Bompada et"
        " al.; much slower.",
        choices=("all", PAIR),
        value_labels={"all": "a sample of all judgments", PAIR: "a sample for each pair"},
        default="all",
    )
    # so that every topic keeps its score, which a uniform sample may take from it
    least_relevant: LeastRelevant = LEAST_RELEVANT
    least_nonrelevant: LeastNonrelevant = LEAST_NONRELEVANT


class Seeded(NamedTuple):
    """What the samples of a trial depend on."""

    method: str
    rounding: str
    seed: int
    least_relevant: int = LEAST_RELEVANT
    least_nonrelevant: int = LEAST_NONRELEVANT


def _prepare(collection: Collection, own: Sampling) -> Collection:
    return with_design(collection, own.method)


@axis(
    "judgments",
    words="judgments",
    params=Sampling,
    levels=Field("levels", float, PAPERS, RATES, is_list=True),
    write="{:g}%".format,
    on="With {} of the judgments left",
    everything="all judgments",
    line="{} judged",
    at="at {:.0f}%".format,
    xtitle="judgments kept",
    suffix="%",
    whole=ALL,
    shares=True,
    random=lambda own: REDUCTIONS[own.method].random,
    prepare=_prepare,
    realise=realise,
)
def judgments(trial: Trial, levels: Sequence[Any], own: Sampling) -> list[Drawn]:
    """Removes judgments, anew for each rate and trial: at random, or all but the first
    in an order of judging.
    """
    least = own.least_relevant, own.least_nonrelevant
    how = Seeded(own.method, own.rounding, trial.seed, *least)
    return [*map(Drawn, draw_grades(trial.collection, how, levels, trial.number))]
