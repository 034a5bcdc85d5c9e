"""How evaluation metrics of information retrieval behave when relevance judgments are incomplete."""

from irmeval.collection import Collection, read_collection
from irmeval.errors import Cancelled, IrmevalError, ParamError, ReadError, UnknownName
from irmeval.metrics import METRICS, Measure, measure
from irmeval.reductions import REDUCTIONS, reduce
from irmeval.scores import Scores, evaluate

__version__ = "0.2.0"
__all__ = [
    "METRICS",
    "REDUCTIONS",
    "Cancelled",
    "Collection",
    "IrmevalError",
    "Measure",
    "ParamError",
    "ReadError",
    "Scores",
    "UnknownName",
    "evaluate",
    "measure",
    "read_collection",
    "reduce",
]
