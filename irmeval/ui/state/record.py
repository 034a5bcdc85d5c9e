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
from irmeval.ui.state.dataset import Desk, Judged
from irmeval.workspace.stored import OtherJudge, runs_in_use

PINNED, JUDGED_BY = "pinned", "judged_by"
"""Beside the fields of policy and selection, what is decided on a collection: runs that are pinned, and whose judgments evaluate."""


def written(desk: Desk, put: Callable[[Any], str | None]) -> dict[str, Any]:
    """A dataset as the record has it; `put` writes a file and returns its name."""

    def judged(qrels: Judged | None) -> list[str | None] | None:
        return [put(qrels.index.qrels), qrels.name] if qrels else None

    with desk.lock:
        return {
            "key": desk.key,
            "name": desk.name,
            "qrels": judged(desk.qrels),
            "held_qrels": judged(desk.held_qrels),
            "runs": {name: [put(run), run.name] for name, run in desk.runs.items()},
            "held": {name: [put(run), run.name] for name, run in desk.held.items()},
            "matrix": put(desk.matrix),
            "collection": put(desk.made and desk.made[1]),
            "unpacked": desk.unpacked,
            "named": desk.named[1] if desk.named[0] == desk.uploader else "",
            "settings": desk.settings,
            "judges": {name: put(judge.qrels) for name, judge in desk.judges.items()},
            "maps": {name: [as_text(judge.map), judge.relevant] for name, judge in desk.judges.items()},
            "teams": desk.teams,
            "team_file": desk.team_file,
            "notes": desk.notes,
        }


def files_of(desks: Iterable[dict[str, Any]]) -> set[str]:
    """The files that the records of some datasets name."""
    found = set()
    for data in desks:
        found |= {kept[0] for kept in (data["qrels"], data["held_qrels"]) if kept}
        found |= {file for kept in (data["runs"], data["held"]) for file, _ in kept.values()}
        found |= {data["matrix"], data["collection"], *data.get("judges", {}).values()} - {None}
    return found


def read(data: dict[str, Any], contents: dict[str, Any], uploader: int) -> tuple[Desk, list[str]]:
    """The desk, from the contents of its files; of runs, these get their names. What is not among the contents is left out, and named."""
    lost: list[str] = []

    def get(file: str | None, kind: type, called: str) -> Any:
        if file is not None and not isinstance(contents.get(file), kind):
            lost.append(called)
            return None
        return file and contents[file]

    def judged(kept: list[str] | None) -> Judged | None:
        qrels = get(kept[0], Qrels, f"the judgments {kept[1]}") if kept else None
        return Judged(str(kept[1]), Index(qrels)) if kept and qrels else None

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
    desk = Desk(
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
        settings=sound(data["settings"]),
        judges={name: OtherJudge.of(given, *maps.get(name, ())) for name, given in judges.items() if given},
        teams={str(run): str(team) for run, team in data["teams"].items()},
        team_file=str(data["team_file"]),
        notes=str(data["notes"]),
    )
    return desk, lost


def sound(settings: dict[str, Any]) -> dict[str, Any]:
    """The settings, if the policy and the selection accept all of them; else none."""
    try:
        decided(settings)
    except IrmevalError:
        return {}
    known = {*asdict(Policy()), *asdict(Selection())}
    if isinstance(pinned := settings.get(PINNED), list) and all(isinstance(run, str) for run in pinned):
        known.add(PINNED)
    if isinstance(settings.get(JUDGED_BY), str):
        known.add(JUDGED_BY)
    return {name: value for name, value in settings.items() if name in known}


def decided(settings: dict[str, Any]) -> tuple[Policy, Selection]:
    """The policy and the selection of settings; `ParamError` for values that they do not accept."""
    policy, selection = asdict(Policy()), asdict(Selection())
    return (
        Policy(**policy | {name: value for name, value in settings.items() if name in policy}),
        Selection(**selection | {name: value for name, value in settings.items() if name in selection}),
    )
