"""Both readings of pairs against plain loops, and that intervals, marks, ranks and
letters follow from p.
"""

from itertools import combinations
from math import inf, isnan, sqrt

import numpy as np
import pytest

from irmeval.core.errors import ParamError, UnknownName
from irmeval.stats import pair_tests
from irmeval.stats.pair_tests import DISCOVERIES, compare_pairs, letters, p_alone, p_of_two
from irmeval.stats.significance import TESTS, compare

MEANS_OF_T = ("bootstrap", "t", "randomization", "bootstrap-plus-one")


def odd_scores(seed: int, systems: int = 6, topics: int = 12) -> np.ndarray:
    """Scores with ties, equal systems, a constant difference, and holes."""
    rng = np.random.default_rng(seed)
    scores = (rng.random((systems, topics)) + np.linspace(0, 0.5, systems)[:, None]).round(1)
    scores[1] = scores[0]
    scores[2] = scores[3] + 0.25
    scores[4, 2], scores[5, [0, 2]] = np.nan, np.nan
    return scores


def t_by_loops(z: list[float]) -> float:
    n, mean = len(z), sum(z) / len(z)
    error = sqrt(sum((value - mean) ** 2 for value in z) / (n * (n - 1)))
    if abs(mean) < 1e-12:
        return 0.0
    return abs(mean) / error if error > 1e-12 else inf


def p_at_once_by_loops(
    scores: list[list[float]], pairs: list[tuple[int, int]], samples: int, seed: int
) -> list[float]:
    """p of each pair: how often the largest t of all pairs reaches its own while topics
    change their signs.
    """
    signs = (
        1 - 2 * np.random.default_rng(seed).integers(2, size=(samples, len(scores[0])))
    ).tolist()

    def of(a: int, b: int, row: list[int]) -> float:
        return t_by_loops(
            [
                s * (x - y)
                for s, x, y in zip(row, scores[a], scores[b], strict=True)
                if not isnan(x - y)
            ]
        )

    largest = [max(of(a, b, row) for a, b in pairs) for row in signs]
    observed = [of(a, b, [1] * len(scores[0])) for a, b in pairs]
    return [
        (sum(value >= t * (1 - 1e-9) for value in largest) + 1) / (samples + 1) for t in observed
    ]


@pytest.mark.parametrize("baselines", [(), (2,), (4, 0)])
def test_pairs_when_topics_are_missing_then_p_at_once_is_that_of_loops(
    baselines: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pair_tests, "ROOM", 12 * 16)  # flips in several batches
    scores = odd_scores(3)
    pairs = [pair for pair in combinations(range(6), 2) if not baselines or {*pair} & {*baselines}]
    found = compare_pairs(scores, baselines=baselines, samples=60, seed=5)
    assert list(zip(found.first.tolist(), found.second.tolist(), strict=True)) == pairs
    loops = p_at_once_by_loops(scores.tolist(), pairs, 60, 5)
    assert found.p_at_once.tolist() == pytest.approx(np.maximum(loops, found.p_alone).tolist())
    assert len({*loops}) > 2
    common = [[k for k in range(12) if not isnan(scores[a, k] - scores[b, k])] for a, b in pairs]
    assert found.topics.tolist() == [*map(len, common)]
    for k, (a, b) in enumerate(pairs):
        alone = compare_pairs(scores[[a, b]], samples=60, seed=5)
        assert (alone.p_alone[0], alone.difference[0], alone.error[0]) == (
            found.p_alone[k],
            found.difference[k],
            found.error[k],
        )
        assert (
            found.p_alone[k]
            == compare(scores[np.ix_([a, b], common[k])], samples=60, seed=5, test="bootstrap").p[0]
        )
        assert abs(found.t[k]) == pytest.approx(
            t_by_loops((scores[a] - scores[b])[common[k]].tolist())
        )


@pytest.mark.parametrize(("test", "least"), [("bootstrap", 1 / 101), ("t", 0)])
def test_pair_when_the_only_one_then_p_at_once_counts_the_observed_flip(
    test: str, least: float
) -> None:
    apart = np.array([[0.1, 0.2, 0.3, 0.2] * 9, [0.8, 0.9, 0.7, 0.9] * 9])
    found = compare_pairs(apart, test, samples=100)
    assert found.p_at_once[0] == max(found.p_alone[0], least)
    assert (found.at_once[0], compare_pairs(apart, test, samples=10).at_once[0]) == (
        True,
        test == "t",
    )


def test_pairs_when_the_test_is_in_closed_form_then_p_at_once_is_of_holm_with_no_interval() -> None:
    scores = odd_scores(1)[:4]
    for test in ("t", "wilcoxon", "sign"):
        found = compare_pairs(scores, test)
        order, highest, by_loops = np.argsort(found.p_alone, kind="stable"), 0.0, np.empty(6)
        for k, pair in enumerate(order):
            highest = by_loops[pair] = max(highest, min(1, found.p_alone[pair] * (6 - k)))
        assert found.p_at_once.tolist() == by_loops.tolist()
        ends = found.intervals()
        assert np.isnan(ends.low_at_once).all()
        assert np.isnan(ends.low).all() == (test != "t")


