"""Two ranked lists that need not hold the same documents: against plain loops, and what
the papers work out by hand.
"""

import numpy as np
import pytest

from irmeval import ParamError
from irmeval.stats.correlation import tau_b
from irmeval.stats.list_similarity import rbo_of_lists, tau_union


def ranks(*lists):
    """Ranks [list, document] of lists of names, 0 where a list lacks a document."""
    documents = sorted({d for one in lists for d in one})
    return np.array([[one.index(d) + 1 if d in one else 0 for d in documents] for one in lists])


def tau_by_loops(original, other):
    """Breuer et al.: both lists as places in their union, documents in order of
    appearance; then Kendall's tau, pair by pair.
    """
    union = list(dict.fromkeys([*original, *other]))
    n = min(len(original), len(other))
    x, y = ([union.index(d) for d in one[:n]] for one in (original, other))
    signs = [np.sign(x[i] - x[j]) * np.sign(y[i] - y[j]) for i in range(n) for j in range(i)]
    return sum(signs) / len(signs)


def rbo_by_loops(x, y, p):
    """Clarke et al.: agreement at each depth, weighted by p^(depth - 1)."""
    total = weights = 0.0
    for depth in range(1, max(len(x), len(y)) + 1):
        total += p ** (depth - 1) * len({*x[:depth]} & {*y[:depth]}) / depth
        weights += p ** (depth - 1)
    return total / weights


def drawn(rng):
    return [
        "".join(some)
        for some in (
            rng.permutation(list("abcdefghijklmnop"))[: rng.integers(2, 14)] for _ in range(2)
        )
    ]


def test_lists_when_drawn_at_random_then_agree_as_plain_loops_say():
    rng = np.random.default_rng(1)
    for x, y in (drawn(rng) for _ in range(200)):
        assert tau_union(*ranks(x, y)) == pytest.approx(tau_by_loops(x, y), abs=1e-12)
        assert rbo_of_lists(*ranks(x, y), p=0.7) == pytest.approx(
            rbo_by_loops(x, y, 0.7), abs=1e-12
        )


@pytest.mark.parametrize(
    ("other", "tau"),
    [("abcd", 1), ("dcba", -1), ("bexf", 1), ("becf", 2 / 3), ("xyzw", 1), ("ab", 1), ("ba", -1)],
)
def test_tau_union_when_worked_out_by_hand_then_is_that(other, tau):
    assert tau_union(*ranks("abcd", other)) == pytest.approx(tau)


def test_tau_union_when_both_lists_hold_the_same_then_is_kendalls_tau_whatever_they_are_called():
    rng = np.random.default_rng(2)
    x, y = rng.permutation(9) + 1, rng.permutation(9) + 1
    renamed = rng.permutation(9)
    assert tau_union(x, y) == pytest.approx(tau_b(x[None], y[None])[0])
    assert tau_union(x[renamed], y[renamed]) == tau_union(x, y)


@pytest.mark.parametrize(
    ("x", "y", "rbo"),
    [("abc", "abc", 1), ("abc", "xyz", 0), ("ab", "ba", 0.5 / 1.5), ("a", "ax", (1 + 0.25) / 1.5)],
)
def test_rbo_when_worked_out_by_hand_then_is_that(x, y, rbo):
    assert rbo_of_lists(*ranks(x, y), p=0.5) == pytest.approx(rbo)


def test_lists_when_one_is_empty_or_short_then_what_cannot_be_said_is_nan():
    nothing, some = np.zeros(3, int), np.array([1, 2, 0])
    assert np.isnan(
        [
            tau_union(nothing, some),
            tau_union(np.array([1, 0, 0]), some),
            rbo_of_lists(nothing, nothing, p=0.9),
        ]
    ).all()
    assert rbo_of_lists(nothing, some, p=0.9) == 0
    with pytest.raises(ParamError, match="between 0 and 1"):
        rbo_of_lists(some, some, p=1)
