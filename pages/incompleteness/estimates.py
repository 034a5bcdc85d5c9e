"""Estimates: what estimators make of samples of the judgments, held against the truth on all of them."""

from irmeval.ui.pages import estimates

estimates.page()
