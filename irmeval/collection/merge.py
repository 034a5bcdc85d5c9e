"""Merging of new judgments with those of the first judge."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from irmeval.collection import Collection
from irmeval.core.errors import ReadError
from irmeval.core.text import shorten
from irmeval.reading.lines import numbered_lines
from irmeval.reading.parsing import read_qrels
from irmeval.reading.trec import Qrels, make_qrels

RETURNED = "returned"
"""Name of the judge under which new judgments are added to a collection."""


def join_judgments(collection: Collection, qrels: Qrels) -> Collection:
    """The collection with more judged documents in its pool. The lists are read again,
    so all ranks are exact.
    """
    joined = replace(collection, panel=None).with_judgments(RETURNED, qrels)
    assert joined.panel is not None
    return joined.panel.union


class ReturnedJudgments(NamedTuple):
    """New judgments, and the collection with them."""

    collection: Collection
    """the collection with the new judgments as the first judge's"""
    qrels: Qrels
    """the new judgments, without documents that have no grade yet"""
    waiting: int
    """number of documents in the file that have no grade yet (-1)"""


def merge_judgments(collection: Collection, name: str, data: bytes) -> ReturnedJudgments:
    """Add the judgments in the text of a qrels file to those of the first judge. A
    negative grade means not judged yet.

    Raises
    ------
    ReadError
        For a text that is no qrels file, an unknown topic, a document that the first
        judge has judged already or that is repeated, or if no document has a grade;
        with the line.
    ParamError
        If the lists cannot be read again.
    """
    came = read_qrels(name, data)
    number = {topic: t for t, topic in enumerate(collection.topics)}
    if strange := [topic for topic in came.topics if topic not in number]:
        line = _line_of(data, strange[0])
        raise ReadError(
            name,
            line,
            "topics of the collection",
            shorten(strange[0]),
            "Leave out its lines, or select the topic.",
        )
    graded = np.flatnonzero(came.grade >= 0)
    if not graded.size:
        raise ReadError(
            name,
            None,
            "a grade of 0 or higher for at least one document",
            "none",
            "Put grades in place of -1.",
        )
    topic = np.array([number[topic] for topic in came.topics])[came.topic]
    judged = np.flatnonzero(collection.grade >= 0)
    texts = collection.documents.take(judged).to_pylist()
    grade_of = dict(
        zip(
            zip(collection.topic[judged].tolist(), texts, strict=True),
            collection.grade[judged].tolist(),
            strict=True,
        )
    )
    keys = [*zip(topic.tolist(), came.documents.to_pylist(), came.grade.tolist(), strict=True)]
    if again := [
        (t, document, grade)
        for t, document, grade in keys
        if grade >= 0 and (t, document) in grade_of
    ]:
        t, document, grade = again[0]
        held = grade_of[t, document]
        said = "judged already" if held == grade else f"already graded {held}, here {grade}"
        more = f", and {len(again) - 1:,} more" if len(again) > 1 else ""
        line = _line_of(data, collection.topics[t], document)
        told = f"{shorten(document)} of topic {shorten(collection.topics[t])}, {said}{more}"
        raise ReadError(name, line, "documents not judged yet", told, "Leave them out.")
    parts = topic[graded], came.documents.take(graded), came.grade[graded]
    taken = replace(make_qrels(name, collection.topics, *parts), sha256=came.sha256)
    return ReturnedJudgments(
        join_judgments(collection, taken), taken, came.grade.size - graded.size
    )


def _line_of(data: bytes, topic: str, document: str | None = None) -> int:
    """Number of the first line with a topic, or with a document of it, in the text of a
    qrels file.
    """
    for number, line in numbered_lines(data):
        first, _, name, _ = line.split()
        if first.decode() == topic and document in (None, name.decode()):
            return number
    raise AssertionError(f"{topic} {document}")
