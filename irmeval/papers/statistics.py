"""The statistics of the papers' findings, from the results of experiments."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from irmeval.core.text import list_few
from irmeval.experiments.measures.pair_orderings import PAPER
from irmeval.experiments.measures.stability import TIES
from irmeval.experiments.runs.matrix import Params as Tested
from irmeval.experiments.trials import over_trials
from irmeval.experiments.watched.decisions import counts_of
from irmeval.metrics import measure
from irmeval.stats.correlation import tau_b
from irmeval.stats.decision_agreement import agreement_of_counts
from irmeval.stats.means import tied
from irmeval.stats.topic_sets import minority_rate_at

NDCG = "nDCG(base=2)@1000"
DEEP = 1000
"""The deepest rank at which unjudged documents are counted."""
ALONE = Tested(test="bootstrap", samples=1000)
"""Discriminative power as in Sakai's papers."""
PLAIN: dict[str, Callable[[Any], Any]] = {}
"""Name -> function of a result: values [measure], or one of all its measures
together.
"""


def _statistic(name: str) -> Callable[[Callable[[Any], Any]], Callable[[Any], Any]]:
    """Register a statistic under the words by which findings name it."""

    def register(compute: Callable[[Any], Any]) -> Callable[[Any], Any]:
        PLAIN[name] = compute
        return compute

    return register


def _mean(result: Any) -> np.ndarray:
    """Mean scores as a share of those on full judgments."""
    return np.asarray(_curve(result, "mean") / result.whole["mean"])


def _curve(result: Any, column: str) -> np.ndarray:
    """A column of *Curves*, mean over samples [measure, rate]."""
    found: np.ndarray = result.curve(column)[:, 0]
    return found


def _power(result: Any) -> np.ndarray:
    # on all judgments, a result has that alone
    return result.power[:, None] if hasattr(result, "power") else _curve(result, "power")


AT_RATE: dict[str, Callable[[Any], np.ndarray]] = {
    "tau": lambda result: _curve(result, result.correlation),
    "power": _power,
    # of all samples together
    "errors": lambda result: np.asarray(
        agreement_of_counts(np.nansum(counts_of(result)[:, 0], axis=2)).error_rate
    ),
    "accuracy": lambda result: _curve(result, "accuracy"),
    "g-mean": lambda result: _curve(result, "g_mean"),
    "differences missed": lambda result: _curve(result, "false_positive_rate"),
    "pairs significant on both, less on neither": lambda result: _both_less_neither(result),
    "share of the mean": _mean,
    "change of the mean": lambda result: np.abs(_mean(result) - 1),
}
"""Name -> function of a result: means over its samples of the judgments [measure,
rate].
"""


def at_rates(result: Any, of: str) -> np.ndarray:
    """The values of one of `AT_RATE`; NaN at rates that remove less than a twentieth of
    the judgments.
    """
    values = AT_RATE[of](result)
    if getattr(result, "left", None) is None:
        return values
    return np.where([one.too_much for one in result.realised], np.nan, values)


def on_common(values: np.ndarray) -> np.ndarray:
    """The values [measure, rate] at the rates at which every measure has one, so that
    means over rates compare like with like; a measure without any stays NaN.
    """
    known = ~np.isnan(values)
    some = known.any(axis=1)
    return values[:, known[some].all(axis=0) & some.any()]


def _tau(result: Any, a: str, b: str) -> float:
    """Kendall's tau between the orders of the runs by two measures."""
    return float(result.values[result.measures.index(a), result.measures.index(b)])


@_statistic("place by minority rate")
def _stability_ranks(result: Any) -> np.ndarray:
    """Rank of each measure by its minority rate, 1 for the most stable; NaN for an
    unknown rate.
    """
    rate = result.at_ties
    return np.where(np.isnan(rate), np.nan, 1 + (rate[:, None] > rate).sum(axis=1))


@_statistic("spread of sensitivity over gains, share of that over metrics")
def _over_gains(result: Any) -> np.ndarray:
    """Range of the sensitivity of each measure over gain maps, as a share of its range
    over measures.
    """
    sensitivity = result.required.sensitivity
    # over measures under the default gains, which come first
    return np.asarray(np.ptp(sensitivity, axis=1) / np.ptp(sensitivity[:, 0]))


@_statistic("spread of minority rate over gains, share of that over metrics")
def _stability_over_gains(result: Any) -> np.ndarray:
    """Range of the minority rate at 10% ties of each measure over gain maps, as a share
    of its range over measures; NaN for a measure that some gains do not bring there.
    """
    rate = minority_rate_at(result.counts, TIES)
    return np.asarray(np.ptp(rate, axis=1) / np.ptp(rate[np.isfinite(rate[:, 0]), 0]))


