"""Who judged what: judges side by side, maps of their grades, and judges that are simulated."""

from irmeval.judges.base import Judges, read_judges

__all__ = ["Judges", "read_judges"]
