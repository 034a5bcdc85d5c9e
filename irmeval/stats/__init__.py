"""Tests, resamples and rank correlations on arrays."""
