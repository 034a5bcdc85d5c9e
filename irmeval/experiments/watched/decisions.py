"""Decisions on pairs of runs, compared with those on everything."""

from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np

from irmeval.core.params import checked, param
from irmeval.core.places import pick
from irmeval.experiments.headlines import best_and_worst, written_alike
from irmeval.experiments.needs import PAIRS
from irmeval.experiments.results import Frame, Table, table, tidy
from irmeval.experiments.settings import DECISIONS
from irmeval.experiments.trials import over_trials
from irmeval.experiments.watched.base import (
    APART,
    COMMON,
    COUNTS,
    LEAST,
    SCORED,
    Curve,
    Read,
    known_if_tested,
    statistic,
)
from irmeval.experiments.watched.same_pairs import FEWEST
from irmeval.stats.decision_agreement import (
    Knee,
    agreement_of_counts,
    describe_knee,
)
from irmeval.stats.decision_agreement import (
    decisions as agreement_of,
)

# as in Bompada et al. 2007, Table 2: rows by all judgments, columns by a sample
CELLS = ("c11", "c12", "c21", "c22")
"""Numbers of pairs: not significant, significant on everything (first digit) and here
(second digit).
"""
SHARES = ("accuracy", "g_mean", "false_positive_rate", "false_negative_rate", "error_rate")


@checked
class Agreeing:
    """What counts as agreement."""

    threshold: float = param(
        "knee at",
        "The knee of a curve is the lowest level at which it is above this.",
        low=0,
        high=1,
        default=COUNTS,
    )


def _curves(result: Any) -> list[Curve]:
    how, level = result.params.decided_by, result.params.threshold
    accuracy = (
        f"Share of the pairs with the same decision ({how}) as on everything. The dotted line is"
        " the level of the knee."
    )
    g_mean = (
        f"Agreement on the pairs without a significant difference ({how}). It is the geometric mean"
        " of two shares: of the pairs without one on everything, those without one here, and vice"
        " versa."
    )
    missed = (
        f"Of the pairs that differ significantly on everything ({how}), the share that no longer"
        " differs. These are the false positives of Bompada et al., who count an accepted H0 as"
        " positive."
    )
    spurious = (
        f"Of the pairs that do not differ significantly on everything ({how}), the share that now"
        " differs. These are the false negatives of Bompada et al."
    )
    return [
        Curve("accuracy", "accuracy", "Accuracy", accuracy, top=1.0, level=level),
        Curve("g_mean", "g-mean", "g-mean", g_mean, top=1.0, order=True),
        Curve("false_positive_rate", "missed", "Differences missed", missed),
        Curve("false_negative_rate", "made-up", "Spurious differences", spurious),
    ]


def _says(result: Any) -> str:
    kept = result.last("accuracy")
    known = kept[np.isfinite(kept)]
    # a share of them, or the fewest of all measures
    all_alike = len(written_alike(known, max(known, default=0.0), ".1%")) == known.size
    return best_and_worst(
        result.names,
        kept,
        "keep {} of the decisions" if all_alike else "keep {} decisions",
        FEWEST,
        form=".1%",
        noun=result.noun,
    )


def counts_of(result: Any) -> np.ndarray:
    """Pairs by decision [measure, line, level, trial, 2, 2]: on everything, here."""
    cells = np.stack(pick(result.values, CELLS), axis=-1)
    return cells.reshape(*cells.shape[:-1], 2, 2)


def knees_of(result: Any) -> dict[str, Knee]:
    """The knees of the mean curves of the correlation, if it is watched, and of
    accuracy, each [measure].
    """
    threshold = result.params.threshold
    columns = filter(None, (result.correlation, "accuracy"))
    return {column: result.knee(column, threshold) for column in columns}


def _tables(result: Any) -> list[Table]:
    if result.by.name:
        return []
    counts = counts_of(result)[:, 0]

    def knees() -> Frame:
        ways = product(knees_of(result).items(), ("interpolated", "measured", "lowest"))
        found = {
            f"{name}, {how}": describe_knee(getattr(knee, how), knee.below)
            for (name, knee), how in ways
        }
        return table({"measure": result.measures, **found})

    def errors() -> Frame:
        # of all samples the same number, but for those without a tested pair, which have none
        before = np.nanmax(counts[..., 1, :].sum(axis=-1), axis=(1, 2))
        # a ratio of sums over trials, as the papers count errors: the mean of ratios would give a
        # trial with few significant pairs as much weight as one with many
        mean = agreement_of_counts(over_trials(np.moveaxis(counts[:, -1], 1, -1)))
        columns = {
            "measure": result.measures,
            f"told apart on {result.everything}": before,
            f"told apart {result.at_level}": mean.confusion[..., 1].sum(axis=-1),
            f"of these not on {result.everything}": mean.confusion[:, 0, 1],
            "error rate": mean.error_rate,
            **result.left_at_last,
        }
        return table(columns, by="error rate")

    def cells() -> Frame:
        axes = {
            "measure": result.measures,
            "level": result.levels,
            f"on {result.everything}": ("accepted", "rejected"),
        }
        mean = over_trials(np.moveaxis(counts, 2, -1))
        return tidy(axes, {"accepted": mean[..., 0], "rejected": mean[..., 1]})

    return [
        Table("knees", "Knees", knees),
        Table("errors", f"Errors {result.at_last}", errors),
        Table("decisions", "Decisions", cells),
    ]


@statistic(
    "decisions",
    words=DECISIONS["watch"],
    params=Agreeing,
    reads=(APART, SCORED, COMMON),
    curves=_curves,
    says=_says,
    tested=True,
    needs=PAIRS,
    tables=_tables,
    named=("knees", "errors", "decisions"),
)
def decisions(whole: Read, here: Read, params: Any) -> Mapping[str, Any]:
    """Agreement of the significant pairs, each alone, with those on everything:
    accuracy is 1 if every decision is the same, 0 if none is.
    """
    found = agreement_of(whole["apart"], here["apart"])
    if (here["common"] < LEAST).any():
        found = agreement_of_counts(known_if_tested(found.confusion, here))
    cells = found.confusion.reshape(*found.confusion.shape[:-2], len(CELLS))
    return {
        **{name: getattr(found, name) for name in SHARES},
        **{name: cells[..., i] for i, name in enumerate(CELLS)},
        "topics": here["topics"],
    }
