"""The metrics, one file per family; a new family is imported here."""

from irmeval.metrics import cumulated, precision, preference
from irmeval.metrics.base import METRICS, Measure, Metric, measure

__all__ = ["METRICS", "Measure", "Metric", "cumulated", "measure", "precision", "preference"]
