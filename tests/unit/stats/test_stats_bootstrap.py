"""The paired bootstrap against loops in the paper's notation, with the same
resamples.
"""

from fractions import Fraction
from itertools import combinations
from math import inf, sqrt

import numpy as np
import pytest

from irmeval.core.errors import ParamError
from irmeval.stats.bootstrap import ROUNDING, bounds, hits, required_difference, resamples
from irmeval.stats.pairs import Differences, centred
from irmeval.stats.significance import compare
from tests.conftest import real

SAMPLES = 200


def t_squared(z: list[int]) -> Fraction | float:
    """Sakai's t, squared to stay exact, of differences in any unit: mean(z)^2 n /
    variance(z).
    """
    n, total = len(z), sum(z)
    spread = n * sum(v * v for v in z) - total**2  # n (n - 1) times the variance
    if spread == 0:
        return inf if total else Fraction(0)
    return Fraction(total**2 * (n - 1), spread)


def drawn_topics(seed: int, samples: int, n: int) -> list[np.ndarray]:
    """The topics of each resample, one by one."""
    return [
        np.repeat(np.arange(n), c.astype(int))
        for c in resamples(np.random.default_rng(seed), samples, n)
    ]


def exact(scores: np.ndarray, alpha: float) -> tuple[list[float], float]:
    """ASL per pair and the required difference of scores in quarters, in whole numbers
    and loops only.
    """
    n = scores.shape[1]
    draws = [draw.tolist() for draw in drawn_topics(1, SAMPLES, n)]
    levels, required = [], 0
    for x, y in combinations((scores * 4).astype(int).tolist(), 2):
        z = [a - b for a, b in zip(x, y, strict=True)]
        w = [n * v - sum(z) for v in z]  # less the mean, in units of 1 / (4 n)
        star = [[w[i] for i in draw] for draw in draws]
        t = [t_squared(drawn) for drawn in star]
        observed = t_squared(z)
        levels.append(sum(v >= observed for v in t) / SAMPLES)
        bound = sorted(t)[-max(1, int(SAMPLES * alpha))]
        required = max(
            required, *(abs(sum(drawn)) for drawn, v in zip(star, t, strict=True) if v == bound)
        )
    return levels, float(Fraction(required, 4 * n * n))


@pytest.mark.parametrize("n", [2, 3, 4, 7, 12])
def test_bootstrap_on_coarse_scores_equals_exact_loops(n: int) -> None:
    # many ties, zeros and constants; sums are exact
    scores = np.random.default_rng(n).integers(0, 5, size=(5, n)) / 4
    scores[1] = scores[0]
    scores[2] = scores[0] + 0.25
    levels, required = exact(scores, 0.05)
    assert compare(scores, "bootstrap", samples=SAMPLES).p.tolist() == levels
    assert required_difference(scores, samples=SAMPLES) == pytest.approx(required, rel=1e-12)


def test_bootstrap_on_fine_scores_equals_loops() -> None:
    scores = np.random.default_rng(5).beta(1, 3, size=(12, 50))
    draws = drawn_topics(3, 500, 50)
    levels, required = [], 0.0
    for x, y in combinations(scores, 2):
        z = x - y
        w = z - z.mean()
        star = np.array([w[d].mean() / (w[d].std(ddof=1) / sqrt(50)) for d in draws])
        levels.append(np.mean(np.abs(star) >= abs(z.mean() / (z.std(ddof=1) / sqrt(50)))))
        required = max(required, abs(w[draws[np.argsort(-np.abs(star))[24]]].mean()))
    assert compare(scores, "bootstrap", samples=500, seed=3).p.tolist() == levels
    assert required_difference(scores, samples=500, seed=3) == pytest.approx(required, rel=1e-12)


def test_required_difference_when_alpha_is_any_percent_then_is_that_of_so_many_resamples() -> None:
    scores = np.random.default_rng(6).beta(1, 3, size=(2, 30))
    w = scores[0] - scores[1] - (scores[0] - scores[1]).mean()
    star = np.array([w[d] for d in drawn_topics(1, 100, 30)])
    falling = np.argsort(-np.abs(star.mean(axis=1) / star.std(axis=1)))
    for percent in range(1, 100):
        expected = abs(star[falling[percent - 1]].mean())
        assert required_difference(scores, alpha=percent / 100, samples=100) == pytest.approx(
            expected, rel=1e-12
        )


