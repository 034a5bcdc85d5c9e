"""Files, data frames and dictionaries to columns and back. Parsing is strict; errors
have line numbers.
"""
