"""Lists of documents below each topic in JSON, under the keys that search engines,
answer sets and retrieval toolkits use.

One mapping of keys reads them all: an object with a list is a topic, wherever it is
nested; an object in the list is a document.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice, repeat
from typing import Any, NamedTuple

import numpy as np

from irmeval.core.errors import ReadError
from irmeval.core.lazy import pa
from irmeval.core.text import shorten
from irmeval.reading.named_columns import table_of, values_of
from irmeval.reading.nested import as_number, is_empty, ranks
from irmeval.reading.text_layout import NAMES

JUDGED = {
    "ratings": np.nan,
    "judgments": np.nan,
    "judgements": np.nan,
    "judgmentratings": np.nan,
    "positive_passages": 1.0,
    "negative_passages": 0.0,
    "relevant_docs": 1.0,
    "answer_pids": 1.0,
    "documents": 1.0,
    "expected_ids": 1.0,
}
"""Keys of lists of judged documents -> the grade of a document without one; NaN if it
is not judged.
"""
RANKED = dict.fromkeys(
    (
        "results",
        "hits",
        "references",
        "retrieved_ids",
        "candidates",
        "documents",
        "ctxs",
        "contexts",
    ),
    np.nan,
)
"""Keys of ranked lists; a document without a score has its place in the list."""
TOPIC_TEXTS = ("query", "query_text", "question", "topic")
TOPIC_IDS = (
    *(name for name in NAMES["topic"] if name not in TOPIC_TEXTS),
    "id",
    "narrative_id",
)
"""Keys of a topic; an id comes before the text of the query."""
HOLDERS = ("query", "metadata")
"""Keys of an object that holds the keys of the topic."""
DOCUMENT = ("docid", "doc_id", "_id", "docno", "id", "pid", "passage_id", "corpus_id", "url")
GRADE = NAMES["grade"]
SCORE = ("score", "_score", "similarity")
WRAPPER = "hit"
"""Key of an object that holds the keys of the document."""
WORDS = ("data", "response", "_source", "result", "results", "queries", "requests", "hits")
"""Keys of an object that are no topics."""


class Entry(NamedTuple):
    """A document of a topic."""

    topic: str
    run: str
    document: str
    number: float
    """grade or score; NaN if there is none"""


class Place(NamedTuple):
    """What the objects around a value state."""

    topic: str = ""
    run: str = ""
    key: str = ""
    """key under which the value stands; empty in a list"""


def read_judged(name: str, data: bytes, found: Any = None) -> dict[str, Any]:
    """Judgments in a JSON text or JSON lines. A document without a grade is not judged,
    unless its list states one. Raises `ReadError` for a document without a topic or id,
    and a grade that is not a number.
    """
    table = _columns(name, data, JUDGED, GRADE)
    del table["run"], table["runs"]
    return table


def read_ranked(name: str, data: bytes, found: Any = None) -> dict[str, Any]:
    """Ranked lists in a JSON text or JSON lines; without scores, in the order of each
    list. Raises `ReadError` as `read_judged`, and if only some documents have a score,
    or only some topics a run.
    """
    table = _columns(name, data, RANKED, SCORE)
    table["rank"] = _ranks(table)
    unscored = np.isnan(table["number"])
    if unscored.all():
        del table["number"]
    elif unscored.any():
        row = int(np.flatnonzero(unscored)[0])
        came = f"none for {shorten(table['document'][row].as_py())}"
        raise _lacking(name, table, row, "a score for each document", came)
    if table["runs"] == ("",):
        del table["run"], table["runs"]
    elif "" in table["runs"]:
        row = int(np.flatnonzero(table["run"] == table["runs"].index(""))[0])
        raise _lacking(name, table, row, "a run for each topic", "none")
    return table


def _lacking(name: str, table: dict[str, Any], row: int, expected: str, came: str) -> ReadError:
    topic = shorten(table["topics"][table["topic"][row]])
    return ReadError(name, None, expected, f"{came} of topic {topic}", "Add it.")


AT_ONCE = 100_000
"""Documents that are held as objects, before they become columns."""


def _columns(
    name: str, data: bytes, lists: Mapping[str, float], numbers: Iterable[str]
) -> dict[str, Any]:
    """Columns of the documents of all lists, in the order of the file: ``topic``,
    ``run``, ``document``, ``number``.
    """
    topics: dict[str, int] = {}
    runs: dict[str, int] = {}
    parts = []
    entries = (
        entry
        for line, value in values_of(name, data)
        for entry in _within(value, Place(), Keys(lists, (*numbers,), name, line))
    )
    while some := [*islice(entries, AT_ONCE)]:
        checked = table_of(name, {"document": [entry.document for entry in some]})
        topic = [topics.setdefault(entry.topic, len(topics)) for entry in some]
        run = [runs.setdefault(entry.run, len(runs)) for entry in some]
        number = np.array([entry.number for entry in some])
        parts.append((np.array(topic, np.int32), np.array(run, np.int32), checked, number))
    if not parts:
        raise ReadError(name, None, "topics with documents", "none")
    of_topic, of_run, tables, number = zip(*parts, strict=True)
    return {
        "topic": np.concatenate(of_topic),
        "topics": (*topics,),
        "run": np.concatenate(of_run),
        "runs": (*runs,),
        "document": pa.concat_arrays([table["document"] for table in tables]),
        "number": np.concatenate(number),
    }


def _ranks(table: dict[str, Any]) -> Any:
    """Place of each document among those of its topic and run, in the order of the
    file.
    """
    lists = table["topic"].astype(np.int64) * len(table["runs"]) + table["run"]
    _, code, sizes = np.unique(lists, return_inverse=True, return_counts=True)
    order = np.argsort(code, kind="stable")
    place = np.empty(order.size, np.int64)
    place[order] = np.arange(order.size)
    return ranks(sizes).take(pa.array(place))


class Keys(NamedTuple):
    """What is looked for in one value of a file: the keys of lists with the number of a
    document without one, and the keys of numbers.
    """

    lists: Mapping[str, float]
    numbers: tuple[str, ...]
    file: str
    line: int | None

    def refuse(self, expected: str, found: Any) -> ReadError:
        """The error to raise for a value."""
        return ReadError(self.file, self.line, expected, shorten(found), "Fix or remove it.")


def _within(value: Any, place: Place, keys: Keys) -> Iterator[Entry]:
    """Documents of all lists in a value."""
    if isinstance(value, list):
        for item in value:
            yield from _within(item, place._replace(key=""), keys)
    if not isinstance(value, dict):
        return
    here = _placed(value, place)
    has_lists = _has_list(value, keys)
    for key, below in value.items():
        if key.lower() in keys.lists:
            yield from _listed(below, here, keys, keys.lists[key.lower()])
        elif not has_lists:
            yield from _within(below, here._replace(key=key), keys)


def _has_list(value: Any, keys: Keys) -> bool:
    return isinstance(value, dict) and any(key.lower() in keys.lists for key in value)


def _placed(record: dict[str, Any], place: Place) -> Place:
    """The topic and run that an object states; else those around it."""
    holders = [record, *(record.get(key) for key in HOLDERS)]
    stated = [holder for holder in holders if isinstance(holder, dict)]
    key = place.key if place.key.lower() not in WORDS else ""
    run = _text_under(stated, NAMES["run"]) or place.run
    topic = _text_under(stated, TOPIC_IDS) or key or _text_under(stated, TOPIC_TEXTS)
    return Place(topic or place.topic, run)


def _text_under(records: Iterable[dict[str, Any]], names: Iterable[str]) -> str:
    """Text or number under the first of these keys that has one."""
    texts = {
        key.lower(): str(value)
        for record in records
        for key, value in record.items()
        if isinstance(value, str | int | float) and not is_empty(value)
    }
    return next((texts[name] for name in names if name in texts), "")


def _listed(value: Any, place: Place, keys: Keys, usual: float) -> Iterator[Entry]:
    """Documents under the key of a list. Topics may be nested in it: objects with lists
    of their own, or keys of a mapping.
    """
    if is_empty(value):
        return
    if not isinstance(value, dict):
        items = value if isinstance(value, list) else [value]
        if place.topic and (alike := _alike(items, place, keys, usual)):
            yield from alike
            return
        for item in items:
            if _has_list(item, keys):
                yield from _within(item, place, keys)
            elif not is_empty(item):
                yield _document(item, place, keys, usual)
    elif _has_list(value, keys):
        yield from _within(value, place, keys)
    else:
        for key, item in value.items():
            yield from _mapped(key, item, place, keys, usual)


def _alike(items: list[Any], place: Place, keys: Keys, usual: float) -> list[Entry]:
    """Documents of objects with the same keys, the usual case, found by looking the
    keys up once; none if an object differs in any way.
    """
    first = items[0]
    if not isinstance(first, dict) or WRAPPER in first or any(map(_names_topic, first)):
        return []
    id_key = next((key for key in DOCUMENT if key in first), "")
    number_key = next((key for key in keys.numbers if key in first), "")
    width, shape = len(first), first.keys()
    same = all(type(item) is dict and len(item) == width and item.keys() == shape for item in items)
    if not id_key or not same or any(key.lower() in keys.lists for key in first):
        return []
    if not number_key and any(key.lower() in keys.numbers for key in first):
        return []
    ids = [item[id_key] for item in items]
    numbers = [item[number_key] for item in items] if number_key else [usual] * len(items)
    if not ({*map(type, ids)} <= {str, int} and {*map(type, numbers)} <= {int, float}):
        return []
    if "" in ids:
        return []
    documents = map(str, ids)
    return [*map(Entry, repeat(place.topic), repeat(place.run), documents, map(float, numbers))]


def _names_topic(key: str) -> bool:
    """Whether a key of a document would be that of a topic."""
    plain = key.lower()
    return plain in TOPIC_TEXTS or (plain in TOPIC_IDS and plain not in DOCUMENT)


def _mapped(key: str, item: Any, place: Place, keys: Keys, usual: float) -> Iterator[Entry]:
    """Documents of one key in a mapping: a topic with its list, or a document with its
    number.
    """
    numbered = isinstance(item, dict) and any(name.lower() in keys.numbers for name in item)
    if isinstance(item, list | dict) and (not numbered or _has_list(item, keys)):
        yield from _listed(item, place._replace(topic=key), keys, usual)
    elif isinstance(item, dict):
        yield _document({"docid": key} | item, place, keys, usual)
    elif not is_empty(item):
        yield _document({"docid": key, keys.numbers[0]: item}, place, keys, usual)


def _document(item: Any, place: Place, keys: Keys, usual: float) -> Entry:
    """An element of a list: an object with the id of a document, or the id alone."""
    record = item if isinstance(item, dict) else {DOCUMENT[0]: item}
    wrapped = record.get(WRAPPER)
    records = [record, wrapped] if isinstance(wrapped, dict) else [record]
    document = _text_under(records, DOCUMENT)
    if not document:
        raise keys.refuse(f"a document with an id ({', '.join(DOCUMENT)})", item)
    own = [name for name in TOPIC_IDS if name not in DOCUMENT]
    topic = _text_under([record], (*own, *TOPIC_TEXTS)) or place.topic
    if not topic:
        raise keys.refuse(f"a topic ({', '.join((*TOPIC_IDS, *TOPIC_TEXTS))}) of each list", item)
    return Entry(topic, place.run, document, _number(records, keys, usual))


def _number(records: Iterable[dict[str, Any]], keys: Keys, usual: float) -> float:
    """Grade or score of a document; `usual` if there is no key for it."""
    found = {
        key.lower(): value
        for record in records
        for key, value in record.items()
        if key.lower() in keys.numbers
    }
    if not found:
        return usual
    value = next(found[name] for name in keys.numbers if name in found)
    if (number := as_number(value)) is None:
        raise keys.refuse("a number as grade or score", value)
    return number
