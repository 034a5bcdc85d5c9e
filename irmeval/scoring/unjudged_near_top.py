"""Documents to judge next: unjudged ones near the top of the lists, by their possible
effect on scores.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from irmeval.collection import Collection
from irmeval.collection.joining import NEAR, Outside
from irmeval.core import parallel
from irmeval.core.lazy import pa, pc, pd
from irmeval.core.places import place_of_each
from irmeval.reading.trec import join_keys

PERSISTENCE = 0.95
"""Default persistence of the RBP whose residual ranks the documents."""
AT_ONCE = 1 << 20
"""Entries of lists ranked at once if only the first documents are needed."""
EQUAL = 2e-12
"""Share of the highest possible residual by which two residuals surely differ
(`sort_by_worth`).
"""


class Entries(NamedTuple):
    """Places of lists down to rank `NEAR` with their documents, in the pool or not."""

    code: np.ndarray
    """int [n], the document of each place, an index of `topic` and `document`"""
    run: np.ndarray
    """int [n]"""
    rank: np.ndarray
    """int32 [n], from 1"""
    topic: np.ndarray
    """int [documents]"""
    documents: "pa.Array"
    """[documents]"""

    @property
    def order(self) -> np.ndarray:
        """The order of the documents by topic, then by id as bytes, int [documents]."""
        return np.lexsort((pc.rank(self.documents, tiebreaker="dense").to_numpy(), self.topic))


def _unjudged(collection: Collection) -> Entries:
    """The unjudged documents near the top of the lists, run by run."""
    return _near_top(collection, _pooled_unjudged(collection))


def _pooled_unjudged(collection: Collection) -> np.ndarray:
    """Whether an entry of the pool near the top of the lists is unjudged, bool
    [entries].
    """
    return (collection.grade[collection.judgment_index] < 0) & (collection.rank <= NEAR)


def _unjudged_by_topics(collection: Collection) -> Iterator[Entries]:
    """The same for some topics after the other: those of about `AT_ONCE` entries."""
    pooled, T = _pooled_unjudged(collection), len(collection.topics)
    # topics in parts: all texts of a large collection at once would take gigabytes
    parts = -(-(int(np.count_nonzero(pooled)) + collection.outside.list.size) // AT_ONCE) or 1
    of_pooled, of_outside = collection.topic[collection.judgment_index], collection.outside.list % T
    for first, last in pairwise(np.linspace(0, T, parts + 1).astype(int)):
        parallel.check_cancelled()
        there = np.flatnonzero((first <= of_outside) & (of_outside < last))
        outside = Outside(
            *(
                column.take(pa.array(there)) if isinstance(column, pa.Array) else column[there]
                for column in collection.outside
            )
        )
        yield _near_top(
            replace(collection, outside=outside), pooled & (first <= of_pooled) & (of_pooled < last)
        )


def _near_top(collection: Collection, pooled: np.ndarray) -> Entries:
    """Some entries of the pool, bool [entries], and all entries outside it."""
    entry = np.flatnonzero(pooled)
    judgment_index, outside = collection.judgment_index[entry], collection.outside
    T = len(collection.topics)
    run = _runs_of(collection, entry)
    topic = np.concatenate([collection.topic[judgment_index], outside.list % T])
    documents = pa.concat_arrays(
        [collection.documents.take(pa.array(judgment_index)), outside.documents]
    )
    # outside the pool documents have no number yet, so their texts are compared
    code = join_keys(collection.topics, topic, documents).dictionary_encode().indices.to_numpy()
    # codes are in the order of their first places
    first = np.flatnonzero(np.diff(np.maximum.accumulate(code), prepend=-1))
    rank = np.concatenate([collection.rank[entry], outside.rank])
    return Entries(code, run, rank, topic[first].astype(np.int64), documents.take(pa.array(first)))


def _runs_of(collection: Collection, entry: np.ndarray) -> np.ndarray:
    """The run of each of some entries of the pool, int [entries], and of all entries
    outside it.
    """
    T = len(collection.topics)
    return np.concatenate(
        [
            np.searchsorted(collection.start[::T], entry, side="right") - 1,
            collection.outside.list // T,
        ]
    )


class NearTop(NamedTuple):
    """All documents down to rank `NEAR`, judged or not, by topic, then id as bytes; and
    their places in the lists.
    """

    topic: np.ndarray
    """int [n]"""
    document: list[str]
    """[n]"""
    grade: np.ndarray
    """int [n], -1 if not judged"""
    pooled: np.ndarray
    """int [n], its index among the judgments of the collection, -1 if it is outside the
    pool
    """
    judgment_index: np.ndarray
    """int [entries], the document of each entry; entries are by run, topic, rank"""
    run: np.ndarray
    """int [entries]"""
    rank: np.ndarray
    """int [entries], from 1"""


def documents_near_top(collection: Collection) -> NearTop:
    """All documents near the top of the lists, judged or not."""
    pooled = collection.rank <= NEAR
    entries = _near_top(collection, pooled)
    by_id = entries.order
    document = entries.documents.take(pa.array(by_id)).to_pylist()
    judgment_index = np.argsort(by_id)[entries.code]
    judged = collection.judgment_index[pooled]
    # documents of the pool come first among the entries
    inside = np.full(by_id.size, -1, np.int64)
    inside[judgment_index[: judged.size]] = judged
    grade = np.where(inside >= 0, collection.grade[inside], -1).astype(np.int64)
    topic = entries.topic[by_id]
    order = np.lexsort((entries.rank, topic[judgment_index], entries.run))
    return NearTop(
        topic,
        document,
        grade,
        inside,
        judgment_index[order],
        entries.run[order],
        entries.rank[order],
    )


class RunsUnjudged:
    """The unjudged documents near the top of the lists of each run, with the number of
    other runs that retrieved them there.
    """

    def __init__(self, collection: Collection):
        entries = _unjudged(collection)
        self._topics, self._ranks, self._code = len(collection.topics), entries.rank, entries.code
        self._runs = np.bincount(entries.code, minlength=entries.topic.size)
        order = np.argsort(entries.run, kind="stable")
        self._entries = np.split(
            order, np.searchsorted(entries.run[order], np.arange(1, len(collection.runs)))
        )
        self._topic, self._document = (
            np.array(collection.topics, object)[entries.topic],
            np.array(entries.documents.to_pylist(), object),
        )
        # numbers for the texts, as sorting texts again for each run is slow
        self._in_order = np.argsort(entries.order)

    def table(self, run: int, p: float, others: bool = True) -> "pd.DataFrame":
        """Documents of a run, one row each, by their possible increase of its mean RBP;
        ties by topic and document.

        Columns: topic, document, rank, residual (what it could add), and, with
        `others`, the number of other runs that have it there. Source: as
        `rank_unjudged`.
        """
        entry = self._entries[run]
        residual = (1 - p) * p ** (self._ranks[entry] - 1.0) / self._topics
        order = np.lexsort((self._in_order[self._code[entry]], -_worth(residual)))
        entry, residual = entry[order], residual[order]
        code = self._code[entry]
        columns = {
            "topic": self._topic[code],
            "document": self._document[code],
            "rank": self._ranks[entry],
            "residual": residual,
        }
        return pd.DataFrame(columns | ({"other runs": self._runs[code] - 1} if others else {}))


def runs_with_unjudged(collection: Collection) -> np.ndarray:
    """Whether each run has unjudged documents near the top of its lists, bool [run]."""
    run = _runs_of(collection, np.flatnonzero(_pooled_unjudged(collection)))
    return np.bincount(run, minlength=len(collection.runs)) > 0


def rank_unjudged(collection: Collection, p: float) -> "pd.DataFrame":
    """Unjudged documents down to rank `NEAR`, one row each, by their possible increase
    of the mean RBP over topics and runs. Ties are broken by the number of runs, then by
    topic and document.

    Columns: topic, document, number of runs that have it there, best rank, and residual
    (what it could add). Source: the residual of Moffat & Zobel 2008, section 4.
    """
    ranked, residual = _rank(collection, _unjudged(collection), p, None)
    return sort_by_worth(ranked, residual, collection.topics)


def first_unjudged(collection: Collection, p: float, most: int) -> tuple["pd.DataFrame", int]:
    """First `most` rows of `rank_unjudged`, and the total number, with little
    memory.
    """
    count, parts = 0, []
    for entries in _unjudged_by_topics(collection):
        count += entries.topic.size
        parts.append(_rank(collection, entries, p, most)[0])
    ranked = pd.concat([part for part in parts if len(part)] or parts[:1], ignore_index=True)
    return (
        sort_by_worth(ranked, ranked["residual"].to_numpy(), collection.topics).iloc[:most],
        count,
    )


def _rank(
    collection: Collection, entries: Entries, p: float, most: int | None
) -> tuple["pd.DataFrame", np.ndarray]:
    """The rows of `rank_unjudged` in any order, or at least the first `most` of them;
    and their residuals.
    """
    n, T = entries.topic.size, len(collection.topics)
    best = np.full(n, NEAR, np.int32)
    np.minimum.at(best, entries.code, entries.rank)
    residual = np.bincount(entries.code, (1 - p) * p ** (entries.rank - 1.0), n) / (
        T * len(collection.runs)
    )
    runs = np.bincount(entries.code, minlength=n)
    chosen = (
        np.arange(n)
        if most is None or n <= most
        else _first(most, entries.topic, runs, residual, EQUAL * (1 - p) / T)
    )
    columns = {
        "topic": [collection.topics[t] for t in entries.topic[chosen]],
        "document": entries.documents.take(pa.array(chosen)).to_pylist(),
        "runs": runs[chosen],
        "best rank": best[chosen],
        "residual": residual[chosen],
    }
    return pd.DataFrame(columns), residual[chosen]


def _first(
    most: int, topic: np.ndarray, runs: np.ndarray, residual: np.ndarray, equal: float
) -> np.ndarray:
    """Indices of documents that include the first `most`, if residuals that differ by
    less than `equal` may count as equal.
    """
    order = np.lexsort((topic, -runs, -residual))
    # all that may tie with the last: ties are broken by text, which is read for these
    # alone
    order = order[residual[order] >= residual[order[most - 1]] - equal]
    differs = [np.diff(values[order], prepend=np.nan) != 0 for values in (residual, runs, topic)]
    place = np.arange(order.size)
    same_worth, same_all = (
        np.maximum.accumulate(np.where(where, place, 0))
        for where in (differs[0], np.any(differs, axis=0))
    )
    return order[same_all - same_worth < most]


def mean_residual(collection: Collection, p: float) -> float:
    """Possible increase of the mean RBP by unjudged documents and those after the lists
    (Moffat & Zobel 2008, 3; ``RBP_residual``).
    """
    judged = collection.rank[collection.grade[collection.judgment_index] >= 0]
    return float(
        1 - (1 - p) * np.sum(p ** (judged - 1.0)) / (len(collection.topics) * len(collection.runs))
    )


def sort_by_worth(
    frame: "pd.DataFrame", worth: np.ndarray, topics: Sequence[str]
) -> "pd.DataFrame":
    """Sort documents (columns topic, document and runs) by `worth` [n], highest first;
    ties by number of runs, then by the order of topics, then by document. Values are
    equal if they agree to twelve digits of the highest, since sums in another order
    differ beyond these.
    """
    place = place_of_each(topics)
    keys = {
        "worth": -_worth(worth),
        "runs": -frame["runs"],
        "topic": frame["topic"].map(place),
        "document": frame["document"],
    }
    return frame.loc[pd.DataFrame(keys).sort_values([*keys]).index].reset_index(drop=True)


def _worth(values: np.ndarray) -> np.ndarray:
    """Values rounded to twelve digits of the highest [n]."""
    return np.round(values / max(np.abs(values).max(initial=0), np.finfo(float).tiny), 12)
