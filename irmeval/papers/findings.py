"""What a paper found, as data: which measures have more of a statistic than which others; and whether that holds of results made here."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from irmeval.metrics import measure
from irmeval.words import counted

HOLDS, DOES_NOT, UNTOLD = "holds", "does not", "cannot be told"
RATE = 10.0
"""The share of the judgments, in per cent, at which the papers compare most."""


class Finding(NamedTuple):
    """Each of some measures has more of a statistic than any of the others.

    Attributes
    ----------
    said : in our words
    where : the paper's table or figure
    published : its figure, where it is legible
    exhibit : label of the exhibit whose result answers it
    statistic : a name of `STATISTICS`
    these, those : the measures that have more, and those that have less
    """

    said: str
    where: str
    published: str
    exhibit: str
    statistic: str
    these: tuple[str, ...]
    those: tuple[str, ...]


class Answer(NamedTuple):
    """What holds here."""

    here: str
    """the least of these against the most of those, means over samples"""
    verdict: str
    margin: float
    """the one less the other, NaN where it cannot be told"""
    samples: str
    """in how many samples of the judgments it holds, where there are several"""


def _at_rate(values: Callable[[Any], np.ndarray]) -> Callable[[Any], np.ndarray]:
    """The statistic [measure, rate, sample] at `RATE`."""
    return lambda result: values(result)[:, result.params.rates.index(RATE)]


def _errors(result: Any) -> np.ndarray:
    made_up, kept = (result.decisions.confusion[..., i, 1].astype(float) for i in (0, 1))
    told = made_up + kept
    return np.divide(made_up, told, out=np.full_like(told, np.nan), where=told > 0)


STATISTICS: dict[str, Callable[[Any], np.ndarray]] = {
    "power": lambda result: result.power[:, None],
    "power at 10%": _at_rate(lambda result: result.power),
    "errors at 10%": _at_rate(_errors),
    "accuracy": lambda result: result.decisions.accuracy.mean(axis=1),
    "tau": lambda result: result.tau.mean(axis=1),
    "tau at 10%": _at_rate(lambda result: result.tau),
    "mean at 10% of that at 100%": _at_rate(lambda result: result.mean / result.full.mean(axis=-1)[:, None, None]),
    "change of the mean at 10%": _at_rate(lambda result: np.abs(result.mean / result.full.mean(axis=-1)[:, None, None] - 1)),
    "tau with AP": lambda result: result.values[:, result.measures.index("AP"), None],
    "mean tau with the others": lambda result: (result.values.sum(axis=1, keepdims=True) - 1) / (len(result.values) - 1),
    "minority rate at 10% ties": lambda result: result.at_ties[:, None],
    "sensitivity": lambda result: result.required.sensitivity[:, None],
    "required difference, share of the best mean": lambda result: (result.required.difference / result.best)[:, None],
}
"""What findings are about: name -> values [measure, sample] of a result, where rates differ as their mean."""


def answer(finding: Finding, results: Mapping[str, Any]) -> Answer:
    """Whether a finding holds of results, by the label of their exhibit; it cannot be told where one of the measures, the rate or the
    result is missing, or a value is not defined."""
    result = results.get(finding.exhibit)
    these, those = ([str(measure(name)) for name in names] for names in (finding.these, finding.those))
    try:
        with np.errstate(divide="ignore", invalid="ignore"):  # means of 0
            values = STATISTICS[finding.statistic](result)
        rows = {str(name): row for name, row in zip(result.measures, values, strict=True)}  # type: ignore[union-attr]
        least, most = np.min([rows[name] for name in these], axis=0), np.max([rows[name] for name in those], axis=0)
    except (AttributeError, KeyError, ValueError):
        return Answer("", UNTOLD, np.nan, "")
    margin = float((least - most).mean())
    if not np.isfinite(margin):
        return Answer("", UNTOLD, np.nan, "")
    samples = f"{np.count_nonzero(least > most)} of {counted(least.size, 'sample')}" if least.size > 1 else ""
    return Answer(f"{least.mean():.4f} against {most.mean():.4f}", HOLDS if margin > 0 else DOES_NOT, margin, samples)
