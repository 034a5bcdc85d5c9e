"""All errors of a file with its valid lines, and errors of several files grouped by
kind.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

import numpy as np

from irmeval.core.errors import NOT_A_NUMBER, OfOtherKind, ReadError
from irmeval.core.parallel import map_threads
from irmeval.core.text import count_noun, list_few
from irmeval.reading.arrays import to_numpy
from irmeval.reading.columns import is_large
from irmeval.reading.files import MAX_BYTES, find_long_line, list_files, read_bytes, stem, unpack
from irmeval.reading.formats import AUTO, Recognised, formats_of, looks_like_run, recognise
from irmeval.reading.ir_metadata import header_of
from irmeval.reading.lines import (
    LONGEST,
    MAX_CHECKED_LINES,
    begin_of_rows,
    line_fault,
    numbered_blocks,
    numbered_lines,
    read_if_sound,
    without_description,
)
from irmeval.reading.parsing import Content, parse_as
from irmeval.reading.text_layout import Layout
from irmeval.reading.trec import (
    MAX_NUMBERS,
    Fault,
    Run,
    column_types,
    fault_of,
    stream_run,
    unsettled_faults,
)

MAX_KINDS = 10
"""Maximum number of kinds of errors in one message."""


class Examined(NamedTuple):
    """Valid content of a file (None if there is none), and its errors, keyed by the
    expectation.
    """

    sound: Content | None
    faults: dict[str, Fault]
    rest: tuple[Content, ...] = ()
    """further runs or score matrices in the same file"""

    @classmethod
    def of(cls, *contents: Content) -> "Examined":
        """Result for a readable file; lines that duplicate others and were left out are
        its errors.
        """
        faults = {
            fault.first.expected: fault
            for content in contents
            for fault in getattr(content, "repeated", ())
        }
        return cls(contents[0], faults, contents[1:])

    def refused(self, repeated: str) -> tuple[Fault, ...]:
        """Errors for which the file is refused; `repeated` is the field of a policy."""
        return unsettled_faults(self.faults.values(), repeated)

    @property
    def nbytes(self) -> int:
        """Bytes of the valid contents in memory."""
        return sum(map(attrgetter("nbytes"), self.contents()))

    def contents(self) -> list[Content]:
        """All valid contents."""
        if self.sound is None:
            return []
        return [self.sound, *self.rest]


def examine(name: str, data: bytes, kind: str = "run", form: str = AUTO) -> Examined:
    """Read a file; `kind` and `form` are as for `recognise`. If it is refused, find all
    errors and read the valid lines. At most `MAX_CHECKED_LINES` lines are checked one
    by one, so a file full of errors may have more.
    """
    # whole files first: most have no error, and are read by Arrow
    try:
        recognised = recognise(name, data, kind, form)
    except ReadError as error:
        return _useless(error)
    try:
        return Examined.of(*parse_as(name, data, recognised))
    except ReadError as error:
        return _examine_lines(name, without_description(data), recognised, error)


def _examine_lines(name: str, data: bytes, recognised: Recognised, refusal: ReadError) -> Examined:
    """The valid lines of a refused text, and the errors of the others; none are valid
    where the error is in no single line.
    """
    format, layout = recognised
    is_in_line = refusal.line is not None and isinstance(layout, Layout)
    if not is_in_line or format.kind == "scores":
        return _useless(refusal)
    faults: dict[str, Fault] = {}
    sound = _sound_lines(name, data, layout, faults)
    if sound is None:
        return Examined(None, faults or _useless(refusal).faults)
    try:
        found = Examined.of(*parse_as(name, sound, recognised))
    except ReadError as error:  # another encoding, for one, or no valid line is left
        return Examined(None, faults or _useless(error).faults)
    if isinstance(found.sound, Run):
        found = found._replace(sound=found.sound._replace(header=header_of(data)))
    return found._replace(faults=faults | found.faults)


def _sound_lines(name: str, data: bytes, layout: Layout, faults: dict[str, Fault]) -> bytes | None:
    """The text with invalid lines emptied, whose errors are added to `faults`; None if
    too many lines would have to be checked.
    """
    start = begin_of_rows(data, layout)
    kept, checked = [data[:start]], 0
    for number, block in numbered_blocks(data, start):
        if _is_sound(block, layout):
            kept.append(block)
            continue
        checked += block.count(b"\n")
        if checked > MAX_CHECKED_LINES:
            return None
        kept.append(_without_faults(name, number, block, layout, faults))
    return b"".join(kept)


def _useless(error: ReadError) -> Examined:
    """Result for an unusable file."""
    return Examined(None, {error.expected: fault_of(error)})


def examine_texts(
    name: str, data: bytes, limit: int = MAX_BYTES, form: str = AUTO
) -> list[tuple[str, Examined]]:
    """Runs in a file in a format, plain or packed, by name. An archive that cannot be
    opened yields its error under its own name.
    """
    try:
        # one text of an archive at a time: all of them may be thousands of times its bytes
        parts = [
            _parts(inner, examine(inner, text, form=form))
            for inner, text in unpack(name, data, limit)
        ]
    except ReadError as error:
        return [(name, _useless(error))]
    return [*chain.from_iterable(parts)]


def _parts(name: str, examined: Examined) -> list[tuple[str, Examined]]:
    """Each run of a file by name; the errors of the file belong to its first run."""
    first = examined._replace(rest=())
    parts = [first, *map(Examined.of, examined.rest)]
    return [(_name_of(name, part.sound), part) for part in parts]


def _name_of(file: str, content: Content | None) -> str:
    """The name of a run; that of the file for anything else."""
    if isinstance(content, Run):
        return content.name
    return file


def _is_sound(block: bytes, layout: Layout) -> bool:
    """Whether no line of a block has an error, without checking them one by one."""
    if find_long_line(block, LONGEST):
        return False
    table = read_if_sound(block, layout, column_types(layout))
    if table is None:
        return False
    return "score" not in layout.columns or not np.isnan(to_numpy(table["score"])).any()


def _without_faults(
    name: str, first: int, block: bytes, layout: Layout, faults: dict[str, Fault]
) -> bytes:
    """The block with invalid lines emptied, so that the others keep their numbers. The
    errors are added to `faults`.
    """
    # lines keep their numbers, which a later error of the file names
    kept = [b""] * (block.count(b"\n") + 1)
    for number, line in numbered_lines(block, first, layout):
        if fault := _fault_in(name, number, line, layout):
            _add_line(faults, fault, number)
        else:
            kept[number - first] = line
    return b"\n".join(kept)


def _add_line(faults: dict[str, Fault], error: ReadError, number: int) -> None:
    """Note the error of a line by its kind."""
    known = faults.get(error.expected)
    if known is None:
        faults[error.expected] = Fault(1, error)
        return
    # of many lines, the first numbers are enough
    also = (*known.also, number)[:MAX_NUMBERS]
    faults[error.expected] = Fault(known.lines + 1, known.first, also)


def _fault_in(name: str, number: int, line: bytes, layout: Layout) -> ReadError | None:
    fault = line_fault(name, number, line, layout)
    if fault or "score" not in layout.columns:
        return fault
    score = layout.split(line)[layout.columns.index("score")]
    if b"nan" not in score.lower():
        return None
    expected = "a score that is a number"
    remedy = "Give every document a score."
    return ReadError(name, number, expected, "NaN", remedy, NOT_A_NUMBER)


def runs_in(path: Path, repeated: str, form: str = AUTO) -> Iterator[Run | tuple[Fault, ...]]:
    """Runs in a file in a format, by default recognised from its content. A refused run
    is replaced by its errors.
    """
    # the text of a large file is never held whole
    may_stream = is_large(path) and form in (AUTO, "trec")
    if may_stream and (run := stream_run(path)):
        yield run._replace(format=formats_of("run")["trec"].title)
        return
    try:
        for name, text in unpack(str(path), read_bytes(path)):
            yield from _runs_in_text(name, text, repeated, form)
    except ReadError as error:
        yield (_fault_of(path, error),)


def _fault_of(path: Path, error: ReadError) -> Fault:
    """Fault of a file that cannot be unpacked: of an archive, what follows is not read."""
    fault = fault_of(error)
    is_whole_file = error.file == str(path)
    if is_whole_file and isinstance(error, OfOtherKind):
        return _as_stray(fault)
    return fault


def _runs_in_text(
    name: str, text: bytes, repeated: str, form: str
) -> Iterator[Run | tuple[Fault, ...]]:
    """Runs in one text, or the errors for which it is refused."""
    examined = examine(name, text, form=form)
    refused = examined.refused(repeated)
    if not refused:
        yield from (content for content in examined.contents() if isinstance(content, Run))
    elif looks_like_run(name, text):
        yield refused
    else:
        yield tuple(map(_as_stray, refused))


Refuse = Callable[[ReadError], None]
"""What is called with the error of files that are left out."""


def read_run_files(
    sources: Iterable[str | Path],
    repeated: str = "refuse",
    form: str = AUTO,
    tell: Refuse | None = None,
    say: Callable[[str], None] | None = None,
) -> list[Run]:
    """Runs in files or folders; `repeated` is the field of a policy, `form` their
    format. `tell` is called with the error of refused files, if a run is left; without
    it the error is raised. It is raised, too, for a text in a folder that is not a run,
    unless `say` is called with what is left out.
    """
    sources = [*sources]
    texts = map_threads(lambda path: [*runs_in(path, repeated, form)], list_files(sources))
    found = [*chain.from_iterable(texts)]
    refused = [text for text in found if not isinstance(text, Run)]
    if say is not None:
        left_out = leave_out_refused(refused, len(found), sources, tell)
        for said in describe_strays(left_out.strays):
            say(said)
    elif refused:
        raise refusal_error(refused, len(found))
    return [text for text in found if isinstance(text, Run)]


class Stray(ReadError):
    """A text among runs is not a run, such as a README or qrels in their folder."""


def _as_stray(fault: Fault) -> Fault:
    first = fault.first
    return fault._replace(first=Stray(*first.parts))


class LeftOut(NamedTuple):
    """Names of texts that are refused and left out."""

    files: list[str]
    strays: list[str]
    """those that are no runs, where no error tells of them"""


def leave_out_refused(
    refused: Sequence[Sequence[Fault]],
    of: int,
    named: Iterable[str | Path],
    tell: Refuse | None = None,
) -> LeftOut:
    """Leave out the refused texts of all, `of` in number.

    Texts that are no runs and not `named` lie in folders or archives with runs, and
    need no error. Of others `tell` is called with their error. It is raised without
    `tell`, and if no run is left.
    """
    if not refused:
        return LeftOut([], [])
    errors = [faults[0].first for faults in refused]
    files = _files(errors)
    is_run_left = len(files) < of
    if is_run_left and _need_no_error(errors, named):
        return LeftOut(files, files)
    error = refusal_error(refused, of)
    if tell is None or not is_run_left:
        raise error
    tell(error)
    return LeftOut(files, [])


def _need_no_error(errors: Sequence[ReadError], named: Iterable[str | Path]) -> bool:
    """Whether all texts are no runs, and none was given by its name."""
    are_strays = all(isinstance(error, Stray) for error in errors)
    return are_strays and {*_files(errors)}.isdisjoint(map(str, named))


def _files(errors: Iterable[ReadError]) -> list[str]:
    return [*map(attrgetter("file"), errors)]


def describe_strays(strays: Sequence[str]) -> tuple[str, ...]:
    """Note in `irmeval.Collection.recognised` on texts that are left out."""
    if not strays:
        return ()
    return (f"{list_few([*map(stem, strays)], 3)}: no run, left out",)


class FaultKind(NamedTuple):
    """One kind of error, in one or several files."""

    files: int
    lines: int
    """0 if the error is in no single line"""
    first: ReadError
    likewise: str = ""
    """more lines of the first file, as a sentence"""

    def __str__(self) -> str:
        return f"{self.first} {self.likewise}".rstrip()


def group_faults(refused: Iterable[Sequence[Fault]]) -> list[FaultKind]:
    """Errors of files, grouped by the expectation and what to do. The most common kinds
    are first.
    """
    kinds: dict[tuple[str, str], FaultKind] = {}
    for fault in chain.from_iterable(refused):
        key = fault.first.expected, fault.first.remedy
        known = kinds.get(key, FaultKind(0, 0, fault.first, fault.likewise))
        kinds[key] = known._replace(files=known.files + 1, lines=known.lines + fault.lines)
    return sorted(kinds.values(), key=lambda kind: (-kind.files, -kind.lines))


def as_text(kinds: Sequence[FaultKind]) -> str:
    """Table of kinds of errors: the number of files and lines, and the first
    message.
    """
    rows = [f"{kind.files:>5,} {_number(kind.lines):>7}  {kind}" for kind in kinds[:MAX_KINDS]]
    beyond = len(kinds) - MAX_KINDS
    if beyond > 0:
        rows.append(f"and {beyond:,} kinds more")
    return "\n".join(["files   lines  the first of them", *rows])


def _number(lines: int) -> str:
    """A number of lines; empty for an error in no single line."""
    if not lines:
        return ""
    return f"{lines:,}"


class FilesRefused(ReadError):
    """Several files are refused.

    Attributes
    ----------
    refused : the faults of each refused file
    of : the number of all files
    file, line, expected, came, remedy : of the first fault of the most common kind
    """

    def __init__(self, refused: Sequence[Sequence[Fault]], of: int):
        self.refused, self.of, self.kinds = refused, of, group_faults(refused)
        first = self.kinds[0].first
        super().__init__(*first.parts)
        told = [f"{_size(kind)}, the first {kind}" for kind in self.kinds[:MAX_KINDS]]
        self.args = (" ".join([f"{self.headline}.", *told]),)

    @property
    def headline(self) -> str:
        """How many files cannot be used; a single one by its name."""
        if self.of == 1:
            return f"{self.file} cannot be used"
        return f"{len(self.refused):,} of {count_noun(self.of, 'file')} cannot be used"

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.refused, self.of)


def _size(kind: FaultKind) -> str:
    """The files and lines with a kind of error."""
    counts = {"file": kind.files, "line": kind.lines}
    return ", ".join(count_noun(n, noun) for noun, n in counts.items() if n)


def refusal_error(refused: Sequence[Sequence[Fault]], of: int) -> ReadError:
    """Error to raise for refused files, `of` in all: that of a single kind in a single
    file, or those of all files by kind.
    """
    faults = [*chain.from_iterable(refused)]
    if len(faults) == 1:
        return faults[0].error
    return FilesRefused(refused, of)


def rename_files(error: ReadError, name: Callable[[str], str]) -> ReadError:
    """The same error with other file names."""
    if not isinstance(error, FilesRefused):
        return ReadError(name(error.file), *error.parts[1:])

    def renamed(fault: Fault) -> Fault:
        return fault._replace(first=rename_files(fault.first, name))

    return FilesRefused([[*map(renamed, faults)] for faults in error.refused], error.of)
