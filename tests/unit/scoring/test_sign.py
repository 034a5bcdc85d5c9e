"""The probability of a sign, against every way of judging the unjudged documents."""

import itertools

import numpy as np
import pytest

from irmeval import ParamError, evaluate, measure
from irmeval.scoring.sign_probability import (
    HALF,
    SHARE,
    Moments,
    difference_moments,
    moments,
    probable_relevance,
    rank_documents,
)
from irmeval.stats.pairs import sign_probability
from tests.cases import collection
from tests.small_work import tied

GRADES = {"1": {"a": 1, "b": 0, "c": -1, "d": -1, "e": 1}, "2": {"f": 1, "g": 0, "h": -1}}
LISTS = {
    "x": {"1": "acxbd", "2": "hgf"},
    "y": {"1": "bdyxa", "2": "fgh"},
    "z": {"1": "e", "2": "gu"},
}


def worlds(ranked, p):
    """Every way that the unjudged documents can turn out, with its probability:
    relevance [document].
    """
    unjudged = np.flatnonzero(ranked.grade < 0)
    for outcome in itertools.product((0, 1), repeat=unjudged.size):
        relevant = (ranked.grade > 0).astype(float)
        relevant[unjudged] = outcome
        yield relevant, np.prod(np.where(outcome, p[unjudged], 1 - p[unjudged]))


def score(name, ranked, run, relevant, R):
    """Mean over two topics, by a plain loop."""
    total = 0.0
    for topic in (0, 1):
        listed = sorted(
            (ranked.rank[run, d], relevant[d])
            for d in np.flatnonzero((ranked.topic == topic) & (ranked.rank[run] > 0))
        )
        if name == "AP":
            total += sum(
                x * sum(y for above, y in listed if above <= rank) / rank for rank, x in listed
            ) / max(R[topic], 1)
        elif name == "P@2":
            total += sum(x for rank, x in listed if rank <= 2) / 2
        else:
            total += sum(0.5 * 0.5 ** (rank - 1) * x for rank, x in listed)
    return total / 2


@pytest.mark.parametrize("model", [HALF, SHARE])
@pytest.mark.parametrize("name", ["AP", "P@2", "RBP(p=0.5)"])
def test_moments_when_every_outcome_is_tried_then_mean_and_variance_are_those(name, model):
    c = collection(GRADES, LISTS)
    ranked = rank_documents(c)
    unjudged = ranked.key.take(np.flatnonzero(ranked.grade < 0)).to_pylist()
    assert sorted(key.replace("\0", "") for key in unjudged) == ["1c", "1d", "1x", "1y", "2h", "2u"]
    p = probable_relevance(ranked, 1, model)
    R = np.bincount(ranked.topic, p)
    found = moments(c, measure(name), ranked, model)
    every = [
        (score(name, ranked, 0, x, R) - score(name, ranked, 1, x, R), w)
        for x, w in worlds(ranked, p)
    ]
    mean = sum(z * w for z, w in every)
    variance = sum((z - mean) ** 2 * w for z, w in every)
    expected, deviation = (of_pairs[0] for of_pairs in difference_moments(found))
    assert expected == pytest.approx(mean, abs=1e-12)
    products = 0.0
    if name == "AP":  # what the linear part leaves out: pairs of unjudged documents of a topic
        v = p * (1 - p)
        for i, j in itertools.combinations(np.flatnonzero(ranked.grade < 0), 2):
            if ranked.topic[i] == ranked.topic[j]:
                each = [
                    (
                        0
                        if 0 in (a := ranked.rank[run, i], b := ranked.rank[run, j])
                        else 1 / max(a, b)
                    )
                    for run in (0, 1)
                ]
                products += (
                    v[i] * v[j] * ((each[0] - each[1]) / max(R[ranked.topic[i]], 1) / 2) ** 2
                )
        assert products < 0.15 * variance
    assert deviation**2 == pytest.approx(variance - products, rel=1e-10)


def test_difference_moments_when_runs_share_some_documents_then_are_those_of_a_loop_over_pairs():
    rng = np.random.default_rng(0)
    weight = rng.random((9, 40)) * (rng.random((9, 40)) < 0.3)
    weight[4] = weight[2]
    weight[7] = 0
    found = Moments(rng.random(9), weight, rng.random(40), np.arange(40))
    pairs = itertools.combinations(range(9), 2)
    looped = [
        (
            found.expected[a] - found.expected[b],
            sum(found.variance * (weight[a] - weight[b]) ** 2) ** 0.5,
        )
        for a, b in pairs
    ]
    expected, deviation = difference_moments(found)
    np.testing.assert_allclose(np.array(looped).T, [expected, deviation], rtol=1e-12)
    assert np.count_nonzero(deviation == 0) == 1  # the two runs with the same weights


def test_moments_when_all_is_judged_then_scores_are_those_and_signs_are_sure():
    c = collection(
        {"1": {"a": 1, "b": 0, "c": 2}, "2": {"f": 1, "g": 0}},
        {"x": {"1": "acb", "2": "gf"}, "y": {"1": "bca", "2": "fg"}},
    )
    for name in ("AP", "AP@2", "P@2", "RBP(p=0.8)", "AP(rel=2)", "RBP(p=0.8,rel=2)"):
        found = moments(c, measure(name), rank_documents(c), SHARE)
        np.testing.assert_allclose(found.expected, evaluate(c, [name]).means[0], atol=1e-12)
        assert not found.variance.size
        assert sign_probability(*difference_moments(found)).tolist() in ([0.5], [1.0])


def test_moments_when_grades_are_taken_away_then_their_documents_are_open():
    c = collection({"1": {"a": -1, "b": 0}}, {"x": {"1": "ab"}, "y": {"1": "ba"}})
    ranked = rank_documents(c)
    assert probable_relevance(ranked, 1, SHARE).tolist() == [
        pytest.approx((0 + 10 * 0.5 / 2) / 11),
        0,
    ]
    expected, deviation = difference_moments(moments(c, measure("P@1"), ranked, HALF))
    assert (*expected, *deviation) == (0.5, 0.5)
    assert sign_probability(expected, deviation) == pytest.approx(0.8413447)


@pytest.mark.parametrize("name", ["AP'", "nDCG", "Bpref"])
def test_moments_when_a_measure_is_not_known_then_refused(name):
    c = collection(GRADES, LISTS)
    with pytest.raises(ParamError, match=r"signs are supported for AP, P, RBP, without a prime\.$"):
        moments(c, measure(name), rank_documents(c), HALF)


@pytest.mark.parametrize("name", ["AP", "P@2", "RBP(p=0.5)"])
def test_moments_when_memory_is_short_then_every_number_is_the_same_to_the_bit(name, monkeypatch):
    c = tied(30, 20)
    at_ease = moments(c, measure(name), rank_documents(c), SHARE)
    whole = difference_moments(at_ease)
    monkeypatch.setenv("IRMEVAL_MEMORY", "1e-6")
    found = moments(c, measure(name), rank_documents(c), SHARE)
    for before, after in zip((*at_ease, *whole), (*found, *difference_moments(found)), strict=True):
        np.testing.assert_array_equal(before, after)
