"""What is asked of several collections at once, as reports and recipes know it: beside the experiments, which have one."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from irmeval.experiments import EXPERIMENTS, Experiment
from irmeval.experiments.recipe import ACROSS
from irmeval.experiments.reliability import scorecard
from irmeval.papers import findings_across
from irmeval.papers.across import NO_TEAMS, Source, Teams, compare_collections


class Comparison(NamedTuple):
    """What is asked of several collections.

    Attributes
    ----------
    name, title, meaning, source : as of an experiment
    params : the record of its parameters
    make : of the collections, measures and parameters, which runs of each are of one team by keyword, and `how` of `compare_collections`
    pages : of the dashboard that show it
    """

    name: str
    title: str
    meaning: str
    source: str
    params: type[Any]
    make: Callable[..., Any]
    pages: tuple[str, ...] = (ACROSS,)

    def __call__(self, sources: Mapping[str, Source], measures: Any, params: Any, *, teams: Teams = NO_TEAMS, **how: Any) -> Any:
        """Compare the collections."""
        return self.make(sources, measures, params, teams, **how)


def _figures(sources: Mapping[str, Source], measures: Any, params: Any, _: Teams, **how: Any) -> Any:
    return compare_collections(sources, measures, params, **how)


def _findings(sources: Mapping[str, Source], _: Any, __: Any, teams: Teams, **how: Any) -> Any:
    return findings_across.compare_findings(sources, teams=teams, **how)


COMPARISONS = {
    comparison.name: comparison
    for comparison in (
        Comparison(
            ACROSS,
            "Across collections",
            "The figures that sum up each measure on several collections: how far the collections agree on the order of the measures, and "
            "the difference between two measures on each and over all (random effects).",
            "DerSimonian & Laird 1986; Hartung & Knapp 2001; Soboroff 2018; Urbano & Nagler 2018",
            scorecard.Params,
            _figures,
        ),
        Comparison(
            findings_across.FINDINGS,
            "Findings across collections",
            "Every finding of the papers, held against several collections, each on the runs that its paper would choose there.",
            "the five papers",
            findings_across.Params,
            _findings,
        ),
    )
}
"""The comparisons of collections, by name."""


def named(name: str) -> Experiment[Any, Any] | Comparison:
    """The experiment, or the comparison of collections, of a name."""
    return COMPARISONS.get(name) or EXPERIMENTS[name]
