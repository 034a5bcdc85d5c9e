"""Experiments: their record, their registry, and the call.

All are called alike, ``experiment(source, measures, params)``. The call makes a `Work`
from its arguments, refuses what does not fit, and passes it to the experiment's own
function. Form, page, command, download and cache key all follow from the record.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Collection as Names
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar, get_args

from irmeval.collection import Collection, check_collection, shards
from irmeval.collection.caveats import describe_caveats
from irmeval.core import limits, parallel
from irmeval.core.described import Described, PerInstance, docstring_of
from irmeval.core.errors import ParamError
from irmeval.core.params import Field, check_names, fields, replace_known
from irmeval.core.registry import Registry
from irmeval.core.text import count_noun
from irmeval.experiments import registered
from irmeval.experiments.introspection import signature_of
from irmeval.experiments.needs import ANY, Needs, check_needs
from irmeval.experiments.recipe import COLLECTION as COLLECTION
from irmeval.experiments.recipe import JUDGES as JUDGES
from irmeval.experiments.recipe import MATRIX as MATRIX
from irmeval.experiments.recipe import recipe_of
from irmeval.experiments.results import with_recipe
from irmeval.experiments.work import Progress, Store
from irmeval.experiments.work import Work as Work
from irmeval.judges import Judges
from irmeval.metrics import Measure, at_least_one, default_measures, distinct
from irmeval.reading.score_matrix import Matrix
from irmeval.scoring.values import check_runs
from irmeval.stats.pairs import count_pairs

S = TypeVar("S")
T = TypeVar("T")
P = TypeVar("P")
R_co = TypeVar("R_co", covariant=True)
NO_RUNS = "no runs"
"""Modifier: the collection may lack runs."""
LISTS = "lists"
"""Input: the documents of the lists, which must be on this machine."""
SCORES = "scores"
"""Modifier: scores by several judges may replace the collection."""
MEASURES = "measures"
"""Input: measures."""
OTHERS = "others"
"""Input: other judges of the collection."""
IF_OTHERS = "if others"
"""Input: other judges of the collection, if there are any."""


@dataclass(frozen=True, eq=False, repr=False)
class Experiment(Described, Generic[P, R_co]):
    """Record of an experiment; calling it runs it.

    Examples
    --------
    >>> from irmeval.experiments import EXPERIMENTS
    >>> heavy = EXPERIMENTS["top-heaviness"]
    >>> heavy.question, heavy.data, heavy.measured
    ('How top-heavy is a measure?', False, True)
    >>> heavy(measures=["AP", "RBP(p=0.8)"], R=(10,), last=3).values.shape  # measure, rank, R
    (2, 3, 1)
    >>> heavy(measures=["AP"], lst=3)
    Traceback (most recent call last):
        ...
    irmeval.core.errors.ParamError: top-heaviness: unknown keyword 'lst'; nearest: last, store.
    """

    name: str
    """name on the command line"""
    title: str
    question: str
    """title of its page"""
    meaning: str
    """description, from the docstring of its function"""
    source: str
    """tables and figures of papers that it reproduces"""
    section: str
    """menu: the folder of its module"""
    pages: tuple[str, ...]
    """URL paths of the pages of the dashboard that show it"""
    params: type[P]
    """class of its parameters"""
    takes: frozenset[str]
    """some of `COLLECTION`, `NO_RUNS`, `LISTS`, `MATRIX`, `SCORES`, `MEASURES`,
    `JUDGES`, `OTHERS` and `IF_OTHERS`
    """
    run: Callable[[Work[P]], R_co]
    stored: tuple[str, ...] = ()
    """parameters on which its part of a store depends"""
    first: Mapping[str, int] = field(default_factory=dict)
    """parameter values for the preview; what a store keeps must not depend on them"""
    listed: bool = False
    """whether its result has a list of documents to judge, `chosen`, which can be
    written in TREC's format
    """
    sampled: bool = False
    """whether that list is a sample with its pool, to be read back as judgments of its
    own
    """
    does: str = ""
    """a verb phrase for the list of commands"""
    formula: str = ""
    """what it computes above all, in LaTeX"""
    needs: Needs = ANY
    """what it needs of a collection or score matrix, checked before any work"""

    __signature__ = PerInstance(signature_of)
    __doc__ = PerInstance(docstring_of, __doc__)

    @property
    def declared(self) -> Mapping[str, Field]:
        """The parameters by name."""
        return fields(self.params)

    @property
    def data(self) -> bool:
        """Whether it takes a collection."""
        return COLLECTION in self.takes

    @property
    def result_type(self) -> type:
        """Class of its results."""
        found: type = self.run.__annotations__["return"]
        return found

    @property
    def without_runs(self) -> bool:
        """Whether it works on judgments without runs."""
        return not self.data or NO_RUNS in self.takes

    @property
    def matrix(self) -> bool:
        """Whether a score matrix may replace the collection."""
        return MATRIX in self.takes

    @property
    def scored(self) -> bool:
        """Whether scores by several judges may replace the collection."""
        return SCORES in self.takes

    @property
    def judged(self) -> bool:
        """Whether it compares judges."""
        return JUDGES in self.takes

    @property
    def others(self) -> bool:
        """Whether it needs a collection with another judge."""
        return OTHERS in self.takes

    @property
    def measured(self) -> bool:
        """Whether it works with measures."""
        return MEASURES in self.takes

    def __call__(self, *given: Any, **named: Any) -> R_co:
        """Run it.

        Parameters
        ----------
        source : Collection, or a score matrix where it takes one; `Judges` where it
            compares them; None where it needs no data
        measures : texts or measures, by default `irmeval.metrics.default_measures`; a
            repeated one counts once. Ignored for a score matrix, and by an experiment
            without measures
        params : an instance of the record `params`, or values by name; by default its
            defaults
        only : runs to compare, if the experiment takes a score matrix; all by default
        team : run -> team, for runs whose team does not follow from the rule in the
            parameters
        store : keeps results for later calls, of any experiment, source and parameters
        progress : called with the steps done and all steps; may raise `Cancelled`
        **values : single parameters by name, in place of those in `params`

        Raises
        ------
        ParamError, UnknownName
            For a source that it cannot work on; for an unknown keyword, measure or run.
        """
        return self.compute(self.work(*given, **named))

    def compute(self, work: Work[P]) -> R_co:
        """Result of a record of a call. Progress is also reported between two blocks of
        work, so that the work can be stopped there, and at the end.

        Raises `ParamError` at once where the scores alone take more memory than is
        allowed.
        """
        last_step = [0, 1]
        check_fits(work, self.title, compares=self.matrix or self.scored)

        def tell(*step: int) -> None:
            last_step[:] = step
            if work.progress:
                work.progress(*step)

        # the last step is told again between two blocks of work: the function that hears it may
        # stop them
        with parallel.watch_for_cancel(lambda: tell(*last_step)):
            result = self.run(replace(work, progress=tell))
        # the end of a preview is not that of the work
        if work.share == 1:
            tell(last_step[1], last_step[1])
        note = ""
        if self.measured and isinstance(work.source, Collection):
            note = describe_caveats(work.collection)
        return with_recipe(result, recipe_of(self.name, work), note)

    def compute_in_steps(self, work: Work[P]) -> Iterator[R_co]:
        """Yield results of a small part of the work, then of ten times as much and so
        on, and of all of it, as previews.
        """
        part = 1
        while less := {
            name: least * part
            for name, least in self.first.items()
            if least * part < getattr(work.params, name)
        }:
            share = min(few / getattr(work.params, name) for name, few in less.items())
            yield self.compute(
                replace(work, params=replace_known(work.params, **less), share=share)
            )
            part *= 10
        yield self.compute(work)

    def work(
        self,
        source: Collection | Matrix | Judges | None = None,
        measures: str | Iterable[str] | None = None,
        params: P | Mapping[str, Any] | None = None,
        *,
        only: Sequence[str] = (),
        team: Mapping[str, str] | None = None,
        store: Store | None = None,
        progress: Progress | None = None,
        **values: Any,
    ) -> Work[P]:
        """Make the record of a call, with the arguments of the call. Raises `ParamError`
        for what the experiment does not take, and for data that lack what it needs.
        """
        decided = self._decide(params, values)
        panel, data = self._panel(source), self._accepted(source)
        self.check_only(only, isinstance(data, Matrix))
        work = Work(
            data,
            self._measures(data, measures),
            decided,
            only=tuple(dict.fromkeys(only)),
            team=team or {},
            # an empty store is one to fill
            store={} if store is None else store,
            progress=progress,
            panel=panel,
        )
        if data is not None:
            runs = len(work.only) or len(data.runs)
            check_needs(self.name, self.needs_of(decided), data, runs, work.measures)
        if not self.stored:
            return work
        # without the measures: a further one must not have the others computed again
        shelf = *self._what(work), *(getattr(decided, name) for name in self.stored)
        return replace(work, cache=work.store.setdefault(shelf, {}))

    def check_only(self, only: Sequence[str], is_matrix: bool) -> None:
        """Raise `ParamError` for a choice of runs to compare where all are used."""
        compares = self.matrix or is_matrix
        if only and not compares:
            raise ParamError(f"{self.name}: works on all runs; select some of them first.")

    def check_beside(self, first: str, others: Iterable[str] = ()) -> None:
        """Raise `ParamError` if it needs a judge beside the first, and there is none."""
        if self.others and not any(others):
            raise ParamError(
                f"{self.name}: expected a collection with another judge, found one with {first}"
                " alone. Name one with --other, or in Python by collection.with_judgments."
            )

    def _panel(self, source: object) -> Judges | None:
        if not self.judged:
            return None
        if not isinstance(source, Judges):
            raise ParamError(f"{self.name}: expected judges to compare, found none.")
        return source

    def _accepted(self, source: Collection | Matrix | Judges | None) -> Collection | Matrix | None:
        """The data as the experiment uses them; None if it needs none. Raises `ParamError`
        for data that it cannot work on.
        """
        if not self.data:
            return None
        if source is None or isinstance(source, Judges):
            matrix = " or a score matrix" * self.matrix
            raise ParamError(f"{self.name}: expected a collection{matrix}, found none.")
        if isinstance(source, Matrix):
            return self._accepted_matrix(source)
        check_collection(source)
        if not self.without_runs:
            check_runs(source)
        if LISTS in self.takes:
            shards.check_local(source, self.name)
        return self._with_judges(source)

    def _accepted_matrix(self, source: Matrix) -> Matrix:
        if self.scored and source.others:
            return source
        if self.matrix:
            if source.others:
                return source.complete
            return source
        several = " or the scores of several judges" * self.scored
        raise ParamError(
            f"{self.name}: expected a collection{several}, found the score matrix {source.name},"
            " which has no judgments."
        )

    def _measures(
        self, data: Collection | Matrix | None, measures: str | Iterable[str] | None
    ) -> tuple[Measure, ...]:
        """The measures of a call; a score matrix has its own."""
        if not self.measured or isinstance(data, Matrix):
            return ()
        if measures is not None:
            return at_least_one(measures)
        design = None
        if data:
            design = data.design
        return distinct(default_measures(design))

    def _decide(self, params: P | Mapping[str, Any] | None, values: Mapping[str, Any]) -> P:
        """Parameters of a call: those of `params`, or the defaults, with some values
        replaced.
        """
        # the first are the source, the measures and all parameters together
        check_names(values, [*signature_of(self).parameters][3:], self.name)
        if params is None:
            return self.params(**values)
        if isinstance(params, Mapping):
            return self.params(**{**params, **values})
        if not isinstance(params, self.params):
            raise ParamError(
                f"{self.name}: expected parameters of its own, found {type(params).__name__}."
            )
        if not values:
            return params
        return replace(params, **values)  # type: ignore[type-var]

    def needs_of(self, params: P) -> Needs:
        """What it needs with these parameters."""
        # of *Curves*, it depends on what is watched: a mean needs one run, decisions two
        found: Needs = getattr(params, "needs", self.needs)
        return found

    def _with_judges(self, source: Collection) -> Collection:
        """The collection with its other judges if they matter, without them otherwise,
        so that all share the cache.
        """
        first = source.judges[0]
        if source.panel is None:
            self.check_beside(first)
        compares = not self.takes.isdisjoint({OTHERS, IF_OTHERS})
        if compares or source.panel is None:
            return source
        if first == source.panel.own:
            return source.alone
        return source

    def key(self, work: Work[P]) -> tuple[Any, ...]:
        """Cache key of a result: calls with equal keys have equal results."""
        return (*self._what(work), work.measures, work.params)

    def _what(self, work: Work[P]) -> tuple[Hashable, ...]:
        data = work.source or work.panel
        return self.name, data.fingerprint if data else "", work.only, work.listed_teams


EXPERIMENTS: Registry[Experiment[Any, Any]] = registered.EXPERIMENTS
"""Experiments by name.

