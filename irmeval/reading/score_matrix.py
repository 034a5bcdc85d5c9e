"""A score matrix: scores of runs on topics by one measure, without qrels and runs; and
those of several judges side by side.

As a file it is CSV: run names in the first line, then a line per topic. A first column
headed ``topic``, ``qid`` or another such name holds the topics.
"""

import csv
import hashlib
import io
import math
import re
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, compress, islice, repeat
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from irmeval.core.errors import ParamError, ReadError
from irmeval.core.places import pick
from irmeval.core.text import MAX_QUOTED, count_noun, list_few, natural_order, shorten
from irmeval.reading.files import (
    find_long_line,
    refuse_binary,
    refuse_inner_mark,
    stem,
    unpacked_name,
)
from irmeval.reading.text_layout import names_runs, names_topics

LONGEST = 4 << 20
"""Maximum bytes of a line: many thousands of runs."""
HIGHEST = 1e30
"""Maximum absolute score: squares of sums stay finite."""
_MEANS = re.compile(
    r"(arithmetic|geometric|macro|micro|grand|overall|a|g)?["
    r" _-]?(all|mean|avg|average|overall|total)([ _-](over|of)\b.*)?",
    re.IGNORECASE,
)
"""Entries of the topic column that mark means."""
_ENDING = re.compile(r"\.(csv|tsv|txt|jsonl|parquet)$", re.IGNORECASE)
_HEADINGS = {"docno", "doc_id", "docid", "document"}
"""Headings of a document column."""


@dataclass(frozen=True, eq=False)
class Matrix:
    """Scores of runs on topics.

    Attributes
    ----------
    name : name of the file, used as the measure
    runs, topics : names along the axes; of a file, in natural order
    values : float64 [run, topic], NaN where a run lacks a topic
    format, notes : what the file was recognised as, and what its reader should know
    judge : who gave the scores, by default the name of the file
    others : the scores that further judges gave, of runs and topics of their own
    """

    name: str
    runs: tuple[str, ...]
    topics: tuple[str, ...]
    values: np.ndarray
    format: str = ""
    notes: tuple[str, ...] = ()
    judge: str = ""
    others: "tuple[Matrix, ...]" = ()

    @cached_property
    def fingerprint(self) -> str:
        """Digest of everything that a result can depend on, 32 hexadecimal digits."""
        # scores of one judge are the same whoever that is
        named = [self.name, self.runs, self.topics]
        if self.others:
            named += [self.judge, *map(attrgetter("fingerprint"), self.others)]
        digest = hashlib.blake2b(repr((*named,)).encode(), digest_size=16)
        digest.update(self.values.tobytes())
        return digest.hexdigest()

    @property
    def nbytes(self) -> int:
        """Bytes of the scores."""
        return int(self.values.nbytes)

    @property
    def measure(self) -> str:
        """The measure, where the file names one: else it is named by the judge."""
        return "" if self.name == self.judge else self.name

    @property
    def judges(self) -> tuple[str, ...]:
        """Names of its judges, the reference first."""
        return (self.judge, *map(attrgetter("judge"), self.others))

    @cached_property
    def complete(self) -> "Matrix":
        """The scores without further judges, on the topics that all runs have. Raises
        `ReadError` where there are none.
        """
        whole = ~np.isnan(self.values).any(axis=0)
        if not whole.any():
            of, expected = self.judge or self.name, "a topic that all runs have"
            raise ReadError(of, None, expected, "none", "Leave runs out.")
        if whole.all() and not self.others:
            return self
        made = replace(_at_topics(self, np.flatnonzero(whole)), others=())
        made.values.flags.writeable = False
        lost = [*compress(self.topics, ~whole)]
        if not lost:
            return made
        note = f"{count_noun(len(lost), 'topic')} that a run lacks left out ({list_few(lost)})"
        return replace(made, notes=(note, *self.notes))


