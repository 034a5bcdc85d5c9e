"""Figures out of arrays and labels; nothing here knows of runs or qrels."""
