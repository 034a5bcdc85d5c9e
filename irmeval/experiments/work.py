"""Validated input of an experiment."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, MutableMapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic, TypeVar

from irmeval.collection import Collection
from irmeval.collection.team_names import teams_of
from irmeval.core import parallel
from irmeval.core.params import takes
from irmeval.core.places import pick, place_of_each
from irmeval.core.registry import check_known
from irmeval.judges import Judges
from irmeval.metrics import Measure
from irmeval.reading.score_matrix import Matrix

S = TypeVar("S")
T = TypeVar("T")
P = TypeVar("P")
Progress = Callable[[int, int], None]
"""Progress function, called with the number of steps done and of all steps; may raise
`Cancelled` to stop the work.
"""
Store = MutableMapping[Hashable, dict[Any, Any]]
"""Cache of experiments' results, each under a key with everything it depends on. One
serves any experiments and collections.
"""


@dataclass(frozen=True, eq=False)
class Work(Generic[P]):
    """Record of a call: validated input of an experiment.

    Examples
    --------
    An experiment makes it of what it is called with; `Experiment.work` shows it.

    >>> from irmeval.experiments import EXPERIMENTS
    >>> work = EXPERIMENTS["top-heaviness"].work(measures=["AP", "map", "RR"])
    >>> work.measures, work.params.last
    ((AP, RR), 20)
    >>> list(work.steps("ab"))
    ['a', 'b']
    """

    source: Collection | Matrix | None
    """None if the experiment needs no data"""
    measures: tuple[Measure, ...]
    """each once; () for a score matrix, or if the experiment takes none"""
    params: P
    """an instance of the experiment's parameters"""
    only: tuple[str, ...] = ()
    """runs to compare, in this order; () for all"""
    team: Mapping[str, str] = field(default_factory=dict)
    """run -> team, for runs whose team does not follow from the rule in the
    parameters
    """
    store: Store = field(default_factory=dict)
    cache: dict[Any, Any] = field(default_factory=dict)
    """the part of the store for this experiment, source and parameters"""
    share: float = 1.0
    """part of the trials or sets that this call computes; steps are counted for all"""
    progress: Progress | None = None
    """called before every step, and between two blocks of work"""
    panel: Judges | None = None
    """judges, if only judgments are compared"""

    @property
    def data(self) -> Collection | Matrix:
        """The source of an experiment that takes collections and score matrices."""
        assert self.source is not None
        return self.source

    @property
    def collection(self) -> Collection:
        """The source of an experiment that takes collections only."""
        assert isinstance(self.source, Collection)
        return self.source

    @property
    def judges(self) -> Judges:
        """The judges of an experiment that compares judgments."""
        assert self.panel is not None
        return self.panel

    @property
    def run_indices(self) -> list[int]:
        """Indices of the runs to compare, among those of the source. Raises
        `UnknownName`.
        """
        number = place_of_each(self.data.runs)
        for run in self.only:
            check_known(run, number, "unknown run")
        return pick(number, self.only or number)

    @property
    def runs(self) -> tuple[str, ...]:
        """Names of the runs to compare. Raises `UnknownName`."""
        return tuple(pick(self.data.runs, self.run_indices))

    @property
    def listed_teams(self) -> tuple[tuple[str, str], ...]:
        """(run, team) as a list gives them; () where no rule for teams is a parameter."""
        # part of the key of a result: a list of teams that it does not use must not tell it apart
        if not takes(self.params, "team_rule"):
            return ()
        return tuple(sorted(self.team.items()))

    @cached_property
    def teams(self) -> list[str]:
        """The team of each run, for an experiment with a rule for teams."""
        params: Any = self.params
        return teams_of(self.data.runs, params.team_rule, self.team)

    @property
    def shape(self) -> tuple[int, int, int]:
        """Number of measures (or score matrices), runs and topics."""
        return len(self.measures) or 1, len(self.run_indices), len(self.data.topics)

    def steps(self, items: Iterable[T]) -> Iterator[T]:
        """Yield the items one by one; progress is reported before each."""
        todo = list(items)
        for done, item in enumerate(todo):
            self.report_progress(done, len(todo))
            yield item

    def each(
        self, function: Callable[[T], S], items: Iterable[T], at_once: int = 0, *, kept: int = 0
    ) -> list[S]:
        """Map a function over the items with `irmeval.core.parallel.map_threads`;
        progress is reported after each. Items whose results are `kept` count as done at
        first.
        """
        todo = list(items)
        tick = parallel.ticker(self.report_progress, len(todo) + kept, kept)

        def step(item: T) -> S:
            made = function(item)
            tick(1)
            return made

        return parallel.map_threads(step, todo, at_once)

    def report_progress(self, done: int, total: int) -> None:
        """Report the progress of the work."""
        if self.progress:
            # a preview does a part of the steps, and the progress of the whole goes on from there
            self.progress(done, round(total / self.share))
