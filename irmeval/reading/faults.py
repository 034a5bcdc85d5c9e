"""Every fault of a file, not only the first, and what is left of it when the lines at fault are left out; faults of many files by kind."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from irmeval.core.errors import ReadError
from irmeval.core.words import counted
from irmeval.reading.files import load, long_line, unpack
from irmeval.reading.lines import LONGEST, LOOKED, fault_in, numbered, rows, sound
from irmeval.reading.streams import is_large
from irmeval.reading.trec import QRELS, RUN, Fault, Qrels, Run, fault_of, kinds_of, parse_qrels, parse_run, stream_run, unsettled

NAN = "a score that is a number"
MOST = 10
"""Kinds of faults that one message tells apart."""


class Examined(NamedTuple):
    """What is sound in a file (None where nothing is), and its faults by what was expected instead."""

    sound: "Qrels | Run | None"
    faults: dict[str, Fault]

    def refused(self, repeated: str) -> tuple[Fault, ...]:
        """The faults for which it is not used; `repeated` as a policy has it."""
        return unsettled(self.faults.values(), repeated)


def examine(name: str, data: bytes, columns: tuple[str, ...] = RUN) -> Examined:
    """Read a run, or with `QRELS` as `columns` a qrels file, and where that is refused find all faults and read the sound lines; of a file
    with faults all over, only those among so many lines as are looked at (`LOOKED`)."""
    parse = parse_qrels if columns == QRELS else parse_run
    try:
        return _examined(parse(name, data), {})
    except ReadError as error:
        refusal = error
    faults: dict[str, Fault] = {}
    if refusal.line is not None:
        kept, looked = [], 0
        for number, block in numbered(data):
            if not _is_sound(number, block, columns):
                if (looked := looked + block.count(b"\n")) > LOOKED:
                    return Examined(None, faults or {refusal.expected: fault_of(refusal)})
                block = _without_faults(name, number, block, columns, faults)
            kept.append(block)
        try:
            return _examined(parse(name, b"".join(kept)), faults)
        except ReadError as error:
            refusal = error
    # what is wrong with no line in particular, such as another encoding, or nothing that is left
    return Examined(None, faults or {refusal.expected: fault_of(refusal)})


def _examined(sound: Qrels | Run, faults: dict[str, Fault]) -> Examined:
    return Examined(sound, faults | {fault.first.expected: fault for fault in sound.repeated})


def _is_sound(number: int, block: bytes, columns: tuple[str, ...]) -> bool:
    """Whether no line of a block is at fault, as is told without looking at each."""
    table = None if long_line(block, LONGEST) else sound(number, block, columns, kinds_of(columns))
    return table is not None and not (columns == RUN and np.isnan(table["score"].to_numpy()).any())


def _without_faults(name: str, first: int, block: bytes, columns: tuple[str, ...], faults: dict[str, Fault]) -> bytes:
    """The block with an empty line in place of each at fault, so that all keep their numbers; the faults are noted by what was expected."""
    kept = [b""] * (block.count(b"\n") + 1)
    for number, line in rows(block, first):
        if fault := _fault_in(name, number, line, columns):
            lines, before = faults.get(fault.expected, Fault(0, fault))
            faults[fault.expected] = Fault(lines + 1, before)
        else:
            kept[number - first] = line
    return b"\n".join(kept)


def _fault_in(name: str, number: int, line: bytes, columns: tuple[str, ...]) -> ReadError | None:
    fault = fault_in(name, number, line, columns)
    if fault is None and columns == RUN and b"nan" in line.split()[4].lower():
        return ReadError(name, number, NAN, "NaN", "Give every document a score.")
    return fault


def runs_in(path: Path, repeated: str) -> Iterator[Run | tuple[Fault, ...]]:
    """The runs in a file; in place of one that cannot be used, what is wrong with it."""
    if is_large(path) and (run := stream_run(path)):
        yield run
        return
    try:
        for name, text in unpack(str(path), load(path)):
            examined = examine(name, text)
            if refused := examined.refused(repeated):
                yield refused
            elif isinstance(examined.sound, Run):
                yield examined.sound
    except ReadError as error:
        yield (fault_of(error),)


class Kind(NamedTuple):
    """What is wrong alike in one or several files."""

    files: int
    lines: int
    """0 where the fault is in none in particular"""
    first: ReadError


def kinds(refused: Iterable[Sequence[Fault]]) -> list[Kind]:
    """The faults of files by what was expected instead, those of most files first."""
    kinds: dict[str, Kind] = {}
    for fault in (fault for faults in refused for fault in faults):
        files, lines, first = kinds.get(fault.first.expected, Kind(0, 0, fault.first))
        kinds[fault.first.expected] = Kind(files + 1, lines + fault.lines, first)
    return sorted(kinds.values(), key=lambda kind: (-kind.files, -kind.lines))


def as_text(kinds: Sequence[Kind]) -> str:
    """A line for each kind: how many files and lines, the first of them, and what can be done."""
    lines = [f"{kind.files:>5,} {f'{kind.lines:,}' if kind.lines else '':>7}  {kind.first}" for kind in kinds[:MOST]]
    more = [f"and {len(kinds) - MOST:,} kinds more"] if len(kinds) > MOST else []
    return "\n".join(["files   lines  the first of them", *lines, *more])


class FilesRefused(ReadError):
    """Several files that cannot be used as they are.

    Attributes
    ----------
    refused : the faults of each of these files
    of : how many files there are in all
    file, line, expected, came, remedy : of the first fault of the commonest kind
    """

    def __init__(self, refused: Sequence[Sequence[Fault]], of: int):
        self.refused, self.of, self.kinds = refused, of, kinds(refused)
        first = self.kinds[0].first
        super().__init__(first.file, first.line, first.expected, first.came, first.remedy)
        told = [f"{_size(kind)}, the first {kind.first}" for kind in self.kinds[:MOST]]
        self.args = (" ".join([f"{self.headline}.", *told]),)

    @property
    def headline(self) -> str:
        """How many files cannot be used."""
        return f"{len(self.refused):,} of {counted(self.of, 'file')} cannot be used"

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.refused, self.of)


def _size(kind: Kind) -> str:
    return counted(kind.files, "file") + (f", {counted(kind.lines, 'line')}" if kind.lines else "")


def refusal(refused: Sequence[Sequence[Fault]], of: int) -> ReadError:
    """What to raise for some of `of` files: the first fault of a single one, else all of them by kind."""
    return refused[0][0].first if len(refused) == 1 else FilesRefused(refused, of)


def renamed(error: ReadError, name: Callable[[str], str]) -> ReadError:
    """The same error of files under other names."""
    if isinstance(error, FilesRefused):
        return FilesRefused([[Fault(lines, renamed(first, name)) for lines, first in faults] for faults in error.refused], error.of)
    return ReadError(name(error.file), error.line, error.expected, error.came, error.remedy)
