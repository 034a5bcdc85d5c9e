"""A shallower pool: fewer documents of each run are judged."""

from collections.abc import Container, Sequence
from functools import partial

import numpy as np

from irmeval.collection import Collection
from irmeval.core.errors import ParamError
from irmeval.reductions.base import DEPTH, keep_judgments, reduction


@reduction("shallow", source="Zobel 1998, pools of lesser depth", axis=DEPTH, random=False)
def shallow(collection: Collection, levels: Sequence[int], rng: np.random.Generator) -> np.ndarray:
    """Keep a judgment only if a loaded run has the document at this rank or above.
    Documents of no loaded run are always dropped.
    """
    best = best_ranks(collection)
    return np.stack([keep_judgments(collection, best <= depth) for depth in levels])


def best_ranks(collection: Collection) -> np.ndarray:
    """The best rank of each judged document in any run [J]; larger than any rank if no
    run has it.
    """
    return best_ranks_by_group(collection, [collection.runs])[0]


def best_ranks_by_group(collection: Collection, groups: Sequence[Container[str]]) -> np.ndarray:
    """The best rank of each judged document in each group of runs [groups, J]; groups
    hold names of runs. Raises `ParamError` without runs.
    """
    if not collection.runs:
        raise ParamError("pool: expected runs, found none. Read the runs too.")
    return np.minimum.reduce(collection.by_part(partial(_topmost, groups=groups)))


def _topmost(part: Collection, groups: Sequence[Container[str]]) -> np.ndarray:
    run = np.repeat(np.arange(len(part.runs)), np.diff(part.start[:: len(part.topics)]))
    best = np.full((len(groups), part.grade.size), np.iinfo(np.int32).max, np.int32)
    for ranks, group in zip(best, groups, strict=True):
        which = np.array([name in group for name in part.runs], bool)[run]
        np.minimum.at(ranks, part.judgment_index[which], part.rank[which])
    return best
