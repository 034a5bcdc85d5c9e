"""Reliability of measures, and agreement between them."""
