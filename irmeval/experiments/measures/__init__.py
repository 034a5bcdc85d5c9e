"""Which measure to trust, and whether other topics would say the same."""
