"""What users of other packages write, with what it is here: errors that say how."""

from collections.abc import Callable, Collection, Mapping
from functools import wraps
from importlib import import_module
from inspect import signature
from typing import Any, ClassVar, ParamSpec, TypeVar

from irmeval.core.errors import ParamError
from irmeval.core.registry import nearest_names, suggest_nearest

P = ParamSpec("P")
T = TypeVar("T")


SAME = {
    **dict.fromkeys(("eval", "score"), "evaluate"),
    **dict.fromkeys(("load", "load_collection", "from_files"), "read_collection"),
    **dict.fromkeys(("load_qrels", "read_trec_qrels"), "read_qrels"),
    **dict.fromkeys(("load_run", "read_trec_run"), "read_run"),
    **dict.fromkeys(("parse_measure", "parse_trec_measure"), "measure"),
    "Run": "core.other_packages.ReadRun",
    "from_dicts": "Collection.from_dicts",
    "from_frames": "Collection.from_frames",
}
"""Names of other packages for what is here under another name, and takes the same."""
_SCORES = "irmeval.evaluate(qrels, run, measures)"
_RUNS = "irmeval.read_collection(qrels, runs)"
_MATRIX = f'irmeval.EXPERIMENTS["matrix"]({_RUNS}, ["AP"])'
_TEST = _MATRIX.removesuffix(")") + ", test={})"
_CORRELATION = "{0} of irmeval.stats.correlation, or irmeval.EXPERIMENTS[{1}]"
OF_PACKAGE = {
    **dict.fromkeys(("read_runs", "load_runs"), _RUNS),
    **dict.fromkeys(("parse_run", "TrecRun"), "irmeval.read_run(file)"),
    **dict.fromkeys(("parse_qrel", "parse_qrels", "TrecQrel"), "irmeval.read_qrels(file)"),
    "io": "irmeval.read_qrels(file), irmeval.read_run(file)",
    **dict.fromkeys(("iter_calc", "calc"), f"{_SCORES}.frame()"),
    "calc_aggregate": f"{_SCORES}.mean()",
    **dict.fromkeys(("RelevanceEvaluator", "evaluator", "TrecEval", "Evaluator"), _SCORES),
    **dict.fromkeys(
        ("pytrec_eval", "ir_measures", "trec_eval", "ranx", "EvaluateRetrieval"), _SCORES
    ),
    **dict.fromkeys(
        ("list_metrics", "list_measures", "available_metrics", "supported_measures"),
        "irmeval.METRICS",
    ),
    **dict.fromkeys(
        (
            *("ndcg", "dcg", "average_precision", "precision", "recall", "mrr", "reciprocal_rank"),
            *("ndcg_score", "average_precision_score", "precision_score", "recall_score"),
        ),
        'irmeval.evaluate(qrels, run, ["nDCG@10", "AP", "P@10", "R@10", "RR"])',
    ),
    **dict.fromkeys(("compare", "significance"), _MATRIX),
    **dict.fromkeys(("ttest", "paired_ttest", "t_test", "ttest_rel"), _TEST.format('"t"')),
    "wilcoxon": _TEST.format('"wilcoxon"'),
    **dict.fromkeys(
        ("kendalltau", "kendall_tau", "tau", "tau_b"),
        _CORRELATION.format("tau_b", '"agreement"'),
    ),
    "tau_ap": _CORRELATION.format("tau_ap", '"agreement"'),
    "rbo": "rbo_of_lists of irmeval.stats.list_similarity",
    "Experiment": f'irmeval.evaluate({_RUNS}, measures), or irmeval.EXPERIMENTS["leaderboard"]',
    "plot": f'irmeval.EXPERIMENTS["leaderboard"]({_RUNS}, measures).plot()',
}
"""Names that other packages have, with what there is in this one."""


class Elsewhere:
    """What another package has under a name. It can be imported, as in ``from irmeval
    import compare``, where Python would replace the text of an error; its use is an
    error that says what there is here.
    """

    def __init__(self, name: str, here: str):
        self._said = f"irmeval has no {name!r}. Here it is {here}."

    def __call__(self, *_: Any, **__: Any) -> Any:
        raise ParamError(self._said)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(self._said)

    __matmul__ = __call__  # ndcg @ 10

    def __repr__(self) -> str:
        return self._said


