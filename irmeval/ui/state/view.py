"""What a page is drawn from: one record a drawing, made by the frame and handed on."""

from dataclasses import dataclass
from typing import Generic, TypeVar

from irmeval.collection import Collection
from irmeval.core.errors import IrmevalError
from irmeval.metrics import Measure
from irmeval.reading.policy import Policy
from irmeval.reading.score_matrix import Matrix
from irmeval.scoring.selection import Selection
from irmeval.ui.state.dataset import Dataset
from irmeval.ui.state.visitor import Visitor

C = TypeVar("C", bound=Collection | Matrix, covariant=True)


@dataclass(frozen=True)
class Loaded(Generic[C]):
    """A collection, or a score matrix in its place, and its source."""

    collection: C
    name: str
    synthetic: bool = False


@dataclass(frozen=True)
class Asked:
    """What is known before the sidebar is drawn: who asks for which page, on which data."""

    page: str
    """URL path; empty at the root"""
    question: str
    """the page's"""
    visitor: Visitor
    dataset: Dataset
    matrix: Matrix | None
    """the score matrix, in place of a collection"""


@dataclass(frozen=True)
class View(Asked):
    """What a page is drawn from, with the values of the sidebar and the data under
    them.
    """

    policy: Policy
    selection: Selection | IrmevalError
    """rules, or why they are invalid"""
    measures: tuple[Measure, ...]
    """those of the sidebar"""
    everything: Loaded[Collection] | None
    """all runs and topics; None if something is missing or cannot be read"""
    loaded: Loaded[Collection] | None
    """the selected ones; None if none are, too"""

    def all_loaded(self) -> Loaded[Collection]:
        """All runs and topics, on a page that the frame draws only if they are there."""
        assert self.everything
        return self.everything

    def selected(self) -> Loaded[Collection]:
        """The selected ones, on such a page."""
        assert self.loaded
        return self.loaded

    def scores(self) -> Loaded[Collection | Matrix]:
        """Data of pages that need only scores: the score matrix, or else the selected
        ones.
        """
        # a score matrix stands in place of the collection as long as it is there
        if self.matrix:
            return Loaded(self.matrix, f"Your upload: {self.matrix.name}")
        return self.selected()

    @property
    def rules(self) -> Selection:
        """The rules of the sidebar that select runs and topics. Raises `ParamError` if they
        are not valid.
        """
        if isinstance(self.selection, IrmevalError):
            raise self.selection
        return self.selection

    @property
    def on_sample(self) -> bool:
        """Whether the page is on the sample."""
        return self.loaded is not None and self.loaded.synthetic

    @property
    def has_runs(self) -> bool:
        """Whether the selection contains runs."""
        return self.loaded is not None and bool(self.loaded.collection.runs)
