"""Contents of a collection."""
