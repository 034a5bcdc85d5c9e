"""The default test, the same everywhere: the paired bootstrap of the sources (Sakai 2006)."""

TEST = "bootstrap"
