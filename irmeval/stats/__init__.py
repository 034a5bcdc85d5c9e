"""Tests, resamples and rank correlations: arrays in, arrays out. SciPy is imported within functions, as it loads slowly."""
