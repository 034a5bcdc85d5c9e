"""Qrels, and a run, from whatever holds them: a file, a data frame, a dictionary."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from operator import attrgetter
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

import numpy as np

from irmeval.core.errors import ReadError
from irmeval.core.other_packages import explains_calls
from irmeval.core.text import count_noun, list_few
from irmeval.reading import faults, files, foreign, parsing, trec
from irmeval.reading.formats import AUTO, check_format
from irmeval.reading.policy import Policy

if TYPE_CHECKING:
    import pandas as pd


SHOWN = 3
"""Runs that an error names."""


@explains_calls
def read_qrels(
    judgments: "str | Path | Mapping[str, Mapping[str, int]] | pd.DataFrame",
    repeated: str = "refuse",
    *,
    form: str = AUTO,
) -> trec.Qrels:
    """Read qrels: the path of a file of any format, plain, packed, or the only one in an
    archive; topic -> document -> grade; or a data frame. ``irds:NAME`` reads the qrels
    of this name from ir_datasets, if it is installed. `repeated` is the field of
    `Policy`. The format of a file is recognised; set `form` (``irmeval formats``) if
    several fit.

    Raises `ReadError` with file, line, what was expected and what came; `ParamError`
    for another format.

    Examples
    --------
    >>> import irmeval
    >>> qrels = irmeval.read_qrels("sample_data/qrels.txt.gz")
    >>> len(qrels.topics), qrels.grade.size, int(qrels.grade.max())
    (50, 35979, 3)
    >>> irmeval.read_qrels({"1": {"a": 1, "b": 0}}).grade
    array([1, 0], dtype=int8)
    """
    if isinstance(judgments, str | PurePath):
        return read_qrels_file(judgments, repeated, form=form)
    return trec.require_settled(foreign.qrels_in_memory(judgments), repeated)


def read_qrels_file(
    path: str | PurePath, repeated: str = "refuse", *, form: str = AUTO
) -> trec.Qrels:
    """`read_qrels` of a file alone."""
    check_format(form)
    if str(foreign.require_form("qrels", path, "a file")).startswith(foreign.IRDS):
        return trec.require_settled(foreign.qrels_from_ir_datasets(str(path)), repeated)
    name, text = files.unpack_one(str(path), files.read_bytes(str(path)), "qrels file")
    try:
        return parsing.settled_qrels(name, text, repeated, form)
    except ReadError as error:
        if error.line is None:
            raise
    # the first line at fault is known: the others, too, are told
    refused = faults.examine(name, text, "qrels", form).refused(repeated)
    raise faults.refusal_error([refused], 1)


def drop_comments(qrels: trec.Qrels, topics: Iterable[str]) -> trec.Qrels:
    """Judgments without topics such as ``#7`` that no run has (`topics`): their lines
    are noted as comments.
    """
    known = {*topics}
    commented = [topic.startswith("#") and topic not in known for topic in qrels.topics]
    if len({*commented}) < 2:  # none, or all
        return qrels
    here = np.array(commented)[qrels.topic]
    notes = *qrels.notes, count_noun(int(here.sum()), "commented judgment")
    return replace(trec.pick_judgments(qrels, np.flatnonzero(~here)), notes=notes)


def apply_negative(qrels: trec.Qrels, policy: Policy) -> trec.Qrels:
    """Judgments under a policy: negative grades stay, or become 0 (not relevant). In a
    sample they always stay, since such documents were not drawn.
    """
    if qrels.design:
        return qrels
    if policy.negative != "nonrelevant":
        return qrels
    return replace(qrels, grade=np.maximum(qrels.grade, 0))


@explains_calls
def read_run(
    run: "str | Path | foreign.RunInMemory | pd.DataFrame", *, form: str = AUTO
) -> dict[str, dict[str, float]]:
    """Read a run as topic -> document -> score: the path of a file of any format, plain
    or packed; a data frame; or a run in memory of another package. The format of a file
    is recognised; set `form` (``irmeval formats``) if several fit.

    Raises `ReadError` with file, line, what was expected and what was found, also for a
    document that a topic has twice, and for several runs, which
    `irmeval.read_collection` reads; `ParamError` for another format.

    Examples
    --------
    >>> import irmeval
    >>> run = irmeval.read_run("sample_data/runs/krill.gz")
    >>> len(run), len(run["901"])
    (50, 500)
    >>> irmeval.evaluate("sample_data/qrels.txt.gz", run, "AP").means.round(3)
    array([[0.282]])
    """
    runs = runs_of(run, form)
    if len(runs) > 1:
        names = [*map(attrgetter("name"), runs)]
        found = f"{len(runs)}: {list_few(names, SHOWN)}"
        remedy = "Read several with irmeval.read_collection(qrels, runs)."
        raise ReadError("run", None, "one run", found, remedy)
    return as_dictionary(trec.require_settled(runs[0], "refuse"))


def runs_of(given: Any, form: str = AUTO) -> list[trec.Run]:
    """Runs in files or folders, in a data frame, or one in memory, which is named
    ``run``.
    """
    paths = paths_of(given)
    if paths:
        return faults.read_run_files(paths, form=form)
    if foreign.form_of(given) != "a dictionary":
        return foreign.runs_from_frames(given)
    return [foreign.run_from_dict("run", foreign.require_form("run", given, "a dictionary"))]


def paths_of(given: Any) -> list[str | Path]:
    """The path, or the paths in a list; none for anything else."""
    listed = [given]
    if isinstance(given, list | tuple):
        listed = [*given]
    if all(isinstance(each, str | Path) for each in listed):
        return listed
    return []


def as_dictionary(run: trec.Run) -> dict[str, dict[str, float]]:
    """A run as topic -> document -> score, in the order of its lines."""
    found: dict[str, dict[str, float]] = {topic: {} for topic in run.topics}
    lines = zip(run.topic.tolist(), run.documents.to_pylist(), run.score.tolist(), strict=True)
    for topic, document, score in lines:
        found[run.topics[topic]][document] = score
    return found
