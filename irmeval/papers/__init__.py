"""Source papers, reproduced on any collection; new files are found automatically."""

from importlib import import_module
from pkgutil import iter_modules

from irmeval.core import registry
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.story import PAGES
from irmeval.papers.base import PAPERS

for _found in iter_modules(__path__, f"{__name__}."):
    import_module(_found.name)

registry.load(
    "irmeval.papers",
    PAPERS,
    taken={"all", *PAGES, *(page for e in EXPERIMENTS.values() for page in e.pages)},
)

__all__ = ["PAPERS"]
