"""Lines that duplicate a document of the same topic."""

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from irmeval.core import parallel
from irmeval.core.lazy import pa

WINDOW = 1000
"""Rows checked together, extended to the end of a topic: few enough for the processor's cache."""


def topic_windows(topic: np.ndarray, rows: int) -> list[tuple[int, int]] | None:
    """Slices (start, end) of at least `rows` rows each (the last may be shorter). No two slices share a topic. None if the rows of a topic
    are not contiguous."""
    ends = np.append(np.flatnonzero(topic[1:] != topic[:-1]) + 1, topic.size)
    if np.bincount(topic[ends - 1]).max() > 1:
        return None
    cuts = np.unique(np.append(ends[np.searchsorted(ends, np.arange(rows, topic.size, rows))], topic.size))
    return [*pairwise([0, *cuts.tolist()])]


def repeated_rows(topic: np.ndarray, documents: "pa.StringArray") -> tuple[np.ndarray, np.ndarray]:
    """Rows that duplicate the topic and document of an earlier row, and the first row of each duplicate."""
    windows = [(0, topic.size)] if topic.size <= WINDOW else topic_windows(topic, WINDOW)
    if windows is None:
        order = np.argsort(topic, kind="stable")
        again, first = (order[rows] for rows in repeated_rows(topic[order], documents.take(pa.array(order))))
        place = np.argsort(again)
        return again[place], first[place]
    n = -(-len(windows) // parallel.count_processors())
    parts = parallel.map_threads(lambda some: _repeats_in(some, topic, documents), [windows[i : i + n] for i in range(0, len(windows), n)])
    again, first = (np.concatenate(rows) for rows in zip(*(pair for part in parts for pair in part), strict=True))
    return again, first


def _repeats_in(windows: list[tuple[int, int]], topic: np.ndarray, documents: "pa.StringArray") -> list[tuple[np.ndarray, np.ndarray]]:
    """Duplicate rows within each window, and the first row of each."""
    none = np.empty(0, np.int64)
    rows = [(none, none)]
    for start, end in windows:
        coded = documents[start:end].dictionary_encode()
        if len(coded.dictionary) == end - start:  # no document occurs twice
            continue
        pairs = (topic[start:end] - topic[start]).astype(np.int64) * (end - start) + coded.indices.to_numpy()
        ordered = np.sort(pairs)
        if np.any(ordered[1:] == ordered[:-1]):
            _, first, which = np.unique(pairs, return_index=True, return_inverse=True)
            again = np.flatnonzero(first[which] != np.arange(pairs.size))
            rows.append((again + start, first[which[again]] + start))
    return rows


class Better(NamedTuple):
    """Duplicates with a higher score than the line that is kept."""

    row: np.ndarray
    """int64 [n], index of the duplicated line among those kept, ascending"""
    score: np.ndarray
    """float64 [n]"""
    rank: "pa.StringArray"
    """[n]"""


def better_lines(again: np.ndarray, first: np.ndarray, kept: np.ndarray, score: np.ndarray, rank: "pa.StringArray") -> Better | None:
    """Best of the later duplicates, for the first lines that one of them beats; of equal scores the earliest."""
    higher = score[again] > score[first]
    again, first = again[higher], first[higher]
    if not again.size:
        return None
    order = np.lexsort((again, -score[again], first))
    first, best = np.unique(first[order], return_index=True)
    line = again[order][best]
    return Better(np.searchsorted(kept, first), score[line], rank.take(pa.array(line)))
