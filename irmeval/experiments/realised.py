"""What was really kept where a share was asked for, and how sentences say so."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from irmeval.core.text import count_noun, percent
from irmeval.reductions import REDUCTIONS
from irmeval.stats.decisions import Knee, knee

CLOSE = 0.5
"""A share that differs from the one asked for by at most so many per cent of all, and by at most a twentieth of it, is as asked."""
TWENTIETH = 1 / 20
"""Where a smaller share of the judgments is removed, nothing is said of robustness."""
ROUNDED = {"ceil": "up", "half-up": "to the nearest"}
"""Roundings by which more may be left than was asked for, in words."""
WHOLE = 100.0
"""All judgments, in per cent."""


class Realised(NamedTuple):
    """How much was to be kept, and how much was: in per cent, or in documents of a topic."""

    asked: float
    left: float
    why: str = ""
    """why the two differ, in words"""
    unit: str = "%"
    whole: float = WHOLE
    """how much there is to keep"""

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
        """The same where less than all was asked for."""
        return self.asked < self.whole and self.nearly_all

    @property
    def amount(self) -> str:
        """How much is left: ``10%``."""
        if self.as_asked:
            return f"{self.asked:,g}{self.unit}"
        if self.unit == "%" and self.left >= 10:
            return percent(self.left / WHOLE)
        return f"{self.left:.2g}{self.unit}"

    @property
    def beside(self) -> str:
        """What follows an amount that is not as asked: `` (10% asked)``; empty otherwise."""
        return "" if self.as_asked else f" ({self._asked})"

    @property
    def aside(self) -> str:
        """The same with the reason: `` (10% asked: every topic keeps at least 1 document)``."""
        return "" if self.as_asked else f" ({': '.join(filter(None, [self._asked, self.why]))})"

    @property
    def _asked(self) -> str:
        return f"{self.asked:,g}{'%' if self.unit == '%' else ''} asked"

    def refuse_verdict(self) -> str:
        """Sentences in place of a verdict, where too much is left for one."""
        why = f": {self.why}" if self.why else ""
        said = f"{self.amount} of the judgments is left" if self.as_asked else f"{self._asked}, {self.amount} left{why}"
        return f"{said}. {describe_removed(self.left)}"


def describe_removed(left: float) -> str:
    """A sentence on less than a twentieth of the judgments that is removed, where so many per cent are left."""
    removed = "No judgment" if left == WHOLE else "Less than a twentieth of the judgments"
    return f"{removed} is removed, too little to tell how robust a measure is."


def realise(params: Any, rates: Sequence[float], left: np.ndarray) -> list[Realised]:
    """What an experiment that keeps a share of the judgments by `params` asked for and kept; per cent, the mean over trials of `left`
    [rate, trial]."""
    reduction, means = REDUCTIONS[params.method], left.mean(axis=-1).tolist()
    rounding = params.rounding if "rounding" in reduction.params else "floor"
    more = reduction.least if rounding == "floor" else f"numbers of documents are rounded {ROUNDED[rounding]}, and {reduction.least}"
    return [Realised(rate, mean, more if mean > rate else reduction.less) for rate, mean in zip(rates, means, strict=True)]


def find_knee(found: Sequence[Realised], curve: np.ndarray, *, threshold: float = 0.9) -> Knee:
    """The knee of a curve [..., rate] along what was left, falling; undefined where less than a twentieth was removed."""
    reached = [one.asked if one.as_asked else one.left for one in found]
    return knee(np.array(reached), np.where(found[-1].too_much, np.nan, curve), threshold=threshold)


def describe_depth(depth: int, longest: int) -> str:
    """A sentence on a pool depth that no list reaches, where the longest list has so many documents; empty where one does."""
    return f"No list reaches rank {depth:,}, the longest has {count_noun(longest, 'document')}." if depth > longest else ""


def note_depths(depths: Sequence[int], longest: int) -> str:
    """What captions add where no list reaches some pool depths: ``; no list reaches rank 100``; empty where one does."""
    deeper = [depth for depth in depths if depth > longest]
    return f"; no list reaches rank {min(deeper):,}" if deeper else ""


def describe_span(found: Sequence[Realised]) -> str:
    """How much is left where the same was asked for several times: ``10%``, or ``33% to 60% (10% asked)``."""
    least, most = (end(found, key=lambda one: one.left) for end in (min, max))
    beside = next((one.beside for one in found if one.beside), "")
    return f"{least.amount if least.amount == most.amount else f'{least.amount} to {most.amount}'}{beside}"


def describe_asked(found: Sequence[Realised]) -> str:
    """Which amounts differ from those asked for, as captions add it: ``; asked 50, 10%, left 60%, 33%``; empty where none does."""
    apart = [one for one in found if not one.as_asked]
    if not apart:
        return ""
    return f"; asked {', '.join(f'{one.asked:g}' for one in apart)}%, left {', '.join(one.amount for one in apart)}"