class MetricName(str):
    """A metric as ir_measures writes it, ``nDCG@10`` or ``AP(rel=2)``: a text of a
    measure.
    """

    def __matmul__(self, cutoff: int) -> "MetricName":
        return MetricName(f"{self}@{cutoff}")

    def __call__(self, *unnamed: Any, **params: Any) -> "MetricName":
        if unnamed:
            raise ParamError(f"{self}: expected parameters by name, as in AP(rel=2).")
        values = ",".join(f"{name}={value}" for name, value in params.items())
        return MetricName(f"{self}({values})")


def unknown_attribute(
    owner: str, name: str, known: Mapping[str, str], own: Collection[str] = ()
) -> AttributeError:
    """Error for an attribute that an object lacks, with what there is instead, or the
    nearest of its `own` names.
    """
    unknown = f"{owner} has no attribute {name!r}."
    if name in known:
        return AttributeError(f"{unknown} Here it is {known[name]}.")
    nearest = ", ".join(nearest_names(name, own))
    if not nearest:
        return AttributeError(unknown)
    return AttributeError(f"{unknown} Nearest: {nearest}.")


class ReadFrom:
    """Constructors of qrels and runs in other packages: each is the function of irmeval
    that reads them, from a file as from memory.
    """

    reader: ClassVar[str]
    """name of the function"""

    @classmethod
    def from_file(cls, *given: Any, **named: Any) -> Any:
        """What the function returns."""
        return getattr(import_module("irmeval"), cls.reader)(*given, **named)

    from_path = from_dict = from_df = from_frame = from_pandas = from_parquet = load = from_file


class ReadRun(ReadFrom):
    """A run of another package; here it is a dictionary."""

    reader = "read_run"

    def __new__(cls, *given: Any, **named: Any) -> Any:
        """The dictionary."""
        if named or len(given) != 1:
            raise ParamError(
                "Run: here it is irmeval.read_run(run), a dictionary; {'bm25': run} names it."
            )
        return cls.from_file(*given)


Read = TypeVar("Read", bound=ReadFrom)


def made_of_one(record: type[Read]) -> type[Read]:
    """Decorate a record that is `ReadFrom` a file: a single argument is read by its
    function, as in ``Qrels(judgments)``.
    """
    fill = record.__init__

    @wraps(fill)
    def read_or_fill(made: Read, *given: Any, **named: Any) -> None:
        if len(given) == 1 and not named:
            vars(made).update(vars(made.from_file(*given)))  # frozen: no attribute can be set
        else:
            fill(made, *given, **named)

    record.__init__ = read_or_fill  # type: ignore[method-assign, assignment]
    return record


def made_by(how: str) -> Callable[[type[T]], type[T]]:
    """Decorate a record that users do not construct themselves: other arguments than
    its own are a `ParamError` that says how one is made, in place of a `TypeError`.
    """

    def decorate(record: type[T]) -> type[T]:
        is_text = issubclass(record, str)
        create: Callable[..., Any] = record.__init__
        if is_text:
            create = record.__new__
        parameters = signature(create)

        @wraps(create)
        def explained(*given: Any, **named: Any) -> Any:
            try:
                return create(*given, **named)
            except TypeError:
                # one from inside the record, whose arguments fit, is passed on
                try:
                    parameters.bind(*given, **named)
                except TypeError:
                    raise ParamError(f"{record.__name__}: {how}") from None
                raise

        if is_text:
            record.__new__ = staticmethod(explained)  # type: ignore[method-assign]
        else:
            record.__init__ = explained  # type: ignore[method-assign]
        return record

    return decorate


def explains_calls(function: Callable[P, T]) -> Callable[P, T]:
    """Decorate a function: arguments that it does not take are a `ParamError` with its
    parameters, in place of a `TypeError`.
    """
    parameters = signature(function)

    @wraps(function)
    def call(*args: P.args, **named: P.kwargs) -> T:
        try:
            return function(*args, **named)
        except TypeError as error:
            try:
                parameters.bind(*args, **named)
            except TypeError as unfit:
                raise ParamError(f"{function.__name__}: {describe(str(unfit))}") from None
            raise error

    def describe(unfit: str) -> str:
        names = [name for name, one in parameters.parameters.items() if one.kind != one.VAR_KEYWORD]
        if "unexpected" not in unfit:
            return f"{unfit}; it takes {', '.join(names)}."
        unknown = unfit.rpartition("argument ")[2].strip("'")
        return f"{unfit}{suggest_nearest(unknown, names)}."

    return call
