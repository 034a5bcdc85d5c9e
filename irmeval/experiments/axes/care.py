"""Judges who err on more and more documents."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from irmeval.collection import Collection
from irmeval.core.params import checked, param
from irmeval.experiments.axes.base import Trial, axis, levels_of
from irmeval.experiments.sweep import Drawn
from irmeval.judges.simulation import KINDS, draw_mistakes, random_numbers
from irmeval.reading.trec import Qrels


@checked
class Judging:
    """How a simulated judge errs."""

    judge_kind: str = param(
        "kind of judge",
        f"How a simulated judge errs. {'. '.join(f'{k}: {v}' for k, v in KINDS.items())}.",
        choices=tuple(KINDS),
        value_labels={kind: f"a {kind} judge" for kind in KINDS},
        default="noisy",
    )


def _qrels(collection: Collection) -> Qrels:
    return Qrels(collection.topics, collection.topic, collection.documents, collection.grade)


def _numbers(trial: Trial) -> np.ndarray:
    """A random number of each document; trials count from 0."""
    collection = trial.collection
    return random_numbers(
        trial.seed + trial.number - 1, collection.topics, collection.topic, collection.documents
    )


@axis(
    "care",
    words="care of the judge",
    params=Judging,
    levels=levels_of(
        float,
        (0.0, 2.0, 5.0, 10.0, 20.0, 30.0, 50.0),
        "different grade, %",
        "Error rate of a simulated judge, among the documents on which this kind can err.",
        low=0,
        high=100,
        offers=(0, 1, 2, 5, 10, 15, 20, 30, 40, 50, 60, 70, 80, 90, 100),
        template="errors on {} of the documents",
    ),
    write="{:g}%".format,
    on="By simulated judges wrong on {}",
    everything="the actual judgments",
    line="{} errors",
    at="at {:.0f}%".format,
    xtitle="documents with a different grade",
    suffix="%",
    whole=0.0,
    trials=3,
    removes=False,
)
def care(trial: Trial, levels: Sequence[Any], own: Judging) -> list[Drawn]:
    """Grades every document again by a simulated judge, who errs on a share of the
    documents: leniently, strictly, at random, or by distinguishing only relevant from
    nonrelevant.
    """
    collection, numbers = trial.collection, trial.once(_numbers)
    qrels, everywhere = _qrels(collection), np.ones(collection.grade.size, bool)
    # the first trial has the seed itself: it is the simulated judge of that seed
    seed = trial.seed + trial.number - 1

    def judged_again(share: float) -> Drawn:
        if not share:
            # the array itself: samples with the same array are scored once
            return Drawn(collection.grade)
        kind, errs = own.judge_kind, share / 100
        return Drawn(draw_mistakes(qrels, kind, errs, seed, None, everywhere, numbers).grade)

    return [*map(judged_again, levels)]
