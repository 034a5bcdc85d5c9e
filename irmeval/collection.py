"""A test collection: qrels joined with runs once, into flat integer arrays.

Judgments are numbered 0..J-1. Of every ranked list only the documents that the qrels mention (the pooled ones) are kept, and by name those
others that stand near its top. A reduced qrels is then nothing but another vector of J grades: no experiment parses, joins or copies again.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, Unpack

import numpy as np

from irmeval import parallel
from irmeval.errors import ReadError
from irmeval.joining import Index, Joined, Lists, Outside, join_files
from irmeval.params import said
from irmeval.policy import DEFAULT, Decisions, Policy, decide
from irmeval.reading import faults, files, foreign, trec
from irmeval.words import some

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Collection:
    """Qrels and runs, joined. Lists are numbered run * T + topic; arrays are read-only.

    Attributes
    ----------
    topics, runs : tuple of str
        The T judged topics and the names of the runs.
    topic, grade : int [J]
        Topic and grade of each judgment, by topic, then document id as bytes; a negative grade = pooled, not judged.
    documents : StringArray [J]
    slot, rank : int32 [entries]
        The pooled documents retrieved: which judgment, at which rank; by run, topic, rank.
    start : int64 [runs * T + 1]
        Where each list starts among the entries.
    length : int32 [runs * T]
        How many documents each list holds, judged or not.
    unknown : tuple of tuple of str
        Per run, its topics that the qrels lacks.
    outside : Outside
        What stands near the top of the lists and is not in the pool.
    policy : Policy
        The decisions under which it was read and is scored.
    repeated : tuple of int
        Per run, the lines of its file that were left out because they repeat others.
    rejudged : int
        The same of the qrels.
    digests : tuple of str
        SHA-256 of the text of the qrels file, then of each run's, unpacked; empty texts where there is no file. What results depend on is
        the `fingerprint`: these tell which files were read.
    chosen : tuple of irmeval.selection.Choice
        By which rules runs and topics were chosen of what was read, one after the other.

    Examples
    --------
    >>> import irmeval
    >>> qrels = {"1": {"a": 2, "b": 0, "c": 1}}
    >>> collection = irmeval.Collection.from_dicts(qrels, {"mine": {"1": {"b": 3.0, "x": 2.0, "a": 1.0}}})
    >>> collection.topics, collection.runs, collection.grade
    (('1',), ('mine',), array([2, 0, 1], dtype=int8))
    >>> collection.slot, collection.rank  # b at rank 1 and a at rank 3; x is in no pool
    (array([1, 0], dtype=int32), array([1, 3], dtype=int32))
    """

    topics: tuple[str, ...]
    runs: tuple[str, ...]
    topic: np.ndarray
    grade: np.ndarray
    documents: "pa.StringArray"
    slot: np.ndarray
    rank: np.ndarray
    start: np.ndarray
    length: np.ndarray
    unknown: tuple[tuple[str, ...], ...]
    outside: Outside
    policy: Policy = DEFAULT
    repeated: tuple[int, ...] = ()
    rejudged: int = 0
    digests: tuple[str, ...] = ()
    chosen: tuple[Any, ...] = ()

    @cached_property
    def fingerprint(self) -> str:
        """Digest of everything a result can depend on, 32 hexadecimal digits."""
        digest = hashlib.blake2b(digest_size=16)
        texts = self.topics, self.runs, self.unknown, self.policy, self.repeated, self.rejudged, self.grade.dtype.str
        digest.update(repr(texts).encode())
        for column in (self.topic.tobytes(), self.grade.tobytes(), as_lines(self.documents)):
            digest.update(column)
        for digests in self.by_part(_digests_of_runs):
            digest.update(b"".join(digests))
        return digest.hexdigest()

    @property
    def at_once(self) -> int:
        """How many cells of scores are best computed at once."""
        return parallel.workers()

    def by_part(self, function: "Callable[[Collection], T]") -> list[T]:
        """What a function returns of each part of the runs, in their order: here of all of them at once; where they lie on several
        machines (`irmeval.shards`), of those of each, computed there."""
        return [function(self)]

    @cached_property
    def missing(self) -> np.ndarray:
        """bool [runs, T]: the run retrieved nothing for the topic."""
        return self.length.reshape(len(self.runs), len(self.topics)) == 0

    @cached_property
    def top_grade(self) -> int:
        """Highest grade over all topics of the full qrels."""
        return int(self.grade.max())

    def _repr_html_(self) -> str:
        """What a notebook shows: how much there is, and under which policy."""
        judged, relevant = np.count_nonzero(self.grade >= 0), np.count_nonzero(self.grade > 0)
        held = {"topics": f"{len(self.topics):,}", "runs": f"{len(self.runs):,}: {some([*self.runs])}" if self.runs else "none"}
        held |= {"judgments": f"{judged:,}, of which relevant {relevant:,}"} | said(self.policy)
        return f"<table>{''.join(f'<tr><th>{escape(name)}</th><td>{escape(text)}</td></tr>' for name, text in held.items())}</table>"

    @classmethod
    def from_frames(
        cls, qrels: "pd.DataFrame", runs: "Mapping[str, pd.DataFrame] | pd.DataFrame", **policy: Unpack[Decisions]
    ) -> "Collection":
        """Join data frames with the columns of PyTerrier (qid, docno, label or score) or ir_measures (query_id, doc_id, relevance or
        score).

        `runs` maps names to frames; a single frame is taken as one run named ``run``. Policy and errors as `read_collection`.

        Examples
        --------
        >>> import irmeval
        >>> import pandas as pd
        >>> qrels = pd.DataFrame({"qid": ["1", "1"], "docno": ["a", "b"], "label": [1, 0]})
        >>> run = pd.DataFrame({"qid": ["1", "1"], "docno": ["b", "a"], "score": [2.0, 1.0]})
        >>> irmeval.evaluate(irmeval.Collection.from_frames(qrels, {"mine": run}), ["RR"]).means
        array([[0.5]])
        """
        if not isinstance(runs, Mapping):
            runs = {"run": runs}
        return build(foreign.qrels_of_frame(qrels), [foreign.run_of_frame(name, frame) for name, frame in runs.items()], **policy)

    @classmethod
    def from_dicts(
        cls, qrels: Mapping[str, Mapping[str, int]], runs: Mapping[str, Mapping[str, Mapping[str, float]]], **policy: Unpack[Decisions]
    ) -> "Collection":
        """Join dictionaries as pytrec_eval and ranx have them: topic -> document -> grade, and run -> topic -> document -> score.

        Policy and errors as `read_collection`.
        """
        return build(foreign.qrels_of_dict(qrels), [foreign.run_of_dict(name, lists) for name, lists in runs.items()], **policy)


def read_collection(
    qrels: str | Path,
    runs: str | Path | Iterable[str | Path],
    *,
    progress: Callable[[int, int], None] | None = None,
    **policy: Unpack[Decisions],
) -> Collection:
    """Read a qrels file and run files (plain, gzip or zip; or folders of them) and join them.

    Parameters
    ----------
    qrels : path
    runs : path or paths of files or folders
    progress : callable, optional
        Told, from any thread, how many of the run files are read and how many there are.
    **policy
        What `Policy` declares, above all ``depth=1000`` (lists are cut there before anything else) and
        ``order="trec_eval"`` (score, descending, compared as 32-bit floats, ties by document id descending).

    Raises
    ------
    ReadError
        Naming file, line, what was expected and what came; where several files are at fault, the faults of a kind together.
    ParamError
        For a decision that there is not, with the nearest names, or a value that it cannot have.

    Examples
    --------
    >>> import irmeval
    >>> collection = irmeval.read_collection("sample_data/qrels.txt.gz", "sample_data/runs", depth=100)
    >>> len(collection.runs), len(collection.topics), collection.grade.size
    (30, 50, 35979)
    """
    decided = decide(policy)
    judged = parallel.start(lambda: Index(read_qrels(qrels, decided.repeated)))
    texts = join_files(files.paths([runs] if isinstance(runs, (str, Path)) else runs), judged, decided, progress)
    index = judged()  # where the qrels are at fault, that is said first
    if refused := [text for text in texts if not isinstance(text, Joined)]:
        raise faults.refusal(refused, len(texts))
    joined = [text for text in texts if isinstance(text, Joined)]
    names = name_runs([(run.name, run.tags) for run in joined])
    return assemble(index.qrels, names, [run.lists for run in joined], decided)


def read_qrels(path: str | Path, repeated: str = "refuse") -> trec.Qrels:
    """Read one qrels file, plain, gzip or alone in a zip; ``irds:NAME`` are the qrels of that name in ir_datasets, where it is
    installed. `repeated` as `Policy` has it.

    Examples
    --------
    >>> import irmeval
    >>> qrels = irmeval.read_qrels("sample_data/qrels.txt.gz")
    >>> len(qrels.topics), qrels.grade.size, int(qrels.grade.max())
    (50, 35979, 3)
    """
    if str(path).startswith(foreign.IRDS):
        return trec.accepted(foreign.qrels_of_ir_datasets(str(path)), repeated)
    texts = list(files.unpack(str(path), files.load(path)))
    if len(texts) != 1:
        raise ReadError(str(path), None, "one qrels file", f"a zip of {len(texts)}")
    return trec.read_qrels(*texts[0], repeated)


def name_runs(files_and_tags: list[tuple[str, tuple[str, ...]]]) -> list[str]:
    """Names for (file name, tags in the file): the tag where each file has one and no two share it, else the file's name."""
    tags = [each[0] for _, each in files_and_tags if len(each) == 1]
    names = tags if len(set(tags)) == len(files_and_tags) else [name for name, _ in files_and_tags]
    for name in names:
        if names.count(name) > 1:
            raise ReadError(name, None, "run files with names of their own", "two with this one", "Rename a file or its tag.")
    return names


