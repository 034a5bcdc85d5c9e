"""Simulated judges: grades drawn from those of another judge by a confusion matrix."""

import re
from collections.abc import Sequence
from dataclasses import replace
from hashlib import blake2b
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from irmeval.core.errors import ParamError
from irmeval.core.lazy import pa
from irmeval.core.text import list_few, shorten
from irmeval.reading.trec import Qrels, join_keys, make_qrels

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

SHARE = 0.3
"""Default error rate."""
DEFAULTS = (f"{SHARE}", "1")
"""Share and seed of a judge whose text does not give them."""
KINDS = {
    "lenient": "gives the next higher grade",
    "strict": "gives the next lower grade",
    "noisy": "gives any other grade, each as often",
    "binary": "gives the lowest relevant grade to every relevant document",
}
"""Kinds of judges, with their errors."""
SIMULATED = "simulated:"
"""Prefix of the text of a simulated judge."""
TABLE = "matrix="
"""Prefix of a confusion matrix, which replaces a kind of judge."""
OF = "of="
"""Prefix of the name of the judge whose grades are changed."""
TOP = 10
"""Rank in some runs down to which a biased judge errs."""
LONGEST = 4_000
"""Maximum characters of a matrix as text."""
EXACT = 1e-5
"""Tolerance of the sum of a row, since the text has six decimals."""
_CHANCE = re.compile(r"[01]|[01]?\.\d{1,6}", re.ASCII)


class HasRankedLists(Protocol):
    """An object with ranked lists of judged documents, such as `irmeval.Collection`."""

    @property
    def runs(self) -> tuple[str, ...]: ...
    @property
    def topics(self) -> tuple[str, ...]: ...
    @property
    def grade(self) -> np.ndarray: ...
    @property
    def judgment_index(self) -> np.ndarray: ...
    @property
    def rank(self) -> np.ndarray: ...
    @property
    def start(self) -> np.ndarray: ...


