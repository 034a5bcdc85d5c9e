"""Behaviour of evaluation metrics of information retrieval under incomplete relevance
judgments.
"""

from importlib import import_module
from importlib.util import find_spec
from operator import attrgetter
from typing import TYPE_CHECKING

import irmeval.core.interrupts  # noqa: F401  # before all else, for what it does
from irmeval.core.index import COMMANDS
from irmeval.core.other_packages import (
    OF_PACKAGE,
    SAME,
    Elsewhere,
    MetricName,
    unknown_attribute,
)
from irmeval.core.version import __version__ as __version__

if TYPE_CHECKING:
    from irmeval.collection import Collection, read_collection
    from irmeval.collection.fusion import fuse
    from irmeval.core.errors import Cancelled, IrmevalError, ParamError, ReadError, UnknownName
    from irmeval.judges import Judges, read_judges
    from irmeval.judges.simulation import simulated
    from irmeval.metrics import METRICS, Measure, measure
    from irmeval.reading.sources import read_qrels, read_run
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
    "read_run",
    "reduce",
    "simulated",
]

_MODULES = {
    "irmeval.collection": ("Collection", "read_collection"),
    "irmeval.collection.fusion": ("fuse",),
    "irmeval.core.errors": ("Cancelled", "IrmevalError", "ParamError", "ReadError", "UnknownName"),
    "irmeval.judges": ("Judges", "read_judges"),
    "irmeval.judges.simulation": ("simulated",),
    "irmeval.metrics": ("METRICS", "Measure", "measure"),
    "irmeval.reading.sources": ("read_qrels", "read_run"),
    "irmeval.reading.trec": ("Qrels",),
    "irmeval.reductions": ("REDUCTIONS", "reduce"),
    "irmeval.scoring.estimated_scores": ("estimate",),
    "irmeval.scoring.score_table": ("Estimates", "Scores"),
    "irmeval.scoring.scores": ("evaluate",),
    "irmeval.scoring.two_judges": ("estimate_with",),
    "irmeval.workspace": ("Workspace",),
    "irmeval.experiments": ("EXPERIMENTS",),
}
"""Modules with the names above, each of which is imported at its first use: a command
needs few of them.
"""
_PLACES = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> object:
    if name in _PLACES:
        value = getattr(import_module(_PLACES[name]), name)
        globals()[name] = value  # found without asking here from now on
        return value
    if name.startswith("_"):
        raise AttributeError(name)
    if find_spec(f"irmeval.{name}"):
        return import_module(f"irmeval.{name}")
    if name in SAME:
        return attrgetter(SAME[name])(import_module("irmeval"))
    commands = {each.replace("-", "_"): f'irmeval.EXPERIMENTS["{each}"]' for each in COMMANDS}
    elsewhere = commands | OF_PACKAGE
    if name in elsewhere:
        return Elsewhere(name, elsewhere[name])
    if import_module("irmeval.metrics.base").names_metric(name):
        return MetricName(name)
    raise unknown_attribute("irmeval", name, {}, __all__)


def __dir__() -> list[str]:
    return sorted({*globals(), *_PLACES})
