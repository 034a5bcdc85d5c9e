"""Simulated judges of a collection, also biased ones.

The package `irmeval.collection` is above this one and cannot be imported here; only judgments, lists and panel of a collection are used.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from irmeval.core.errors import ParamError
from irmeval.core.words import shorten
from irmeval.judges.simulation import EXACT, SHARE, TOP, Simulation, draw_columns, draw_mistakes, mask_lists, mask_retrieved
from irmeval.reading.trec import Qrels, join_keys, make_qrels

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def simulate_judge(collection: Any, simulation: Simulation) -> tuple[Qrels, str]:
    """Draw the grades of a simulated judge from the grades of a judge of a collection.

    Returns the judgments, and a text that draws the same judgments again, whichever judge is first then. Errors as `Simulation.of`, and
    `UnknownName` for a judge that the collection does not have.
    """
    if collection.panel and not simulation.first and collection.judges[0] != collection.panel.own:
        simulation = simulation._replace(first=collection.judges[0])
    ranked = collection.judged_by(simulation.first) if simulation.first else collection
    return simulation.of(judge_qrels(collection, simulation.first), ranked), simulation.text()


def judge_qrels(collection: Any, name: str = "") -> Qrels:
    """The judgments of a judge of a collection, by default the first, with mapped grades."""
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
    """The qrels of a simulated judge who errs only on documents that some runs, such as those of a team, have down to rank `top`.

    Parameters
    ----------
    collection : its judgments are those of the first judge
    runs : names of the runs
    kind, share, seed, chances : as in `simulated`
    prior : float64 [G], optional
        Probability of each grade for unjudged documents that the runs have there; without it they stay unjudged.
    top : at most `irmeval.collection.joining.NEAR` = 100

    Raises
    ------
    ParamError
        As `simulated`; for unknown runs; for a prior that does not fit the grades or does not add up to 1.

    Examples
    --------
    >>> import irmeval
    >>> from irmeval.judges.base.biased import simulated_biased
    >>> collection = irmeval.read_collection("sample_data/qrels.txt.gz", "sample_data/runs")
    >>> biased = simulated_biased(collection, ["aurora1", "aurora2"], share=0.5)
    >>> bool((biased.grade >= collection.grade).all()), int((biased.grade > collection.grade).sum()) > 0
    (True, True)
    """
    theirs, seen = mask_lists(collection, runs), mask_retrieved(collection, runs, top)
    qrels = draw_mistakes(
        Qrels(collection.topics, collection.topic, collection.documents, collection.grade), kind, share, seed, chances, seen
    )
    return qrels if prior is None else _grade_unjudged(collection, qrels, theirs, seen, prior, seed, top)


def _grade_unjudged(collection: Any, qrels: Qrels, theirs: np.ndarray, seen: np.ndarray, prior: "ArrayLike", seed: int, top: int) -> Qrels:
    """The qrels with grades, drawn from the prior, for the unjudged documents that the lists hold down to rank `top`."""
    import pyarrow as pa

    grades = np.unique(collection.grade[collection.grade >= 0])
    row = np.asarray(prior, dtype=np.float64)
    if row.shape != grades.shape or not (row >= 0).all() or not abs(row.sum() - 1) <= EXACT:
        raise ParamError(f"prior: expected {grades.size} chances that add up to 1, came {shorten(row.tolist())}.")
    T, outside = len(collection.topics), collection.outside
    beyond = np.flatnonzero(theirs[outside.list] & (outside.rank <= top))
    topic, documents = outside.list[beyond] % T, outside.documents.take(pa.array(beyond))
    keys = join_keys(collection.topics, topic, documents).dictionary_encode().indices.to_numpy()
    _, once = np.unique(keys, return_index=True)  # several runs may have a document
    pooled = np.flatnonzero(seen & (collection.grade < 0))
    topic = np.concatenate([topic[once], collection.topic[pooled]])
    documents = pa.concat_arrays([documents.take(pa.array(once)), collection.documents.take(pa.array(pooled))])
    grade = grades[draw_columns(np.broadcast_to(row, (topic.size, grades.size)), seed, collection.topics, topic, documents)]
    kept = np.setdiff1d(np.arange(qrels.grade.size), pooled)
    parts = [qrels.documents.take(pa.array(kept)), documents]
    columns = np.concatenate([qrels.topic[kept], topic]), pa.concat_arrays(parts), np.concatenate([qrels.grade[kept], grade])
    return make_qrels("simulated", qrels.topics, *columns)