def mask_lists(ranked: HasRankedLists, runs: Sequence[str]) -> np.ndarray:
    """Whether a ranked list belongs to some runs, bool [list]. Raises `ParamError` for
    an unknown run.
    """
    if strange := next((run for run in runs if run not in ranked.runs), None):
        raise ParamError(f"runs: expected names of runs, found {shorten(strange)}.")
    T = len(ranked.topics)
    return np.isin(np.arange(len(ranked.runs) * T) // T, [*map(ranked.runs.index, runs)])


def mask_retrieved(ranked: HasRankedLists, runs: Sequence[str], top: int = TOP) -> np.ndarray:
    """Whether some runs retrieved the document of a judgment down to a rank, bool [J].
    Raises `ParamError` for an unknown run.
    """
    seen = np.zeros(ranked.grade.size, bool)
    seen[
        ranked.judgment_index[
            np.repeat(mask_lists(ranked, runs), np.diff(ranked.start)) & (ranked.rank <= top)
        ]
    ] = True
    return seen


def confusion_matrix(grades: np.ndarray, kind: str, share: float = SHARE) -> np.ndarray:
    """The confusion matrix of a kind of judge [G, G]: a row for each grade of the first
    judge, ascending, with the probability of each new grade.

    Raises `ParamError` for an unknown kind, or a share that is not from 0 to 1.
    """
    _check_kind(kind, share)
    G, at = grades.size, np.arange(grades.size)
    if kind == "noisy":
        return (1 - share) * np.eye(G) + share * (1 - np.eye(G)) / (G - 1) if G > 1 else np.eye(1)
    # where no grade is relevant, a place past the last would be out of range
    lowest = min(int(np.searchsorted(grades, 1)), G - 1)
    to = {
        "lenient": np.minimum(at + 1, G - 1),
        "strict": np.maximum(at - 1, 0),
        "binary": np.where(grades > 0, lowest, at),
    }[kind]
    chances = np.zeros((G, G))
    chances[at, at] += 1 - share
    chances[at, to] += share
    return chances


def _check_kind(kind: str, share: float) -> None:
    """Raise `ParamError` for an unknown kind, or a share that is not from 0 to 1."""
    if kind not in KINDS:
        raise ParamError(f"judge: expected one of {', '.join(KINDS)}, found {shorten(kind)}.")
    if not 0 <= share <= 1:
        raise ParamError(f"share: expected from 0 to 1, found {shorten(share)}.")


class Simulation(NamedTuple):
    """Errors of a simulated judge.

    Its text form is ``simulated:KIND,SHARE,SEED``, or
    ``simulated:matrix=ROW/ROW/...,SEED``, where a row holds the probabilities of the
    grades separated by colons, as in ``.7:.3/0:1``. Names of runs may follow, each
    after a comma: the judge then errs only on documents that these runs retrieved down
    to rank `TOP`. ``of=JUDGE,`` before the kind names the judge whose grades are
    changed. In a name, ``%2C`` is a comma and ``%25`` a per cent sign.

    Attributes
    ----------
    kind, share : as in `simulated`
    seed : same seed, same grades
    chances : confusion matrix, float64 [G, G], in place of kind and share, or None
    runs : names of the runs on whose documents the judge errs; empty for all documents
    first : name of the judge whose grades are changed; empty for the first one

    Examples
    --------
    >>> from irmeval.judges.simulation import Simulation
    >>> Simulation.parsed("simulated:matrix=.7:.3/0:1,5").text()
    'simulated:matrix=0.7:0.3/0:1,5'
    >>> Simulation.parsed("simulated:lenient,0.3,1,mine,ours%2C2").runs
    ('mine', 'ours,2')
    """

    kind: str = "lenient"
    share: float = SHARE
    seed: int = 1
    chances: np.ndarray | None = None
    runs: tuple[str, ...] = ()
    first: str = ""

    @classmethod
    def parsed(cls, text: str) -> "Simulation":
        """Parse a text. Raises `ParamError` for one that does not fit."""
        kind, *said = text.removeprefix(SIMULATED).split(",")
        first = ""
        if kind.startswith(OF) and said:
            first, kind, *said = (kind.removeprefix(OF), *said)
        chances, form = None, "KIND,SHARE,SEED"
        if kind.startswith(TABLE):
            chances, form = parse_chances(kind.removeprefix(TABLE)), f"{TABLE}ROW/ROW/...,SEED"
            # a table stands for a kind and its share
            said = [f"{SHARE}", *said]
        share, seed, *runs = (*said, *DEFAULTS[len(said) :])
        try:
            if "" in runs:
                raise ValueError
            made = cls(
                kind, float(share), int(seed), chances, tuple(map(_name, runs)), _name(first)
            )
        except ValueError:
            raise ParamError(f"judge: expected {SIMULATED}{form}, found {shorten(text)}.") from None
        if chances is None:
            _check_kind(made.kind, made.share)
        return made

    def text(self) -> str:
        """Text that `parsed` reads."""
        runs = "".join(f",{_escaped(run)}" for run in self.runs)
        start = f"{SIMULATED}{OF}{_escaped(self.first)}," if self.first else SIMULATED
        if self.chances is not None:
            return f"{start}{TABLE}{chances_text(self.chances)},{self.seed}{runs}"
        return f"{start}{self.kind},{self.share:g},{self.seed}{runs}"

    def table(self, grades: np.ndarray) -> np.ndarray:
        """The confusion matrix [G, G] for the grades of the first judge. Raises
        `ParamError` if its own does not fit them.
        """
        if self.chances is None:
            return confusion_matrix(grades, self.kind, self.share)
        return check_chances(self.chances, grades)

    def judge(self, qrels: Qrels, ranked: HasRankedLists | None = None) -> Qrels:
        """The judgments of this judge, drawn from the qrels of another judge. A judge
        who errs on documents of runs needs `ranked`, the collection of the qrels;
        without it `ParamError` is raised.
        """
        if not self.runs:
            return draw_mistakes(qrels, *self[:4])
        if ranked is None:
            raise ParamError(
                f"judge: errs on documents retrieved by {list_few([*self.runs])}, which are unknown"
                " from qrels alone. Use a command that reads runs, or save the judgments as a file."
            )
        return draw_mistakes(qrels, *self[:4], mask_retrieved(ranked, self.runs))

    def expected_counts(self, ranked: HasRankedLists) -> tuple[np.ndarray, np.ndarray]:
        """Grades [G] of the first judge, ascending, and the expected count of each pair
        of grades of the first judge and this one, float64 [G, G]. Documents on which
        this judge does not err keep their grade.
        """
        grades, place = np.unique(ranked.grade[judged := ranked.grade >= 0], return_inverse=True)
        errs = mask_retrieved(ranked, self.runs)[judged] if self.runs else np.ones(place.size, bool)
        on = np.bincount(place[errs], minlength=grades.size)
        return grades, on[:, None] * self.table(grades) + np.diag(
            np.bincount(place[~errs], minlength=grades.size)
        )


def _escaped(name: str) -> str:
    return name.replace("%", "%25").replace(",", "%2C")


def _name(escaped: str) -> str:
    return escaped.replace("%2C", ",").replace("%25", "%")


def parse_chances(text: str) -> np.ndarray:
    """Parse a matrix [grade, new grade]: ``/`` between rows, ``:`` between the
    probabilities of a row. Shape and sums are not checked.
    """
    if len(text) > LONGEST:
        raise _not_a_matrix(f"{len(text):,} characters")
    rows = [row.split(":") for row in text.split("/")]
    if not _is_matrix(rows):
        raise _not_a_matrix(shorten(text))
    return np.array(rows, dtype=np.float64)


def _is_matrix(rows: Sequence[Sequence[str]]) -> bool:
    """Whether rows have equally many cells, each a probability."""
    lengths = {*map(len, rows)}
    return len(lengths) == 1 and all(map(_CHANCE.fullmatch, chain(*rows)))


def _not_a_matrix(came: str) -> ParamError:
    return ParamError(
        "matrix: expected rows of equally many probabilities, as in .7:.3/0:1, at most"
        f" {LONGEST:,} characters, found {came}."
    )


def chances_text(chances: np.ndarray) -> str:
    """Text of a matrix [grade, new grade] that `parse_chances` reads, to six decimals."""
    return "/".join(
        ":".join(f"{chance:.6f}".rstrip("0").rstrip(".") for chance in row)
        for row in chances.tolist()
    )


def check_chances(chances: "ArrayLike", grades: np.ndarray) -> np.ndarray:
    """A confusion matrix as float64 [G, G], checked against the grades, ascending.

    Raises `ParamError` for another shape, for values that are no probabilities, and for
    rows that do not add up to 1.
    """
    table, G = np.asarray(chances, dtype=np.float64), grades.size
    if table.shape != (G, G):
        came = " x ".join(map(str, table.shape)) or "a number"
        raise ParamError(
            f"matrix: expected {G} rows of {G} probabilities, for the grades"
            f" {', '.join(map(str, grades))}, found {came}."
        )
    for grade, row in zip(grades, table, strict=True):
        if not ((row >= 0) & (row <= 1)).all():
            # not the reverse comparison, which NaN would escape
            odd = next(chance for chance in row if not 0 <= chance <= 1)
            raise ParamError(
                f"matrix: expected probabilities from 0 to 1 for the first judge's grade {grade},"
                f" found {odd:g}."
            )
        if not abs(row.sum() - 1) <= EXACT:
            raise ParamError(
                f"matrix: expected probabilities that sum to 1 for the first judge's grade {grade},"
                f" found {row.sum():.6g}."
            )
    return table


def simulated(
    qrels: Qrels,
    kind: str = "lenient",
    share: float = SHARE,
    seed: int = 1,
    *,
    chances: "ArrayLike | None" = None,
) -> Qrels:
    """The qrels of a simulated judge.

    The grade of a document depends on seed, topic and document id alone, so a part of
    the pool keeps its grades. Documents that the first judge has not judged stay
    unjudged.

    Parameters
    ----------
    qrels : the qrels of the first judge
    kind : one of `KINDS`
    share : share of the documents that get another grade, if the kind has another grade
        for them
    chances : float64 [G, G], in place of kind and share: the probability of each new
        grade (columns) for each grade of the first judge (rows); both are the grades
        that the first judge gives, ascending

    Raises
    ------
    ParamError
        For an unknown kind, a share not from 0 to 1, or chances that do not fit the
        grades or do not add up to 1.

    Examples
    --------
    >>> import irmeval
    >>> qrels = irmeval.read_qrels("sample_data/qrels.txt.gz")
    >>> strict = irmeval.simulated(qrels, "strict", 1.0)
    >>> int((strict.grade < qrels.grade).sum()) == int((qrels.grade > 0).sum())
    True
    """
    return draw_mistakes(qrels, kind, share, seed, chances)


def draw_mistakes(
    qrels: Qrels,
    kind: str,
    share: float,
    seed: int,
    chances: "ArrayLike | None",
    where: "np.ndarray | bool" = True,
    number: np.ndarray | None = None,
) -> Qrels:
    """Draw new grades for the judged documents in the mask `where` [document]. `number`
    may be the `random_numbers` of all documents [document], to save time.
    """
    judged = qrels.grade >= 0
    grades = np.unique(qrels.grade[judged])
    table = (
        confusion_matrix(grades, kind, share) if chances is None else check_chances(chances, grades)
    )
    at = np.flatnonzero(judged & where)
    grade = np.array(qrels.grade)
    rows = table[np.searchsorted(grades, qrels.grade[at])]
    known = None if number is None else number[at]
    grade[at] = grades[
        draw_columns(rows, seed, qrels.topics, qrels.topic[at], qrels.documents.take(at), known)
    ]
    # these grades are no longer those of the file with that digest
    return replace(qrels, grade=grade, sha256="")


def random_numbers(
    seed: int, topics: tuple[str, ...], topic: np.ndarray, documents: Any
) -> np.ndarray:
    """A random number from 0 to 1 for each document [n], which depends only on seed,
    topic and document id.
    """
    names = zip(topic.tolist(), documents.to_pylist(), strict=True)
    # a digest, not a generator: a part of the pool, or another order of files, draws the
    # same
    digests = b"".join(
        [
            blake2b(f"{seed}\t{topics[t]}\t{document}".encode(), digest_size=8).digest()
            for t, document in names
        ]
    )
    # with a fixed byte order, every machine draws the same
    return np.frombuffer(digests, ">u8") / 2.0**64


def draw_columns(
    rows: np.ndarray,
    seed: int,
    topics: tuple[str, ...],
    topic: np.ndarray,
    documents: Any,
    known: np.ndarray | None = None,
) -> np.ndarray:
    """Column drawn by each document [n], from its row of probabilities [n, G] and its
    random number.
    """
    # a sum may be off by `EXACT`, and the last grade would take the difference
    chances = rows / rows.sum(axis=1, keepdims=True)
    # the only grade of most documents, for which no number is drawn
    column: np.ndarray = chances.argmax(axis=1)
    # the others have only one possible grade
    undecided = np.flatnonzero(chances.max(axis=1, initial=0) < 1)
    number = (
        random_numbers(seed, topics, topic[undecided], documents.take(undecided))
        if known is None
        else known[undecided]
    )
    column[undecided] = (np.cumsum(chances[undecided], axis=1)[:, :-1] <= number[:, None]).sum(
        axis=1
    )
    return column


def simulate_judge(collection: Any, simulation: Simulation) -> tuple[Qrels, str]:
    """Draw the grades of a simulated judge from the grades of a judge of a collection.

    Returns the judgments, and a text that draws the same judgments again, even if
    another judge is first by then. Errors as `Simulation.of`, and `UnknownName` for a
    judge that the collection does not have.
    """
    # another judge may lead by the time that the text is read again
    if collection.panel and not simulation.first and collection.judges[0] != collection.panel.own:
        simulation = simulation._replace(first=collection.judges[0])
    ranked = collection.judged_by(simulation.first) if simulation.first else collection
    return simulation.judge(judge_qrels(collection, simulation.first), ranked), simulation.text()


def judge_qrels(collection: Any, name: str = "") -> Qrels:
    """Judgments of a judge of a collection, by default the first, with mapped
    grades.
    """
    if collection.panel:
        return collection.panel.judges.qrels_of(collection.panel.judges.number(name) if name else 0)
    c = collection.judged_by(name) if name else collection
    return Qrels(c.topics, c.topic, c.documents, c.grade)


def simulated_biased(
    collection: Any,
    runs: Sequence[str],
    kind: str = "lenient",
    share: float = SHARE,
    seed: int = 1,
    *,
    chances: "ArrayLike | None" = None,
    prior: "ArrayLike | None" = None,
    top: int = TOP,
) -> Qrels:
    """The qrels of a simulated judge who errs only on documents that some runs, such as
    those of a team, retrieved down to rank `top`.

    Parameters
    ----------
    collection : its judgments are those of the first judge
    runs : names of the runs
    kind, share, seed, chances : as in `simulated`
    prior : float64 [G], optional
        Probability of each grade for unjudged documents that the runs retrieved there;
        without it they stay unjudged.
    top : at most `irmeval.collection.joining.NEAR` = 100

    Raises
    ------
    ParamError
        As `simulated`; for unknown runs; for a prior that does not fit the grades or
        does not add up to 1.

    Examples
    --------
    >>> import irmeval
    >>> from irmeval.judges.simulation import simulated_biased
    >>> collection = irmeval.read_collection("sample_data/qrels.txt.gz", "sample_data/runs")
    >>> biased = simulated_biased(collection, ["aurora1", "aurora2"], share=0.5)
    >>> higher = biased.grade > collection.grade
    >>> bool((biased.grade >= collection.grade).all()), int(higher.sum()) > 0
    (True, True)
    """
    theirs, seen = mask_lists(collection, runs), mask_retrieved(collection, runs, top)
    first = Qrels(collection.topics, collection.topic, collection.documents, collection.grade)
    qrels = draw_mistakes(first, kind, share, seed, chances, seen)
    return (
        qrels
        if prior is None
        else _grade_unjudged(collection, qrels, theirs, seen, prior, seed, top)
    )


def _grade_unjudged(
    collection: Any,
    qrels: Qrels,
    theirs: np.ndarray,
    seen: np.ndarray,
    prior: "ArrayLike",
    seed: int,
    top: int,
) -> Qrels:
    """The qrels with grades, drawn from the prior, for the unjudged documents that the
    lists hold down to rank `top`.
    """
    grades = np.unique(collection.grade[collection.grade >= 0])
    row = np.asarray(prior, dtype=np.float64)
    if row.shape != grades.shape or not (row >= 0).all() or not abs(row.sum() - 1) <= EXACT:
        raise ParamError(
            f"prior: expected {grades.size} probabilities that sum to 1, found"
            f" {shorten(row.tolist())}."
        )
    T, outside = len(collection.topics), collection.outside
    beyond = np.flatnonzero(theirs[outside.list] & (outside.rank <= top))
    topic, documents = outside.list[beyond] % T, outside.documents.take(pa.array(beyond))
    keys = join_keys(collection.topics, topic, documents).dictionary_encode().indices.to_numpy()
    _, once = np.unique(keys, return_index=True)  # several runs may have a document
    pooled = np.flatnonzero(seen & (collection.grade < 0))
    topic = np.concatenate([topic[once], collection.topic[pooled]])
    documents = pa.concat_arrays(
        [documents.take(pa.array(once)), collection.documents.take(pa.array(pooled))]
    )
    grade = grades[
        draw_columns(
            np.broadcast_to(row, (topic.size, grades.size)),
            seed,
            collection.topics,
            topic,
            documents,
        )
    ]
    # make_qrels keeps the first of duplicates, which would be the unjudged one
    kept = np.setdiff1d(np.arange(qrels.grade.size), pooled)
    parts = [qrels.documents.take(pa.array(kept)), documents]
    columns = (
        np.concatenate([qrels.topic[kept], topic]),
        pa.concat_arrays(parts),
        np.concatenate([qrels.grade[kept], grade]),
    )
    return make_qrels("simulated", qrels.topics, *columns)
