"""Joining of qrels with runs: the judgment and the rank of each retrieved document."""

import hashlib
import itertools
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from irmeval.core import parallel
from irmeval.core.errors import ReadError
from irmeval.core.lazy import pa, pc
from irmeval.core.places import pick
from irmeval.core.text import list_few, natural_key, shorten
from irmeval.reading.arrays import no_texts, to_arrow, to_numpy
from irmeval.reading.columns import is_large
from irmeval.reading.exclusions import take, take_judgments
from irmeval.reading.faults import runs_in
from irmeval.reading.files import distinct_names, path_within
from irmeval.reading.formats import AUTO
from irmeval.reading.order import sorting_permutation
from irmeval.reading.policy import Policy
from irmeval.reading.sources import read_qrels_file
from irmeval.reading.trec import (
    Fault,
    Qrels,
    Run,
    count_left_out,
    fault_of,
    pair_numbers,
    topic_windows,
)
from irmeval.reading.writing import as_lines

NEAR = 100
"""Rank down to which documents outside the pool are kept, since they could be judged
next.
"""
RUNS_AT_ONCE = 4
"""Number of runs joined at a time, since every join first builds a table of all
judgments.
"""
PART = 1 << 18
"""Minimum number of lines of a part of a long run."""
ROWS_PER_ENTRY = 16
"""Minimum number of lines of a part per judged document, since every part builds a
table of all judgments.
"""


class Outside(NamedTuple):
    """Documents down to rank `NEAR` that are not in the qrels."""

    list: np.ndarray
    """int32 [n], ascending: for one run the topic, for a collection run * T + topic"""
    rank: np.ndarray
    """int32 [n], from 1"""
    documents: "pa.StringArray"
    """[n]"""


class Lists(NamedTuple):
    """Ranked lists of one run, joined with a qrels: entries sorted by topic, then
    rank.
    """

    judgment_index: np.ndarray
    """int32 [entries], index of the judgment"""
    rank: np.ndarray
    """int32 [entries], from 1"""
    pooled: np.ndarray
    """int64 [T], entries per topic"""
    length: np.ndarray
    """int32 [T], documents retrieved, at most the depth; 0 if the run lacks the
    topic
    """
    unknown: tuple[str, ...]
    """topics missing from the qrels; they are left out"""
    outside: Outside | None = None
    """None if not known"""
    repeated: int = 0
    """duplicate lines of the file that were left out"""
    sha256: str = ""
    """of the text of the file"""
    header: str = ""
    """the ir_metadata header of the file"""
    excluded: tuple[int, int] = (0, 0)
    """lines left out by a policy: own documents, and excluded pairs"""
    format: str = ""
    """recognised format of the file"""
    notes: tuple[str, ...] = ()
    """notes for readers on how it was read"""


class RunSource(NamedTuple):
    """Function that joins the runs of a collection with other judgments."""

    names: tuple[str, ...]
    """names of all runs that were read"""
    topics: tuple[str, ...]
    """topics of the qrels that the runs were joined with"""
    join: "Join"
    """joins all runs, in this order; or the runs at some indices, if every file
    contains one run
    """

    def joined(self, index: "Index", runs: Sequence[str], digests: Sequence[str]) -> list[Lists]:
        """Some of the runs, joined with other judgments. Raises `ReadError` if a file
        has changed.
        """
        places = [*map(self.names.index, runs)]
        # one file per run is the usual case: only the runs that are left are read
        lists = [*self.join(index, places)]
        # files that hold several runs, or none, move the places of those behind them
        if _digests_of(lists) != [*digests]:
            every = self.join(index, None)
            lists = pick(every, places)
        check_unchanged(runs, digests, _digests_of(lists))
        return lists


def _digests_of(runs: Iterable[Lists]) -> list[str]:
    return [run.sha256 for run in runs]


def check_unchanged(runs: Sequence[str], before: Sequence[str], now: Sequence[str]) -> None:
    """Raise `ReadError` for the first run whose file no longer has its earlier
    digest.
    """
    for run, first, found in zip(runs, before, now, strict=True):
        if found != first:
            raise ReadError(
                run,
                None,
                "the file that was read first",
                "a different one",
                "It has changed meanwhile: load the data again.",
            )


class LinePlaces(NamedTuple):
    """Places of the lines of a run in the qrels; -1 for a missing line."""

    here: np.ndarray
    """int32 [topics of the run], index of the topic"""
    topic: np.ndarray
    """int32 [lines], index of the topic"""
    judgment_index: np.ndarray
    """int32 [lines], index of the judgment"""


