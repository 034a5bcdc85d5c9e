"""Unjudged documents near the top of the lists, by how much they could change scores: what to judge next."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from irmeval.collection import Collection
from irmeval.collection.joining import NEAR
from irmeval.reading.trec import join_keys

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

PERSISTENCE = 0.95
"""Default persistence of the RBP whose residual ranks the documents."""


class Unjudged(NamedTuple):
    """Unjudged documents down to rank `NEAR`, in the pool or not; a row per list and document."""

    key: "pa.StringArray"
    """[n], topic and document with a NUL between"""
    run: np.ndarray
    """int [n]"""
    rank: np.ndarray
    """int32 [n], from 1"""


def unjudged_documents(collection: Collection) -> Unjudged:
    """The unjudged documents near the top of the lists, run by run."""
    return _near_top(collection, (collection.grade[collection.slot] < 0) & (collection.rank <= NEAR))


def _near_top(collection: Collection, pooled: np.ndarray) -> Unjudged:
    """Some entries of the pool, bool [entries], and all documents outside it."""
    import pyarrow as pa

    entry = np.flatnonzero(pooled)
    slot, outside = collection.slot[entry], collection.outside
    T = len(collection.topics)
    run = np.concatenate([np.searchsorted(collection.start[::T], entry, side="right") - 1, outside.list // T])
    topic = np.concatenate([collection.topic[slot], outside.list % T])
    documents = pa.concat_arrays([collection.documents.take(pa.array(slot)), outside.documents])
    return Unjudged(join_keys(collection.topics, topic, documents), run, np.concatenate([collection.rank[entry], outside.rank]))


class NearTop(NamedTuple):
    """All documents down to rank `NEAR`, judged or not, by topic, then id as bytes; and where the lists have them."""

    topic: np.ndarray
    """int [n]"""
    document: list[str]
    """[n]"""
    grade: np.ndarray
    """int [n], -1 if not judged"""
    slot: np.ndarray
    """int [entries], which document; entries are by run, topic, rank"""
    run: np.ndarray
    """int [entries]"""
    rank: np.ndarray
    """int [entries], from 1"""


def documents_near_top(collection: Collection) -> NearTop:
    """All documents near the top of the lists, judged or not."""
    pooled = collection.rank <= NEAR
    entries = _near_top(collection, pooled)
    encoded = entries.key.dictionary_encode()
    code = encoded.indices.to_numpy()
    place = {topic: i for i, topic in enumerate(collection.topics)}
    named = [(place[topic], document) for topic, document in (key.split("\0", 1) for key in encoded.dictionary.to_pylist())]
    by_id = sorted(range(len(named)), key=lambda i: (named[i][0], named[i][1].encode()))
    row = np.empty(len(named), np.int64)
    row[by_id] = np.arange(len(named))
    slot = row[code]
    judged = collection.slot[pooled]
    grade = np.full(len(named), -1, np.int64)
    grade[slot[: judged.size]] = collection.grade[judged]
    topic = np.array([named[i][0] for i in by_id], np.int64)
    order = np.lexsort((entries.rank, topic[slot], entries.run))
    return NearTop(topic, [named[i][1] for i in by_id], grade, slot[order], entries.run[order], entries.rank[order])


class RunsUnjudged:
    """The unjudged documents near the top of the lists of each run, and in how many runs they are there."""

    def __init__(self, collection: Collection):
        entries = unjudged_documents(collection)
        encoded = entries.key.dictionary_encode()
        code, keys = encoded.indices.to_numpy(), encoded.dictionary
        self._topics, self._ranks = len(collection.topics), entries.rank
        self._code, self._runs = code, np.bincount(code, minlength=len(keys))
        order = np.argsort(entries.run, kind="stable")
        self._entries = np.split(order, np.searchsorted(entries.run[order], np.arange(1, len(collection.runs))))
        place = {topic: i for i, topic in enumerate(collection.topics)}
        named = [key.split("\0", 1) for key in keys.to_pylist()]
        self._topic, self._document = (np.array([pair[i] for pair in named], object) for i in (0, 1))
        self._in_order = np.empty(len(keys), np.int64)
        self._in_order[sorted(range(len(keys)), key=lambda i: (place[named[i][0]], named[i][1]))] = np.arange(len(keys))

    def table(self, run: int, p: float, others: bool = True) -> "pd.DataFrame":
        """The documents of a run, one row each, by how much they could add to its mean RBP; ties by topic and document.

        Columns: topic, document, rank, residual (what it could add), and, with `others`, the number of other runs that have it there.
        Source: as `rank_unjudged`.
        """
        import pandas as pd

        entry = self._entries[run]
        residual = (1 - p) * p ** (self._ranks[entry] - 1.0) / self._topics
        order = np.lexsort((self._in_order[self._code[entry]], -_worth(residual)))
        entry, residual = entry[order], residual[order]
        code = self._code[entry]
        columns = {"topic": self._topic[code], "document": self._document[code], "rank": self._ranks[entry], "residual": residual}
        return pd.DataFrame(columns | ({"other runs": self._runs[code] - 1} if others else {}))


def rank_unjudged(collection: Collection, p: float) -> "pd.DataFrame":
    """The unjudged documents down to rank `NEAR`, one row each, by how much they could add to the mean RBP over topics and runs. Ties
    are broken by the number of runs, then by topic and document.

    Columns: topic, document, number of runs that have it there, best rank, and residual (what it could add). Source: the residual of Moffat
    & Zobel 2008, section 4.
    """
    import pandas as pd

    entries = unjudged_documents(collection)
    encoded = entries.key.dictionary_encode()
    code, keys = encoded.indices.to_numpy(), encoded.dictionary
    best = np.full(len(keys), NEAR, np.int32)
    np.minimum.at(best, code, entries.rank)
    residual = np.bincount(code, (1 - p) * p ** (entries.rank - 1.0), len(keys)) / (len(collection.topics) * len(collection.runs))
    topics, documents = zip(*(key.split("\0", 1) for key in keys.to_pylist()), strict=True) if len(keys) else ((), ())
    columns = {
        "topic": topics,
        "document": documents,
        "runs": np.bincount(code, minlength=len(keys)),
        "best rank": best,
        "residual": residual,
    }
    return sort_by_worth(pd.DataFrame(columns), residual, collection.topics)


def mean_residual(collection: Collection, p: float) -> float:
    """How much the mean RBP over topics and runs could still rise, from 0 to 1: by every unjudged document, however deep, and by all that
    would follow the lists (Moffat & Zobel 2008, section 3; as ``RBP_residual``)."""
    judged = collection.rank[collection.grade[collection.slot] >= 0]
    return float(1 - (1 - p) * np.sum(p ** (judged - 1.0)) / (len(collection.topics) * len(collection.runs)))


def sort_by_worth(frame: "pd.DataFrame", worth: np.ndarray, topics: Sequence[str]) -> "pd.DataFrame":
    """Sort documents (columns topic, document and runs) by `worth` [n], highest first; ties by number of runs, then by the order of topics,
    then by document. Values count as equal to twelve digits of the highest, as sums in another order differ beyond these."""
    import pandas as pd

    place = {topic: i for i, topic in enumerate(topics)}
    keys = {
        "worth": -_worth(worth),
        "runs": -frame["runs"],
        "topic": frame["topic"].map(place),
        "document": frame["document"],
    }
    return frame.loc[pd.DataFrame(keys).sort_values([*keys]).index].reset_index(drop=True)


def _worth(values: np.ndarray) -> np.ndarray:
    """Values to twelve digits of the highest [n]."""
    rounded: np.ndarray = np.round(values / max(np.abs(values).max(initial=0), np.finfo(float).tiny), 12)
    return rounded
