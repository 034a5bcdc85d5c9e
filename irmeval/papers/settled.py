"""The runs of an exhibit: as the paper chose them, as a reader decides otherwise, or what was taken where they cannot be had."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from irmeval.collection import Collection
from irmeval.errors import ParamError
from irmeval.papers.base import Exhibit, Paper
from irmeval.selection import Selection, select
from irmeval.words import counted

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Otherwise:
    """What a reader decides otherwise than a paper.

    Attributes
    ----------
    rules : of the selection of runs and topics, by name
    params : trials, samples and seed, where an experiment has them
    as_published : one sample of the judgments per rate, as in all papers
    """

    rules: Mapping[str, Any] = field(default_factory=dict)
    params: Mapping[str, Any] = field(default_factory=dict)
    as_published: bool = False


class Settled(NamedTuple):
    """The runs and topics that an exhibit has."""

    collection: Collection
    rules: Selection
    table: "pd.DataFrame"
    """one row per run: whether it is kept, and why not"""
    instead: str
    """a sentence on what was done instead, where the data cannot follow the paper; else empty"""


def settle(
    paper: Paper, exhibit: Exhibit | None, everything: Collection, otherwise: Otherwise, team: Mapping[str, str] | None = None
) -> Settled:
    """The runs of an exhibit, or those that the paper mostly works on; all of them where its own rules leave fewer than two.

    Raises `ParamError` where what the reader decides otherwise leaves none.
    """
    rules = replace((exhibit and exhibit.selection) or paper.selection, **otherwise.rules)
    try:
        selected = select(everything, rules, team)
        kept = len(selected.collection.runs)
        if kept < 2 <= len(everything.runs):
            raise ParamError("the paper's selection leaves one run")
    except ParamError as error:
        rules = replace(Selection(), **otherwise.rules)
        selected = select(everything, rules, team)
        said = str(error).rstrip(".")
        return Settled(selected.collection, rules, selected.table, f"{counted(len(selected.collection.runs), 'run')} as they are: {said}.")
    drawn, best = rules.random_runs > kept, rules.top_runs > kept
    wanted = f"drew {rules.random_runs}" if drawn else f"took the best {rules.top_runs}"
    instead = f"All {counted(kept, 'run')}, where the paper {wanted}." if drawn or best else ""
    return Settled(selected.collection, rules, selected.table, instead)
