"""Samples of a pool with known probabilities, higher for documents near the top of a
list.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated

import numpy as np

from irmeval.collection import Collection, Design, proportional
from irmeval.core.errors import ParamError
from irmeval.core.params import Param
from irmeval.core.text import shorten
from irmeval.reductions.base import keep_judgments, reduction
from irmeval.reductions.shallow import best_ranks
from irmeval.reductions.stratified import shuffle_strata

MOST_STRATA = 20
BOUNDS = Param(
    "bounds",
    "Deepest best rank of each stratum except the last, ascending, separated by commas.",
    high=200,
)
WEIGHTS = Param(
    "weights", "Relative probability of a document of each stratum, separated by commas.", high=200
)


def _numbers(name: str, text: str, most: int) -> list[float]:
    try:
        # split at most so often: a text of a million commas ends as one that is no number
        found = [*map(float, text.split(",", most))]
    except ValueError:
        found = []
    are_allowed = all(0 < number < 1e9 for number in found)
    if not (1 <= len(found) <= most and are_allowed):
        raise ParamError(
            f"{name}: expected 1 to {most} numbers above 0, separated by commas, found"
            f" {shorten(text)}."
        )
    return found


def strata_by_rank(collection: Collection, bounds: str = "10,50", weights: str = "4,2,1") -> Design:
    """Strata by the best rank of each document in any run; the last also contains
    documents that no run retrieved. Raises `ParamError` for bounds that do not rise,
    and unless there is one weight more than bounds.
    """
    last = _numbers("bounds", bounds, MOST_STRATA - 1)
    if last != sorted(set(last)):
        raise ParamError(f"bounds: expected rising numbers, found {shorten(bounds)}.")
    if len(_numbers("weights", weights, MOST_STRATA)) != len(last) + 1:
        raise ParamError(
            f"weights: expected {len(last) + 1}, one more than there are bounds, found"
            f" {shorten(weights)}."
        )
    code = np.searchsorted(last, best_ranks(collection))
    return Design.named(collection.topic, [*map(str, range(1, len(last) + 2))], code)


@reduction(
    "by-rank",
    source="Strata by rank as in Yilmaz, Kanoulas & Aslam 2008 and NIST's sampled tracks",
    design=strata_by_rank,
    least=(
        "numbers of documents are rounded, and every stratum of a topic keeps at least 1 document"
    ),
    less="numbers of documents are rounded",
)
def by_rank(
    collection: Collection,
    levels: Sequence[float],
    rng: np.random.Generator,
    bounds: Annotated[str, BOUNDS] = "10,50",
    weights: Annotated[str, WEIGHTS] = "4,2,1",
) -> np.ndarray:
    """Draw from strata of each topic by the best rank of a document in any run. Upper
    strata are drawn at higher rates, the total is the given rate, and each has at least
    1 document.
    """
    design = strata_by_rank(collection, bounds, weights)
    # one shuffle for all rates, so that a lower one keeps a subset
    place, size = shuffle_strata(collection, rng, design.stratum, design.S)
    weight = np.array(_numbers("weights", weights, MOST_STRATA))[np.array(design.names, int) - 1]
    topic = design.topic_of(collection.topic)
    reduced = []
    for rate in levels:
        wanted = rate * np.bincount(topic, size)
        share = _stratum_shares(weight, size, topic, wanted)
        # rounded to nine digits first: 0.29 of 50 would be 14.499999999999998
        kept = np.clip(np.floor(np.round(share * size, 9) + 0.5), np.minimum(size, 1), size)
        reduced.append(keep_judgments(collection, place < kept[design.stratum]))
    return np.stack(reduced)


def _stratum_shares(
    weight: np.ndarray, size: np.ndarray, topic: np.ndarray, wanted: np.ndarray
) -> np.ndarray:
    """Sampling rate of each stratum: proportional to its weight, at most 1, with the
    given number of documents per topic.
    """
    each = np.repeat(np.arange(size.size), size)
    found = proportional(weight[each], topic[each], wanted)
    share = np.zeros(size.size)
    share[each] = found
    return share


def prior_weights(collection: Collection) -> Design:
    """The weight of each document of the pool: the mean over runs of 1 + H_Z - H_r for
    rank r in a list of Z; 0 where it is not retrieved.

    H_n is the sum of 1/i up to n. This is the weight that AP gives to the rank if
    nothing else is known.
    """
    return replace(
        Design.plain(collection.topic, len(collection.topics)), weight=_priors(collection)
    )


def _priors(collection: Collection) -> np.ndarray:
    """The mean of the prior over runs [J]."""
    return np.sum(collection.by_part(_prior), axis=0) / max(len(collection.runs), 1)


def _prior(part: Collection) -> np.ndarray:
    """Sum over the runs of a part of the prior of each judgment [J]."""
    harmonic = np.concatenate([[0], np.cumsum(1 / np.arange(1, part.length.max(initial=0) + 1))])
    length = np.repeat(part.length, np.diff(part.start))
    return np.bincount(
        part.judgment_index, 1 + harmonic[length] - harmonic[part.rank], part.grade.size
    )


@reduction(
    "weighted",
    source="Aslam, Pavlu & Yilmaz 2006; systematic sampling on a shuffled list: Madow 1949",
    design=prior_weights,
    nested=False,
    least="numbers of documents are rounded, and every topic keeps at least 1 document",
    less="only retrieved documents are drawn",
)
def weighted(
    collection: Collection, levels: Sequence[float], rng: np.random.Generator
) -> np.ndarray:
    """Draw without replacement, with higher probability near the top of the runs, by
    the rank weights of AP. Documents that no run retrieved are never drawn. A lower
    rate need not keep a subset of a higher one. Raises `ParamError` without runs.
    """
    if not collection.runs:
        raise ParamError("weighted: expected runs, found none. Use uniform, which needs none.")
    weight = np.where(collection.grade >= 0, _priors(collection), 0.0)
    T = len(collection.topics)
    # shuffled: of a list in a fixed order, systematic sampling never draws some pairs
    # together
    order = np.lexsort((rng.random(weight.size), collection.topic))
    start = rng.random(T)
    size, possible = (
        np.bincount(collection.topic[some], minlength=T)
        for some in (collection.grade >= 0, weight > 0)
    )
    draw = partial(_systematic, collection.topic[order], start)
    reduced = []
    for rate in levels:
        n = np.minimum(np.maximum(np.floor(np.round(size * rate, 9) + 0.5), 1), possible)
        kept = np.zeros(weight.size, bool)
        kept[order] = draw(proportional(weight, collection.topic, n)[order])
        reduced.append(keep_judgments(collection, kept))
    return np.stack(reduced)


def _systematic(topic: np.ndarray, start: np.ndarray, probability: np.ndarray) -> np.ndarray:
    """Systematic sampling: draw a document where the running sum of its topic passes a
    whole number plus the start. Rows are by topic.
    """
    total = np.cumsum(probability)
    first = np.searchsorted(topic, np.arange(start.size))
    before = np.concatenate([[0.0], total])[first]
    # nine digits, far fewer than are exact, so that rounding errors add or drop no document
    reached = np.floor(np.round(total - before[topic], 9) - start[topic])
    last = np.concatenate([[-1.0], reached[:-1]])
    last[first[first < topic.size]] = -1.0
    return reached > last
