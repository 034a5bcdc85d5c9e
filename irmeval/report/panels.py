"""Panels of judges of results, joined with a collection or with each other."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain

from irmeval.collection import Collection
from irmeval.core.errors import ParamError
from irmeval.experiments.recipe import RecordedJudge, RecordedPanel
from irmeval.judges import Judges
from irmeval.judges.base import Judgments
from irmeval.reading.trec import Qrels


def without_further_judges(collection: Collection) -> Collection:
    """A collection without its other judges."""
    if collection.panel is None:
        return collection
    # another judge may lead it
    return collection.judged_by(collection.panel.own).alone


def joined(
    panel: RecordedPanel | None, collection: Collection, files: Mapping[str, Judgments]
) -> Collection:
    """A collection with the judges of a result, or without other judges if the result
    has none.
    """
    if panel is None:
        return without_further_judges(collection)
    return with_further_judges(panel, collection, files)


def with_further_judges(
    panel: RecordedPanel, collection: Collection, files: Mapping[str, Judgments]
) -> Collection:
    """A collection with the other judges of a result. Simulated judges are drawn again.

    Raises `ParamError` for a judge whose judgments are not among the files, or have
    another digest.
    """
    joined = without_further_judges(collection)
    for judge, given in _given(panel, files):
        joined = joined.with_judgments(
            judge.name, given, map=dict(judge.map), relevant=judge.relevant, first=panel.own
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
    maps = {judge.name: dict(judge.map) for judge in panel.judges if judge.map}
    if isinstance(source, Collection):
        together = with_further_judges(panel, source, files).panel
        assert together
        judges = together.judges.mapped(panel.own, maps.get(panel.own, {}))
    else:
        others = {judge.name: given for judge, given in _given(panel, files)}
        judges = Judges.joined(panel.own, source, others, maps, repeated)
        _refuse_others(panel, judges)
    for judge in panel.judges:
        judges = judges.relevant_from(judge.name, judge.relevant)
    if panel.only:
        judges = judges.within(panel.only)
    return judges.led_by(judges.number(panel.names[0]))


def names(panels: Iterable[RecordedPanel | None]) -> list[str]:
    """Names of the other judges whose judgments are read from files."""
    others = chain.from_iterable(map(RecordedPanel.others, filter(None, panels)))
    return [*dict.fromkeys(judge.name for judge in others if not judge.simulated)]


def _given(
    panel: RecordedPanel, files: Mapping[str, Judgments]
) -> Iterator[tuple[RecordedJudge, Judgments]]:
    """Each other judge with its judgments, or else its simulation."""
    for judge in panel.others():
        given = files.get(judge.name, judge.simulated)
        if given == "":
            lacking = judge.name
            if judge.sha256:
                lacking += f" (SHA-256 {judge.sha256[:12]})"
            raise ParamError(
                f"the judgments of {lacking} are missing. Give the file with --other, or drop it on"
                " the page Collection."
            )
        yield judge, given


def _refuse_others(panel: RecordedPanel, judges: Judges) -> None:
    """Raise `ParamError` if the file of another judge has changed. That of the panel's
    own judge is reported as the collection's qrels.
    """
    for judge in panel.others():
        now, before = judges.digests[judges.number(judge.name)], judge.sha256
        # a simulated judge has no file
        if now == before or not before:
            continue
        found = now[:12] or "of no file"
        raise ParamError(
            f"the judgments of {judge.name} differ: {found} in place of {before[:12]}."
        )