def build(qrels: trec.Qrels, runs: list[trec.Run], **policy: Unpack[Decisions]) -> Collection:
    """Join parsed qrels with parsed runs, under the runs' own names."""
    decided = decide(policy)
    trec.accepted(qrels, decided.repeated)
    for run in runs:
        trec.accepted(run, decided.repeated)
    lists = Index(qrels).join_all(runs, decided.depth, decided.order) if runs else []
    return assemble(qrels, [r.name for r in runs], lists, decided)


def assemble(qrels: trec.Qrels, names: list[str], lists: list[Lists], policy: Policy) -> Collection:
    """A collection from runs that are joined already, to the policy's depth and in its order."""
    if not lists:
        raise ReadError("runs", None, "at least one run", "none")
    start = np.concatenate([[0], np.cumsum(np.concatenate([run.pooled for run in lists]))])
    slot, rank, length = (np.concatenate([getattr(run, field) for run in lists]) for field in ("slot", "rank", "length"))
    grade = under(qrels, policy).grade
    for array in (qrels.topic, grade, slot, rank, start, length):
        array.flags.writeable = False
    unknown = tuple(run.unknown for run in lists)
    outside = _together(
        run.outside._replace(list=run.outside.list + np.int32(r * len(qrels.topics))) for r, run in enumerate(lists) if run.outside
    )
    left_out = tuple(run.repeated for run in lists), trec.left_out(qrels)
    digests = qrels.sha256, *(run.sha256 for run in lists)
    joined = qrels.topic, grade, qrels.documents, slot, rank, start, length
    return Collection(qrels.topics, tuple(names), *joined, unknown, outside, policy, *left_out, digests)


