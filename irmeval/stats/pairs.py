"""Differences of pairs of systems from their scores."""

from collections.abc import Callable, Iterator
from itertools import chain
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from irmeval.core.errors import ParamError
from irmeval.core.lazy import special
from irmeval.stats.blocks import CELLS, ROWWISE, fit, map_blocks, slices


class Pairs(NamedTuple):
    """One number per pair of systems (a, b), a before b, in the order of
    ``np.triu_indices(systems, 1)``.
    """

    difference: np.ndarray
    """Mean score of a minus that of b, [..., pairs]."""
    p: np.ndarray
    """Two-sided p-value, from 0 to 1, [..., pairs]."""


def check_scores(scores: np.ndarray) -> np.ndarray:
    """Convert scores [..., systems, topics] to float64; `ParamError` if not finite or
    fewer than two systems or topics.
    """
    scores = np.asarray(scores, dtype=np.float64)
    if scores.ndim < 2 or min(scores.shape[-2:]) < 2:
        raise ParamError(
            f"scores: expected at least 2 systems and 2 topics, found the shape {scores.shape}."
        )
    if not np.isfinite(scores).all():
        missing = np.count_nonzero(~np.isfinite(scores))
        raise ParamError(
            f"scores: expected a number for every system and topic, found {missing} without one."
            " Leave their topics out."
        )
    return scores


def check_share(name: str, value: float) -> float:
    """Return a share strictly between 0 and 1, such as a significance level, or raise
    `ParamError`.
    """
    if not 0 < value < 1:
        raise ParamError(f"{name}: expected a value between 0 and 1, found {value!r}.")
    return value


def check_count(name: str, value: int) -> int:
    """Return a number of samples, trials or topic sets, at least 1, or raise
    `ParamError`.
    """
    if value < 1:
        raise ParamError(f"{name}: expected at least 1, found {value!r}.")
    return value


def count_pairs(systems: int) -> int:
    """Number of pairs of this many systems or other items."""
    return systems * (systems - 1) // 2


class Differences:
    """Differences per topic z [pairs, topics] of pairs of systems, from one score
    matrix [systems, topics]: of the pairs given by the indices of both systems, or of
    all. Large ones are computed on access, as in ``z[first:last]``, since all at once
    would take many times the memory of the scores.

    A difference within rounding of the largest score of a topic is 0, and the z of a
    pair that are that close to each other are one constant. So equal systems stay
    equal, in whatever order their scores were added up.
    """

    def __init__(self, scores: np.ndarray, pairs: tuple[np.ndarray, np.ndarray] | None = None):
        self.scores = scores
        every: tuple[np.ndarray, ...] = np.triu_indices(len(scores), 1) if pairs is None else pairs
        self.first, self.second = every
        self.shape = self.first.size, scores.shape[1]
        self.noise = noise_of(scores)
        self._made: np.ndarray | None = None
        if self.first.size * scores.shape[1] <= fit(CELLS):
            step = max(1, ROWWISE // scores.shape[1])
            self._made = np.concatenate([self._make(at) for at in slices(self.first.size, step)])

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, at: slice | np.ndarray) -> np.ndarray:
        return self._make(at) if self._made is None else self._made[at]

    def _make(self, at: slice | np.ndarray) -> np.ndarray:
        z = self.scores.take(self.first[at], axis=0)
        z -= self.scores.take(self.second[at], axis=0)
        return without_noise(z, self.noise)


def noise_of(scores: np.ndarray) -> np.ndarray:
    """Rounding errors of the differences of systems, from their scores [..., systems,
    topics]: a bound for each topic [..., topics].
    """
    bound: np.ndarray = 8 * np.finfo(float).eps * np.abs(scores).max(axis=-2)
    return bound


def without_noise(z: np.ndarray, noise: np.ndarray) -> np.ndarray:
    """Differences z [pairs, topics], changed in place: 0 within the noise, [topics] or
    [pairs, topics], and one constant in a row whose values are that close to each
    other.
    """
    np.copyto(z, 0, where=np.abs(z) <= noise)
    most = np.broadcast_to(noise.max(axis=-1), len(z))
    alike = np.flatnonzero(np.abs(z[:, 0] - z[:, -1]) <= most)
    constant = alike[np.ptp(z[alike], axis=1) <= most[alike]]
    z[constant] = z[constant, :1]
    return z


Rows = np.ndarray | Differences
"""Differences [pairs, topics]: an array, or computed on access."""


def centred(z: np.ndarray) -> np.ndarray:
    """z minus its mean over the last axis; exactly 0 if z is constant, which one
    subtraction would not ensure.
    """
    w = z - z[..., :1]
    return w - w.mean(axis=-1, keepdims=True)


def by_topics(known: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Sets of topics of the rows, each as bool [topics] with the indices of its rows,
    from `known`, bool [rows, topics].
    """
    alike: dict[bytes, list[int]] = {}
    for row, bits in enumerate(np.packbits(known, axis=1)):
        alike.setdefault(bits.tobytes(), []).append(row)
    for rows in alike.values():
        yield known[rows[0]], np.array(rows)


def by_rows(
    compute: Callable[[np.ndarray], np.ndarray], z: Rows, *, quick: bool = False
) -> np.ndarray:
    """Apply a function to the rows of z [pairs, ...] block by block; on all cores
    unless it is `quick`. A row's sum does not depend on the order in which z lies in
    memory.
    """
    step = max(1, fit(ROWWISE) // z.shape[1])
    some = slices(len(z), step)

    def work(blocks: Iterator[slice]) -> list[tuple[int, np.ndarray]]:
        return [(at.start, compute(np.ascontiguousarray(z[at]))) for at in blocks]

    made = [work(iter(some))] if quick else map_blocks(work, some)
    return np.concatenate(
        [part for _, part in sorted(chain.from_iterable(made), key=itemgetter(0))]
    )


def small_sample(effect: np.ndarray, topics: np.ndarray) -> np.ndarray:
    """Effect sizes d_z times 1 - 3 / (4 (n - 1) - 1), nearly unbiased for few topics n,
    at least 2 (Hedges 1981).

    Examples
    --------
    >>> import numpy as np
    >>> small_sample(np.array([2.0, 0.0]), np.array([3, 3])).round(4).tolist()
    [1.1429, 0.0]
    """
    # with two topics the factor is 0, and the result 0, or NaN where both differ by the same
    with np.errstate(invalid="ignore"):
        return effect * (1 - 3 / (4 * (topics - 1.0) - 1))


def stretches_alike(alike: np.ndarray) -> list[tuple[int, int]]:
    """The longest stretches (first, last) of an order of systems in which all pairs are
    alike, bool [systems, systems].
    """
    # the last system before the first that differs; a column beyond the end differs from all
    reach = np.pad(np.triu(~alike, 1), ((0, 0), (0, 1)), constant_values=True).argmax(axis=1) - 1
    # no stretch goes beyond that of a later system
    reach = np.minimum.accumulate(reach[::-1])[::-1]
    found: list[tuple[int, int]] = []
    longest = -1
    for first, last in enumerate(reach.tolist()):
        if last > max(first, longest):
            found.append((first, last))
            longest = last
    return found


def sign_probability(expected: np.ndarray, deviation: np.ndarray) -> np.ndarray:
    """Normal probability that differences [...] have their expected signs, from .5 for a
    difference of 0 to 1 for a deviation of 0.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(expected == 0, 0.5, special.ndtr(np.abs(expected) / deviation))
