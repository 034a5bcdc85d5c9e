"""Tables of results as text in common formats."""

import io
import json
import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from csv import writer as csv_writer
from functools import partial
from itertools import filterfalse
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

from irmeval.core.places import pick
from irmeval.core.registry import Registry, check_known
from irmeval.core.text import natural_key, one_line

if TYPE_CHECKING:
    import pandas as pd

Table: TypeAlias = "pd.DataFrame | Mapping[str, Sequence[Any]]"
"""A data frame, or columns by name, which need no pandas."""

T = TypeVar("T")
DECIMALS = 4
"""Decimals of scores, on paper and on the screen."""
FORMATS: Registry[Callable[..., str]] = Registry("format")
"""Writers by format; numbers are written in full, undefined ones left empty."""
TEXT = "text"
"""The format for a terminal."""
PRINTED = ("markdown", "latex", TEXT)
"""Formats for people."""
ENDINGS = {"csv": "csv", "json": "json", "latex": "tex", "markdown": "md"}
"""File extensions by format."""


PARQUET = "parquet"
"""Format of a table in a file whose name ends so; it is no text."""
_FORM_OF = {f".{ending}": form for form, ending in (ENDINGS | {PARQUET: PARQUET}).items()}


def format_of(file: str | Path) -> str:
    """Format of a file by its extension; empty for any other extension."""
    _, dot, ending = str(file).lower().rpartition(".")
    return _FORM_OF.get(dot + ending, "")


def csv(table: Table, digits: int | None = None) -> str:
    """Comma-separated values, numbers with all their decimals or rounded to `digits`; a
    text that a spreadsheet would run as a formula gets an apostrophe in front.
    """
    names, columns = _split(table, digits)
    text = io.StringIO()
    writer = csv_writer(text, lineterminator="\n")
    writer.writerow(map(_csv_cell, names))
    writer.writerows(_rows(columns, _csv_cell))
    return text.getvalue()


def _rows(columns: Iterable[Iterable[Any]], cell: Callable[[Any], Any]) -> Iterator[list[Any]]:
    """The rows of columns, each value as its cell."""
    for row in zip(*columns, strict=True):
        yield [*map(cell, row)]


def _csv_cell(value: Any) -> Any:
    """A text without a formula; an undefined number is empty."""
    if _is_undefined(value):
        return ""
    # a name from a file, which a spreadsheet would run
    if isinstance(value, str) and value.startswith(_FORMULA):
        return f"'{value}"
    return value


def _is_undefined(value: Any) -> bool:
    """Whether it is None, or a NaN, which alone differs from itself, in pandas too."""
    return value is None or bool(value != value)


def columns_of(table: Table, digits: int | None = None) -> list[tuple[str, list[Any]]]:
    """Columns of a table with their names; with `digits`, numbers are rounded."""
    names, columns = _split(table, digits)
    return [*zip(names, columns, strict=True)]


def _split(table: Table, digits: int | None) -> tuple[list[str], list[list[Any]]]:
    """Names and values of the columns of a table."""
    names, columns = list[str](), list[list[Any]]()
    for name, values in table.items():
        names.append(str(name))
        columns.append(_as_list(values, digits))
    return names, columns


def _as_list(values: Any, digits: int | None) -> list[Any]:
    """The values of a column as Python's own, not NumPy's."""
    listed: list[Any]
    if hasattr(values, "tolist"):
        listed = values.tolist()
    else:
        listed = [*values]
    if digits is None:
        return listed
    return [_round(value, digits) for value in listed]


def _round(value: Any, digits: int) -> Any:
    if isinstance(value, float):
        return round(value, digits)
    return value


