"""Which runs differ significantly."""