@_statistic("tau of the orders of the metrics by power and by sensitivity")
def _power_and_swap(result: Any) -> float:
    power = np.array([ALONE.differ(values).mean() for values in result.scores.values])
    return float(tau_b(power, result.required.sensitivity))


def _less_bpref(result: Any, of: str) -> np.ndarray:
    """One of `AT_RATE` at 10% [measure], less that of bpref."""
    values = at_rates(result, of)[:, result.levels.index(10.0)]
    return np.asarray(values - values[result.measures.index("Bpref_R")])


@_statistic("tau at 10%, less that of bpref")
def _tau_less_bpref(result: Any) -> Any:
    return _less_bpref(result, "tau")


@_statistic("power at 10%, less that of bpref")
def _power_less_bpref(result: Any) -> Any:
    return _less_bpref(result, "power")


def _both_less_neither(result: Any) -> np.ndarray:
    """Share of the pairs significant on both, less that of the pairs significant on
    neither [measure, rate].
    """
    # trials without a tested pair have no counts and are left out
    counts = over_trials(np.moveaxis(counts_of(result)[:, 0], 2, -1))
    return np.asarray((counts[..., 1, 1] - counts[..., 0, 0]) / counts.sum(axis=(-1, -2)))


def _between(result: Any, first: tuple[str, str], second: tuple[str, str]) -> np.ndarray:
    """Tau between the first two orders of the pairs of runs, less tau between the
    second two.
    """
    table = result.as_in_the_paper()
    return np.asarray(table[" - ".join(first)] - table[" - ".join(second)], float)


def _left_on_condensed(result: Any, values: np.ndarray) -> np.ndarray:
    """By how much both Q and nDCG exceed AP at 10%, less the range of their primes and
    AP', from values [measure, rate].
    """
    row = {
        str(m): row
        for m, row in zip(result.measures, values[:, result.levels.index(10.0)], strict=True)
    }
    primes = [row[f"{name}'"] for name in ("Q", "AP", NDCG)]
    return np.asarray(min(row["Q"], row[NDCG]) - row["AP"] - np.ptp(primes))


def _q_less_ap(result: Any) -> np.ndarray:
    """Q less AP of lists with one relevant document, by its rank, at the least R
    [rank].
    """
    q, ap = (result.values[result.measures.index(name), :, 0] for name in ("Q", "AP"))
    return np.asarray(q - ap)


@_statistic("documents that a sample of 10% lacks, of the lowest grade less the highest")
def _lacks(result: Any) -> float:
    """Documents of the lowest grade that a sample of 10% lacks, less those of the
    highest grade, per topic; NaN for one grade.
    """
    grade = result.collection.grade
    grades = np.unique(grade[grade > 0])
    if len(grades) < 2:
        return np.nan
    lowest, highest = (np.count_nonzero(grade == g) for g in (grades[0], grades[-1]))
    # expected, not drawn: nine tenths of each grade are gone
    return float(0.9 * (lowest - highest) / len(result.collection.topics))


def _knee(result: Any, column: str) -> np.ndarray:
    return np.asarray(result.knee(column).interpolated)


@_statistic("difference of tau by grades")
def _by_grades(result: Any) -> float:
    """Largest difference of tau under other gains from that under the first ones; NaN
    if there is none.
    """
    return _largest_by_grades(result, result.correlation)


@_statistic("difference of accuracy by grades")
def _accuracy_by_grades(result: Any) -> float:
    """The same of the accuracy of decisions."""
    return _largest_by_grades(result, "accuracy")


def _largest_by_grades(result: Any, column: str) -> float:
    values = result.curve(column)
    # exactly 0 where relevance has one grade: then nothing is compared
    return float(np.abs(values[:, 1:] - values[:, :1]).max()) or np.nan


@_statistic("share of the rates below 100% with the highest tau")
def _rates_best(result: Any) -> np.ndarray:
    """Share of the rates below 100% at which a measure has a higher mean tau than every
    other.
    """
    less = [i for i, rate in enumerate(result.levels) if rate < 100]
    tau = on_common(at_rates(result, "tau")[:, less])
    # no rate removes enough, or none has a value by every measure
    if not tau.size:
        return np.full(len(tau), np.nan)
    first = np.sort(tau, axis=0)
    # a strict order fails on ties: a rate with two best measures is nobody's
    best = (tau == first[-1]) & (len(tau) < 2 or first[-1] > first[-2])
    return np.where(np.isnan(tau).all(axis=1), np.nan, best.mean(axis=1))


