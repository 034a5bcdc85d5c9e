"""Fusion of several runs into one, by the ranks or scores of documents."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from irmeval.core.errors import ParamError, ReadError
from irmeval.core.lazy import pa
from irmeval.core.other_packages import explains_calls
from irmeval.core.params import checked, format_value, param
from irmeval.core.places import pick
from irmeval.core.text import natural_key
from irmeval.core.version import __version__
from irmeval.reading import files, foreign
from irmeval.reading.arrays import to_arrow, to_numpy
from irmeval.reading.ir_metadata import Value, read_headers
from irmeval.reading.order import sorting_permutation
from irmeval.reading.policy import DEFAULT
from irmeval.reading.sources import as_dictionary, paths_of, runs_of
from irmeval.reading.trec import Run, sort_topics
from irmeval.reading.writing import merge_headers, write_header

METHODS = ("rrf", "combsum", "combmnz")


@checked
class Fusion:
    """How runs are fused."""

    method: str = param(
        "method",
        "rrf: the sum of 1 / (k + rank) over the runs (Cormack, Clarke & Büttcher 2009). combsum:"
        " the sum of scores, scaled to 0 to 1 per run and topic. combmnz: that sum times the number"
        " of runs with the document (Fox & Shaw 1994).",
        choices=METHODS,
        default="rrf",
    )
    k: float = param(
        "k of rrf",
        "A higher k gives less weight to top ranks.",
        low=0,
        high=1_000_000,
        default=60.0,
    )
    depth: int = param(
        "depth of the fused run",
        "Number of documents per topic.",
        low=1,
        high=1_000_000,
        default=1000,
    )


@explains_calls
def fuse(
    runs: str
    | Path
    | Iterable[str | Path | Run | foreign.RunInMemory]
    | Mapping[str, foreign.RunInMemory],
    method: str = "rrf",
    **more: Any,
) -> dict[str, dict[str, float]]:
    """Fuse runs into one, as topic -> document -> score, best first: the form of a run
    for `Collection.from_dicts`, pytrec_eval and ranx.

    A run adds nothing to a topic that it lacks. Lists are ordered as in trec_eval,
    before and after the fusion.

    Parameters
    ----------
    runs : run files or folders of them; or dictionaries and runs of ranx, as
        `Collection.from_dicts` takes them
    method : ``rrf``, ``combsum`` or ``combmnz``, as in `Fusion`, in any case
    **more
        ``k`` of RRF (60), and ``depth`` of the fused lists (1000); or both as
        ``params``, a dictionary

    Raises
    ------
    ReadError
        For a file that cannot be read, and for sums over infinite scores.
    ParamError
        For fewer than two runs, or an invalid value of a parameter.

    Examples
    --------
    >>> import irmeval
    >>> a, b = {"1": {"x": 3.0, "y": 2.0}}, {"1": {"y": 9.0, "z": 1.0}}
    >>> irmeval.fuse({"a": a, "b": b}, "combsum")
    {'1': {'y': 1.0, 'x': 1.0, 'z': 0.0}}
    """
    # ranx hands the parameters of a method in one dictionary
    how = {**more.pop("params", {}), **more}
    if "norm" in how:
        raise ParamError("fuse: norm is not needed: combsum and combmnz scale scores to 0 to 1.")
    return as_dictionary(fuse_runs(_parsed(runs), Fusion(method=method.lower(), **how)))


def _parsed(runs: Any) -> list[Run]:
    """Runs in files or in memory."""
    if paths_of(runs):
        return runs_of(runs)
    if isinstance(runs, Mapping) or hasattr(runs, "to_dict"):
        return foreign.runs_from_dicts(runs)
    listed = [*runs]
    if {*map(type, listed)} == {Run}:
        return listed
    return foreign.runs_from_dicts(listed)


def fuse_runs(runs: Sequence[Run], how: Fusion, order: str = DEFAULT.order, name: str = "") -> Run:
    """The fused run, by topic and rank. Its name is that of the method by default;
    `order` is how the given runs are ordered.

    Scores fall with the rank; ties are in descending order of document id, as in
    trec_eval. Raises `ParamError` for fewer than two runs.
    """
    if len(runs) < 2:
        raise ParamError(f"fusion: expected at least two runs, found {len(runs)}.")
    # so that sums do not depend on the order of files
    runs = sorted(runs, key=lambda run: natural_key(run.name))
    named = dict.fromkeys(chain.from_iterable(run.topics for run in runs))
    topics, places = sort_topics(tuple(named), np.arange(len(named), dtype=np.int32))
    place = dict(zip(named, places.tolist(), strict=True))
    topic = [np.array(pick(place, run.topics), np.int32)[run.topic] for run in runs]
    ids = pa.chunked_array([run.documents for run in runs]).dictionary_encode().unify_dictionaries()
    codes = np.concatenate([to_numpy(chunk.indices) for chunk in ids.chunks]).astype(np.int64)
    names = ids.chunk(0).dictionary
    points = [_points(run, of, how, order) for run, of in zip(runs, topic, strict=True)]
    pair, first, again = np.unique(
        np.concatenate(topic) * len(names) + codes, return_index=True, return_inverse=True
    )
    score = np.bincount(again, np.concatenate(points))
    if how.method == "combmnz":
        score *= np.bincount(again)
    of, documents = (pair // len(names)).astype(np.int32), names.take(to_arrow(codes[first]))
    name = name or how.method
    run = Run(name, (name,), topics, of, documents, score, pa.nulls(of.size, pa.string()))
    # ordered as trec_eval will read it: in single precision, ties by document id
    sequence = _sequence(run, of, "double" if order == "double" else "trec_eval")
    rank = _ranks(of[sequence])
    sequence, rank = sequence[rank <= how.depth], rank[rank <= how.depth]
    ranks = to_arrow(rank).cast(pa.string())
    header = _header(runs, name, how)
    return run._replace(
        topic=of[sequence],
        documents=documents.take(to_arrow(sequence)),
        score=score[sequence],
        rank=ranks,
        header=header,
    )


def _header(runs: Sequence[Run], name: str, how: Fusion) -> str:
    """Header of the fused run; empty if no run has a header, since other programs do
    not read comments.
    """
    found = read_headers([run.name for run in runs], [run.header for run in runs])
    read = {file: said for file, said in found.items() if isinstance(said, dict)}
    if not read:
        return ""
    stage: dict[str, Value] = {
        "name": name,
        "method": f"irmeval {__version__} fuse, {how.method}",
        "interpolates": [*map(_name_in_header, runs)],
    }
    if how.method == "rrf":
        stage["k"] = format_value(how.k)
    return write_header(merge_headers([read.get(run.name, {}) for run in runs], name, stage))


def _name_in_header(run: Run) -> str:
    """The tag of a run, by which others know it; of a file without one tag, its name."""
    if len(run.tags) == 1:
        return run.tags[0]
    return files.stem(run.name)


def _points(run: Run, topic: np.ndarray, how: Fusion, order: str) -> np.ndarray:
    """Points of a run for each of its lines: by rank, or by score, scaled to 0 to 1
    within the topic.
    """
    if how.method == "rrf":
        sequence, points = _sequence(run, topic, order), np.empty(topic.size)
        points[sequence] = 1 / (how.k + _ranks(topic[sequence]))
        return points
    if not np.isfinite(run.score).all():
        expected, remedy = "finite scores, which are summed", "Fuse by ranks (rrf)."
        raise ReadError(run.name, None, expected, "an infinite one", remedy)
    # per topic: retrieval scores of two topics are not comparable
    low, high = np.full((2, topic.max(initial=0) + 1), [[np.inf], [-np.inf]])
    np.minimum.at(low, topic, run.score)
    np.maximum.at(high, topic, run.score)
    return (run.score - low[topic]) / np.maximum(high - low, 1e-9)[topic]


def _sequence(run: Run, topic: np.ndarray, order: str) -> np.ndarray:
    """Lines of a run by topic, then in its order."""
    sequence = sorting_permutation(run, topic, order)
    if sequence is None:
        return np.arange(topic.size)
    return sequence


def _ranks(topic: np.ndarray) -> np.ndarray:
    """The ranks 1, 2, ... of lines that are sorted by topic."""
    return np.arange(1, topic.size + 1) - np.searchsorted(topic, topic)
