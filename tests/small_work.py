"""Every experiment on little: parameters that make little work, and what it computes
on.
"""

from dataclasses import replace
from functools import cache

import pytest

import irmeval
from irmeval.check import qrels_of
from irmeval.core.errors import IrmevalError
from irmeval.core.params import fields, replace_known
from irmeval.experiments import EXPERIMENTS
from tests.cases import drawn, tied_collection

MEASURES = ["AP", "Q(beta=10)", "nDCG"]
SMALL = {
    "alpha": 0.5,
    "trials": 2,
    "samples": 40,
    "sets": 30,
    "mixtures": 40,
    "rates": (100.0, 50.0, 20.0),
    "levels": (100.0, 50.0, 20.0),
    "shares": (0.0, 30.0),
    "budgets": (10.0, 40.0),
    "N": 40,
    "last": 5,
}
"""Less work than by default, where an experiment has these."""
CHOOSING = ("of", "by", "watch")
"""Parameters on which it depends which others are taken."""
MORE = {"of": "teams", "watch": ("order", "pairs")}
"""Choices with which parameters are taken that the usual choices do not use."""
every = pytest.mark.parametrize("experiment", EXPERIMENTS.values(), ids=lambda e: e.name)


def params_of(experiment, given):
    """The given parameters, as far as an experiment takes them; the others are the
    usual ones.
    """
    chosen = {name: given[name] for name in CHOOSING if name in given}
    return replace_known(replace_known(experiment.params(), **chosen), **given)


def small(experiment, given=SMALL):
    """Parameters that make little work."""
    params = params_of(experiment, given)
    # above the ends of the lists
    return (allows(params, "pool", 15) if "pool" in fields(experiment.params) else None) or params


def bases(experiment, given=SMALL):
    """Parameters that make little work: the usual ones, and those of other choices."""
    chooses = {*CHOOSING} <= fields(experiment.params).keys()
    return [small(experiment, given), *([small(experiment, given | MORE)] if chooses else [])]


def allows(params, name, value):
    """The parameters with one changed; None where the value belongs to another
    experiment's parameter of that name.
    """
    try:
        return replace(params, **{name: value})
    except IrmevalError:
        return None


def source(experiment, c, judges=3):
    """What an experiment computes on: a collection, also with another judge, or so many
    judges.
    """
    beside = experiment.others or "cheap" in fields(experiment.params)
    return (
        panel(c, judges)
        if experiment.judged
        else with_another(c)
        if beside
        else c
        if experiment.data
        else None
    )


def with_another(c):
    """A collection with a judge beside its own, who does not exist."""
    return c.with_judgments("noisy", "simulated:noisy,0.3,1")


def panel(c, number=3):
    """So many judges, at most three: that of a collection, and others who do not
    exist.
    """
    qrels = qrels_of(c)
    every = {
        "person": qrels,
        "noisy": irmeval.simulated(qrels, "noisy"),
        "strict": irmeval.simulated(qrels, "strict"),
    }
    return irmeval.Judges.of(dict([*every.items()][:number]))


def sentences_of(result):
    """The headline of a result, its next steps and the captions of its charts."""
    return [
        result.headline(),
        *(step.question for step in result.next_steps()),
        *(chart.caption for chart in result.charts()),
    ]


@cache
def tied(topics, runs):
    """A collection of so many topics and runs."""
    return tied_collection(*drawn(3, topics=topics, runs=runs))
