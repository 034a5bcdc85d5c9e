"""Tables of results."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from irmeval.core.lazy import pd
from irmeval.experiments.results import Frame
from irmeval.metrics import Measure


def _plain(frame: Frame) -> Frame:
    """A frame with measures as plain texts; pandas before 3 keeps their type otherwise."""
    from pandas.api.types import is_object_dtype

    for name in [name for name, kind in zip(frame.columns, frame.dtypes, strict=True) if is_object_dtype(kind)]:
        frame[name] = frame[name].map(lambda value: str(value) if isinstance(value, Measure) else value)
    if any(isinstance(name, Measure) for name in frame.columns):
        return frame.set_axis([str(name) if isinstance(name, Measure) else name for name in frame.columns], axis=1)
    return frame


def tidy(axes: Mapping[str, Sequence[Any] | np.ndarray], columns: Mapping[Any, np.ndarray], *, falling: np.ndarray | None = None) -> Frame:
    """One row per observation: the names along the axes, the first axis changing slowest, beside the values.

    Parameters
    ----------
    axes : name -> labels along it
    columns : name -> values [axis, ...], or an array that broadcasts to that shape
    falling : values [first axis, second axis] that order the rows of each label on the first axis, highest first
    """
    shape = tuple(map(len, axes.values()))
    along = {name: pd.Index(names).take(at.ravel()) for (name, names), at in zip(axes.items(), np.indices(shape), strict=True)}
    frame = _plain(pd.DataFrame(along | {name: np.broadcast_to(values, shape).ravel() for name, values in columns.items()}))
    if falling is None:
        return frame
    order = np.argsort(-falling, axis=1, kind="stable") + np.arange(len(falling))[:, None] * falling.shape[1]
    return frame.iloc[order.ravel()].reset_index(drop=True)


def rowwise(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> Frame:
    """A table from the names of its columns and its rows."""
    return _plain(pd.DataFrame(list(rows), columns=list(names)))


def name_pairs(runs: Sequence[str]) -> np.ndarray:
    """First and second run of every pair [2, pair], in the order of ``np.triu_indices(runs, 1)``."""
    return np.array(runs, dtype=object)[np.array(np.triu_indices(len(runs), 1))]


def tidy_pairs(measures: Sequence[Any], runs: Sequence[str], columns: Mapping[str, np.ndarray]) -> Frame:
    """One row per measure and pair of runs: measure, ``run_a``, ``run_b``, in the order of `name_pairs`, beside the values
    [measure, pair]."""
    a, b = name_pairs(runs)
    return tidy({"measure": measures, "pair": range(a.size)}, {"run_a": a, "run_b": b, **columns}).drop(columns="pair")


def of_pairs(runs: Sequence[str], columns: Mapping[str, np.ndarray], **order: Any) -> Frame:
    """One row per pair of runs, ``run a`` and ``run b``, in the order of `name_pairs`, beside the values [pair]; `order` as for
    `table`."""
    a, b = name_pairs(runs)
    return table({"run a": a, "run b": b, **columns}, **order)


def table(columns: Mapping[Any, Any] | Sequence[Mapping[str, Any]], *, by: str = "", falling: bool = False) -> Frame:
    """A table from columns or from rows. Where it is sorted by a column, equal rows keep their order."""
    frame = _plain(pd.DataFrame(columns))
    return frame.sort_values(by, ascending=not falling, kind="stable", ignore_index=True) if by else frame