def sort_rows(table: T, by: str) -> T:
    """The rows in the order of a column: numbers from the highest, texts from A to Z,
    what is undefined last. Of a table with a row per run and measure, `by` may also be
    a measure: the runs are ordered by their mean of it.

    Raises `UnknownName` with the nearest columns and measures.
    """
    columns = dict(columns_of(cast("Table", table)))
    measures: Iterable[str] = ()
    if "run" in columns:
        measures = map(str, columns.get("measure", ()))
    check_known(by, [*columns, *dict.fromkeys(measures)], "unknown column")
    values = columns.get(by)
    if values is None:
        values = _means_of_runs(columns, by)
    keys = [*map(_place_of, values)]
    order = sorted(range(len(keys)), key=keys.__getitem__)
    if not isinstance(table, Mapping):
        frame = cast("pd.DataFrame", table)
        return cast("T", frame.iloc[order].reset_index(drop=True))
    ordered = {name: pick(column, order) for name, column in columns.items()}
    return cast("T", ordered)


def _means_of_runs(columns: Mapping[str, Sequence[Any]], measure: str) -> list[float]:
    """For each row, the mean of its run by a measure, in the first column of numbers."""
    runs, measures = columns["run"], map(str, columns["measure"])
    numbers = next(values for values in columns.values() if isinstance(values[0], float))
    of_run = defaultdict[str, list[float]](list)
    for run, name, value in zip(runs, measures, numbers, strict=True):
        if name == measure:
            of_run[run].append(value)
    means = map(_mean, of_run.values())
    mean_of = dict(zip(of_run, means, strict=True))
    return [mean_of.get(run, math.nan) for run in runs]


def _mean(values: Iterable[float]) -> float:
    """Mean of the defined numbers; NaN of none."""
    defined = [*filterfalse(math.isnan, values)]
    if not defined:
        return math.nan
    return math.fsum(defined) / len(defined)


def _place_of(value: Any) -> tuple[Any, ...]:
    """Key of a value: numbers before texts, then what is undefined."""
    if _is_undefined(value):
        return (2,)
    if isinstance(value, int | float):
        return 0, -value
    return 1, natural_key(str(value))


def as_json(table: Table, digits: int | None = None) -> str:
    """A list of objects, one per row; undefined numbers are null."""
    names, columns = _split(table, digits)
    objects = [dict(zip(names, row, strict=True)) for row in _rows(columns, _json_value)]
    return json.dumps(objects, indent=1, ensure_ascii=False) + "\n"


def _json_value(value: Any) -> Any:
    # JSON has no NaN
    if _is_undefined(value):
        return None
    return value


def markdown(table: Table, digits: int | None = None) -> str:
    """A pipe table, numbers to four decimals."""
    names, columns = _columns_of_texts(table, digits)
    head, rule = map(escape_markdown, names), map(_rule_of, columns)
    body = _rows(columns, markdown_cell)
    return "".join(map(_markdown_line, [head, rule, *body]))


def _markdown_line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |\n"


def _rule_of(column: Iterable[str]) -> str:
    """The line below the head of a column, which aligns numbers at the right."""
    if is_number_column(column):
        return "---:"
    return "---"


def markdown_cell(text: str) -> str:
    """A cell of a pipe table: a number unchanged, any other text escaped."""
    if NUMBER.fullmatch(text):
        return text
    return escape_markdown(text)


def latex(table: Table, digits: int | None = None) -> str:
    """A LaTeX tabular in booktabs style, numbers to four decimals; of more than `PAGE`
    rows a longtable with the head on every page.
    """
    names, columns = _columns_of_texts(table, digits)
    alignment = "".join(map(_latex_column, columns))
    rows = [*map(_latex_row, zip(*columns, strict=True))]
    top, rule = [r"\toprule", _latex_row(names), r"\midrule"], r"\bottomrule"
    if len(rows) <= PAGE:
        return _latex_lines("tabular", alignment, [*top, *rows, rule])
    # its rule stands at the foot of every page, so before the rows
    return _latex_lines("longtable", alignment, [*top, r"\endhead", rule, r"\endfoot", *rows])