def test_pairs_when_discoveries_are_asked_for_then_p_at_once_is_of_benjamini_and_hochberg() -> None:
    scores = np.random.default_rng(2).random((5, 30)) + np.linspace(0, 0.6, 5)[:, None]
    for test, least in (("t", 0), ("bootstrap", 1 / 200)):  # a p of 0 counts as one hit
        found = compare_pairs(scores, test, samples=200, at_once=DISCOVERIES)
        p = np.maximum(found.p_alone, least)
        by_loops = [
            min(other * p.size / (p <= other).sum() for other in p if other >= own) for own in p
        ]
        assert found.p_at_once.tolist() == pytest.approx(by_loops)
        assert np.isnan(found.quantile_at_once)
        assert (
            found.at_once.sum() > compare_pairs(scores, test, samples=200).at_once.sum()
            or test == "bootstrap"
        )


@pytest.mark.parametrize("test", MEANS_OF_T)
def test_intervals_when_a_pair_is_significant_then_and_only_then_are_without_0(test: str) -> None:
    seen = set()
    for seed in range(60):
        scores, samples = odd_scores(seed, topics=5 + seed % 20), (20, 39, 100)[seed % 3]
        found = compare_pairs(
            scores, test, samples=samples, alpha=(0.05, 0.1, 0.07)[seed % 3], seed=seed
        )
        ends = found.intervals()
        for low, high, significant in (
            (ends.low, ends.high, found.alone),
            (ends.low_at_once, ends.high_at_once, found.at_once),
        ):
            known = np.isfinite(low)
            assert ((low > 0) | (high < 0))[known].tolist() == significant[known].tolist()
            seen |= {*significant[known].tolist()}
        assert (ends.low_at_once <= ends.low)[np.isfinite(ends.low_at_once)].all()
        assert (found.p_at_once >= found.p_alone)[np.isfinite(found.p_alone)].all()
    assert seen == {True, False}


def test_intervals_when_the_test_is_t_or_the_bootstrap_then_are_those_of_the_textbook() -> None:
    scores = np.array([[0.3, 0.5, 0.4, 0.9, 0.2, 0.6], [0.1, 0.2, 0.5, 0.4, 0.2, 0.1]])
    z = scores[0] - scores[1]
    mean, error = z.mean(), z.std(ddof=1) / sqrt(6)
    ends = compare_pairs(scores, "t").intervals()
    assert [ends.low[0], ends.high[0]] == pytest.approx(
        [mean - 2.570582 * error, mean + 2.570582 * error], rel=1e-6
    )
    rng, w = np.random.default_rng(4), z - mean
    drawn = [w[row] for row in rng.integers(6, size=(100, 6))]
    ts = sorted((abs(x.mean()) / (x.std(ddof=1) / sqrt(6)) for x in drawn), reverse=True)
    ends = compare_pairs(scores, samples=100, seed=4).intervals(np.array([0]))
    # the fifth of 100 largest
    assert [ends.low[0], ends.high[0]] == pytest.approx(
        [mean - ts[4] * error, mean + ts[4] * error]
    )


