"""Qrels and runs from other programs: data frames, rows, dictionaries, ranx objects,
ir_datasets.
"""

from collections.abc import Callable, Iterable, Mapping
from importlib.util import find_spec
from pathlib import PurePath
from typing import Any, Protocol

from irmeval.core.errors import ParamError, ReadError
from irmeval.core.lazy import pd
from irmeval.core.text import shorten
from irmeval.reading.contents import qrels_from, runs_from
from irmeval.reading.named_columns import missing_column, table_of
from irmeval.reading.nested import nested_table, plain_table, ranks
from irmeval.reading.text_layout import QRELS_COLUMNS, RUN_COLUMNS, find_columns
from irmeval.reading.trec import Qrels, Run, check_scores

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
    return (
        hasattr(given, "to_dict") and not isinstance(given, Qrels) and not hasattr(given, "columns")
    )


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
    are_rows = form == "a data frame" and isinstance(given, Iterable)
    if found == form or (are_rows and not found):
        return given
    if found:
        raise ParamError(
            f"{name}: expected {form}, found {found}. Give qrels and runs to {_WAYS[found]}."
        )
    raise ParamError(f"{name}: expected {form}, found {shorten(given)}.")


def qrels_from_frame(frame: "Qrels | pd.DataFrame | Iterable[Any]") -> Qrels:
    """Judgments in the columns of `irmeval.reading.text_layout`, or rows as named
    tuples of these; qrels stay as they are.
    """
    if isinstance(frame, Qrels):
        return frame
    return qrels_from("qrels", _table(frame, "qrels", QRELS_COLUMNS, QRELS_COLUMNS))


def qrels_in_memory(judgments: Any) -> Qrels:
    """Judgments in any form but a file."""
    if not form_of(judgments) and not isinstance(judgments, Iterable):
        expected = "a file, a dictionary or a data frame"
        raise ParamError(f"qrels: expected {expected}, found {shorten(judgments)}.")
    read = qrels_from_dict if form_of(judgments) == "a dictionary" else qrels_from_frame
    return read(judgments)


def runs_from_frames(
    runs: "Mapping[str, pd.DataFrame | Iterable[Any]] | pd.DataFrame | Iterable[Any]",
) -> list[Run]:
    """Runs by name. Their columns have the names of `irmeval.reading.text_layout`, with
    a score or a rank. A column of run names splits a frame into several runs; a single
    run without it is named ``run``.
    """
    if isinstance(runs, Mapping):
        return [
            run for name, frame in runs.items() for run in run_from_frame(name, frame, named=True)
        ]
    return [*run_from_frame("run", runs)]


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
    """A run under its tag; under `name` if it has none."""
    tags = run.tags or (name,)
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
    return next(iter(given.values()), None) if isinstance(given, Mapping) else None


def _are_all(values: list[Any], kind: Any) -> bool:
    """Whether there are values, all of a kind."""
    return bool(values) and all(isinstance(value, kind) for value in values)


def runs_from_dicts(runs: Any) -> list[Run]:
    """Runs as run -> topic -> document -> score; or runs of ranx, by name, in a list,
    or a single one. In a list, dictionaries are named ``run1``, ``run2``, ...
    """
    named = {
        name: require_form(name, lists, "a dictionary") for name, lists in _by_name(runs).items()
    }
    if not all(map(_is_run, named.values())):
        raise ParamError(
            "runs: expected run -> topic -> document -> score, found topic -> document -> score."
            f" {NAME_IT}"
        )
    return [run_from_dict(name, lists) for name, lists in named.items()]


NAME_IT = "A run needs a name: {'bm25': run}."


def _is_run(lists: Mapping[str, Any]) -> bool:
    """Whether topics have documents; names of runs have topics."""
    return all(isinstance(documents, Mapping | list | tuple) for documents in lists.values())