def with_judges(matrices: Mapping[str, Matrix]) -> Matrix:
    """The scores of several judges by name; the first is the reference. Raises
    `ParamError` for fewer than two, and for names that are empty.
    """
    if len(matrices) < 2 or "" in matrices:
        expected = "the scores of at least 2 judges with a name"
        raise ParamError(f"scores: expected {expected}, found {list_few([*matrices])}.")
    first, *others = (replace(matrix, judge=name, others=()) for name, matrix in matrices.items())
    return replace(first, others=tuple(others))


def matrices_from(name: str, table: Mapping[str, Any]) -> list[Matrix]:
    """The matrix of each measure from columns ``topic``, ``value`` and perhaps ``run``
    and ``measure``, and ``lines``, the number of the line of each row. Means over
    topics (``all``, ``mean``) are left out.

    Raises `ReadError` for a score that is no finite number, a score given twice, or if
    no topic is left.
    """
    topics, scores = table["topics"], np.asarray(table["value"]).size
    one = np.zeros(scores, np.int32)
    measure, measures = table.get("measure", one), table.get("measures", ("",))
    table = {"run": one, "runs": ("",), **table}
    are_means = np.fromiter(map(_is_mean, topics), bool)
    notes: tuple[str, ...] = ()
    if are_means.any():
        left_out = list_few([*compress(topics, are_means)])
        notes = (f"means over topics left out ({left_out})",)
    is_of_topic = ~are_means[table["topic"]]
    made = []
    for at, of in enumerate(measures):
        rows = np.flatnonzero((measure == at) & is_of_topic)
        if rows.size:
            values = _values_in(name, table, rows)
            made.append(_matrix_of(name, of, table["runs"], topics, values, notes))
    if made:
        return made
    remedy = "Print scores by topic, as trec_eval -q does."
    raise ReadError(name, None, "scores by topic", "means over topics only", remedy)


def _values_in(name: str, table: Mapping[str, Any], rows: np.ndarray) -> np.ndarray:
    """Scores of one measure from some rows of columns, float64 [run, topic], NaN where
    none is given. Raises `ReadError` as `matrices_from`.
    """
    topics, runs = table["topics"], table["runs"]
    topic, run = table["topic"][rows], table["run"][rows]
    value = np.asarray(table["value"], np.float64)[rows]
    # not abs(value) > HIGHEST, which no NaN is
    bad = np.flatnonzero(~(np.abs(value) <= HIGHEST))
    if bad.size:
        came = f"{value[bad[0]]:g} of topic {topics[topic[bad[0]]]}"
        raise ReadError(name, None, f"finite scores of at most {HIGHEST:g}", came)
    cell = run.astype(np.int64) * len(topics) + topic
    _, first_of, again = np.unique(cell, return_index=True, return_inverse=True)
    before = first_of[again]
    twice = np.flatnonzero(before < np.arange(cell.size))
    if twice.size:
        here = twice[0]
        came = f"topic {shorten(topics[topic[here]])} of {shorten(runs[run[here]])}"
        line = None
        where = "twice"
        if lines := table.get("lines"):
            line = lines[rows[here]]
            where = f"again, as in line {lines[rows[before[here]]]}"
        remedy = "Remove one of them, or give each run its name."
        raise ReadError(name, line, "each topic once per run", f"{came} {where}", remedy)
    values = np.full((len(runs), len(topics)), np.nan)
    values.ravel()[cell] = value
    return values


def _matrix_of(
    name: str,
    measure: str,
    runs: Sequence[str],
    topics: Sequence[str],
    values: np.ndarray,
    notes: tuple[str, ...],
) -> Matrix:
    """The matrix of the runs and topics that have scores. Raises `ReadError` if no
    topic has a score of each run.
    """
    is_scored = ~np.isnan(values)
    used = _in_order(runs, is_scored.any(axis=1))
    here = _in_order(topics, is_scored.any(axis=0))
    kept = values[np.ix_(used, here)]
    kept.flags.writeable = False
    stated = unpacked_name(stem(name))
    named = tuple(runs[place] or stated for place in used)
    judge = _ENDING.sub("", stated)
    of = tuple(pick(topics, here))
    made = Matrix(measure or judge, named, of, kept, notes=notes, judge=judge)
    made.complete  # noqa: B018 -- raises an error here, with the name of the file
    return made


