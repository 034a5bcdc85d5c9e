"""Behaviour of metrics, with little data or none."""
