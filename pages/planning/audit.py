"""Audit: whether a judge, such as a language model, may rank systems."""

from irmeval.ui.pages import auditing

auditing.page()
