"""The content of a score matrix, and which measures are biased on a sample."""

from collections.abc import Iterable

from irmeval.collection import Collection
from irmeval.core.lazy import pd
from irmeval.core.text import list_few
from irmeval.metrics import METRICS, Measure
from irmeval.metrics.strata import STANDS
from irmeval.reading.score_matrix import Matrix

FEW = 3
"""The most measures that a sentence names."""


def summarize_matrix(matrix: Matrix) -> "pd.DataFrame":
    """One row per run of a score matrix, best first: mean, least and most over topics, and the number of topics with score 0."""
    x = matrix.values
    columns = {
        "run": matrix.runs,
        "mean": x.mean(axis=1),
        "least": x.min(axis=1),
        "most": x.max(axis=1),
        "topics at 0": (x == 0).sum(axis=1),
    }
    return pd.DataFrame(columns).sort_values("mean", ascending=False, kind="stable", ignore_index=True)


def describe_bias(collection: Collection, measures: Iterable[Measure]) -> str:
    """Which measures are biased on a sample of the judgments, in which direction, and which metrics estimate their values. Inferred metrics
    need strata whose documents were all drawn with the same probability."""
    raw = [m for m in measures if m.metric.unjudged != STANDS and m.metric.family != "diagnostics"]
    low = [m for m in raw if not (m.prime or m.metric.recall_based or m.metric.judged_only)]
    said = [f"{list_few([*low], FEW)} can only be too low"] if low else []
    if off := [m for m in raw if m not in low]:
        said = [f"{list_few([*off], FEW)} may be far off, too low or too high", *said]
    alike = not collection.design or collection.design.alike
    known = [metric for metric in METRICS.values() if metric.unjudged == STANDS and metric.family != "diagnostics"]
    estimators = [metric.example for metric in known if alike or metric.name.startswith("stat")]
    return f"On it {'; '.join(said)}. To estimate: {list_few(estimators, 2)}." if said else ""
