"""Reductions of judgments, one file per strategy. New files in this folder are found
automatically and are last.
"""

from functools import partial
from importlib import import_module
from pkgutil import iter_modules

from irmeval.core import registry
from irmeval.reductions.base import (
    DROPPED,
    REDUCTIONS,
    Reduction,
    draw,
    rate_reductions,
    reduce,
    share_left,
    with_design,
)
from irmeval.reductions.pooling import ORDERS

for _found in iter_modules(__path__, f"{__name__}."):
    import_module(_found.name)

REDUCTIONS.arrange("stratified", "uniform", "by-rank", "weighted", "shallow", "teams", *ORDERS)
REDUCTIONS.load_late(partial(registry.load, "irmeval.reductions", REDUCTIONS))

__all__ = [
    "DROPPED",
    "ORDERS",
    "REDUCTIONS",
    "Reduction",
    "draw",
    "rate_reductions",
    "reduce",
    "share_left",
    "with_design",
]
