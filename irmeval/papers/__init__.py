"""The source papers, made again on any collection; a new file is found by itself."""

from importlib import import_module
from pkgutil import iter_modules

from irmeval.papers.base import (
    PAPERS,
    Exhibit,
    Paper,
    asked,
    charts_of,
    compared,
    lowest_grade,
    measures_of,
    remake,
    said_of_topics,
    tables_of,
)

for _found in iter_modules(__path__, f"{__name__}."):
    import_module(_found.name)

__all__ = [
    "PAPERS",
    "Exhibit",
    "Paper",
    "asked",
    "charts_of",
    "compared",
    "lowest_grade",
    "measures_of",
    "remake",
    "said_of_topics",
    "tables_of",
]
