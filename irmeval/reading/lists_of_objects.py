"""Lists of documents below each topic in JSON, under the keys that search engines,
answer sets and retrieval toolkits use.

One mapping of keys reads them all: an object with a list is a topic, wherever it is
nested; an object in the list is a document.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from irmeval.core.errors import ReadError
from irmeval.core.lazy import pa
from irmeval.core.text import shorten
from irmeval.reading.arrays import codes_of
from irmeval.reading.lines import is_number
from irmeval.reading.named_columns import json_values, table_of
from irmeval.reading.nested import as_number, is_empty, ranks
from irmeval.reading.plain import floats_of
from irmeval.reading.text_layout import NAMES

JUDGED = {
    "ratings": np.nan,
    "judgments": np.nan,
    "judgements": np.nan,
    "judgmentratings": np.nan,
    "positive_passages": 1.0,
    "negative_passages": 0.0,
    "relevant_docs": 1.0,
    "relevant_documents": np.nan,
    "answer_pids": 1.0,
    "documents": 1.0,
    "expected_ids": 1.0,
}
"""Keys of lists of judged documents -> the grade of a document without one; NaN if it
is not judged.
"""
RRE = "relevant_documents"
"""Key of the lists of Rated Ranking Evaluator: document -> grade, or grade ->
documents; the object that has it is a group of queries with a name.
"""
RANKED = dict.fromkeys(
    (
        "results",
        "hits",
        "references",
        "retrieved_ids",
        "candidates",
        # ranked in a run, relevant in qrels: the place of the file tells, or it is asked
        "documents",
        "ctxs",
        "contexts",
    ),
    np.nan,
)
"""Keys of ranked lists; a document without a score has its place in the list."""
TOPIC_TEXTS = ("query", "query_text", "question", "topic", "$query")
TOPIC_IDS = (
    *(name for name in NAMES["topic"] if name not in TOPIC_TEXTS),
    "id",
    "narrative_id",
)
"""Keys of a topic; an id comes before the text of the query."""
HOLDERS = ("query", "metadata", "placeholders")
"""Keys of an object that holds the keys of the topic."""
DOCUMENT = ("docid", "doc_id", "_id", "docno", "id", "pid", "passage_id", "corpus_id", "url")
GRADE = (*NAMES["grade"], "gain")
SCORE = ("score", "_score", "similarity")
WRAPPER = "hit"
"""Key of an object that holds the keys of the document."""
WORDS = ("data", "response", "_source", "result", "results", "queries", "requests", "hits")
"""Keys of an object that are no topics."""


class Listed(NamedTuple):
    """Documents of a topic, as one list of the file has them, in its order."""

    topic: str
    run: str
    documents: list[str]
    numbers: list[float]
    """grade or score of each; NaN if there is none"""


class Place(NamedTuple):
    """What the objects around a value state."""

    topic: str = ""
    run: str = ""
    key: str = ""
    """key under which the value stands; empty in a list"""

    @property
    def topic_key(self) -> str:
        """The key, if it may be a topic."""
        if self.key.lower() in WORDS:
            return ""
        return self.key


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
    parts: list[tuple[np.ndarray, np.ndarray, Any, np.ndarray]] = []
    # objects take several times the memory of columns
    for some in _batches(_lists_in(name, data, lists, (*numbers,))):
        of_lists = zip(*some, strict=True)
        topic_names, run_names, documents, numbers_of_lists = of_lists
        sizes = [*map(len, documents)]
        part = (
            np.repeat(codes_of(topic_names, topics), sizes),
            np.repeat(codes_of(run_names, runs), sizes),
            table_of(name, {"document": [*chain.from_iterable(documents)]})["document"],
            np.array([*chain.from_iterable(numbers_of_lists)], np.float64),
        )
        parts.append(part)
    if not parts:
        raise ReadError(name, None, "topics with documents", "none")
    of_topic, of_run, of_document, number = zip(*parts, strict=True)
    return {
        "topic": np.concatenate(of_topic),
        "topics": (*topics,),
        "run": np.concatenate(of_run),
        "runs": (*runs,),
        "document": pa.concat_arrays(of_document),
        "number": np.concatenate(number),
    }


def _lists_in(
    name: str, data: bytes, lists: Mapping[str, float], numbers: tuple[str, ...]
) -> Iterator[Listed]:
    """The lists of a file in its order."""
    for line, value in json_values(name, data):
        yield from _within(value, Place(), Keys(lists, numbers, name, line))


def _batches(found: Iterable[Listed]) -> Iterator[list[Listed]]:
    """The lists, about `AT_ONCE` documents at a time."""
    some: list[Listed] = []
    size = 0
    for listed in found:
        some.append(listed)
        size += len(listed.documents)
        if size >= AT_ONCE:
            yield some
            some, size = [], 0
    if some:
        yield some


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
    """What is looked for in one value of a file: the keys of lists, and of numbers."""

    lists: Mapping[str, float]
    """key of a list -> number of a document without one"""
    numbers: tuple[str, ...]
    file: str
    line: int | None
    usual: float = np.nan
    """number of a document without one in the list that is read"""
    by_grade: bool = False
    """whether its mapping may be grade -> documents"""

    def of_list(self, key: str) -> "Keys":
        """What is looked for in the list under a key."""
        name = key.lower()
        return self._replace(usual=self.lists[name], by_grade=name == RRE)

    def refuse(self, expected: str, found: Any) -> ReadError:
        """The error to raise for a value."""
        return ReadError(self.file, self.line, expected, shorten(found), "Fix or remove it.")


def _within(value: Any, place: Place, keys: Keys) -> Iterator[Listed]:
    """Documents of all lists in a value."""
    if isinstance(value, list):
        for item in value:
            yield from _within(item, place._replace(key=""), keys)
    if not isinstance(value, dict):
        return
    here = _placed(value, place)
    if _has_list(value, keys):
        yield from _lists_of(value, here, keys)
        return
    for key, below in value.items():
        yield from _within(below, here._replace(key=key), keys)


def _lists_of(record: dict[str, Any], here: Place, keys: Keys) -> Iterator[Listed]:
    """Documents of the lists of an object. Beside them it has texts and settings, whose
    keys are no topics.
    """
    for key, below in record.items():
        if key.lower() in keys.lists:
            yield from _listed(below, here, keys.of_list(key))


def _has_list(value: Any, keys: Keys) -> bool:
    return isinstance(value, dict) and not keys.lists.keys().isdisjoint(map(str.lower, value))


def _placed(record: dict[str, Any], place: Place) -> Place:
    """The topic and run that an object states; else those around it."""
    stated = [record, *_objects_under(record, HOLDERS)]
    group = ""
    if RRE in record:
        group = _text_under(stated, ("name",))
    # an id is likelier the name of the topic in the qrels than a text is
    topics = (
        _text_under(stated, TOPIC_IDS),
        place.topic_key,
        _text_under(stated, TOPIC_TEXTS),
        group,
        place.topic,
    )
    runs = (_text_under(stated, NAMES["run"]), place.run)
    return Place(_first(topics), _first(runs))


def _objects_under(record: dict[str, Any], keys: Iterable[str]) -> list[dict[str, Any]]:
    """The objects under some of the keys of another."""
    return [below for below in map(record.get, keys) if isinstance(below, dict)]


def _first(texts: Iterable[str | None]) -> str:
    """The first text that is not empty; empty if all are."""
    return next(filter(None, texts), "")


def _text_under(records: Iterable[dict[str, Any]], names: Iterable[str]) -> str:
    """Text or number under the first of these keys that has one."""
    texts = {key: str(value) for key, value in _stated_in(records) if _is_name(value)}
    return _first(map(texts.get, names))


def _stated_in(records: Iterable[dict[str, Any]]) -> Iterator[tuple[str, Any]]:
    """Keys of objects, in lower case, with their values."""
    for record in records:
        yield from zip(map(str.lower, record), record.values(), strict=True)


def _is_name(value: Any) -> bool:
    return isinstance(value, str | int | float) and value != ""


def _listed(value: Any, place: Place, keys: Keys) -> Iterator[Listed]:
    """Documents under the key of a list. Topics may be nested in it: objects with lists
    of their own, or keys of a mapping.
    """
    if isinstance(value, dict):
        yield from _in_mapping(value, place, keys)
        return
    items = value
    if not isinstance(items, list):
        items = [value]
    if alike := _alike(items, place, keys):
        yield alike
        return
    for item in items:
        yield from _element(item, place, keys)


def _element(item: Any, place: Place, keys: Keys) -> Iterator[Listed]:
    """Documents of an element of a list."""
    if is_empty(item):
        return
    keyed = keys.by_grade and _is_mapping(item)
    if keyed or _has_list(item, keys):
        yield from _in_mapping(item, place, keys)
        return
    yield _document(item, place, keys)


def _alike(items: list[Any], place: Place, keys: Keys) -> Listed | None:
    """Documents of objects that state id and number under the same keys, the usual
    case, which are looked up once for all. None if an object may state anything else.
    """
    # looked up one by one, 50,000 documents take seven times as long
    if not place.topic or {*map(type, items)} != {dict}:
        return None
    stated = {_stated_keys(shape, keys) for shape in {*map(tuple, items)}}
    id_key, number_key = stated.pop()
    if stated or not id_key:
        return None
    ids = [*map(itemgetter(id_key), items)]
    numbers = [keys.usual] * len(items)
    if number_key:
        numbers = [*map(itemgetter(number_key), items)]
    if not _are_usual(ids, numbers):
        return None
    return Listed(place.topic, place.run, [*map(str, ids)], numbers)


def _are_usual(ids: list[Any], numbers: list[Any]) -> bool:
    """Whether ids are texts or whole numbers, and no number needs to be looked at."""
    named = {*map(type, ids)} <= {str, int} and "" not in ids
    return named and floats_of(numbers) is not None


def _stated_keys(shape: tuple[str, ...], keys: Keys) -> tuple[str, str]:
    """Keys of id and number of a document with these keys, each empty if there is none.
    There is no id where the object may be no plain document.
    """
    own = dict(zip(map(str.lower, shape), shape, strict=True))
    if not own.keys().isdisjoint({WRAPPER, *OTHER_TOPICS, *keys.lists}):
        return "", ""
    return _first(map(own.get, DOCUMENT)), _first(map(own.get, keys.numbers))


OTHER_TOPICS = (*(name for name in TOPIC_IDS if name not in DOCUMENT), *TOPIC_TEXTS)
"""Keys of a topic that are not of a document, too."""


def _in_mapping(value: dict[str, Any], place: Place, keys: Keys) -> Iterator[Listed]:
    """Documents of a mapping: an object with lists, or topics or documents by key."""
    if _has_list(value, keys):
        yield from _within(value, place, keys)
        return
    for key, item in value.items():
        yield from _mapped(key, item, place, keys)


def _mapped(key: str, item: Any, place: Place, keys: Keys) -> Iterator[Listed]:
    """Documents of one key in a mapping: a topic or a grade with its list, or a document
    with its number.
    """
    if _is_document(item, keys):
        yield _document({"docid": key} | item, place, keys)
    elif isinstance(item, dict | list):
        yield from _listed(item, *_under(key, place, keys))
    elif not is_empty(item):
        yield _document({"docid": key, keys.numbers[0]: item}, place, keys)


def _under(key: str, place: Place, keys: Keys) -> tuple[Place, Keys]:
    """Where a list under a key is: under this grade, or under this topic."""
    if place.topic and keys.by_grade and is_number(key):
        return place, keys._replace(usual=float(key))
    return place._replace(topic=key), keys


def _is_mapping(item: Any) -> bool:
    """Whether an object maps documents to objects with their numbers."""
    return isinstance(item, dict) and {*map(type, item.values())} == {dict}


def _is_document(value: Any, keys: Keys) -> bool:
    """Whether a value is an object with a number, and no list of documents."""
    if not isinstance(value, dict) or _has_list(value, keys):
        return False
    return not {*keys.numbers}.isdisjoint(map(str.lower, value))


def _document(item: Any, place: Place, keys: Keys) -> Listed:
    """An element of a list: an object with the id of a document, or the id alone."""
    record = item
    if not isinstance(record, dict):
        record = {DOCUMENT[0]: item}
    records = [record, *_objects_under(record, [WRAPPER])]
    document = _text_under(records, DOCUMENT)
    if not document:
        raise keys.refuse(f"a document with an id ({', '.join(DOCUMENT)})", item)
    topic = _text_under([record], OTHER_TOPICS) or place.topic
    if not topic:
        raise keys.refuse(f"a topic ({', '.join((*TOPIC_IDS, *TOPIC_TEXTS))}) of each list", item)
    return Listed(topic, place.run, [document], [_number(records, keys)])


def _number(records: Iterable[dict[str, Any]], keys: Keys) -> float:
    """Grade or score of a document; the usual one if there is no key for it."""
    stated = dict(_stated_in(records))
    name = _first(filter(stated.__contains__, keys.numbers))
    if not name:
        return keys.usual
    number = as_number(stated[name])
    if number is None:
        raise keys.refuse("a number as grade or score", stated[name])
    return number
