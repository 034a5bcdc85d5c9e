"""Whether judges agree."""
