"""What pages compute from a collection, once for all visitors.

Streamlit hashes only a sample of large arrays, so no array or frame is ever a key: the collection's fingerprint is.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from irmeval.collection import Collection
from irmeval.reductions import draw
from irmeval.scoring.score_table import Scores
from irmeval.scoring.scores import evaluate
from irmeval.scoring.selection import Selected, Selection, select
from irmeval.ui.state import cache
from irmeval.workspace.stored import OtherJudge

T = TypeVar("T")


def selected(collection: Collection, selection: Selection, teams: Mapping[str, str]) -> Selected:
    """A collection, restricted to the runs and topics of a selection."""
    key = "selected", collection.fingerprint, selection, tuple(teams.items())
    return cache.store().get_or_make(key, lambda: select(collection, selection, teams))


def reduced(collection: Collection, method: str, kept: float, seed: int) -> Collection:
    """A collection with a share of its judgments, in per cent."""

    def make() -> Collection:
        grade = draw(collection, method, [kept], 1, seed)[0]
        return replace(collection, grade=grade.astype(collection.grade.dtype), panel=None)

    return cache.store().get_or_make(("reduced", collection.fingerprint, method, kept, seed), make)


def with_judges(collection: Collection, first: str, others: Mapping[str, OtherJudge]) -> Collection:
    """A collection with other judges beside the `first`."""

    def make() -> Collection:
        joined = collection
        for name, judge in others.items():
            joined = judge.beside(joined, name, first)
        return joined

    read = tuple((name, judge.qrels.sha256, judge.map, judge.relevant) for name, judge in others.items())
    return cache.store().get_or_make(("with_judges", collection.fingerprint, first, read), make)


def judged_by(collection: Collection, name: str) -> Collection:
    """A collection by the grades of one of its judges."""
    return cache.store().get_or_make(("judged_by", collection.fingerprint, name), lambda: collection.judged_by(name))


def scores(collection: Collection, measures: tuple[str, ...]) -> Scores:
    """Scores on the full judgments."""
    return cache.store().get_or_make(("scores", collection.fingerprint, measures), lambda: evaluate(collection, measures))


def result_of(key: Any) -> Any:
    """The result under the key of an experiment, if a visitor has had it; else None."""
    return cache.store().get(_of_result(key))


def keep_result(key: Any, looks: Iterable[T]) -> Iterator[T]:
    """Pass on the results as they come, and keep the last."""
    for result in looks:
        yield result
    cache.store().setdefault(_of_result(key), result)


def _of_result(key: Any) -> Hashable:
    """The key in the cache of an experiment's key. In both the data come second, as `release` expects."""
    return "_result", key[1], key
