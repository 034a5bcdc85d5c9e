"""What users of other packages write, with what it is here: errors that say how."""

from collections.abc import Callable, Collection, Mapping
from functools import wraps
from inspect import signature
from typing import Any, ParamSpec, TypeVar

from irmeval.core.errors import ParamError
from irmeval.core.registry import nearest_names, suggest_nearest

P = ParamSpec("P")
T = TypeVar("T")


SAME = {
    **dict.fromkeys(("load", "load_collection", "from_files"), "read_collection"),
    **dict.fromkeys(("load_qrels", "read_trec_qrels"), "read_qrels"),
    **dict.fromkeys(("parse_measure", "parse_trec_measure"), "measure"),
    "from_dicts": "Collection.from_dicts",
    "from_frames": "Collection.from_frames",
}
"""Names of other packages for what is here under another name, and takes the same."""
_RUNS = "irmeval.read_collection(qrels, runs)"
_TEST = 'EXPERIMENTS["matrix"](collection, measures, test={})'
_CORRELATION = "{0} of irmeval.stats.correlation, or EXPERIMENTS[{1}]"
OF_PACKAGE = {
    "Run": "a dictionary, topic -> document -> score, or a file of irmeval.read_collection",
    **dict.fromkeys(("read_run", "read_trec_run", "load_run", "parse_run", "TrecRun"), _RUNS),
    **dict.fromkeys(("parse_qrel", "parse_qrels", "TrecQrel"), "irmeval.read_qrels(file)"),
    "io": "irmeval.read_qrels(file), irmeval.read_collection(qrels, runs)",
    **dict.fromkeys(("iter_calc", "calc"), "irmeval.evaluate(qrels, run, measures).frame()"),
    "calc_aggregate": "irmeval.evaluate(qrels, run, measures).mean()",
    **dict.fromkeys(
        ("RelevanceEvaluator", "evaluator", "TrecEval"), "irmeval.evaluate(qrels, run, measures)"
    ),
    **dict.fromkeys(("list_metrics", "list_measures", "supported_measures"), "irmeval.METRICS"),
    **dict.fromkeys(
        ("ndcg", "dcg", "average_precision", "precision", "recall", "mrr", "reciprocal_rank"),
        'irmeval.evaluate(qrels, run, ["nDCG@10", "AP", "P@10", "R@10", "RR"])',
    ),
    **dict.fromkeys(("compare", "significance"), 'EXPERIMENTS["matrix"](collection, measures)'),
    **dict.fromkeys(("ttest", "paired_ttest", "t_test", "ttest_rel"), _TEST.format('"t"')),
    "wilcoxon": _TEST.format('"wilcoxon"'),
    **dict.fromkeys(
        ("kendalltau", "kendall_tau", "tau", "tau_b"),
        _CORRELATION.format("tau_b", '"agreement"'),
    ),
    "tau_ap": _CORRELATION.format("tau_ap", '"agreement"'),
    "rbo": "rbo_of_lists of irmeval.stats.list_similarity",
    "Experiment": 'irmeval.evaluate(collection, measures), or EXPERIMENTS["leaderboard"]',
}
"""Names that other packages have, with what there is in this one."""


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
    return AttributeError(f"{unknown} Nearest: {nearest}." if nearest else unknown)


class Explained(type):
    """Class of a record that users of other packages make in other ways: an attribute
    that it lacks says how one is made.
    """

    made: str

    def __getattr__(cls, name: str) -> Any:
        if name == "made":  # not decorated
            raise AttributeError(name)
        raise AttributeError(f"{cls.__name__} has no attribute {name!r}: {cls.made}")


def made_by(how: str) -> Callable[[type[T]], type[T]]:
    """Decorate a record that users do not construct themselves: other arguments than
    its own are a `ParamError` that says how one is made, in place of a `TypeError`.
    """

    def decorate(record: type[T]) -> type[T]:
        is_text = issubclass(record, str)
        create = record.__new__ if is_text else record.__init__
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
        if isinstance(record, Explained):
            record.made = how
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
        unknown = unfit.rpartition("argument ")[2].strip("'") if "unexpected" in unfit else ""
        nearest = suggest_nearest(unknown, names) if unknown else f"; it takes {', '.join(names)}"
        return f"{unfit}{nearest}."

    return call
