"""Agreement with all judgments."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from irmeval.core.text import list_all
from irmeval.experiments.headlines import WORST, best_and_worst
from irmeval.experiments.watched.base import COUNTS, Curve, OnGrades, Read, Reading, statistic
from irmeval.stats.judge_agreement import confusion
from irmeval.stats.judge_agreement import kappa as kappa_of

CURVE = Curve(
    "kappa",
    "kappa",
    "Kappa",
    "Agreement of the grades with all judgments, by chance corrected: Cohen's kappa over the"
    " documents that are judged in both.",
    "kappa",
    top=1.0,
    level=COUNTS,
)


def _kappa(sample: OnGrades, params: Any) -> float:
    collection = sample.collection
    grades = np.unique(collection.grade[collection.grade >= 0])
    met = confusion(
        collection.grade, sample.drawn.grades, grades, collection.topic, len(collection.topics)
    )
    topics = sample.drawn.topics
    if topics is not None:
        met = met[topics]
    return float(kappa_of(met.sum(axis=0), grades))


READ = Reading("kappa", _kappa, measured=False)


def _says(result: Any) -> str:
    values = result.last("kappa")
    if result.by.name:
        predicate = "agree with all judgments {}"
        return best_and_worst(
            result.names, values, predicate, WORST, label="kappa", noun=result.noun
        )
    said = [f"{value:.2f}" if value == value else "undefined" for value in values.tolist()]
    return f"kappa with all judgments is {list_all(said)}"


@statistic(
    "kappa",
    words="agreement with all judgments",
    reads=(READ,),
    curves=lambda result: [CURVE],
    says=_says,
    measured=False,
    along=True,
)
def kappa(whole: Read, here: Read, params: Any) -> Mapping[str, Any]:
    """Cohen's kappa of the grades with all judgments: 1 if all agree, 0 if they agree
    as often as by chance.
    """
    return {"kappa": here["kappa"]}
