"""What a command writes: the path is checked before any work, and no input is
replaced.
"""

import os
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path

from irmeval.cli.program import CSV, Given
from irmeval.core import saving
from irmeval.core.errors import ParamError
from irmeval.core.tables import ENDINGS, PARQUET, format_of
from irmeval.core.text import list_all, shorten
from irmeval.reading.files import is_folder, list_files
from irmeval.workspace.base import split_path

PLAIN = ("", ".txt")
"""Suffixes of a table in any format."""
NO_INPUTS = ("output", "command", "measure", "format")
"""Values of a command line that are no input."""
NO_TEXT = (
    *(".xlsx", ".xls", ".ods", ".parquet", ".feather", ".arrow", ".pkl", ".pdf", ".docx", ".png"),
    *(".gz", ".bz2", ".xz", ".zst", ".zip", ".tar", ".tgz", ".7z"),
)
"""Suffixes of files that are no plain text."""


def check(given: Given) -> None:
    """Raise `ParamError` for an output path that cannot be written to, that is an
    input, or whose suffix promises another format.
    """
    if given.folder:
        saving.check_folder(folder(given))
    elif given.output:
        saving.check_file(given.output)
        _check_inputs(given)
        _check_suffix(given)
    if isinstance(given.tables, Path):
        saving.check_folder(given.tables)


def folder(given: Given) -> Path:
    """Output folder, by default named after the paper or experiment."""
    return given.output or Path(given.folder)


def write_files(given: Given, write: Callable[[Path], list[str]]) -> str:
    """Write files into the output folder. Returns their names as text."""
    where = folder(given)
    return "".join(f"{where / file}\n" for file in write(where))


def _check_suffix(given: Given) -> None:
    suffix, typed = given.output.suffix.lower(), "format" in given.typed
    if given.format == PARQUET and given.wide:
        raise ParamError(f"{given.output}: Parquet has a row per observation. Leave out --wide.")
    is_table = CSV in given.command.offered_formats()
    known = [f".{ending}" for ending in (*ENDINGS.values(), PARQUET)]
    if is_table and not typed and suffix not in (*known, *PLAIN):
        raise ParamError(
            f"{given.output}: expected a file ending in {list_all(known)}, found {shorten(suffix)}."
            f" Write {given.output.with_suffix('.csv')}, or give --format."
        )
    if suffix in NO_TEXT and not (is_table and format_of(given.output) == given.format):
        raise ParamError(
            f"{given.output}: expected a file of plain text, found {shorten(suffix)}."
            f" Write {given.output.with_suffix('.csv' if is_table else '.txt')}."
        )


def _check_inputs(given: Given) -> None:
    """Raise `ParamError` for an output that is one of the files that are read."""
    if given.replace or not given.output.is_file():
        return
    read = filter(os.path.exists, _inputs(given))
    if any(os.path.samefile(path, given.output) for path in read):
        may_replace = given.replace is False
        remedy = "Add --replace to replace it." if may_replace else "Name another."
        raise ParamError(f"{given.output}: it is read, and would be replaced. {remedy}")


def _inputs(given: Given) -> Iterator[str | Path]:
    """Files that a command reads, those in folders included."""
    for name, value in vars(given).items():
        if name in NO_INPUTS:
            continue
        several = value if isinstance(value, list | tuple) else [value]
        texts = [text for text in several if isinstance(text, str | Path)]
        for place in chain.from_iterable(map(_places_of, texts)):
            yield from list_files([place]) if is_folder(place) else [place]


def _places_of(text: str | Path) -> list[str | Path]:
    """Paths that a word may name: all of it, and what stands after NAME= or before
    :MEASURE or #COLLECTION.
    """
    written = str(text)
    opened = split_path(written) or ("", "")
    places = [text, written.partition("=")[2], written.rpartition(":")[0], opened[0]]
    return [place for place in places if str(place)]
