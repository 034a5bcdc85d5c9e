"""A run in memory: topic -> document -> score."""

from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from irmeval.core.errors import ReadError
from irmeval.core.other_packages import explains_calls
from irmeval.core.text import list_few
from irmeval.reading import foreign
from irmeval.reading.faults import read_run_files
from irmeval.reading.formats import AUTO
from irmeval.reading.trec import Run, require_settled

if TYPE_CHECKING:
    import pandas as pd

SHOWN = 3
"""Runs that an error names."""


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
        found = f"{len(runs)}: {list_few([*map(attrgetter('name'), runs)], SHOWN)}"
        remedy = "Read several with irmeval.read_collection(qrels, runs)."
        raise ReadError("run", None, "one run", found, remedy)
    return as_dictionary(require_settled(runs[0], "refuse"))


def runs_of(given: Any, form: str = AUTO) -> list[Run]:
    """Runs in files or folders, in a data frame, or one in memory, which is named
    ``run``.
    """
    paths = paths_of(given)
    if paths:
        return read_run_files(paths, form=form)
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


def as_dictionary(run: Run) -> dict[str, dict[str, float]]:
    """A run as topic -> document -> score, in the order of its lines."""
    found: dict[str, dict[str, float]] = {topic: {} for topic in run.topics}
    lines = zip(run.topic.tolist(), run.documents.to_pylist(), run.score.tolist(), strict=True)
    for topic, document, score in lines:
        found[run.topics[topic]][document] = score
    return found
