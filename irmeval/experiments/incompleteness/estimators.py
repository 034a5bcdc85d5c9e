"""Estimators of measures from a sample of the judgments."""

from irmeval.core.params import format_value
from irmeval.metrics import METRICS, Measure, measure

ESTIMATORS = {"AP": ("xinfAP", "statAP"), "nDCG": ("infNDCG", "statNDCG"), "P": ("infP", "statP"), "RBP": ("statRBP",)}
"""Estimators of each measure that has any."""
ALSO = {"AP": ("Bpref",)}
"""Measures made for few judgments, compared with the same truth."""


def estimates_of(target: Measure) -> list[Measure]:
    """All estimators of a measure: itself, its prime, measures made for few judgments, and its own estimators."""
    given = {name: value for name, value in target.params.items() if value is not None}
    found = [target]
    if target.metric.primed and not target.prime:
        found.append(measure(f"{target}'"))
    if target.prime or "base" in given:
        return found
    found += [measure(name) for name in ALSO.get(target.metric.name, ()) if target.params["rel"] == 1]
    for name in ESTIMATORS.get(target.metric.name, ()):
        known = METRICS[name].params
        inner = ",".join(f"{key}={format_value(value)}" for key, value in given.items() if key in known and key != "k")
        if "k" in known or "k" not in given:
            found.append(measure(name + (f"({inner})" if inner else "") + (f"@{given['k']}" if "k" in given else "")))
    return found
