"""A pool from fewer teams."""

from collections.abc import Sequence
from typing import Annotated

import numpy as np

from irmeval.collection import Collection
from irmeval.collection.team_names import LETTERS, TeamRule, team_of
from irmeval.core.params import Param
from irmeval.reductions.base import TEAMS, keep_judgments, reduction
from irmeval.reductions.shallow import best_ranks_by_group

PoolDepth = Annotated[
    int,
    Param(
        "pool depth",
        "A run contributes its documents down to this rank; TREC often used 100.",
        low=1,
        high=1_000_000,
    ),
]


@reduction("teams", source="Zobel 1998, pools without some of the groups", axis=TEAMS)
def teams(
    collection: Collection,
    levels: Sequence[int],
    rng: np.random.Generator,
    pool: PoolDepth = 100,
    team_rule: TeamRule = LETTERS,
) -> np.ndarray:
    """Shuffle the teams, and keep a judgment only if a run of the first teams has the
    document within the pool depth. All teams together keep their own pool, which may be
    smaller than the qrels.
    """
    return keep_first_teams(
        collection, levels, rng, [team_of(run, team_rule) for run in collection.runs], pool
    )


def keep_first_teams(
    collection: Collection,
    levels: Sequence[int],
    rng: np.random.Generator,
    team: Sequence[str],
    pool: int,
) -> np.ndarray:
    """`teams` with the team of each run given: grades [level, J]."""
    best = ranks_by_team(collection, team)
    nearest = np.minimum.accumulate(best[rng.permutation(len(best))], axis=0)
    return np.stack(
        [keep_judgments(collection, nearest[min(n, len(best)) - 1] <= pool) for n in levels]
    )


def ranks_by_team(collection: Collection, team: Sequence[str]) -> np.ndarray:
    """The best rank of each judged document in the runs of each team [teams, J]; teams
    in the order of their first runs.
    """
    members: dict[str, set[str]] = {}
    for run, name in zip(collection.runs, team, strict=True):
        members.setdefault(name, set()).add(run)
    return best_ranks_by_group(collection, [*members.values()])
