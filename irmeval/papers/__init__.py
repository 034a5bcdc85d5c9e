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
    gains_of,
    lowest_grade,
    measures_of,
    remake,
    said_of_topics,
    tables_of,
    unlike,
)
from irmeval.papers.findings import Answer, Finding, answer
from irmeval.papers.settled import Otherwise, Settled, settle

for _found in iter_modules(__path__, f"{__name__}."):
    import_module(_found.name)

__all__ = [
    "PAPERS",
    "Answer",
    "Exhibit",
    "Finding",
    "Otherwise",
    "Paper",
    "Settled",
    "answer",
    "asked",
    "charts_of",
    "compared",
    "gains_of",
    "lowest_grade",
    "measures_of",
    "remake",
    "said_of_topics",
    "settle",
    "tables_of",
    "unlike",
]
