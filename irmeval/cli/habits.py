"""Arguments as people type them: several measures after one flag, standard input as ``-``, runs before the judgments."""

import argparse
import os
import shlex
from collections.abc import Sequence
from difflib import get_close_matches
from itertools import chain, islice
from pathlib import Path

from irmeval.core.errors import IrmevalError, ParamError
from irmeval.metrics import METRICS, distinct
from irmeval.reading import files
from irmeval.workspace.base import split_path

MEASURE = ("-m", "--measure")
QRELS, RUN = 4, 6
"""The number of columns of a line."""
SEEN = 3
"""Lines that tell the number of columns of a file."""


def spread_measures(arguments: Sequence[str]) -> list[str]:
    """Give every measure its own flag: ``-m AP RR runs/`` becomes ``-m AP -m RR runs/``. The name of a file is no measure.

    Examples
    --------
    >>> spread_measures(["evaluate", "-m", "AP", "nDCG@10", "no.file"])
    ['evaluate', '-m', 'AP', '-m', 'nDCG@10', 'no.file']
    """
    spread: list[str] = []
    state = 0  # 1 behind the flag, 2 behind a measure
    for text in arguments:
        if text.startswith("-") and text != "-":
            state = int(text in MEASURE)
        elif state == 1:
            state = 2
        elif state == 2 and _is_measure(text):
            spread.append(MEASURE[0])
        else:
            state = 0
        spread.append(text)
    return spread


def _is_measure(text: str) -> bool:
    """Whether a text is meant as a measure. A misspelled measure is one, so that the error says so."""
    if text == "-" or os.path.exists(text) or split_path(text):  # pathlib would raise an error for a very long text
        return False
    try:
        return bool(distinct([text]))
    except IrmevalError:
        name, mark, _ = text.lower().partition("@")
        return not set("/\\:") & set(text) and bool(mark or get_close_matches(name, map(str.lower, METRICS), cutoff=0.75))


def take_standard_input(given: argparse.Namespace) -> None:
    """Let ``-`` stand for standard input, in place of the judgments or of one run. Raises `ParamError` if it stands twice, or if workers
    read the files."""
    paths = [str(path) for path in (getattr(given, "qrels", ""), *getattr(given, "runs", ()))]
    if "-" not in paths:
        return
    if paths.count("-") > 1:
        raise ParamError("-: standard input can be read once. Name a file for the judgments or for the run.")
    if given.scheduler:
        raise ParamError("-: standard input cannot be read by the workers of a scheduler. Name a file.")
    given.qrels, *given.runs = (files.STANDARD_INPUT if path == "-" else path for path in paths)


def suggest_order(given: argparse.Namespace, arguments: Sequence[str]) -> str:
    """The right command if a run stands in the place of the judgments and the judgments stand among the runs; else an empty text."""
    runs = [str(path) for path in getattr(given, "runs", ())]
    first = str(getattr(given, "qrels", ""))
    if not runs or first not in arguments or not (Path(first).is_dir() or _columns(first) == RUN):
        return ""
    judged = [path for path in runs if path in arguments and _columns(path) == QRELS]
    if len(judged) != 1:
        return ""
    words = [word for word in arguments if word != judged[0]]
    words.insert(words.index(first), judged[0])
    found = "a folder" if Path(first).is_dir() else "a run"
    return f"{first} is {found}, {judged[0]} holds judgments, which come first. Type:\n  irmeval {shlex.join(words)}"


def _columns(path: str) -> int:
    """The number of columns in the first lines of a file; 0 for a folder, if the lines differ, or if the file cannot be read."""
    if path == files.STANDARD_INPUT or Path(path).is_dir():
        return 0
    try:
        texts = [text for _, text in files.unpack(path, files.read_bytes(path))]
    except IrmevalError:
        return 0
    lines = chain.from_iterable(text[: 1 << 16].splitlines() for text in texts[:1])
    found = {len(line.split()) for line in islice((line for line in lines if line.strip() and not line.startswith(b"#")), SEEN)}
    return found.pop() if len(found) == 1 else 0