def lists_of(collection: Collection) -> list[Lists]:
    """The runs of a collection as they were before `assemble` put them together."""
    T, outside = len(collection.topics), collection.outside
    ends = np.searchsorted(outside.list, np.arange(len(collection.runs) + 1) * T)
    made = []
    for r, unknown in enumerate(collection.unknown):
        lists, entries, beyond = slice(r * T, r * T + T), slice(*collection.start[[r * T, r * T + T]]), slice(*ends[r : r + 2])
        pooled = np.diff(collection.start[r * T : r * T + T + 1])
        near = Outside(outside.list[beyond] - np.int32(r * T), outside.rank[beyond], outside.documents[beyond])
        joined = collection.slot[entries], collection.rank[entries], pooled, collection.length[lists]
        left_out = collection.repeated[r] if collection.repeated else 0
        made.append(Lists(*joined, unknown, near, left_out, collection.digests[r + 1] if collection.digests else ""))
    return made


def under(qrels: trec.Qrels, policy: Policy) -> trec.Qrels:
    """The judgments as a policy takes them: negative grades as they are, or for not relevant."""
    return qrels._replace(grade=np.maximum(qrels.grade, 0)) if policy.negative == "nonrelevant" else qrels


def _digests_of_runs(collection: Collection) -> list[bytes]:
    """Digest of the lists of each run, whatever its name; 16 bytes each."""
    T, outside = len(collection.topics), collection.outside
    beyond = np.searchsorted(outside.list, np.arange(len(collection.runs) + 1) * T)

    def digest_of(r: int) -> bytes:
        lists, near = slice(r * T, (r + 1) * T), slice(beyond[r], beyond[r + 1])
        start = collection.start[r * T : (r + 1) * T + 1]
        entries = slice(start[0], start[-1])
        digest = hashlib.blake2b(digest_size=16)
        for column in (np.diff(start), collection.length[lists], collection.slot[entries], collection.rank[entries]):
            digest.update(column.tobytes())
        for column in (outside.list[near] - np.int32(r * T), outside.rank[near]):
            digest.update(column.tobytes())
        digest.update(as_lines(outside.documents[near]))
        return digest.digest()

    return parallel.each(digest_of, range(len(collection.runs)))


