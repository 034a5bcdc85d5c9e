"""A qrels file by its path."""

from pathlib import Path

import numpy as np

from irmeval.core.errors import ParamError
from irmeval.core.text import shorten
from irmeval.reading import files, foreign, trec
from irmeval.reading.policy import Policy


def read_qrels(path: str | Path, repeated: str = "refuse", *, form: str = trec.AUTO) -> trec.Qrels:
    """Read one qrels file: plain, gzip, or the only file in a zip. ``irds:NAME`` reads the qrels of this name from ir_datasets, if it is
    installed. `repeated` is the field of `Policy`. The lines tell the format: plain (four columns), or a sample with
    strata or inclusion probabilities (five); `form` names it (``plain``, ``strata``, ``prels``) where they could be either.

    Raises `ReadError` with file, line, what was expected and what came; `ParamError` for another format.

    Examples
    --------
    >>> import irmeval
    >>> qrels = irmeval.read_qrels("sample_data/qrels.txt.gz")
    >>> len(qrels.topics), qrels.grade.size, int(qrels.grade.max())
    (50, 35979, 3)
    """
    check_format(form)
    if str(foreign.require_form("qrels", path, "a file")).startswith(foreign.IRDS):
        return trec.require_settled(foreign.qrels_from_ir_datasets(str(path)), repeated)
    return trec.read_qrels(*files.unpack_one(str(path), files.read_bytes(path), "qrels file"), repeated, form)


def check_format(form: str) -> str:
    """Return the name of a format of qrels files, or `irmeval.reading.trec.AUTO`. Raises `ParamError` for anything else."""
    if form not in (known := (trec.AUTO, *trec.FORMATS)):
        raise ParamError(f"qrels_format: expected one of {', '.join(known)}, found {shorten(form)}.")
    return form


def apply_negative(qrels: trec.Qrels, policy: Policy) -> trec.Qrels:
    """The judgments under a policy: negative grades stay, or become 0 (not relevant). In a sample they always stay, as such documents were
    not drawn."""
    return qrels._replace(grade=np.maximum(qrels.grade, 0)) if policy.negative == "nonrelevant" and not qrels.design else qrels
