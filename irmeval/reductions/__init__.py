"""Ways of making judgments incomplete; a new strategy is a file imported here."""

from irmeval.reductions import stratified
from irmeval.reductions.base import DROPPED, REDUCTIONS, Reduction, draw, reduce

__all__ = ["DROPPED", "REDUCTIONS", "Reduction", "draw", "reduce", "stratified"]
