"""Order of the runs."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from irmeval.collection import Collection
from irmeval.core.params import checked, param
from irmeval.experiments.headlines import WORST, best_and_worst
from irmeval.experiments.settings import Correlate
from irmeval.experiments.watched.base import COUNTS, MEANS, Curve, Read, statistic
from irmeval.metrics import measure
from irmeval.scoring.scores import evaluate
from irmeval.stats.correlation import CORRELATIONS, critical_tau


@checked
class Comparing:
    """How orders of the runs are compared, and with which."""

    correlation: Correlate = "tau_b"
    gold: str = param(
        "compared with",
        "The measure whose order of the runs on everything is the reference for all. Empty: each"
        " measure's own order.",
        empty="its own order",
        default="",
    )

    def __post_init__(self) -> None:
        if self.gold:
            object.__setattr__(self, "gold", str(measure(self.gold)))


def column_of(params: Any) -> str:
    """Name of the correlation in tables: ``tau`` for the default."""
    if params.correlation == "tau_b":
        return "tau"
    return params.correlation


def label_of(params: Any) -> str:
    """Name of the correlation within a sentence."""
    column = column_of(params)
    if column == "tau":
        return "tau"
    return CORRELATIONS[params.correlation].label


def _curves(result: Any) -> list[Curve]:
    params = result.params
    correlation, whose = CORRELATIONS[params.correlation], params.gold or "the same measure"
    caption = (
        f"Agreement with the order by {whose} on {result.everything}; above the dotted 0.9, two"
        " orders commonly count as equivalent."
    )
    if params.correlation == "tau_a":
        caption += " Tied runs keep it below 1 even where nothing is taken away."
    return [
        Curve(
            column_of(params),
            "tau",
            correlation.label,
            caption,
            f"{correlation.label} with {result.everything}",
            top=1.0,
            level=COUNTS,
        )
    ]


def describe_chance(result: Any) -> str:
    """A sentence on what two random orders of so many runs have; empty for a correlation
    that is not Kendall's, or too few runs.
    """
    runs = len(result.runs)
    # .332 for 30 runs, where Sakai & Kando 2008 and Sakai 2007 have .34
    critical = critical_tau(runs)
    if critical != critical or not CORRELATIONS[result.params.correlation].kendall:
        return ""
    return (
        f"Between two random orders of {runs} runs, tau exceeds {critical:.2f} in absolute value in"
        " 1% of cases."
    )


def _says(result: Any) -> str:
    params = result.params
    by = f" by {params.gold}" if params.gold else ""
    return best_and_worst(
        result.names,
        result.last(column_of(params)),
        f"keep the order of the runs{by} {{}}",
        WORST,
        label=label_of(params),
        noun=result.noun,
    )


def _reference(collection: Collection, params: Any, gains: str | None) -> Mapping[str, np.ndarray]:
    if not params.gold:
        return {}
    return {"means": evaluate(collection, [params.gold], gains=gains).means[0]}


@statistic(
    "order",
    words="the order of runs",
    params=Comparing,
    reads=(MEANS,),
    curves=_curves,
    says=_says,
    reference=_reference,
)
def order(whole: Read, here: Read, params: Any) -> Mapping[str, Any]:
    """Correlation of the order of the runs with that on everything: 1 for the same
    order, 0 for orders that have nothing in common.
    """
    compute = CORRELATIONS[params.correlation].compute
    return {column_of(params): compute(here["means"], whole["means"])}
