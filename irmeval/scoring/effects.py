"""The effect of judging a document on the difference of two runs."""

from collections.abc import Sequence

import numpy as np

from irmeval.collection import Collection
from irmeval.collection.merge import join_judgments
from irmeval.core import parallel
from irmeval.core.errors import ParamError
from irmeval.metrics import Measure
from irmeval.reading.named_columns import string_array
from irmeval.reading.trec import make_qrels
from irmeval.scoring.scores import evaluate
from irmeval.scoring.selection import select_by_name


def effects(
    collection: Collection, measure: Measure, a: str, b: str, topic: np.ndarray, documents: Sequence[str], grade: int = 1
) -> np.ndarray:
    """The change of the difference of means, run a less run b, if one unjudged document gets this grade [n].

    `topic` int [n] is the topic of each of `documents`, each once per topic. `ParamError` for a grade above the highest of the qrels. Exact
    for all measures but infAP, which treats documents in the pool differently: here all these documents are in the pool. The lists are read
    again, as the documents may be at any rank. Topics do not depend on each other, so one document of each topic is tried at a time.
    """
    if grade > collection.top_grade:
        raise ParamError(f"grade: expected at most {collection.top_grade}, the highest of the qrels, found {grade}.")
    if not documents:
        return np.zeros(0)
    given = make_qrels("unjudged", collection.topics, topic, string_array(documents), np.full(topic.size, -1))
    pair = join_judgments(select_by_name(collection, [a, b], collection.topics), given)
    low = np.flatnonzero(pair.grade <= 0)  # a policy may grade unjudged documents of the pool as nonrelevant
    texts = pair.documents.take(low).to_pylist()
    slot_of = dict(zip(zip(pair.topic[low].tolist(), texts, strict=True), low.tolist(), strict=True))
    slots = np.array([slot_of[key] for key in zip(topic.tolist(), documents, strict=True)], np.int64)
    judged = np.array(pair.grade)
    judged[slots] = -1
    scores = evaluate(pair, [measure], grades=judged)
    places = [pair.runs.index(run) for run in (a, b)]
    before, now = scores.values[0][places], np.nan_to_num(scores.means[0][places])
    order = np.argsort(topic, kind="stable")
    turn = np.empty(topic.size, np.int64)
    turn[order] = np.arange(topic.size) - np.searchsorted(topic[order], topic[order])
    after = np.empty((2, topic.size))
    for this in range(int(turn.max(initial=-1)) + 1):
        parallel.check_cancelled()
        tried = np.flatnonzero(turn == this)
        grades = judged.copy()
        grades[slots[tried]] = grade
        after[:, tried] = evaluate(pair, [measure], grades=grades).values[0][places][:, topic[tried]]
    old = before[:, topic]
    total = np.nansum(before, axis=1, keepdims=True) - np.nan_to_num(old) + np.nan_to_num(after)
    topics = np.isfinite(before).sum(axis=1, keepdims=True) - np.isfinite(old) + np.isfinite(after)
    means = total if measure.metric.summed else total / np.maximum(topics, 1)
    return np.asarray(means[0] - means[1] - (now[0] - now[1]))