@_statistic("least tau of sign test, stability and swap, less what chance gives")
def _least_of_orders(result: Any) -> np.ndarray:
    table = result.as_in_the_paper()
    pairs = [" - ".join(pair) for pair in PAPER]
    return np.asarray(table[pairs].min(axis=1) - table["significant from"])


def _unjudged(result: Any, rank: int) -> float:
    # no list may reach it
    return dict(zip(result.stretches, map(float, result.mean_share), strict=True)).get(
        str(rank), np.nan
    )


@_statistic("least score of an ideal list")
def _least_ideal(result: Any) -> Any:
    return result.values.min(axis=1)


@_statistic("share of the score left at rank 11")
def _left_at_11(result: Any) -> Any:
    # index 10: the first rank that RBP(p=0.5) does not see (Sakai & Kando 2008, Section 3.4)
    return result.shares[:, 10, 0]


@_statistic("topics with R > N")
def _mostly_relevant(result: Any) -> Any:
    return np.ptp(result.counts().set_index("of")["number"][["topics", "topics with R <= N"]])


@_statistic("tau with AP")
def _tau_with_ap(result: Any) -> Any:
    return result.values[:, result.measures.index("AP")]


@_statistic("tau with Rprec")
def _tau_with_rprec(result: Any) -> Any:
    return result.values[:, result.measures.index("Rprec")]


@_statistic("tau with Bpref_10")
def _tau_with_bpref_10(result: Any) -> Any:
    return result.values[:, result.measures.index("Bpref_10")]


@_statistic("mean tau with the others")
def _tau_with_others(result: Any) -> Any:
    # less its tau of 1 with itself
    return (result.values.sum(axis=1) - 1) / (len(result.values) - 1)


@_statistic("least tau with their primes")
def _tau_with_primes(result: Any) -> Any:
    return min(_tau(result, m, f"{m}'") for m in ("AP", "Q", NDCG))


@_statistic("least tau of Q, R-measure, nDCG, and of Q with AnDCG")
def _tau_of_graded(result: Any) -> Any:
    return min(
        _tau(result, *pair)
        for pair in (
            ("Q", "R-measure"),
            ("Q", NDCG),
            ("R-measure", NDCG),
            ("Q", "AnDCG(base=2)@1000"),
        )
    )


@_statistic("tau of nDCG with AnDCG, least over cut-offs, less that of AnDCG@10 with @1000")
def _tau_of_ndcg_over_cutoffs(result: Any) -> Any:
    return min(
        _tau(result, f"nDCG(base=2)@{k}", f"AnDCG(base=2)@{k}") for k in (10, 100, 1000)
    ) - _tau(result, "AnDCG(base=2)@10", "AnDCG(base=2)@1000")


@_statistic("advantage of graded relevance at 10%, raw less condensed")
def _graded_tau_left(result: Any) -> Any:
    return _left_on_condensed(result, at_rates(result, "tau"))


@_statistic("advantage of graded relevance in power at 10%, raw less condensed")
def _graded_power_left(result: Any) -> Any:
    return _left_on_condensed(result, at_rates(result, "power"))


@_statistic("change of the score with R")
def _change_with_R(result: Any) -> Any:
    return np.abs(np.diff(result.values, axis=2)).max(axis=(1, 2))


@_statistic("change of the score from rank 1 to 2")
def _change_after_first(result: Any) -> Any:
    return np.abs(result.values[:, 0] - result.values[:, 1]).max(axis=1)


@_statistic("difference of Q and AP down to rank R")
def _q_less_ap_above(result: Any) -> Any:
    return np.abs(_q_less_ap(result)[: result.params.R[0]]).max()


@_statistic("least difference of Q and AP below rank R")
def _q_less_ap_below(result: Any) -> Any:
    return _q_less_ap(result)[result.params.R[0] :].min()


@_statistic("score at ranks 1 and 2")
def _score_of_first_two(result: Any) -> Any:
    return result.values[:, :2].max(axis=(1, 2))


@_statistic("difference from AP")
def _difference_from_ap(result: Any) -> Any:
    return np.abs(result.values - result.values[result.measures.index("AP")]).max(axis=(1, 2))


@_statistic("minority rate at 10% ties")
def _minority_rate(result: Any) -> Any:
    return result.at_ties


@_statistic("sensitivity")
def _sensitivity(result: Any) -> Any:
    return result.required.sensitivity


@_statistic("required difference, share of the best mean")
def _required_of_best(result: Any) -> Any:
    return result.required.difference / result.best


@_statistic("required difference, in deviations")
def _required_in_deviations(result: Any) -> Any:
    return result.required.difference / result.deviation


