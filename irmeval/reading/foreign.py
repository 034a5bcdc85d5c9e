"""Qrels and runs from other programs: data frames, rows, dictionaries, objects of ranx, datasets of ir_datasets."""

from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from pathlib import PurePath
from typing import Any

import numpy as np

from irmeval.core.errors import ParamError, ReadError
from irmeval.core.lazy import pa, pd
from irmeval.core.text import shorten
from irmeval.reading.trec import Qrels, Run, make_qrels, make_run

IRDS = "irds:"
"""Prefix of a path that is an id of ir_datasets."""
_NAMES = {
    "topic": ("qid", "query_id", "query-id", "q_id", "topic"),
    "document": ("docno", "doc_id", "corpus-id", "docid", "document"),
    "grade": ("label", "relevance", "rel", "score"),
    "score": ("score",),
}
"""The usual names of a column in PyTerrier, ir_measures, BEIR and ranx. If a frame has several of them, the first counts."""
_WAYS = {
    "a file": "irmeval.read_collection(qrels, runs)",
    "a data frame": "irmeval.Collection.from_frames(qrels, runs)",
    "a dictionary": "irmeval.Collection.from_dicts(qrels, runs)",
}
"""The function that reads a collection from each form of qrels and runs."""

Columns = tuple[tuple[str, ...], np.ndarray, "pa.StringArray", np.ndarray]
"""Topics, topic codes, documents, values."""


def require_form(name: str, given: Any, form: str) -> Any:
    """Return qrels or runs that have the expected form: ``a file``, ``a data frame`` or ``a dictionary``. Objects of ranx become
    dictionaries.

    Raises `ParamError` for another form; the message names the function that reads it.
    """
    if hasattr(given, "to_dict") and not hasattr(given, "columns"):
        given = given.to_dict()
    kinds = {
        "a dictionary": isinstance(given, Mapping),
        "a file": isinstance(given, str | PurePath),
        "a data frame": hasattr(given, "columns"),
    }
    found = next((kind for kind, is_it in kinds.items() if is_it), "")
    if found and found != form:
        raise ParamError(f"{name}: expected {form}, found {found}. Give qrels and runs to {_WAYS[found]}.")
    if not found and not (form == "a data frame" and isinstance(given, Iterable)):
        raise ParamError(f"{name}: expected {form}, found {shorten(given)}.")
    return given


def qrels_from_frame(frame: "pd.DataFrame | Iterable[Any]") -> Qrels:
    """Judgments in the columns of PyTerrier (qid, docno, label), ir_measures (query_id, doc_id, relevance), BEIR (query-id, corpus-id,
    score) or ranx (q_id, doc_id, score); or rows that are named tuples of these."""
    topics, topic, documents, grade = _columns(frame, "qrels", "grade")
    return make_qrels("qrels", topics, topic, documents, _whole(grade))


def runs_from_frames(runs: "Mapping[str, pd.DataFrame | Iterable[Any]] | pd.DataFrame | Iterable[Any]") -> list[Run]:
    """Runs by name. Their columns have the names of `qrels_from_frame`, with a score and optionally a rank. A single run is named
    ``run``."""
    named = runs if isinstance(runs, Mapping) else {"run": runs}
    return [run_from_frame(name, frame) for name, frame in named.items()]


def run_from_frame(name: str, frame: "pd.DataFrame | Iterable[Any]") -> Run:
    """A run in the columns that `runs_from_frames` takes."""
    rows = _table(frame, name)
    topics, topic, documents, score = _columns(rows, name, "score")
    rank = string_array(rows["rank"]) if "rank" in rows else _ranks([len(rows)])
    return make_run(name, (name,), topics, topic, documents, score, rank)


def qrels_from_dict(lists: Mapping[str, Mapping[str, int]]) -> Qrels:
    """Judgments as topic -> document -> grade, or as ranx's `Qrels`."""
    topics, topic, documents, grade = _nested(require_form("qrels", lists, "a dictionary"), "qrels")
    return make_qrels("qrels", topics, topic, documents, _whole(grade))


def runs_from_dicts(runs: Any) -> list[Run]:
    """Runs as run -> topic -> document -> score; or runs of ranx, by name, in a list, or a single one."""
    if hasattr(runs, "to_dict"):
        runs = [runs]
    if not isinstance(runs, Mapping):
        named = [(run.name or "run", run) for run in runs]
        runs = dict(named)
        if len(runs) < len(named):
            raise ParamError("runs: expected runs of different names, found two of one name. Give them by name: {'bm25': run}.")
    runs = {name: require_form(name, lists, "a dictionary") for name, lists in runs.items()}
    if any(not isinstance(documents, Mapping) for lists in runs.values() for documents in lists.values()):
        remedy = "A run needs a name: {'bm25': run}."
        raise ParamError(f"runs: expected run -> topic -> document -> score, found topic -> document -> score. {remedy}")
    return [run_from_dict(name, lists) for name, lists in runs.items()]


def run_from_dict(name: str, lists: Mapping[str, Mapping[str, float]]) -> Run:
    """A run as topic -> document -> score; its ranks are the order of the documents."""
    topics, topic, documents, score = _nested(lists, name)
    return make_run(name, (name,), topics, topic, documents, score, _ranks(map(len, lists.values())))


