"""Ways of making judgments incomplete: one file per strategy, all of one shape."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from irmeval.collection import Collection
from irmeval.errors import ParamError
from irmeval.params import REQUIRED, Field, Param, fields
from irmeval.registry import Registry

DROPPED = -1
"""The grade of a judgment that the reduction took away: still in the pool, no longer judged."""
RATE = Field("rate", float, REQUIRED, Param("rate", "Share of the judgments that are kept.", low=0, high=1))
TRIALS = Field("trials", int, 1, Param("trials", "How often the sample is drawn.", low=1))
SEED = Field("seed", int, 1, Param("seed", "The same seed draws the same samples.", low=0))


class Strategy(Protocol):
    """One trial: a vector of J grades for each rate (shares from 0 to 1), from one stream of random numbers."""

    def __call__(self, collection: Collection, rates: Sequence[float], rng: np.random.Generator, **params: Any) -> np.ndarray: ...


@dataclass(frozen=True)
class Reduction:
    """A strategy with what a person needs to know of it."""

    name: str
    meaning: str
    source: str
    params: dict[str, Field]
    strategy: Strategy


REDUCTIONS: Registry[Reduction] = Registry("reduction")


def reduction(name: str, *, source: str) -> Any:
    """Register a strategy; its docstring says what it does, its annotated parameters are what the user may set."""

    def register(strategy: Strategy) -> Strategy:
        REDUCTIONS.add(name, Reduction(name, " ".join((strategy.__doc__ or "").split()), source, fields(strategy), strategy))
        return strategy

    return register


def draw(collection: Collection, name: str, rates: Sequence[float], trial: int, seed: int, **params: Any) -> np.ndarray:
    """Grade vectors [rates, J] of one trial. They depend on the seed, the trial and nothing else that is random."""
    found = REDUCTIONS[name]
    if unknown := params.keys() - found.params.keys():
        raise ParamError(f"{name} has no parameter {', '.join(sorted(unknown))}; it has: {', '.join(found.params)}.")
    rates = [RATE.check(rate) for rate in rates]
    checked = {key: field.check(params.get(key, field.default)) for key, field in found.params.items()}
    rng = np.random.default_rng(np.random.SeedSequence(SEED.check(seed), spawn_key=(trial,)))
    return found.strategy(collection, rates, rng, **checked)


def reduce(collection: Collection, name: str = "stratified", *, rate: float, trials: int = 1, seed: int = 1, **params: Any) -> np.ndarray:
    """Grade vectors [trials, J] at one rate (0 to 1); a dropped judgment is -1.

    A lower rate with the same seed keeps a subset of what a higher one keeps.
    """
    return np.stack([draw(collection, name, [rate], trial, seed, **params)[0] for trial in range(1, TRIALS.check(trials) + 1)])