def test_intervals_at_once_when_topics_are_missing_then_their_quantile_is_that_of_loops(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scores, samples = np.random.default_rng(7).random((5, 14)), 60
    scores[1], scores[2, 3], scores[4, [0, 5]] = scores[0] + 0.1, np.nan, np.nan
    found = compare_pairs(scores, samples=samples, seed=3)
    drawn, largest = np.random.default_rng(3).integers(14, size=(samples, 14)).tolist(), []
    for topics in drawn:
        ts = []
        for a, b in combinations(range(5), 2):
            z = (scores[a] - scores[b]).tolist()
            known = [x for x in z if not isnan(x)]
            mean = sum(known) / len(known)
            ts.append(t_by_loops([z[k] - mean for k in topics if not isnan(z[k])]))
        largest.append(max(ts))
    kth = sorted(largest, reverse=True)[2]  # (2 + 1) / 61 is below .05, (3 + 1) / 61 is not
    assert found.interval_quantile == pytest.approx(max(kth, found.quantile_at_once))
    assert found.interval_quantile > found.quantile_at_once
    ends, far = found.intervals(), found.difference + found.interval_quantile * found.error
    wide = found.difference > 0  # of these no end beyond 0 is cut
    assert ends.high_at_once[wide] == pytest.approx(np.maximum(far, ends.high)[wide])


def test_intervals_at_once_when_most_resamples_of_a_pair_are_constant_then_there_are_none() -> None:
    scores = np.zeros((3, 4))
    scores[0, 0], scores[1] = 1, [0.2, 0.4, 0.1, 0.3]
    found = compare_pairs(scores)
    assert (np.isfinite(found.quantile_at_once), found.interval_quantile) == (True, inf)
    assert np.isnan(found.intervals().low_at_once).all()
    assert np.isfinite(found.intervals().low).any()


def test_pairs_when_runs_are_in_another_order_then_no_byte_changes() -> None:
    for seed in range(10):
        scores = odd_scores(seed, systems=9, topics=13)
        order = np.random.default_rng(seed).permutation(9)
        found, other = compare_pairs(scores, seed=seed), compare_pairs(scores[order], seed=seed)
        at = other.number[np.ix_(np.argsort(order), np.argsort(order))][found.first, found.second]
        for name in ("p_alone", "p_at_once", "error", "topics"):
            assert getattr(found, name).tolist() == getattr(other, name)[at].tolist(), name
        assert found.quantile_at_once == other.quantile_at_once
        assert np.abs(found.difference).tolist() == np.abs(other.difference[at]).tolist()
        assert found.verdict[np.ix_(order, order)].tolist() == other.verdict.tolist()


def test_effects_when_compared_with_loops_then_are_those_of_the_differences_on_common_topics() -> (
    None
):
    scores = odd_scores(5)
    found = compare_pairs(scores, "t")
    for k, (a, b) in enumerate(combinations(range(6), 2)):
        z = [x - y for x, y in zip(scores[a], scores[b], strict=True) if not isnan(x - y)]
        assert (found.won[k], found.lost[k]) == (
            sum(v > 1e-12 for v in z) / len(z),
            sum(v < -1e-12 for v in z) / len(z),
        )
        if (a, b) == (2, 3):
            assert found.effect[k] == inf  # the same difference on all topics
            continue
        effect = np.mean(z) / np.std(z, ddof=1) if any(z) else 0
        assert found.effect[k] == pytest.approx(effect)
        assert found.hedges[k] == pytest.approx(effect * (1 - 3 / (4 * (len(z) - 1) - 1)))


def test_pairs_when_few_topics_are_common_then_have_no_p_and_others_are_as_without_them() -> None:
    scores = odd_scores(0)
    lone = np.full(12, np.nan)
    lone[0] = 0.5
    found, without = compare_pairs(np.vstack([scores, lone])), compare_pairs(scores)
    of_lone = found.second == 6
    assert np.isnan(found.p_alone[of_lone]).all()
    assert np.isnan(found.p_at_once[of_lone]).all()
    assert found.p_at_once[~of_lone].tolist() == without.p_at_once.tolist()
    assert [x[6] for x in found.ranks] == [1, 7]
    assert np.isnan(found.intervals().low[of_lone]).all()
    assert compare_pairs(scores[:1]).p_alone.tolist() == []


def test_pairs_when_a_setting_cannot_be_then_is_refused() -> None:
    with pytest.raises(ParamError, match="alpha: expected a value between 0 and 1"):
        compare_pairs(odd_scores(0), alpha=1)
    with pytest.raises(ParamError, match="samples: expected at least 1"):
        compare_pairs(odd_scores(0), samples=0)
    with pytest.raises(UnknownName):
        compare_pairs(odd_scores(0), "guess")


def test_pairs_when_samples_are_too_few_for_alpha_then_nothing_is_significant_at_once() -> None:
    found = compare_pairs(odd_scores(0, topics=20), samples=15)
    assert found.quantile_at_once == inf
    assert not found.at_once.any()
    assert found.alone.any()
    assert np.isnan(found.intervals().low_at_once).all()


def test_verdict_when_pairs_differ_then_ranks_count_those_that_are_better_and_worse_at_once() -> (
    None
):
    levels = np.array([0.0, 0.02, 0.5, 0.52])
    scores = levels[:, None] + np.random.default_rng(3).normal(0, 0.05, (4, 20))
    found = compare_pairs(scores)
    assert np.sign(found.verdict).tolist() == (-found.verdict.T).clip(-1, 1).tolist()
    assert found.verdict[2:, :2].tolist() == [[2, 2], [2, 2]]
    assert [x.tolist() for x in found.ranks] == [[3, 3, 1, 1], [4, 4, 2, 2]]


def test_pairs_when_there_is_one_then_at_once_is_alone() -> None:
    for test in TESTS:
        found = compare_pairs(odd_scores(2)[[0, 5]], test)
        assert found.p_at_once == found.p_alone
        ends = found.intervals()
        assert np.array_equal(
            [ends.low, ends.high], [ends.low_at_once, ends.high_at_once], equal_nan=True
        )


@pytest.mark.parametrize("test", [*TESTS])
def test_pairs_when_only_alone_then_p_is_that_of_all_at_once_and_one_that_stops_early_decides_alike(
    test: str,
) -> None:
    scores, samples = odd_scores(1), 600  # looked at after 256, 512 and all samples
    found = compare_pairs(scores, test, samples=samples)
    np.testing.assert_array_equal(p_alone(scores, test, samples=samples), found.p_alone)
    some = np.array([0, 3, 4, 9, 14])
    np.testing.assert_array_equal(
        p_alone(scores, test, pairs=some, samples=samples), found.p_alone[some]
    )
    pairs = scores[np.array(np.triu_indices(len(scores), 1)).T]
    np.testing.assert_array_equal(
        p_of_two(pairs[None], test, samples=samples)[0],
        [p_alone(two, test, samples=samples)[0] for two in pairs],
    )
    p = np.unique(found.p_alone[np.isfinite(found.p_alone)])
    for alpha in (0.0005, 0.05, 0.3, *p):
        stopped = p_alone(scores, test, samples=samples, until=alpha)
        np.testing.assert_array_equal(stopped < alpha, found.p_alone < alpha)
        np.testing.assert_array_equal(
            stopped[stopped < alpha], found.p_alone[found.p_alone < alpha]
        )


@pytest.mark.parametrize("test", [*TESTS])
def test_pairs_when_scores_lie_topic_by_topic_in_memory_then_no_bit_of_the_results_changes(
    test: str,
) -> None:
    scores = np.random.default_rng(5).random((7, 43)) * np.linspace(0.1, 1, 43)
    scores[:, :3] = np.nan
    found, turned = (
        compare_pairs(of, test, samples=300) for of in (scores, np.asfortranarray(scores))
    )
    for one, other in zip(
        (found.p_alone, found.p_at_once), (turned.p_alone, turned.p_at_once), strict=True
    ):
        np.testing.assert_array_equal(one, other)
    for one, other in zip(found.intervals(), turned.intervals(), strict=True):
        np.testing.assert_array_equal(one, other)
    pairs = scores[np.array(np.triu_indices(len(scores), 1)).T]
    np.testing.assert_array_equal(
        p_of_two(np.asfortranarray(pairs), test, samples=300), found.p_alone
    )


def test_ranks_when_pairs_differ_alone_only_then_do_not_count_and_two_topics_are_enough() -> None:
    scores = np.random.default_rng(3).normal(0, 0.3, (4, 12)) + np.array(
        [[0.6], [0.0], [0.05], [0.25]]
    )
    found = compare_pairs(scores)
    assert {*np.abs(found.verdict).ravel().tolist()} == {0, 1, 2}
    rows = found.verdict.tolist()
    assert found.ranks.low.tolist() == [1 + row.count(-2) for row in rows]
    assert found.ranks.high.tolist() == [4 - row.count(2) for row in rows]
    assert np.isfinite(compare_pairs(np.array([[0.1, 0.2, np.nan], [0.3, 0.1, 0.5]])).p_alone).all()


def test_letters_when_pairs_differ_then_two_share_one_exactly_where_they_do_not() -> None:
    for seed in range(40):
        rng = np.random.default_rng(seed)
        different = np.triu(rng.random((8, 8)) < rng.random(), 1)
        different |= different.T
        found = letters(different)
        for a, b in combinations(range(8), 2):
            assert bool({*found[a]} & {*found[b]}) != different[a, b]
    assert letters(np.zeros((2, 2), bool)) == ["a", "a"]
    assert letters(np.ones((2, 2), bool)) == ["a", "b"]
    assert letters(np.array([[0, 1, 1], [1, 0, 0], [1, 0, 0]], bool)) == ["a", "b", "b"]
    # a-b and b-c and c-d are alike, and so are a and d: no order has these as neighbours
    square = np.array([[0, 0, 1, 0], [0, 0, 0, 1], [1, 0, 0, 0], [0, 1, 0, 0]], bool)
    assert letters(square) == ["ab", "ac", "cd", "bd"]
    assert letters(~np.eye(20, dtype=bool)) == [*"abcdefghijklmnopqrst"]
    assert letters(np.zeros((21, 21), bool)) == [""] * 21
    # 5 pairs, each of runs that differ: every choice of one of each is a group
    pairs = np.kron(np.eye(5, dtype=bool), ~np.eye(2, dtype=bool))
    found = [of.split() for of in letters(pairs)]
    assert (found[0][-1], found[2][7]) == ("p", "h")
    assert len(set().union(*found)) == 32
    assert found[1][-1] == "af"


def test_pairs_when_they_share_a_single_topic_then_it_is_counted_though_none_is_tested():
    found = compare_pairs(np.array([[0.1, np.nan], [0.2, 0.3], [np.nan, 0.4]]))
    assert found.topics.tolist() == [1, 0, 1]
    assert np.isnan(found.p_alone).all()
