"""State of the server: per visitor and shared, with its lifetime."""
