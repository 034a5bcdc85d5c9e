"""Variances of scores on other collections as the text of a parameter, so that a pooled result can be made again without them."""

from collections.abc import Sequence
from math import isfinite
from typing import Any

import numpy as np

from irmeval.collection import Collection
from irmeval.core.errors import IrmevalError, ParamError
from irmeval.core.text import shorten
from irmeval.experiments.scored import check_enough
from irmeval.metrics import Measure, measure
from irmeval.scoring.scores import evaluate
from irmeval.stats.sample_size import Variance, pool_variances, score_variance

EXAMPLE = "AP 0.0123 4851"
MOST = 10_000
"""Variances in a text."""


def variances_as_text(collection: Collection, measures: Sequence[Measure], way: str) -> str:
    """The variance of scores by each measure and its degrees of freedom, as in ``AP 0.0123 4851; P@10 0.0364 4851``, on the topics with a
    score for every run. Raises `ParamError` if there are fewer than two such topics, or fewer than two runs."""
    said = []
    for one, values in zip(measures, evaluate(collection, measures).values, strict=True):
        known = values[:, np.isfinite(values).all(axis=0)]
        check_enough(f"{one}: ", *known.shape)
        found = score_variance(known, way)
        said.append(f"{one} {found.value:.6g} {found.freedom}")
    return "; ".join(said)


def pool_with(names: Sequence[Any], own: Sequence[Variance], text: str) -> tuple[tuple[Variance, ...], int]:
    """The variance of each measure pooled with those of a text, by degrees of freedom; and the number of other collections. Raises
    `ParamError` for a text in another form, or with fewer variances of one measure than of another."""
    given: dict[str, list[Variance]] = {}
    parts = [part for part in text.split(";") if part.strip()]
    if len(parts) > MOST:
        raise ParamError(f"pooled_with: expected at most {MOST:,} variances, found {len(parts):,}.")
    for part in parts:
        name, found = _parse(part)
        given.setdefault(name, []).append(found)
    counts = {str(name): len(given.get(str(name), ())) for name in names}
    if len({*counts.values()}) > 1:
        least, most = min(counts, key=lambda name: counts[name]), max(counts, key=lambda name: counts[name])
        raise ParamError(f"pooled_with: expected as many variances of {least} as of {most}, {counts[most]}, found {counts[least]}.")
    return tuple(pool_variances([one, *given.get(str(name), ())]) for name, one in zip(names, own, strict=True)), max(counts.values())


def _parse(part: str) -> tuple[str, Variance]:
    """Name of a measure, and its variance."""
    try:
        name, value, freedom = part.rsplit(None, 2)
        found = Variance(float(value), int(freedom))
        if not (name.strip() and isfinite(found.value) and found.value >= 0 and 0 < found.freedom <= 10**12):
            raise ValueError
    except ValueError:
        raise ParamError(
            f"pooled_with: expected a measure, its variance and degrees of freedom, as in {EXAMPLE}; found {shorten(part.strip())}."
        ) from None
    try:
        return str(measure(name.strip())), found
    except IrmevalError:  # the name of a score matrix
        return name.strip(), found
