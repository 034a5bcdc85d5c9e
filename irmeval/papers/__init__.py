"""Source papers, reproduced on any collection; new files are found automatically, once
a paper is asked for.
"""

from importlib import import_module
from pkgutil import iter_modules

from irmeval.core import registry
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.story import PAGES
from irmeval.papers.base import PAPERS


def _load() -> None:
    """Import all papers, and those of other packages."""
    for found in iter_modules(__path__, f"{__name__}."):
        import_module(found.name)
    # a module may have been imported before the others
    PAPERS.arrange(*sorted(PAPERS))
    pages = (page for each in EXPERIMENTS.values() for page in each.pages)
    registry.load("irmeval.papers", PAPERS, taken={"all", *PAGES, *pages})


PAPERS.load_late(_load)

__all__ = ["PAPERS"]