class Joined(NamedTuple):
    """A run file, joined with a qrels."""

    path: str
    """in the form for `name_runs`"""
    tags: tuple[str, ...]
    lists: Lists


class Index:
    """Qrels, indexed to be joined with any number of runs."""

    def __init__(self, qrels: Qrels):
        self.qrels = qrels
        self.topics, self.documents, self.pairs = qrels.lookup

    def _find_pairs(self, topic: np.ndarray, document: np.ndarray) -> np.ndarray:
        """Index of the judgment of each pair of topic and document, int32; -1 if
        missing.
        """
        if len(self.documents) == self.qrels.topic.size:
            # no document in two topics, so that each is where its judgment is
            return np.where(self.qrels.topic[document] == topic, document, np.int32(-1))
        pairs = pair_numbers(topic, document, len(self.documents))
        return _index_in(to_arrow(pairs), self.pairs)

    def join(self, run: Run, policy: Policy) -> Lists:
        """Order, cut and join the lists of a run. Raises `ReadError` if it shares no
        topic with the qrels.
        """
        return self.join_all([run], policy)[0]

    def join_all(self, runs: Sequence[Run], policy: Policy) -> list[Lists]:
        """Join several runs, faster than one by one."""
        taken = [take(run, policy) for run in runs]
        joined = self._join_taken([each.run for each in taken], policy)
        return [
            lists._replace(excluded=(each.own, each.listed))
            for lists, each in zip(joined, taken, strict=True)
        ]

    def _join_taken(self, runs: list[Run], policy: Policy) -> list[Lists]:
        here = [*map(self._places_of, runs)]
        if len(runs) == 1 and (parts := self._parts(runs[0])):
            return [
                _merge_parts(
                    parallel.map_threads(
                        lambda part: self._join_all([part], here, policy)[0], parts
                    )
                )
            ]
        return self._join_all(runs, here, policy)

    def shares(self, qrels: Qrels) -> bool:
        """Whether other qrels share a pair of topic and document with these."""
        topic = self._numbers_of(qrels.topics)[qrels.topic]
        document = _index_in(qrels.documents, self.documents)
        known = np.flatnonzero((topic >= 0) & (document >= 0))
        return bool((self._find_pairs(topic[known], document[known]) >= 0).any())

    def _numbers_of(self, topics: Sequence[str]) -> np.ndarray:
        """Index of each topic among those of the qrels, int32; -1 if missing."""
        return np.array([self.topics.get(topic, -1) for topic in topics], np.int32)

    def _parts(self, run: Run) -> list[Run]:
        """Parts of a long run, no two with a common topic; empty if the run is short,
        or the lines of a topic are not contiguous.
        """
        # no shorter: every part builds a table of all judgments first
        least = max(PART, ROWS_PER_ENTRY * len(self.documents))
        if run.topic.size < 2 * least:
            return []
        return [
            run._replace(
                topic=run.topic[start:end],
                documents=run.documents[start:end],
                score=run.score[start:end],
                rank=run.rank[start:end],
            )
            for start, end in topic_windows(run.topic, least) or ()
        ]

    def _join_all(self, runs: list[Run], here: list[np.ndarray], policy: Policy) -> list[Lists]:
        return [
            self.lists(run, places, policy)
            for run, places in zip(runs, self._places(runs, here), strict=True)
        ]

    def find(self, run: Run) -> LinePlaces:
        """Look up the lines of a run. Raises `ReadError` if it shares no topic with the
        qrels.
        """
        return self._places([run], [self._places_of(run)])[0]

    def _places(self, runs: list[Run], here: list[np.ndarray]) -> list[LinePlaces]:
        topics = [place[run.topic] for run, place in zip(runs, here, strict=True)]
        document = _index_in(
            pa.chunked_array([run.documents for run in runs], pa.string()), self.documents
        )
        # pairs are made of judged documents alone, a small part of what a run retrieves
        known = np.flatnonzero(document >= 0)
        slots = np.full(document.size, -1, np.int32)
        slots[known] = self._find_pairs(np.concatenate(topics)[known], document[known])
        return [
            *map(
                LinePlaces,
                here,
                topics,
                np.split(slots, np.cumsum([topic.size for topic in topics])[:-1]),
            )
        ]

    def _places_of(self, run: Run) -> np.ndarray:
        """Index of each topic of a run among those of the qrels, -1 if missing. Raises
        `ReadError` if all are missing.
        """
        here = self._numbers_of(run.topics)
        if not np.any(here >= 0):
            came = f"topics such as {shorten(run.topics[0])}"
            wanted = f"topics of the qrels, such as {shorten(next(iter(self.topics)))}"
            raise ReadError(
                run.name, None, wanted, came, "Check that run and qrels belong together."
            )
        return here

    def join_or_refuse(self, runs: list[Run], policy: Policy) -> Sequence[Lists | ReadError]:
        """Join several runs. A run that cannot be joined is replaced by its error."""
        try:
            # all at once, for speed; one by one only to learn which of them is refused
            return self.join_all(runs, policy)
        except ReadError as error:
            if len(runs) == 1:
                return [error]
        one_by_one = (self.join_or_refuse([run], policy) for run in runs)
        return [*itertools.chain.from_iterable(one_by_one)]

    def lists(self, run: Run, places: LinePlaces, policy: Policy) -> Lists:
        """Order and cut the lists of a run, given its places. Raises `ReadError` if it
        cannot be ordered by its rank column.
        """
        here, topic, judgment_index = places
        depth = policy.depth
        sequence = sorting_permutation(run, topic, policy.order)
        if sequence is not None:
            topic, judgment_index = topic[sequence], judgment_index[sequence]
        # lines of unknown topics are first
        counts = np.bincount(topic + 1, minlength=len(self.topics) + 1)
        first = (np.cumsum(counts) - counts).astype(np.int32)
        rank = np.arange(1, topic.size + 1, dtype=np.int32) - np.repeat(first, counts)
        kept = np.flatnonzero((judgment_index >= 0) & (rank <= depth))
        beyond = np.flatnonzero((judgment_index < 0) & (rank <= min(depth, NEAR)) & (topic >= 0))
        line = beyond if sequence is None else sequence[beyond]
        return Lists(
            judgment_index=judgment_index[kept],
            rank=rank[kept],
            pooled=np.bincount(topic[kept], minlength=len(self.topics)),
            length=np.minimum(counts[1:], depth).astype(np.int32),
            unknown=tuple(sorted(pick(run.topics, np.flatnonzero(here < 0)), key=natural_key)),
            outside=Outside(topic[beyond], rank[beyond], run.documents.take(to_arrow(line))),
            repeated=count_left_out(run),
            sha256=run.sha256,
            header=run.header,
            format=run.format,
            notes=run.notes,
        )


