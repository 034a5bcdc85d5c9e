"""Writing of files into a folder, such as those of a result: its tables, the data of
its figures, and a record.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from irmeval.core.errors import ParamError
from irmeval.core.records import to_json
from irmeval.core.saving import save
from irmeval.core.tables import ENDINGS, FORMATS, write_table
from irmeval.core.text import shorten, slugs
from irmeval.core.version import __version__
from irmeval.experiments.base import Experiment
from irmeval.experiments.results import Chart, Frame, Result, Table
from irmeval.reading.files import is_file_name

RECORD = "result.json"
"""The file with the finding of a result, its parameters, and the titles of its tables
and figures.
"""
OBSERVATIONS = "observations"
"""Suffix of the file with all observations of a result."""
Part = TypeVar("Part", Table, Chart)


def by_stem(parts: Sequence[Part]) -> dict[str, Part]:
    """Tables or charts of a result, by file name without ending."""
    return dict(zip(slugs(part.name for part in parts), parts, strict=True))


def frames_by_stem(result: Result) -> dict[str, tuple[str, Callable[[], Frame]]]:
    """Title of each table of a result and the function that makes it, by file name
    without ending. The last table has all observations.
    """
    tables = {stem: (table.title, table.make) for stem, table in by_stem(result.tables()).items()}
    return {**tables, OBSERVATIONS: ("Every observation", result.frame)}


def write_file(folder: Path, name: str, text: str) -> str:
    """Write a file into a folder, which is created if it does not exist. Returns the
    name.

    Raises `ParamError` for a name that leads out of the folder, or that is a link out
    of it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = (folder / name).resolve()
    if not is_file_name(name) or path.parent != folder.resolve():
        raise ParamError(
            f"{shorten(name)}: expected the name of a file in {folder}, found a path that leads out"
            " of it."
        )
    save(path, text)
    return name


def check_form(form: str) -> None:
    """Raise `ParamError` for a format that is not in `FORMATS`."""
    if form not in FORMATS:
        raise ParamError(
            f"format: expected one of {', '.join(FORMATS)} for all tables, found {form}."
        )


def _table(table: Table, form: str, note: str) -> str:
    return write_table(table.make(), form, table.noted(note))


def _figure(chart: Chart) -> str:
    return f"{chart.draw().to_json()}\n"


def write(
    experiment: Experiment[object, Result], result: Result, folder: Path, form: str = "csv"
) -> list[str]:
    """Write all tables in a form of `FORMATS`, all figures as JSON of Plotly, and
    `result.json`. Returns the names of the files.

    Plotly must be installed. Until all files are written, `result.json` names those
    that are missing.
    """
    check_form(form)
    tables, charts = result.tables(), result.charts()
    texts: dict[str, Callable[[], str]] = {}
    for stem, table in by_stem(tables).items():
        texts[f"{stem}.{ENDINGS[form]}"] = partial(_table, table, form, result.note)
    for stem, chart in by_stem(charts).items():
        texts[f"figure-{stem}.json"] = partial(_figure, chart)
    record = {
        "experiment": experiment.name,
        "found": result.headline(),
        **({"note": result.note} if result.note else {}),
        "measures": result.measures,
        "parameters": to_json(result.params),
        "tables": {table.name: table.title for table in tables},
        "figures": {
            chart.name: {"title": chart.title, "caption": chart.caption} for chart in charts
        },
        "irmeval": __version__,
    }
    # the record goes before each file, and once more when none is missing
    for written, (name, make) in enumerate(texts.items()):
        _write_record(folder, record | {"missing": [*texts][written:]})
        write_file(folder, name, make())
    _write_record(folder, record)
    return [*texts, RECORD]


def _write_record(folder: Path, record: Mapping[str, Any]) -> None:
    write_file(folder, RECORD, json.dumps(record, indent=1, ensure_ascii=False) + "\n")
