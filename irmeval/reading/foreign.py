"""Qrels and runs from other programs: data frames, dictionaries, datasets of ir_datasets."""

from collections.abc import Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from irmeval.core.errors import ReadError
from irmeval.core.text import shorten
from irmeval.reading.trec import Qrels, Run, make_qrels, make_run

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

IRDS = "irds:"
"""Prefix of a path that is an id of ir_datasets."""
_NAMES = {"topic": ("qid", "query_id", "topic"), "document": ("docno", "doc_id", "document")}

Columns = tuple[tuple[str, ...], np.ndarray, "pa.StringArray", np.ndarray]
"""Topics, topic codes, documents, values."""


def qrels_from_frame(frame: "pd.DataFrame") -> Qrels:
    """Judgments in the columns of PyTerrier (qid, docno, label) or ir_measures (query_id, doc_id, relevance)."""
    topics, topic, documents, grade = _columns(frame, "qrels", ("label", "relevance"))
    return make_qrels("qrels", topics, topic, documents, _whole(grade))


def run_from_frame(name: str, frame: "pd.DataFrame") -> Run:
    """A run in the columns of PyTerrier (qid, docno, score, and rank if it is there) or ir_measures (query_id, doc_id, score)."""
    topics, topic, documents, score = _columns(frame, name, ("score",))
    rank = string_array(frame["rank"] if "rank" in frame else range(1, len(frame) + 1))
    return make_run(name, (name,), topics, topic, documents, score, rank)


def qrels_from_dict(lists: Mapping[str, Mapping[str, int]]) -> Qrels:
    """Judgments as topic -> document -> grade."""
    topics, topic, documents, grade = _nested(lists, "qrels")
    return make_qrels("qrels", topics, topic, documents, _whole(grade))


def run_from_dict(name: str, lists: Mapping[str, Mapping[str, float]]) -> Run:
    """A run as topic -> document -> score; its ranks are the order of the documents."""
    topics, topic, documents, score = _nested(lists, name)
    rank = string_array(rank for ranking in lists.values() for rank in range(1, len(ranking) + 1))
    return make_run(name, (name,), topics, topic, documents, score, rank)


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
    except Exception as error:  # an unknown id, no qrels, or an error of its downloads
        came = f"an error: {shorten(str(error))}"
        raise ReadError(name, None, "a dataset of ir_datasets that has qrels", came, "Look its id up.") from None
    if not lines:
        raise ReadError(name, None, "at least one judgment", "none")
    grade = np.array([line.relevance for line in lines], np.int64)
    return make_qrels(name, *_coded(line.query_id for line in lines), string_array(line.doc_id for line in lines), grade)


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


def _columns(frame: "pd.DataFrame", name: str, values: tuple[str, ...]) -> Columns:
    """The columns of a data frame under any of their usual names."""

    def column(choices: tuple[str, ...]) -> Any:
        if not (there := [choice for choice in choices if choice in frame]):
            raise ReadError(name, None, f"a column named {' or '.join(choices)}", ", ".join(map(str, frame.columns)))
        return frame[there[0]]

    if frame.empty:
        raise ReadError(name, None, "at least one row", "an empty data frame")
    topics, topic = _coded(column(_NAMES["topic"]))
    try:
        numbers = np.asarray(column(values), np.float64)
    except (TypeError, ValueError):
        raise ReadError(name, None, f"numbers as {' or '.join(values)}", "something else") from None
    return topics, topic, string_array(column(_NAMES["document"])), numbers


def _coded(topics: Any) -> tuple[tuple[str, ...], np.ndarray]:
    """The topics, each once, and the index of each row's."""
    encoded = string_array(topics).dictionary_encode()
    return tuple(encoded.dictionary.to_pylist()), encoded.indices.to_numpy()


def string_array(values: Any) -> "pa.StringArray":
    """A column of texts."""
    import pyarrow as pa

    return pa.array([str(v) for v in values], pa.string())
