"""What a run is estimated to lose that did not contribute to the pool: added to its score, it corrects the bias."""

from collections.abc import Iterator

import numpy as np

from irmeval.collection import Collection
from irmeval.metrics import Measure
from irmeval.reductions.shallow import keep_judgments
from irmeval.scoring.scores import evaluate_many
from irmeval.scoring.selection import select_by_name


def mean_losses(
    collection: Collection, measures: tuple[Measure, ...], team: np.ndarray, pooled: np.ndarray, without: np.ndarray, teams: Iterator[int]
) -> np.ndarray:
    """What runs of other teams lose on average if their own team goes too, once a team is left out [measure, team]; NaN where no run of
    another team has both scores.

    It is the adjustment of Webber & Park 2009 for a run that did not contribute: the mean, over the runs that did, of the score on their
    pool less the score on the pool without their own; here as ``WebberOnRunsEstimator`` in the code of Lipani, Lupu & Hanbury 2016
    computes it, a team at a time. What only the team that is left out contributed is in neither pool.

    Parameters
    ----------
    team : int [run], number of the team of each run
    pooled : bool [team, judgment], whether a team contributed a document
    without : float64 [measure, team, run], means of all runs without what only a team contributed
    teams : the numbers of the teams, each taken when its turn comes
    """
    count = pooled.sum(axis=0)
    lost = np.full(without.shape, np.nan)
    for other in teams:
        own = np.flatnonzero(team == other)
        runs = select_by_name(collection, [collection.runs[r] for r in own], collection.topics)
        out = [t for t in range(len(pooled)) if t != other]
        kept = (~((count > 0) & (count == pooled[t].astype(int) + pooled[other])) for t in out)
        cells = evaluate_many(runs, ((measures, keep_judgments(collection, which)) for which in kept))
        for t, scores in zip(out, cells, strict=True):
            lost[:, t, own] = without[:, t, own] - scores().means
    known = np.isfinite(lost)
    total, runs_known = np.where(known, lost, 0).sum(axis=2), known.sum(axis=2)
    return np.where(runs_known > 0, total / np.maximum(runs_known, 1), np.nan)


def error_with_common_topics(lost: np.ndarray, common: int) -> np.ndarray:
    """Root mean square error of the mean over other topics, if what is lost on common topics, drawn at random, is added [...]; NaN where
    there are no other topics.

    On the common topics a run is judged as well as those that made the pool (Webber & Park 2009). What a mean of c topics differs from that
    of the n - c others has the mean 0 and the variance s^2 (1/c + 1/(n - c)) over all draws, s^2 the variance over the n topics.

    Parameters
    ----------
    lost : float64 [..., topic], what is lost on each topic; NaN where there is no score
    common : number of common topics, c
    """
    known = np.isfinite(lost)
    n = known.sum(axis=-1)
    values = np.where(known, lost, 0)
    mean = values.sum(axis=-1, keepdims=True) / np.maximum(n, 1)[..., None]
    square = (np.where(known, values - mean, 0) ** 2).sum(axis=-1) / np.maximum(n - 1, 1)
    return np.where(n > common, np.sqrt(square * (1 / common + 1 / np.maximum(n - common, 1))), np.nan)
