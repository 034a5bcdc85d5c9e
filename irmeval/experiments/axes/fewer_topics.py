"""Fewer topics."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from irmeval.core.text import count_noun, verb
from irmeval.experiments.axes.base import Nothing, Trial, at_most, axis, levels_of
from irmeval.experiments.sweep import Drawn


@axis(
    "topics",
    words="topics",
    levels=levels_of(
        int,
        (50, 40, 30, 20, 10, 5),
        "topics",
        "Number of topics, drawn at random; a higher number means all topics.",
        low=1,
        high=100_000,
        offers=(2, 5, 10, 15, 20, 25, 30, 40, 50, 75, 100, 150, 200, 250),
        descending=True,
        template="{} topics",
    ),
    write=lambda level: count_noun(level, "topic"),
    on="On {}",
    everything="all topics",
    at=lambda level: f"at {level:.3g} {verb(level, 'topic', 'topics')}",
    xtitle="topics",
    fit=lambda trial, levels, own: at_most(levels, len(trial.collection.topics)),
)
def topics(trial: Trial, levels: Sequence[Any], own: Nothing) -> list[Drawn]:
    """Draws topics at random. In a trial, a smaller set of topics is part of every
    larger one.
    """
    collection, number = trial.collection, len(trial.collection.topics)
    place = np.empty(number, np.int64)
    place[trial.generator().permutation(number)] = np.arange(number)
    return [Drawn(collection.grade, place < n) for n in levels]
