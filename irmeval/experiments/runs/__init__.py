"""Who is best, on which topics, and which runs differ."""
