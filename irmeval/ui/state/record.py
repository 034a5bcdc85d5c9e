"""A dataset in a visitor's record on disk: JSON, with the names of its Arrow files."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any

from irmeval.collection import Collection
from irmeval.collection.joining import Source, rejoin_runs
from irmeval.core.errors import IrmevalError
from irmeval.judges.grade_maps import map_as_text
from irmeval.reading.score_matrix import Matrix
from irmeval.reading.trec import Qrels, Run
from irmeval.ui.state.dataset import Dataset
from irmeval.workspace.stored import JUDGED_BY, PINNED, NamedQrels, OtherJudge

ALIKE = "key", "name", "unpacked", "settings", "teams", "team_file", "notes"
"""Fields that are the same in the record and the dataset."""


def encode_dataset(dataset: Dataset, put: Callable[[Any], str | None]) -> dict[str, Any]:
    """A dataset for the record; `put` writes a file and returns its name."""

    def judged(qrels: NamedQrels | None) -> list[str | None] | None:
        return [put(qrels.qrels), qrels.name] if qrels else None

    with dataset.lock:
        return {name: getattr(dataset, name) for name in ALIKE} | {
            "qrels": judged(dataset.qrels),
            "held_qrels": judged(dataset.held_qrels),
            "runs": {name: [put(run), run.name] for name, run in dataset.runs.items()},
            "held": {name: [put(run), run.name] for name, run in dataset.held.items()},
            "matrix": put(dataset.matrix),
            "collection": put(dataset.made and dataset.made[1]),
            "named": dataset.named[1] if dataset.named[0] == dataset.uploader else "",
            "judges": {name: put(judge.qrels) for name, judge in dataset.judges.items()},
            "maps": {name: [map_as_text(judge.map), judge.relevant] for name, judge in dataset.judges.items()},
        }


def files_of(datasets: Iterable[dict[str, Any]]) -> set[str]:
    """Names of the files of recorded datasets."""
    found = set()
    for data in datasets:
        found |= {kept[0] for kept in (data["qrels"], data["held_qrels"]) if kept}
        found |= {file for kept in (data["runs"], data["held"]) for file, _ in kept.values()}
        found |= {data["matrix"], data["collection"], *data.get("judges", {}).values()} - {None}
    return found


def decode_dataset(data: dict[str, Any], contents: dict[str, Any], uploader: int) -> tuple[Dataset, list[str]]:
    """A recorded dataset, from the contents of its files, and what is lost as files are missing. Renamed runs replace those contents."""
    lost: list[str] = []

    def get(file: str | None, kind: type, called: str) -> Any:
        if file is not None and not isinstance(contents.get(file), kind):
            lost.append(called)
            return None
        return file and contents[file]

    def judged(kept: list[str] | None) -> NamedQrels | None:
        qrels = get(kept[0], Qrels, f"the judgments {kept[1]}") if kept else None
        return NamedQrels(str(kept[1]), qrels) if kept and qrels else None

    def runs(kept: dict[str, list[str]]) -> dict[str, Run]:
        named = {}
        for run, (file, name) in kept.items():
            if content := get(file, Run, f"the run {run}"):
                named[run] = contents[file] = content if content.name == name else content._replace(name=name)
        return named

    maps = data.get("maps", {})
    dataset = Dataset(
        runs=runs(data["runs"]),
        held=runs(data["held"]),
        qrels=judged(data["qrels"]),
        held_qrels=judged(data["held_qrels"]),
        matrix=get(data["matrix"], Matrix, "the score matrix"),
        judges={
            str(name): OtherJudge.of(qrels, *maps.get(name, ()))
            for name, file in data.get("judges", {}).items()
            if (qrels := get(file, Qrels, f"the judge {name}"))
        },
        unpacked=int(data["unpacked"]),
        uploader=uploader,
        key=str(data["key"]),
        name=str(data["name"]),
        teams={str(run): str(team) for run, team in data["teams"].items()},
        team_file=str(data["team_file"]),
        notes=str(data["notes"]),
    )
    read_settings(dataset, data["settings"])
    if not lost:
        dataset.named = uploader if data["named"] else -1, str(data["named"])
        if isinstance(found := contents.get(data["collection"]), Collection):  # without it, it is joined again
            join = partial(rejoin_runs, [*dataset.runs_in_use(found.policy).values()], found.policy)
            found = contents[data["collection"]] = replace(found, source=Source(found.runs, found.topics, join))
            dataset.made = found.policy, found
    return dataset, lost


def read_settings(dataset: Dataset, kept: dict[str, Any]) -> None:
    """Set the kept settings of a dataset, if policy and selection accept all of them."""
    pinned = kept.get(PINNED)
    wrong = set() if isinstance(pinned, list) and all(isinstance(run, str) for run in pinned) else {PINNED}
    if not isinstance(kept.get(JUDGED_BY), str):
        wrong.add(JUDGED_BY)
    try:
        dataset.settings = {name: value for name, value in kept.items() if name not in wrong}
    except IrmevalError:
        dataset.settings = {}
