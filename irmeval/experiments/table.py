"""Tables of results."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd


def tidy(axes: Mapping[str, Sequence[Any] | np.ndarray], columns: Mapping[Any, np.ndarray]) -> "pd.DataFrame":
    """One row per observation: the names along the axes, the first axis changing slowest, beside the values.

    Parameters
    ----------
    axes : name -> what stands along it
    columns : name -> values [axis, ...], or what can be broadcast to that
    """
    import pandas as pd

    index = pd.MultiIndex.from_product(list(axes.values()), names=list(axes))
    shape = tuple(map(len, axes.values()))
    return pd.DataFrame({name: np.broadcast_to(values, shape).ravel() for name, values in columns.items()}, index).reset_index()


def of_pairs(runs: Sequence[str], columns: Mapping[str, np.ndarray]) -> "pd.DataFrame":
    """One row per pair of runs, ``run a`` and ``run b``, in the order of ``np.triu_indices(runs, 1)``, beside the values [pair]."""
    import pandas as pd

    names = np.array(runs, dtype=object)
    a, b = np.triu_indices(len(runs), 1)
    return pd.DataFrame({"run a": names[a], "run b": names[b], **columns})


def ordered(frame: "pd.DataFrame", column: str, *, falling: bool = False) -> "pd.DataFrame":
    """The rows in the order of a column, equal ones as they stood."""
    return frame.sort_values(column, ascending=not falling, kind="stable", ignore_index=True)
