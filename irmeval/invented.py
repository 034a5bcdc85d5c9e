"""Judges who do not exist, beside a collection, which is not known here by its type: it stands above, and asks for them."""

from typing import Any

from irmeval.reading.trec import Qrels
from irmeval.simulation import Simulation


def invented(collection: Any, simulation: Simulation) -> tuple[Qrels, str]:
    """The judgments of a judge who does not exist, drawn from those of a judge of a collection, and the text that draws the same again,
    whoever evaluates then. Raises as `Simulation.of`, and `UnknownName` for a judge who is not there."""
    if collection.panel and not simulation.first and collection.judges[0] != collection.panel.own:
        simulation = simulation._replace(first=collection.judges[0])
    ranked = collection.judged_by(simulation.first) if simulation.first else collection
    return simulation.of(graded_by(collection, simulation.first), ranked), simulation.text()


def graded_by(collection: Any, name: str = "") -> Qrels:
    """The judgments of one of the judges of a collection, by default the first, as they are mapped."""
    if collection.panel:
        return collection.panel.judges.qrels_of(collection.panel.judges.number(name) if name else 0)
    c = collection.judged_by(name) if name else collection
    return Qrels(c.topics, c.topic, c.documents, c.grade)
