"""Merging of new judgments with those of the first judge."""

from dataclasses import replace
from itertools import filterfalse
from typing import NamedTuple

import numpy as np

from irmeval.collection import Collection
from irmeval.core.errors import ReadError
from irmeval.core.places import pick, place_of_each
from irmeval.core.text import shorten
from irmeval.reading.lines import numbered_lines
from irmeval.reading.parsing import settled_qrels
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
    came = settled_qrels(name, data)
    number = place_of_each(collection.topics)
    for strange in filterfalse(number.__contains__, came.topics):
        line, remedy = _line_of(data, strange), "Leave out its lines, or select the topic."
        raise ReadError(name, line, "topics of the collection", shorten(strange), remedy)
    graded = np.flatnonzero(came.grade >= 0)
    if not graded.size:
        expected = "a grade of 0 or higher for at least one document"
        raise ReadError(name, None, expected, "none", "Put grades in place of -1.")
    topic = np.array(pick(number, came.topics))[came.topic[graded]]
    parts = topic, came.documents.take(graded), came.grade[graded]
    taken = replace(make_qrels(name, collection.topics, *parts), sha256=came.sha256)
    new, held = _grades_of(taken), _grades_of(collection)
    # before the runs are joined: two grades of one document would become the higher
    again = [pair for pair in new if held.get(pair, -1) >= 0]
    if again:
        first, grade = held[again[0]], new[again[0]]
        of, document = again[0]
        said = "judged already" if first == grade else f"already graded {first}, here {grade}"
        more = f", and {len(again) - 1:,} more" if len(again) > 1 else ""
        line = _line_of(data, of, document)
        told = f"{shorten(document)} of topic {shorten(of)}, {said}{more}"
        raise ReadError(name, line, "documents not judged yet", told, "Leave them out.")
    waiting = came.grade.size - graded.size
    return ReturnedJudgments(join_judgments(collection, taken), taken, waiting)


def _grades_of(judged: Collection | Qrels) -> dict[tuple[str, str], int]:
    """Topic and document of each judgment -> its grade, in their order."""
    of = map(judged.topics.__getitem__, judged.topic.tolist())
    pairs = zip(of, judged.documents.to_pylist(), strict=True)
    return dict(zip(pairs, judged.grade.tolist(), strict=True))


def _line_of(data: bytes, topic: str, document: str | None = None) -> int:
    """Number of the first line with a topic, or with a document of it, in the text of a
    qrels file.
    """
    for number, line in numbered_lines(data):
        first, _, name, _ = line.split()
        if first.decode() == topic and document in (None, name.decode()):
            return number
    raise AssertionError(f"{topic} {document}")
