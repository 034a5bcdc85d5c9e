"""Lists of documents by topic in JSON texts and dictionaries: topic -> document ->
number, topic -> documents, and lists of candidates.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from irmeval.core.errors import ReadError
from irmeval.core.lazy import pa
from irmeval.core.text import shorten
from irmeval.reading.named_columns import load_json, records, string_array, table_of

LARGEST = 512 << 20
"""Maximum bytes of a JSON text; a larger one can be converted to JSON lines."""
TO_LINES = (
    "jq -c 'to_entries[] | .key as $q | .value | to_entries[] | {qid: $q, docno: .key, score:"
    " .value}'"
)
META = ("mteb_model_meta",)
"""Keys of a JSON text without lists."""


class Documents(NamedTuple):
    """Documents of a topic, each with a number; without numbers, in ranked order."""

    documents: "pa.StringArray"
    numbers: np.ndarray | None


def read_nested(name: str, data: bytes, found: Any = None) -> dict[str, Any]:
    """Columns of a JSON text. Keys above the topics are run names. Raises `ReadError`
    for another shape, or a value that is not a number.
    """
    if len(data) > LARGEST:
        remedy = f"Make it JSON lines: {TO_LINES} FILE > NEW.jsonl"
        raise ReadError(name, None, f"at most {LARGEST >> 20} MiB of JSON", "more", remedy)
    pairs = load_json(name, data, object_pairs_hook=_compact)
    return nested_table(name, pairs)


def _compact(pairs: list[tuple[str, Any]]) -> Any:
    """An object of a JSON text as pairs; numbers of documents are arrays, which take
    less memory.
    """
    if pairs and all(type(value) in (int, float) for _, value in pairs):
        return Documents(
            pa.array([key for key, _ in pairs], pa.string()),
            np.array([float(value) for _, value in pairs]),
        )
    return pairs


def nested_table(name: str, lists: Any) -> dict[str, Any]:
    """Columns of nested lists: mappings or pairs, down to `Documents`, lists of
    documents, or mappings of documents to numbers.
    """
    found = [*_walk(name, lists, ())]
    if not any(len(documents.documents) for _, documents in found):
        raise ReadError(name, None, "topics with documents", "none")
    sizes = [len(documents.documents) for _, documents in found]
    runs = ["/".join(path[:-1]) for path, _ in found]
    table = table_of(
        name, {"topic": np.repeat(np.array([path[-1] for path, _ in found], object), sizes)}
    )
    table["document"] = pa.concat_arrays([documents.documents for _, documents in found])
    if len({*runs}) > 1:
        table |= table_of(name, {"run": np.repeat(np.array(runs, object), sizes)})
    if all(documents.numbers is not None for _, documents in found):
        table["number"] = np.concatenate([documents.numbers for _, documents in found])
    table["rank"] = ranks(sizes)
    return table


def _walk(
    name: str, value: Any, path: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], Documents]]:
    """Lists below a value, with the keys that lead to each."""
    if len(path) > 5:
        raise ReadError(name, None, "topic -> document -> number", "deeper nesting")
    if isinstance(value, Documents):
        yield path, value
        return
    if (
        isinstance(value, list)
        and path
        and all(isinstance(item, str | int) for item in value)
        and not isinstance(value, Mapping)
    ):
        yield path, Documents(string_array([str(item) for item in value]), None)
        return
    pairs = [*value.items()] if isinstance(value, Mapping) else value
    if not isinstance(pairs, list) or not all(
        isinstance(pair, tuple) and len(pair) == 2 for pair in pairs
    ):
        where = f"{', '.join(path)}: " if path else ""
        raise ReadError(
            name,
            None,
            "topic -> document -> number",
            f"{where}{shorten(value)}",
            "Fix or remove it.",
        )
    below = [item for _, item in pairs]
    if path and below and not any(isinstance(item, Mapping | list | Documents) for item in below):
        yield path, _documents(name, path, pairs)
        return
    if (
        not path
        and below
        and not all(isinstance(item, Mapping | list | Documents) for item in below)
    ):
        odd = next(item for item in below if not isinstance(item, Mapping | list | Documents))
        raise ReadError(
            name,
            None,
            "topic -> document -> number",
            f"{shorten(odd)} for a topic",
            "Fix or remove it.",
        )
    yield from chain.from_iterable(
        _walk(name, item, (*path, str(key))) for key, item in pairs if key not in META
    )


def _documents(name: str, path: tuple[str, ...], pairs: list[tuple[Any, Any]]) -> Documents:
    """Documents of a topic. Raises `ReadError` for a value that is not a number."""
    for document, value in pairs:
        if isinstance(value, bool | str) or not hasattr(value, "__float__"):
            where = f"{', '.join(path)}, {document}"
            raise ReadError(
                name, None, "numbers as grades or scores", f"{shorten(value)} for {shorten(where)}"
            )
    return Documents(
        string_array([key for key, _ in pairs]), np.array([float(value) for _, value in pairs])
    )


def ranks(lengths: Iterable[int]) -> "pa.StringArray":
    """1, 2, ... for each list of these lengths."""
    ends = np.cumsum(lengths := np.fromiter(lengths, np.int64))
    return pa.array(np.arange(1, lengths.sum() + 1) - np.repeat(ends - lengths, lengths)).cast(
        pa.string()
    )


def read_candidates(name: str, data: bytes, found: Any = None) -> dict[str, Any]:
    """Columns of ``{"query": {"qid": ...}, "candidates": [{"docid": ..., "score":
    ...}]}``, one object or one a line. Without scores the order of the candidates
    counts.
    """
    topics: list[str] = []
    documents: list[Any] = []
    scores: list[Any] = []
    sizes: list[int] = []
    objects = [(None, load_json(name, data))] if found == "json" else records(name, data)
    for number, record in objects:
        try:
            query, candidates = record["query"], record["candidates"]
            topic = query["qid"] if isinstance(query, dict) else record.get("qid", query)
            documents += [
                candidate["docid"] if "docid" in candidate else candidate["docno"]
                for candidate in candidates
            ]
            scores += [candidate.get("score") for candidate in candidates]
        except (KeyError, TypeError, AttributeError, IndexError):
            wanted = '{"query": {"qid": ...}, "candidates": [{"docid": ..., "score": ...}]}'
            raise ReadError(name, number, wanted, shorten(record), "Fix or remove it.") from None
        topics.append(str(topic))
        sizes.append(len(candidates))
    columns: dict[str, Any] = {
        "topic": np.repeat(np.array(topics, object), sizes),
        "document": documents,
    }
    table = table_of(name, columns | ({"number": scores} if None not in scores else {}))
    table["rank"] = ranks(sizes)
    return table
