"""What every room stands on: errors, words, parameters, registries, limits, where files are, what is done in parallel."""
