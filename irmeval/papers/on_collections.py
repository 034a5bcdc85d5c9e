"""Summary figures of measures on a collection, and on several, one after the other or
one on each worker.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import replace
from functools import partial
from operator import attrgetter
from threading import Event
from types import MappingProxyType
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from irmeval.collection import Collection
from irmeval.collection.caveats import describe_caveats
from irmeval.collection.shards import Sharded
from irmeval.core import parallel
from irmeval.core.errors import Cancelled, ParamError
from irmeval.experiments.across import Across, Summary
from irmeval.experiments.axes.fewer_judgments import Seeded
from irmeval.experiments.learn.top_heaviness import Params as Lists
from irmeval.experiments.learn.top_heaviness import top_heaviness
from irmeval.experiments.measures.scorecard import (
    ALPHA,
    CURVES,
    FUZZINESS,
    KNEE,
    RATES,
    THRESHOLD,
    Criterion,
    Params,
)
from irmeval.experiments.measures.stability import TIES, stability
from irmeval.experiments.measures.stability import Params as Stable
from irmeval.experiments.measures.swap import Params as Swapped
from irmeval.experiments.measures.swap import swap
from irmeval.experiments.recipe import ACROSS, Recipe, recipe_of, recipe_of_several
from irmeval.experiments.results import with_recipe
from irmeval.experiments.runs.matrix import Params as Tested
from irmeval.experiments.runs.matrix import matrix
from irmeval.experiments.sweep import (
    ALL,
    LEFT,
    Drawn,
    Plan,
    Sample,
    draw_grades,
    gather,
    read_whole,
    sweep,
)
from irmeval.experiments.trials import Realised, find_knee, realise
from irmeval.experiments.work import Progress, Store, Work
from irmeval.metrics import DEFAULT, Measure, at_least_one
from irmeval.papers.resampled import (
    BY_HALF,
    MORE,
    TIMES,
    TOPICS,
    freedom_of,
    resample,
    weigh_halves,
)
from irmeval.stats.correlation import tau_b

T = TypeVar("T")
Source = Collection | Callable[[], Collection]
"""A collection, or a function that reads it in its turn."""
Teams = Mapping[str, Mapping[str, str]]
"""Teams of runs by collection."""
NO_TEAMS: Teams = MappingProxyType({})
RANK = 10
"""Rank at which the value of a document measures top-heaviness."""
HALVES = "halves"
"""Cache key of means on all topics and with weights for halves of them."""
STEPS = 100
"""Progress steps per collection."""


class ResultOn(NamedTuple, Generic[T]):
    """A result on a collection."""

    on: Recipe
    """the collection and selection"""
    found: T
    note: str
    """note on runs that lack topics; empty if none does"""


def compare_collections(
    sources: Mapping[str, Source],
    measures: Any = None,
    params: Params | None = None,
    *,
    scheduler: str = "",
    store: Store | None = None,
    progress: Progress | None = None,
) -> Across:
    """Summary figures of measures on several collections, side by side.

    Parameters
    ----------
    sources : name -> collection, or a function that reads it, at least two
    measures : texts or measures, by default `irmeval.metrics.DEFAULT`
    params : of the scorecard, by default its defaults
    scheduler : address of a Dask scheduler; each worker then takes one collection at a
        time, and reads it if the source is a function
    store, progress : as of experiments; progress counts the steps of all collections

    Raises
    ------
    ParamError
        For fewer than two collections, and for a collection with too few runs or
        topics; it names the collection.

    Examples
    --------
    >>> import irmeval
    >>> from irmeval.papers.on_collections import Params, compare_collections
    >>> one = irmeval.read_collection("sample_data/qrels.txt.gz", "sample_data/runs")
    >>> other = irmeval.reduce(one, "stratified", rate=50, seed=1)[0]
    >>> from dataclasses import replace
    >>> both = {"all": one, "half": replace(one, grade=other)}
    >>> found = compare_collections(both, ["AP", "RR"], Params(trials=1, sets=20))
    >>> found.side_by_side().shape  # a row for each criterion and measure
    (12, 4)
    """
    check_several(sources)
    chosen = at_least_one(DEFAULT if measures is None else measures)
    params = params or Params()
    found = dict(
        map_collections(
            partial(summarize, measures=chosen, params=params), sources, scheduler, store, progress
        )
    )
    return side_by_side({name: found[name] for name in sources}, params)


def side_by_side(found: "Mapping[str, ResultOn[Summary]]", params: Params) -> Across:
    """The figures of several collections, by name, with a recipe for all of them."""
    names, made = tuple(found), tuple(each.found for each in found.values())
    recipe = recipe_of_several(
        ACROSS, made[0].measures, params, {name: each.on for name, each in found.items()}
    )
    return with_recipe(Across(names, made, params), recipe, notes_of(found))


def notes_of(found: "Mapping[str, ResultOn[Any]]") -> str:
    """Notes of results on several collections, each with the name of its collection."""
    return " ".join(f"{name}: {each.note}" for name, each in found.items() if each.note)


def check_several(sources: Mapping[str, Source]) -> None:
    """Raise `ParamError` for fewer than two collections."""
    if len(sources) < 2:
        raise ParamError(
            f"expected at least two collections to compare, found {len(sources) or 'none'}. Add"
            " another."
        )


def map_collections(
    make: Callable[..., T],
    sources: Mapping[str, Source],
    scheduler: str,
    store: Store | None,
    progress: Progress | None,
    teams: Teams = NO_TEAMS,
) -> Iterator[tuple[str, ResultOn[T]]]:
    """Yield name and result of a function for each collection, as soon as it is done.
    Without a scheduler collections are processed in turn. With a scheduler each worker
    has one at a time; collections whose runs are on workers already are last. `teams`
    by collection.
    """
    here, apart = [*sources], list[str]()
    if scheduler:
        here = [name for name, source in sources.items() if isinstance(source, Sharded)]
        apart = [name for name in sources if name not in here]
    calls = {
        name: parallel.Call(make_on, make, name, sources[name], teams.get(name)) for name in apart
    }
    whole = len(sources) * STEPS
    if calls:
        yield from _on_workers(scheduler, calls, part_of(progress, 0, whole, whole), len(sources))
    for number, name in enumerate(here, len(apart)):
        tell = part_of(progress, number * STEPS, STEPS, whole)
        yield name, make_on(make, name, sources[name], teams.get(name), store=store, progress=tell)


def part_of(progress: Progress | None, begun: int, share: int, whole: int) -> Progress:
    """Progress of a part of the work: a share of the whole, after a share done
    before.
    """

    def tell(done: int, total: int) -> None:
        if progress:
            progress(begun + share * done // max(total, 1), whole)

    return tell


def _on_workers(
    scheduler: str, calls: Mapping[str, parallel.Call], tell: Progress, total: int
) -> Iterator[tuple[str, Any]]:
    """Yield the results of calls by name, each as soon as it is done, even if others
    fail. If the work is stopped, no further call begins.
    """
    cluster, stopped, done = parallel.cluster(scheduler), Event(), 0

    def look() -> None:
        if stopped.is_set():
            raise Cancelled("Stopped.")

    def run(call: parallel.Call) -> Any:
        with parallel.watch_for_cancel(look):
            return cluster.run([call])[0]

    # a thread for each call, as they only wait for workers
    pool = ThreadPoolExecutor(len(calls))
    left = {pool.submit(run, call): name for name, call in calls.items()}
    try:
        while left:
            for future in wait(left, parallel.POLL_SECONDS, FIRST_COMPLETED).done:
                result, done = future.result(), done + 1
                yield left.pop(future), result
            tell(done, total)
    finally:
        stopped.set()
        pool.shutdown()


def make_on(
    make: Callable[..., T],
    name: str,
    source: Source,
    team: Mapping[str, str] | None = None,
    **how: Any,
) -> ResultOn[T]:
    """Apply a function to a collection; its result and a recipe of the collection. A
    `ParamError` begins with the name. `team`, the teams of runs, is passed to the
    function.
    """
    try:
        collection = source if isinstance(source, Collection) else source()
        if team is not None:
            how["team"] = team
        found = make(collection, **how)
    except ParamError as error:
        raise ParamError(f"{name}: {error}") from None
    on = recipe_of(ACROSS, Work(collection, (), Params()))
    return ResultOn(
        replace(on, team=tuple(sorted(team.items())) if team else ()),
        found,
        describe_caveats(collection),
    )


def summarize(
    collection: Collection,
    *,
    measures: tuple[Measure, ...],
    params: Params,
    store: Store | None = None,
    progress: Progress | None = None,
) -> Summary:
    """Summary figures of each measure, and the same with more weight on one half of the
    topics.

    Raises `ParamError` if there are too few runs or topics.
    """
    store = {} if store is None else store
    part = partial(part_of, progress, whole=STEPS)
    kept = store.setdefault((ACROSS, collection.fingerprint, measures, params), {})
    if ACROSS in kept:
        part(0, STEPS)(1, 1)
        return kept[ACROSS]
    tested = Tested(test=params.test, samples=params.samples, alpha=ALPHA, seed=params.seed)
    stable = Stable(sets=params.sets, seed=params.seed, fuzziness=FUZZINESS)
    swapped = Swapped(THRESHOLD * 100, trials=params.sets, seed=params.seed)
    results: list[tuple[Any, str, float]] = [
        (
            matrix(collection, measures, tested, store=store, progress=part(0, 5)),
            "power",
            MORE,
        ),
        (stability(collection, measures, stable, progress=part(5, 5)), "at_ties", MORE),
        # by half, since otherwise many measures reach the last bin of differences
        (swap(collection, measures, swapped, progress=part(10, 5)), "required.difference", BY_HALF),
    ]
    values, halves, reduced = _over_rates(collection, measures, params, part(15, 45))
    for number, (result, name, wide) in enumerate(results):
        values.append(np.asarray(attrgetter(name)(result)))
        halves.append(_on_halves(result, name, wide, part(60 + 13 * number, 13)))
    heavy = _share_at_rank(collection, measures)
    values.append(heavy)
    # top-heaviness follows from definitions: it does not vary over topics
    halves.append(np.where(np.isfinite(heavy[:, None]), np.zeros_like(halves[0]), np.nan))
    part(0, STEPS)(1, 1)
    freedom = freedom_of(len(collection.topics), TIMES[TOPICS])
    sizes = len(collection.runs), len(collection.topics)
    kept[ACROSS] = Summary(
        np.array(values), np.array(halves), freedom, _criteria(params), measures, *sizes, reduced
    )
    return kept[ACROSS]


def _on_halves(result: Any, name: str, wide: float, progress: Progress) -> np.ndarray:
    """A figure of a result, by its name, with more weight on halves of the topics
    [measure, half], as `_about_mean`.
    """
    again, of = resample(result, wide=wide), attrgetter(name)
    tell = parallel.ticker(progress, TIMES[TOPICS])

    def on_half(make: Callable[[], Any]) -> np.ndarray:
        parallel.check_cancelled()
        found = np.asarray(of(make()))
        tell(1)
        return found

    drawn = parallel.map_threads(on_half, again.makes)
    return _about_mean(np.reshape(drawn, (len(again.makes), -1)).T, again.scale)


def _about_mean(drawn: np.ndarray, scale: float) -> np.ndarray:
    """Values [measure, half] less their mean, scaled so that their variance is that of
    the estimate; NaN for undefined values.
    """
    drawn = np.where(np.isfinite(drawn), drawn, np.nan)
    defined = np.isfinite(drawn).sum(axis=1, keepdims=True)
    mean = np.divide(
        np.nansum(drawn, axis=1, keepdims=True),
        defined,
        out=np.zeros(defined.shape),
        where=defined > 0,
    )
    return (drawn - mean) * np.sqrt(scale)


def _over_rates(
    collection: Collection, measures: tuple[Measure, ...], params: Params, tell: Progress
) -> tuple[list[np.ndarray], list[np.ndarray], Realised]:
    """Tau at the rate and the knee, each [measure]; both on the halves, each [measure,
    half]; and what is left at the rate.
    """
    how = Seeded("stratified", params.rounding, params.seed)
    rates = tuple(sorted({*RATES, params.rate}, reverse=True))
    less, topics = [rate for rate in rates if rate < ALL], len(collection.topics)
    # fewer topics do not show how much they vary, as in `resample`
    weights, scale = weigh_halves(topics) if topics > 3 else (np.empty((0, topics)), 1.0)

    def cell(sample: Sample) -> np.ndarray:
        known = np.isfinite(sample.values)
        with np.errstate(invalid="ignore"):
            means = (np.where(known, sample.values, 0) @ weights.T) / (known @ weights.T)
        return np.vstack([sample.means, means.T])

    def drawn(trial: int, some: Sequence[float]) -> list[Drawn]:
        return [*map(Drawn, draw_grades(collection, how, some, trial))]

    work = Work(collection, measures, params, progress=tell)
    plan = Plan(
        {rate: rate / ALL for rate in less},
        params.trials,
        drawn,
        {HALVES: cell},
        {},
        Drawn(collection.grade),
    )
    sweep(work, plan)
    full = np.array(read_whole(work, HALVES))
    read = np.array(gather(work, plan, HALVES))  # [measure, rate, trial, half, run]
    reduced = dict(zip(less, np.moveaxis(read, 1, 0), strict=True))
    trials = range(1, params.trials + 1)
    tau_at, left = [], []
    for rate in rates:
        # on all judgments every trial is the same, so none was drawn
        means = full[:, None].repeat(params.trials, axis=1)
        shares = [ALL] * params.trials
        if rate < ALL:
            means = reduced[rate]
            shares = [work.cache[LEFT, rate, trial] for trial in trials]
        tau_at.append(tau_b(means, full[:, None]).mean(axis=1))
        left.append(shares)
    tau = np.stack(tau_at, axis=-1)  # [measure, half, rate]
    found, at = realise(how, rates, np.array(left)), rates.index(params.rate)
    at_rate = np.where(found[at].too_much, np.nan, tau[..., at])
    values = [at_rate, find_knee(found, tau).interpolated]
    # the first of the halves is the whole
    whole = [of[:, 0] for of in values]
    return whole, [_about_mean(of[:, 1:], scale) for of in values], found[at]


def _share_at_rank(collection: Collection, measures: tuple[Measure, ...]) -> np.ndarray:
    """The value of a relevant document at `RANK` as a share of that at rank 1
    [measure], on a topic with the collection's median numbers of relevant and of judged
    nonrelevant documents.
    """
    judged, topics = collection.grade >= 0, len(collection.topics)
    relevant = np.bincount(collection.topic, collection.grade >= 1, topics)
    others = np.bincount(collection.topic, judged, topics) - relevant
    has = relevant > 0
    if not has.any():
        return np.full(len(measures), np.nan)
    R, N = (int(np.median(count[has])) for count in (relevant, others))
    lists = Lists(R=(int(np.clip(R, 1, 1000)),), last=RANK, N=int(np.clip(N, RANK - 1, 100_000)))
    found = top_heaviness(measures=measures, params=lists)
    return np.array(
        [found.shares[found.measures.index(measure.raw), -1, 0] for measure in measures]
    )


def _criteria(params: Params) -> tuple[Criterion, ...]:
    ties, swaps = f"{TIES:.0%}", f"{THRESHOLD:.0%}"
    heavy = (
        f"Value of a relevant document at rank {RANK} as a share of that at rank 1, on a topic with"
        " the collection's median numbers of judged documents: lower is more top-heavy."
    )
    return (
        Criterion(
            "tau",
            0,
            1,
            CURVES,
            "Kendall's tau of the order of the runs with {} of the judgments and with all.",
            on_fewer=True,
        ),
        Criterion(
            KNEE,
            100,
            0,
            CURVES,
            f"The lowest rate at which tau is still above 0.9, its knee; {RATES[-1]:g} if it is"
            " lower.",
        ),
        Criterion(
            "power",
            0,
            1,
            "power",
            f"Share of the pairs of runs that differ significantly ({params.decided_by}).",
        ),
        Criterion(
            f"minority rate at {ties} ties",
            0.5,
            0,
            "stability",
            f"Minority rate at a proportion of ties of {ties}.",
        ),
        Criterion(
            "required difference",
            1,
            0,
            "swap",
            f"Difference that at most {swaps} of other topic sets contradict.",
        ),
        Criterion(f"left at rank {RANK}", 1, 0, "top-heaviness", heavy),
    )