def _latex_column(cells: Iterable[str]) -> str:
    if is_number_column(cells):
        return "r"
    return "l"


def _latex_lines(environment: str, columns: str, lines: Iterable[str]) -> str:
    begin = rf"\begin{{{environment}}}{{{columns}}}"
    return "\n".join([begin, *lines, rf"\end{{{environment}}}", ""])


def cell_texts(table: Table, digits: int | None = None) -> list[list[str]]:
    """Cells of each row for people: numbers to `digits` decimals, by default four,
    counts as whole numbers, small p-values as ``<0.0001``, undefined numbers empty.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame(
    ...     {"run": ["a", "b"], "score": [0.25, None], "topics": [50.0, None], "p": [1e-9, 0.5]}
    ... )
    >>> cell_texts(frame)
    [['a', '0.2500', '50', '<0.0001'], ['b', '', '', '0.5000']]
    """
    _, columns = _columns_of_texts(table, digits)
    return [*map(list, zip(*columns, strict=True))]


def _columns_of_texts(table: Table, digits: int | None) -> tuple[list[str], list[list[str]]]:
    """Names of the columns of a table, and their cells for people."""
    names, columns = _split(table, None)
    most = DECIMALS
    if digits is not None:
        most = digits
    return names, [*map(partial(_texts, most), names, columns)]


def _texts(most: int, name: str, values: list[Any]) -> list[str]:
    """The cells of a column, numbers to so many decimals; counts have none."""
    decimals, least = most, 0.0
    if _are_counts(values):
        decimals = 0
    if name in P_VALUES:
        least = 10**-most
    return [_shown(value, decimals, least) for value in values]


def _are_counts(values: list[Any]) -> bool:
    """Whether all numbers are whole, and one is above 1."""
    numbers = [value for value in values if isinstance(value, float)]
    finite = [*filter(math.isfinite, numbers)]
    highest = max(map(abs, finite), default=0)
    return highest > 1 and all(map(float.is_integer, finite))


def _shown(value: Any, decimals: int, least: float) -> str:
    """A cell for people; a number from 0 to below `least` is only said to be below."""
    if not isinstance(value, float):
        return str(value)
    if math.isnan(value):
        return ""
    if 0 <= value < least:
        return f"<{least:.{decimals}f}"
    return f"{value:.{decimals}f}"


def is_number_column(cells: Iterable[str]) -> bool:
    """Whether all nonempty cells of a column are numbers, and there is a cell."""
    texts = [*cells]
    if not texts:
        return False
    return all(map(NUMBER.fullmatch, filter(None, texts)))


def _latex_row(cells: Iterable[str]) -> str:
    return latex_row(map(_latex_cell, cells))


def _latex_cell(cell: str) -> str:
    """A text escaped; the letters behind a number raised."""
    marked = MARKED.fullmatch(cell)
    if not marked:
        return escape_latex(cell)
    return f"{marked[1]}$^{{{marked[2]}}}$"


def escape_latex(text: str) -> str:
    """Escape a text for LaTeX, on one line. An invisible character becomes its code, so
    that two names stay different.
    """
    line = one_line(_INVISIBLE.sub(_code_of, text))
    escaped = line.translate(_LATEX).strip()
    # two of them are a dash
    return re.sub("-(?=-)", "-{}", escaped)


