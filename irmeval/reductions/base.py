"""Reductions: record, decorator, registry, and drawing of samples."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from irmeval.collection import Collection, Design, check_collection
from irmeval.core.described import Described, PerInstance, docstring_of
from irmeval.core.errors import ParamError
from irmeval.core.other_packages import explains_calls
from irmeval.core.params import PER_CENT, REQUIRED, Field, Param, check_names, fields
from irmeval.core.registry import Registry
from irmeval.core.text import shorten

DROPPED = -1
"""Grade of a dropped judgment: still in the pool, no longer judged."""
RATE = Field(
    "rate",
    float,
    REQUIRED,
    Param(
        "rate, %",
        "Share of the judgments that is kept. Rates below 1 need a percent sign: 0.5%.",
        low=0,
        high=100,
        rate=True,
    ),
)
DEPTH = Field(
    "pool",
    int,
    REQUIRED,
    Param(
        "pool depth",
        "Documents at this rank or above in any run are judged.",
        low=1,
        high=1_000_000,
    ),
)
TEAMS = Field(
    "teams",
    int,
    REQUIRED,
    Param("teams", "Number of teams, drawn at random, that form the pool.", low=1, high=100_000),
)
BUDGET = Field(
    "budget",
    float,
    REQUIRED,
    Param("budget, %", "Share of each topic's pool to judge.", low=0.001, high=100, rate=True),
)
TRIALS = Field("trials", int, 1, Param("trials", "Number of samples.", low=1))
SEED = Field("seed", int, 1, Param("seed", "The same seed draws the same samples.", low=0))


class Strategy(Protocol):
    """One trial: a vector of J grades for each level of the strategy's axis, from one
    stream of random numbers. A `RATE` is a share from 0 to 1.
    """

    def __call__(
        self, collection: Collection, levels: Sequence[Any], rng: np.random.Generator, **params: Any
    ) -> np.ndarray: ...


@dataclass(frozen=True, repr=False)
class Reduction(Described):
    """A strategy for making judgments incomplete."""

    __doc__ = PerInstance(docstring_of, __doc__)

    name: str
    meaning: str
    source: str
    """the paper that used it"""
    params: dict[str, Field]
    """the parameters besides `axis`"""
    strategy: Strategy
    axis: Field = RATE
    """the parameter of how much is kept: `RATE`, `DEPTH`, `TEAMS` or `BUDGET`"""
    random: bool = True
    """whether trials differ"""
    design: Callable[..., Design] | None = None
    """function that returns the design of a sample with known probabilities, from a
    collection and the other parameters
    """
    nested: bool = True
    """whether a lower level keeps a subset of a higher one"""
    least: str = ""
    """a clause on what is kept at every rate, so that more may be left than was asked
    for
    """
    less: str = ""
    """a clause on why less may be left"""


REDUCTIONS: Registry[Reduction] = Registry("reduction")
"""The reductions by name, each with its meaning, its axis and its other parameters.

