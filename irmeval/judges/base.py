"""Judges: several vectors of grades over one pool, such as an assessor's and a language model's."""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from irmeval.core.errors import ParamError
from irmeval.core.registry import check_known
from irmeval.core.words import counted, shorten
from irmeval.judges import grade_maps
from irmeval.judges.grade_maps import GradeMap as GradeMap
from irmeval.judges.simulation import SIMULATED, Simulation
from irmeval.reading import foreign
from irmeval.reading.files import stem
from irmeval.reading.judgments import read_qrels
from irmeval.reading.trec import Qrels, in_natural_order
from irmeval.reading.writing import as_lines

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

GRADES = 64
"""Grades that all judges together may give: tables of which grade met which have a cell for every two."""
LONGEST = 100
"""Characters of a judge's name."""


@dataclass(frozen=True, eq=False)
class Judges:
    """What several judges say of the documents of a pool.

    Attributes
    ----------
    names : who judged; the others are compared with the first
    topics : names of the topics that any of them judged
    topic : int32 [documents], ascending
    documents : StringArray [documents], of each topic by id
    grade : int64 [judge, documents]
        Negative = not judged.
    pooled : bool [judge, documents]
        Whether a judge's qrels mention the document, graded or not.
    level : the grade from which on each judge finds a document relevant
    made : what each was read from: empty for a file, else as `read_judges` takes it
    maps : (name, (grade, what it became), ...) of the judges whose grades were mapped
    digests : SHA-256 of the text of each file, unpacked; empty where there is none
    own : name of the judge whose judgments were read first
    only : the topics that were chosen; () where all are there

    Examples
    --------
    >>> import irmeval
    >>> person = {"1": {"a": 2, "b": 0, "c": 1}}
    >>> model = {"1": {"a": 3, "b": 1, "x": 0}}
    >>> judges = irmeval.Judges.from_dicts({"person": person, "model": model})
    >>> judges.names, judges.documents.to_pylist()
    (('person', 'model'), ['a', 'b', 'c', 'x'])
    >>> judges.grade
    array([[ 2,  0,  1, -1],
           [ 3,  1, -1,  0]])
    """

    names: tuple[str, ...]
    topics: tuple[str, ...]
    topic: np.ndarray
    documents: "pa.StringArray"
    grade: np.ndarray
    pooled: np.ndarray
    level: tuple[int, ...]
    made: tuple[str, ...]
    maps: tuple[tuple[str, tuple[tuple[int, int], ...]], ...] = ()
    digests: tuple[str, ...] = ()
    own: str = ""
    only: tuple[str, ...] = ()

    @property
    def grades(self) -> np.ndarray:
        """Every grade that anybody gives, ascending; `ParamError` for more than `GRADES`."""
        grades = np.unique(self.grade[self.grade >= 0])
        if grades.size > GRADES:
            raise ParamError(f"grades: expected at most {GRADES} over all judges, came {grades.size}. Map them to fewer.")
        return grades

    @property
    def judged(self) -> np.ndarray:
        """Documents that each has judged [judge]."""
        return np.count_nonzero(self.grade >= 0, axis=1)

    @cached_property
    def fingerprint(self) -> str:
        """Digest of everything a result can depend on, 32 hexadecimal digits."""
        said = self.names, self.topics, self.level, self.made, self.maps, self.own
        digest = hashlib.blake2b(repr(said).encode(), digest_size=16)
        for part in (self.topic.tobytes(), self.grade.tobytes(), self.pooled.tobytes(), as_lines(self.documents)):
            digest.update(part)
        return digest.hexdigest()

    @classmethod
    def of(cls, qrels: Mapping[str, Qrels], made: Mapping[str, str] = MappingProxyType({})) -> "Judges":
        """Those of several qrels by name, the first of which the others are compared with; `made` says what some were made of.

        Raises `ParamError` for fewer than two, and for names that are none.
        """
        import pyarrow as pa
        import pyarrow.compute as pc

        _check_names(qrels)
        given = [*qrels.values()]
        topics = tuple(dict.fromkeys(topic for of_judge in given for topic in of_judge.topics))
        topics, _ = in_natural_order(topics, np.arange(len(topics)))
        place = dict(zip(topics, range(len(topics)), strict=True))
        coded = pa.chunked_array([of_judge.documents for of_judge in given], pa.string()).combine_chunks().dictionary_encode()
        names = coded.dictionary
        by_id = np.empty(len(names), np.int64)
        by_id[pc.sort_indices(names.cast(pa.binary())).to_numpy()] = np.arange(len(names))
        document = by_id[coded.indices.to_numpy()]
        topic = np.concatenate([np.array([place[name] for name in q.topics], np.int64)[q.topic] for q in given])
        pairs, where = np.unique(topic * len(names) + document, return_inverse=True)
        grade, pooled = np.full((len(qrels), pairs.size), -1, np.int64), np.zeros((len(qrels), pairs.size), bool)
        ends = np.cumsum([q.grade.size for q in given])[:-1]
        for j, (q, at) in enumerate(zip(given, np.split(where, ends), strict=True)):
            grade[j, at], pooled[j, at] = np.maximum(q.grade, -1), True
        documents = names.take(pa.array(np.argsort(by_id)[pairs % len(names)]))
        digests = tuple(q.sha256 for q in given)
        made_of = tuple(made.get(name, "") for name in qrels)
        joined = (pairs // len(names)).astype(np.int32), documents, grade, pooled
        return cls(tuple(qrels), topics, *joined, (1,) * len(qrels), made_of, digests=digests, own=next(iter(qrels)))

    @classmethod
    def from_dicts(cls, judges: Mapping[str, Mapping[str, Mapping[str, int]]]) -> "Judges":
        """Those of dictionaries: judge -> topic -> document -> grade."""
        return cls.of({name: foreign.qrels_of_dict(grades) for name, grades in judges.items()})

    @classmethod
    def joined(
        cls,
        own: str,
        first: Qrels,
        others: "Mapping[str, Judgments]",
        maps: Mapping[str, GradeMap] = MappingProxyType({}),
        repeated: str = "refuse",
    ) -> "Judges":
        """The judge `own` and others, one by one: each is mapped before the next is drawn from them; the first one is mapped last."""
        read, made = {own: first}, {}
        read_maps = {name: grade_maps.read(grades) for name, grades in maps.items()}

        def draw(simulation: Simulation) -> tuple[Qrels, str]:
            name = simulation.first or own
            check_known(name, read, "unknown judge")
            return simulation.of(_mapped(read[name], read_maps.get(name, {}) if name != own else {})), simulation.text()

        for name, given in others.items():
            read[name], made[name] = judgments(given, draw, repeated)
        judges = cls.of(read, made)
        for name in (*others, own):
            judges = judges.mapped(name, read_maps.get(name, {}))
        return judges

    def number(self, name: str) -> int:
        """Where a judge stands among the names; `UnknownName` for one that is none."""
        check_known(name, self.names, "unknown judge")
        return self.names.index(name)

    def mapped(self, name: str, grades: GradeMap) -> "Judges":
        """The same with other grades of one judge: what each becomes; one that the map lacks stays, a negative one is no judgment.

        Raises `ParamError` as `irmeval.judges.grade_maps.read`.
        """
        row, grades = self.number(name), grade_maps.read(grades)
        if not grades:
            return self
        grade, mapped = self.grade.copy(), dict(self.maps)
        grade[row] = np.where(self.pooled[row], grade_maps.applied(grade[row], grades), grade[row])
        earlier = {before: grades.get(max(after, -1), after) for before, after in mapped.get(name, ())}
        mapped[name] = tuple(({**grades, **earlier} if earlier else grades).items())
        return replace(self, grade=grade, maps=tuple(mapped.items()))

    def relevant_from(self, name: str, level: int) -> "Judges":
        """The same where one judge finds a document relevant from another grade on."""
        check_level(level)
        row = self.number(name)
        return replace(self, level=(*self.level[:row], level, *self.level[row + 1 :]))

    def with_one(self, name: str, qrels: Qrels, made: str = "") -> "Judges":
        """The same and one more, whose topics and documents join theirs."""
        own = {other: self.qrels_of(j) for j, other in enumerate(self.names)}
        judges = Judges.of(own | {name: qrels}, dict(zip(self.names, self.made, strict=True)) | {name: made})
        return replace(judges, level=(*self.level, 1), maps=self.maps, own=self.own)

    def qrels_of(self, number: int) -> Qrels:
        """The judgments of one of them, as they are mapped."""
        import pyarrow as pa

        own = np.flatnonzero(self.pooled[number])
        topics, topic = np.unique(self.topic[own], return_inverse=True)
        grade = self.grade[number, own].astype(np.int16)
        names = tuple(self.topics[t] for t in topics)
        return Qrels(names, topic.astype(np.int32), self.documents.take(pa.array(own)), grade, sha256=self.digests[number])

    def scoring(self, number: int) -> np.ndarray:
        """The grades that one of them evaluates by, int16 [documents]: 0 where they find a document not relevant, -1 where not judged."""
        grade = self.grade[number].astype(np.int16)
        return np.where((grade >= 0) & (grade < self.level[number]), np.int16(0), grade)

    def led_by(self, number: int) -> "Judges":
        """The same with one of them first; of the others, the one whose judgments were read first."""
        others = (j for j in range(len(self.names)) if j != number)
        order = [number, *sorted(others, key=lambda j: self.names[j] != self.own)]
        said = [*zip(self.names, self.level, self.made, self.digests, strict=True)]
        names, level, made, digests = zip(*[said[j] for j in order], strict=True)
        return replace(self, names=names, grade=self.grade[order], pooled=self.pooled[order], level=level, made=made, digests=digests)

    def within(self, topics: Iterable[str]) -> "Judges":
        """The same on some topics alone."""
        import pyarrow as pa

        wanted = {*topics}
        chosen = np.array([t for t, name in enumerate(self.topics) if name in wanted], np.int64)
        kept = np.flatnonzero(np.isin(self.topic, chosen))
        rows = {"grade": self.grade[:, kept], "pooled": self.pooled[:, kept], "documents": self.documents.take(pa.array(kept))}
        names = tuple(self.topics[t] for t in chosen)
        return replace(self, topics=names, only=names, topic=np.searchsorted(chosen, self.topic[kept]).astype(np.int32), **rows)

    def refuse_idle(self, number: int) -> None:
        """Raise `ParamError` where one of them has judged nothing, as on a few topics."""
        if not self.pooled[number].any():
            raise ParamError(f"judges: {self.names[number]} has judged none of the topics that are selected.")

    def pairs(self) -> list[tuple[int, int]]:
        """Every two of them, in order."""
        return [(a, b) for a in range(len(self.names)) for b in range(a + 1, len(self.names))]

    def said(self) -> str:
        """Who judged how much."""
        return ", ".join(f"{name} {counted(int(n), 'document')}" for name, n in zip(self.names, self.judged, strict=True))


def _check_names(names: Iterable[str]) -> None:
    given = [*names]
    if len(given) < 2:
        raise ParamError(f"judges: expected at least two, came {len(given)}.")
    for name in given:
        if not name or len(name) > LONGEST or not name.isprintable():
            raise ParamError(f"judge: expected a name of 1 to {LONGEST} characters, came {shorten(name)}.")


def check_level(level: int) -> None:
    """Raise `ParamError` for a grade from which on everything would be relevant."""
    if level < 1:
        raise ParamError(f"level: expected at least 1, came {shorten(level)}.")


def read_judges(
    qrels: str | Path,
    others: Mapping[str, str | Path],
    *,
    name: str = "",
    maps: Mapping[str, GradeMap] = MappingProxyType({}),
    repeated: str = "refuse",
) -> Judges:
    """Read the qrels of several judges.

    Parameters
    ----------
    qrels : path of the first judge's
    others : name -> path of the others'; or a judge who does not exist, as `irmeval.judges.simulation.Simulation` writes it
    name : the first judge's, by default that of the file
    maps : name -> what each of a judge's grades becomes, where it does not stay; as text too, such as ``0-49:0,50-100:1``
    repeated : as `Policy` has it

    Raises
    ------
    ReadError, ParamError
        As `read_collection` and `Judges.of`.

    Examples
    --------
    >>> import irmeval
    >>> judges = irmeval.read_judges("sample_data/qrels.txt.gz", {"strict": "simulated:strict,0.3,1"}, name="person")
    >>> judges.said()
    'person 35,979 documents, strict 35,979 documents'
    """
    first = name or stem(str(qrels)).removesuffix(".txt")
    if first in others:
        raise ParamError(f"judge: {shorten(first)} is the name of the first judge already. Give the other one another name.")
    return Judges.joined(first, read_qrels(qrels, repeated), others, maps, repeated)


Judgments = Qrels | Mapping[str, Mapping[str, int]] | str | Path
"""What judgments may come as, besides a data frame: as they are read, topic -> document -> grade, a file, or a judge who does not exist."""


def judgments(
    given: "Judgments | pd.DataFrame", draw: Callable[[Simulation], tuple[Qrels, str]], repeated: str = "refuse"
) -> tuple[Qrels, str]:
    """The judgments that are given, and what they were made of: empty but where ``simulated:KIND,SHARE,SEED`` says that they are another
    judge's with mistakes, which `draw` makes."""
    if isinstance(given, Qrels):
        return given, ""
    if isinstance(given, str | Path):
        text = str(given)
        return draw(Simulation.parsed(text)) if text.startswith(SIMULATED) else (read_qrels(text, repeated), "")
    read = foreign.qrels_of_dict(given) if isinstance(given, Mapping) else foreign.qrels_of_frame(given)
    return read, ""


def _mapped(qrels: Qrels, grades: Mapping[int, int]) -> Qrels:
    """Judgments as `Judges.mapped` has them."""
    return qrels._replace(grade=grade_maps.applied(np.maximum(qrels.grade, -1).astype(np.int64), grades))
