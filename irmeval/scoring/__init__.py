"""Scores of runs under any vector of grades, on chosen runs and topics."""