def _merge_parts(parts: list[Lists]) -> Lists:
    """Lists of a run, from those of its parts. No two parts share a topic."""

    def of_parts(field: str) -> list[Any]:
        return [getattr(part, field) for part in parts]

    T, pooled = parts[0].pooled.size, of_parts("pooled")
    topic = np.concatenate([np.repeat(np.arange(T), of_part) for of_part in pooled])
    entry = np.argsort(topic, kind="stable")
    outside = [*filter(None, of_parts("outside"))]
    lists = np.concatenate([part.list for part in outside])
    beyond = np.argsort(lists, kind="stable")
    documents = pa.concat_arrays([part.documents for part in outside])
    rank = np.concatenate([part.rank for part in outside])
    return parts[0]._replace(
        judgment_index=np.concatenate(of_parts("judgment_index"))[entry],
        rank=np.concatenate(of_parts("rank"))[entry],
        pooled=np.stack(pooled).sum(axis=0),
        length=np.stack(of_parts("length")).sum(axis=0, dtype=np.int32),
        outside=Outside(lists[beyond], rank[beyond], documents.take(to_arrow(beyond))),
    )


Join = Callable[[Index, Sequence[int] | None], Sequence[Lists]]


def read_index(qrels: str | Path, policy: Policy, form: str = AUTO) -> Index:
    """The judged documents of a qrels file of a format (`form`), without those that a
    policy excludes. Raises `ReadError`.
    """
    return Index(take_judgments(read_qrels_file(qrels, policy.repeated, form=form), policy))