def _in_order(names: Sequence[str], kept: np.ndarray) -> np.ndarray:
    """Places of the names that are `kept`, bool [names], in natural order."""
    order = np.array(natural_order(names), np.int64)
    return order[kept[order]]


def read_wide(name: str, data: bytes, separator: str = ",") -> Matrix:
    """The matrix in a file of somebody's: without means over topics or runs, with a
    line per run if the first column is headed ``run``.

    Raises `ReadError` as `parse_matrix`; also for columns that are no runs, and if it
    is unclear what the lines are.
    """
    (_, header), (line, first) = islice(chain(_rows(name, data, separator), repeat((0, [""]))), 2)
    by_run = names_runs(header[0])
    is_clear = by_run or _begins_with_topics(header, first)
    if not is_clear:
        remedy = "Head it topic if each line is a topic, or run if each line is a run."
        came = f"{shorten(header[0])}, and {shorten(first[0])} below it"
        raise ReadError(name, line, "a first column headed topic or run", came, remedy)
    found = parse_matrix(name, data, separator, by_run=by_run)
    columns = found.topics if by_run else found.runs
    _check_columns(name, columns)
    return _check_range(name, _without_means(name, found, by_run))


def _begins_with_topics(header: list[str], first: list[str]) -> bool:
    """Whether the first column is headed ``topic``, or holds numbers, as topics have, or
    nothing.
    """
    if names_topics(header[0]):
        return True
    return first[0] == "" or is_number(first[0])


_LOGGED = (
    r"epochs?|(global[ _-]?)?steps?|iter(ation)?s?|(train|eval|val)?[ _/-]?loss|lr"
    r"|learning[ _-]?rate|time(stamp)?|wall[ _-]?time|date"
)
"""Columns of a log of training."""
_MEASURED = (
    r"(.*[-_ /.])?(map|ap|mrr|rr|ndcg|dcg|p|r|prec(ision)?|recall|acc(uracy)?|hits?|hit_rate"
    r"|success|f1?|err|rbp|judged)(@|_cut_|_at_)\d+"
    r"|map|mrr|ndcg|recip_rank|rprec|bpref|gm_map|num_rel(_ret)?|num_ret|num_q|(p|recall)_\d+"
)
"""Columns named like measures."""
_FAR = 20.0
"""Ratio of a column's lowest number to all other scores from which it is none."""


def _check_columns(name: str, columns: Sequence[str]) -> None:
    """Raise `ReadError` for the columns of a log, and for measures."""
    for pattern, what, remedy in (
        (_LOGGED, "a log of training", "Leave it out: it has no scores by topic."),
        (_MEASURED, "measures", "Write lines of run,topic,measure,score under such a header."),
    ):
        if named := [column for column in columns if re.fullmatch(pattern, column, re.I)]:
            came = f"{list_few([*map(shorten, named)])}, as in {what}"
            raise ReadError(name, 1, "columns of scores by one measure", came, remedy)


def _without_means(name: str, found: Matrix, by_run: bool) -> Matrix:
    """The matrix without columns of means. Raises `ReadError` if fewer than two columns
    are left.
    """
    columns, what, select = found.runs, "run", _of_runs
    if by_run:
        columns, what, select = found.topics, "topic", _at_topics
    are_means = np.fromiter(map(_is_mean, columns), bool)
    if not are_means.any():
        return found
    means = [*compress(columns, are_means)]
    kept = np.flatnonzero(~are_means)
    if kept.size < 2:
        came = f"{kept.size} beside {list_few(means)}"
        remedy = f"Give every {what} a column."
        raise ReadError(name, 1, f"at least 2 {what} names", came, remedy)
    notes = (f"column {column} left out, as it is no {what}" for column in means)
    made = select(found, kept)
    made.values.flags.writeable = False
    return replace(made, notes=(*found.notes, *notes))


