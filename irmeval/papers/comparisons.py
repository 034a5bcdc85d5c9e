"""Comparisons of several collections, for reports and recipes; experiments work on one
collection.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from irmeval.experiments import EXPERIMENTS, Experiment
from irmeval.experiments.measures import scorecard
from irmeval.experiments.recipe import ACROSS
from irmeval.papers import findings_across
from irmeval.papers.on_collections import NO_TEAMS, Source, Teams, compare_collections


class Comparison(NamedTuple):
    """A comparison of several collections, which calling it makes. Name, title,
    meaning, source and params are as of an experiment.
    """

    name: str
    title: str
    meaning: str
    source: str
    params: type[Any]
    compare: Callable[..., Any]
    """makes the result of collections, measures, parameters and teams"""
    pages: tuple[str, ...] = (ACROSS,)
    """of the dashboard that show it"""

    def __call__(
        self,
        sources: Mapping[str, Source],
        measures: Any,
        params: Any,
        *,
        teams: Teams = NO_TEAMS,
        **how: Any,
    ) -> Any:
        """Compare the collections; `teams` by collection, `how` as in
        `compare_collections`.
        """
        return self.compare(sources, measures, params, teams, **how)


COMPARISONS = {
    comparison.name: comparison
    for comparison in (
        Comparison(
            ACROSS,
            "Across collections",
            "Figures that sum up each measure on several collections: how far the collections agree"
            " on the order of the measures, and the difference between two measures on each and"
            " over all (random effects).",
            "DerSimonian & Laird 1986; Hartung & Knapp 2001; Soboroff 2018; Urbano & Nagler 2018",
            scorecard.Params,
            lambda sources, measures, params, _, **how: compare_collections(
                sources, measures, params, **how
            ),
        ),
        Comparison(
            findings_across.FINDINGS,
            "Findings across collections",
            "Whether each finding of the papers holds on several collections, each on the runs that"
            " its paper would choose there.",
            "the five papers",
            findings_across.Params,
            lambda sources, _measures, _params, teams, **how: findings_across.compare_findings(
                sources, teams=teams, **how
            ),
        ),
    )
}
"""The comparisons of collections, by name."""


def find_by_name(name: str) -> Experiment[Any, Any] | Comparison:
    """The experiment or the comparison of collections with this name."""
    return COMPARISONS.get(name) or EXPERIMENTS[name]
