"""The judges of a result: as JSON and back, and joined again with a collection or with each other."""

from collections.abc import Iterable, Mapping
from typing import Any

from irmeval.collection import Collection
from irmeval.errors import ParamError
from irmeval.experiments.recipe import Panel
from irmeval.judges import Judges, Judgments
from irmeval.reading.trec import Qrels


def as_dict(panel: Panel) -> dict[str, Any]:
    """Judges as JSON has them: by whom a result was evaluated, and of each their file's digest, or how they are simulated."""
    described = zip(panel.names, panel.digests, panel.level, panel.made, strict=True)
    judges = [{"name": name, "sha256": digest, "relevant": level, "simulated": made} for name, digest, level, made in described]
    return {
        "by": panel.names[0],
        "own": panel.own,
        "before": panel.before,
        "judges": judges,
        "maps": {name: [*grades] for name, grades in panel.maps},
        "only": [*panel.only],
    }


def from_dict(kept: Mapping[str, Any]) -> Panel:
    """Judges from JSON; `LookupError`, `TypeError` or `ValueError` where they are none."""
    judges = [*kept["judges"]]
    names = tuple(str(judge["name"]) for judge in judges)
    own, before = str(kept["own"]), int(kept["before"])
    maps = tuple((str(name), tuple((int(a), int(b)) for a, b in grades)) for name, grades in kept["maps"].items())
    if own not in names or kept["by"] != names[0] or not {name for name, _ in maps} <= {*names} or before < 0:
        raise ValueError("judges")
    level, made = tuple(int(judge["relevant"]) for judge in judges), tuple(str(judge["simulated"]) for judge in judges)
    digests = tuple(str(judge["sha256"]) for judge in judges)
    return Panel(names, level, made, maps, own, before, digests, tuple(map(str, kept["only"])))


def alone(collection: Collection) -> Collection:
    """A collection as it was read, without further judges."""
    return collection.judged_by(collection.panel.own).alone if collection.panel else collection


def joined(panel: Panel, collection: Collection, files: Mapping[str, Judgments]) -> Collection:
    """A collection that was read, with the judges of a result beside its own: those who do not exist are drawn again.

    Raises `ParamError` for judgments that are not among the files by name, or of another digest.
    """
    made, maps, levels = alone(collection), dict(panel.maps), dict(zip(panel.names, panel.level, strict=True))
    for name, given in _given(panel, files).items():
        made = made.with_judgments(name, given, map=dict(maps.get(name, ())), relevant=levels[name], first=panel.own)
    if made.panel:
        _refuse_others(panel, made.panel.judges)
    return made


def compared(panel: Panel, source: Collection | Qrels, files: Mapping[str, Judgments], repeated: str) -> Judges:
    """The judges of a result, whose own judgments are those of a collection or of a file; raises as `joined`."""
    maps = {name: dict(grades) for name, grades in panel.maps}
    if isinstance(source, Collection):
        together = joined(panel, source, files).panel
        assert together
        judges = together.judges.mapped(panel.own, maps.get(panel.own, {}))
    else:
        judges = Judges.joined(panel.own, source, _given(panel, files), maps, repeated)
        _refuse_others(panel, judges)
    for name, level in zip(panel.names, panel.level, strict=True):
        judges = judges.relevant_from(name, level)
    judges = judges.within(panel.only) if panel.only else judges
    return judges.led_by(judges.number(panel.names[0]))


def names(panels: Iterable[Panel | None]) -> list[str]:
    """Of the judges whose judgments stand in files beside the qrels."""
    return [*dict.fromkeys(name for panel in panels if panel for name, made in panel.others() if not made)]


def _given(panel: Panel, files: Mapping[str, Judgments]) -> dict[str, Judgments]:
    """What the further judges are made of."""
    digests = dict(zip(panel.names, panel.digests, strict=True))
    given: dict[str, Judgments] = {}
    for name, made in panel.others():
        if not made and name not in files:
            digest = f" (SHA-256 {digests[name][:12]})" if digests[name] else ""
            raise ParamError(f"the judgments of {name}{digest} are not here. Name the file with --other, or drop it beside the collection.")
        given[name] = made or files[name]
    return given


def _refuse_others(panel: Panel, judges: Judges) -> None:
    """Raise `ParamError` where a further judge's file is another."""
    for name, before in zip(panel.names, panel.digests, strict=True):
        now = judges.digests[judges.number(name)]
        if name != panel.own and before and now != before:
            raise ParamError(f"the judgments of {name} are others: {now[:12] or 'of no file'} in place of {before[:12]}.")