Examples
--------
>>> import irmeval
>>> list(irmeval.REDUCTIONS)
['stratified', 'uniform', 'by-rank', 'weighted', 'shallow', 'teams'...]
>>> irmeval.REDUCTIONS["shallow"].axis.name, irmeval.REDUCTIONS["shallow"].random
('pool', False)
"""


def reduction(name: str, *, source: str, **more: Any) -> Any:
    """Register a strategy. Its docstring is the description; users may set its
    annotated parameters. `more` are other fields of `Reduction`.
    """
    return REDUCTIONS.decorator(
        name,
        lambda strategy, meaning: Reduction(
            name, meaning, source, fields(strategy), strategy, **more
        ),
    )


def rate_reductions() -> tuple[str, ...]:
    """Names of the reductions that keep a share: of the judgments, or, in an order, of
    each pool.
    """
    return tuple(name for name, reduction in REDUCTIONS.items() if reduction.axis in (RATE, BUDGET))


def draw(
    collection: Collection, name: str, levels: Sequence[Any], trial: int, seed: int, **params: Any
) -> np.ndarray:
    """Grade vectors [levels, J] of one trial. The random numbers depend only on seed
    and trial. Rates and budgets are in per cent.
    """
    reduction, checked = REDUCTIONS[name], check_own(name, params)
    # all levels in one call: they share their draws, so that a lower one keeps a subset
    levels = [reduction.axis.check(level) for level in levels]
    if reduction.axis is RATE:
        levels = [level / 100 for level in levels]
    return reduction.strategy(collection, levels, random_generator(seed, trial), **checked)


def check_own(name: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """All parameters of a reduction but its level, the usual ones where none is given.
    Raises `ParamError` for one that it lacks, or that is out of its range.
    """
    own = REDUCTIONS[name].params
    check_names(params, own, name)
    return {key: field.check(params.get(key, field.default)) for key, field in own.items()}


def check_level(name: str, params: Mapping[str, Any]) -> Any:
    """The level of a reduction among parameters. Raises `ParamError` if it is not there,
    or out of its range.
    """
    _check_has_level(name, params)
    axis = REDUCTIONS[name].axis
    return axis.check(params[axis.name])


def _check_has_level(name: str, params: Mapping[str, Any]) -> None:
    axis = REDUCTIONS[name].axis
    if axis.name not in params:
        label = axis.param.label.removesuffix(PER_CENT)
        raise ParamError(f"{name} needs its {label}, as {axis.name}=...")


def with_design(collection: Collection, name: str, **params: Any) -> Collection:
    """The collection with the design by which a reduction draws judgments, for
    estimators; unchanged if the reduction has none.

    Raises `ParamError` for a collection that has a design already.
    """
    check_names(params, REDUCTIONS[name].params, name)
    if not (design := REDUCTIONS[name].design):
        return collection
    if collection.design is not None:
        raise ParamError(
            f"{name}: the judgments are a sample already. Reduce the judgments that it was drawn"
            " from."
        )
    return replace(collection, design=design(collection, **params))


def share_left(all_grades: np.ndarray, grades: np.ndarray) -> np.ndarray:
    """Share of the judgments among `all_grades` [J] that grade vectors [..., J] keep,
    in per cent [...]; 100 if there are none.
    """
    judged = np.count_nonzero(all_grades >= 0)
    if not judged:
        return np.full(grades.shape[:-1], 100.0)
    return 100 * np.count_nonzero(grades >= 0, axis=-1) / judged


def keep_judgments(collection: Collection, which: np.ndarray) -> np.ndarray:
    """The grades with only some judgments kept (bool [J])."""
    return np.where((collection.grade < 0) | which, collection.grade, DROPPED).astype(
        collection.grade.dtype
    )


def random_generator(seed: int, trial: int) -> np.random.Generator:
    """Random number generator of a trial."""
    return np.random.default_rng(np.random.SeedSequence(SEED.check(seed), spawn_key=(trial,)))


@explains_calls
def reduce(
    collection: Collection,
    name: str = "stratified",
    *,
    trials: int = 1,
    seed: int = 1,
    **params: Any,
) -> np.ndarray:
    """Grade vectors [trials, J] of a reduction; a dropped judgment is -1.

    The level is given by the name of the reduction's axis: ``rate=10`` (per cent),
    ``pool=10``, ``teams=3`` or ``budget=20`` (per cent). Per cent below 1 are text:
    ``rate="0.5%"``. With the same seed, a lower level keeps a subset of what a higher
    one keeps, except for ``weighted``.

    Parameters
    ----------
    name : one of `REDUCTIONS`
    trials : how often the sample is drawn; once for all if nothing about it is random
    seed : the same seed draws the same samples
    **params
        The level, and other parameters of the reduction.

    Returns
    -------
    int [trials, J]

    Raises
    ------
    ParamError
        For a parameter that the reduction lacks, with the nearest names, or one that is
        out of its range.

    Examples
    --------
    >>> import irmeval
    >>> collection = irmeval.read_collection("sample_data/qrels.txt.gz", "sample_data/runs")
    >>> tenths = irmeval.reduce(collection, "stratified", rate=10, trials=5, seed=1)
    >>> tenths.shape == (5, collection.grade.size)
    True
    >>> irmeval.evaluate(collection, ["AP", "AP'"], grades=tenths[0]).means.shape
    (2, 30)
    """
    check_collection(collection)
    if not isinstance(name, str):
        remedy = 'A rate is rate=10 for 10%, or rate="0.5%".'
        raise ParamError(
            f"reduce: expected the name of a reduction, found {shorten(name)}. {remedy}"
        )
    reduction = REDUCTIONS[name]
    axis = reduction.axis
    _check_has_level(name, params)
    check_names(params, [axis.name, *reduction.params, "trials", "seed"], name)
    level, trials = params.pop(axis.name), TRIALS.check(trials)
    # where nothing is random, all trials are the same
    different = trials if reduction.random else 1
    drawn = [draw(collection, name, [level], t, seed, **params)[0] for t in range(1, different + 1)]
    return np.stack(drawn).repeat(trials // different, axis=0)
