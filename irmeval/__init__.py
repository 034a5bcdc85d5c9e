"""Behaviour of evaluation metrics of information retrieval under incomplete relevance
judgments.
"""

import irmeval.core.interrupts  # noqa: F401  # before all else, for what it does
from irmeval.collection import Collection, read_collection
from irmeval.collection.fusion import fuse
from irmeval.core.errors import Cancelled, IrmevalError, ParamError, ReadError, UnknownName
from irmeval.core.version import __version__ as __version__
from irmeval.judges import Judges, read_judges
from irmeval.judges.simulation import simulated
from irmeval.metrics import METRICS, Measure, measure
from irmeval.reading.judgments import read_qrels
from irmeval.reading.trec import Qrels
from irmeval.reductions import REDUCTIONS, reduce
from irmeval.scoring.estimated_scores import estimate
from irmeval.scoring.score_table import Estimates, Scores
from irmeval.scoring.scores import evaluate
from irmeval.scoring.two_judges import estimate_with
from irmeval.workspace import Workspace

__all__ = [
    "METRICS",
    "REDUCTIONS",
    "Cancelled",
    "Collection",
    "Estimates",
    "IrmevalError",
    "Judges",
    "Measure",
    "ParamError",
    "Qrels",
    "ReadError",
    "Scores",
    "UnknownName",
    "Workspace",
    "estimate",
    "estimate_with",
    "evaluate",
    "fuse",
    "measure",
    "read_collection",
    "read_judges",
    "read_qrels",
    "reduce",
    "simulated",
]
