"""The metrics, one file per family; a new family is imported here."""

from irmeval.metrics import blended, cumulated, diagnostics, graded_preference, precision, preference, sampled, user_model
from irmeval.metrics.base import METRICS, Measure, Metric, distinct, measure

__all__ = [
    "METRICS",
    "Measure",
    "Metric",
    "blended",
    "cumulated",
    "diagnostics",
    "distinct",
    "graded_preference",
    "measure",
    "precision",
    "preference",
    "sampled",
    "user_model",
]
