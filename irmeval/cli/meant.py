"""What the words of a command line mean: measures or files, and which files are
judgments.
"""

import shlex
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from itertools import chain
from typing import Any

from irmeval.cli.habits import is_file
from irmeval.core.errors import IrmevalError, ParamError
from irmeval.metrics import METRICS, Measure, distinct
from irmeval.metrics.base import REL
from irmeval.metrics.elsewhere import BY_LEVEL, REASONS
from irmeval.reading import files
from irmeval.reading.parsing import parse
from irmeval.reading.trec import Qrels, Run

ELSEWHERE = {*chain.from_iterable(REASONS.values())}
"""Measures of other programs that are none here."""


def is_measure(text: str) -> bool:
    """Whether a word is meant as a measure, and no file has its name. A misspelled
    measure is one, so that the error reports it.
    """
    if is_file(text):
        return False
    if text in ELSEWHERE or _parses(text):
        return True
    if not {"/", "\\"}.isdisjoint(text):  # a path that does not exist
        return False
    name = text.lower().partition("@")[0]
    has_parameters = not {"@", "("}.isdisjoint(text)
    return has_parameters or bool(get_close_matches(name, map(str.lower, METRICS), cutoff=0.75))


def _parses(text: str) -> bool:
    try:
        return bool(distinct([text]))
    except IrmevalError:
        return False


def sort_words(given: Any) -> None:
    """Separate judgments, runs and measures, since measures may be bare words."""
    words = [*filter(None, [given.qrels, *given.runs])]
    measures = [*filter(is_measure, words)]
    given.measure = (*given.measure, *measures)
    given.qrels, *given.runs = [word for word in words if word not in measures] or [None]


def adjust(measures: Iterable[Measure], given: Any) -> list[Measure]:
    """Apply the level of ``-l`` to measures without one, and condense them by
    ``-J``.
    """
    level = given.level or REL.default
    leveled = [_at_level(m, level) for m in measures]
    return [m.condensed for m in leveled] if given.judged_only else leveled


def _at_level(m: Measure, level: int) -> Measure:
    """A measure at a level of relevance, unless it has its own."""
    has_own = m.params["rel"] != REL.default or m.metric.name in BY_LEVEL
    return m if has_own else m.varied("rel", level)


def take_standard_input(given: Any) -> None:
    """Read ``-`` as standard input, in place of the judgments or of one run. Raises
    `ParamError` if it occurs twice, or if workers read the files.
    """
    paths = [str(given.qrels or ""), *map(str, given.runs or ())]
    times = paths.count("-")
    if not times:
        return
    if times > 1:
        raise ParamError(
            "-: standard input can be read once. Name a file for the judgments or for the run."
        )
    if given.scheduler:
        raise ParamError(
            "-: standard input cannot be read by the workers of a scheduler. Name a file."
        )
    paths[paths.index("-")] = files.STANDARD_INPUT
    given.qrels, *given.runs = paths


def suggest_order(given: Any, arguments: Sequence[str]) -> str:
    """The corrected command if runs and judgments are in the wrong order; else an empty
    text.
    """
    first = str(given.qrels or "")
    if first not in arguments:
        return ""
    found = _describe_no_judgments(first)
    if not found:
        return ""
    runs = map(str, given.runs or ())
    typed = [path for path in runs if path in arguments]
    return _with_judgments_first(first, found, typed, arguments)


def _describe_no_judgments(path: str) -> str:
    """What a path is that should be judgments; empty if it may be some."""
    if files.is_folder(path):
        return "a folder"
    return "a run" if _kind(path) == "run" else ""


def _with_judgments_first(
    first: str, found: str, runs: Sequence[str], arguments: Sequence[str]
) -> str:
    """The line with the only judgments among its runs in front; empty without."""
    judged = [path for path in runs if _kind(path) == "qrels"]
    if len(judged) != 1:
        return ""
    # moved within the line, so that it can be copied with all its flags
    words = [word for word in arguments if word != judged[0]]
    words.insert(words.index(first), judged[0])
    return (
        f"{first} is {found}, {judged[0]} contains judgments, which must be first. Use:\n  irmeval"
        f" {shlex.join(words)}"
    )


def _kind(path: str) -> str:
    """Kind of the first text in a file, ``qrels`` or ``run``; empty for a folder, and
    if it cannot be read as either, or as several.
    """
    if path == files.STANDARD_INPUT or files.is_folder(path):
        return ""
    try:
        found = parse(*next(iter(files.unpack(path, files.read_bytes(path)))))
    except (IrmevalError, StopIteration):
        return ""
    return {Run: "run", Qrels: "qrels"}.get(type(found[0]), "")
