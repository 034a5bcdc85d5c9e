"""Which runs can be told apart."""
