"""Qrels and runs in memory, and columns of text files. Parsing is strict, errors have
line numbers, ids stay as they are.

Blanks may be any mix of tabs and spaces; CRLF, a UTF-8 byte order mark, empty lines and
comments are understood. The fast path parses the text with Arrow. Only where Arrow
gives up are lines read one by one (`irmeval.reading.lines`), to find the line at fault,
or to accept what some version of Arrow is too strict for.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from itertools import pairwise
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from irmeval.core import parallel
from irmeval.core.errors import REPEATED, ReadError
from irmeval.core.lazy import pa, pc
from irmeval.core.other_packages import ReadFrom, made_by, made_of_one
from irmeval.core.places import pick
from irmeval.core.text import list_all, natural_order, shorten, verb
from irmeval.reading.arrays import to_arrow, to_numpy, to_texts
from irmeval.reading.columns import ArrowRefused, join_tables, parse_blocks, split_blocks, stream
from irmeval.reading.design import Design
from irmeval.reading.files import MARKED, UNMARK
from irmeval.reading.ir_metadata import LARGEST, header_of
from irmeval.reading.lines import (
    HIGHEST_GRADE,
    TOO_LARGE,
    are_grades,
    begin_of_rows,
    begin_of_text,
    check_text,
    describe_nothing,
    line_number,
    read_blocks,
)
from irmeval.reading.text_layout import QRELS, RUN, Layout

WINDOW = 1000
"""Rows checked together, extended to the end of a topic: few enough for the processor's
cache.
"""


def topic_windows(topic: np.ndarray, rows: int) -> list[tuple[int, int]] | None:
    """Slices (start, end) of at least `rows` rows each (the last may be shorter). No
    two slices share a topic. None if the rows of a topic are not contiguous.
    """
    ends = np.append(np.flatnonzero(topic[1:] != topic[:-1]) + 1, topic.size)
    if np.bincount(topic[ends - 1]).max() > 1:
        return None
    cuts = ends[np.searchsorted(ends, np.arange(rows, topic.size, rows))].tolist()
    # a topic of many rows has several cuts at its end
    return [*pairwise(dict.fromkeys([0, *cuts, topic.size]))]


def repeated_rows(topic: np.ndarray, documents: "pa.StringArray") -> tuple[np.ndarray, np.ndarray]:
    """Rows that duplicate the topic and document of an earlier row, and the first row
    of each duplicate.
    """
    if topic.size <= WINDOW:
        return _repeats_in([(0, topic.size)], topic, documents)
    windows = topic_windows(topic, WINDOW)
    if windows is None:
        order = np.argsort(topic, kind="stable")
        again, first = repeated_rows(topic[order], documents.take(to_arrow(order)))
        place = np.argsort(order[again])
        return order[again][place], order[first][place]
    n = -(-len(windows) // parallel.count_processors())
    parts = parallel.map_threads(
        lambda some: _repeats_in(some, topic, documents),
        [windows[i : i + n] for i in range(0, len(windows), n)],
    )
    agains, firsts = zip(*parts, strict=True)
    return np.concatenate(agains), np.concatenate(firsts)


def _repeats_in(
    windows: list[tuple[int, int]], topic: np.ndarray, documents: "pa.StringArray"
) -> tuple[np.ndarray, np.ndarray]:
    """Duplicate rows within each window, and the first row of each."""
    none = np.empty(0, np.int64)
    agains, firsts = [none], [none]
    for start, end in windows:
        coded = documents[start:end].dictionary_encode()
        if len(coded.dictionary) == end - start:  # no document occurs twice
            continue
        pairs = (topic[start:end] - topic[start]).astype(np.int64) * (end - start) + to_numpy(
            coded.indices
        )
        ordered = np.sort(pairs)
        if np.any(ordered[1:] == ordered[:-1]):
            _, first, which = np.unique(pairs, return_index=True, return_inverse=True)
            again = np.flatnonzero(first[which] != np.arange(pairs.size))
            agains.append(again + start)
            firsts.append(first[which[again]] + start)
    return np.concatenate(agains), np.concatenate(firsts)


def topic_and_key(topic: np.ndarray, key: np.ndarray) -> np.ndarray:
    """A number for each row, int64, in the order of topic, then of a key of 32 bits.

    Sorting one number takes a fifth of the time of `np.lexsort`.
    """
    return (topic.astype(np.int64) << 32) + key.astype(np.int64)


class Better(NamedTuple):
    """Duplicates with a higher score than the line that is kept."""

    row: np.ndarray
    """int64 [n], index of the duplicated line among those kept, ascending"""
    score: np.ndarray
    """float64 [n]"""
    rank: "pa.StringArray"
    """[n]"""


def better_lines(
    again: np.ndarray,
    first: np.ndarray,
    kept: np.ndarray,
    score: np.ndarray,
    rank: "pa.StringArray",
) -> Better | None:
    """Best of the later duplicates, for the first lines that one of them beats; of
    equal scores the earliest.
    """
    higher = score[again] > score[first]
    # only where it matters: most duplicates repeat the score
    again, first = again[higher], first[higher]
    if not again.size:
        return None
    order = np.lexsort((again, -score[again], first))
    first, best = np.unique(first[order], return_index=True)
    line = again[order][best]
    return Better(np.searchsorted(kept, first), score[line], rank.take(to_arrow(line)))


EXPECT_ONCE = {QRELS: "each judgment once per topic", RUN: "each document once per topic"}
"""Expectation of an error about duplicate lines. A policy may keep the first of such
lines.
"""
EXPECT_ONE_STRATUM = "one stratum for each document of a topic"
EXPECT_ONE_GRADE = "one grade for each judged document"
"""Expectation of an error about contradictory judgments. No policy accepts these."""
REPEAT_REMEDY = (
    "Remove one of them, or keep the first: --repeated first, in Python repeated='first'."
)
BEST_REMEDY = (
    "Remove one of them, or keep the first or the best: --repeated first or --repeated best, in"
    " Python repeated='first' or repeated='best'."
)


MAX_NUMBERS = 10
"""Numbers of lines in a message; of others the message says how many they are."""


class Fault(NamedTuple):
    """Lines of a file with the same kind of error."""

    lines: int
    first: ReadError
    also: tuple[int, ...] = ()
    """numbers of the next lines, at most `MAX_NUMBERS`"""

    @property
    def likewise(self) -> str:
        """The lines after the first, as a sentence; empty if there are none."""
        if not self.also:
            return ""
        numbers = [*map(str, self.also)]
        if more := self.lines - 1 - len(numbers):
            numbers.append(f"{more:,} more")
        return f"Likewise {verb(len(numbers), 'line', 'lines')} {list_all(numbers)}."

    @property
    def error(self) -> ReadError:
        """The first error, with the other lines."""
        if not self.also:
            return self.first
        file, line, expected, came, remedy, kind = self.first.parts
        return ReadError(file, line, expected, came, f"{remedy} {self.likewise}".strip(), kind)


def fault_of(error: ReadError) -> Fault:
    """Error of a file that could not be read. It is copied, since its traceback would
    keep the text of the file in memory.
    """
    return Fault(0 if error.line is None else 1, error.copy())


class Lookup(NamedTuple):
    """Keys by which documents of runs are found in qrels."""

    topics: dict[str, int]
    """index of each topic"""
    documents: "pa.StringArray"
    """distinct documents"""
    pairs: "pa.Int64Array"
    """[J], topic and document of each judgment in one number, by `pair_numbers`"""


def pair_numbers(topic: np.ndarray, document: np.ndarray, documents: int) -> np.ndarray:
    """Topic and document of each row in one number, int64 [rows], given the number of
    documents.
    """
    return topic.astype(np.int64) * documents + document


@made_by("irmeval.read_qrels(judgments) makes them of a file, a dictionary or a data frame.")
@made_of_one
@dataclass(frozen=True, eq=False)
class Qrels(ReadFrom):
    """Judgments, one row per (topic, document), sorted by topic, then by document id as
    bytes. `irmeval.read_qrels` makes them of a file, a dictionary or a data frame;
    then they score any number of runs.

    Examples
    --------
    >>> import irmeval
    >>> qrels = irmeval.read_qrels({"1": {"b": 0, "a": 1}})
    >>> qrels.topics, qrels.documents.to_pylist(), qrels.grade
    (('1',), ['a', 'b'], array([1, 0], dtype=int8))
    >>> irmeval.evaluate(qrels, {"1": {"b": 2.0, "a": 1.0}}, "RR").means
    array([[0.5]])
    """

    reader = "read_qrels"
    topics: tuple[str, ...]
    topic: np.ndarray
    """int32 [J], index into `topics`, ascending"""
    documents: "pa.StringArray"
    """[J]"""
    grade: np.ndarray
    """[J], the smallest signed integer type that fits the grades; negative = pooled,
    not judged
    """
    repeated: tuple[Fault, ...] = ()
    """lines left out because an earlier line has the same document and topic, with the
    same grade or another
    """
    sha256: str = ""
    """of the unpacked text of the file; empty if there is no file"""
    design: Design | None = None
    """sampling design of the judged documents, if they are a sample"""
    excluded: int = 0
    """judgments left out by a policy"""
    format: str = ""
    """recognised format of the file"""
    notes: tuple[str, ...] = ()
    """notes for readers on how it was read"""

    def __len__(self) -> int:
        """Number of topics, as of a dictionary."""
        return len(self.topics)

    def to_dict(self) -> dict[str, dict[str, int]]:
        """The judgments as topic -> document -> grade, as pytrec_eval and ranx take them."""
        ends = np.searchsorted(self.topic, np.arange(1, len(self))).tolist()
        grades = np.split(self.grade, ends)  # of no topics an empty one
        return {
            topic: dict(zip(documents, of_topic.tolist(), strict=True))
            for topic, documents, of_topic in zip(self.topics, self.names, grades, strict=False)
        }

    @property
    def nbytes(self) -> int:
        """Bytes of its columns."""
        return int(self.documents.nbytes + self.topic.nbytes + self.grade.nbytes)

    @cached_property
    def lookup(self) -> Lookup:
        """Keys of the judgments, made once for any number of runs."""
        coded = self.documents.dictionary_encode()
        pairs = pair_numbers(self.topic, to_numpy(coded.indices), len(coded.dictionary))
        topics = dict(zip(self.topics, range(len(self)), strict=True))
        return Lookup(topics, coded.dictionary, to_arrow(pairs))

    @cached_property
    def names(self) -> list[list[str]]:
        """Documents of each topic as texts, made once for any number of dictionaries."""
        every = self.documents.to_pylist()
        ends = np.searchsorted(self.topic, np.arange(len(self.topics) + 1)).tolist()
        return [every[start:end] for start, end in pairwise(ends)]


class Run(NamedTuple):
    """Lines of one run file, in the order of the file."""

    name: str
    tags: tuple[str, ...]
    topics: tuple[str, ...]
    topic: np.ndarray
    """int32 [lines], index into `topics`"""
    documents: "pa.StringArray"
    """[lines]"""
    score: np.ndarray
    """float64 [lines]"""
    rank: "pa.StringArray"
    """[lines], as written"""
    repeated: tuple[Fault, ...] = ()
    """lines left out because an earlier line has the same document and topic"""
    sha256: str = ""
    """of the unpacked text of the file; empty if there is no file"""
    header: str = ""
    """comment lines down to the end of its ir_metadata header, as written; empty if
    there is none
    """
    better: Better | None = None
    format: str = ""
    """recognised format of the file"""
    notes: tuple[str, ...] = ()
    """notes for readers on how it was read"""

    @property
    def nbytes(self) -> int:
        """Bytes of its columns."""
        columns = self.documents, self.topic, self.score, self.rank
        return int(sum(map(attrgetter("nbytes"), columns)))


P = TypeVar("P", Qrels, Run)


def count_left_out(parsed: Qrels | Run) -> int:
    """Number of lines left out as duplicates."""
    return sum(map(attrgetter("lines"), parsed.repeated))


def is_settled(fault: Fault, repeated: str) -> bool:
    """Whether a policy resolves an error. It may keep one of duplicate lines, but not
    one of contradictory grades.
    """
    return repeated != "refuse" and fault.first.kind == REPEATED


def unsettled_faults(faults: Iterable[Fault], repeated: str) -> tuple[Fault, ...]:
    """Errors for which a file is refused under a policy."""
    return tuple(fault for fault in faults if not is_settled(fault, repeated))


def require_settled(parsed: P, repeated: str) -> P:
    """Return a parsed file. Raises `ReadError` for duplicate lines that the policy does
    not resolve.
    """
    for fault in unsettled_faults(parsed.repeated, repeated):
        raise fault.error
    return parsed


def check_grades(name: str, grade: np.ndarray, line: Any = None) -> None:
    """Raise `ReadError` for the first grade [row] beyond `HIGHEST_GRADE`."""
    bad = np.flatnonzero((grade < -HIGHEST_GRADE - 1) | (grade > HIGHEST_GRADE))
    if not bad.size:
        return
    first = bad[0]
    found = str(grade[first])
    if abs(grade[first]) >= TOO_LARGE:
        found = "a number of 19 digits or more"
    expected = f"a grade from {-HIGHEST_GRADE - 1} to {HIGHEST_GRADE}"
    remedy = "Map grades to levels 0, 1, 2, ..."
    raise ReadError(name, line_of(line, first), expected, found, remedy)


def make_qrels(
    name: str,
    topics: tuple[str, ...],
    topic: np.ndarray,
    documents: "pa.StringArray",
    grade: np.ndarray,
    line: Any = None,
    *,
    strata: tuple[tuple[str, ...], np.ndarray] | None = None,
    probability: np.ndarray | None = None,
) -> Qrels:
    """Qrels from columns, sorted, with topics in natural order. The first of duplicate
    judgments is kept; the others are noted as errors.

    For a sample, `strata` holds the names of the strata and the stratum of each row; or
    `probability` that of each row. `topic`, `grade` and both of these are [row]. Raises
    `ReadError` for a grade beyond `HIGHEST_GRADE`.
    """
    check_grades(name, grade, line)
    topics, topic = sort_topics(topics, topic)
    names, stratum = sort_topics(*strata) if strata else ((), np.zeros(0, np.int32))
    order = np.arange(topic.size)
    repeated: tuple[Fault, ...] = ()
    # most qrels are sorted already, and a look costs less than a sort
    if not _are_sorted(topic, documents):
        key = topic_and_key(topic, to_numpy(pc.rank(documents, tiebreaker="dense")))
        order = np.argsort(key)
        if np.any(np.diff(key[order]) == 0):
            again, first = repeated_rows(topic, documents)
            told = partial(_describe, topics, topic, documents)
            if strata:
                # first: a document in two strata has no inclusion probability, whatever
                # its grades
                _check_strata(name, line, told, tuple(pick(names, stratum)), again, first)
            repeated = _repeated_judgments(name, line, told, grade, again, first)
            order = order[~np.isin(order, again)]
        topic, grade, documents = topic[order], grade[order], documents.take(to_arrow(order))
    design = Design.named(topic, names, stratum[order]) if strata else None
    if probability is not None:
        design = replace(Design.plain(topic, len(topics)), stated=probability[order])
    return Qrels(topics, topic, documents, of_small_type(grade), repeated, design=design)


def _describe(
    topics: tuple[str, ...], topic: np.ndarray, documents: "pa.StringArray", row: int
) -> str:
    """``'d7' of topic '3'``."""
    return f"{shorten(documents[row].as_py())} of topic {shorten(topics[topic[row]])}"


def _check_strata(
    name: str,
    line: Any,
    told: Callable[[int], str],
    stratum: Sequence[str],
    again: np.ndarray,
    first: np.ndarray,
) -> None:
    """Raise `ReadError` if a duplicate row has another stratum than the first."""
    for row, before in zip(again, first, strict=True):
        if stratum[row] != stratum[before]:
            found = f"{told(row)} in {shorten(stratum[row])} after {shorten(stratum[before])}"
            remedy = "Keep the correct line."
            raise ReadError(name, line_of(line, row), EXPECT_ONE_STRATUM, found, remedy)


def _repeated_judgments(
    name: str,
    line: Any,
    told: Callable[[int], str],
    grade: np.ndarray,
    again: np.ndarray,
    first: np.ndarray,
) -> tuple[Fault, ...]:
    """Errors of duplicate judgments: those with another grade, and those with the
    same.
    """

    def came(row: int, before: int) -> str:
        again = f"{told(row)} again"
        if grade[row] == grade[before]:
            return again
        return f"{again}, with grade {grade[row]} after {grade[before]}"

    other = grade[again] != grade[first]
    keep, once = "Keep the correct one.", EXPECT_ONCE[QRELS]
    rows = again[~other], first[~other]
    return (
        *fault_at(name, line, EXPECT_ONE_GRADE, keep, again[other], first[other], came),
        *fault_at(name, line, once, REPEAT_REMEDY, *rows, came, REPEATED),
    )


def of_small_type(grade: np.ndarray) -> np.ndarray:
    """Grades in the smallest signed integer type that fits them."""
    # -1 must fit too: a reduction writes it for a dropped judgment, in the same type
    lowest = np.min_scalar_type(int(grade.min(initial=-1)))
    # of a number below 0, since for others NumPy takes a type without a sign
    highest = np.min_scalar_type(-int(grade.max(initial=0)) - 1)
    return grade.astype(np.promote_types(lowest, highest))


def _are_sorted(topic: np.ndarray, documents: "pa.StringArray") -> bool:
    """Whether rows are sorted by topic, then document, without duplicates."""
    step = np.diff(topic)
    rising = to_numpy(pc.less(documents[:-1], documents[1:]))
    return bool(np.where(step == 0, rising, step > 0).all())


def digest_of(data: bytes) -> str:
    """The SHA-256 of a text without its byte order mark."""
    return hashlib.sha256(memoryview(data)[begin_of_text(data) :]).hexdigest()


def stream_run(path: Path) -> Run | None:
    """Read a large run file block by block; None if anything in it is unusual and its
    whole text must be read.
    """
    name, digest, begin = str(path), hashlib.sha256(), bytearray()

    def digested() -> Iterator[bytes]:
        for block in stream(path):
            digest.update(block)
            begin.extend(block[: LARGEST - len(begin)])
            yield block

    try:
        table = parse_blocks(digested(), RUN, column_types(RUN), partial(check_text, name))
        # of several runs in a file, the whole text says which lines are whose
        if not table["topics"] or len(table["tags"]) > 1:
            return None
        if marked_topic(table) is not None:
            return None
        run = make_run(
            name,
            table["tags"],
            table["topics"],
            table["topic"],
            table["document"],
            table["score"],
            table["rank"],
        )
    except (ArrowRefused, ReadError):
        return None
    if run.repeated:
        return None
    return run._replace(sha256=digest.hexdigest(), header=header_of(bytes(begin)))


def pick_judgments(qrels: Qrels, kept: np.ndarray) -> Qrels:
    """Some of the judgments (indices, ascending), without topics that have no
    others.
    """
    used, topic = np.unique(qrels.topic[kept], return_inverse=True)
    return replace(
        qrels,
        topics=tuple(pick(qrels.topics, used)),
        topic=topic.astype(np.int32),
        documents=qrels.documents.take(to_arrow(kept)),
        grade=qrels.grade[kept],
        design=qrels.design and qrels.design.take(kept),
    )


def refuse_nan(name: str, score: np.ndarray, line: Any = None) -> None:
    """Raise `ReadError` for a score that is not a number."""
    bad = np.flatnonzero(np.isnan(score))
    if bad.size:
        expected = "a score that is a number"
        remedy = "Give every document a score."
        raise ReadError(name, line_of(line, bad[0]), expected, "NaN", remedy)


def make_run(
    name: str,
    tags: tuple[str, ...],
    topics: tuple[str, ...],
    topic: np.ndarray,
    documents: "pa.StringArray",
    score: np.ndarray,
    rank: "pa.StringArray",
    line: Any = None,
) -> Run:
    """Run from its columns. The first of lines that duplicate a document is kept.
    Raises `ReadError` for a score that is not a number.
    """
    refuse_nan(name, score, line)
    again, first = repeated_rows(topic, documents)
    if not again.size:
        return Run(name, tags, topics, topic, documents, score, rank)

    told = partial(_describe, topics, topic, documents)
    repeated = fault_at(
        name,
        line,
        EXPECT_ONCE[RUN],
        BEST_REMEDY,
        again,
        first,
        lambda row, before: f"{told(row)} again",
        REPEATED,
    )
    kept = np.delete(np.arange(topic.size), again)
    lines = to_arrow(kept)
    columns = topic[kept], documents.take(lines), score[kept], rank.take(lines)
    return Run(
        name, tags, topics, *columns, repeated, better=better_lines(again, first, kept, score, rank)
    )


def read_text(name: str, data: bytes, layout: Layout) -> dict[str, Any]:
    """Columns of a text. `line` is a function from a row to its line number, called
    only for an error. Raises `ReadError` for a line of another layout, and for no line.
    """
    check_text(name, data)
    kinds = column_types(layout)
    try:
        table = parse_blocks(split_blocks(data, begin_of_rows(data, layout)), layout, kinds)
        if not are_grades(table.get("grades", ()), layout):
            raise ArrowRefused
    except ArrowRefused:
        table = join_tables([*read_blocks(name, data, layout, kinds)], kinds)
    if not len(table["topic"]):
        raise ReadError(
            name,
            None,
            f"lines of {len(layout.columns)} columns ({layout})",
            describe_nothing(data),
            "Copy it again.",
        )
    line = cache(partial(line_number, data, layout))
    marked = marked_topic(table)
    if marked is not None:
        raise ReadError(name, line(marked), "a topic", MARKED, UNMARK)
    return table | {"line": line}


def marked_topic(table: dict[str, Any]) -> int | None:
    """The first row whose topic follows a byte order mark; None if there is none."""
    codes = [code for code, topic in enumerate(table["topics"]) if topic.startswith("\ufeff")]
    if not codes:
        return None
    return int(np.flatnonzero(np.isin(table["topic"], codes))[0])


def column_types(layout: Layout) -> "dict[str, pa.DataType]":
    """Types of the used columns."""
    few = pa.dictionary(pa.int32(), pa.string())
    known = {
        "topic": few,
        "document": pa.string(),
        "grade": few,
        "rank": pa.string(),
        "score": pa.float64(),
        "tag": few,
    }
    known |= {
        "stratum": few,
        "probability": pa.float64(),
        "level": few,
        "subtopic": few,
        "run": few,
    }
    return {c: known[c] for c in layout.columns if c in known}


def line_of(line: Any, row: Any) -> int | None:
    """Line number of a row; None if there are no lines."""
    if not line:
        return None
    number: int = line(int(row))
    return number


def fault_at(
    name: str,
    line: Any,
    expected: str,
    remedy: str,
    again: np.ndarray,
    first: np.ndarray,
    came: Callable[[int, int], str],
    kind: str = "",
) -> tuple[Fault, ...]:
    """Error of the duplicate rows `again`, if there are any. `came` describes a row and
    the `first` row that it duplicates; `kind` is the kind of the fault.
    """
    if not again.size:
        return ()
    found = came(again[0], first[0])
    if not line:
        return (Fault(again.size, ReadError(name, None, expected, found, remedy, kind)),)
    found = f"{found} (first on line {line(int(first[0]))})"
    number, *also = map(int, map(line, again[: MAX_NUMBERS + 1].tolist()))
    error = ReadError(name, number, expected, found, remedy, kind)
    return (Fault(again.size, error, (*also,)),)


def join_keys(
    topics: tuple[str, ...], topic: np.ndarray, documents: "pa.StringArray"
) -> "pa.StringArray":
    """Key of each row for joins: topic and document in one text. A NUL separates them,
    since no file can contain one.
    """
    names = to_texts(topics).take(to_arrow(topic))
    return pc.binary_join_element_wise(names, documents, "\0")


def sort_topics(topics: tuple[str, ...], topic: np.ndarray) -> tuple[tuple[str, ...], np.ndarray]:
    """Topics in natural order, and matching codes of the rows."""
    order = natural_order(topics)
    place = np.empty(len(topics), np.int32)
    place[order] = np.arange(len(topics), dtype=np.int32)
    return tuple(pick(topics, order)), place[topic]
