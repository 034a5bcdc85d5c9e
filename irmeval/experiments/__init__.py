"""Experiments; a new one is a file imported here."""

from irmeval.experiments import incompleteness
from irmeval.experiments.base import EXPERIMENTS, Experiment

__all__ = ["EXPERIMENTS", "Experiment", "incompleteness"]
