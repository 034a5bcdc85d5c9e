"""Whether other topics would say the same."""
