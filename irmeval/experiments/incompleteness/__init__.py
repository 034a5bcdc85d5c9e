"""What changes as judgments disappear, and what to judge next."""
