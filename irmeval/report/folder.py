"""All of a result as files: its tables, the data of its figures, and what was found."""

import json
from dataclasses import asdict
from pathlib import Path

from irmeval import __version__
from irmeval.errors import ParamError
from irmeval.experiments.base import Experiment
from irmeval.experiments.results import Result
from irmeval.program.saving import save
from irmeval.report.tables import ENDINGS, FORMATS
from irmeval.words import slugs


def write(experiment: Experiment[object, Result], result: Result, folder: Path, form: str = "csv") -> list[str]:
    """Write every table in a form of `FORMATS`, every figure as Plotly's JSON (its traces hold the numbers that are drawn), and
    `result.json`; the names of the files. Plotly must be installed.
    """
    if form not in FORMATS:
        raise ParamError(f"format: expected one of {', '.join(FORMATS)} for all tables, came {form}.")
    folder.mkdir(parents=True, exist_ok=True)
    tables, charts, files = result.tables(), result.charts(), []

    def put(name: str, text: str) -> None:
        save(folder / name, text)
        files.append(name)

    for table, stem in zip(tables, slugs(table.name for table in tables), strict=True):
        put(f"{stem}.{ENDINGS[form]}", FORMATS[form](table.make()))
    for chart, stem in zip(charts, slugs(chart.name for chart in charts), strict=True):
        put(f"figure-{stem}.json", f"{chart.draw().to_json()}\n")
    said = {
        "experiment": experiment.name,
        "found": result.headline(),
        "measures": result.measures,
        "parameters": asdict(result.params),
        "tables": {table.name: table.title for table in tables},
        "figures": {chart.name: {"title": chart.title, "caption": chart.caption} for chart in charts},
        "irmeval": __version__,
    }
    put("result.json", json.dumps(said, indent=1, ensure_ascii=False) + "\n")
    return files
