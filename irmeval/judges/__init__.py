"""Several judges of one pool: their grades, maps of these grades, and simulated judges."""

from irmeval.judges.base import Judges, read_judges

__all__ = ["Judges", "read_judges"]
