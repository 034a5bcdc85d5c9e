"""What sentences and next steps claim to be most, least, up, down, kept or lost, held
against the tables of the same result.
"""

import re
from collections.abc import Callable
from typing import Any, NamedTuple

import pandas as pd

from irmeval.experiments.results import table_named
from tests.small_work import sentences_of

Found = re.Match[str]


class Claim(NamedTuple):
    """A pattern of a sentence of an experiment, and whether it is so."""

    experiment: str
    pattern: str
    holds: Callable[[Any, Found], bool]


def of(result: Any, name: str) -> pd.DataFrame:
    """A table of a result."""
    return table_named(result, name).make()


def number(text: str) -> float:
    """A number of a sentence, a share from its per cent."""
    value = float(text.rstrip("%").replace(",", ""))
    return value / 100 if text.endswith("%") else value


def near(text: str, value: float) -> bool:
    """Whether a number of a sentence is a value, rounded."""
    digits = len(text.rstrip("%").partition(".")[2]) + 2 * text.endswith("%")
    return abs(number(text) - value) <= 0.5000001 * 10.0**-digits


def by_rank(means: pd.Series) -> pd.Series:
    """Ranks by means, the highest first."""
    return (-means.round(12)).rank(method="min")


def moves(result: Any, found: Found) -> bool:
    """*Rankings*: how far a run moves, and which way."""
    ranks = of(result, "ranks").set_index("run")
    by, other = str(result.measures[result.by]), found["m"]
    up = ranks[by] - ranks[other]
    told = number(found["n"]) * (1 if found["way"] == "up" else -1)
    return bool(up[found["run"]] == told and abs(told) == up.abs().max())


def top_unjudged(result: Any, found: Found) -> bool:
    """*Unjudged*: the share of the top 10, over runs."""
    judged = of(result, "runs").set_index("run")["judged@10"].drop("mean of all runs")
    return near(found["n"], 1 - judged.mean())


def fewest_judged(result: Any, found: Found) -> bool:
    """*Unjudged*: the run with the fewest judged documents."""
    judged = of(result, "runs").set_index("run")["judged@10"].drop("mean of all runs")
    return near(found["n"], judged[found["run"]]) and judged[found["run"]] == judged.min()


def least_tau(result: Any, found: Found) -> bool:
    """*Parameters*: the measure whose order changes most."""
    least = of(result, "values").groupby("measure")["tau"].min().fillna(1)  # all runs tie
    told = found.groupdict().get("t")
    return bool(least[found["m"]] == least.min()) and (not told or near(told, least.min()))


def loses(result: Any, found: Found) -> bool:
    """*Order fairness*: the orders that cost runs least and most."""
    lost = of(result, "summary").query("measure == @found['m']")
    lost = lost[lost["budget"] == lost["budget"].iloc[0]].set_index("order")["mean lost"]
    return bool(lost[found["a"]] == lost.min() and lost[found["b"]] == lost.max())


def least_power(result: Any, found: Found) -> bool:
    """*Matrix*: the measure that tells the fewest pairs apart."""
    power = of(result, "power").set_index("measure")["power"]
    told = 0.0 if found["n"] == "no pair" else number(found["n"].split()[0])
    return bool(power[found["m"]] == power.min()) and abs(told - power.min()) <= 0.005


def moved(result: Any, found: Found) -> bool:
    """*Audit*: the most places that a run moves by the judge."""
    reference, judge = map(by_rank, map(pd.Series, result.first.means))
    return bool((reference - judge).abs().max() == number(found["n"]))


def not_confirmed(result: Any, found: Found) -> bool:
    """*Audit*: the judge's significant pairs that the reference does not confirm."""
    rows = of(result, "decisions").query("reading == 'alone'")
    rows = rows[rows["measure"] == result.first.measure] if "measure" in rows else rows
    row = rows[rows["judge"] == result.first.judge].iloc[-1]
    lost = row["not confirmed"] + row["opposed"]
    all_found = row["differ by the judge"]
    return number(found["all"]) == all_found and near(found["n"], lost / all_found)


def lowest_curve(column: str) -> Callable[[Any, Found], bool]:
    """*Curves*: the measure with the lowest value at the last level, and that value."""

    def holds(result: Any, found: Found) -> bool:
        last = of(result, "summary").groupby("measure").last()[column]
        return bool(last[found["m"]] == last.min()) and near(found["v"], last.min())

    return holds


CLAIMS = [
    Claim(
        "curves",
        r" (?P<m>\S+) keeps the order of the runs worst \(tau (?P<v>-?[\d.]+)\)\.",
        lowest_curve("tau"),
    ),
    Claim(
        "rankings", r"(?P<run>\S+) moves (?P<n>\d+) places? (?P<way>up|down) by (?P<m>\S+):", moves
    ),
    Claim("unjudged", r"^(?P<n>\d+%) of the top 10 is unjudged", top_unjudged),
    Claim(
        "unjudged",
        r"^(?P<run>\S+) has the fewest judged documents in its top 10 \((?P<n>\d+%)\)",
        fewest_judged,
    ),
    Claim(
        "parameters",
        r"changes most by (?P<m>\S+) with .*\(tau (?P<t>[\d.]+) with the measure",
        least_tau,
    ),
    Claim("parameters", r"^(?P<m>\S+) depends on it most \(tau (?P<t>[\d.]+)\)", least_tau),
    Claim("parameters", r"^What does (?P<m>\S+) do, rank by rank", least_tau),
    Claim(
        "order-fairness",
        r"loses least of its (?P<m>\S+) with (?P<a>\S+) and most with (?P<b>\S+)\. ",
        loses,
    ),
    Claim(
        "matrix", r"^(?P<m>\S+) finds (?P<n>no pair|\S+ of the pairs) significantly", least_power
    ),
    Claim("audit", r"^A run moves by (?P<n>\d+) places?", moved),
    Claim(
        "audit",
        r"does not confirm (?P<n>\S+%) of its (?P<all>[\d,]+) significant pairs",
        not_confirmed,
    ),
]


def check(name: str, result: Any) -> tuple[list[str], list[str]]:
    """The patterns that sentences of a result match, and those sentences that are not
    so.
    """
    met, wrong = [], []
    for claim in CLAIMS:
        if claim.experiment != name:
            continue
        for text in sentences_of(result):
            if found := re.search(claim.pattern, text):
                met.append(claim.pattern)
                wrong += [] if claim.holds(result, found) else [text]
    return met, wrong
