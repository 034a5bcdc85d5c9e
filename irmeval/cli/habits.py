"""Arguments as people type them: several measures after one flag, standard input as ``-``, runs before the judgments."""

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
"""Whether a word is a further value of a flag."""
MEANT = {
    **dict.fromkeys(("dashboard", "ui", "run"), "serve"),
    **dict.fromkeys(("eval", "score", "trec_eval"), "evaluate"),
    "compare": "matrix",
    "measures": "metrics",
    "findings": "across --table findings",
    "version": "--version",
}
"""Names that other programs have for a command -> its name, and flags."""
EVALUATE = ("-m", "-q", "-c", "-n", "-l", "-J", "-M")
"""Flags of trec_eval that a line without a command may begin with."""
TREC_EVAL = {
    "-q": "--per-topic of evaluate",
    "-c": "--average judged",
    "-l": "a level of the measure, as in -m 'AP(rel=2)',",
    "-J": 'a prime of the measure, as in -m "AP\'",',
    "-n": "--no-means of evaluate",
    "-N": "not used: no measure depends on the size of the collection",
    "-R": "--qrels-format",
    "-T": "not needed: the format of a run is recognised",
}
"""A flag of trec_eval that a command lacks -> what is typed here."""


def spread(arguments: Sequence[str], flags: Mapping[str, Accepts]) -> list[str]:
    """Give every value its own flag, where a flag accepts several.

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
    """Whether a text is meant as a measure, and no file has its name. A misspelled measure is one, so that the error says so."""
    if _is_file(text):
        return False
    if _parses(text):
        return True
    name, mark, _ = text.lower().partition("@")
    return not set("/\\:") & set(text) and bool(mark or get_close_matches(name, map(str.lower, METRICS), cutoff=0.75))


def _is_file(text: str) -> bool:
    return not text or text == "-" or os.path.exists(text) or bool(split_path(text))  # pathlib would raise an error for a very long text


def _parses(text: str) -> bool:
    try:
        return bool(distinct([text]))
    except IrmevalError:
        return False


def sort_words(given: Any) -> None:
    """Tell judgments, runs and measures apart: measures may stand as bare words, and ``--qrels`` and ``--runs`` may name the files."""
    words = [*filter(None, [given.named_qrels, given.qrels]), *given.runs, *given.named_runs]
    measures = [word for word in words if not _is_file(word) and (_parses(word) or (set("@(") & set(word) and "/" not in word))]
    given.measure = (*given.measure, *measures)
    files = [word for word in words if word not in measures]
    given.qrels, given.runs = (files[0], files[1:]) if files else (None, [])


def complete_line(words: Sequence[str], commands: Container[str]) -> list[str]:
    """The words of a command line: with `evaluate` before files, or flags of trec_eval, that stand without a command; with the name of a
    command in place of another program's name for it; and with ``--help`` for ``help``."""
    first, *rest = words or ("",)
    if first == "help":
        return [*complete_line(rest[:1], commands), "--help"]
    if first in commands or not first:
        return [*words]
    if (first.startswith(EVALUATE) and not first.startswith("--")) or _is_file(first):
        return ["evaluate", *words]
    return [*MEANT.get(first, first).split(), *rest]


def adjust(measures: Iterable[Measure], given: Any) -> list[Measure]:
    """The measures at the level of ``-l``, unless they name one, and condensed by ``-J``."""
    level = given.level or REL.default
    leveled = [m if m.params["rel"] != REL.default or m.metric.name in BY_LEVEL else m.varied("rel", level) for m in measures]
    return [m.condensed for m in leveled] if given.judged_only else leveled


def take_standard_input(given: Any) -> None:
    """Let ``-`` stand for standard input, in place of the judgments or of one run. Raises `ParamError` if it stands twice, or if workers
    read the files."""
    paths = [str(given.qrels or ""), *map(str, given.runs or ())]
    if "-" not in paths:
        return
    if paths.count("-") > 1:
        raise ParamError("-: standard input can be read once. Name a file for the judgments or for the run.")
    if given.scheduler:
        raise ParamError("-: standard input cannot be read by the workers of a scheduler. Name a file.")
    given.qrels, *given.runs = (files.STANDARD_INPUT if path == "-" else path for path in paths)


def suggest_order(given: Any, arguments: Sequence[str]) -> str:
    """The right command if a run stands in the place of the judgments and the judgments stand among the runs; else an empty text."""
    runs = [*map(str, given.runs or ())]
    first = str(given.qrels or "")
    if not runs or first not in arguments or not (files.is_folder(first) or _kind(first) == "run"):
        return ""
    judged = [path for path in runs if path in arguments and _kind(path) == "qrels"]
    if len(judged) != 1:
        return ""
    words = [word for word in arguments if word != judged[0]]
    words.insert(words.index(first), judged[0])
    found = "a folder" if files.is_folder(first) else "a run"
    return f"{first} is {found}, {judged[0]} holds judgments, which come first. Type:\n  irmeval {shlex.join(words)}"


def _kind(path: str) -> str:
    """What the first text in a file is, ``qrels`` or ``run``; empty for a folder, or if that cannot be told."""
    if path == files.STANDARD_INPUT or files.is_folder(path):
        return ""
    try:
        return recognise(*next(iter(files.unpack(path, files.read_bytes(path))))).format.kind
    except (IrmevalError, StopIteration):
        return ""
