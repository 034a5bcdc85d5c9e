"""Reading of qrels files."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

import numpy as np

from irmeval.core.errors import ReadError
from irmeval.core.other_packages import explains_calls
from irmeval.core.text import count_noun
from irmeval.reading import faults, files, foreign, parsing, trec
from irmeval.reading.formats import AUTO, check_format
from irmeval.reading.policy import Policy

if TYPE_CHECKING:
    import pandas as pd


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
        return parsing.read_qrels(name, text, repeated, form)
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
    if not any(commented) or all(commented):
        return qrels
    here = np.array(commented)[qrels.topic]
    notes = *qrels.notes, count_noun(int(here.sum()), "commented judgment")
    return replace(trec.keep_judgments(qrels, np.flatnonzero(~here)), notes=notes)


def apply_negative(qrels: trec.Qrels, policy: Policy) -> trec.Qrels:
    """Judgments under a policy: negative grades stay, or become 0 (not relevant). In a
    sample they always stay, since such documents were not drawn.
    """
    if qrels.design:
        return qrels
    if policy.negative != "nonrelevant":
        return qrels
    return replace(qrels, grade=np.maximum(qrels.grade, 0))
