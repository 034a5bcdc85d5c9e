"""Agreement of judges, from tables that count documents by both grades.

A confusion table n [..., G, G] counts documents by the grade of the first judge (rows)
and of the second (columns); `grades` [G] are the grades of rows and columns, ascending.
Leading axes hold tables of several topics, or of resamples.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from irmeval.core.registry import Registry
from irmeval.stats.bootstrap import Resamples
from irmeval.stats.intervals import jackknife_interval, mean_interval


def confusion(
    a: np.ndarray, b: np.ndarray, grades: np.ndarray, topic: np.ndarray, topics: int
) -> np.ndarray:
    """Confusion table of each topic [topics, G, G] over the documents that both judged;
    a, b int [documents], negative = not judged.
    """
    both = (a >= 0) & (b >= 0)
    G = grades.size
    cell = (topic[both] * G + np.searchsorted(grades, a[both])) * G + np.searchsorted(
        grades, b[both]
    )
    return np.bincount(cell, minlength=topics * G * G).reshape(topics, G, G).astype(np.float64)


def coincidences(
    values: np.ndarray, grades: np.ndarray, topic: np.ndarray, topics: int
) -> np.ndarray:
    """Coincidence table of each topic [topics, G, G] for any number of judges
    (Krippendorff 2004, Section 11.3).

    values int [judges, documents], negative = not judged. Each ordered pair of
    judgments of a document counts 1 / (judgments of it - 1); documents with fewer than
    two count for nothing.
    """
    G = grades.size
    held = np.stack([(values == g).sum(axis=0) for g in grades], axis=-1).astype(np.float64)
    judged = held.sum(axis=-1)
    pairable = judged >= 2
    held, weight, topic = held[pairable], 1 / (judged[pairable] - 1), topic[pairable]
    table = np.empty((topics, G, G))
    for c in range(G):
        for k in range(G):
            pairs = held[:, c] * (held[:, k] - (c == k)) * weight
            table[:, c, k] = np.bincount(topic, pairs, topics)
    return table


def _share(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """part / whole, NaN if the whole is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(whole == 0, np.nan, part / whole)


def agreement(n: np.ndarray) -> np.ndarray:
    """Share of the documents with the same grade from both judges, 0 to 1 [...]; NaN
    without documents.
    """
    return _share(np.trace(n, axis1=-2, axis2=-1), n.sum(axis=(-2, -1)))


def kappa(n: np.ndarray, grades: np.ndarray, power: int = 0) -> np.ndarray:
    """Cohen's kappa: agreement beyond chance, given each judge's shares of grades
    [...]; at most 1, 0 by chance.

    1 - sum(w n) / sum(w e) with e from the margins and w 0 on the diagonal; off it 1
    (Cohen 1960), or |a - b| to the power 1 (linear) or 2 (quadratic weights, Cohen
    1968). NaN where chance agreement is 1, as where both judges give one grade only.
    """
    apart = np.abs(grades[:, None] - grades).astype(np.float64)
    # 0 ** 0 is 1, which would count agreement as disagreement
    w = apart**power if power else (apart > 0).astype(np.float64)
    total = n.sum(axis=(-2, -1))
    expected = _share(
        (w * n.sum(axis=-1)[..., :, None] * n.sum(axis=-2)[..., None, :]).sum(axis=(-2, -1)), total
    )
    return 1 - _share((w * n).sum(axis=(-2, -1)), expected)


def alpha(o: np.ndarray, grades: np.ndarray, metric: str = "ordinal") -> np.ndarray:
    """Krippendorff's alpha, 1 - observed / expected disagreement, at most 1, 0 by
    chance [...], from coincidence tables.

    The metric is the distance of two grades, which is squared: `nominal` (1 if they
    differ), `ordinal` (the number of judgments between them: the sum of the margins
    from one to the other, less half of both), `interval` (their difference). NaN where
    only one grade occurs.
    """
    margin = o.sum(axis=-1)
    n = margin.sum(axis=-1)
    if metric == "ordinal":
        # the distance of two grades is that of the middles of their ranks
        middle = np.cumsum(margin, axis=-1) - margin / 2
        apart = (middle[..., :, None] - middle[..., None, :]) ** 2
    else:
        apart = (
            (grades[:, None] - grades) ** 2.0
            if metric == "interval"
            else (grades[:, None] != grades).astype(np.float64)
        )
    observed = (o * apart).sum(axis=(-2, -1))
    expected = (margin[..., :, None] * margin[..., None, :] * apart).sum(axis=(-2, -1))
    return 1 - (n - 1) * _share(observed, expected)