def _is_mean(name: str) -> bool:
    """Whether a column or a line is called like a mean."""
    return bool(_MEANS.fullmatch(name))


def _at_topics(found: Matrix, kept: np.ndarray) -> Matrix:
    return replace(found, topics=tuple(pick(found.topics, kept)), values=found.values[:, kept])


def _of_runs(found: Matrix, kept: np.ndarray) -> Matrix:
    return replace(found, runs=tuple(pick(found.runs, kept)), values=found.values[kept])


def _check_range(name: str, found: Matrix) -> Matrix:
    """Return a matrix. Raises `ReadError` for a run whose numbers are far above all
    others, which are scores from 0 to 1.
    """
    lowest, highest = found.values.min(axis=1), found.values.max(axis=1)
    for place, run in enumerate(found.runs):
        others = np.delete(highest, place).max()
        if others <= 1 and found.values.min() >= 0 and lowest[place] > max(1, _FAR * others):
            came = f"{lowest[place]:g} and more for {shorten(run)}, at most {others:g} elsewhere"
            remedy = "Leave the column out, or give scores by the same measure."
            raise ReadError(name, None, "scores of one measure", came, remedy)
    return found


def parse_matrix(
    name: str, data: bytes, separator: str = ",", *, gaps: bool = False, by_run: bool = False
) -> Matrix:
    """The matrix in a text, without rows of means over topics. With `gaps`, an empty
    cell is a score that a run lacks; `by_run`, a line is a run, and a column a topic.

    Raises `ReadError` for lines of unequal length, and for scores that are not finite
    numbers.
    """
    rows = _rows(name, data, separator)
    line, header = next(rows, (0, []))
    if not header:
        raise ReadError(name, None, "a first line of run names", "an empty file")
    is_named = by_run or names_topics(header[0])
    of_line, of_column = "topic", "run"
    if by_run:
        of_line, of_column = "run", "topic"
    columns = tuple(header[is_named:])
    if _of_documents(header, is_named):
        came = "what looks like a run or qrels with columns separated by commas"
        remedy = "Replace them with blanks, and remove the header line."
        raise ReadError(name, line, "a score matrix, as there are commas", came, remedy)
    _check_header(name, line, columns, of_column)
    named = of_line if is_named else ""
    found = _read_body(name, rows, columns, named, gaps)
    if not found.lines:
        expected = f"a line of scores for each {of_line}"
        raise ReadError(name, None, expected, f"{of_column} names only")
    lines = [*found.lines]
    in_lines, in_columns = natural_order(lines), natural_order(columns)
    values = np.frombuffer(found.scores).reshape(len(lines), -1)[np.ix_(in_lines, in_columns)]
    axes = tuple(pick(lines, in_lines)), tuple(pick(columns, in_columns))
    if not by_run:
        axes, values = axes[::-1], values.T
    values = values.copy()
    values.flags.writeable = False
    judge = _ENDING.sub("", stem(name))
    return Matrix(judge, *axes, values, notes=tuple(found.notes), judge=judge)


class _Body(NamedTuple):
    """What stands below the header of a matrix."""

    lines: dict[str, int]
    """name of each line of scores -> its number"""
    scores: "array[float]"
    """line by line"""
    notes: list[str]


def _read_body(
    name: str, rows: Iterator[tuple[int, list[str]]], columns: Sequence[str], of: str, gaps: bool
) -> _Body:
    """Scores below a header of these columns. `of` is what the first cell of a line
    names, empty if lines begin with a score. Raises `ReadError` as `parse_matrix`.
    """
    found = _Body({}, array("d"), [])
    width = len(columns) + bool(of)
    for line, cells in rows:
        if len(cells) != width:
            expected = f"{width} columns, as in the first line"
            raise ReadError(name, line, expected, f"{len(cells)}", "Fix or remove the line.")
        if of and _is_mean(cells[0]):
            found.notes.append(f"row {cells[0]} left out, as it is no {of}")
            continue
        named = str(len(found.lines) + 1)
        if of:
            named = cells.pop(0)
        if named in found.lines:
            came = f"{shorten(named)} again, as in line {found.lines[named]}"
            raise ReadError(name, line, f"each {of} once", came, "Remove one of them.")
        found.lines[named] = line
        scores = zip(columns, cells, strict=True)
        found.scores.extend(_number(name, line, column, cell, gaps) for column, cell in scores)
    return found


