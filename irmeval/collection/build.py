"""Collections from files, and small ones from lists of numbers."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, compress, pairwise
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from irmeval.collection import joining
from irmeval.collection.base import Collection, assemble
from irmeval.collection.joining import Index, Lists
from irmeval.core import parallel
from irmeval.core.other_packages import explains_calls
from irmeval.reading import faults, files, foreign, trec
from irmeval.reading.exclusions import read_policy
from irmeval.reading.formats import AUTO, check_format
from irmeval.reading.named_columns import string_array
from irmeval.reading.policy import Decisions, Policy
from irmeval.reading.sources import drop_comments


@explains_calls
def read_collection(
    qrels: str | Path,
    runs: str | Path | Iterable[str | Path],
    *,
    qrels_format: str = AUTO,
    run_format: str = AUTO,
    progress: Callable[[int, int], None] | None = None,
    refused: faults.Refuse | None = None,
    **policy: Unpack[Decisions],
) -> Collection:
    """Read a qrels file and run files of any format, packed or plain, or folders of
    them, and join them.

    Parameters
    ----------
    qrels, runs : files; runs also folders. Without runs, it holds judgments only.
    qrels_format, run_format : recognised, unless given (``irmeval formats``)
    progress : called from any thread with the number of run files read so far and of all
    refused : called with the error of run files that cannot be used; without it, one
        raises the error
    **policy
        Fields of `Policy`, above all ``depth=1000`` (lists are cut there before
        anything else) and ``order="trec_eval"`` (score, descending, compared as 32-bit
        floats, ties by document id descending).

    Raises
    ------
    ReadError
        With file, line, what was expected and what came; the faults of several files
        are grouped by kind.
    ParamError
        For an unknown decision, with the nearest names, or a value that it cannot have.

    Examples
    --------
    >>> import irmeval
    >>> collection = irmeval.read_collection(
    ...     "sample_data/qrels.txt.gz", "sample_data/runs", depth=100
    ... )
    >>> len(collection.runs), len(collection.topics), collection.grade.size
    (30, 50, 35979)
    """
    decided, listed = read_policy(**policy), _listed(runs)
    # in a thread of its own, while the first runs are read
    judged = parallel.run_in_thread(partial(joining.read_index, qrels, decided, qrels_format))
    paths = files.list_files(foreign.require_form("runs", run, "a file") for run in listed)
    texts = joining.join_files(paths, judged, decided, progress, check_format(run_format, "run"))
    index = judged()  # errors of the qrels are raised first
    joined, wrong = joining.split_refused(texts)
    left_out = faults.leave_out_refused(wrong, len(texts), listed, refused)
    paths = [path for path in paths if str(path) not in left_out.files]
    names = joining.name_runs([(run.path, run.tags) for run in joined])
    again = partial(joining.rejoin, paths, decided, form=run_format)
    lists = [run.lists for run in joined]
    without = drop_comments(index.qrels, _retrieved(index.qrels.topics, lists))
    if without is not index.qrels:  # the lists were joined with the comments
        lists = again(Index(without))
    made = assemble(without, names, lists, decided, again)
    return replace(made, recognised=(*made.recognised, *faults.describe_strays(left_out.strays)))


def _listed(runs: Any) -> list[Any]:
    """The runs one by one; what holds runs in another form is one, for its refusal."""
    is_other = isinstance(runs, str | Mapping) or hasattr(runs, "columns")
    if isinstance(runs, Iterable) and not is_other:
        return [*runs]
    return [runs]


def _retrieved(topics: Sequence[str], lists: Sequence[Lists]) -> Iterator[str]:
    """The topics for which some run has retrieved a document."""
    lengths = [np.zeros(len(topics), np.int32), *(run.length for run in lists)]
    return compress(topics, np.any(lengths, axis=0))


def from_lists(
    judgments: Sequence[Sequence[int]], runs: Mapping[str, Sequence[Sequence[int]]]
) -> Collection:
    """Create a collection from lists: per topic the grades of its judgments; per run
    and topic a ranked list.

    A ranked list holds the index of each document among the judgments of the topic; -1
    is a document outside the pool.
    """
    topics = tuple(map(str, range(1, len(judgments) + 1)))
    first = np.cumsum([0, *map(len, judgments)])
    topic = np.repeat(np.arange(len(topics), dtype=np.int32), np.diff(first))
    grade = np.fromiter(chain.from_iterable(judgments), np.int16)
    qrels = trec.Qrels(topics, topic, string_array(f"d{i}" for i in range(grade.size)), grade)
    rankings = [*chain.from_iterable(runs.values())]
    length = np.array([*map(len, rankings)], np.int32).reshape(len(runs), len(topics))
    place = np.fromiter(chain.from_iterable(rankings), np.int32)
    of_list = np.repeat(np.arange(length.size), length.ravel())
    begins = np.cumsum(length) - length.ravel()
    rank = np.arange(1, place.size + 1) - begins[of_list]
    pooled = np.flatnonzero(place >= 0)
    judgment_index = (place + first[of_list % len(topics)])[pooled].astype(np.int32)
    rank = rank[pooled].astype(np.int32)
    count = np.bincount(of_list[pooled], minlength=length.size).reshape(length.shape)
    ends = np.cumsum([0, *count.sum(axis=1)]).tolist()
    joined = [
        Lists(judgment_index[start:end], rank[start:end], of_run, own, ())
        for (start, end), of_run, own in zip(pairwise(ends), count, length, strict=True)
    ]
    return assemble(qrels, list(runs), joined, Policy(order="rank"))
