"""Tests, resamples and rank correlations: arrays in, arrays out."""
