"""A table of metrics to search. All its words come from the registration of the metrics."""

from collections.abc import Callable, Iterable

from irmeval.core.lazy import pd
from irmeval.core.params import REQUIRED, Field
from irmeval.metrics import METRICS, Metric
from irmeval.reading import formats

PROPERTIES: dict[str, Callable[[Metric], bool]] = {
    "graded": lambda m: m.graded,
    "binary": lambda m: not m.graded,
    "recall-based": lambda m: m.recall_based,
    "judged documents only": lambda m: m.judged_only,
    "top-heavy": lambda m: m.top_heavy,
    "has a prime": lambda m: m.primed,
    "ideal list scores 1": lambda m: m.ideal == 1,
}
"""The properties by which metrics are filtered."""


def families() -> list[str]:
    """The families of metrics, in the order of the registry."""
    return list(dict.fromkeys(m.family for m in METRICS.values()))


def find(text: str = "", properties: Iterable[str] = (), family: str | None = None) -> list[Metric]:
    """The metrics of a family that have every property, and every word of the text in name, aliases, meaning, source or parameters."""
    words = text.lower().split()
    return [
        m
        for m in METRICS.values()
        if (family is None or m.family == family)
        and all(PROPERTIES[p](m) for p in properties)
        and all(word in _searched(m) for word in words)
    ]


def _searched(metric: Metric) -> str:
    labels = (f"{name} {field.param.label}" for name, field in metric.params.items())
    return " ".join((metric.name, *metric.aliases, metric.family, metric.meaning, metric.unjudged, metric.source, *labels)).lower()


def scale(metric: Metric) -> str:
    """The lowest and the highest score in words."""
    low, high = metric.range
    return f"{low:g} or more" if high == float("inf") else f"{low:g} to {high:g}"


def describe_parameter(field: Field) -> str:
    """A parameter with its range and default in words."""
    default = "required" if field.default is REQUIRED else "default none" if field.default is None else f"default {field.default:g}"
    return f"{field.name}: {field.param.label}, {field.bounds()}, {default}. {field.param.help}"


def frame(metrics: Iterable[Metric]) -> "pd.DataFrame":
    """One row per metric."""
    rows = [
        {
            "metric": m.name,
            "family": m.family,
            "example": m.example,
            "parameters": ", ".join(m.params),
            "range": scale(m),
            "prime": "yes" if m.primed else "no",
            **{name: "yes" if has(m) else "no" for name, has in PROPERTIES.items() if name != "has a prime"},
            "meaning": m.meaning,
            "unjudged": m.unjudged,
            "source": m.source,
            "formula": m.formula,
        }
        for m in metrics
    ]
    return pd.DataFrame(rows)


def list_formats() -> "pd.DataFrame":
    """One row per format of files."""
    rows = [
        {"file": found.kind, "format": found.name, "what": found.title, "looks": found.looks, "written by": found.source}
        for found in formats.FORMATS.values()
    ]
    return pd.DataFrame(rows)


def list_metrics(form: str) -> "pd.DataFrame":
    """One row per metric; with all columns in the forms that programs read."""
    table = frame(METRICS.values())
    return table if form in ("csv", "json") else table[["metric", "parameters", "prime", "range", "meaning", "source"]]
