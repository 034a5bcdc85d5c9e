"""What an experiment is, what it is given and what it returns.

All are called alike, ``experiment(source, measures, params)``: the call makes one `Work` of what it is given, refuses in words what does
not fit, and hands it to the experiment's own function. What others need to know of an experiment (form, page, command, download, cache
key) follows from its record here.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Collection as Names
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Generic, TypedDict, TypeVar, Unpack

from irmeval.collection import Collection, shards
from irmeval.core import parallel
from irmeval.core.errors import ParamError
from irmeval.core.params import fields, replace_known
from irmeval.core.registry import Registry
from irmeval.experiments import cost as costs
from irmeval.experiments.cost import Cost
from irmeval.experiments.recipe import recipe_of
from irmeval.experiments.results import with_recipe
from irmeval.experiments.work import Progress, Store, Work
from irmeval.judges import Judges
from irmeval.metrics import distinct, usual
from irmeval.reading.matrix import Matrix
from irmeval.scoring.values import check_runs

S = TypeVar("S")
T = TypeVar("T")
P = TypeVar("P")
R_co = TypeVar("R_co", covariant=True)
COLLECTION, LISTS, MATRIX, MEASURES, JUDGES = "collection", "lists", "matrix", "measures", "judges"
NO_RUNS = "no runs"
OTHERS, IF_OTHERS = "others", "if others"
"""What an experiment may take; `NO_RUNS` says that the judgments of a collection suffice, without runs; `LISTS` are those of a collection,
document by document, which must then be on this machine; `OTHERS` are further judges of it, `IF_OTHERS` the same where there are any."""


class More(TypedDict, total=False):
    """What a call may give an experiment besides source, measures and parameters.

    Attributes
    ----------
    only : runs to compare, where it takes a score matrix; by default all
    team : run -> team, where the rule in the parameters does not say it
    store : keeps what is computed for the next call, of whatever experiment, source and parameters
    progress : told the steps done and the steps in all; may raise `Cancelled`
    """

    only: Sequence[str]
    team: Mapping[str, str] | None
    store: Store | None
    progress: Progress | None


@dataclass(frozen=True, eq=False)
class Experiment(Generic[P, R_co]):
    """An experiment with what a person or a program needs to know of it; calling it runs it.

    Attributes
    ----------
    name : as on the command line
    title, question : short, and as above its page
    meaning : what it does, from the docstring of its function
    source : the papers' tables and figures that show it
    section : of the menu, from the folder it stands in
    pages : the addresses of the dashboard's pages that show it
    params : record of its declared parameters
    takes : of `COLLECTION`, `NO_RUNS`, `LISTS`, `MATRIX`, `MEASURES`, `JUDGES`, `OTHERS` and `IF_OTHERS`
    stored : the parameters on which what it keeps in a store depends
    first : parameters and how little of each is enough for a first look
    cost : Work -> Cost, of what is not in the store yet
    run : Work -> Result
    listed : whether its result has a list of documents to judge, `chosen`, which can be written in TREC's format
    sampled : whether that list is a sample with its pool, which comes back as judgments of its own
    does : a verb phrase, for the list of commands; by default its question

    Examples
    --------
    >>> from irmeval.experiments import EXPERIMENTS
    >>> heavy = EXPERIMENTS["top-heaviness"]
    >>> heavy.question, heavy.data, heavy.measured
    ('How top-heavy is a measure?', False, True)
    >>> heavy(measures=["AP", "RBP(p=0.8)"], params=heavy.params(R=(10,), last=3)).values.shape  # measure, rank, R
    (2, 3, 1)
    """

    name: str
    title: str
    question: str
    meaning: str
    source: str
    section: str
    pages: tuple[str, ...]
    params: type[P]
    takes: frozenset[str]
    stored: tuple[str, ...]
    first: Mapping[str, int]
    cost: Callable[[Work[P]], Cost]
    run: Callable[[Work[P]], R_co]
    listed: bool = False
    sampled: bool = False
    does: str = ""

    @property
    def data(self) -> bool:
        """Whether it takes a collection."""
        return COLLECTION in self.takes

    @property
    def without_runs(self) -> bool:
        """Whether it works on judgments without runs."""
        return not self.data or NO_RUNS in self.takes

    @property
    def matrix(self) -> bool:
        """Whether it takes a score matrix in a collection's place."""
        return MATRIX in self.takes

    @property
    def judged(self) -> bool:
        """Whether it compares judges."""
        return JUDGES in self.takes

    @property
    def others(self) -> bool:
        """Whether it needs a collection with a further judge."""
        return OTHERS in self.takes

    @property
    def measured(self) -> bool:
        """Whether it works with measures."""
        return MEASURES in self.takes

    def __call__(
        self,
        source: Collection | Matrix | Judges | None = None,
        measures: str | Iterable[str] | None = None,
        params: P | None = None,
        **more: Unpack[More],
    ) -> R_co:
        """Run it.

        Parameters
        ----------
        source : Collection, or a score matrix where it takes one; `Judges` where it compares them; nothing where it needs no data
        measures : texts or measures, by default `irmeval.metrics.usual`; one that is named twice counts once. They are not looked at for
            a score matrix, nor where it takes none
        params : an instance of the record `params`, by default its defaults
        **more : as `More` says

        Raises
        ------
        ParamError, UnknownName
            What it cannot work on, in words; a measure or a run that is none.
        """
        return self.of(self.work(source, measures, params, **more))

    def of(self, work: Work[P]) -> R_co:
        """The result of a record of a call. Its progress is told again between any two blocks of work, so that it may be stopped there,
        and ends with all steps done.

        Raises `ParamError` where it would take more memory than is allowed, before it takes any.
        """
        told = [0, 1]
        self.cost(work).refuse(self.title)

        def tell(*step: int) -> None:
            told[:] = step
            work.tell(*step)

        with parallel.watch_for_cancel(lambda: work.tell(*told)):
            result = self.run(replace(work, progress=tell))
        work.tell(told[1], told[1])
        return with_recipe(result, recipe_of(self.name, work))

    def looks(self, work: Work[P]) -> Iterator[R_co]:
        """Results of a part of the work, then of ten times as much and so on, at last of all of it: something to see meanwhile."""
        part = 1
        while self.first:
            less = {name: least * part for name, least in self.first.items() if least * part < getattr(work.params, name)}
            if not less:
                break
            yield self.of(replace(work, params=replace_known(work.params, **less)))
            part *= 10
        yield self.of(work)

    def work(
        self,
        source: Collection | Matrix | Judges | None = None,
        measures: str | Iterable[str] | None = None,
        params: P | None = None,
        **more: Unpack[More],
    ) -> Work[P]:
        """The record of a call; what does not fit is refused."""
        panel = source if isinstance(source, Judges) else None
        if self.judged and panel is None:
            raise ParamError(f"{self.name}: expected judges to compare, found none.")
        if not self.data or isinstance(source, Judges):
            source = None
        if self.data and source is None:
            raise ParamError(f"{self.name}: expected a collection{' or a score matrix' if self.matrix else ''}, found none.")
        if isinstance(source, Matrix) and not self.matrix:
            raise ParamError(f"{self.name}: expected a collection, found the score matrix {source.name}, which has no judgments.")
        if isinstance(source, Collection) and not self.without_runs:
            check_runs(source)
        if isinstance(source, Collection) and LISTS in self.takes:
            shards.check_local(source, self.name)
        if isinstance(source, Collection):
            source = self._with_judges(source)
        only = tuple(dict.fromkeys(more.get("only", ())))
        if only and not self.matrix:
            raise ParamError(f"{self.name}: works on all runs; select some of them first.")
        design = source.design if isinstance(source, Collection) else None
        chosen = distinct(usual(design) if measures is None else measures) if self.measured and not isinstance(source, Matrix) else ()
        if self.measured and not chosen and not isinstance(source, Matrix):
            raise ParamError("measures: expected at least one, found none.")
        given = self.params() if params is None else params
        if not isinstance(given, self.params):
            raise ParamError(f"{self.name}: expected parameters of its own, found {type(given).__name__}.")
        store = more.get("store")
        team, progress = more.get("team") or {}, more.get("progress")
        work = Work(source, chosen, given, only, team, {} if store is None else store, {}, progress, panel if self.judged else None)
        return replace(work, kept=work.store.setdefault(self._shelf(work), {})) if self.stored else work

    def _with_judges(self, source: Collection) -> Collection:
        """The collection with its further judges where they matter; a result that does not depend on them is kept for all."""
        if self.others and source.panel is None:
            said = "Name one with --other, or in Python by collection.with_judgments."
            raise ParamError(f"{self.name}: expected a collection with a further judge, found one with {source.judges[0]} alone. {said}")
        matters = source.panel and (self.takes & {OTHERS, IF_OTHERS} or source.judges[0] != source.panel.own)
        return source if matters or source.panel is None else source.alone

    def key(self, work: Work[P]) -> Hashable:
        """All that a result depends on: two calls with the same key have the same result."""
        return (*self._what(work), work.measures, work.params)

    def _shelf(self, work: Work[P]) -> Hashable:
        """All that what is kept depends on, but for what the experiment itself keeps apart."""
        return (*self._what(work), *(getattr(work.params, name) for name in self.stored))

    def _what(self, work: Work[P]) -> tuple[Hashable, ...]:
        team = tuple(sorted(work.team.items())) if "team_rule" in fields(self.params) else ()
        data = work.source or work.panel
        return self.name, data.fingerprint if data else "", work.only, team


