"""Judges that do not exist: grades drawn from another judge's by a table of mistakes."""

from hashlib import blake2b

import numpy as np

from irmeval.errors import ParamError
from irmeval.reading.trec import Qrels
from irmeval.words import shorten

SHARE = 0.3
"""Of the documents that are graded otherwise, unless said."""
KINDS = {
    "lenient": "gives the next higher grade",
    "strict": "gives the next lower grade",
    "noisy": "gives any other grade, each as often",
    "binary": "gives the lowest relevant grade to whatever is relevant",
}
"""What each kind of judge does to the share of documents that they grade otherwise."""


def mistakes(grades: np.ndarray, kind: str, share: float = SHARE) -> np.ndarray:
    """The chance of each grade [G, G], rows the first judge's, each adding up to 1; from the grades that there are, ascending.

    Raises `ParamError` for a kind that is none of `KINDS`, or a share that is not from 0 to 1.
    """
    if kind not in KINDS:
        raise ParamError(f"judge: expected one of {', '.join(KINDS)}, came {shorten(kind)}.")
    if not 0 <= share <= 1:
        raise ParamError(f"share: expected from 0 to 1, came {shorten(share)}.")
    G, at = grades.size, np.arange(grades.size)
    if kind == "noisy":
        return (1 - share) * np.eye(G) + share * (1 - np.eye(G)) / (G - 1) if G > 1 else np.eye(1)
    lowest = min(int(np.searchsorted(grades, 1)), G - 1)
    to = {"lenient": np.minimum(at + 1, G - 1), "strict": np.maximum(at - 1, 0), "binary": np.where(grades > 0, lowest, at)}[kind]
    chances = np.zeros((G, G))
    chances[at, at] += 1 - share
    chances[at, to] += share
    return chances


def simulated(qrels: Qrels, kind: str, share: float = SHARE, seed: int = 1, *, chances: np.ndarray | None = None) -> Qrels:
    """The qrels of a judge who does not exist.

    Every document draws its grade by itself, from seed, topic and document id, so that a part of the pool keeps its grades. Documents that
    the first judge has not judged, this one has not either.

    Parameters
    ----------
    qrels : the first judge's
    kind : one of `KINDS`
    share : of the documents that are graded otherwise, where the kind has another grade for them
    chances : float64 [G, G], in place of what the kind says: the chance of each grade (columns), by that of the first judge (rows)

    Raises
    ------
    ParamError
        For a kind or share that is none, or chances that do not fit the grades or add up to 1.

    Examples
    --------
    >>> import irmeval
    >>> qrels = irmeval.read_qrels("sample_data/qrels.txt.gz")
    >>> strict = irmeval.simulated(qrels, "strict", 1.0)
    >>> int((strict.grade < qrels.grade).sum()) == int((qrels.grade > 0).sum())
    True
    """
    judged = np.flatnonzero(qrels.grade >= 0)
    grades, row = np.unique(qrels.grade[judged], return_inverse=True)
    table = mistakes(grades, kind, share) if chances is None else _checked(np.asarray(chances, dtype=np.float64), grades.size)
    documents = qrels.documents.take(judged).to_pylist()
    names = (f"{seed}\t{qrels.topics[t]}\t{document}" for t, document in zip(qrels.topic[judged].tolist(), documents, strict=True))
    drawn = np.array([int.from_bytes(blake2b(name.encode(), digest_size=8).digest()) for name in names], dtype=np.uint64) / 2.0**64
    column = (np.cumsum(table, axis=1)[row, :-1] <= drawn[:, None]).sum(axis=1)
    grade = np.array(qrels.grade)
    grade[judged] = grades[column]
    return qrels._replace(grade=grade, sha256="")


def _checked(chances: np.ndarray, G: int) -> np.ndarray:
    if chances.shape != (G, G) or not (chances >= 0).all() or not np.allclose(chances.sum(axis=1), 1):
        raise ParamError(f"chances: expected {G} rows of {G} chances, each row adding up to 1, came {' x '.join(map(str, chances.shape))}.")
    return chances