def _by_name(runs: Any) -> dict[str, Any]:
    """Runs by name, in any form of `runs_from_dicts`. Raises `ParamError` for anything
    else.
    """
    if isinstance(runs, Mapping):
        unnamed = [name for name in runs if not isinstance(name, str)]
        if unnamed:
            found = shorten(unnamed[0])
            raise ParamError(f"runs: expected texts as names of runs, found {found}.")
        return {**runs}
    listed = [runs] if hasattr(runs, "to_dict") or not isinstance(runs, Iterable) else [*runs]
    if _are_all(listed, Mapping):
        return {f"run{n}": run for n, run in enumerate(listed, 1)}
    if not all(map(_is_named, listed)):
        found = "runs without names" if isinstance(runs, Iterable) else shorten(runs)
        raise ParamError(
            f"runs: expected run -> topic -> document -> score, found {found}. {NAME_IT}"
        )
    named = {run.name or "run": run for run in listed}
    if len(named) < len(listed):
        raise ParamError(
            "runs: expected runs of different names, found two of one name. Give them by name:"
            " {'bm25': run}."
        )
    return named


def _is_named(run: Any) -> bool:
    """Whether a run is of ranx, and has a name."""
    return hasattr(run, "to_dict") and hasattr(run, "name")


def run_from_dict(name: str, lists: Mapping[str, Mapping[str, float] | Iterable[str]]) -> Run:
    """A run as topic -> document -> score, or as topic -> ranked documents; its ranks
    are the order of the documents.
    """
    if (table := plain_table(lists)) is not None:
        check_scores(name, table["number"])
        columns = "topics", "topic", "document", "number", "rank"
        return Run(name, (name,), *(table[column] for column in columns))
    table = nested_table(name, lists)
    if "runs" in table:
        came, remedy = "deeper nesting", "Give one run at a time."
        raise ReadError(name, None, "topic -> document -> score", came, remedy)
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
        remedy = 'Give a qrels file, or: pip install "irmeval[irds]"'
        raise ReadError(
            name, None, "the package ir_datasets", "a Python without it", remedy
        ) from None
    try:
        lines = list(ir_datasets.load(name.removeprefix(IRDS)).qrels_iter())
    except (KeyError, AttributeError) as error:
        came = (
            "no dataset with this id" if isinstance(error, KeyError) else "a dataset without qrels"
        )
        raise ReadError(
            name, None, "a dataset of ir_datasets that has qrels", came, "Look its id up."
        ) from None
    except (
        Exception
    ) as error:  # of any kind: of the network, of a server that has moved, of a full disk
        came, remedy = (
            f"an error: {shorten(str(error))}",
            "Is there a network? Otherwise give a qrels file.",
        )
        raise ReadError(name, None, "a dataset that can be downloaded", came, remedy) from None
    if not lines:
        raise ReadError(name, None, "at least one judgment", "none")
    columns = {"topic": "query_id", "document": "doc_id", "grade": "relevance"}
    return qrels_from(
        name,
        table_of(
            name,
            {column: [getattr(line, key) for line in lines] for column, key in columns.items()},
        ),
    )


def _frame(given: Any, name: str) -> Any:
    """Convert a frame, a table of another library, or named tuples to a data frame."""
    if hasattr(given, "columns") and hasattr(given, "iloc"):
        return given
    if hasattr(given, "to_pandas"):  # of Hugging Face, Arrow or Polars
        return given.to_pandas()
    rows = [*require_form(name, given, "a data frame")]
    if not all(hasattr(row, "_fields") for row in rows):
        came = type(next(row for row in rows if not hasattr(row, "_fields"))).__name__
        raise ParamError(
            f"{name}: expected a data frame, or rows that are named tuples, found rows of type"
            f" {came}."
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
    if not found.keys() >= {*needed}:  # they may be in the index
        frame = frame.reset_index(
            level=[
                level
                for level in frame.index.names
                if level is not None and level not in frame.columns
            ]
        )
        found = _find_columns(frame, wanted)
    if twice := next(
        (heading for heading in found.values() if list(frame.columns).count(heading) > 1), ""
    ):
        raise ReadError(name, None, "each column once", f"{twice} twice", "Leave one out.")
    for column in needed:
        if column not in found:
            raise missing_column(name, column, frame.columns)
    return table_of(name, {column: frame[heading] for column, heading in found.items()})
