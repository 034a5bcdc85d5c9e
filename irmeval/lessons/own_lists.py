"""Collections of a lesson's own: a few short lists on one topic."""

from collections.abc import Mapping
from itertools import accumulate

import numpy as np

from irmeval.collection import Collection
from irmeval.collection.build import from_lists
from irmeval.core.errors import ReadError
from irmeval.core.records import Record
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.learn import lab

MAX_LISTS = 6
"""Maximum number of lists."""
GRADES = "3210"
"""Documents of such a list, from the highest grade to the lowest."""


def read_lists(table: Record, experiment: str) -> dict[str, str]:
    """Lists by run. Raises `ReadError`."""
    found = {name: table.text(name) for name in table.values}
    # an experiment without runs has no use for them
    most = MAX_LISTS * EXPERIMENTS[experiment].data
    if len(found) > most:
        expected = f"at most {MAX_LISTS} lists, for an experiment on runs"
        raise ReadError(f"{table.file}, lists", None, expected, f"{len(found)} for {experiment}")
    for name, text in found.items():
        with table.refusing(name, "a list, as in 0-1-0"):
            documents = lab.parse(text)
        if not documents or not {*documents} <= {*GRADES}:
            raise table.refuse(name, "a list of judged documents, as in 0-1-0", text)
    return found


def collection_of(lists: Mapping[str, str]) -> Collection:
    """A collection of one topic with a run for each list. The first document of a grade
    in one list is the first of this grade in another.
    """
    runs = {name: lab.parse(text) for name, text in lists.items()}
    # of each grade as many documents as some list has: one more would change nDCG and R
    counts = np.max([[*map(run.count, GRADES)] for run in runs.values()], axis=0)
    # so the second 1 of two lists is one document, as a reader takes it to be
    begins = dict(zip(GRADES, accumulate(counts, initial=0), strict=False))
    grades = np.repeat([*map(int, GRADES)], counts).tolist()

    def ranking(documents: tuple[str, ...]) -> list[int]:
        return [begins[d] + documents[:i].count(d) for i, d in enumerate(documents)]

    return from_lists([grades], {name: [ranking(run)] for name, run in runs.items()})
