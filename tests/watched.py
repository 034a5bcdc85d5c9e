"""*Curves* as asked for on each axis and with each statistic, and results of it made by
hand.
"""

from types import SimpleNamespace

import numpy as np

from irmeval import measure
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.axes.by_lines import Line
from irmeval.experiments.incompleteness.watched_curves import Curves
from irmeval.experiments.trials import over_trials
from irmeval.experiments.watched import STATISTICS

CURVES = EXPERIMENTS["curves"]
ASKED = {
    "judgments": {},
    "decisions": {"watch": ("order", "pairs", "decisions")},
    "depth": {"of": "depth", "watch": ("mean", "order", "pairs", "judged")},
    "teams": {"of": "teams", "watch": ("mean", "order", "pairs", "judged")},
    "topics": {"of": "topics", "by": "judgments=100,10", "watch": ("pairs",)},
    "care": {
        "of": "care",
        "by": "judge=lenient,strict,noisy,binary",
        "watch": ("order", "kappa"),
    },
    "grades": {"by": "gains=flat,bompada2,bompada10", "watch": ("order",)},
    "every": {"watch": tuple(STATISTICS)},
}
"""What is asked -> its parameters."""
LEVELS = {
    "judgments": (100.0, 50.0, 10.0),
    "depth": (100, 20, 2),
    "teams": (20, 3, 1),
    "topics": (50, 4, 2),
    "care": (0.0, 10.0, 50.0),
}
"""A few levels of each axis."""


def asked(name, **more):
    """The parameters of one of `ASKED`, with few levels and trials."""
    given = {"trials": 3, **ASKED[name], **more}
    if CURVES.params(**{**given, "levels": ()}).tested:
        given.setdefault("samples", 20)
    return CURVES.params(**{"levels": LEVELS[given.get("of", "judgments")], **given})


def made(means, full, left=None, **params):
    """The result for these means [measure, level, trial, run], those on everything
    [measure, run], and shares left [level, trial]; by the first letters of the
    alphabet.
    """
    means, full = np.array(means, float)[:, None], np.array(full, float)[:, None]
    params = CURVES.params(trials=means.shape[3], **params)
    shape = len(params.levels), means.shape[3]
    rates = np.array(params.levels)[:, None].repeat(shape[1], axis=1)
    seen, whole = {"means": means}, {"means": full[:, :, None, None]}
    values, of_whole = {}, {}
    for one in params.statistics:
        values |= one.compute(whole, seen, params)
        of_whole |= one.compute(whole, whole, params)
    return result(
        params,
        {name: np.asarray(of) for name, of in values.items()},
        {name: np.asarray(of)[..., 0, 0] for name, of in of_whole.items()},
        rates if left is None else np.array(left, float),
        measures=("AP", "RR", "Q", "nDCG")[: len(means)],
        means=means,
        whole_means=full,
    )


def result(params, values, whole, left, *, measures=("AP", "RR"), lines=("",), tested=0, **more):
    """A result with these values."""
    axis, runs = params.axis, "abc"
    left = np.asarray(left, float)
    if left.ndim == 2:
        left = np.broadcast_to(left, (len(lines), *left.shape))
    none = np.empty((len(measures), len(lines), 0))
    own = params.own_of(axis)
    if params.lines.axis:
        of = tuple(Line(f"{level:g}", own, level) for level in params.lines.values)
    else:
        of = tuple(Line(name, own) for name in lines)
    if "means" in more:
        runs = map(str, range(more["means"].shape[-1]))
    return Curves(
        **{
            "values": values,
            "whole": whole,
            "means": none,
            "whole_means": none,
            "left": left,
            "levels": params.levels,
            "lines": of,
            "tested": tested,
            "collection": SimpleNamespace(runs=tuple(runs), length=np.array([3])),
            "team": {},
            "measures": tuple(map(measure, measures)),
            "params": params,
            **more,
        }
    )


def seen(levels, measures=("AP", "Q"), **columns):
    """What findings read off a result of which only some columns are known: [measure,
    level, trial].
    """
    values = {name: np.array(of, float)[:, None] for name, of in columns.items()}
    return SimpleNamespace(
        levels=levels,
        correlation="tau",
        measures=tuple(map(measure, measures)),
        values=values,
        curve=lambda column: over_trials(values[column]),
    )
