"""The tests of all pairs of runs by one measure."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from irmeval.experiments.scored import check_enough
from irmeval.experiments.settings import Testing
from irmeval.stats.pairs import Pairs
from irmeval.stats.significance import compare


class Tested(NamedTuple):
    """Scores by one measure, and the tests of all pairs of runs."""

    scores: np.ndarray
    """float64 [run, topic], on the topics with a score for every run"""
    topics: tuple[str, ...]
    """these topics"""
    pairs: Pairs


def run_test(name: str, values: np.ndarray, topics: Sequence[str], params: Testing) -> Tested:
    """Test all pairs on the topics with a score for every run; values [run, topic], NaN for no score."""
    scored = ~np.isnan(values).any(axis=0)
    scores = values[:, scored]
    check_enough(f"{name}: ", *scores.shape)
    kept = tuple(topic for topic, kept in zip(topics, scored, strict=True) if kept)
    return Tested(scores, kept, compare(scores, params.test, samples=params.samples, seed=params.seed))