def count_relevant_to_all(values: np.ndarray, level: np.ndarray) -> tuple[int, int]:
    """Number of documents relevant to all judges, and to at least one, of those judged
    by all; from grades [judges, documents].
    """
    # what a judge was not given says nothing of agreement
    shared = values[:, (values >= 0).all(axis=0)] >= level[:, None]
    return int(shared.all(axis=0).sum()), int(shared.any(axis=0).sum())


class PairCounts(NamedTuple):
    """Counts from which a statistic of two judges is computed."""

    n: np.ndarray
    """confusion tables [..., G, G]"""
    grades: np.ndarray
    """[G]"""
    first: int
    """the first judge's relevance level"""
    second: int
    """the second judge's relevance level"""

    @property
    def relevant(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Number of documents relevant to the first judge, to the second, and to both
        [...].
        """
        n, a, b = self.n, self.grades >= self.first, self.grades >= self.second
        return (
            n[..., a, :].sum(axis=(-2, -1)),
            n[..., b].sum(axis=(-2, -1)),
            n[..., a, :][..., b].sum(axis=(-2, -1)),
        )

    @property
    def documents(self) -> np.ndarray:
        """Number of documents that both judged [...]."""
        return self.n.sum(axis=(-2, -1))


class AgreementStatistic(NamedTuple):
    """A statistic of two judges, with its name and description."""

    name: str
    label: str
    meaning: str
    compute: Callable[[PairCounts], np.ndarray]
    bounds: tuple[float, float]
    """the lowest and highest possible value"""


STATISTICS: Registry[AgreementStatistic] = Registry("statistic")
ALPHAS: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {}
"""Krippendorff's alpha of any number of judges by each metric, from a coincidence table
and the grades.
"""
BEYOND_CHANCE = -np.inf, 1.0
"""Lowest and highest possible agreement beyond chance."""


def _add(
    name: str,
    label: str,
    meaning: str,
    compute: Callable[[PairCounts], np.ndarray],
    bounds: tuple[float, float] = (0.0, 1.0),
) -> None:
    STATISTICS.add(name, AgreementStatistic(name, label, meaning, compute, bounds))


def _union(t: PairCounts) -> np.ndarray:
    a, b, both = t.relevant
    return a + b - both


def _kappa_of_two(t: PairCounts, power: int) -> np.ndarray:
    return kappa(t.n, t.grades, power)


def _alpha_of_two(t: PairCounts, metric: str) -> np.ndarray:
    # the coincidence table of two judges
    return alpha(t.n + np.swapaxes(t.n, -2, -1), t.grades, metric)


def _mean_difference(t: PairCounts) -> np.ndarray:
    return _share((t.n * (t.grades - t.grades[:, None])).sum(axis=(-2, -1)), t.documents)


_add("documents", "Documents", "documents that both judged", lambda t: t.documents, (0.0, np.inf))
_add(
    "agreement",
    "Same grade",
    "share of the documents with the same grade from both",
    lambda t: agreement(t.n),
)
_add(
    "agreement_binary",
    "Same side",
    "share of the documents that both find relevant, or neither",
    lambda t: _share(t.documents - _union(t) + t.relevant[2], t.documents),
)
for _power, _name, _label, _meaning in (
    (0, "kappa", "Cohen's kappa", "agreement beyond chance, all differences alike"),
    (
        1,
        "kappa_linear",
        "Kappa, linear",
        "the same; a difference weighs as much as the distance of the grades",
    ),
    (2, "kappa_quadratic", "Kappa, quadratic", "the same; it weighs the square of the distance"),
):
    _add(_name, _label, _meaning, partial(_kappa_of_two, power=_power), BEYOND_CHANCE)
for _name, _meaning in (
    (
        "ordinal",
        (
            "agreement beyond chance; a difference weighs as much as the share of judgments between"
            " the grades"
        ),
    ),
    ("nominal", "the same, all differences alike"),
    ("interval", "the same, by the difference of the grades"),
):
    ALPHAS[f"alpha_{_name}"] = partial(alpha, metric=_name)
    _label = "Krippendorff's alpha" if _name == "ordinal" else f"Alpha, {_name}"
    _add(f"alpha_{_name}", _label, _meaning, partial(_alpha_of_two, metric=_name), BEYOND_CHANCE)
_add(
    "overlap",
    "Overlap",
    "documents relevant to both, as a share of those relevant to either (Voorhees 2000)",
    lambda t: _share(t.relevant[2], _union(t)),
)
_add(
    "precision",
    "Precision",
    "of the documents relevant to the second, the share relevant to the first",
    lambda t: _share(t.relevant[2], t.relevant[1]),
)
_add(
    "recall",
    "Recall",
    "of the documents relevant to the first, the share relevant to the second",
    lambda t: _share(t.relevant[2], t.relevant[0]),
)
_add(
    "relevant_a",
    "Relevant to the first",
    "share of the documents",
    lambda t: _share(t.relevant[0], t.documents),
)
_add(
    "relevant_b",
    "Relevant to the second",
    "share of the documents",
    lambda t: _share(t.relevant[1], t.documents),
)
_add(
    "leniency",
    "Leniency",
    "mean grade of the second minus that of the first",
    _mean_difference,
    (-np.inf, np.inf),
)


class AgreementEstimates(NamedTuple):
    """All statistics of pairs of judges, with intervals over topics."""

    of_topics: np.ndarray
    """float64 [pair, statistic, topic], NaN where undefined"""
    pooled: np.ndarray
    """float64 [pair, statistic], over the documents of all topics together"""
    low: np.ndarray
    """float64 [pair, statistic], `jackknife_interval` over the topics with documents in
    common
    """
    high: np.ndarray
    mean_low: np.ndarray
    """float64 [pair, statistic], `mean_interval` over the topics where it is defined"""
    mean_high: np.ndarray


def estimate_statistics(
    n: np.ndarray,
    grades: np.ndarray,
    levels: Sequence[tuple[int, int]],
    drawn: Resamples,
    level: float,
) -> AgreementEstimates:
    """Each of `STATISTICS` of pairs of judges from their confusion tables [pair, topic,
    G, G], with intervals at `level` per cent.

    `levels` are the relevance levels of both judges of each pair.
    """

    def of(tables: np.ndarray, pair: tuple[int, int]) -> np.ndarray:
        counts = PairCounts(tables, grades, *pair)
        return np.stack([statistic.compute(counts) for statistic in STATISTICS.values()], axis=-1)

    bounds = np.array([statistic.bounds for statistic in STATISTICS.values()]).T
    found = []
    for tables, pair in zip(n, levels, strict=True):
        of_topics = of(tables, pair).T
        means = mean_interval(of_topics, level=level / 100, bounds=bounds)
        found.append(
            (
                of_topics,
                *_with_interval(tables, partial(of, pair=pair), drawn, level, bounds),
                *means,
            )
        )
    return AgreementEstimates(*map(np.stack, zip(*found, strict=True)))


def estimate_alphas(
    o: np.ndarray, grades: np.ndarray, drawn: Resamples, level: float
) -> np.ndarray:
    """Each of `ALPHAS` over all documents with the ends of its interval [3, alpha],
    from coincidence tables [topic, G, G].
    """
    return np.stack(
        _with_interval(
            o,
            lambda n: np.stack([of(n, grades) for of in ALPHAS.values()], axis=-1),
            drawn,
            level,
            BEYOND_CHANCE,
        )
    )


def _with_interval(
    tables: np.ndarray,
    of: Callable[[np.ndarray], np.ndarray],
    drawn: Resamples,
    level: float,
    bounds: Any,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Statistics of tables summed over topics, and their interval limits. If a topic is
    left out, the others weigh more.
    """
    total, some = tables.sum(axis=0), tables[tables.any(axis=(1, 2))]
    left_out = of((total - some) * (len(some) / max(len(some) - 1, 1)))
    estimate = of(total)
    return estimate, *jackknife_interval(
        estimate, left_out, of(_redrawn(tables, drawn)), level=level / 100, bounds=bounds
    )


def _redrawn(tables: np.ndarray, drawn: Resamples) -> np.ndarray:
    """Tables [topic, ...] summed over resampled topics [samples, ...]."""
    sums = np.empty((drawn.samples, tables[0].size))
    for at, counts in drawn:
        sums[at] = counts @ tables.reshape(len(tables), -1)
    return sums.reshape(-1, *tables.shape[1:])
