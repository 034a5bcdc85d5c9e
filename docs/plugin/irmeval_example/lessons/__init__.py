"""Lessons: files of text."""
