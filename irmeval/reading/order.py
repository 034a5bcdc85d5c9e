"""Order of the documents of a run."""

from collections.abc import Callable
from functools import partial

import numpy as np

from irmeval.core.errors import ReadError
from irmeval.core.lazy import pa, pc
from irmeval.core.text import shorten
from irmeval.reading.arrays import to_arrow, to_numpy
from irmeval.reading.lines import TOO_LARGE, whole_number
from irmeval.reading.trec import Run, topic_and_key


def sorting_permutation(run: Run, topic: np.ndarray, order: str) -> np.ndarray | None:
    """Permutation that sorts the lines of a run by topic, then by `order`; None if they
    are sorted.
    """
    if order == "trec_eval":
        # a score too large for 32 bits is infinite, as in trec_eval
        with np.errstate(over="ignore"):
            score = run.score.astype(np.float32)
        key = topic_and_key(topic, in_order_of_floats(-score))
        sequence = None
        if np.any(key[1:] < key[:-1]):
            # it need not be stable: `_break_ties` orders tied lines
            sequence = np.argsort(key)
            key = key[sequence]
        return _break_ties(run.documents, sequence, key[1:] == key[:-1])
    if order == "file":
        key = np.zeros(topic.size, np.int8)
    elif order == "double":
        key = -run.score
    else:
        key = rank_column(run)
    same = topic[1:] == topic[:-1]
    sequence = None
    if np.any((topic[1:] < topic[:-1]) | (same & (key[1:] < key[:-1]))):
        sequence = np.lexsort((key, topic))
        topic, key = topic[sequence], key[sequence]
    if order != "double":
        return sequence
    tied = (topic[1:] == topic[:-1]) & (key[1:] == key[:-1])
    return _break_ties(run.documents, sequence, tied)


def in_order_of_floats(key: np.ndarray) -> np.ndarray:
    """int32 numbers in the same order as 32-bit floats; equal where these are equal.

    The bits of a float, read as a whole number, are in its order; of negative floats in
    the opposite order.
    """
    bits = (key + np.float32(0)).view(np.int32)  # adding 0 makes -0 to 0
    return np.where(bits < 0, bits ^ np.int32(2**31 - 1), bits)


def _break_ties(
    documents: "pa.StringArray", sequence: np.ndarray | None, tied: np.ndarray
) -> np.ndarray | None:
    """Sort each group of tied lines by document id, descending as bytes. tied[i]: line
    i+1 of the sequence, or of the file, ties with line i.
    """
    if not tied.any():
        return sequence
    if sequence is None:
        sequence = np.arange(tied.size + 1)
    member = np.concatenate([tied, [False]]) | np.concatenate([[False], tied])
    stretch = np.cumsum(~np.concatenate([[False], tied]))[member]
    among = documents.take(to_arrow(sequence[member]))
    descending = to_numpy(pc.rank(among, sort_keys="descending", tiebreaker="dense")).astype(
        np.int64
    )
    sequence = sequence.copy()
    sequence[member] = sequence[member][np.lexsort((descending, stretch))]
    return sequence


def rank_column(run: Run) -> np.ndarray:
    """Rank column as numbers [lines]. Raises `ReadError` for anything but whole
    numbers.
    """
    return whole_ranks(
        run.name, run.rank, "Order by score: --order trec_eval.", partial(_describe_line, run)
    )


def _describe_line(run: Run, place: int) -> str:
    """Document and topic of a line of a run, within a sentence."""
    document = shorten(run.documents[place].as_py())
    return f" for {document} of topic {shorten(run.topics[run.topic[place]])}"


def whole_ranks(
    name: str,
    rank: "pa.StringArray",
    remedy: str,
    describe: Callable[[int], str] = lambda place: "",
    line: Callable[[int], int | None] = lambda place: None,
) -> np.ndarray:
    """Ranks as numbers [lines]. Raises `ReadError` for anything but whole numbers;
    `describe` and `line` tell where one is.
    """
    try:
        return to_numpy(rank.cast(pa.int64()))
    except pa.ArrowInvalid:
        ranks = [*map(whole_number, rank.to_pylist())]
    if odd := [
        place for place, number in enumerate(ranks) if number is None or abs(number) >= TOO_LARGE
    ]:
        first = odd[0]
        found = f"{shorten(rank[first].as_py())}{describe(first)}"
        raise ReadError(name, line(first), "whole numbers in the rank column", found, remedy)
    return np.array(ranks)  # a form that Arrow does not parse, such as +1
