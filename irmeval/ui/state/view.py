"""What a page is drawn from: one record a drawing, made by the frame and handed on."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Generic, TypeVar

from irmeval.collection import Collection
from irmeval.collection.team_names import teams_of
from irmeval.core.errors import IrmevalError
from irmeval.metrics import Measure
from irmeval.reading.policy import Policy
from irmeval.reading.score_matrix import Matrix
from irmeval.scoring.selection import Selected, Selection
from irmeval.ui.state.dataset import Dataset
from irmeval.ui.state.visitor import Visitor

if TYPE_CHECKING:
    import pandas as pd

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
    chosen: Selected | None
    """the selected ones, and why others are left out; None if none are, too"""

    @cached_property
    def loaded(self) -> Loaded[Collection] | None:
        """The selected runs and topics; None if none are."""
        if self.everything is None or self.chosen is None:
            return None
        return replace(self.everything, collection=self.chosen.collection)

    def all_loaded(self) -> Loaded[Collection]:
        """All runs and topics, on a page that the frame draws only if they are there."""
        assert self.everything
        return self.everything

    def selected(self) -> Loaded[Collection]:
        """The selected ones, on such a page."""
        assert self.loaded
        return self.loaded

    def runs_table(self) -> "pd.DataFrame":
        """All runs, which are selected and why others are not, on such a page."""
        assert self.chosen
        return self.chosen.table

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

    def teams_of(self, runs: Sequence[str]) -> dict[str, str]:
        """Run -> team, by the visitor's CSV or else by the rule in the sidebar."""
        teams = teams_of(runs, self.rules.team_rule, self.dataset.teams)
        return dict(zip(runs, teams, strict=True))

    @property
    def has_scores(self) -> bool:
        """Whether there is a score matrix, or the selected runs."""
        return self.matrix is not None or self.loaded is not None

    @property
    def on_sample(self) -> bool:
        """Whether the page is on the sample."""
        return self.loaded is not None and self.loaded.synthetic

    @property
    def has_runs(self) -> bool:
        """Whether the selection contains runs."""
        return self.loaded is not None and bool(self.loaded.collection.runs)
