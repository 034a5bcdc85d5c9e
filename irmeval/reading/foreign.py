"""Qrels and runs from other programs: data frames, rows, dictionaries, ranx objects,
ir_datasets.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from importlib.util import find_spec
from itertools import chain, repeat
from operator import attrgetter, itemgetter
from pathlib import PurePath
from typing import Any, Protocol

from irmeval.core.errors import ParamError, ReadError
from irmeval.core.lazy import pd
from irmeval.core.text import shorten
from irmeval.reading.contents import qrels_from, runs_from
from irmeval.reading.named_columns import (
    missing_column,
    require_columns,
    string_array,
    table_of,
)
from irmeval.reading.nested import nested_table, plain_table, ranks
from irmeval.reading.text_layout import QRELS_COLUMNS, RUN_COLUMNS, find_columns
from irmeval.reading.trec import Qrels, Run, refuse_nan

IRDS = "irds:"
"""Prefix of ir_datasets ids as paths."""


class RanxRun(Protocol):
    """A run as ranx makes it."""

    name: str | None

    def to_dict(self) -> dict[str, dict[str, float]]:
        """The run as topic -> document -> score."""


RunInMemory = Mapping[str, Mapping[str, float] | Iterable[str]] | RanxRun
"""A run as topic -> document -> score, as topic -> ranked documents, or of ranx."""
_WAYS = {
    "a file": "irmeval.read_collection(qrels, runs)",
    "a data frame": "irmeval.Collection.from_frames(qrels, runs)",
    "a dictionary": "irmeval.Collection.from_dicts(qrels, runs)",
    "qrels": "irmeval.Collection.from_dicts(qrels, runs)",
}
"""Functions that read a collection from each form of qrels and runs."""


def form_of(given: Any) -> str:
    """Form of qrels or runs: ``a file``, ``qrels`` (prepared), ``a dictionary`` or ``a
    data frame``; empty for anything else.
    """
    forms = (form for form, is_so in FORMS.items() if is_so(given))
    return next(forms, "")


def _is_of_ranx(given: Any) -> bool:
    """Whether an object becomes a dictionary, and is neither qrels nor a data frame."""
    if isinstance(given, Qrels):
        return False
    return hasattr(given, "to_dict") and not hasattr(given, "columns")


FORMS: dict[str, Callable[[Any], bool]] = {
    "a file": lambda given: isinstance(given, str | PurePath),
    "qrels": lambda given: isinstance(given, Qrels),
    "a dictionary": lambda given: isinstance(given, Mapping) or _is_of_ranx(given),
    "a data frame": lambda given: hasattr(given, "columns"),
}
"""What tells each form; the first that fits counts."""


def require_form(name: str, given: Any, form: str) -> Any:
    """Return qrels or runs of the expected form: ``a file``, ``a data frame`` or ``a
    dictionary``. ranx objects become dictionaries.

    Raises `ParamError` for another form; the message names the function that reads it.
    """
    if _is_of_ranx(given):
        given = given.to_dict()
    found = form_of(given)
    if found == form:
        return given
    if found:
        raise ParamError(
            f"{name}: expected {form}, found {found}. Give qrels and runs to {_WAYS[found]}."
        )
    if form == "a data frame" and isinstance(given, Iterable):  # rows
        return given
    raise ParamError(f"{name}: expected {form}, found {shorten(given)}.")


def qrels_from_frame(frame: "Qrels | pd.DataFrame | Iterable[Any]") -> Qrels:
    """Judgments in the columns of `irmeval.reading.text_layout`, or rows as named
    tuples of these; qrels stay as they are.
    """
    if isinstance(frame, Qrels):
        return frame
    return qrels_from("qrels", _table(frame, "qrels", QRELS_COLUMNS, QRELS_COLUMNS))


def qrels_in_memory(judgments: Any) -> Qrels:
    """Judgments in any form but a file. Raises `ParamError` for what has no rows, and
    `ReadError` for faults in them.
    """
    form = form_of(judgments)
    if form == "a dictionary":
        return qrels_from_dict(judgments)
    # rows have no form of their own
    if not form and not isinstance(judgments, Iterable):
        expected = "a file, a dictionary or a data frame"
        raise ParamError(f"qrels: expected {expected}, found {shorten(judgments)}.")
    return qrels_from_frame(judgments)


def runs_from_frames(
    runs: "Mapping[str, pd.DataFrame | Iterable[Any]] | pd.DataFrame | Iterable[Any]",
) -> list[Run]:
    """Runs by name. Their columns have the names of `irmeval.reading.text_layout`, with
    a score or a rank. A column of run names splits a frame into several runs; a single
    run without it is named ``run``.
    """
    if not isinstance(runs, Mapping):
        return run_from_frame("run", runs)
    _check_names(runs)
    named = [run_from_frame(name, frame, named=True) for name, frame in runs.items()]
    return [*chain.from_iterable(named)]


def run_from_frame(
    name: str, frame: "pd.DataFrame | Iterable[Any]", named: bool = False
) -> list[Run]:
    """Runs in a frame: one, or one for each name in a column of names. If the frame is
    `named`, a single run has its name.
    """
    table = _table(frame, name, RUN_COLUMNS, ("topic", "document"))
    ordered_by = {"score", "rank"} & table.keys()
    if not ordered_by:
        raise missing_column(name, "score", _frame(frame, name).columns)
    # ranks with gaps are not needed beside scores
    if len(ordered_by) == 2 and table["rank"].null_count:
        del table["rank"]
    table.setdefault("rank", ranks([len(table["document"])]))
    made = runs_from(name, table)
    if named and len(made) == 1:
        return [made[0]._replace(tags=(name,))]
    return [_named_by_tag(run, name) for run in made]


def _named_by_tag(run: Run, name: str) -> Run:
    """A run under its tag; under `name` if it has none, or a blank one."""
    tags = (*filter(str.strip, run.tags),) or (name,)
    return run._replace(name=tags[0], tags=tags)


def qrels_from_dict(lists: Qrels | Mapping[str, Mapping[str, int] | Iterable[str]]) -> Qrels:
    """Judgments as topic -> document -> grade, as topic -> relevant documents, or as
    ranx's `Qrels`; qrels stay as they are.
    """
    if isinstance(lists, Qrels):
        return lists
    table = nested_table("qrels", require_form("qrels", lists, "a dictionary"))
    return qrels_from("qrels", table)


def are_runs(given: Any) -> bool:
    """Whether dictionaries are several runs: a list of them, or by name."""
    if isinstance(given, list):
        return _are_all(given, Mapping)
    # run -> topic -> document
    return isinstance(_first_value(_first_value(given)), Mapping)


def _first_value(given: Any) -> Any:
    """First value of a dictionary; None without any."""
    if not isinstance(given, Mapping):
        return None
    return next(iter(given.values()), None)


def _are_all(values: list[Any], kind: Any) -> bool:
    """Whether there are values, all of a kind."""
    return bool(values) and all(isinstance(value, kind) for value in values)


def runs_from_dicts(runs: Any) -> list[Run]:
    """Runs as run -> topic -> document -> score; or runs of ranx, by name, in a list,
    or a single one. In a list, dictionaries are named ``run1``, ``run2``, ...
    """
    given = _by_name(runs)
    lists = [*map(require_form, given, given.values(), repeat("a dictionary"))]
    if not all(map(_is_run, lists)):
        raise _not_runs("topic -> document -> score")
    return [*map(run_from_dict, given, lists)]


def _not_runs(found: str) -> ParamError:
    """Error for what is no dictionary of runs."""
    return ParamError(
        f"runs: expected run -> topic -> document -> score, found {found}."
        " A run needs a name: {'bm25': run}."
    )


def _is_run(lists: Mapping[str, Any]) -> bool:
    """Whether topics have documents; names of runs have topics."""
    return all(isinstance(documents, Mapping | list | tuple) for documents in lists.values())


def _by_name(runs: Any) -> dict[str, Any]:
    """Runs by name, in any form of `runs_from_dicts`. Raises `ParamError` for anything
    else.
    """
    if isinstance(runs, Mapping):
        _check_names(runs)
        return {**runs}
    if not isinstance(runs, Iterable) and not _is_named(runs):
        raise _not_runs(shorten(runs))
    if hasattr(runs, "to_dict"):  # a single one
        return _name_each([runs])
    return _name_each([*runs])


def _name_each(runs: list[Any]) -> dict[str, Any]:
    """Dictionaries by number, or runs of ranx by their names."""
    if _are_all(runs, Mapping):
        return {f"run{n}": run for n, run in enumerate(runs, 1)}
    if not all(map(_is_named, runs)):
        raise _not_runs("runs without names")
    named = {run.name or "run": run for run in runs}
    if len(named) < len(runs):
        raise ParamError(
            "runs: expected runs of different names, found two of one name. Give them by name:"
            " {'bm25': run}."
        )
    return named


def _check_names(runs: Mapping[Any, Any]) -> None:
    """Raise `ParamError` for a name of a run that is no text, or blank; `ReadError` for
    one that no file can hold.
    """
    for name in runs:
        if not isinstance(name, str):
            raise ParamError(f"runs: expected texts as names of runs, found {shorten(name)}.")
        if not name.strip():
            raise ParamError("runs: expected a name for each run, found a blank one.")
    string_array([*runs], "runs")


def _is_named(run: Any) -> bool:
    """Whether a run is of ranx, and has a name."""
    return hasattr(run, "to_dict") and hasattr(run, "name")


def run_from_dict(name: str, lists: Mapping[str, Mapping[str, float] | Iterable[str]]) -> Run:
    """A run as topic -> document -> score, or as topic -> ranked documents; its ranks
    are the order of the documents. Raises `ReadError` for several runs, and for scores
    that are no numbers.
    """
    if (table := plain_table(lists)) is not None:
        refuse_nan(name, table["number"])
        columns = itemgetter("topics", "topic", "document", "number", "rank")
        return Run(name, (name,), *columns(table))
    table = nested_table(name, lists)
    if "runs" in table:
        expected = "topic -> document -> score"
        raise ReadError(name, None, expected, "deeper nesting", "Give one run at a time.")
    return runs_from(name, table)[0]._replace(tags=(name,))


def has_ir_datasets() -> bool:
    """Whether the optional package ir_datasets is installed."""
    return find_spec("ir_datasets") is not None


def qrels_from_ir_datasets(name: str) -> Qrels:
    """Judgments of a dataset such as ``irds:vaswani``. Raises `ReadError` if the
    package or the dataset is missing.
    """
    try:
        import ir_datasets
    except ImportError:
        expected = "the package ir_datasets"
        remedy = 'Give a qrels file, or: pip install "irmeval[irds]"'
        raise ReadError(name, None, expected, "a Python without it", remedy) from None
    try:
        lines = [*ir_datasets.load(name.removeprefix(IRDS)).qrels_iter()]
    # of any kind: of the network, of a server that has moved, of a full disk
    except Exception as error:
        raise _not_read(name, error) from None
    if not lines:
        raise ReadError(name, None, "at least one judgment", "none")
    keys = {"topic": "query_id", "document": "doc_id", "grade": "relevance"}
    columns = {column: [*map(attrgetter(key), lines)] for column, key in keys.items()}
    return qrels_from(name, table_of(name, columns))


def _not_read(name: str, error: Exception) -> ReadError:
    """Error for a dataset that ir_datasets cannot read."""
    expected, look_up = "a dataset of ir_datasets that has qrels", "Look its id up."
    if isinstance(error, KeyError):
        return ReadError(name, None, expected, "no dataset with this id", look_up)
    if isinstance(error, AttributeError):
        return ReadError(name, None, expected, "a dataset without qrels", look_up)
    return ReadError(
        name,
        None,
        "a dataset that can be downloaded",
        f"an error: {shorten(str(error))}",
        "Is there a network? Otherwise give a qrels file.",
    )


def _frame(given: Any, name: str) -> Any:
    """Convert a frame, a table of another library, or named tuples to a data frame."""
    # tables of Arrow and Polars have columns, too, but no iloc
    if hasattr(given, "columns") and hasattr(given, "iloc"):
        return given
    if hasattr(given, "to_pandas"):  # of Hugging Face, Arrow or Polars
        return given.to_pandas()
    rows = [*require_form(name, given, "a data frame")]
    unnamed = [row for row in rows if not hasattr(row, "_fields")]
    if unnamed:
        raise ParamError(
            f"{name}: expected a data frame, or rows that are named tuples, found rows of type"
            f" {type(unnamed[0]).__name__}."
        )
    return pd.DataFrame(rows)


def _find_columns(frame: Any, wanted: tuple[str, ...]) -> dict[str, str]:
    return find_columns([column for column in frame.columns if isinstance(column, str)], wanted)


def _table(
    given: Any, name: str, wanted: tuple[str, ...], needed: tuple[str, ...]
) -> dict[str, Any]:
    """Wanted columns of a data frame under any of their usual names. Raises `ReadError`
    if a required one is missing.
    """
    frame = _frame(given, name)
    if frame.empty:
        raise ReadError(name, None, "at least one row", "an empty data frame")
    found = _find_columns(frame, wanted)
    if not found.keys() >= {*needed}:
        frame = _with_index(frame)
        found = _find_columns(frame, wanted)
    times = Counter(frame.columns)
    for heading in found.values():
        if times[heading] > 1:
            raise ReadError(name, None, "each column once", f"{heading} twice", "Leave one out.")
    require_columns(name, needed, found, frame.columns)
    return table_of(name, {column: frame[heading] for column, heading in found.items()})


def _with_index(frame: Any) -> Any:
    """The frame with the named levels of its index as columns."""
    known = {None, *frame.columns}
    return frame.reset_index(level=[level for level in frame.index.names if level not in known])
