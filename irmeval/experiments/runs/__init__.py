"""Best runs, their scores by topic, and runs that differ."""
