"""Remarks on a collection, and the contents of a score matrix."""

from collections.abc import Iterable

import numpy as np

from irmeval.collection import Collection
from irmeval.collection.caveats import describe_caveats, remarks_on_sample
from irmeval.core.lazy import pd
from irmeval.core.text import count_noun, list_few
from irmeval.experiments.data.collection import contents
from irmeval.metrics import METRICS, Measure
from irmeval.metrics.base import Metric
from irmeval.metrics.strata import STANDS
from irmeval.reading.ir_metadata import describe_unreadable
from irmeval.reading.score_matrix import Matrix

FEW = 3
"""Maximum number of measures in a sentence."""


def summarize_matrix(matrix: Matrix) -> "pd.DataFrame":
    """One row per run of a score matrix, best first: mean, least and most over topics,
    and the number of topics with score 0.
    """
    x = matrix.values
    columns = {
        "run": matrix.runs,
        "mean": x.mean(axis=1),
        "least": x.min(axis=1),
        "most": x.max(axis=1),
        "topics at 0": (x == 0).sum(axis=1),
    }
    return pd.DataFrame(columns).sort_values(
        "mean", ascending=False, kind="stable", ignore_index=True
    )


def remarks(collection: Collection) -> list[str]:
    """Sentences on caveats of all results on this collection."""
    said = []
    relevant = np.bincount(collection.topic[collection.grade > 0], minlength=len(collection.topics))
    if none := [t for t, r in zip(collection.topics, relevant, strict=True) if r == 0]:
        effect = _describe_empty_topics(collection, len(none))
        said.append(
            f"{count_noun(len(none), 'topic')} without a relevant document: {list_few(none)}."
            f" {effect}"
        )
    if collection.design:
        said += remarks_on_sample(collection)[1:]
    elif negative := int((collection.grade < 0).sum()):
        said.append(
            f"{count_noun(negative, 'judgment')} with a negative grade, counted as pooled but not"
            " judged."
        )
    table = contents(collection).runs()
    said += filter(None, [describe_caveats(collection)])
    if names := list(table["run"][table["topics unknown"] > 0]):
        said.append(
            f"{count_noun(len(names), 'run')} of {len(table)} with topics missing from the qrels,"
            f" which are left out: {list_few(names)}."
        )
    return said + describe_unreadable(collection.runs, collection.headers)


def describe_bias(collection: Collection, measures: Iterable[Measure]) -> str:
    """Measures that are biased on a sample of the judgments, with the direction, and
    metrics that estimate their values. Inferred metrics need strata whose documents
    have equal probabilities.
    """
    biased = [m for m in measures if _scores_judgments(m.metric)]
    off = [str(m) for m in biased if _errs_to_both_sides(m)]
    low = [str(m) for m in biased if m not in off]
    said = []
    if off:
        said.append(f"{list_few(off, FEW)} may be far off, too low or too high")
    if low:
        said.append(f"{list_few(low, FEW)} can only be too low")
    if not said:
        return ""
    examples = [metric.example for metric in _estimators(collection)]
    return f"On it {'; '.join(said)}. To estimate: {list_few(examples, 2)}."


def _estimators(collection: Collection) -> list[Metric]:
    """Metrics that estimate from its sample."""
    found = [*filter(_estimates, METRICS.values())]
    if collection.design is None or collection.design.alike:
        return found
    return [metric for metric in found if metric.name.startswith("stat")]


def _scores_judgments(metric: Metric) -> bool:
    """Whether it takes a sample for all judgments: no estimator, and no diagnostic of
    the judgments themselves.
    """
    return metric.family != "diagnostics" and not _estimates(metric)


def _errs_to_both_sides(m: Measure) -> bool:
    """Whether it is divided by R, or leaves unjudged documents out."""
    return bool(m.prime or m.metric.recall_based or m.metric.judged_only)


def _estimates(metric: Metric) -> bool:
    """Whether a metric estimates what it would be on all judgments."""
    return metric.unjudged == STANDS and metric.family != "diagnostics"


def _describe_empty_topics(collection: Collection, none: int) -> str:
    """Treatment of topics without relevant documents by the policy, and the effect of
    the alternative.
    """
    T = len(collection.topics)
    if collection.policy.empty == "zero":
        return (
            f"They count as 0, as in trec_eval; without them, every mean is {T / (T - none):.4g}"
            " times as high."
            if none < T
            else ""
        )
    if none == T:
        return "They have no score, so no run has a mean."
    return (
        "They have no score and are left out of means; with 0 for them, as in trec_eval, every"
        f" mean is {(T - none) / T:.4g} times as high."
    )
