"""Papers: one file each, with its tables and figures as experiments that can be made again on other data."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from irmeval.collection import Collection
from irmeval.errors import ParamError
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.base import Chart, Progress, Result
from irmeval.metrics import Measure, distinct
from irmeval.params import fields
from irmeval.reading.teams import LETTERS
from irmeval.registry import Registry
from irmeval.selection import Selection

if TYPE_CHECKING:
    import pandas as pd


class Exhibit(NamedTuple):
    """Tables and figures that one experiment makes.

    Attributes
    ----------
    label : as the paper counts them: ``Figs. 3-4``
    title : what they show
    experiment : its name
    params : how the paper ran it; None for the experiment's own defaults
    measures : in place of the paper's usual ones
    charts, tables : what of the result the paper shows, by the beginning of the title; all where empty
    differs : in what this is not what the paper did
    """

    label: str
    title: str
    experiment: str
    params: Any = None
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
    return tuple(m for m in distinct(exhibit.measures or paper.measures) if m.params["rel"] <= collection.top_grade)


def remake(
    paper: Paper,
    exhibit: Exhibit,
    collection: Collection,
    *,
    team_rule: str = LETTERS,
    team: Mapping[str, str] | None = None,
    progress: Progress | None = None,
) -> Any:
    """The result of an exhibit's experiment on a collection; `team_rule` and `team` say which runs are of one team.

    Raises `ParamError` where the collection does not allow the experiment.
    """
    found = EXPERIMENTS[exhibit.experiment]
    params = exhibit.params or found.params()
    if not found.data:
        return found.run(distinct(exhibit.measures), params)
    measures = measures_of(paper, exhibit, collection)
    if found.measured and not measures:
        raise ParamError(f"{exhibit.label}: the collection has none of the relevance levels that are compared.")
    more: dict[str, Any] = {}
    if "team_rule" in fields(found.params):
        params, more = replace(params, team_rule=team_rule), {"team": team}
    return found.run(collection, measures, params, progress=progress, **more)


def charts_of(exhibit: Exhibit, result: Result) -> list[Chart]:
    """The charts that belong to an exhibit."""
    return [one for one in result.charts() if _wanted(one.title, exhibit.charts)]


def tables_of(exhibit: Exhibit, result: Result) -> "dict[str, pd.DataFrame]":
    """The tables that belong to an exhibit, by title."""
    return {title: frame for title, frame in result.tables().items() if _wanted(title, exhibit.tables)}


def _wanted(title: str, beginnings: Sequence[str]) -> bool:
    return not beginnings or title.startswith(tuple(beginnings))
