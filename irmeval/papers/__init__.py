"""The source papers, made again on any collection; a new file is found by itself."""

from importlib import import_module
from pkgutil import iter_modules

from irmeval.core import plugins
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.story import PAGES
from irmeval.papers.base import (
    PAPERS,
    Exhibit,
    Paper,
    asked,
    charts_of,
    checklist,
    compared,
    gains_of,
    items,
    lowest_grade,
    measures_of,
    printed_of,
    remake,
    said_of_topics,
    tables_of,
    unlike,
)
from irmeval.papers.findings import Answer, Finding, answers
from irmeval.papers.layout import Cell, Column, Layout, Printed
from irmeval.papers.settled import AS_IT_IS, Made, Otherwise, Settled, make, settle

for _found in iter_modules(__path__, f"{__name__}."):
    import_module(_found.name)

plugins.load("irmeval.papers", PAPERS, taken={"all", *PAGES, *(page for e in EXPERIMENTS.values() for page in e.pages)})

__all__ = [
    "AS_IT_IS",
    "PAPERS",
    "Answer",
    "Cell",
    "Column",
    "Exhibit",
    "Finding",
    "Layout",
    "Made",
    "Otherwise",
    "Paper",
    "Printed",
    "Settled",
    "answers",
    "asked",
    "charts_of",
    "checklist",
    "compared",
    "gains_of",
    "items",
    "lowest_grade",
    "make",
    "measures_of",
    "printed_of",
    "remake",
    "said_of_topics",
    "settle",
    "tables_of",
    "unlike",
]
