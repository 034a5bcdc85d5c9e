"""What the words of a command line mean: measures or files, and which files are
judgments.
"""

import shlex
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import chain, filterfalse

from irmeval.cli.habits import is_file
from irmeval.cli.program import Given
from irmeval.core.errors import IrmevalError, ParamError
from irmeval.core.lazy import difflib
from irmeval.metrics import METRICS, Measure, distinct
from irmeval.metrics.base import REL
from irmeval.metrics.elsewhere import BY_LEVEL, REASONS
from irmeval.reading import files
from irmeval.reading.parsing import parse
from irmeval.reading.trec import Qrels, Run

ELSEWHERE = {*chain.from_iterable(REASONS.values())}
"""Measures of other programs that are none here."""

FOLDER = "a folder"
RUN = "a run"
JUDGMENTS = "judgments"
"""What a path may be, as a message says it."""


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
    if not {"@", "("}.isdisjoint(text):  # it has parameters
        return True
    return bool(difflib.get_close_matches(name, map(str.lower, METRICS), cutoff=0.75))


def _parses(text: str) -> bool:
    try:
        return bool(distinct([text]))
    except IrmevalError:
        return False


def sort_words(given: Given) -> None:
    """Separate judgments, runs and measures, since measures may be bare words."""
    words = [*filter(None, [given.qrels, *given.runs])]
    measures = [*filter(is_measure, words)]
    given.measure = (*given.measure, *measures)
    given.qrels, *given.runs = [*filterfalse(measures.__contains__, words)] or [None]


def adjust(measures: Iterable[Measure], given: Given) -> list[Measure]:
    """Apply the level of ``-l`` to measures without one, and condense them by
    ``-J``.
    """
    leveled = map(partial(_at_level, given.level or REL.default), measures)
    if not given.judged_only:
        return [*leveled]
    return [m.condensed for m in leveled]


def _at_level(level: int, m: Measure) -> Measure:
    """A measure at a level of relevance, unless it has its own."""
    if m.params["rel"] != REL.default or m.metric.name in BY_LEVEL:
        return m
    return m.varied("rel", level)


def take_standard_input(given: Given) -> None:
    """Read ``-`` as standard input, in place of the judgments or of one run. Raises
    `ParamError` if it occurs twice, or if workers read the files.
    """
    paths = given.paths
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


def suggest_order(given: Given, arguments: Sequence[str]) -> str:
    """The corrected command if runs and judgments are in the wrong order; else an empty
    text.
    """
    first, *runs = given.paths
    if first not in arguments:
        return ""
    found = _kind(first)
    if found not in (RUN, FOLDER):
        return ""
    # only now, since a pipe among the runs cannot be read twice
    judged = [path for path in filter(arguments.__contains__, runs) if _kind(path) == JUDGMENTS]
    if len(judged) != 1:
        return ""
    # moved within the line, so that it can be copied with all its flags
    words = [*filter(judged[0].__ne__, arguments)]
    words.insert(words.index(first), judged[0])
    return (
        f"{first} is {found}, {judged[0]} contains judgments, which must be first. Use:\n  irmeval"
        f" {shlex.join(words)}"
    )


def _kind(path: str) -> str:
    """What a path is, a file by its first text; empty if it cannot be read, or as
    several.
    """
    if files.is_folder(path):
        return FOLDER
    if path == files.STANDARD_INPUT:  # it is read already
        return ""
    try:
        found = parse(*next(iter(files.unpack(path, files.read_bytes(path)))))
    except (IrmevalError, StopIteration):
        return ""
    return {Run: RUN, Qrels: JUDGMENTS}.get(type(found[0]), "")