def as_lines(documents: "pa.StringArray") -> "pa.Buffer":
    """The texts, one below the other."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return pc.binary_join(pa.LargeListArray.from_arrays(pa.array([0, len(documents)]), documents), "\n")[0].as_buffer()


def _together(parts: Iterable[Outside]) -> Outside:
    import pyarrow as pa

    lists, ranks, documents = zip((none := np.empty(0, np.int32), none, foreign.strings(())), *parts, strict=True)
    return Outside(np.concatenate(lists), np.concatenate(ranks), pa.concat_arrays(documents))


def of_qrels(qrels: trec.Qrels) -> Collection:
    """A collection of judgments alone, with no run: enough to reduce them."""
    none = np.empty(0, np.int32)
    start = np.zeros(1, np.int64)
    return Collection(qrels.topics, (), qrels.topic, qrels.grade, qrels.documents, none, none, start, none, (), _together(()))


def of_lists(judgments: Sequence[Sequence[int]], runs: Mapping[str, Sequence[Sequence[int]]]) -> Collection:
    """A collection made up on the spot: per topic the grades of its judgments; per run and topic a ranked list.

    A list holds the place of each document among the topic's judgments, from 0; -1 for one outside the pool.
    """
    topics = tuple(str(t) for t in range(1, len(judgments) + 1))
    first = np.cumsum([0, *map(len, judgments)])
    topic = np.repeat(np.arange(len(topics), dtype=np.int32), np.diff(first))
    grade = np.array([g for grades in judgments for g in grades], np.int16)
    qrels = trec.Qrels(topics, topic, foreign.strings(f"d{i}" for i in range(grade.size)), grade)
    joined = []
    for lists in runs.values():
        place = np.array([d for ranking in lists for d in ranking], np.int32)
        length = np.array([len(ranking) for ranking in lists], np.int32)
        rank = np.array([r for ranking in lists for r in range(1, len(ranking) + 1)], np.int32)
        of_list = np.repeat(np.arange(len(topics)), length)
        pooled = place >= 0
        slot = (place + first[of_list])[pooled].astype(np.int32)
        joined.append(Lists(slot, rank[pooled], np.bincount(of_list[pooled], minlength=len(topics)), length, ()))
    return assemble(qrels, list(runs), joined, Policy(order="rank"))