def has_ir_datasets() -> bool:
    """Whether the optional package ir_datasets is installed."""
    return find_spec("ir_datasets") is not None


def qrels_from_ir_datasets(name: str) -> Qrels:
    """The judgments of a dataset such as ``irds:vaswani``. Raises `ReadError` if the package or the dataset is missing."""
    try:
        import ir_datasets
    except ImportError:
        remedy = 'Give a qrels file, or: pip install "irmeval[irds]"'
        raise ReadError(name, None, "the package ir_datasets", "a Python without it", remedy) from None
    try:
        lines = list(ir_datasets.load(name.removeprefix(IRDS)).qrels_iter())
    except (KeyError, AttributeError) as error:
        came = "no dataset with this id" if isinstance(error, KeyError) else "a dataset without qrels"
        raise ReadError(name, None, "a dataset of ir_datasets that has qrels", came, "Look its id up.") from None
    except Exception as error:  # of any kind: of the network, of a server that has moved, of a full disk
        came, remedy = f"an error: {shorten(str(error))}", "Is there a network? Otherwise give a qrels file."
        raise ReadError(name, None, "a dataset that can be downloaded", came, remedy) from None
    if not lines:
        raise ReadError(name, None, "at least one judgment", "none")
    grade = np.array([line.relevance for line in lines], np.int64)
    return make_qrels(name, *_coded(string_array(line.query_id for line in lines)), string_array(line.doc_id for line in lines), grade)


def _whole(grade: np.ndarray) -> np.ndarray:
    if not np.array_equal(grade, np.floor(grade)):
        raise ReadError("qrels", None, "whole numbers as grades", "fractions or NaN", "Map them to levels 0, 1, 2, ...")
    return grade.astype(np.int64)


def _nested(lists: Mapping[str, Mapping[str, float]], name: str) -> Columns:
    if not any(lists.values()):
        raise ReadError(name, None, "topics with documents", "an empty dictionary")
    codes = np.repeat(np.arange(len(lists), dtype=np.int32), [len(of_topic) for of_topic in lists.values()])
    try:
        values = np.array([float(v) for of_topic in lists.values() for v in of_topic.values()])
    except (TypeError, ValueError):
        raise ReadError(name, None, "numbers as grades or scores", "something else") from None
    return tuple(map(str, lists)), codes, string_array(d for of_topic in lists.values() for d in of_topic), values


def _table(given: Any, name: str) -> Any:
    """A data frame from a frame, a table of another library, or named tuples."""
    if hasattr(given, "columns") and hasattr(given, "iloc"):
        return given
    if hasattr(given, "to_pandas"):  # of Hugging Face, Arrow or Polars
        return given.to_pandas()
    rows = [*require_form(name, given, "a data frame")]
    if not all(hasattr(row, "_fields") for row in rows):
        came = type(next(row for row in rows if not hasattr(row, "_fields"))).__name__
        raise ParamError(f"{name}: expected a data frame, or rows that are named tuples, found rows of type {came}.")
    return pd.DataFrame(rows)


def _columns(given: Any, name: str, value: str) -> Columns:
    """The columns of a data frame under any of their usual names."""
    frame = _table(given, name)
    if frame.empty:
        raise ReadError(name, None, "at least one row", "an empty data frame")

    def column(kind: str) -> Any:
        if not (there := [choice for choice in _NAMES[kind] if choice in frame]):
            raise ReadError(name, None, f"a column named {' or '.join(_NAMES[kind])}", ", ".join(map(str, frame.columns)))
        return frame[there[0]]

    topic, documents = (string_array(column(kind)) for kind in ("topic", "document"))
    if topic.null_count or documents.null_count:
        raise ReadError(name, None, "a topic and a document in each row", "an empty cell")
    numbers = column(value)
    try:
        numbers = np.asarray(numbers, np.float64)
    except (TypeError, ValueError):
        raise ReadError(name, None, f"numbers as {numbers.name}", "something else") from None
    return *_coded(topic), documents, numbers


def _coded(topics: "pa.StringArray") -> tuple[tuple[str, ...], np.ndarray]:
    """The distinct topics, and for each row the index of its topic."""
    encoded = topics.dictionary_encode()
    return tuple(encoded.dictionary.to_pylist()), encoded.indices.to_numpy()


def _ranks(lengths: Iterable[int]) -> "pa.StringArray":
    """1, 2, ... for each list of these lengths."""
    ends = np.cumsum(lengths := np.fromiter(lengths, np.int64))
    return pa.array(np.arange(1, lengths.sum() + 1) - np.repeat(ends - lengths, lengths)).cast(pa.string())


def string_array(values: Any) -> "pa.StringArray":
    """A column of texts. A missing value of pandas becomes null, any other value the text that `str` makes of it."""
    values = values if hasattr(values, "__len__") else [*values]
    try:
        column = pa.array(values, pa.string())
    except (pa.ArrowException, TypeError):  # not texts alone
        empty = values.isna() if hasattr(values, "isna") else [False] * len(values)
        column = pa.array([None if none else str(v) for v, none in zip(values, empty, strict=True)], pa.string())
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
