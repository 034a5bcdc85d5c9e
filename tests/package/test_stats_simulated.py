"""Statistical tests and intervals over thousands of draws: they err as often as they
say.
"""

from types import ModuleType

import numpy as np
import pytest

from irmeval.experiments import EXPERIMENTS
from irmeval.stats.anova import pool_effects
from irmeval.stats.bootstrap import Resamples
from irmeval.stats.correlation import critical_tau, rbo, spearman, tau_ap, tau_b
from irmeval.stats.intervals import (
    correlation_intervals,
    mean_interval,
    share_interval,
    student_quantile,
)
from irmeval.stats.judge_agreement import STATISTICS, PairCounts, estimate_statistics
from irmeval.stats.pair_tests import compare_pairs
from irmeval.stats.significance import TESTS, compare
from irmeval.stats.topic_sets import minority_rate_at, minority_rate_over_runs, stability
from tests.counted import many

ALIKE = [(tau_b, -1.0), (tau_ap, -1.0), (rbo, 0.0), (spearman, -1.0)]


@pytest.mark.parametrize("name", TESTS)
def test_type_1_error_is_the_level_when_nothing_differs(stats: ModuleType, name: str) -> None:
    n, trials = 40, 1000
    rng = np.random.default_rng(11)
    found = 0
    for seed in range(trials // 20):
        topic_effect = rng.normal(size=n)
        scores = topic_effect + rng.normal(size=(20, 2, n))
        # 199 samples: (hits + 1) / 200 reaches .05 exactly
        found += int((compare(scores, name, samples=199, seed=seed).p <= 0.05).any(axis=-1).sum())
    # a count of topics cannot hit .05, but the highest share it can hit is known
    level = (
        max(q for q in 2 * stats.binom.cdf(np.arange(n), n, 0.5) if q <= 0.05)
        if name == "sign"
        else 0.05
    )
    assert stats.binom.ppf(0.001, trials, level) <= found <= stats.binom.ppf(0.999, trials, level)


def test_critical_tau_when_orders_are_unrelated_then_holds_for_runs_and_not_for_pairs_of_them(
    stats: ModuleType,
) -> None:
    trials, runs = 600, 30
    first, second = np.triu_indices(runs, 1)
    rng = np.random.default_rng(3)
    of_runs = of_pairs = 0
    for _ in range(trials):
        one, other = rng.normal(size=(2, runs))
        apart, apart_by_other = (np.abs(of[first] - of[second]) for of in (one, other))
        of_runs += abs(tau_b(one, other)) >= critical_tau(runs)
        of_pairs += abs(tau_b(apart, apart_by_other)) >= critical_tau(first.size)
    assert of_runs <= stats.binom.ppf(0.999, trials, 0.01)
    # pairs share runs, so that *Pair orderings* does not call a tau significant
    assert of_pairs > 2 * stats.binom.ppf(0.999, trials, 0.01)


def test_differences_of_gains_when_few_trials_are_drawn_then_intervals_hold_those_of_many(
    stats: ModuleType,
) -> None:
    few, trials = 5, 400
    found = EXPERIMENTS["gains"](many(12, 12), ["nDCG"], trials=trials)
    for taus in found.kept[0]:
        apart = taus - found.kept[0][found.maps.index("flat")]
        drawn = apart.reshape(-1, few)
        error = drawn.std(axis=1, ddof=1) / np.sqrt(few)
        off = np.abs(drawn.mean(axis=1) - apart.mean())
        held = (off <= student_quantile(0.95, few) * error).sum()
        assert held >= stats.binom.ppf(0.001, len(drawn), 0.95)


def test_minority_rates_when_runs_are_drawn_then_intervals_over_runs_hold_those_of_all(
    stats: ModuleType,
) -> None:
    """Samples of 15 of 150 runs by two measures, one of which is noisier."""
    runs, topics, drawn, trials = 150, 30, 15, 60
    rng = np.random.default_rng(2)
    good = rng.normal(0.35, 0.08, runs)[:, None] + rng.normal(0, 0.15, topics)
    scores = good + rng.normal(0, 0.1, (runs, topics))
    noisier = scores + rng.normal(0, 0.1, (runs, topics))
    fuzziness = tuple(f / 100 for f in range(0, 31, 2))

    def count(of):
        return stability(of, size=topics // 2, sets=100, fuzziness=fuzziness)

    truth = [float(minority_rate_at(count(of))) for of in (scores, noisier)]
    held = np.zeros(3, int)
    for trial in range(trials):
        some = rng.choice(runs, drawn, replace=False)
        one, other = (
            minority_rate_over_runs(count(of[some]), drawn, seed=trial + 1)
            for of in (scores, noisier)
        )
        true = *truth, truth[1] - truth[0]
        for which, (values, value) in enumerate(zip((one, other, other - one), true, strict=True)):
            low, high = np.nanpercentile(values, (2.5, 97.5))
            held[which] += low <= value <= high
    assert (held >= stats.binom.ppf(0.001, trials, 0.95)).all(), held


def test_false_differences_at_once_when_runs_are_equal_then_are_at_most_alpha_unlike_those_alone():
    """400 sets of 12 equal runs, and 400 where three are equally good and the others
    worse; the scores are skewed and of unlike spread.
    """
    rng = np.random.default_rng(4)
    alone, false, wrong, missed, found = 0, np.zeros(2, int), 0, 0, 0
    truth = np.r_[np.zeros(3), np.full(9, -1.0)]
    pairs = np.triu_indices(12, 1)
    true = np.sign(truth[pairs[0]] - truth[pairs[1]])
    for _ in range(400):
        equal = rng.permuted(rng.random((12, 30)) ** 3 * np.linspace(0.2, 1, 12)[:, None], axis=0)
        tests = compare_pairs(equal, samples=200)
        alone += tests.alone.any()
        false[0] += tests.at_once.any()
        scores = np.vstack(
            [rng.permuted(equal[:3] + 0.3, axis=0), rng.permuted(equal[3:] * 0.5, axis=0)]
        )
        tests = compare_pairs(scores, samples=200)
        false[1] += (tests.at_once & (np.sign(tests.difference) != true)).any()
        low, high = tests.ranks
        wrong += (
            (low[:3] > 1).any()
            or (high[:3] < 3).any()
            or (low[3:] > 4).any()
            or (high[3:] < 12).any()
        )
        ends = tests.intervals()
        missed += ((ends.low_at_once > 0) | (ends.high_at_once < 0))[true == 0].any()
        found += (tests.at_once & (true > 0)).sum()
    assert alone > 200
    # of 400; more than that have a chance below .05 where one in twenty is the truth
    assert (false <= 28).all()
    assert max(wrong, missed) <= 28
    assert found > 0.9 * 400 * 27


def test_intervals_at_once_when_runs_differ_then_all_of_them_hold_as_often_as_they_say(
    stats: ModuleType,
) -> None:
    """300 draws of 25 topics, of 8 runs whose skewed scores are unlike in mean and
    spread: so flips alone are too narrow.
    """
    rng, held, of_flips = np.random.default_rng(8), 0, 0
    mean = np.linspace(0.1, 0.45, 8)
    first, second = np.triu_indices(8, 1)
    true = mean[first] - mean[second]
    for _ in range(300):
        hard = rng.random(25)
        tests = compare_pairs(
            rng.beta(0.5 + hard, (0.5 + hard) * (1 / mean[:, None] - 1)), samples=200
        )
        ends = tests.intervals()
        held += ((ends.low_at_once <= true) & (true <= ends.high_at_once)).all()
        of_flips += (np.abs(tests.difference - true) <= tests.quantile_at_once * tests.error).all()
    assert of_flips < held
    assert held >= stats.binom.ppf(0.01, 300, 0.95)


@pytest.mark.parametrize("name", TESTS)
def test_power_rises_with_the_number_of_topics(name: str) -> None:
    rng = np.random.default_rng(2)
    scores = rng.normal(size=(150, 2, 90)) + np.array([[0.6], [0.0]])
    power = [(compare(scores[..., :n], name, samples=200).p < 0.05).mean() for n in (10, 30, 90)]
    assert power == sorted(power)
    assert power[0] < 0.4
    assert power[-1] > 0.8


@pytest.mark.parametrize("topics", [10, 50])
def test_mean_interval_when_scores_are_skewed_then_it_covers_the_mean_as_often_as_it_says(
    topics, stats
):
    drawn = np.random.default_rng(6).beta(0.5, 2, (4000, topics))  # mean .2, skewness 1.2
    low, high = mean_interval(drawn, bounds=(0, 1))
    covered = int(((low <= 0.2) & (high >= 0.2)).sum())
    assert covered >= stats.binom.ppf(0.001, 4000, {10: 0.92, 50: 0.94}[topics])
    assert covered <= stats.binom.ppf(0.999, 4000, 0.95)
    means = drawn.mean(axis=1, keepdims=True)
    assert ((low <= means[:, 0]) & (means[:, 0] <= high)).all()


def test_statistics_of_judges_when_topics_differ_then_intervals_hold_the_truth_and_their_estimates(
    stats,
):
    rng = np.random.default_rng(8)
    topics, trials, grades = 10, 200, np.arange(3)
    chance, same = rng.dirichlet([2, 1, 1], 1000), rng.beta(4, 2, (1000, 1, 1))
    cells = (1 - same) * chance[:, :, None] * chance[:, None] + same * chance[:, :, None] * np.eye(
        3
    )
    tables = (
        rng.multinomial(rng.lognormal(4, 0.7, 1000).astype(int) + 2, cells.reshape(1000, 9))
        .reshape(-1, 3, 3)
        .astype(float)
    )
    truth = [
        statistic.compute(PairCounts(tables.sum(axis=0), grades, 1, 1))
        for statistic in STATISTICS.values()
    ]
    some = tables[rng.integers(1000, size=(trials, topics))]
    found = estimate_statistics(some, grades, [(1, 1)] * trials, Resamples(1, 100, topics), 95)
    assert ((found.low <= found.pooled) & (found.pooled <= found.high)).all()
    held = ((found.low <= truth) & (truth <= found.high)).sum(axis=0)
    for name, times in zip(STATISTICS, held, strict=True):
        assert name == "documents" or stats.binom.ppf(
            0.001, trials, 0.93
        ) <= times <= stats.binom.ppf(0.999, trials, 0.96), name


@pytest.mark.parametrize(("scale", "true", "noise"), [(0.75, 0.6, 0.3), (0.06, 0.985, 0.1)])
def test_of_orders_when_topics_are_drawn_then_intervals_hold_the_truth_and_their_estimates(
    scale, true, noise, stats
):
    rng = np.random.default_rng(3)
    runs, trials, topics = 17, 150, 25
    first = np.linspace(0, 1, runs)
    second = first + scale * rng.normal(0, 0.3, runs)
    truth = [float(compute(first, second)) for compute, _ in ALIKE]
    assert truth[0] == pytest.approx(true, abs=0.03)
    held = np.zeros(len(ALIKE), int)
    for trial in range(trials):
        shared = rng.normal(0, 0.4, (runs, topics))
        x, y = (
            means[:, None] + shared + rng.normal(0, noise, (runs, topics))
            for means in (first, second)
        )
        estimate, low, high = correlation_intervals(
            ALIKE, x, y, samples=100, seed=trial, level=95
        ).T
        assert ((low <= estimate) & (estimate <= high)).all()
        held += (low <= truth) & (truth <= high)
    assert (held >= stats.binom.ppf(0.001, trials, 0.95)).all(), held


@pytest.mark.parametrize(
    ("alike", "true"), [(0.05, 0.95), (0.3, 0.95), (0.9, 0.95), (0.3, 0.7), (0.3, 0.1)]
)
@pytest.mark.parametrize("clusters", [2, 10, 40])
def test_interval_of_shares_when_units_of_a_cluster_are_alike_then_holds_the_truth(
    alike, true, clusters
):
    rng = np.random.default_rng(3)
    both = (1 - alike) / alike
    shares = rng.binomial(30, rng.beta(true * both, (1 - true) * both, (2000, clusters))) / 30
    low, high = share_interval(shares, 30, level=0.95)
    assert ((low <= true) & (true <= high)).mean() >= 0.95
    assert ((low <= shares.mean(axis=1)) & (shares.mean(axis=1) <= high)).all()


@pytest.mark.parametrize("studies", [2, 3, 5, 10])
def test_intervals_when_the_true_mean_is_known_then_they_hold_it_at_least_as_often_as_they_say(
    studies, stats
):
    rng, held, normal, trials = np.random.default_rng(studies), 0, 0, 600
    for _ in range(trials):
        errors = 0.03 * np.exp(rng.uniform(np.log(0.5), np.log(2), studies))
        effects = 0.1 + rng.normal(0, 0.06, studies) + rng.normal(0, errors)
        found = pool_effects(effects, errors * np.sqrt(rng.chisquare(14, studies) / 14))
        held += found.low <= 0.1 <= found.high
        normal += abs(found.mean - 0.1) <= 1.96 * (found.high - found.mean) / stats.t.ppf(
            0.975, studies - 1
        )
    assert held / trials >= 0.93
    assert normal < held  # by Student's t alone: the normal interval is too narrow