@_statistic("least tau with the default gains")
def _tau_with_default_gains(result: Any) -> Any:
    return result.tau.min(axis=1)


@_statistic("tau of stability and swap, less sign test and swap")
def _tau_stability_swap(result: Any) -> Any:
    return _between(result, ("minority rate", "swap rate"), ("sign", "swap rate"))


@_statistic("tau of sign test and swap, less sign test and stability")
def _tau_sign_swap(result: Any) -> Any:
    return _between(result, ("sign", "swap rate"), ("sign", "minority rate"))


@_statistic("knee of tau")
def _knee_of_tau(result: Any) -> Any:
    return _knee(result, result.correlation)


@_statistic("knee of accuracy")
def _knee_of_accuracy(result: Any) -> Any:
    return _knee(result, "accuracy")


@_statistic("share unjudged at rank 1")
def _unjudged_first(result: Any) -> Any:
    return _unjudged(result, 1)


@_statistic("share unjudged at rank 1000, less that at 125")
def _unjudged_deep(result: Any) -> Any:
    return _unjudged(result, DEEP) - _unjudged(result, 125)


@_statistic("pairs of lists ordered oppositely")
def _opposed(result: Any) -> Any:
    return result.opposed().query("`measure a` == 'Bpref_10'")["opposed"].iloc[0]


@_statistic("share of changes of places that it rises after")
def _rises_after(result: Any) -> Any:
    return result.counts[:, 0] / result.counts.sum(axis=1)


@_statistic("rises along the runs by AP")
def _rises_along(result: Any) -> Any:
    return (np.diff(tied(result.scores.means)[:, result.order], axis=1) > 0).sum(axis=1)


@_statistic("largest change of a run's rank")
def _largest_change_of_rank(result: Any) -> Any:
    return np.abs(result.ranks - result.ranks[result.by]).max(axis=1)


def _beyond_ties(names: Sequence[str], result: Any) -> str:
    """By which measures the proportion of ties does not come to `TIES`, at which end."""
    every = np.array([*map(str, result.measures)], dtype=object)
    asked = [str(measure(name)) for name in names] or [*every]
    counts = np.isin(every, asked)
    ties = result.rates[1]
    ends = {
        f"every f gives more than {TIES:.0%} ties": ties.min(axis=1) > TIES,
        f"no f gives {TIES:.0%} ties": ties.max(axis=1) < TIES,
    }
    # at each end the measures whose curve lies wholly beyond it
    found = {end: every[counts & beyond].tolist() for end, beyond in ends.items()}
    return "; ".join(f"by {list_few(some, 3)}, {end}" for end, some in found.items() if some)


def _beyond_lists(_names: Sequence[str], result: Any) -> str:
    longest = max(result.ends)
    return f"no list reaches rank {DEEP:,}, the counted ranks end at {longest:,}"


NO_VALUE: dict[str, str | Callable[[Sequence[str], Any], str]] = {
    "minority rate": _beyond_ties,
    "place by minority rate": lambda _, result: _beyond_ties((), result),
    "spread of minority rate": "by some gains no f gives 10% ties",
    "share unjudged": _beyond_lists,
    "errors": "no pair of runs differs significantly there",
    "g-mean": "in some sample every pair of runs differs significantly",
    "differences missed": "no pair of runs differs significantly on all judgments",
    "difference of tau by grades": "relevance has one grade here",
    "difference of accuracy by grades": "relevance has one grade here",
    "documents that a sample": "relevance has one grade here",
    "sensitivity": "all runs tie",
    "spread of sensitivity": "all measures are equally sensitive",
    "required difference": "no difference keeps to 5% of swaps",
    "knee": "the curve is not above 0.9 at its highest rate",
    "change of the mean": "no run scores above 0 on all judgments",
    "share of the mean": "no run scores above 0 on all judgments",
    "tau of the orders of the metrics": "power or sensitivity is the same by all metrics",
    "tau of stability": "some of these orders has no two pairs apart",
    "tau of sign": "some of these orders has no two pairs apart",
    "least tau of sign test": "some of these orders has no two pairs apart",
}
"""Beginning of the name of a statistic -> why it may have no value; or the function of
the measures of a finding and the result that tells.
"""


def no_value(name: str, measures: Sequence[str], result: Any) -> str:
    """Why a statistic of these measures has no value in a result."""
    found = max((begin for begin in NO_VALUE if name.startswith(begin)), key=len, default="")
    why = NO_VALUE.get(found, "it is not defined here")
    return why if isinstance(why, str) else why(measures, result)


OF_ALL = {"place by minority rate", "mean tau with the others"}
"""Statistics that compare a measure with all others of the result."""
