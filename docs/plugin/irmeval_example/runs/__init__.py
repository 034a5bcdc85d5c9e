"""Experiments in the section *Scores* of the menu."""
