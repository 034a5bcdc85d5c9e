"""Shared parts of experiments on judges of a collection: choice of a judge, coverage,
union and intersection of judgments.
"""

from typing import Annotated, Any

import numpy as np

from irmeval.collection import Collection
from irmeval.collection.base import Panel
from irmeval.core.errors import ParamError
from irmeval.core.params import ANY_JUDGE, BESIDE_FIRST, Param
from irmeval.experiments.results import Frame, table
from irmeval.judges import Judges

TOP = 10
"""Default depth to which lists are examined."""

Driver = Annotated[
    str,
    Param(
        "driven by",
        "Name of the judge from whose grades orders of judging learn. Empty: the first judge.",
        empty="the first judge",
        judge=ANY_JUDGE,
    ),
]
Second = Annotated[
    str,
    Param(
        "other judge",
        "Name of the judge who is compared with the first. Empty: the next one.",
        empty="the first other",
        judge=BESIDE_FIRST,
    ),
]


def coverage(panel: Panel, top: int = TOP) -> Frame:
    """One row per judge: topics and documents judged, documents shared with the first
    judge, documents judged by nobody else, and the judged share of the runs' documents
    down to rank `top`.
    """
    judges, union = panel.judges, panel.union
    judged, counts = judges.grade >= 0, judged_columns(judges)
    # lists may be shorter than `top`: the share is of documents that are there
    filled = int(np.minimum(union.length, top).sum())
    columns = {
        "judge": judges.names,
        "topics": [np.unique(judges.topic[own]).size for own in judged],
        "documents": counts.pop("documents"),
        f"shared with {judges.names[0]}": (judged & judged[0]).sum(axis=1),
        **counts,
        f"judged in the top {top}, %": (
            100
            * judged[:, union.judgment_index[union.rank <= top]].sum(axis=1)
            / (filled or np.nan)
        ),
    }
    return table(columns)


def judged_columns(judges: Judges) -> dict[str, Any]:
    """Columns with a value per judge: documents judged, documents judged by nobody
    else, least relevant grade, relevant documents.
    """
    judged = judges.grade >= 0
    return {
        "documents": judged.sum(axis=1),
        "judged by nobody else": (judged & (judged.sum(axis=0) == 1)).sum(axis=1),
        "relevant from": judges.level,
        "relevant": (judges.grade >= np.array(judges.level)[:, None]).sum(axis=1),
    }


def find_other(collection: Collection, name: str) -> int:
    """Index of the judge with this name, by default the second. Raises `UnknownName`,
    and `ParamError` for the first judge.
    """
    assert collection.panel
    number = collection.panel.judges.number(name) if name else 1
    if number == 0:
        raise ParamError(
            f"second: expected a judge other than {collection.judges[0]}, whose judgments score the"
            " runs."
        )
    return number


def union_and_intersection(panel: Panel) -> np.ndarray:
    """Grades [2, documents] of the union and the intersection of judges' relevant
    documents. The union has the highest grade of any judge. The intersection has the
    lowest grade if everybody has judged, else 0 if anybody finds the document
    nonrelevant, else -1 (not judged).
    """
    grades = np.stack([*map(panel.judges.scoring, range(len(panel.judges.names)))])
    judged = grades >= 0
    # one judge who finds a document nonrelevant keeps it out of the intersection, whatever others
    # would say
    some = np.where((grades == 0).any(axis=0), 0, -1)
    return np.stack([grades.max(axis=0), np.where(judged.all(axis=0), grades.min(axis=0), some)])
