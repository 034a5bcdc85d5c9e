"""Common variants of arguments: several measures after one flag, standard input as
``-``, runs before the judgments.
"""

import os
import shlex
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from irmeval.core.errors import IrmevalError, ParamError
from irmeval.metrics import METRICS, Measure, distinct
from irmeval.metrics.base import REL
from irmeval.metrics.elsewhere import BY_LEVEL
from irmeval.reading import files
from irmeval.reading.formats import recognise
from irmeval.workspace.base import split_path

Accepts = Callable[[str], bool]
"""Whether a word is another value of a flag."""
MEANT = {
    **dict.fromkeys(("dashboard", "ui", "run"), "serve"),
    **dict.fromkeys(("eval", "score", "trec_eval"), "evaluate"),
    "compare": "matrix",
    "measures": "metrics",
    "findings": "across --table findings",
    "version": "--version",
}
"""Names of commands in other programs, with our name and flags."""
EVALUATE = ("-m", "-q", "-c", "-n", "-l", "-J", "-M")
"""Flags of trec_eval that may start a line without a command."""
TREC_EVAL = {
    "-q": "--per-topic of evaluate",
    "-c": "--average judged",
    "-l": "a level of the measure, as in -m 'AP(rel=2)',",
    "-J": 'a prime of the measure, as in -m "AP\'",',
    "-n": "--no-means of evaluate",
    "-N": "ignored: no measure depends on the size of the collection",
    "-R": "--qrels-format",
    "-T": "not needed: the format of a run is recognised",
}
"""Replacements of trec_eval's flags that a command lacks."""


def spread(arguments: Sequence[str], flags: Mapping[str, Accepts]) -> list[str]:
    """Give every value its own flag, if a flag accepts several.

    Examples
    --------
    >>> spread(["evaluate", "-m", "AP", "nDCG@10", "no.file"], {"-m": is_measure})
    ['evaluate', '-m', 'AP', '-m', 'nDCG@10', 'no.file']
    """
    spread: list[str] = []
    flag, begins = "", False
    for text in arguments:
        if text.startswith("-") and text != "-":
            flag, begins = text if text in flags else "", True
        elif begins:
            begins = False
        elif flag and flags[flag](text):
            spread.append(flag)
        else:
            flag = ""
        spread.append(text)
    return spread


def is_measure(text: str) -> bool:
    """Whether a text is meant as a measure, and no file has its name. A misspelled
    measure is one, so that the error reports it.
    """
    if _is_file(text):
        return False
    if _parses(text):
        return True
    name, mark, _ = text.lower().partition("@")
    return not set("/\\:") & set(text) and bool(
        mark or get_close_matches(name, map(str.lower, METRICS), cutoff=0.75)
    )


def _is_file(text: str) -> bool:
    # pathlib would raise an error for a very long text
    return not text or text == "-" or os.path.exists(text) or bool(split_path(text))


def _parses(text: str) -> bool:
    try:
        return bool(distinct([text]))
    except IrmevalError:
        return False


def sort_words(given: Any) -> None:
    """Separate judgments, runs and measures: measures may be bare words, and
    ``--qrels`` and ``--runs`` may give the files.
    """
    words = [*filter(None, [given.named_qrels, given.qrels]), *given.runs, *given.named_runs]
    measures = [word for word in words if not _is_file(word) and _looks_like_measure(word)]
    given.measure = (*given.measure, *measures)
    files = [word for word in words if word not in measures]
    given.qrels, given.runs = (files[0], files[1:]) if files else (None, [])


def _looks_like_measure(word: str) -> bool:
    """Whether a word is a measure, or a misspelled one with a cut-off or parameters."""
    return _parses(word) or ("/" not in word and not {"@", "("}.isdisjoint(word))


def complete_line(words: Sequence[str], commands: Container[str]) -> list[str]:
    """Normalise the words of a command line: insert `evaluate` before files or flags of
    trec_eval without a command; replace another program's name of a command; and
    replace ``help`` by ``--help``.
    """
    first, *rest = words or ("",)
    if first == "help":
        return [*complete_line(rest[:1], commands), "--help"]
    # a look for the commands of other packages takes long, so not for a path or a flag
    may_be_command = not first.startswith("-") and {"/", "\\", "."}.isdisjoint(first)
    if not first or (may_be_command and first in commands):
        return [*words]
    is_short_flag = first.startswith(EVALUATE) and not first.startswith("--")
    if is_short_flag or _is_file(first):
        return ["evaluate", *words]
    return [*MEANT.get(first, first).split(), *rest]


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
    if "-" not in paths:
        return
    if paths.count("-") > 1:
        raise ParamError(
            "-: standard input can be read once. Name a file for the judgments or for the run."
        )
    if given.scheduler:
        raise ParamError(
            "-: standard input cannot be read by the workers of a scheduler. Name a file."
        )
    given.qrels, *given.runs = (files.STANDARD_INPUT if path == "-" else path for path in paths)


def suggest_order(given: Any, arguments: Sequence[str]) -> str:
    """The corrected command if runs and judgments are in the wrong order; else an empty
    text.
    """
    runs = [*map(str, given.runs or ())]
    first = str(given.qrels or "")
    if not runs or first not in arguments:
        return ""
    if files.is_folder(first):
        found = "a folder"
    elif _kind(first) == "run":
        found = "a run"
    else:
        return ""
    judged = [path for path in runs if path in arguments and _kind(path) == "qrels"]
    if len(judged) != 1:
        return ""
    words = [word for word in arguments if word != judged[0]]
    words.insert(words.index(first), judged[0])
    return (
        f"{first} is {found}, {judged[0]} contains judgments, which must be first. Use:\n  irmeval"
        f" {shlex.join(words)}"
    )


def _kind(path: str) -> str:
    """Kind of the first text in a file, ``qrels`` or ``run``; empty for a folder, or if
    it is unclear.
    """
    if path == files.STANDARD_INPUT or files.is_folder(path):
        return ""
    try:
        return recognise(*next(iter(files.unpack(path, files.read_bytes(path))))).format.kind
    except (IrmevalError, StopIteration):
        return ""
