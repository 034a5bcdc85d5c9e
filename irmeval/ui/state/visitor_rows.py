"""A visitor as rows of the store, and back: what is kept of them, and how it is written."""

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from irmeval.core.errors import IrmevalError
from irmeval.judges.grade_maps import map_as_text
from irmeval.reading.score_matrix import Matrix
from irmeval.reading.trec import Qrels, Run
from irmeval.report.items import ITEMS
from irmeval.ui.state import home
from irmeval.ui.state.dataset import Dataset
from irmeval.ui.state.store import Key, Rows
from irmeval.ui.state.visitor import CHOICES, Visitor
from irmeval.workspace.archive import Archived, write
from irmeval.workspace.stored import NamedQrels, OtherJudge

KINDS: dict[str, tuple[Any, str]] = {
    "run": (Run, "the run"),
    "files_with_duplicates": (Run, "the run"),
    "qrels": (Qrels, "the judgments"),
    "qrels_with_duplicates": (Qrels, "the judgments"),
    "judge": (Qrels, "the judge"),
    "matrix": (Matrix, "the score matrix"),
}
"""Kind of a file -> type of its content, and what it is called."""
TEXTS = ("teams", "team_file", "notes", "addresses", "unpacked")
"""Fields of a dataset that are settings of it, beside `Dataset.settings`."""


def rows_of(visitor: Visitor) -> Rows:
    """All that is kept of a visitor."""
    rows: Rows = {}
    for dataset in [visitor.dataset, *visitor.other_datasets]:
        with dataset.lock:
            rows |= {} if dataset.bare else _rows_of_dataset(visitor, dataset)
    return rows | rows_of_settings(visitor)


def rows_of_settings(visitor: Visitor) -> Rows:
    """What a visitor has decided, beside their collections."""
    kept = visitor.report
    own: dict[str, Any] = {"open": "" if visitor.dataset.bare else visitor.dataset.key, "measures": visitor.measures}
    own |= {f"parameters/{page}/{name}": value for page, values in visitor.parameters.items() for name, value in values.items()}
    own |= {f"choices/{mark}": names for mark, names in visitor.choices.items()}
    own |= {f"habits/{name}": value for name, value in visitor.habits.items()}
    own |= {f"report/{name}": value for name, value in kept.items() if name != "items"}
    items = {str(item.get("key") or json.dumps(item, sort_keys=True)): item for item in kept.get("items", ())}
    own |= {f"item/{key}": item for key, item in items.items()} | {"order": [*items]}
    return {("setting", "", name): (json.dumps(value),) for name, value in own.items()}


def _rows_of_dataset(visitor: Visitor, dataset: Dataset) -> Rows:
    key = dataset.key
    rows: Rows = {("dataset", key): (dataset.name,)}

    def add(kind: str, name: str, content: Archived, detail: object = "") -> None:
        rows["file", key, kind, name] = (*_identify(visitor, content), json.dumps(detail))

    for kind, runs in (("run", dataset.runs), ("files_with_duplicates", dataset.files_with_duplicates)):
        for name, run in runs.items():
            add(kind, name, run)
    for kind, judged in (("qrels", dataset.qrels), ("qrels_with_duplicates", dataset.qrels_with_duplicates)):
        if judged:
            add(kind, "", judged.qrels, judged.name)
    for name, judge in dataset.judges.items():
        add("judge", name, judge.qrels, [map_as_text(judge.map), judge.relevant])
    if dataset.matrix:
        add("matrix", "", dataset.matrix)
        for matrix in dataset.other_matrices:
            add("matrix", f"{matrix.judge}: {matrix.name}", matrix)
    decided = dataset.settings | {name: value for name in TEXTS if (value := getattr(dataset, name))}
    return rows | {("setting", key, name): (json.dumps(value),) for name, value in decided.items()}


def _identify(visitor: Visitor, content: Archived) -> tuple[str, int]:
    """Digest and number of bytes of a content."""
    if not (known := visitor.disk.contents.get(id(content))):
        data = write(content)
        known = visitor.disk.contents[id(content)] = content, home.hash_of(data), data.size
    return known[1], known[2]


def read_dataset(own: str, rows: Rows, known: dict[str, Any], uploader: int) -> tuple[Dataset, set[Key]]:
    """The dataset with these rows, from contents by digest, and the rows whose content is missing."""
    decided = {key[2]: json.loads(str(row[0])) for key, row in rows.items() if key[0] == "setting"}
    ((name,),) = [row for key, row in rows.items() if key[0] == "dataset"] or [("",)]
    dataset = Dataset(uploader=uploader, name=str(name), key=own)
    lost = set()
    for key, (file, _, text) in ((key, row) for key, row in rows.items() if key[0] == "file"):
        (kind, name), content, detail = key[2:], known[str(file)], json.loads(str(text))
        if not isinstance(content, KINDS[kind][0]):
            lost.add(key)
        elif kind == "run":
            dataset.runs[name] = content
        elif kind == "files_with_duplicates":
            dataset.files_with_duplicates[name] = content
        elif kind == "judge":
            dataset.judges[name] = OtherJudge.of(content, *detail)
        elif kind == "matrix" and name:
            dataset.other_matrices += (content,)
        elif kind == "matrix":
            dataset.matrix = content
        else:
            setattr(dataset, kind, NamedQrels(detail, content))
    for part in TEXTS:
        setattr(dataset, part, decided.pop(part, getattr(dataset, part)))
    with suppress(IrmevalError, TypeError, ValueError):  # settings of another version
        dataset.settings = decided
    return dataset, lost


def read_settings(visitor: Visitor, kept: dict[str, Any]) -> None:
    """Set what a visitor has decided, from their settings by name."""

    def under(name: str) -> Iterator[tuple[str, Any]]:
        return ((key.removeprefix(f"{name}/"), value) for key, value in kept.items() if key.startswith(f"{name}/"))

    visitor.measures = kept.get("measures", [])
    parameters: dict[str, dict[str, Any]] = {}
    for key, value in under("parameters"):
        page, name = key.split("/", 1)
        parameters.setdefault(page, {})[name] = value
    items = dict(under("item"))
    order = [key for key in dict.fromkeys([*kept.get("order", ()), *items]) if key in items]
    report = dict(under("report"))
    visitor.parameters, visitor.habits = parameters, dict(under("habits"))
    visitor.choices = dict([*under("choices")][-CHOICES:])
    visitor.report = report | {"items": [items[key] for key in order][:ITEMS]} if report or items else {}
