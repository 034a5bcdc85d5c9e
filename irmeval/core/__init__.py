"""Foundations that every other room uses: errors, words, parameters, registries,
limits, paths, parallel work.
"""
