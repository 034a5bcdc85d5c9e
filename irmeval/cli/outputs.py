"""What a command writes: the path is checked before any work, and no input is
replaced.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, NoReturn

from irmeval.cli.program import CSV, Given
from irmeval.core import saving
from irmeval.core.errors import ParamError
from irmeval.core.tables import ENDINGS, PARQUET, format_of
from irmeval.core.text import list_all, shorten
from irmeval.core.written import split_path
from irmeval.reading.files import list_files

OF_TABLES = [f".{ending}" for ending in (*ENDINGS.values(), PARQUET)]
"""Suffixes that set the format of a table."""
PLAIN = ("", ".txt")
"""Suffixes of a table in any format."""
NO_INPUTS = {"output", "command", "measure", "format"}
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
    if given.table_folder:
        saving.check_folder(given.table_folder)


def folder(given: Given) -> Path:
    """Output folder, by default named after the paper or experiment."""
    return given.output or Path(given.folder)


def write_files(given: Given, write: Callable[[Path], list[str]]) -> str:
    """Write files into the output folder. Returns their names as text."""
    where = folder(given)
    return "".join(f"{where / file}\n" for file in write(where))


def _check_suffix(given: Given) -> None:
    """Raise `ParamError` for a suffix that promises another format."""
    suffix = given.output.suffix.lower()
    if given.format == PARQUET and given.wide:
        raise ParamError(f"{given.output}: Parquet has a row per observation. Leave out --wide.")
    if CSV in given.command.offered_formats():
        _check_suffix_of_table(given, suffix)
    elif suffix in NO_TEXT:
        _refuse_suffix(given, "a file of plain text", ".txt")


def _check_suffix_of_table(given: Given, suffix: str) -> None:
    if "format" in given.typed:
        is_another = format_of(given.output) != given.format
        if is_another and suffix in NO_TEXT:
            _refuse_suffix(given, "a file of plain text", ".csv")
    elif suffix not in (*OF_TABLES, *PLAIN):
        known = list_all(OF_TABLES)
        _refuse_suffix(given, f"a file ending in {known}", ".csv", ", or give --format")


def _refuse_suffix(given: Given, expected: str, ending: str, more: str = "") -> NoReturn:
    found, better = shorten(given.output.suffix.lower()), given.output.with_suffix(ending)
    raise ParamError(f"{given.output}: expected {expected}, found {found}. Write {better}{more}.")


def _check_inputs(given: Given) -> None:
    """Raise `ParamError` for an output that is one of the files that are read."""
    output = given.output
    if given.replace or not output.is_file():
        return
    # a command that may replace its input has the flag
    remedy = {None: "Name another.", False: "Add --replace to replace it."}[given.replace]
    # by the file, not by its name: a link, or another spelling, is the same file
    read = filter(os.path.exists, _inputs(given))
    if any(map(partial(os.path.samefile, output), read)):
        raise ParamError(f"{output}: it is read, and would be replaced. {remedy}")


def _inputs(given: Given) -> list[Path]:
    """Files that a command reads, those in folders included."""
    values = map(vars(given).get, vars(given).keys() - NO_INPUTS)
    return list_files(chain.from_iterable(map(_places_of, _flat(values))))


def _flat(values: Iterable[Any]) -> Iterator[str | Path]:
    """Texts and paths among values, and in lists of them."""
    for value in values:
        if isinstance(value, list | tuple):
            yield from _flat(value)
        elif isinstance(value, str | Path):
            yield value


def _places_of(text: str | Path) -> list[str]:
    """Paths that a word may name: all of it, and what stands after NAME= or before
    :MEASURE or #COLLECTION.
    """
    written = str(text)
    opened = split_path(written) or ("", "")
    places = [written, written.partition("=")[2], written.rpartition(":")[0], opened[0]]
    return [*filter(None, places)]
