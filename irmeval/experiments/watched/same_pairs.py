"""Pairs of runs that differ significantly."""

from collections.abc import Mapping, Sequence
from itertools import compress
from typing import Any

import numpy as np

from irmeval.core.numbers import per_cent
from irmeval.core.text import list_all
from irmeval.experiments.headlines import best_and_worst, differ
from irmeval.experiments.needs import PAIRS
from irmeval.experiments.results import Table, table
from irmeval.experiments.trials import over_trials
from irmeval.experiments.watched.base import (
    APART,
    COMMON,
    SCORED,
    Curve,
    Read,
    known_if_tested,
    statistic,
)

FEWEST = ("the fewest",)
"""End of `best_and_worst` for numbers of pairs."""


def _curves(result: Any) -> list[Curve]:
    caption = (
        f"Share of the pairs of runs that differ significantly ({result.params.decided_by}). A"
        f" falling curve means missed differences; a rising one, differences that"
        f" {result.everything} does not show."
    )
    return [Curve("power", "power", "Discriminative power", caption, "discriminative power")]


def _says(result: Any) -> str:
    power, before = result.last("power"), result.before("power")
    if np.isnan(power).all():
        return "no two runs have 2 topics with a score for both, so no pair is tested"
    if result.pairs == 1:
        return describe_pair(result, power, before)
    return best_and_worst(
        result.names,
        power,
        f"find {{}} of {result.pairs:,} pairs significant",
        FEWEST,
        form=".1%",
        noun=result.noun,
    )


def describe_pair(result: Any, power: np.ndarray, before: np.ndarray) -> str:
    """A clause on the only pair of runs."""
    if result.params.trials == 1:
        here, then = (_differ_by([*compress(result.names, of)]) for of in (power, before))
        return f"the two runs {here}; on {result.everything} they {then}"
    often = " to ".join(dict.fromkeys((per_cent(np.nanmin(power)), per_cent(np.nanmax(power)))))
    return f"the two runs differ significantly in {often} of the samples"


def _differ_by(names: Sequence[str]) -> str:
    if names:
        return f"{differ(names)} by {list_all(names)}"
    return differ(False)


def _tables(result: Any) -> list[Table]:
    if result.by.name or not result.params.levels:
        return []

    def power() -> Any:
        columns = {
            "measure": result.measures,
            "power": result.last("power"),
            f"power on {result.everything}": result.before("power"),
            "required difference": over_trials(result.required),
            "told apart": result.told_apart,
            "pairs": result.pairs,
            **result.left_at_last,
        }
        return table(columns, by="power", descending=True)

    return [Table("power", f"Power {result.at_last}", power)]


@statistic(
    "pairs",
    words="the pairs that differ significantly",
    reads=(APART, SCORED, COMMON),
    curves=_curves,
    says=_says,
    tested=True,
    needs=PAIRS,
    tables=_tables,
    named=("power",),
)
def pairs(whole: Read, here: Read, params: Any) -> Mapping[str, Any]:
    """Share of the pairs of runs that differ significantly, each alone: 1 if all do, 0
    if none does, NaN if no two runs have two topics with a score for both. Also the
    number of topics with a score for every run.
    """
    power = known_if_tested(here["apart"].mean(axis=-1), here)
    return {"power": power, "topics": here["topics"]}
