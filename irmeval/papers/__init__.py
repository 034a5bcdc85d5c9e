"""Source papers, reproduced on any collection; new files are found automatically, once
a paper is asked for.
"""

from typing import TYPE_CHECKING

from irmeval.core.lazy import late

if TYPE_CHECKING:
    from irmeval.papers.base import PAPERS

# tables of results are laid out as those of papers are, without the papers
__getattr__ = late(__name__, {"PAPERS": "irmeval.papers.base"})

__all__ = ["PAPERS"]