def _rows(name: str, data: bytes, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Number and cells of each line that is not empty."""
    refuse_binary(name, data)
    refuse_inner_mark(name, data)
    if line := find_long_line(data, LONGEST):
        expected = f"a line of at most {LONGEST >> 20} MiB"
        raise ReadError(name, line[0], expected, "more", "Leave runs out.")
    text = io.TextIOWrapper(io.BytesIO(data), "utf-8-sig", newline="")
    reader = csv.reader(text, delimiter=separator, strict=True)
    try:
        # lines of separators alone are the empty rows of a spreadsheet
        for cells in filter(any, reader):
            yield reader.line_num, [*map(str.strip, cells)]
    except (UnicodeDecodeError, csv.Error) as error:
        expected = "comma-separated text in UTF-8"
        came = f"something else ({error})"
        raise ReadError(name, None, expected, came, "Save it as CSV.") from None


COLUMNS_OF_DOCUMENTS = (4, 6)
"""Number of columns of qrels and of a run."""


def _of_documents(cells: list[str], named: bool) -> bool:
    """Whether a first line belongs to a run or to qrels: it has their headings, or
    numbers in the same columns. With `named` the first column contains topics.
    """
    if not _HEADINGS.isdisjoint(map(str.lower, cells)):
        return True
    if named or len(cells) not in COLUMNS_OF_DOCUMENTS:
        return False
    numbers = [*map(is_number, cells)]
    if all(numbers):
        return False
    # of a run the rank and the score, of qrels the grade
    has_their_numbers = all(numbers[3:5])
    return has_their_numbers and _is_iteration(cells[1])


def _is_iteration(cell: str) -> bool:
    return is_number(cell) or cell in ("Q0", "q0")


def _check_header(name: str, line: int, runs: tuple[str, ...], what: str) -> None:
    expected = f"at least 2 {what} names, separated by commas"
    if len(runs) < 2:
        remedy = f"Give every {what} a column."
        raise ReadError(name, line, expected, shorten(",".join(runs)), remedy)
    if "" in runs:
        came = f"an empty name in place {runs.index('') + 1}"
        raise ReadError(name, line, expected, came, "Give the column of topics the header topic.")
    # whole numbers may name runs or topics; with points they are scores
    if all(map(is_number, runs)) and "." in "".join(runs):
        came = f"numbers such as {runs[0][:MAX_QUOTED]}"
        raise ReadError(name, line, expected, came, "Begin with a line of run names.")
    again = [run for run, times in Counter(runs).items() if times > 1]
    if again:
        came = f"{shorten(again[0])} twice"
        raise ReadError(name, line, f"{what} names that differ", came, "Rename one of them.")


def is_number(text: str) -> bool:
    """Whether a text is a finite number."""
    try:
        # Python alone takes 1_000 for a number
        return math.isfinite(float(text)) and "_" not in text
    except ValueError:
        return False


def _number(name: str, line: int, column: str, text: str, gaps: bool) -> float:
    """A score; NaN for an empty cell, if there may be `gaps`."""
    if gaps and not text:
        return math.nan
    if not is_number(text):
        expected = f"a finite number as score of {column[:MAX_QUOTED]}"
        came = shorten(text) if text else "nothing"
        remedy = "Score the topic for every run, or leave it out."
        raise ReadError(name, line, expected, came, remedy)
    score = float(text)
    if abs(score) > HIGHEST:
        expected = f"a score of at most {HIGHEST:g} in absolute value"
        raise ReadError(name, line, expected, shorten(text), "Scale the scores.")
    return score
