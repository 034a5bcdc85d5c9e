"""What a judgment is worth, and what judgments that come back change."""
