"""Every fault of a file, not only the first, and what is left of it when the lines at fault are left out."""

from collections.abc import Iterator
from typing import NamedTuple

from irmeval.errors import ReadError
from irmeval.reading.trec import QRELS, RUN, Qrels, Run, fault_in, read_qrels, read_run, rows
from irmeval.words import shorten

NAN = "a score that is a number"
TWICE = {QRELS: "each judgment once per topic", RUN: "each document once per topic"}


class Fault(NamedTuple):
    """Lines of a file that have the same thing wrong with them."""

    lines: int
    first: ReadError


class Examined(NamedTuple):
    """What is sound in a file (None where nothing is), and its faults by what was expected instead."""

    sound: "Qrels | Run | None"
    faults: dict[str, Fault]


def examine(name: str, data: bytes, columns: tuple[str, ...] = RUN) -> Examined:
    """Read a run, or with `QRELS` as `columns` a qrels file, and where that is refused find all faults and read the sound lines."""
    read = read_qrels if columns == QRELS else read_run
    try:
        return Examined(read(name, data), {})
    except ReadError as error:
        refusal = error
    faults: dict[str, Fault] = {}
    if refusal.line is not None:
        kept = []
        for line, fault in _told_apart(name, data, columns):
            if fault is None:
                kept.append(line)
            else:
                lines, first = faults.get(fault.expected, Fault(0, fault))
                faults[fault.expected] = Fault(lines + 1, first)
        try:
            return Examined(read(name, b"\n".join(kept)), faults)
        except ReadError as error:
            refusal = error
    # what is wrong with no line in particular, such as another encoding, or nothing that is left
    return Examined(None, faults or {refusal.expected: Fault(0 if refusal.line is None else 1, refusal)})


def _told_apart(name: str, data: bytes, columns: tuple[str, ...]) -> Iterator[tuple[bytes, ReadError | None]]:
    """Each line with what is wrong with it."""
    first: dict[tuple[bytes, bytes], int] = {}
    for number, line in rows(data):
        fault = fault_in(name, number, line, columns)
        if fault is None:
            parts = line.split()
            key = parts[0], parts[2]
            if columns == RUN and b"nan" in parts[4].lower():
                fault = ReadError(name, number, NAN, "NaN", "Give every document a score.")
            elif key in first:
                came = f"{shorten(key[1].decode())} of topic {shorten(key[0].decode())} again (first on line {first[key]})"
                fault = ReadError(name, number, TWICE[columns], came, "Remove one of them.")
            else:
                first[key] = number
        yield line, fault
