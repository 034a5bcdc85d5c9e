"""Who is best, and on which topics."""