def _code_of(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode()


def latex_row(cells: Iterable[str]) -> str:
    """A row of a tabular."""
    row = " & ".join(cells)
    # LaTeX takes a star or a bracket at its beginning for an option of the line above
    if row.startswith(("*", "[")):
        row = "{}" + row
    return row + r" \\"


_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\xad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]"
)
"""Control characters other than blanks, and others that are not seen."""
PAGE = 60
"""Maximum number of rows of a table on one page."""
MARKED = re.compile(r"(?<![\d.])(-?\d+\.\d+)\^([a-z]+)")
"""Pattern of a number with the letters of the runs that it significantly exceeds:
raised in LaTeX and HTML.
"""
NUMBER = re.compile(r"(?:< ?)?-?\d+(?:\.\d+)?(?:e[-+]\d+)?")
"""Pattern of a number in a table, ``<0.0001`` included."""
P_VALUES = frozenset(("p", "p_value", "p before", "p after"))
"""Columns of p-values."""
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""First characters that a spreadsheet reads as the start of a formula."""
_LATEX = str.maketrans(
    {c: f"\\{c}" for c in "&%$#_{}"}
    | {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        "`": r"\textasciigrave{}",
    }
)
_MARKDOWN = re.compile(
    r"[\\`*_\[\]{}>|#!$~]"
    r"|<(?! )"  # markup; a less-than sign has a blank behind it
    r"|&(?=[A-Za-z#])"  # an entity
    r"|:(?=[A-Za-z])"  # a directive
    r"|^[-+=]"  # a list or a heading
)
_NAMED = re.compile(r"(?<=:)(?=//|[\w+-]+[:/])|(?<=www)(?=\.)|(?=@[\w-]+\.[\w-])", re.IGNORECASE)
"""Places inside a link, an emoji, an icon or a URL. Backslashes do not escape these, so
`_JOINER` is inserted.
"""
_JOINER = "\u2060"
"""Zero-width character that breaks a link or a URL in two."""


def decimals(values: Iterable[float]) -> int:
    """Decimals shown in a column of numbers: as many as its numbers have, at most four.
    The limit is three if the largest number is above 1, and one if it is 10 or more; if
    the largest is below 0.01, it gets two digits.

    Examples
    --------
    >>> some = [10.0, 100.0], [43.65591, 61.07527], [0.01, 0.1], [0.5, 0.25123]
    >>> tuple(decimals(values) for values in some)
    (0, 1, 2, 4)
    """
    finite = [*map(abs, filter(math.isfinite, map(float, values)))]
    most = _most_decimals(max(finite, default=0.0))
    return max(map(partial(_decimals_of, most), finite), default=0)


def _decimals_of(most: int, value: float) -> int:
    """Decimals of a number, at most so many."""
    return next(filter(partial(_is_rounded, value), range(most)), most)


def _most_decimals(top: float) -> int:
    """Most decimals of a column with this highest number."""
    if 0 < top < 0.01:
        return 1 - math.floor(math.log10(top))  # two digits
    # a mean of ones may be a little above 1
    if top < 1 + 1e-9:
        return DECIMALS
    if top < 10:
        return 3
    return 1


def _is_rounded(value: float, digits: int) -> bool:
    # sums in another order differ in the last bits, which no table shows
    return math.isclose(value, round(value, digits), rel_tol=1e-12, abs_tol=1e-15)


def escape_markdown(text: str) -> str:
    """Escape a name from a file for Markdown, on one line."""
    escaped = _MARKDOWN.sub(r"\\\g<0>", _NAMED.sub(_JOINER, one_line(text).lstrip()))
    return re.sub(r"^(\d+)([.)])(?!\S)", r"\1\\\2", escaped)  # the first of a list


def write_table(table: Table, form: str, note: str = "", digits: int | None = None) -> str:
    """Write a table in a format of `FORMATS`. Markdown and LaTeX end with the note; CSV
    and JSON contain the table alone. With `digits`, numbers have so many decimals.
    """
    text = FORMATS[form](table, digits)
    below = {
        "markdown": escape_markdown(note),
        "latex": rf"{{\footnotesize {escape_latex(note)}\par}}",
    }
    # other programs read CSV and JSON, and expect nothing after the rows
    if not note or form not in below:
        return text
    return f"{text}\n{below[form]}\n"


for _name, _writer in (("csv", csv), ("json", as_json), ("markdown", markdown), ("latex", latex)):
    FORMATS.add(_name, _writer)
