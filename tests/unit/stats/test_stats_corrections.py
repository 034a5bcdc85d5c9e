"""Adjusted p-values against their definitions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from irmeval.stats.significance import benjamini_hochberg, holm

P_VALUES = arrays(
    np.float64,
    st.integers(1, 12),
    elements=st.sampled_from([0, 0.001, 0.01, 0.0123, 0.02, 0.04, 0.05, 0.3, 0.999, 1]),
)


def holm_decisions(p: np.ndarray, alpha: float) -> np.ndarray:
    """Holm's procedure step by step: reject from the smallest p on until one fails."""
    rejected = np.zeros(len(p), dtype=bool)
    for step, k in enumerate(np.argsort(p, kind="stable")):
        if p[k] > alpha / (len(p) - step):
            break
        rejected[k] = True
    return rejected


def bh_decisions(p: np.ndarray, alpha: float) -> np.ndarray:
    """Benjamini and Hochberg's procedure: reject up to the last p that is below its
    line.
    """
    ordered = np.sort(p)
    below = [v for k, v in enumerate(ordered, 1) if v <= k / len(p) * alpha]
    return p <= max(below, default=-1)


@pytest.mark.parametrize(
    ("adjust", "decide"), [(holm, holm_decisions), (benjamini_hochberg, bh_decisions)]
)
@given(p=arrays(np.float64, st.integers(1, 12), elements=st.floats(0, 1)))
def test_adjusted_p_decides_as_the_procedure(adjust, decide, p: np.ndarray) -> None:
    for alpha in (0.0137, 0.0513, 0.31):
        assert np.array_equal(adjust(p) <= alpha, decide(p, alpha))


def test_adjusted_p_when_worked_by_hand() -> None:
    p = np.array([0.04, 0.01, 0.03, 0.005])
    assert holm(p) == pytest.approx(np.array([0.06, 0.03, 0.06, 0.02]))
    assert benjamini_hochberg(p) == pytest.approx(np.array([0.04, 0.02, 0.04, 0.02]))


@given(p=P_VALUES)
def test_adjusted_p_keeps_order_and_is_never_below_p(p: np.ndarray) -> None:
    order = np.argsort(p, kind="stable")
    for adjust in (holm, benjamini_hochberg):
        adjusted = adjust(p)
        assert (np.diff(adjusted[order]) >= 0).all()
        assert (adjusted >= p).all()
        assert (adjusted <= 1).all()
    assert (holm(p) <= np.minimum(p * p.size, 1)).all()
    assert (benjamini_hochberg(p) <= holm(p) + 1e-15).all()


@pytest.mark.parametrize("adjust", [holm, benjamini_hochberg])
def test_measures_are_corrected_apart(adjust) -> None:
    p = np.random.default_rng(0).random((2, 3, 7))
    assert np.array_equal(adjust(p), [[adjust(row) for row in block] for block in p])
