"""Loss of a run whose team did not contribute to the pool, and estimates of it that
correct the score.
"""

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np

from irmeval.collection import Collection
from irmeval.core.places import pick
from irmeval.experiments.results import Result
from irmeval.metrics import Measure
from irmeval.reductions.base import keep_judgments
from irmeval.scoring.scores import evaluate_many
from irmeval.scoring.selection import select_by_name
from irmeval.stats.means import mean_of_known


class WithoutTeam(Result):
    """Results on scores and ranks of each run, with and without its own team's unique
    contributions.
    """

    score: np.ndarray
    """float64 [..., run], means on all judgments"""
    score_without: np.ndarray
    """the same without the team's own judgments"""
    rank: np.ndarray
    """int [..., run], place among all runs, all scored on the same judgments; 1 is
    best
    """
    rank_without: np.ndarray
    """the same without the team's own judgments"""
    team_of_run: tuple[str, ...]
    measures: tuple[Measure, ...]
    runs: tuple[str, ...]
    params: Any

    @cached_property
    def lost(self) -> np.ndarray:
        """Share of its score that each run loses [..., run]; below 0 if it gains."""
        with np.errstate(divide="ignore", invalid="ignore"):
            # a score of 0 cannot be lost
            return np.where(self.score == 0, 0.0, 1 - self.score_without / self.score)

    @cached_property
    def places(self) -> np.ndarray:
        """Places that each run loses, int [..., run]."""
        return self.rank_without - self.rank

    @property
    def columns(self) -> dict[str, np.ndarray]:
        """Columns of a table of runs: team, scores, share lost, ranks, places lost."""
        return {
            "team": np.array(self.team_of_run, dtype=object),
            "score": self.score,
            "score_without": self.score_without,
            "lost": self.lost,
            "rank": self.rank,
            "rank_without": self.rank_without,
            "places_lost": self.places,
        }


def mean_losses(
    collection: Collection,
    measures: tuple[Measure, ...],
    team: np.ndarray,
    pooled: np.ndarray,
    without: np.ndarray,
    teams: Iterator[int],
) -> np.ndarray:
    """Average loss of other teams' runs without their own team, with one more team left
    out [measure, team]; NaN if no run of another team has both scores.

    This is the adjustment of Webber & Park 2009 for a run that did not contribute: the
    mean, over the runs that did, of the score on their pool minus the score on the pool
    without their own documents. It is computed one team at a time, as
    ``WebberOnRunsEstimator`` in the code of Lipani, Lupu & Hanbury 2016 does. Neither
    pool has what only the team left out contributed.

    Parameters
    ----------
    team : int [run], number of the team of each run
    pooled : bool [team, judgment], whether a team contributed a document
    without : float64 [measure, team, run], means of all runs without what only a team
        contributed
    teams : numbers of the teams; the iterator is advanced before each is computed
    """
    count = pooled.sum(axis=0)
    lost = np.full(without.shape, np.nan)
    for other in teams:
        own = np.flatnonzero(team == other)
        runs = select_by_name(collection, pick(collection.runs, own), collection.topics)
        out = [t for t in range(len(pooled)) if t != other]
        kept = (~((count > 0) & (count == pooled[t].astype(int) + pooled[other])) for t in out)
        cells = evaluate_many(
            runs, ((measures, keep_judgments(collection, which)) for which in kept)
        )
        for t, scores in zip(out, cells, strict=True):
            lost[:, t, own] = without[:, t, own] - scores().means
    return mean_of_known(lost)


def error_with_common_topics(lost: np.ndarray, common: int) -> np.ndarray:
    """Root mean square error of a mean over topics to which the loss on c common topics
    is added [...]; NaN without other topics.

    On the common topics, drawn at random, a run is judged as well as those that made
    the pool (Webber & Park 2009). Over all draws, the mean of c topics minus that of
    the n - c others has mean 0 and variance s^2 (1/c + 1/(n - c)), where s^2 is the
    variance over the n topics.

    Parameters
    ----------
    lost : float64 [..., topic], what is lost on each topic; NaN where there is no score
    common : c
    """
    known = np.isfinite(lost)
    n = known.sum(axis=-1)
    values = np.where(known, lost, 0)
    mean = values.sum(axis=-1, keepdims=True) / np.maximum(n, 1)[..., None]
    square = (np.where(known, values - mean, 0) ** 2).sum(axis=-1) / np.maximum(n - 1, 1)
    return np.where(
        n > common, np.sqrt(square * (1 / common + 1 / np.maximum(n - common, 1))), np.nan
    )
