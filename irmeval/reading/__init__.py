"""Files, data frames and dictionaries to columns and back: strict, with line numbers."""
