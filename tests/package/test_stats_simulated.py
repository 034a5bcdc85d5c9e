"""Statistical tests over thousands of draws: they err as often as they say."""

from types import ModuleType

import numpy as np
import pytest

from irmeval.stats.best import compare_with_best
from irmeval.stats.corrections import adjust
from irmeval.stats.significance import TESTS, compare, compare_with_baseline


@pytest.mark.parametrize("name", TESTS)
def test_type_1_error_is_the_level_when_nothing_differs(stats: ModuleType, name: str) -> None:
    n, trials = 40, 1000
    rng = np.random.default_rng(11)
    systems = 4 if name == "tukey" else 2
    found = 0
    for seed in range(trials // 20):
        topic_effect = rng.normal(size=n)
        scores = topic_effect + rng.normal(size=(20, systems, n))
        # tukey: even one false difference among all pairs; 199 samples: (hits + 1) / 200 reaches .05 exactly
        found += int((compare(scores, name, samples=199, seed=seed).p <= 0.05).any(axis=-1).sum())
    # a count of topics cannot hit .05, but the highest share it can hit is known
    level = max(q for q in 2 * stats.binom.cdf(np.arange(n), n, 0.5) if q <= 0.05) if name == "sign" else 0.05
    assert stats.binom.ppf(0.001, trials, level) <= found <= stats.binom.ppf(0.999, trials, level)


def test_false_differences_from_the_best_when_runs_are_equal_then_are_at_most_alpha_unlike_those_of_holm():
    """400 sets of 12 equal runs, and 400 where three are equally good and the others worse; the scores are skewed and of unlike spread."""
    rng = np.random.default_rng(4)
    holm, allowed, found = 0, np.zeros(2, int), 0
    for _ in range(400):
        equal = rng.permuted(rng.random((12, 30)) ** 3 * np.linspace(0.2, 1, 12)[:, None], axis=0)
        best = int(equal.mean(axis=1).argmax())
        holm += (adjust(np.delete(compare_with_baseline(equal, best).p, best), "holm") < 0.05).any()
        allowed[0] += (compare_with_best(equal, best, samples=400).p < 0.05).any()
        scores = np.vstack([rng.permuted(equal[:3] + 0.3, axis=0), equal[3:] * 0.5])
        best = int(scores.mean(axis=1).argmax())
        worse = compare_with_best(scores, best, samples=400).p < 0.05
        allowed[1] += worse[:3].any()
        found += worse[3:].sum()
    assert holm > 35
    assert (allowed <= 28).all()  # of 400; more than that have a chance below .05 where one in twenty is the truth
    assert found > 0.9 * 400 * 9