EXPERIMENTS: Registry[Experiment[Any, Any]] = Registry("experiment")
"""The experiments, by name: each an `Experiment`, which is called.

Examples
--------
>>> import irmeval
>>> from irmeval.experiments import EXPERIMENTS
>>> collection = irmeval.read_collection("sample_data/qrels.txt.gz", "sample_data/runs")
>>> incompleteness = EXPERIMENTS["incompleteness"]
>>> result = incompleteness(collection, ["AP", "Bpref"], incompleteness.params(rates=(100, 10), trials=3))
>>> result.headline()
'With 10% of the judgments left, Bpref keeps the order of the runs best ...'
>>> result.frame().shape  # a row for each measure, rate and trial
(12, 5)
"""


def once(work: Work[Any]) -> Cost:
    """All runs scored by all measures once, or a score matrix taken."""
    if work.source is None:
        return Cost()
    scores = costs.of_scores(*work.shape)
    return costs.scoring(work.collection, len(work.measures)) + scores if isinstance(work.source, Collection) else scores


def experiment(
    name: str,
    *,
    title: str,
    question: str,
    source: str,
    params: type[P],
    takes: Names[str] = (COLLECTION, MEASURES),
    stored: tuple[str, ...] = (),
    first: Mapping[str, int] = MappingProxyType({}),
    cost: Callable[[Work[P]], Cost] = once,
    pages: tuple[str, ...] = (),
    listed: bool = False,
    sampled: bool = False,
    does: str = "",
) -> Callable[[Callable[[Work[P]], R_co]], Experiment[P, R_co]]:
    """Register a function of a `Work` as an experiment; the first paragraph of its docstring is its meaning.

    `pages` are by default one of its own name; `cost` is by default that of scoring all runs once.
    What a store keeps must not depend on the parameters in `first`.
    """

    def register(run: Callable[[Work[P]], R_co]) -> Experiment[P, R_co]:
        meaning = " ".join((run.__doc__ or "").split("\n\n")[0].split())
        section = run.__module__.split(".")[-2:][0]
        about = name, title, question, meaning, source, section, pages or (name,)
        more = listed, sampled, does or question
        return EXPERIMENTS.add(name, Experiment(*about, params, frozenset(takes), stored, first, cost, run, *more))

    return register
