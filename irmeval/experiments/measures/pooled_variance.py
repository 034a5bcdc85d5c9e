"""Variances of scores of this collection, and of others as the text of a parameter, so
that a pooled result can be reproduced without them.
"""

from collections.abc import Sequence
from math import inf
from typing import Any, NamedTuple

import numpy as np

from irmeval.collection import Collection
from irmeval.core.errors import IrmevalError, ParamError
from irmeval.core.text import list_all, shorten
from irmeval.experiments.needs import check_enough
from irmeval.metrics import Measure, measure
from irmeval.scoring.scores import evaluate
from irmeval.stats.sample_size import (
    ScoreVariance,
    pool_variances,
    resampled_variances,
    score_variance,
)

EXAMPLE = "AP 0.0123 4851"
MAX_VARIANCES = 10_000
"""Variances in a text."""
MAX_FREEDOM = 10**12
"""Degrees of freedom of one of them."""


class CachedVariances(NamedTuple):
    """Cached variances of one measure on some of the judgments."""

    variance: ScoreVariance
    resampled: np.ndarray
    """float64 [sample], variances on resampled topics"""
    judged: float
    """judged documents per topic"""
    judged_resampled: np.ndarray
    """float64 [sample], the same on resampled topics"""
    topics: int
    """number of topics with a score for every run"""


def measure_variance(
    values: np.ndarray, judged: np.ndarray, *, drawn: np.ndarray, way: str
) -> CachedVariances:
    """Variance of scores [run, topic] on the topics with a score for every run, and
    judged documents per topic, from those of each topic [topic]. `drawn` is how often a
    resample has each topic [sample, topic].
    """
    known = np.isfinite(values).all(axis=0)
    variance, resampled = ScoreVariance(np.nan, 0), np.full(len(drawn), np.nan)
    if min(len(values), known.sum()) > 1:
        variance = score_variance(values[:, known], way)
        resampled = resampled_variances(values[:, known], drawn[:, known], way)
    return CachedVariances(
        variance,
        resampled,
        float(judged.mean()),
        (drawn @ judged) / drawn.sum(axis=1),
        int(known.sum()),
    )


def describe_flat(names: Sequence[Any], found: Sequence[ScoreVariance]) -> str:
    """A sentence on the measures with variance 0; empty if there are none."""
    flat = [name for name, variance in zip(names, found, strict=True) if not variance.value]
    if not flat:
        return ""
    return (
        f"By {list_all(flat)}, differences of runs do not vary over topics. The number of topics is"
        " undefined for a variance of 0."
    )


def variances_as_text(collection: Collection, measures: Sequence[Measure], way: str) -> str:
    """The variance of scores by each measure and its degrees of freedom, as in ``AP
    0.0123 4851; P@10 0.0364 4851``, on the topics with a score for every run. Raises
    `ParamError` if there are fewer than two such topics, or fewer than two runs.
    """
    said = []
    for one, values in zip(measures, evaluate(collection, measures).values, strict=True):
        known = values[:, np.isfinite(values).all(axis=0)]
        check_enough(f"{one}: ", *known.shape)
        found = score_variance(known, way)
        said.append(f"{one} {found.value:.6g} {found.freedom}")
    return "; ".join(said)


def pool_with(
    names: Sequence[Any], own: Sequence[ScoreVariance], text: str
) -> tuple[tuple[ScoreVariance, ...], int]:
    """Pool the variance of each measure with those of a text, by degrees of freedom;
    also returns the number of other collections. Raises `ParamError` for a text in
    another form, or with fewer variances of one measure than of another.
    """
    given = parse_variances(text)
    counts = {str(name): len(given.get(str(name), ())) for name in names}
    # else the numbers of topics of two measures would rest on different collections
    if len({*counts.values()}) > 1:
        least, most = min(counts, key=counts.__getitem__), max(counts, key=counts.__getitem__)
        raise ParamError(
            f"pooled_with: expected as many variances of {least} as of {most}, {counts[most]},"
            f" found {counts[least]}."
        )
    pooled = tuple(
        pool_variances([here, *given.get(str(name), ())])
        for name, here in zip(names, own, strict=True)
    )
    return pooled, max(counts.values())


def parse_variances(text: str) -> dict[str, list[ScoreVariance]]:
    """Variances of a text by the names of measures. Raises `ParamError` for a text in
    another form.
    """
    given: dict[str, list[ScoreVariance]] = {}
    parts = [part for part in text.split(";") if part.strip()]
    if len(parts) > MAX_VARIANCES:
        raise ParamError(
            f"pooled_with: expected at most {MAX_VARIANCES:,} variances, found {len(parts):,}."
        )
    for part in parts:
        name, found = _parse(part)
        given.setdefault(name, []).append(found)
    return given


def _parse(part: str) -> tuple[str, ScoreVariance]:
    """Name of a measure, and its variance."""
    try:
        name, value, freedom = part.rsplit(None, 2)
        found = ScoreVariance(float(value), int(freedom))
    except ValueError:
        raise _refusal(part) from None
    is_variance = 0 <= found.value < inf and 0 < found.freedom <= MAX_FREEDOM
    if not is_variance:
        raise _refusal(part)
    try:
        return str(measure(name.strip())), found
    except IrmevalError:  # the name of a score matrix
        return name.strip(), found


def _refusal(part: str) -> ParamError:
    return ParamError(
        "pooled_with: expected a measure, its variance and degrees of freedom, as in"
        f" {EXAMPLE}; found {shorten(part.strip())}."
    )
