"""What an experiment needs of the data: declared in its record, checked before any
work, and told in one wording.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from irmeval.collection import Collection
from irmeval.core.errors import ParamError
from irmeval.core.text import count_noun, list_all
from irmeval.metrics import Measure
from irmeval.reading.score_matrix import Matrix


class Needs(NamedTuple):
    """Least numbers of runs and topics, and what else must be there."""

    runs: int = 1
    topics: int = 0
    """with a score for every run"""
    alone: bool = False
    """whether a single run is enough, whatever the topics"""
    graded: bool = False
    """whether some measure must use grades of relevance"""


ANY = Needs()
"""A run is enough."""
PAIRS = Needs(runs=2, topics=2)
"""For comparing pairs of runs over topics."""


def check_needs(
    name: str,
    needs: Needs,
    source: Collection | Matrix,
    runs: int,
    measures: Sequence[Measure],
) -> None:
    """Raise `ParamError` if the data have too few runs to compare, or topics that can
    have a score, or if no measure uses grades where one must.
    """
    is_enough = needs.alone and runs == 1
    if not is_enough:
        check_enough(f"{name}: ", runs, count_scored(source), needs=needs)
    graded = [measure for measure in measures if measure.metric.graded]
    if needs.graded and not graded:
        raise ParamError(
            f"{name}: expected a measure that uses grades of relevance, such as nDCG or Q, found"
            f" {list_all([*map(str, measures)])}."
        )


def count_scored(source: Collection | Matrix) -> int:
    """Number of topics that can have a score: without a relevant document, there is
    none, unless the policy counts it as zero.
    """
    if isinstance(source, Matrix):
        return int(np.isfinite(source.values).any(axis=0).sum())
    if source.policy.empty == "zero":
        return len(source.topics)
    return int(np.unique(source.topic[source.grade > 0]).size)


def check_enough(
    name: str,
    runs: int,
    topics: int,
    every: str = "run",
    remedy: str = "",
    needs: Needs = PAIRS,
) -> None:
    """Raise `ParamError` if there are fewer runs, or topics with a score for every run,
    than needed; the message begins with `name`.
    """
    has_runs = runs >= needs.runs
    if has_runs and topics >= needs.topics:
        return
    expected, found = count_noun(needs.runs, "run"), count_noun(runs, "run")
    if needs.topics:
        expected += f" and {count_noun(needs.topics, 'topic')} with a score for every {every}"
    if has_runs:  # then topics are missing
        found += f" and {count_noun(topics, 'topic')}"
    raise ParamError(f"{name}expected at least {expected}, found {found}.{remedy}")