Examples
--------
>>> import irmeval
>>> from irmeval.experiments import EXPERIMENTS
>>> collection = irmeval.read_collection("sample_data/qrels.txt.gz", "sample_data/runs")
>>> result = EXPERIMENTS["curves"](collection, ["AP", "Bpref"], levels=(100, 10), trials=3)
>>> result.headline()
'With 10% of the judgments left, AP keeps the order of the runs worst ...'
>>> result.frame().shape  # a row for each measure, level and trial
(12, 6)
"""


def check_fits(work: Work[Any], title: str, *, compares: bool) -> None:
    """Raise `ParamError` if the scores alone exceed the memory limit, or, if pairs of
    runs are compared, with two numbers for each pair; everything else is computed in
    blocks.
    """
    if work.source is not None:
        measures, runs, topics = work.shape
        cells = runs * topics + 2 * count_pairs(runs) * compares
        what = (
            f"{title}: the scores of {count_noun(runs, 'run')} x {count_noun(topics, 'topic')} by"
            f" {count_noun(measures, 'measure')}"
        )
        limits.refuse_over(8 * measures * cells, what, "Select fewer runs, topics or measures")


def experiment(
    name: str,
    *,
    question: str,
    takes: Names[str] = (COLLECTION, MEASURES),
    pages: tuple[str, ...] = (),
    does: str = "",
    **record: Any,
) -> Callable[[Callable[[Work[P]], R_co]], Experiment[P, R_co]]:
    """Register a function as an experiment. The arguments, and `record`, are the fields
    of `Experiment`.

    The function's argument is annotated as ``Work[Params]``, with the record of its
    parameters. The first paragraph of its docstring is its `meaning`. By default
    `pages` is the name, and `does` the question.
    """

    def register(run: Callable[[Work[P]], R_co]) -> Experiment[P, R_co]:
        meaning = " ".join((run.__doc__ or "").split("\n\n")[0].split())
        (params,) = get_args(next(iter(run.__annotations__.values())))
        made = Experiment(
            name=name,
            question=question,
            meaning=meaning,
            section=run.__module__.split(".")[-2:][0],
            pages=pages or (name,),
            params=params,
            takes=frozenset(takes),
            run=run,
            does=does or question,
            **record,
        )
        return EXPERIMENTS.add(name, made, run.__module__)

    return register