def test_bootstrap_on_trec_8_equals_loops() -> None:
    scores = np.loadtxt(real("matrices") / "adhoc8_ap.csv", delimiter=",", skiprows=1).T
    p = compare(scores, "bootstrap").p
    drawn = np.array(drawn_topics(1, 1000, 50))
    a, b = np.triu_indices(len(scores), 1)
    for pair in np.random.default_rng(1).choice(len(p), 50, replace=False):
        z = scores[a[pair]] - scores[b[pair]]
        w = (z - z.mean())[drawn]
        star = np.abs(w.mean(axis=1)) / (w.std(axis=1, ddof=1) / sqrt(50))
        assert p[pair] == np.mean(star >= abs(z.mean()) / (z.std(ddof=1) / sqrt(50)))


def test_bootstrap_when_differences_are_minute_still_sees_them() -> None:
    rng = np.random.default_rng(2)
    z = rng.normal(0.5, 1, size=20)
    base = rng.integers(0, 2**20, size=20) / 2**20
    exact_z = np.round(z * 2**20) / 2**40  # added to the base without rounding
    small, large = (
        compare(np.stack(two), "bootstrap").p
        for two in ([base + exact_z, base], [exact_z, np.zeros(20)])
    )
    assert small == large


def test_resamples_draw_as_many_topics_as_there_are() -> None:
    counts = resamples(np.random.default_rng(0), 4000, 6)
    assert (counts.sum(axis=1) == 6).all()
    # each topic: binomial with 6 draws of chance 1/6
    assert counts.mean(axis=0) == pytest.approx(1, abs=4 * sqrt(6 * (1 / 6) * (5 / 6) / 4000))


def test_required_difference_of_several_measures_is_that_of_each() -> None:
    scores = np.random.default_rng(8).random((3, 4, 10))
    assert required_difference(scores, alpha=0.1).tolist() == [
        float(required_difference(s, alpha=0.1)) for s in scores
    ]


def test_required_difference_when_alpha_is_smaller_is_larger() -> None:
    scores = np.random.default_rng(8).random((6, 30))
    assert (
        required_difference(scores, alpha=0.01)
        > required_difference(scores, alpha=0.05)
        > required_difference(scores, alpha=0.2)
    )


@pytest.mark.parametrize("share", [0, 1, 1.5, float("nan")])
def test_share_outside_0_to_1_is_refused(share: float) -> None:
    scores = np.eye(3)
    with pytest.raises(ParamError, match="alpha"):
        required_difference(scores, alpha=share)


def test_no_samples_is_refused() -> None:
    with pytest.raises(ParamError, match="samples"):
        required_difference(np.eye(3), samples=0)


def steep(rng: np.random.Generator) -> np.ndarray:
    """Systems of which some are as good as equal."""
    scores = rng.beta(1, 3, (8, 20))
    scores[1] = scores[0] + 1e-7 * rng.random(20)
    scores[2] = scores[3]
    scores[4, 0] += 0.5
    scores[5] = scores[4] + 0.25
    return scores


@pytest.mark.parametrize(
    "scores",
    [
        np.random.default_rng(1).integers(0, 2, (9, 6)).astype(float),
        np.random.default_rng(2).integers(0, 11, (9, 40)) / 10,
        np.random.default_rng(3).random((9, 2)),
        np.random.default_rng(4).random((2, 300)),
        steep(np.random.default_rng(5)),
        steep(np.random.default_rng(6)) * 1e-30,
        steep(np.random.default_rng(7)) * 1e30,
        steep(np.random.default_rng(8)) + 1e6,
        np.zeros((3, 5)),
    ],
)
def test_bootstrap_when_it_works_in_single_precision_then_p_is_that_of_double(
    scores: np.ndarray,
) -> None:
    z, counts = Differences(scores), resamples(np.random.default_rng(1), 300, scores.shape[1])
    levels = []
    for pair in z[:]:
        w = centred(pair)
        cosine = abs(pair.sum()) / (sqrt(len(pair) * (pair @ pair)) or 1)
        s, q = counts @ w, counts @ (w * w) + np.finfo(float).tiny
        levels.append(np.mean(s * s >= len(pair) * max(cosine - ROUNDING, 0) ** 2 * q))
    assert (hits(z, counts, bounds(z)) / len(counts)).tolist() == levels
