"""Which measures agree."""
