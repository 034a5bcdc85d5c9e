"""A test collection: qrels joined with runs into flat integer arrays.

Judgments are numbered 0..J-1. Of every ranked list only the documents that the qrels
mention (the pooled ones) are kept, and the names of the other documents near its top. A
reduced qrels is then just another vector of J grades: no experiment parses, joins or
copies again.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, Unpack

import numpy as np

from irmeval.collection import joining
from irmeval.collection.joining import Index, Join, Lists, Outside, RunSource
from irmeval.core import parallel
from irmeval.core.errors import ParamError, UnknownName
from irmeval.core.lazy import html, pa
from irmeval.core.other_packages import made_by, unknown_attribute
from irmeval.core.params import describe
from irmeval.core.places import pick
from irmeval.core.text import count_noun, list_few, natural_order, shorten
from irmeval.judges.base import GradeMap, Judges, Judgments, read_judgments
from irmeval.judges.simulation import simulate_judge
from irmeval.reading import foreign, trec
from irmeval.reading.design import Design
from irmeval.reading.exclusions import read_policy, take_judgments
from irmeval.reading.policy import Decisions, Policy
from irmeval.reading.sources import apply_negative
from irmeval.reading.writing import as_lines

if TYPE_CHECKING:
    import pandas as pd

T = TypeVar("T")
DEFAULT_JUDGE = "qrels"
"""Default name of the judge whose judgments are read with the runs."""


class Panel(NamedTuple):
    """Judges of a collection, and its runs joined with the documents of all judges.

    Attributes
    ----------
    judges : Judges The grades of the first are the grades of the collection.
    union : Collection Its judgments are the documents of `judges`, row by row, each
        with the highest grade that any judge gives.
    own : name of the judge whose judgments were read with the runs
    before : number of selections (`chosen`) that were made by the grades of `own`,
        before another judge became the first
    """

    judges: Judges
    union: "Collection"
    own: str
    before: int = 0


ELSEWHERE = {
    **dict.fromkeys(("evaluate", "score", "calc"), "irmeval.evaluate(collection, measures)"),
    **dict.fromkeys(("qrels", "judgments"), "collection.grade, one grade for each judgment"),
    **dict.fromkeys(("run", "get_run"), "collection.runs, the names of the runs"),
    **dict.fromkeys(("scores", "to_dict"), "irmeval.evaluate(collection, measures).to_dict()"),
    **dict.fromkeys(("to_frame", "frame"), "irmeval.evaluate(collection, measures).frame()"),
    "from_files": "irmeval.read_collection(qrels, runs)",
    **dict.fromkeys(("queries", "qids", "query_ids"), "collection.topics"),
    **dict.fromkeys(
        ("describe", "info", "summary", "stats", "head"), 'EXPERIMENTS["collection"](collection)'
    ),
    "reduce": "irmeval.reduce(collection, rate=10)",
}
"""Attributes that collections have in other packages, with what there is here."""


@made_by(
    "irmeval.read_collection(qrels, runs) makes one of files, Collection.from_dicts(qrels, runs) of"
    " dictionaries, Collection.from_frames(qrels, runs) of data frames."
)
@dataclass(frozen=True, eq=False)
class Collection:
    """Joined qrels and runs. Lists are numbered run * T + topic; arrays are read-only.

    Attributes
    ----------
    topics, runs : tuple of str
        The T judged topics, and the names of the runs in natural order of their files
        or, without files, their names.
    topic, grade : int [J]
        Topic and grade of each judgment, by topic, then document id as bytes; a
        negative grade = pooled, not judged.
    documents : StringArray [J]
    judgment_index, rank : int32 [entries]
        The pooled documents retrieved: which judgment, at which rank; by run, topic,
        rank.
    start : int64 [runs * T + 1]
        Where each list starts among the entries.
    length : int32 [runs * T]
        Number of documents in each list, judged or not.
    unknown : tuple of tuple of str
        Per run, its topics that the qrels lack.
    outside : Outside
        Documents near the top of the lists that are not in the pool.
    policy : Policy
        The decisions under which it was read and is scored.
    repeated : tuple of int
        Per run, the number of lines of its file that were left out because they repeat
        others.
    rejudged : int
        The same for the qrels.
    excluded : tuple of (int, int)
        Own documents and excluded pairs that the policy left out: of the qrels, then of
        each run.
    digests : tuple of str
        SHA-256 of the unpacked text of the qrels file, then of each run file; empty
        where there is no file. They tell which files were read; what results depend on
        is the `fingerprint`.
    headers : tuple of str
        Per run, the ir_metadata header of its file, which describes how it was made;
        empty if no file has one.
    recognised : tuple of str
        What the files were recognised as, and how they were read where a reader may
        expect something else.
    chosen : tuple of irmeval.scoring.selection.SelectedBy
        The selections of runs and topics that were applied, in order.
    panel : Panel, optional
        Its judges, if there are several. Scores depend on the first alone.
    source : Source, optional
        Joins its runs with other judgments; None if that is impossible.
    design : Design, optional
        How the judged documents were drawn from the pool, if they are a sample; a
        negative grade = not drawn.

    Examples
    --------
    >>> import irmeval
    >>> qrels = {"1": {"a": 2, "b": 0, "c": 1}}
    >>> runs = {"mine": {"1": {"b": 3.0, "x": 2.0, "a": 1.0}}}
    >>> collection = irmeval.Collection.from_dicts(qrels, runs)
    >>> collection.topics, collection.runs, collection.grade
    (('1',), ('mine',), array([2, 0, 1], dtype=int8))
    >>> collection.judgment_index, collection.rank  # b at rank 1 and a at rank 3; x is in no pool
    (array([1, 0], dtype=int32), array([1, 3], dtype=int32))
    """

    topics: tuple[str, ...]
    runs: tuple[str, ...]
    topic: np.ndarray
    grade: np.ndarray
    documents: "pa.StringArray"
    judgment_index: np.ndarray
    rank: np.ndarray
    start: np.ndarray
    length: np.ndarray
    unknown: tuple[tuple[str, ...], ...]
    outside: Outside
    policy: Policy
    repeated: tuple[int, ...]
    rejudged: int
    digests: tuple[str, ...]
    headers: tuple[str, ...] = ()
    recognised: tuple[str, ...] = ()
    chosen: tuple[Any, ...] = ()
    panel: Panel | None = None
    source: RunSource | None = None
    design: Design | None = None
    excluded: tuple[tuple[int, int], ...] = ()

    @cached_property
    def fingerprint(self) -> str:
        """Digest of everything that a result can depend on, 32 hexadecimal digits."""
        digest = hashlib.blake2b(digest_size=16)
        texts = (
            self.topics,
            self.runs,
            self.unknown,
            self.policy,
            self.repeated,
            self.rejudged,
            self.grade.dtype.str,
        )
        headers = filter(None, [self.headers])
        digest.update(repr((texts, self.excluded, *headers)).encode())
        for column in (self.topic.tobytes(), self.grade.tobytes(), as_lines(self.documents)):
            digest.update(column)
        for digests in self.by_part(digests_of_runs):
            digest.update(b"".join(digests))
        if self.design:
            digest.update(self.design.digest)
        if self.panel:
            digest.update(
                f"{self.panel.judges.fingerprint} {self.panel.union.fingerprint}".encode()
            )
        return digest.hexdigest()

    @property
    def loaded(self) -> int:
        """Number of runs read, including those that are not selected."""
        if self.source is None:
            return len(self.runs)
        return len(self.source.names)

    @property
    def judges(self) -> tuple[str, ...]:
        """Names of its judges; the grades of the first are its grades."""
        if self.panel:
            return self.panel.judges.names
        return (DEFAULT_JUDGE,)

    @cached_property
    def alone(self) -> "Collection":
        """The collection without other judges."""
        # always a copy, since code that walks all attributes would never end on itself
        return replace(self, panel=None)

    @property
    def concurrency(self) -> int:
        """Best number of concurrent evaluations."""
        return parallel.count_processors()

    def by_part(self, function: "Callable[[Collection], T]") -> list[T]:
        """Results of a function for each part of the runs, in their order. Here one
        part contains all runs. If the runs are on several machines
        (`irmeval.collection.shards`), each machine computes its parts.
        """
        return [function(self)]

    @cached_property
    def missing(self) -> np.ndarray:
        """bool [runs, T]: the run retrieved nothing for the topic."""
        return self.length.reshape(len(self.runs), len(self.topics)) == 0

    @cached_property
    def top_grade(self) -> int:
        """Highest grade over all topics of the full qrels."""
        return int(self.grade.max())

    def with_judgments(
        self,
        name: str,
        qrels: "Judgments | pd.DataFrame",
        *,
        map: GradeMap | None = None,
        relevant: int = 1,
        first: str = "",
    ) -> "Collection":
        """The collection with one more judge; no score changes. The lists are read
        again if the judge has new documents.

        Parameters
        ----------
        name : of the other judge
        qrels : a file; topic -> document -> grade; a data frame; or ``simulated:...``,
            a simulated judge in the form of `Simulation`
        map : grade -> new grade, or text such as ``0-49:0,50-100:1``; grades that are
            not in the map stay
        relevant : its relevance level; where it evaluates, lower grades count as 0
        first : a new name for the first judge, if there is no other yet

        Raises
        ------
        ReadError, ParamError
            For judgments that cannot be read or have none of the selected topics, for a
            name that is taken, or if the runs cannot be joined again.

        Examples
        --------
        >>> import irmeval
        >>> qrels, runs = {"1": {"a": 1, "b": 0}}, {"mine": {"1": {"x": 3.0, "a": 2.0, "b": 1.0}}}
        >>> collection = irmeval.Collection.from_dicts(qrels, runs)
        >>> collection = collection.with_judgments("model", {"1": {"x": 2, "b": 0}})
        >>> collection.judges, collection.judged_by("model").judges
        (('qrels', 'model'), ('model', 'qrels'))
        >>> led = collection.judged_by("model")
        >>> irmeval.evaluate(collection, ["RR"]).means, irmeval.evaluate(led, ["RR"]).means
        (array([[0.5]]), array([[1.]]))
        """
        names = self.judges if self.panel or not first else (first,)
        if name in names:
            remedy = "Give the other judge a different name."
            raise ParamError(f"judge: {shorten(name)} exists already. {remedy}")
        draw = partial(simulate_judge, self)
        given, made = read_judgments(qrels, draw, self.policy.repeated, name)
        given = take_judgments(given, self.policy)
        panel = self.panel
        if panel:
            judges = panel.judges.with_judge(name, given, made)
        else:
            judges = Judges.of({names[0]: qrels_of(self), name: given}, {name: made})
        # of a selection, documents of other topics belong to no list here
        if self.source and self.topics != self.source.topics:
            judges = judges.within(self.topics)
        judges.check_has_judged(len(names))
        judges = judges.relevant_from(name, relevant).mapped(name, map or {})
        union = self._joined_with(judges)
        panel = panel or Panel(judges, union, names[0])
        return replace(self, panel=panel._replace(judges=judges, union=union))

    def _joined_with(self, judges: Judges) -> "Collection":
        """Its runs joined with all documents of the judges."""
        # all judges so far, so that a third does not lose documents of the second
        have = self
        if self.panel:
            have = self.panel.union
        # the highest of any judge: pool and ideal lists have to hold what any finds
        # relevant
        grade = np.maximum.reduce([*map(judges.scoring, range(len(judges.names)))])
        if judges.topic.size == have.topic.size:  # no new documents
            return replace(have, grade=grade, panel=None)
        if self.source is None:
            raise ParamError(
                "judges: the runs can no longer be joined with other judgments. Read the collection"
                " again."
            )
        union = trec.Qrels(judges.topics, judges.topic, judges.documents, grade)
        return assemble(
            union,
            [*self.runs],
            self.source.joined(Index(union), self.runs, self.digests[1:]),
            self.policy,
        )

    def judged_by(self, name: str) -> "Collection":
        """The same runs, evaluated by another judge of the collection, as if only the
        judgments of this judge had been read.

        Raises `UnknownName` for an unknown judge.
        """
        if self.panel:
            number = self.panel.judges.number(name)
            if number:
                return _judged_by(self, self.panel, number)
            return self
        if name != DEFAULT_JUDGE:
            raise UnknownName(f"unknown judge {shorten(name)}: there is {DEFAULT_JUDGE} alone.")
        return self

    def __repr__(self) -> str:
        runs, topics = count_noun(len(self.runs), "run"), count_noun(len(self.topics), "topic")
        judged = count_noun(int(np.count_nonzero(self.grade >= 0)), "judgment")
        return f"Collection: {runs} x {topics}, {judged}"

    def _repr_html_(self) -> str:
        """A table of sizes and policy, shown in notebooks."""
        judged, relevant = np.count_nonzero(self.grade >= 0), np.count_nonzero(self.grade > 0)
        held = {
            "topics": f"{len(self.topics):,}",
            "runs": f"{len(self.runs):,}: {list_few([*self.runs])}" if self.runs else "none",
        }
        held |= {"judgments": f"{judged:,}, of which relevant {relevant:,}"} | describe(self.policy)
        rows = "".join(
            f"<tr><th>{html.escape(name)}</th><td>{html.escape(text)}</td></tr>"
            for name, text in held.items()
        )
        return f"<table>{rows}</table>"

    if not TYPE_CHECKING:  # a type checker knows what there is

        def __getattr__(self, name: str) -> Any:
            raise unknown_attribute("Collection", name, ELSEWHERE)

        def __bool__(self) -> bool:
            return True

        def __len__(self) -> int:
            raise TypeError(
                "Collection: it has no length; len(collection.topics), len(collection.runs) and"
                " collection.grade.size, the judgments, are numbers."
            )

        def __getitem__(self, name: Any) -> Any:
            raise ParamError(
                f"Collection: it has no item {shorten(name)}. collection.runs and"
                " collection.topics are names; irmeval.evaluate(collection, measures)[run] has"
                " the scores of a run."
            )

    @classmethod
    def from_frames(
        cls,
        qrels: "trec.Qrels | pd.DataFrame | Iterable[Any]",
        runs: "Mapping[str, pd.DataFrame | Iterable[Any]] | pd.DataFrame | Iterable[Any]",
        **policy: Unpack[Decisions],
    ) -> "Collection":
        """Join data frames with the columns of PyTerrier (qid, docno, label or score),
        ir_measures (query_id, doc_id, relevance or score), BEIR (query-id, corpus-id,
        score) or ranx (q_id, doc_id, score); or rows that are named tuples, or tables
        with ``to_pandas``.

        `runs` maps names to frames; a single frame is taken as one run named ``run``.
        `qrels` may be `irmeval.Qrels`, which are prepared once.
        Policy and errors as `read_collection`.

        Examples
        --------
        >>> import irmeval
        >>> import pandas as pd
        >>> qrels = pd.DataFrame({"qid": ["1", "1"], "docno": ["a", "b"], "label": [1, 0]})
        >>> run = pd.DataFrame({"qid": ["1", "1"], "docno": ["b", "a"], "score": [2.0, 1.0]})
        >>> irmeval.evaluate(irmeval.Collection.from_frames(qrels, {"mine": run}), ["RR"]).means
        array([[0.5]])
        """
        return build(foreign.qrels_from_frame(qrels), foreign.runs_from_frames(runs), **policy)

    @classmethod
    def from_dicts(
        cls,
        qrels: trec.Qrels | Mapping[str, Mapping[str, int] | Iterable[str]],
        runs: "Mapping[str, foreign.RunInMemory] | Sequence[foreign.RunInMemory] | foreign.RanxRun",
        **policy: Unpack[Decisions],
    ) -> "Collection":
        """Join dictionaries in the form of pytrec_eval and ranx: topic -> document ->
        grade, and run -> topic -> document -> score. Runs in a list are named ``run1``,
        ``run2``, ... Without runs, it holds judgments only.

        `Qrels` and `Run` of ranx are accepted too: a single run, a list of runs, or
        runs by name; and `irmeval.Qrels`, which are prepared once. Policy and errors as
        `read_collection`.
        """
        return build(foreign.qrels_from_dict(qrels), foreign.runs_from_dicts(runs), **policy)


def build(qrels: trec.Qrels, runs: list[trec.Run], **policy: Unpack[Decisions]) -> Collection:
    """Join parsed qrels with parsed runs, in natural order of their names, which they
    keep.
    """
    decided = read_policy(**policy)
    return join_settled(trec.require_settled(qrels, decided.repeated), runs, decided)


def join_settled(qrels: trec.Qrels, runs: list[trec.Run], decided: Policy) -> Collection:
    """`build` with qrels whose duplicates were accepted when they were prepared."""
    for run in runs:
        trec.require_settled(run, decided.repeated)
    runs = pick(runs, natural_order([run.name for run in runs]))
    index = Index(take_judgments(qrels, decided))
    lists: list[Lists] = []
    if runs:
        lists = index.join_all(runs, decided)
    return assemble(
        index.qrels,
        [r.name for r in runs],
        lists,
        decided,
        partial(joining.rejoin_runs, runs, decided),
    )


def assemble(
    qrels: trec.Qrels,
    names: list[str],
    lists: list[Lists],
    policy: Policy,
    join: Join | None = None,
) -> Collection:
    """A collection from joined runs that are cut and ordered by the policy. `join`
    joins them again with other judgments.
    """

    def of_runs(field: str) -> tuple[Any, ...]:
        return tuple(getattr(run, field) for run in lists)

    # with an empty array first, since a collection may have no runs
    none = np.empty(0, np.int32)
    judgment_index = np.concatenate([none, *of_runs("judgment_index")])
    rank = np.concatenate([none, *of_runs("rank")])
    length = np.concatenate([none, *of_runs("length")])
    # where each list starts, over all runs: a slice of runs is a slice of entries
    start = np.concatenate([[0], np.cumsum(np.concatenate([none, *of_runs("pooled")]))])
    grade, headers, source = apply_negative(qrels, policy).grade, of_runs("header"), None
    if not any(headers):
        headers = ()
    if join:
        source = RunSource(tuple(names), qrels.topics, join)
    # threads share them, and a cached answer must not change under another
    for array in (qrels.topic, grade, judgment_index, rank, start, length):
        array.flags.writeable = False
    outside = joining.join_outside(
        run.outside._replace(list=run.outside.list + np.int32(r * len(qrels.topics)))
        for r, run in enumerate(lists)
        if run.outside
    )
    return Collection(
        topics=qrels.topics,
        runs=tuple(names),
        topic=qrels.topic,
        grade=grade,
        documents=qrels.documents,
        judgment_index=judgment_index,
        rank=rank,
        start=start,
        length=length,
        unknown=of_runs("unknown"),
        outside=outside,
        policy=policy,
        repeated=of_runs("repeated"),
        rejudged=trec.count_left_out(qrels),
        digests=(qrels.sha256, *of_runs("sha256")),
        headers=headers,
        recognised=joining.describe_formats(qrels, names, lists),
        source=source,
        design=qrels.design,
        excluded=((0, qrels.excluded), *of_runs("excluded")),
    )


def lists_of(collection: Collection) -> list[Lists]:
    """Ranked lists of each run of a collection, in the form for `assemble`."""
    T, outside = len(collection.topics), collection.outside
    ends = np.searchsorted(outside.list, np.arange(len(collection.runs) + 1) * T)
    made = []
    for r, unknown in enumerate(collection.unknown):
        lists, entries, beyond = (
            slice(r * T, r * T + T),
            slice(*collection.start[[r * T, r * T + T]]),
            slice(*ends[r : r + 2]),
        )
        run = Lists(
            judgment_index=collection.judgment_index[entries],
            rank=collection.rank[entries],
            pooled=np.diff(collection.start[r * T : r * T + T + 1]),
            length=collection.length[lists],
            unknown=unknown,
            outside=Outside(
                outside.list[beyond] - np.int32(r * T),
                outside.rank[beyond],
                outside.documents[beyond],
            ),
            repeated=collection.repeated[r],
            sha256=collection.digests[r + 1],
            header=collection.headers[r] if collection.headers else "",
            excluded=collection.excluded[r + 1],
        )
        made.append(run)
    return made


def qrels_of(collection: Collection) -> trec.Qrels:
    """Judgments of a collection as qrels."""
    columns = collection.topic, collection.documents, collection.grade
    return trec.Qrels(
        collection.topics, *columns, sha256=collection.digests[0], design=collection.design
    )


def _judged_by(collection: Collection, panel: Panel, number: int) -> Collection:
    """The collection with the judgments of another judge. Documents that this judge's
    qrels lack are outside the pool.
    """
    judges, union = panel.judges.led_by(number), panel.union
    judges.check_has_judged(0)
    own = replace(judges.qrels_of(0), grade=judges.scoring(0)[judges.pooled[0]])
    lists = parallel.map_threads(
        lambda run: joining.restrict(
            run, union.topics, union.documents, judges.pooled[0], judges.topic
        ),
        lists_of(union),
    )
    made = assemble(own, [*union.runs], lists, collection.policy)
    panel = panel._replace(judges=judges, before=len(collection.chosen))
    return replace(made, chosen=collection.chosen, panel=panel, source=collection.source)


def check_collection(given: Any) -> None:
    """Raise `ParamError` for anything but a collection."""
    if not isinstance(given, Collection):
        reads = "irmeval.read_collection(qrels, runs), or Collection.from_frames or from_dicts"
        raise ParamError(f"collection: expected one as made by {reads}, found {shorten(given)}.")


def digests_of_runs(collection: Collection) -> list[bytes]:
    """Digest of the lists of each run, 16 bytes each, independent of run names."""
    return parallel.map_threads(joining.digest_lists, lists_of(collection))
