"""Panels of judges of results: conversion to JSON and back, and joining with a
collection or with each other.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from irmeval.collection import Collection
from irmeval.core.errors import ParamError
from irmeval.core.text import list_few
from irmeval.experiments.recipe import RecordedPanel
from irmeval.judges import Judges
from irmeval.judges.base import Judgments
from irmeval.reading.records import Record
from irmeval.reading.trec import Qrels


def as_dict(panel: RecordedPanel) -> dict[str, Any]:
    """JSON object of a panel: who evaluates, and for each judge the digest of the file,
    or the text of the simulation.
    """
    described = zip(panel.names, panel.digests, panel.level, panel.made, strict=True)
    judges = [
        {"name": name, "sha256": digest, "relevant": level, "simulated": made}
        for name, digest, level, made in described
    ]
    return {
        "by": panel.names[0],
        "own": panel.own,
        "before": panel.before,
        "judges": judges,
        "maps": {name: [*grades] for name, grades in panel.maps},
        "only": [*panel.only],
    }


def from_table(kept: Record) -> RecordedPanel:
    """A panel from a record. Raises `ReadError` if it is none."""
    judges = kept.tables("judges")
    names = tuple(judge.text("name") for judge in judges)
    if len(set(names)) < max(len(names), 2):
        raise kept.refuse("judges", "at least two judges, with different names", names)
    if kept.text("own") not in names:
        raise kept.refuse("own", f"one of {list_few([*names])}", kept.text("own"))
    if kept.text("by") != names[0]:
        raise kept.refuse("by", f"the first, {names[0]}", kept.text("by"))
    maps = kept.table("maps")
    if unknown := [name for name in maps.values if name not in names]:
        raise kept.refuse("maps", f"one of {list_few([*names])}", unknown[0])
    level = tuple(judge.whole("relevant", 1) for judge in judges)
    made, digests = (
        tuple(judge.text("simulated") for judge in judges),
        tuple(judge.digest("sha256", "") for judge in judges),
    )
    grades = tuple((name, maps.pairs(name, int)) for name in maps.values)
    return RecordedPanel(
        names,
        level,
        made,
        grades,
        kept.text("own"),
        kept.whole("before", 0),
        digests,
        kept.texts("only"),
    )


def without_further_judges(collection: Collection) -> Collection:
    """A collection without its other judges."""
    return collection.judged_by(collection.panel.own).alone if collection.panel else collection


def joined(
    panel: RecordedPanel | None, collection: Collection, files: Mapping[str, Judgments]
) -> Collection:
    """A collection with the judges of a result, or without other judges if the result
    has none.
    """
    return (
        with_further_judges(panel, collection, files)
        if panel
        else without_further_judges(collection)
    )


def with_further_judges(
    panel: RecordedPanel, collection: Collection, files: Mapping[str, Judgments]
) -> Collection:
    """A collection with the other judges of a result. Simulated judges are drawn again.

    Raises `ParamError` for a judge whose judgments are not among the files, or have
    another digest.
    """
    joined, maps, levels = (
        without_further_judges(collection),
        dict(panel.maps),
        dict(zip(panel.names, panel.level, strict=True)),
    )
    for name, given in _given(panel, files).items():
        joined = joined.with_judgments(
            name, given, map=dict(maps.get(name, ())), relevant=levels[name], first=panel.own
        )
    if joined.panel:
        _refuse_others(panel, joined.panel.judges)
    return joined


def compared(
    panel: RecordedPanel, source: Collection | Qrels, files: Mapping[str, Judgments], repeated: str
) -> Judges:
    """The judges of a result. The first judgments are those of a collection or of a
    file. Raises as `with_further_judges`.
    """
    maps = {name: dict(grades) for name, grades in panel.maps}
    if isinstance(source, Collection):
        together = with_further_judges(panel, source, files).panel
        assert together
        judges = together.judges.mapped(panel.own, maps.get(panel.own, {}))
    else:
        judges = Judges.joined(panel.own, source, _given(panel, files), maps, repeated)
        _refuse_others(panel, judges)
    for name, level in zip(panel.names, panel.level, strict=True):
        judges = judges.relevant_from(name, level)
    judges = judges.within(panel.only) if panel.only else judges
    return judges.led_by(judges.number(panel.names[0]))


def names(panels: Iterable[RecordedPanel | None]) -> list[str]:
    """Names of the other judges whose judgments are read from files."""
    return [
        *dict.fromkeys(
            name for panel in panels if panel for name, made in panel.others() if not made
        )
    ]


def _given(panel: RecordedPanel, files: Mapping[str, Judgments]) -> dict[str, Judgments]:
    """Judgments, or the simulation, of each other judge."""
    digests = dict(zip(panel.names, panel.digests, strict=True))
    given: dict[str, Judgments] = {}
    for name, made in panel.others():
        if not made and name not in files:
            digest = f" (SHA-256 {digests[name][:12]})" if digests[name] else ""
            raise ParamError(
                f"the judgments of {name}{digest} are missing. Give the file with --other, or drop"
                " it on the page Collection."
            )
        given[name] = made or files[name]
    return given


def _refuse_others(panel: RecordedPanel, judges: Judges) -> None:
    """Raise `ParamError` if the file of another judge has changed."""
    before = dict(zip(panel.names, panel.digests, strict=True))
    # those of its own judge are reported as the collection's qrels
    del before[panel.own]
    for name, digest in before.items():
        now = judges.digests[judges.number(name)]
        # a simulated judge has no file
        if digest and now != digest:
            found = now[:12] or "of no file"
            raise ParamError(f"the judgments of {name} differ: {found} in place of {digest[:12]}.")
