"""Words around numbers."""

import re
from collections.abc import Callable, Sequence

import numpy as np


def counted(n: int, noun: str) -> str:
    """``1 run``, ``2,500 runs``."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def some(names: list[str], n: int = 5) -> str:
    """The first few of many names."""
    return ", ".join(names[:n]) + (f" and {len(names) - n:,} more" if len(names) > n else "")


def slug(title: str) -> str:
    """A title as part of a file's name or an address."""
    return re.sub("[^a-z0-9]+", "-", title.lower()).strip("-")


def best_and_worst(names: Sequence[str], values: np.ndarray, said: Callable[[int], str]) -> str:
    """``best ... and worst ...``: who has the highest and the lowest of some values, NaN left out; not one thing as both."""
    best, worst = int(np.nanargmax(values)), int(np.nanargmin(values))
    if values[best] == values[worst]:
        return said(best) if len(names) == 1 else f"alike {said(best)} and all others"
    return f"best {said(best)} and worst {said(worst)}"
