"""Two collections that nobody chose: one with few relevant documents and one with many,
drawn from a seed, to see what a lesson says on data that it was not written on.
"""

from functools import cache

import numpy as np

from irmeval import Collection
from irmeval.collection.build import from_lists

POOL = 30
"""Depth to which the runs are pooled."""
DEPTH = 100
"""Documents that a run retrieves for a topic."""
FOUND = 200
"""Documents that some system could retrieve for a topic."""
TEAMS = ("alder", "beech", "cedar", "dogwood", "elm", "fir", "ginkgo", "hazel")


@cache
def made_up(share: float, *, topics: int = 40, seed: int = 11) -> Collection:
    """Two runs each of eight teams on documents of which about this share is relevant,
    in grades 1 to 3, at random. Runs of a team err alike; some teams are better.
    """
    rng = np.random.default_rng(seed)
    names = [f"{team}{i}" for team in TEAMS for i in (1, 2)]
    skill = np.repeat(np.linspace(0.5, 1.6, len(TEAMS)), 2) + rng.normal(0, 0.1, len(names))
    judgments: list[list[int]] = []
    lists: dict[str, list[list[int]]] = {name: [] for name in names}
    for _ in range(topics):
        relevant = rng.random(FOUND) < np.clip(share * rng.lognormal(0, 0.4), 0.02, 0.9)
        relevant[0] = True
        grades = np.where(relevant, rng.choice([1, 2, 3], FOUND, p=[0.6, 0.3, 0.1]), 0)
        hard, team = rng.normal(0, 1, FOUND), rng.normal(0, 0.7, (len(TEAMS), FOUND))
        worth = skill[:, None] * grades + hard + np.repeat(team, 2, axis=0)
        ranked = np.argsort(-(worth + rng.normal(0, 0.5, worth.shape)), axis=1)[:, :DEPTH]
        pooled = np.unique(ranked[:, :POOL])
        place = {document: i for i, document in enumerate(pooled.tolist())}
        judgments.append(grades[pooled].tolist())
        for name, ranking in zip(names, ranked.tolist(), strict=True):
            lists[name].append([place.get(document, -1) for document in ranking])
    return from_lists(judgments, lists)
