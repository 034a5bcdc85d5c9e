"""Pools of fewer teams."""

from collections.abc import Sequence
from typing import Any

from irmeval.collection.team_names import LETTERS, TeamRule
from irmeval.core.params import checked
from irmeval.core.text import count_noun, verb
from irmeval.experiments.axes.base import Trial, at_most, axis, levels_of
from irmeval.experiments.sweep import Drawn
from irmeval.reductions.teams import PoolDepth, keep_first_teams


@checked
class Pooling:
    """How teams form a pool."""

    pool_depth: PoolDepth = 100
    team_rule: TeamRule = LETTERS


def _fit(trial: Trial, levels: Sequence[Any], own: Pooling) -> tuple[Any, ...]:
    return at_most(levels, len({*trial.teams(own.team_rule)}))


@axis(
    "teams",
    words="teams",
    params=Pooling,
    levels=levels_of(
        int,
        (20, 12, 8, 5, 3, 2, 1),
        "teams",
        "Number of teams, drawn at random, that form the pool; a higher number means all.",
        low=1,
        high=10_000,
        offers=(1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50),
        descending=True,
        template="{} teams",
    ),
    write=lambda level: count_noun(level, "team"),
    on="On pools of {}",
    everything="all judgments",
    at=lambda level: f"at {level:.3g} {verb(level, 'team', 'teams')}",
    xtitle="teams in the pool",
    even=True,
    fit=_fit,
)
def teams(trial: Trial, levels: Sequence[Any], own: Pooling) -> list[Drawn]:
    """Forms the pool from some of the teams, drawn at random in each trial."""
    grades = keep_first_teams(
        trial.collection, levels, trial.generator(), trial.teams(own.team_rule), own.pool_depth
    )
    return [*map(Drawn, grades)]
