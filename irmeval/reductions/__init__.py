"""Ways of making judgments incomplete; a new strategy is a file imported here."""

from irmeval.reductions import stratified, uniform, shallow, teams  # isort: skip  (the order in which they are offered)
from irmeval.reductions.base import DROPPED, REDUCTIONS, Reduction, by_rate, draw, reduce

__all__ = ["DROPPED", "REDUCTIONS", "Reduction", "by_rate", "draw", "reduce", "shallow", "stratified", "teams", "uniform"]
