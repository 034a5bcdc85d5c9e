"""Realised shares of judgments, which may differ from those asked for, and their texts."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from irmeval.core.text import count_noun, percent
from irmeval.reductions import REDUCTIONS
from irmeval.stats.decisions import Knee, knee

CLOSE = 0.5
"""Tolerance: a realised share within this many per cent of all, and within a twentieth of the share asked for, is as asked."""
TWENTIETH = 1 / 20
"""Minimum share of judgments that must be removed for a verdict on robustness."""
ROUNDED = {"ceil": "up", "half-up": "to the nearest"}
"""Text of roundings that may leave more than was asked for."""
WHOLE = 100.0
"""All judgments, in per cent."""


class Realised(NamedTuple):
    """A share asked for and the realised one: in per cent, or in documents of a topic."""

    asked: float
    left: float
    why: str = ""
    """reason for the difference"""
    unit: str = "%"
    whole: float = WHOLE
    """total amount"""

    @property
    def as_asked(self) -> bool:
        """Whether sentences may state what was asked."""
        return abs(self.left - self.asked) <= min(CLOSE, self.asked * TWENTIETH)

    @property
    def nearly_all(self) -> bool:
        """Whether less than a twentieth is removed."""
        return self.left > self.whole * (1 - TWENTIETH)

    @property
    def too_much(self) -> bool:
        """Whether less than a twentieth is removed although less than all was asked for."""
        return self.asked < self.whole and self.nearly_all

    @property
    def amount(self) -> str:
        """Text of the realised amount: ``10%``."""
        if self.as_asked:
            return f"{self.asked:,g}{self.unit}"
        if self.unit == "%" and self.left >= 10:
            return percent(self.left / WHOLE)
        return f"{self.left:.2g}{self.unit}"

    @property
    def beside(self) -> str:
        """Text after an amount that is not as asked: `` (10% asked)``; else empty."""
        return "" if self.as_asked else f" ({self._asked})"

    @property
    def aside(self) -> str:
        """The same with the reason: `` (10% asked: every topic keeps at least 1 document)``."""
        return "" if self.as_asked else f" ({': '.join(filter(None, [self._asked, self.why]))})"

    @property
    def _asked(self) -> str:
        return f"{self.asked:,g}{'%' if self.unit == '%' else ''} asked"

    def refuse_verdict(self) -> str:
        """Sentences in place of a verdict if too little is removed."""
        why = f": {self.why}" if self.why else ""
        said = f"{self.amount} of the judgments is left" if self.as_asked else f"{self._asked}, {self.amount} left{why}"
        return f"{said}. {describe_removed(self.left)}"


def describe_removed(left: float) -> str:
    """A sentence on the removal of less than a twentieth of the judgments, of which so many per cent are left."""
    removed = "No judgment" if left == WHOLE else "Less than a twentieth of the judgments"
    return f"{removed} is removed, too little to tell how robust a measure is."


def realise(params: Any, rates: Sequence[float], left: np.ndarray) -> list[Realised]:
    """Shares asked for and realised in an experiment with `params`; per cent, the mean over trials of `left` [rate, trial]."""
    reduction, means = REDUCTIONS[params.method], left.mean(axis=-1).tolist()
    rounding = params.rounding if "rounding" in reduction.params else "floor"
    more = reduction.least if rounding == "floor" else f"numbers of documents are rounded {ROUNDED[rounding]}, and {reduction.least}"
    return [Realised(rate, mean, more if mean > rate else reduction.less) for rate, mean in zip(rates, means, strict=True)]


def find_knee(found: Sequence[Realised], curve: np.ndarray, *, threshold: float = 0.9) -> Knee:
    """The knee of a curve [..., rate] over realised shares, descending; undefined if less than a twentieth was removed."""
    reached = [one.asked if one.as_asked else one.left for one in found]
    return knee(np.array(reached), np.where(found[-1].too_much, np.nan, curve), threshold=threshold)


def describe_depth(depth: int, longest: int) -> str:
    """A sentence on a pool depth that no list reaches, given the length of the longest list; else empty."""
    return f"No list reaches rank {depth:,}, the longest has {count_noun(longest, 'document')}." if depth > longest else ""


def note_depths(depths: Sequence[int], longest: int) -> str:
    """Caption text on pool depths that no list reaches: ``; no list reaches rank 100``; else empty."""
    deeper = [depth for depth in depths if depth > longest]
    return f"; no list reaches rank {min(deeper):,}" if deeper else ""


def describe_span(found: Sequence[Realised]) -> str:
    """Text of several realised shares of the same share asked for: ``10%``, or ``33% to 60% (10% asked)``."""
    least, most = (end(found, key=lambda one: one.left) for end in (min, max))
    beside = next((one.beside for one in found if one.beside), "")
    return f"{least.amount if least.amount == most.amount else f'{least.amount} to {most.amount}'}{beside}"


def describe_asked(found: Sequence[Realised]) -> str:
    """Caption text on shares that are not as asked: ``; asked 50, 10%, left 60%, 33%``; else empty."""
    apart = [one for one in found if not one.as_asked]
    if not apart:
        return ""
    return f"; asked {', '.join(f'{one.asked:g}' for one in apart)}%, left {', '.join(one.amount for one in apart)}"
