"""Scores that are estimated from a sample of the judgments, with intervals."""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from irmeval.collection import Collection
from irmeval.core.errors import ParamError
from irmeval.core.text import list_few, shorten
from irmeval.metrics import Measure, at_least_one
from irmeval.metrics.hits import Hits
from irmeval.metrics.sampling_variance import CHANGES, spread
from irmeval.scoring.score_table import Estimates
from irmeval.scoring.values import check_runs, grade_vector, local_scores
from irmeval.stats.blocks import product

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def with_intervals(measures: Iterable[Measure]) -> list[Measure]:
    """Estimators among measures that have an interval over judgments."""
    return [measure for measure in measures if measure.metric.name in CHANGES]


RARE = {
    "xinfAP": "of xinfAP in 88 of 100 cases (a twentieth drawn)",
    "infP": "of infP@10 in 79 of 100 cases (a tenth drawn)",
    "infNDCG": "of infNDCG in 89 (three tenths)",
    "statNDCG": "of statNDCG in 90 (three tenths)",
}
"""How often 95% intervals over judgments contain the mean on all judgments, for some
metrics (benchmarks/README.md).
"""
TWENTIETH = 5.0
"""Per cent of the judgments up to which this applies to xinfAP."""
ONE_STRATUM = "with one stratum a topic, as here, in 75 to 90 of 100 cases (a tenth drawn)"


def describe_rare_coverage(collection: Collection, measures: Iterable[Measure]) -> str:
    """A sentence on the intervals over judgments that contain the true mean too rarely;
    else empty.
    """
    if collection.design is None or not (known := with_intervals(measures)):
        return ""
    one_stratum = collection.design.alike and len(collection.topics) >= collection.design.S
    return describe_rare(
        known, 100 * float((collection.grade >= 0).mean()), one_stratum=one_stratum
    )


def describe_rare(measures: Iterable[Measure], rate: float, *, one_stratum: bool = False) -> str:
    """The same if this per cent of the judgments is drawn."""
    cut = {
        measure.metric.name
        for measure in measures
        if measure.metric.name != "statNDCG" or not measure.params["k"]
    }
    if rate > TWENTIETH:
        cut.discard("xinfAP")
    # with one stratum a topic all estimators have the same weakness, and one sentence
    rare = [ONE_STRATUM] if one_stratum else [RARE[name] for name in RARE if name in cut]
    if not rare:
        return ""
    begin = "95% intervals over judgments are known to contain the true mean too rarely"
    return f"{begin}: {'; '.join(rare)}."


def estimate(
    collection: Collection,
    measures: str | Iterable[str],
    *,
    grades: "ArrayLike | None" = None,
    pairs: bool = True,
) -> Estimates:
    """Score every run on every topic by estimators, with the covariance for intervals.

    Parameters
    ----------
    collection : Collection Its design describes how the judgments were drawn; without
        one, those of a topic count as drawn at random from its pool.
    measures : one text or measure, or several, of the estimators whose variance is
        known
    grades : int [J], optional As `evaluate`.
    pairs : whether differences of runs are wanted too; intervals of runs alone take
        less time

    Raises
    ------
    ParamError, ReadError
        For a measure that is no such estimator; else as `evaluate`.

    Examples
    --------
    >>> import irmeval
    >>> collection = irmeval.read_collection("sample_data/qrels.txt.gz", "sample_data/runs")
    >>> tenth = irmeval.reduce(collection, "uniform", rate=10)[0]
    >>> estimates = irmeval.estimate(collection, ["statAP"], grades=tenth)
    >>> estimates.difference("aurora1", "aurora2").round(3)
      measure  estimate   low   high
    0  statAP     0.017 -0.05  0.084
    """
    chosen = at_least_one(measures)
    for other in chosen:
        if other.metric.name not in CHANGES:
            expected = f"expected one of {list_few([*CHANGES], len(CHANGES))}"
            raise ParamError(f"{shorten(other)} has no interval over judgments: {expected}.")
    check_runs(collection)
    given = None if grades is None else grade_vector(collection, grades)
    of_part = partial(_estimated, chosen=chosen, grades=given, pairs=pairs)
    raw, bias, drawn = zip(*collection.by_part(of_part), strict=True)
    values = np.concatenate(raw, axis=1)
    of_runs = map(np.concatenate, zip(*drawn, strict=True))
    covariance = np.stack([_covariance(of, pairs) for of in of_runs])
    less_bias = values - np.concatenate(bias, axis=1)
    return Estimates(less_bias, chosen, collection.runs, collection.topics, values, covariance)


def _covariance(of_runs: np.ndarray, pairs: bool) -> np.ndarray:
    """Covariance of the runs [run, run] from its root [run, columns]; without pairs, from
    the variance [run], on the diagonal alone.
    """
    R = len(of_runs)
    if pairs:
        return product(of_runs, of_runs.T, out=np.empty((R, R)))
    return np.where(np.eye(R, dtype=bool), of_runs, np.nan)


def _estimated(
    part: Collection, chosen: Sequence[Measure], grades: np.ndarray | None, pairs: bool
) -> tuple[np.ndarray, np.ndarray, list[np.ndarray]]:
    """Scores and bias of some runs [measure, run, topic]; per measure, the root [run,
    columns] or, without pairs, the variance [run].
    """

    def of_draw(measure: Measure, hits: Hits) -> tuple[np.ndarray, np.ndarray]:
        bias, root = spread(measure, hits)
        return bias, root if pairs else np.einsum("ij,ij->i", root, root)

    values, made = local_scores(part, chosen, grades, also=of_draw)
    biases, spreads = list[np.ndarray](), list[np.ndarray]()
    for slices in zip(*made, strict=True):
        bias, of_runs = map(np.concatenate, zip(*slices, strict=True))
        biases.append(bias)
        spreads.append(of_runs)
    return values[0], np.stack(biases), spreads
