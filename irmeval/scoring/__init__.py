"""Scores of runs under any vector of grades, on chosen runs and topics; what judging a document would change."""
