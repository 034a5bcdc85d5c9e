"""Several judges of one pool, such as an assessor and a language model: a vector of
grades for each.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from irmeval.core.errors import ParamError
from irmeval.core.lazy import pa, pc
from irmeval.core.other_packages import made_by
from irmeval.core.registry import check_known
from irmeval.core.text import count_noun, list_all, shorten, verb
from irmeval.judges import grade_maps
from irmeval.judges.grade_maps import GradeMap as GradeMap
from irmeval.judges.simulation import SIMULATED, Simulation
from irmeval.reading import foreign
from irmeval.reading.files import stem
from irmeval.reading.formats import AUTO, UndecidedFormat, rater_columns
from irmeval.reading.sources import read_qrels_file
from irmeval.reading.trec import Qrels, sort_topics
from irmeval.reading.writing import as_lines

if TYPE_CHECKING:
    import pandas as pd

MAX_GRADES = 64
"""Maximum number of grades of all judges together, since confusion tables have a cell
for every two.
"""
LONGEST = 100
"""Maximum length of the name of a judge."""


@made_by(
    "irmeval.read_judges(qrels, others) makes them of files, Judges.from_dicts(judgments) of"
    " dictionaries by name."
)
@dataclass(frozen=True, eq=False)
class Judges:
    """Grades of several judges for the documents of a pool.

    Attributes
    ----------
    names : the name of each judge; the others are compared with the first
    topics : each topic that any judge has
    topic : int32 [documents], ascending
    documents : StringArray [documents], sorted by id within each topic
    grade : int64 [judge, documents]
        Negative = not judged.
    pooled : bool [judge, documents]
        Whether a judge's qrels mention the document, graded or not.
    level : the grade from which on each judge finds a document relevant
    made : the text of each simulated judge, as `read_judges` takes it; empty for a file
    maps : (name, ((grade, new grade), ...)) of the judges whose grades were mapped
    digests : SHA-256 of the unpacked text of each file; empty where there is no file
    own : name of the judge whose judgments were read first
    only : the selected topics; () if all are there

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
        """All grades of the judges, ascending. Raises `ParamError` for more than
        `MAX_GRADES`.
        """
        grades = np.unique(self.grade[self.grade >= 0])
        if grades.size > MAX_GRADES:
            raise ParamError(
                f"grades: expected at most {MAX_GRADES} over all judges, found {grades.size}. Map"
                " them to fewer."
            )
        return grades

    @property
    def judged(self) -> np.ndarray:
        """Number of documents judged by each judge [judge]."""
        return np.count_nonzero(self.grade >= 0, axis=1)

    def is_simulated(self, name: str) -> bool:
        """Whether a judge is simulated."""
        return bool(self.made[self.number(name)])

    def label(self, name: str) -> str:
        """Name of a judge within a sentence: ``the simulated judge noisy`` if it is
        one.
        """
        return f"the simulated judge {name}" if self.is_simulated(name) else name

    def short_label(self, name: str) -> str:
        """The same, shorter: ``noisy (simulated)``."""
        return f"{name} (simulated)" if self.is_simulated(name) else name

    def describe_simulated(self, names: Sequence[str]) -> str:
        """Opening sentence if some of these judges are simulated: ``noisy is a
        simulated judge.``
        """
        made = [name for name in names if self.is_simulated(name)]
        return (
            f"{list_all(made)} {verb(len(made), 'is a simulated judge', 'are simulated judges')}."
            if made
            else ""
        )

    @cached_property
    def fingerprint(self) -> str:
        """Digest of everything that a result can depend on, 32 hexadecimal digits."""
        said = self.names, self.topics, self.level, self.made, self.maps, self.own
        digest = hashlib.blake2b(repr(said).encode(), digest_size=16)
        for part in (
            self.topic.tobytes(),
            self.grade.tobytes(),
            self.pooled.tobytes(),
            as_lines(self.documents),
        ):
            digest.update(part)
        return digest.hexdigest()

    @classmethod
    def of(
        cls, qrels: Mapping[str, Qrels], made: Mapping[str, str] = MappingProxyType({})
    ) -> "Judges":
        """Judges from qrels by name. The others are compared with the first. `made`
        holds the texts of simulated judges by name.

        Raises `ParamError` for fewer than two judges, and for names that are empty or
        too long.
        """
        _check_names(qrels)
        given = [*qrels.values()]
        topics = tuple(dict.fromkeys(topic for of_judge in given for topic in of_judge.topics))
        # in natural order, so that nothing depends on which judge was read first
        topics, _ = sort_topics(topics, np.arange(len(topics)))
        place = dict(zip(topics, range(len(topics)), strict=True))
        names, document = _number_by_id([of_judge.documents for of_judge in given])
        topic = np.concatenate(
            [np.array([place[name] for name in q.topics], np.int64)[q.topic] for q in given]
        )
        pairs, where = np.unique(topic * len(names) + document, return_inverse=True)
        grade = np.full((len(qrels), pairs.size), -1, np.int64)
        pooled = np.zeros((len(qrels), pairs.size), bool)
        ends = np.cumsum([q.grade.size for q in given])[:-1]
        for j, (q, at) in enumerate(zip(given, np.split(where, ends), strict=True)):
            grade[j, at], pooled[j, at] = np.maximum(q.grade, -1), True
        documents = names.take(pa.array(pairs % len(names)))
        digests = tuple(q.sha256 for q in given)
        made_of = tuple(made.get(name, "") for name in qrels)
        joined = (pairs // len(names)).astype(np.int32), documents, grade, pooled
        return cls(
            tuple(qrels),
            topics,
            *joined,
            (1,) * len(qrels),
            made_of,
            digests=digests,
            own=next(iter(qrels)),
        )

    @classmethod
    def from_dicts(cls, judges: Mapping[str, Mapping[str, Mapping[str, int]]]) -> "Judges":
        """Judges from dictionaries: judge -> topic -> document -> grade."""
        return cls.of({name: foreign.qrels_from_dict(grades) for name, grades in judges.items()})

    @classmethod
    def joined(
        cls,
        own: str,
        first: Qrels,
        others: "Mapping[str, Judgments]",
        maps: Mapping[str, GradeMap] = MappingProxyType({}),
        repeated: str = "refuse",
    ) -> "Judges":
        """The judge `own` and others. Each of the others is mapped before another judge
        is simulated from it; `own` is mapped last.
        """
        read, made = {own: first}, {}
        read_maps = {name: grade_maps.as_map(grades) for name, grades in maps.items()}

        def draw(simulation: Simulation) -> tuple[Qrels, str]:
            name = simulation.first or own
            check_known(name, read, "unknown judge")
            return (
                simulation.judge(
                    _mapped(read[name], read_maps.get(name, {}) if name != own else {})
                ),
                simulation.text(),
            )

        for name in maps:
            check_known(name, (own, *others), "unknown judge")
        for name, given in others.items():
            read[name], made[name] = read_judgments(given, draw, repeated, name)
        judges = cls.of(read, made)
        for name in (*others, own):
            judges = judges.mapped(name, read_maps.get(name, {}))
        return judges

    def number(self, name: str) -> int:
        """The index of a judge. Raises `UnknownName` for an unknown name."""
        check_known(name, self.names, "unknown judge")
        return self.names.index(name)

    def mapped(self, name: str, grades: GradeMap) -> "Judges":
        """The judges with the grades of one of them mapped. A grade that is not in the
        map stays; a new grade below 0 removes the judgment.

        Errors as `irmeval.judges.grade_maps.as_map`.
        """
        row, grades = self.number(name), grade_maps.as_map(grades)
        if not grades:
            return self
        grade, mapped = self.grade.copy(), dict(self.maps)
        # what a judge was not given stays unjudged, whatever the map says of -1
        grade[row] = np.where(
            self.pooled[row], grade_maps.apply_map(grade[row], grades), grade[row]
        )
        earlier = {
            before: grades.get(max(after, -1), after) for before, after in mapped.get(name, ())
        }
        mapped[name] = tuple(({**grades, **earlier} if earlier else grades).items())
        return replace(self, grade=grade, maps=tuple(mapped.items()))

    def relevant_from(self, name: str, level: int) -> "Judges":
        """The judges with another relevance level for one of them."""
        check_level(level)
        row = self.number(name)
        return replace(self, level=(*self.level[:row], level, *self.level[row + 1 :]))

    def with_judge(self, name: str, qrels: Qrels, made: str = "") -> "Judges":
        """The judges and one more, with its topics and documents."""
        own = {other: self.qrels_of(j) for j, other in enumerate(self.names)}
        judges = Judges.of(
            own | {name: qrels}, dict(zip(self.names, self.made, strict=True)) | {name: made}
        )
        return replace(judges, level=(*self.level, 1), maps=self.maps, own=self.own)

    def qrels_of(self, number: int) -> Qrels:
        """Judgments of one judge, with mapped grades."""
        # a document that only others were given is no judgment of this one
        own = np.flatnonzero(self.pooled[number])
        topics, topic = np.unique(self.topic[own], return_inverse=True)
        grade = self.grade[number, own].astype(np.int16)
        names = tuple(self.topics[t] for t in topics)
        return Qrels(
            names,
            topic.astype(np.int32),
            self.documents.take(pa.array(own)),
            grade,
            sha256=self.digests[number],
        )

    def scoring(self, number: int) -> np.ndarray:
        """Grades by which one judge evaluates runs, int16 [documents]: 0 below the
        judge's relevance level, -1 if not judged.
        """
        grade = self.grade[number].astype(np.int16)
        return np.where((grade >= 0) & (grade < self.level[number]), np.int16(0), grade)

    def led_by(self, number: int) -> "Judges":
        """The judges with one of them moved to the front. The judge who was read first
        is next.
        """
        # the judge who was read first comes next: the usual one to compare with
        others = (j for j in range(len(self.names)) if j != number)
        order = [number, *sorted(others, key=lambda j: self.names[j] != self.own)]
        said = [*zip(self.names, self.level, self.made, self.digests, strict=True)]
        names, level, made, digests = zip(*[said[j] for j in order], strict=True)
        return replace(
            self,
            names=names,
            grade=self.grade[order],
            pooled=self.pooled[order],
            level=level,
            made=made,
            digests=digests,
        )

    def within(self, topics: Iterable[str]) -> "Judges":
        """The judges on some topics only."""
        wanted = {*topics}
        chosen = np.array([t for t, name in enumerate(self.topics) if name in wanted], np.int64)
        kept = np.flatnonzero(np.isin(self.topic, chosen))
        rows = {
            "grade": self.grade[:, kept],
            "pooled": self.pooled[:, kept],
            "documents": self.documents.take(pa.array(kept)),
        }
        names = tuple(self.topics[t] for t in chosen)
        return replace(
            self,
            topics=names,
            only=names,
            topic=np.searchsorted(chosen, self.topic[kept]).astype(np.int32),
            **rows,
        )

    def check_has_judged(self, number: int) -> None:
        """Raise `ParamError` if a judge has judged none of the topics."""
        if not self.pooled[number].any():
            raise ParamError(
                f"judges: {self.names[number]} has judged none of the selected topics."
            )

    def pairs(self) -> list[tuple[int, int]]:
        """Every pair of judges, in order."""
        return [*combinations(range(len(self.names)), 2)]

    def describe(self) -> str:
        """Number of documents judged by each judge, as text."""
        return ", ".join(
            f"{name} {count_noun(int(n), 'document')}"
            for name, n in zip(self.names, self.judged, strict=True)
        )


def _number_by_id(
    columns: Sequence["pa.StringArray"],
) -> tuple["pa.StringArray", np.ndarray]:
    """The documents of all columns, each once and in the order of the bytes of their ids,
    and the number there of the document in each row.
    """
    coded = pa.chunked_array(columns, pa.string()).combine_chunks().dictionary_encode()
    order = pc.sort_indices(coded.dictionary.cast(pa.binary())).to_numpy()
    number = np.empty(len(order), np.int64)
    number[order] = np.arange(len(order))
    return coded.dictionary.take(pa.array(order)), number[coded.indices.to_numpy()]


def _check_names(names: Iterable[str]) -> None:
    given = [*names]
    if len(given) < 2:
        remedy = "Add another (--other NAME=FILE), or give qrels with a column for each rater."
        raise ParamError(f"judges: expected at least two, found {len(given)}. {remedy}")
    for name in given:
        check_judge_name(name)


def check_judge_name(name: str) -> None:
    """Raise `ParamError` for a name that is blank, long, or cannot be printed."""
    expected = f"a name of 1 to {LONGEST} characters"
    is_short = isinstance(name, str) and len(name) <= LONGEST
    if not is_short or not name.isprintable() or not name.strip():
        raise ParamError(f"judge: expected {expected}, found {shorten(name)}.")


def check_level(level: int) -> None:
    """Raise `ParamError` for a relevance level below 1, at which everything would be
    relevant.
    """
    if level < 1:
        raise ParamError(f"level: expected at least 1, found {shorten(level)}.")


def read_judges(
    qrels: str | Path,
    others: Mapping[str, "Judgments"] = MappingProxyType({}),
    *,
    name: str = "",
    maps: Mapping[str, GradeMap] = MappingProxyType({}),
    repeated: str = "refuse",
    qrels_format: str = AUTO,
) -> Judges:
    """Read the qrels of several judges.

    Parameters
    ----------
    qrels : path of the first judge's qrels; or of qrels with a column of grades for each
        rater, who is a judge by the name of the column
    others : name -> path of the qrels of the other judges, or the text of a simulated
        judge (`irmeval.judges.simulation.Simulation`)
    name : name of the first judge, by default the name of the file or the first column
    maps : name -> grade map of this judge: grade -> new grade, or text such as
        ``0-49:0,50-100:1``
    repeated : the field of `Policy`
    qrels_format : of the first judge's file, as for `read_collection`

    Raises
    ------
    ReadError, ParamError
        As `read_collection` and `Judges.of`.

    Examples
    --------
    >>> import irmeval
    >>> judges = irmeval.read_judges(
    ...     "sample_data/qrels.txt.gz", {"strict": "simulated:strict,0.3,1"}, name="person"
    ... )
    >>> judges.describe()
    'person 35,979 documents, strict 35,979 documents'
    """
    raters = _raters_in(qrels, repeated, qrels_format)
    if len(raters) == 1:
        raters = {name or stem(str(qrels)).removesuffix(".txt"): raters[""]}
    first = name or next(iter(raters))
    check_known(first, raters, "unknown rater")
    if first in others:
        raise ParamError(
            f"judge: {shorten(first)} is already the name of the first judge. Give the other judge"
            " a different name."
        )
    # the other raters of the file are judges like those of other files
    own = raters.pop(first)
    return Judges.joined(first, own, {**raters, **others}, maps, repeated)


def _raters_in(qrels: str | Path, repeated: str, form: str) -> dict[str, Qrels]:
    """Judgments by each column of grades in a qrels file of a format; under an empty
    name if there is only one.
    """
    try:
        return {"": read_qrels_file(qrels, repeated, form=form)}
    except UndecidedFormat as several:
        columns = rater_columns(several.keys)
        if len(columns) < len(several.keys):  # it may be no qrels with several grades
            raise
    return {name: read_qrels_file(qrels, repeated, form=own) for name, own in columns.items()}


def _read_rater(path: str, name: str, repeated: str) -> Qrels:
    """Judgments in a file; of several columns of grades, that of the judge's name."""
    try:
        return read_qrels_file(path, repeated)
    except UndecidedFormat as several:
        columns = rater_columns(several.keys)
        if name not in columns:
            raise
    return read_qrels_file(path, repeated, form=columns[name])


Judgments = Qrels | Mapping[str, Mapping[str, int]] | str | Path
"""Forms of judgments besides a data frame: qrels, topic -> document -> grade, the path
of a file, or the text of a simulated judge.
"""


def read_judgments(
    given: "Judgments | pd.DataFrame",
    draw: Callable[[Simulation], tuple[Qrels, str]],
    repeated: str = "refuse",
    name: str = "",
) -> tuple[Qrels, str]:
    """Judgments in any of these forms as qrels; and the text of the judge if it is
    simulated (``simulated:KIND,SHARE,SEED``), else an empty text. `draw` draws the
    judgments of a simulated judge. Of a file with a column a rater, that of the judge's
    `name` is read.
    """
    if isinstance(given, Qrels):
        return given, ""
    if isinstance(given, Mapping):
        return foreign.qrels_from_dict(given), ""
    if not isinstance(given, str | Path):
        return foreign.qrels_from_frame(given), ""
    text = str(given)
    if text.startswith(SIMULATED):
        return draw(Simulation.parsed(text))
    return _read_rater(text, name, repeated), ""


def _mapped(qrels: Qrels, grades: Mapping[int, int]) -> Qrels:
    """Judgments with mapped grades, as in `Judges.mapped`."""
    return replace(
        qrels, grade=grade_maps.apply_map(np.maximum(qrels.grade, -1).astype(np.int64), grades)
    )


def disagreement(judges: Judges) -> np.ndarray:
    """Mean absolute difference of grades over all pairs of judges but the first, for
    each document that the first has not judged, float64 [documents]. NaN if the first
    judge has judged it, or fewer than two others have.
    """
    others = judges.grade[1:]
    # a difference takes two judges
    n = (others >= 0).sum(axis=0)
    total = np.zeros(n.size)
    for a, b in combinations(others, 2):
        total += np.where((a >= 0) & (b >= 0), np.abs(a - b), 0)
    asked = (judges.grade[0] < 0) & (n >= 2)
    return np.where(asked, total / np.maximum(n * (n - 1) / 2, 1), np.nan)
