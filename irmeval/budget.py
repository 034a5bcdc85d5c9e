"""What it is worth to judge a document, for the difference of two runs and where judges disagree; and judgments that come back."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from irmeval import parallel
from irmeval.collection import Collection
from irmeval.errors import ParamError, ReadError
from irmeval.judges import Judges
from irmeval.metrics import Measure
from irmeval.reading.foreign import strings
from irmeval.reading.lines import rows
from irmeval.reading.trec import Qrels, qrels_of, read_qrels
from irmeval.scores import evaluate
from irmeval.selection import by_name
from irmeval.words import shorten

RETURNED = "returned"
"""As whose the judgments that came back join a collection."""


def effects(
    collection: Collection, measure: Measure, a: str, b: str, topic: np.ndarray, documents: Sequence[str], grade: int = 1
) -> np.ndarray:
    """By how much the mean of run a less that of run b changes, were one unjudged document of this grade, the others as they are [n].

    Exact but for infAP, which tells documents in the pool from others: here all of these are in it. The lists are read again, as documents
    that no judge was given may stand anywhere in them. Scores of a topic do not depend on other
    topics, so that one document of each topic is tried at a time.

    Parameters
    ----------
    topic : int [n], which topic of the collection
    documents : [n], each once per topic
    grade : at most the highest of the qrels, or `ParamError`
    """
    if grade > collection.top_grade:
        raise ParamError(f"grade: expected at most {collection.top_grade}, the highest of the qrels, came {grade}.")
    given = qrels_of("unjudged", collection.topics, topic, strings(documents), np.full(topic.size, -1))
    pair = _joined(by_name(collection, [a, b], collection.topics), given)
    low = np.flatnonzero(pair.grade <= 0)  # a policy may take what is not judged for not relevant, once it is in the pool
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
        parallel.look()
        tried = np.flatnonzero(turn == this)
        grades = judged.copy()
        grades[slots[tried]] = grade
        after[:, tried] = evaluate(pair, [measure], grades=grades).values[0][places][:, topic[tried]]
    old = before[:, topic]
    total = np.nansum(before, axis=1, keepdims=True) - np.nan_to_num(old) + np.nan_to_num(after)
    topics = np.isfinite(before).sum(axis=1, keepdims=True) - np.isfinite(old) + np.isfinite(after)
    means = total if measure.metric.summed else total / np.maximum(topics, 1)
    change: np.ndarray = means[0] - means[1] - (now[0] - now[1])
    return change


def _joined(collection: Collection, qrels: Qrels) -> Collection:
    """A collection whose pool has more documents, and the grades that these have; exact all down the lists, which are read again."""
    joined = replace(collection, panel=None).with_judgments(RETURNED, qrels)
    assert joined.panel is not None
    return joined.panel.union


def disagreement(judges: Judges) -> np.ndarray:
    """How far the judges but for the first are apart on each document that the first has not judged: the mean difference of the grades of
    every two of them, float64 [documents]; NaN where the first has judged it, or fewer than two others have."""
    others = judges.grade[1:]
    n = (others >= 0).sum(axis=0)
    total = np.zeros(n.size)
    for a in range(len(others)):
        for b in range(a + 1, len(others)):
            total += np.where((others[a] >= 0) & (others[b] >= 0), np.abs(others[a] - others[b]), 0)
    asked = (judges.grade[0] < 0) & (n >= 2)
    return np.where(asked, total / np.maximum(n * (n - 1) / 2, 1), np.nan)


class Returned(NamedTuple):
    """Judgments that came back, and the collection with them."""

    collection: Collection
    """with them as the first judge's"""
    qrels: Qrels
    """those that came, without what is not judged yet"""
    waiting: int
    """documents of the file that have no grade yet (-1)"""


def take_back(collection: Collection, name: str, data: bytes) -> Returned:
    """Judgments that come back as the text of a qrels file, taken for the first judge's; a negative grade is none yet.

    Raises
    ------
    ReadError
        With the line: for what is no qrels; a topic that the collection lacks; a document that the first judge has judged already, or that
        stands there twice; and where no document has a grade.
    ParamError
        Where the lists cannot be read again.
    """
    came = read_qrels(name, data)
    number = {topic: t for t, topic in enumerate(collection.topics)}
    if strange := [topic for topic in came.topics if topic not in number]:
        line = _line_of(data, strange[0])
        raise ReadError(name, line, "topics of the collection", shorten(strange[0]), "Leave its lines out, or select the topic.")
    graded = np.flatnonzero(came.grade >= 0)
    if not graded.size:
        raise ReadError(name, None, "a grade from 0 on for some document", "none", "Put grades in place of -1.")
    topic = np.array([number[topic] for topic in came.topics])[came.topic]
    judged = np.flatnonzero(collection.grade >= 0)
    texts = collection.documents.take(judged).to_pylist()
    grade_of = dict(zip(zip(collection.topic[judged].tolist(), texts, strict=True), collection.grade[judged].tolist(), strict=True))
    keys = [*zip(topic.tolist(), came.documents.to_pylist(), came.grade.tolist(), strict=True)]
    if again := [(t, document, grade) for t, document, grade in keys if grade >= 0 and (t, document) in grade_of]:
        t, document, grade = again[0]
        held = grade_of[t, document]
        said = "judged already" if held == grade else f"of grade {held} already, here {grade}"
        more = f", and {len(again) - 1:,} more" if len(again) > 1 else ""
        line = _line_of(data, collection.topics[t], document)
        told = f"{shorten(document)} of topic {shorten(collection.topics[t])}, {said}{more}"
        raise ReadError(name, line, "documents not judged yet", told, "Leave them out.")
    parts = topic[graded], came.documents.take(graded), came.grade[graded]
    taken = qrels_of(name, collection.topics, *parts)._replace(sha256=came.sha256)
    return Returned(_joined(collection, taken), taken, came.grade.size - graded.size)


def _line_of(data: bytes, topic: str, document: str | None = None) -> int:
    """Which line of a qrels' text is the first of a topic, or of a document of it."""
    for number, line in rows(data):
        first, _, name, _ = line.split()
        if first.decode() == topic and document in (None, name.decode()):
            return number
    raise AssertionError(f"{topic} {document}")
