"""Metrics: which measures put the runs in the same order."""

from irmeval.ui import experiment

experiment.page("agreement")
