"""A dataset in a visitor's record on disk: JSON, and the Arrow files that it names."""

from collections.abc import Callable, Iterable
from dataclasses import asdict, replace
from functools import partial
from typing import Any

from irmeval.collection import Collection
from irmeval.collection.joining import Index, Source, rejoin_runs
from irmeval.core.errors import IrmevalError
from irmeval.judges.grade_maps import as_text
from irmeval.reading.matrix import Matrix
from irmeval.reading.policy import Policy
from irmeval.reading.trec import Qrels, Run
from irmeval.scoring.selection import Selection
from irmeval.ui.state.dataset import Dataset, DroppedQrels
from irmeval.workspace.stored import OtherJudge, runs_in_use

PINNED, JUDGED_BY = "pinned", "judged_by"
"""Beside the fields of policy and selection, what is decided on a collection: runs that are pinned, and whose judgments evaluate."""


def encode_dataset(dataset: Dataset, put: Callable[[Any], str | None]) -> dict[str, Any]:
    """A dataset as the record has it; `put` writes a file and returns its name."""

    def judged(qrels: DroppedQrels | None) -> list[str | None] | None:
        return [put(qrels.index.qrels), qrels.name] if qrels else None

    with dataset.lock:
        return {
            "key": dataset.key,
            "name": dataset.name,
            "qrels": judged(dataset.qrels),
            "held_qrels": judged(dataset.held_qrels),
            "runs": {name: [put(run), run.name] for name, run in dataset.runs.items()},
            "held": {name: [put(run), run.name] for name, run in dataset.held.items()},
            "matrix": put(dataset.matrix),
            "collection": put(dataset.made and dataset.made[1]),
            "unpacked": dataset.unpacked,
            "named": dataset.named[1] if dataset.named[0] == dataset.uploader else "",
            "settings": dataset.settings,
            "judges": {name: put(judge.qrels) for name, judge in dataset.judges.items()},
            "maps": {name: [as_text(judge.map), judge.relevant] for name, judge in dataset.judges.items()},
            "teams": dataset.teams,
            "team_file": dataset.team_file,
            "notes": dataset.notes,
        }


def files_of(datasets: Iterable[dict[str, Any]]) -> set[str]:
    """The files that the records of some datasets name."""
    found = set()
    for data in datasets:
        found |= {kept[0] for kept in (data["qrels"], data["held_qrels"]) if kept}
        found |= {file for kept in (data["runs"], data["held"]) for file, _ in kept.values()}
        found |= {data["matrix"], data["collection"], *data.get("judges", {}).values()} - {None}
    return found


def decode_dataset(data: dict[str, Any], contents: dict[str, Any], uploader: int) -> tuple[Dataset, list[str]]:
    """The dataset, from the contents of its files; runs take the names there. What the contents lack is left out, and named."""
    lost: list[str] = []

    def get(file: str | None, kind: type, called: str) -> Any:
        if file is not None and not isinstance(contents.get(file), kind):
            lost.append(called)
            return None
        return file and contents[file]

    def judged(kept: list[str] | None) -> DroppedQrels | None:
        qrels = get(kept[0], Qrels, f"the judgments {kept[1]}") if kept else None
        return DroppedQrels(str(kept[1]), Index(qrels)) if kept and qrels else None

    def runs(kept: dict[str, list[str]]) -> dict[str, Run]:
        named = {}
        for run, (file, name) in kept.items():
            if content := get(file, Run, f"the run {run}"):
                named[run] = contents[file] = content if content.name == name else content._replace(name=name)
        return named

    maps = data.get("maps", {})
    used, held = runs(data["runs"]), runs(data["held"])
    qrels, held_qrels = judged(data["qrels"]), judged(data["held_qrels"])
    matrix = get(data["matrix"], Matrix, "the score matrix")
    judges = {str(name): get(file, Qrels, f"the judge {name}") for name, file in data.get("judges", {}).items()}
    found = None if lost else contents.get(data["collection"])  # without it, it is joined again
    made = None
    if isinstance(found, Collection):
        join = partial(rejoin_runs, [*runs_in_use(found.policy, used, held).values()], found.policy)
        made = contents[data["collection"]] = replace(found, source=Source(found.runs, found.topics, join))
    dataset = Dataset(
        qrels=qrels,
        runs=used,
        held_qrels=held_qrels,
        held=held,
        matrix=matrix,
        unpacked=int(data["unpacked"]),
        made=(made.policy, made) if made else None,
        uploader=uploader,
        named=(uploader if data["named"] and not lost else -1, str(data["named"])),
        key=str(data["key"]),
        name=str(data["name"]),
        settings=valid_settings(data["settings"]),
        judges={name: OtherJudge.of(given, *maps.get(name, ())) for name, given in judges.items() if given},
        teams={str(run): str(team) for run, team in data["teams"].items()},
        team_file=str(data["team_file"]),
        notes=str(data["notes"]),
    )
    return dataset, lost


def valid_settings(settings: dict[str, Any]) -> dict[str, Any]:
    """The settings, if the policy and the selection accept all of them; else none."""
    try:
        parse_settings(settings)
    except IrmevalError:
        return {}
    known = {*asdict(Policy()), *asdict(Selection())}
    if isinstance(pinned := settings.get(PINNED), list) and all(isinstance(run, str) for run in pinned):
        known.add(PINNED)
    if isinstance(settings.get(JUDGED_BY), str):
        known.add(JUDGED_BY)
    return {name: value for name, value in settings.items() if name in known}


def parse_settings(settings: dict[str, Any]) -> tuple[Policy, Selection]:
    """The policy and the selection of settings; `ParamError` for values that they do not accept."""
    policy, selection = asdict(Policy()), asdict(Selection())
    return (
        Policy(**policy | {name: value for name, value in settings.items() if name in policy}),
        Selection(**selection | {name: value for name, value in settings.items() if name in selection}),
    )
