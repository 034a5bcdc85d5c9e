"""A run as a dictionary, joined with judgments by looking these up in it.

In a loop of training a run comes again and again with other scores. Nothing is copied
here, only judged documents are looked up, and names are compared only where scores tie.
What is not plain is left to `irmeval.collection.base.build`, which reads or refuses it.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from irmeval.collection.base import Collection, assemble
from irmeval.collection.joining import Lists
from irmeval.core.places import pick, place_of_each
from irmeval.core.text import natural_key, natural_order
from irmeval.reading.arrays import no_texts
from irmeval.reading.lines import HIGHEST_GRADE
from irmeval.reading.order import in_order_of_floats
from irmeval.reading.plain import PlainLists, plain_lists
from irmeval.reading.policy import DEFAULT
from irmeval.reading.trec import Qrels, of_small_type, topic_and_key


class JudgedNames(NamedTuple):
    """Judgments, and their documents as texts."""

    qrels: Qrels
    names: Sequence[Iterable[str]]
    """documents of each topic"""


def look_up(judged: Any, run: Any, *, in_order: bool) -> Collection | None:
    """A run joined with judgments under the default policy, as a collection that is good
    for scores alone: it does not know the documents outside the pool, nor, of a
    dictionary, the names of those within, which are sorted only if they are to be
    `in_order`. None unless both are plain and share a topic.
    """
    lists = plain_lists(run)
    given = _judged(judged, in_order) if lists else None
    if not lists or not given or np.isnan(lists.number).any():
        return None
    unknown = lists.documents.keys() - {*given.qrels.topics}
    if len(unknown) == len(lists.documents):
        return None
    joined = _join(given, lists)._replace(unknown=tuple(sorted(unknown, key=natural_key)))
    return assemble(given.qrels, ["run"], [joined], DEFAULT)


def _judged(judged: Any, in_order: bool) -> JudgedNames | None:
    """Judgments to look up; None for what must be read, or is a sample."""
    if isinstance(judged, Qrels):
        return _of_qrels(judged)
    if in_order:
        return None
    return _of_dictionary(judged)


def _of_qrels(judged: Qrels) -> JudgedNames | None:
    if judged.design:
        return None
    return JudgedNames(judged, judged.names)


def _are_grades(numbers: np.ndarray) -> bool:
    are_whole = numbers == np.rint(numbers)
    # from -HIGHEST_GRADE - 1 on
    return bool(np.all(are_whole & (np.abs(numbers + 0.5) < HIGHEST_GRADE + 1)))


def _of_dictionary(judged: Any) -> JudgedNames | None:
    """Judgments with topics in natural order, and documents in that of the dictionary,
    since no score depends on it; None for what is not plain, or has other numbers than
    grades.
    """
    lists = plain_lists(judged)
    if lists is None:
        return None
    if not _are_grades(lists.number):
        return None
    given, grade = [*lists.documents.items()], lists.number
    order = natural_order([*lists.documents])
    sizes = np.array(lists.sizes)
    if order != [*range(len(given))]:
        parts = np.split(grade, np.cumsum(sizes)[:-1])
        grade = np.concatenate(pick(parts, order))
    topic = np.repeat(np.arange(len(given), dtype=np.int32), sizes[order])
    topics = tuple(given[i][0] for i in order)
    qrels = Qrels(topics, topic, no_texts(), of_small_type(grade))
    return JudgedNames(qrels, [given[i][1] for i in order])


def _join(judged: JudgedNames, lists: PlainLists) -> Lists:
    """Ranks of the judged documents that a run retrieved."""
    topics, sizes = judged.qrels.topics, np.array(lists.sizes)
    place = place_of_each(topics)
    of_list = np.array([place.get(name, -1) for name in lists.documents], np.int32)
    length = np.bincount(of_list + 1, sizes, len(topics) + 1).astype(np.int32)
    start = np.cumsum(length) - length  # lines of unknown topics are first
    score = _scores(judged, lists)
    found = np.flatnonzero(~np.isnan(score))
    topic = judged.qrels.topic[found]
    line = _keys(np.repeat(of_list, sizes), lists.number)
    position = _positions(judged, lists, line, found, _keys(topic, score[found]))
    rank = position - start[topic + 1] + 1
    order = np.argsort(position)
    order = order[rank[order] <= DEFAULT.depth]
    return Lists(
        judgment_index=found[order].astype(np.int32),
        rank=rank[order].astype(np.int32),
        pooled=np.bincount(topic[order], minlength=len(topics)),
        length=np.minimum(length[1:], DEFAULT.depth),
        unknown=(),
    )


def _scores(judged: JudgedNames, lists: PlainLists) -> np.ndarray:
    """Score of each judged document, float64 [J]; NaN for one that is not retrieved."""
    scores: list[float | None] = []
    for topic, names in zip(judged.qrels.topics, judged.names, strict=True):
        scores += map(lists.documents.get(topic, {}).get, names)
    return np.array(scores, np.float64)


def _keys(topic: np.ndarray, score: np.ndarray) -> np.ndarray:
    """Numbers in the order of topic, then descending score, int64 [rows]."""
    # a score too large for 32 bits is infinite, as in trec_eval
    with np.errstate(over="ignore"):
        return topic_and_key(topic, in_order_of_floats(-score.astype(np.float32)))


def _positions(
    judged: JudgedNames, lists: PlainLists, line: np.ndarray, found: np.ndarray, key: np.ndarray
) -> np.ndarray:
    """Number of lines of a run that are before each document found, int64 [found].
    `line` and `key` are the keys of all lines, and of these documents.
    """
    ordered = np.sort(line)
    first = np.searchsorted(ordered, key)
    tied = np.flatnonzero(np.append(ordered[1:], -1)[first] == key)
    if not tied.size:
        return first
    judged_names = [*chain.from_iterable(judged.names)]
    alike = np.flatnonzero(np.isin(line, key[tied]))
    every = lists.names
    above = _count_above(
        [
            (key, every[place])
            for key, place in zip(line[alike].tolist(), alike.tolist(), strict=True)
        ]
    )
    pairs = zip(key[tied].tolist(), found[tied].tolist(), strict=True)
    first[tied] += [above[key, judged_names[place]] for key, place in pairs]
    return first


def _count_above(lines: list[tuple[int, str]]) -> dict[tuple[int, str], int]:
    """For lines with equal keys, the number of those with a higher document id."""
    seen: Counter[int] = Counter()
    above = {}
    for key, name in sorted(lines, key=itemgetter(1), reverse=True):
        above[key, name] = seen[key]
        seen[key] += 1
    return above
