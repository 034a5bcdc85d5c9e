"""Remarks on a collection, and the contents of a score matrix."""

from collections.abc import Iterable
from itertools import compress

import numpy as np

from irmeval.collection import Collection
from irmeval.collection.caveats import describe_caveats, describe_unmatched, remarks_on_sample
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
    said = [_describe_topics_without_relevant(collection)]
    # of a sample, a negative grade is a document that was not drawn: no caveat
    if collection.design:
        said += remarks_on_sample(collection)[1:]
    else:
        said.append(_describe_negative(collection))
    said += [describe_caveats(collection), _describe_unknown_topics(collection)]
    said.append(describe_unmatched(collection))
    unreadable = describe_unreadable(collection.runs, collection.headers)
    return [*filter(None, said), *unreadable]


def _describe_topics_without_relevant(collection: Collection) -> str:
    relevant = np.bincount(collection.topic[collection.grade > 0], minlength=len(collection.topics))
    none = [*compress(collection.topics, relevant == 0)]
    if not none:
        return ""
    topics, effect = count_noun(len(none), "topic"), _describe_empty_topics(collection, len(none))
    return f"{topics} without a relevant document: {list_few(none)}. {effect}"


def _describe_negative(collection: Collection) -> str:
    negative = int((collection.grade < 0).sum())
    if not negative:
        return ""
    judgments = count_noun(negative, "judgment")
    return f"{judgments} with a negative grade, counted as pooled but not judged."


def _describe_unknown_topics(collection: Collection) -> str:
    table = contents(collection).runs()
    names = list(table["run"][table["topics unknown"] > 0])
    if not names:
        return ""
    return (
        f"{count_noun(len(names), 'run')} of {len(table)} with topics missing from the qrels,"
        f" which are left out: {list_few(names)}."
    )


def describe_bias(collection: Collection, measures: Iterable[Measure]) -> str:
    """Measures that are biased on a sample of the judgments, with the direction, and
    metrics that estimate their values. Inferred metrics need strata whose documents
    have equal probabilities.
    """
    biased = [m for m in measures if _scores_judgments(m.metric)]
    sides: dict[bool, list[str]] = {True: [], False: []}
    for m in biased:
        sides[_errs_to_both_sides(m)].append(str(m))
    words = {True: "may be far off, too low or too high", False: "can only be too low"}
    said = [f"{list_few(names, FEW)} {words[both]}" for both, names in sides.items() if names]
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
    return any((m.prime, m.metric.recall_based, m.metric.judged_only))


def _estimates(metric: Metric) -> bool:
    """Whether a metric estimates what it would be on all judgments."""
    return metric.unjudged == STANDS and metric.family != "diagnostics"


def _describe_empty_topics(collection: Collection, none: int) -> str:
    """Treatment of topics without relevant documents by the policy, and the effect of
    the alternative.
    """
    T = len(collection.topics)
    counts_as_zero = collection.policy.empty == "zero"
    if none == T:
        return "" if counts_as_zero else "They have no score, so no run has a mean."
    if counts_as_zero:
        return (
            f"They count as 0, as in trec_eval; without them, every mean is {T / (T - none):.4g}"
            " times as high."
        )
    return (
        "They have no score and are left out of means; with 0 for them, as in trec_eval, every"
        f" mean is {(T - none) / T:.4g} times as high."
    )
