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
    charts_of,
    checklist,
    comparable_topics,
    describe_left_out,
    deviations,
    gains_of,
    inputs_of,
    items,
    lowest_grade,
    measures_of,
    printed_of,
    remake,
    tables_of,
)
from irmeval.papers.exhibits import (
    NO_OVERRIDES,
    ExhibitRuns,
    Overrides,
    Remade,
    answer_findings,
    choose_runs,
    cost_of_findings,
    list_findings,
    make,
)
from irmeval.papers.findings import EACH, VERDICTS, Answer, Finding, answers
from irmeval.papers.layout import Cell, Column, Layout, Printed

for _found in iter_modules(__path__, f"{__name__}."):
    import_module(_found.name)

plugins.load("irmeval.papers", PAPERS, taken={"all", *PAGES, *(page for e in EXPERIMENTS.values() for page in e.pages)})

__all__ = [
    "EACH",
    "NO_OVERRIDES",
    "PAPERS",
    "VERDICTS",
    "Answer",
    "Cell",
    "Column",
    "Exhibit",
    "ExhibitRuns",
    "Finding",
    "Layout",
    "Overrides",
    "Paper",
    "Printed",
    "Remade",
    "answer_findings",
    "answers",
    "charts_of",
    "checklist",
    "choose_runs",
    "comparable_topics",
    "cost_of_findings",
    "describe_left_out",
    "deviations",
    "gains_of",
    "inputs_of",
    "items",
    "list_findings",
    "lowest_grade",
    "make",
    "measures_of",
    "printed_of",
    "remake",
    "tables_of",
]
