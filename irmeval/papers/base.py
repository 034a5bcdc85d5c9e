"""Papers: one file each, with its tables and figures as experiments that can be made again on other data."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

from irmeval.collection import Collection
from irmeval.errors import ParamError
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.base import Progress, Store
from irmeval.experiments.results import Chart, Result, Table, named
from irmeval.metrics import Measure, distinct
from irmeval.params import settled
from irmeval.reading.teams import LETTERS
from irmeval.registry import Registry
from irmeval.selection import Selection


class Exhibit(NamedTuple):
    """Tables and figures that one experiment makes.

    Attributes
    ----------
    label : as the paper counts them: ``Figs. 3-4``
    title : what they show
    experiment : its name
    params : how the paper ran it, where that is not the experiment's default
    measures : in place of the paper's usual ones
    charts, tables : what of the result the paper shows, by name; all where empty
    differs : in what this is not what the paper did
    """

    label: str
    title: str
    experiment: str
    params: Mapping[str, Any] = MappingProxyType({})
    measures: tuple[str, ...] = ()
    charts: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    differs: str = ""


@dataclass(frozen=True)
class Paper:
    """A source paper.

    Attributes
    ----------
    name, title, reference : in addresses and commands; short; in full
    asks : the question it answers
    measures : what it compares
    selection, selects : the runs it worked on, as rules and in words
    differs : in what all of this is not what the paper did
    exhibits : in its own order
    """

    name: str
    title: str
    reference: str
    asks: str
    measures: tuple[str, ...]
    selection: Selection
    selects: str
    differs: str
    exhibits: tuple[Exhibit, ...]


PAPERS: Registry[Paper] = Registry("paper")


def add(paper: Paper) -> None:
    """Register a paper under its name."""
    PAPERS.add(paper.name, paper)


def measures_of(paper: Paper, exhibit: Exhibit, collection: Collection) -> tuple[Measure, ...]:
    """What an exhibit compares, but for relevance levels that the collection does not have."""
    experiment, measures = EXPERIMENTS[exhibit.experiment], distinct(exhibit.measures or paper.measures)
    if not experiment.data:
        return measures
    return tuple(m for m in measures if m.params["rel"] <= collection.top_grade) if experiment.measured else ()


def asked(paper: Paper, exhibit: Exhibit, collection: Collection, team_rule: str = LETTERS) -> tuple[tuple[Measure, ...], Any]:
    """What an exhibit asks of its experiment: measures and parameters; the rule says which runs are of one team.

    Raises `ParamError` where the collection has none of the relevance levels that are compared.
    """
    experiment, measures = EXPERIMENTS[exhibit.experiment], measures_of(paper, exhibit, collection)
    if experiment.measured and not measures:
        raise ParamError(f"{exhibit.label}: the collection has none of the relevance levels that are compared.")
    return measures, settled(experiment.params(**exhibit.params), team_rule=team_rule)


def remake(
    paper: Paper,
    exhibit: Exhibit,
    collection: Collection,
    *,
    team_rule: str = LETTERS,
    team: Mapping[str, str] | None = None,
    store: Store | None = None,
    progress: Progress | None = None,
) -> Any:
    """The result of an exhibit's experiment on a collection; `team_rule` and `team` say which runs are of one team.

    Raises `ParamError` where the collection does not allow the experiment.
    """
    measures, params = asked(paper, exhibit, collection, team_rule)
    return EXPERIMENTS[exhibit.experiment](collection, measures, params, team=team, store=store, progress=progress)


def charts_of(exhibit: Exhibit, result: Result) -> list[Chart]:
    """The charts that belong to an exhibit."""
    return named(result.charts(), exhibit.charts)


def tables_of(exhibit: Exhibit, result: Result) -> list[Table]:
    """The tables that belong to an exhibit."""
    return named(result.tables(), exhibit.tables)
