"""Experiments; a new one is a file imported here."""

from irmeval.experiments import ideal_lists, incompleteness, lab, parameters, top_heaviness
from irmeval.experiments.base import EXPERIMENTS, Experiment

__all__ = ["EXPERIMENTS", "Experiment", "ideal_lists", "incompleteness", "lab", "parameters", "top_heaviness"]
