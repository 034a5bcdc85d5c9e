"""Pools in three strata a topic, of which samples are drawn; and what estimates change
by where each drawn document is left out.
"""

from collections.abc import Callable, Sequence

import numpy as np

import irmeval
from tests.cases import collection, in_strata


def stratified(rng: np.random.Generator, topics: int, **judges: str) -> irmeval.Collection:
    """Three runs on topics of 60 judged documents, beside 20 others, with further
    judges.
    """
    documents = [f"d{i:02}" for i in range(60)]
    names = [str(t) for t in range(topics)]
    judgments = {
        t: {d: int(g) for d, g in zip(documents, rng.choice([0, 0, 1, 2, 3], 60), strict=True)}
        for t in names
    }
    pool = [*documents, *(f"x{i}" for i in range(20))]
    built = collection(
        judgments,
        {run: {t: [pool[i] for i in rng.permutation(80)[:50]] for t in names} for run in "abc"},
    )
    for name, judge in judges.items():
        built = built.with_judgments(name, judge)
    return in_strata(built, lambda d: str(int(d[1:]) % 3))


def drawn(
    built: irmeval.Collection, rng: np.random.Generator, sizes: Sequence[int] = (6, 9, 12)
) -> np.ndarray:
    """Grades of which so many are drawn in each stratum of a topic."""
    grades = np.full(built.grade.size, -1)
    for s in range(built.design.S):
        kept = rng.choice(
            np.flatnonzero(built.design.stratum == s), sizes[s % len(sizes)], replace=False
        )
        grades[kept] = built.grade[kept]
    return grades


def leave_each_out(
    built: irmeval.Collection, grades: np.ndarray, estimate: Callable[[np.ndarray, int], np.ndarray]
) -> tuple:
    """The jackknife by hand: variances and covariances [run, run] summed over topics,
    and the bias [run, topic], of what is estimated for each run of the grades on a
    topic.
    """
    products, bias = np.zeros((3, 3)), np.zeros((3, len(built.topics)))
    for s in range(built.design.S):
        members = built.design.stratum == s
        topic, kept = built.topic[members][0], np.flatnonzero(members & (grades >= 0))
        n, N = kept.size, members.sum()
        whole, places = estimate(grades, topic), np.arange(grades.size)
        changes = [
            estimate(np.where(places == left_out, -1, grades), topic) - whole for left_out in kept
        ]
        above = np.array(changes) - np.mean(changes, axis=0)
        products += (1 - n / N) * (n - 1) / n * above.T @ above
        bias[:, topic] += (1 - n / N) * (n - 1) * np.mean(changes, axis=0)
    return products, bias