def join_runs(index: Index, runs: Sequence[Run], policy: Policy) -> list[Lists]:
    """Join runs with qrels, in their order, on all cores. Raises the `ReadError` of the
    first run that cannot be joined.
    """
    n = min(RUNS_AT_ONCE, len(runs) // parallel.count_processors() + 1)
    parts = parallel.map_threads(
        lambda some: index.join_all(some, policy), [runs[i : i + n] for i in range(0, len(runs), n)]
    )
    return [*itertools.chain(*parts)]


def split_refused(
    texts: Iterable[Joined | tuple[Fault, ...]],
) -> tuple[list[Joined], list[tuple[Fault, ...]]]:
    """Of texts from `join_files`, the joined runs and the faults of the others."""
    joined, refused = list[Joined](), list[tuple[Fault, ...]]()
    for text in texts:
        if isinstance(text, Joined):
            joined.append(text)
        else:
            refused.append(text)
    return joined, refused


def rejoin(
    paths: Sequence[Path],
    policy: Policy,
    index: Index,
    places: Sequence[int] | None = None,
    *,
    form: str = AUTO,
) -> list[Lists]:
    """Join the runs in files of a format (`form`) with other judgments; `places`
    selects some. Refused runs are left out again.
    """
    if places is None:
        places = range(len(paths))
    files = [paths[place] for place in places if place < len(paths)]
    joined, _ = split_refused(join_files(files, lambda: index, policy, form=form))
    return [run.lists for run in joined]


def rejoin_runs(
    runs: Sequence[Run], policy: Policy, index: Index, places: Sequence[int] | None = None
) -> list[Lists]:
    """Join runs in memory with other judgments; `places` selects some of them."""
    if places is not None:
        runs = pick(runs, places)
    return join_runs(index, runs, policy)


def join_files(
    paths: Sequence[Path],
    index: Callable[[], Index],
    policy: Policy,
    progress: Callable[[int, int], None] | None = None,
    form: str = AUTO,
) -> list[Joined | tuple[Fault, ...]]:
    """Join the runs in files with qrels, in their order. A refused run is replaced by
    its errors.

    Small files are read in parallel. Large files are read one by one on all cores, each
    while the previous one is joined. `progress` is called with the number of files done
    and of all files.
    """
    tick = parallel.ticker(progress, len(paths))

    def read(numbers: Iterable[int]) -> Iterator[tuple[int, Run | tuple[Fault, ...]]]:
        for number in numbers:
            yield from ((number, text) for text in runs_in(paths[number], policy.repeated, form))
            tick(1)

    def join(
        texts: Iterator[tuple[int, Run | tuple[Fault, ...]]], together: int
    ) -> list[tuple[int, Joined | tuple[Fault, ...]]]:
        joined: list[tuple[int, Joined | tuple[Fault, ...]]] = []
        while batch := [*itertools.islice(texts, together)]:
            runs = [text for _, text in batch if isinstance(text, Run)]
            lists = iter(index().join_or_refuse(runs, policy) if runs else ())
            for number, text in batch:
                if isinstance(text, Run):
                    joined.append((number, _joined(text, next(lists))))
                else:
                    joined.append((number, text))
        return joined

    # a large file takes all cores, and most of the memory
    large = [number for number, path in enumerate(paths) if is_large(path)]
    small = sorted({*range(len(paths))} - {*large})
    n = min(RUNS_AT_ONCE, len(small) // parallel.count_processors() + 1)
    parts = parallel.map_threads(
        lambda some: join(read(some), RUNS_AT_ONCE),
        [small[i : i + n] for i in range(0, len(small), n)],
    )
    parts.append(join(parallel.prefetch(read(large)), 1))
    return [text for _, text in sorted(itertools.chain(*parts), key=itemgetter(0))]


def _joined(run: Run, lists: Lists | ReadError) -> Joined | tuple[Fault, ...]:
    if isinstance(lists, Lists):
        return Joined(path_on_disk(run.name), run.tags, lists)
    return (fault_of(lists),)


def _index_in(values: "pa.Array | pa.ChunkedArray", among: "pa.Array") -> np.ndarray:
    """First index of each value among others, int32; -1 if missing."""
    missing = to_arrow(np.array([-1], np.int32))[0]
    return to_numpy(pc.index_in(values, value_set=among).fill_null(missing))


def path_on_disk(file: str) -> str:
    """Path of a file on disk, or of a member of an archive there, in the form for
    `name_runs`.
    """
    return path_within(os.path.abspath(file))


def name_runs(paths_and_tags: Sequence[tuple[str, tuple[str, ...]]]) -> list[str]:
    """Names of runs from (path, tags in the file): a tag that no other run has as tag
    or path, else the path as shortened by `distinct_names`.

    Raises `ReadError` for equal paths of runs that are named so.
    """
    paths = distinct_names([path for path, _ in paths_and_tags])
    tags = [_only(tags) for _, tags in paths_and_tags]
    times = Counter(tags) + Counter(map(_other_than, paths, tags))
    names = [*map(partial(_name_of, times), paths, tags)]
    name, number = max(Counter(names).items(), key=itemgetter(1), default=("", 0))
    if number > 1:
        file, expected, found = name.rpartition("/")[2], "each run file once", "it twice"
        raise ReadError(file, None, expected, f"{found}, or beside its .gz", "Leave one out.")
    return names


def _only(tags: tuple[str, ...]) -> str:
    """The tag of a file; empty for several, none of which is its name."""
    return tags[0] if len(tags) == 1 else ""


def _other_than(path: str, tag: str) -> str:
    """The path; empty if it is the tag, too, which then counts once."""
    return path if path != tag else ""


def _name_of(times: Counter[str], path: str, tag: str) -> str:
    """The tag of a run, if no other has it; else its path."""
    return tag if tag and times[tag] == 1 else path


def describe_formats(qrels: Qrels, names: Sequence[str], runs: Sequence[Lists]) -> tuple[str, ...]:
    """Recognised formats of qrels and runs, with notes on their reading; runs read in
    the same way are counted together.
    """
    alike: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for name, run in zip(names, runs, strict=True):
        alike.setdefault((run.format, run.notes), []).append(name)
    said = [_describe_format(qrels.format, qrels.notes)]
    for (format, notes), same in alike.items():
        described = _describe_format(format, notes)
        if described and len(alike) > 1:
            described = f"{list_few(same, 3)}: {described}"
        said.append(described)
    return tuple(filter(None, said))


def _describe_format(format: str, notes: Sequence[str]) -> str:
    """A format, with notes in brackets; empty if none was recognised."""
    if not format or not notes:
        return format
    return f"{format} ({', '.join(notes)})"


def restrict(
    lists: Lists,
    topics: tuple[str, ...],
    documents: "pa.StringArray",
    mentioned: np.ndarray,
    topic: np.ndarray,
) -> Lists:
    """Lists of a run as if joined with only some of the judgments, those in the mask
    `mentioned`, bool [J].
    """
    own = np.unique(topic[mentioned])
    place = np.full(len(topics), -1)
    place[own] = np.arange(own.size)
    number = np.cumsum(mentioned, dtype=np.int32) - 1
    of_entry = np.repeat(np.arange(len(topics)), lists.pooled)
    kept = mentioned[lists.judgment_index]
    near = np.flatnonzero(~kept & (lists.rank <= NEAR) & (place[of_entry] >= 0))
    beyond = lists.outside
    assert beyond is not None
    far = np.flatnonzero(place[beyond.list] >= 0)
    of_list = place[np.concatenate([of_entry[near], beyond.list[far]])].astype(np.int32)
    rank = np.concatenate([lists.rank[near], beyond.rank[far]])
    order = np.lexsort((rank, of_list))
    names = pa.concat_arrays(
        [documents.take(to_arrow(lists.judgment_index[near])), beyond.documents.take(to_arrow(far))]
    )
    lost = set(pick(topics, np.flatnonzero((place < 0) & (lists.length > 0))))
    return lists._replace(
        judgment_index=number[lists.judgment_index[kept]],
        rank=lists.rank[kept],
        pooled=np.bincount(place[of_entry[kept]], minlength=own.size),
        length=lists.length[own],
        unknown=tuple(sorted({*lists.unknown} | lost, key=natural_key)),
        outside=Outside(of_list[order], rank[order], names.take(to_arrow(order))),
    )


def join_outside(parts: Iterable[Outside]) -> Outside:
    """Documents outside the pool of several runs, concatenated."""
    lists, ranks, documents = zip(
        (none := np.empty(0, np.int32), none, no_texts()), *parts, strict=True
    )
    return Outside(np.concatenate(lists), np.concatenate(ranks), pa.concat_arrays(documents))


def digest_lists(run: Lists) -> bytes:
    """Digest of the lists of a run, 16 bytes, independent of the name of the run."""
    assert run.outside is not None
    digest = hashlib.blake2b(digest_size=16)
    for column in (
        run.pooled,
        run.length,
        run.judgment_index,
        run.rank,
        run.outside.list,
        run.outside.rank,
    ):
        digest.update(column.tobytes())
    digest.update(as_lines(run.outside.documents))
    return digest.digest()
