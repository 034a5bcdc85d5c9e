"""Several judges of one pool: grades, grade maps, and simulated judges."""

from irmeval.judges.base import Judges, read_judges

__all__ = ["Judges", "read_judges"]
