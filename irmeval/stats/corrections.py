"""p-values adjusted for the number of pairs tested: significant where the adjusted p is below alpha."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from irmeval.core.registry import Registry
from irmeval.stats.defaults import CORRECTION


@dataclass(frozen=True)
class Correction:
    """An adjustment of p-values along their last axis, with the error rate that it keeps below alpha."""

    name: str
    label: str
    meaning: str
    source: str
    adjust: Callable[[np.ndarray], np.ndarray]


CORRECTIONS: Registry[Correction] = Registry("correction")


def correction(name: str, label: str, *, source: str) -> Any:
    """Register an adjustment; its docstring says what it guards against."""
    return CORRECTIONS.decorator(name, lambda adjust, meaning: Correction(name, label, meaning, source, adjust))


def adjust(p: np.ndarray, correction: str = CORRECTION) -> np.ndarray:
    """Adjusted p-values, the shape of p [..., pairs] and never below it, from 0 to 1."""
    return CORRECTIONS[correction].adjust(np.asarray(p, dtype=np.float64))


@correction("none", "None", source="")
def none(p: np.ndarray) -> np.ndarray:
    """No correction: where no pair differs, expect alpha times the number of pairs to look different."""
    return p


@correction("bonferroni", "Bonferroni", source="Dunn 1961")
def bonferroni(p: np.ndarray) -> np.ndarray:
    """Chance of even one false difference among all pairs: p times the number of pairs."""
    return np.minimum(p * p.shape[-1], 1)


@correction("holm", "Holm", source="Holm 1979")
def holm(p: np.ndarray) -> np.ndarray:
    """Chance of even one false difference, stepping down: the k-th smallest p counts for the pairs from k on."""
    return _step(p, np.arange(p.shape[-1], 0, -1), lambda stepped: np.minimum(np.maximum.accumulate(stepped, axis=-1), 1))


@correction("benjamini-hochberg", "Benjamini-Hochberg", source="Benjamini & Hochberg 1995")
def benjamini_hochberg(p: np.ndarray) -> np.ndarray:
    """Expected share of false differences among those found, stepping up: the k-th smallest p counts for the pairs up to k."""
    k = np.arange(1, p.shape[-1] + 1)
    return _step(p, p.shape[-1] / k, lambda stepped: np.minimum.accumulate(stepped[..., ::-1], axis=-1)[..., ::-1])


def _step(p: np.ndarray, factor: np.ndarray, accumulate: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """The sorted p-values, each times its factor, accumulated and put back into the order of p."""
    order, adjusted = np.argsort(p, axis=-1), np.empty_like(p)
    np.put_along_axis(adjusted, order, accumulate(np.take_along_axis(p, order, axis=-1) * factor), axis=-1)
    return adjusted
