"""Shallower pools."""

from collections.abc import Sequence
from typing import Any

from irmeval.collection import Collection
from irmeval.experiments.axes.base import Nothing, Trial, axis, levels_of
from irmeval.experiments.sweep import Drawn
from irmeval.experiments.trials import note_depths
from irmeval.reductions import draw

WORDS = "pool depth"
"""Its name in the question."""
SHALLOWER: tuple[str, dict[str, str]] = ("curves", {"of": WORDS})
"""Page and settings of the question about a shallower pool."""


def longest(collection: Collection) -> int:
    """Number of documents in the longest list."""
    return int(collection.length.max(initial=0))


@axis(
    "depth",
    words=WORDS,
    levels=levels_of(
        int,
        (100, 50, 20, 10, 5, 2, 1),
        "pool depths",
        "A document is judged if a loaded run has it at this rank or higher.",
        low=1,
        high=1_000_000,
        offers=(1, 2, 3, 5, 10, 15, 20, 30, 50, 75, 100, 150, 200, 500, 1000),
        descending=True,
    ),
    write="depth {}".format,
    on="On a pool of {}",
    everything="all judgments",
    at=lambda level: f"at depth {int(level)}",
    xtitle="pool depth",
    even=True,
    trials=1,
    random=lambda own: False,
    note=lambda collection, levels: note_depths(levels, longest(collection)),
)
def depth(trial: Trial, levels: Sequence[Any], own: Nothing) -> list[Drawn]:
    """Keeps only judgments of documents that a loaded run has near its top."""
    # always trial 1: nothing is drawn
    return [*map(Drawn, draw(trial.collection, "shallow", levels, 1, trial.seed))]
