"""What changes as judgments disappear."""
