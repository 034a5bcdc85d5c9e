"""Scores of runs under any vector of grades, on chosen runs and topics; effects of
judging a document.
"""
