"""Measures for ir_measures and PyTerrier, and results as data frames in their form.

The functions of this module need these packages; the rest of irmeval does not.
"""

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import Any

from irmeval.collection import Collection
from irmeval.core.errors import require
from irmeval.core.lazy import pd
from irmeval.core.registry import check_known
from irmeval.metrics import METRICS, Measure, Metric
from irmeval.metrics import measure as parsed
from irmeval.scoring.score_table import Scores
from irmeval.scoring.scores import evaluate

NAME = "irmeval"
"""Name of the provider in ir_measures."""


def measure(text: str) -> Any:
    """A measure of irmeval as one of ir_measures: for `ir_measures.iter_calc`, and the
    `eval_metrics` of PyTerrier's `Experiment`.

    It is scored as in irmeval, on the topics of the qrels; a topic with nothing
    relevant counts as 0, as everywhere in ir_measures. Where ir_measures has a measure
    of the same name, this one is written ``irmeval.AP``.

    Raises `MissingPackage` without ir_measures; errors as `irmeval.measure`.

    Examples
    --------
    >>> import ir_measures
    >>> from irmeval.scoring import interop
    >>> qrels, run = {"1": {"a": 1, "b": 0}}, {"1": {"x": 3.0, "b": 2.0, "a": 1.0}}
    >>> wanted = [ir_measures.RR, interop.measure("RR'"), interop.measure("Q(beta=10)")]
    >>> means = ir_measures.calc_aggregate(wanted, qrels, run)
    >>> [(m, round(means[m], 4)) for m in wanted]
    [(RR, 0.3333), (irmeval.RR', 0.5), (Q(beta=10), 0.8462)]
    """
    asked = parsed(text)
    given = {
        "cutoff" if name == "k" else name: value
        for name, value in asked.params.items()
        if value != asked.metric.params[name].default
    }
    return _classes()[asked.metric.name](**given, **({"judged_only": True} if asked.prime else {}))


def register() -> list[str]:
    """Register irmeval's measures in ir_measures, as in ``Q(beta=10)@10`` or
    ``Bpref_N``, unless it has a measure of the same name. A prime is written
    ``Q(judged_only=True)``. Returns the names.

    Raises `MissingPackage` without ir_measures.

    Examples
    --------
    >>> import ir_measures
    >>> from irmeval.scoring import interop
    >>> "Q" in interop.register()
    True
    >>> ir_measures.parse_measure("Q(beta=10,judged_only=True)")
    Q(beta=10)'
    """
    # a name with a sign, such as P+, would not parse there
    own = {name: kind for name, kind in _classes().items() if name.isidentifier() and kind.own}
    for name, kind in own.items():
        import_module("ir_measures").measures.registry.setdefault(name, kind())
    return [*own]


@cache
def _classes() -> dict[str, Any]:
    """The class of the measures of each metric, by name; also registers the provider
    that scores them.
    """
    require("ir_measures", "test")
    ir_measures: Any = import_module("ir_measures")
    measures, providers, util = ir_measures.measures, ir_measures.providers, ir_measures.util

    class Ours(measures.Measure):  # type: ignore[misc, name-defined]
        metric: Metric
        own: bool
        """whether ir_measures has no measure of this name"""

        def asked(self) -> Measure:
            params = [
                f"{name}={value}" for name, value in self.params.items() if name != self.AT_PARAM
            ]
            cutoff = f"@{self.params[self.AT_PARAM]}" if self.AT_PARAM in self.params else ""
            return parsed(f"{self.metric.name}({','.join(params)}){cutoff}")

        def __repr__(self) -> str:
            return str(self.asked()) if self.own else f"{NAME}.{self.asked()}"

    class Evaluator(providers.Evaluator):  # type: ignore[misc, name-defined]
        def __init__(self, wanted: Any, qrels: dict[str, dict[str, int]]):
            super().__init__([*wanted], {*qrels})
            self.qrels = qrels

        def _iter_calc(self, run: Any) -> Iterator[Any]:
            lists = {
                topic: found
                for topic, found in util.RunConverter(run).as_dict_of_dict().items()
                if found and topic in self.qrels
            }
            # ir_measures asks for no score where the run shares no topic
            if not lists:
                return
            # as everywhere in ir_measures, a topic without relevant documents scores 0
            collection = Collection.from_dicts(self.qrels, {"run": lists}, empty="zero")
            scores = evaluate(collection, [wanted.asked() for wanted in self.measures])
            for wanted, values in zip(self.measures, scores.values[:, 0].tolist(), strict=True):
                for topic, value in zip(scores.topics, values, strict=True):
                    yield ir_measures.Metric(topic, wanted, value)

    class Provider(providers.Provider):  # type: ignore[misc, name-defined]
        NAME = NAME

        def supports(self, wanted: Any) -> bool:
            return isinstance(wanted, Ours)

        def _evaluator(self, wanted: Any, qrels: Any) -> Evaluator:
            return Evaluator(wanted, util.QrelsConverter(qrels).as_dict_of_dict())

    provider = providers.register(Provider())
    ir_measures.DefaultPipeline.providers.insert(0, provider)
    return {name: _class(metric, Ours, measures) for name, metric in METRICS.items()}


def _class(metric: Metric, base: Any, measures: Any) -> Any:
    params = {
        "cutoff" if name == "k" else name: measures.ParamInfo(desc=field.param.label)
        for name, field in metric.params.items()
    }
    if metric.primed:
        params["judged_only"] = measures.ParamInfo(
            dtype=bool, desc="whether unjudged documents are left out"
        )
    said = {
        "metric": metric,
        "own": metric.name not in measures.registry,
        "SUPPORTED_PARAMS": params,
        "SHORT_DESC": metric.meaning,
    }
    return type(
        metric.name,
        (base,),
        {"NAME": metric.name, "__name__": metric.name, "__doc__": metric.meaning, **said},
    )


def experiment_frame(scores: Scores, *, perquery: bool = False) -> "pd.DataFrame":
    """Scores in the form of PyTerrier's `Experiment`: a row per run, ``name`` and a
    column of means per measure; with `perquery` a row per run, topic and measure:
    ``name``, ``qid``, ``measure``, ``value``.

    Examples
    --------
    >>> import irmeval
    >>> from irmeval.scoring import interop
    >>> collection = irmeval.read_collection("sample_data/qrels.txt.gz", "sample_data/runs")
    >>> list(interop.experiment_frame(irmeval.evaluate(collection, ["AP", "Q'"])))
    ['name', 'AP', "Q'"]
    """
    if not perquery:
        return scores.mean().rename_axis("name").reset_index()
    frame = scores.frame().rename(columns={"run": "name", "topic": "qid", "score": "value"})
    return frame[["name", "qid", "measure", "value"]]


def metrics_frame(scores: Scores, run: str) -> "pd.DataFrame":
    """Scores of a run in the form of ir_measures: a row per topic and measure, with
    ``query_id``, ``measure``, ``value``. Topics without a score are left out.

    Raises `UnknownName` for an unknown run.

    Examples
    --------
    >>> import irmeval
    >>> from irmeval.scoring import interop
    >>> collection = irmeval.read_collection("sample_data/qrels.txt.gz", "sample_data/runs")
    >>> interop.metrics_frame(irmeval.evaluate(collection, ["AP"]), "krill").columns.tolist()
    ['query_id', 'measure', 'value']
    """
    check_known(run, scores.runs, "unknown run")
    frame = scores.frame()
    frame = frame[(frame["run"] == run) & frame["score"].notna()].rename(
        columns={"topic": "query_id", "score": "value"}
    )
    return frame[["query_id", "measure", "value"]].reset_index(drop=True)
