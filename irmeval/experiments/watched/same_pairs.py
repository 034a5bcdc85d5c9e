"""Pairs of runs that differ significantly."""

from collections.abc import Mapping, Sequence
from itertools import compress
from typing import Any

import numpy as np

from irmeval.core.numbers import per_cent
from irmeval.core.text import list_all, quantify
from irmeval.experiments.headlines import best_and_worst, differ
from irmeval.experiments.needs import PAIRS
from irmeval.experiments.results import Table, table
from irmeval.experiments.trials import over_trials
from irmeval.experiments.verdicts import name_count
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
        return "no pair is tested, as none has a score on 2 topics"
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
        return _describe_once(result, power, before)
    often = " to ".join(dict.fromkeys((per_cent(np.nanmin(power)), per_cent(np.nanmax(power)))))
    return f"the two runs differ significantly in {often} of the samples"


def _describe_once(result: Any, power: np.ndarray, before: np.ndarray) -> str:
    """A clause on the only pair of runs in the only trial, and on everything."""
    # undefined power is no difference
    here, then = ([*compress(result.names, np.nan_to_num(of))] for of in (power, before))
    of_all, on = len(result.names), f"on {result.everything}"
    if here == then:
        return f"the two runs {_differ_by(here, of_all, result.noun)}, as {on}"
    if of_all == 1:
        return f"the two runs {differ(here)}; {on} they {'do' if then else 'do not'}"
    found = quantify(len(here), of_all, result.noun)
    return f"the two runs differ by {found}, {on} by {name_count(len(then))}"


def _differ_by(names: Sequence[str], of_all: int, noun: str) -> str:
    if not names:
        return differ(False)
    if len(names) <= 2:
        return f"{differ(True)} by {list_all(names)}"
    return f"{differ(True)} by {quantify(len(names), of_all, noun)}"


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
