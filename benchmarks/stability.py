"""Seconds for the stability and the swap method over all pairs of systems, and how many
times as fast as loops over the pairs.

    python benchmarks/stability.py [MATRIX.csv]

The matrix has a column for each run and a row for each topic; without one, 129 runs and
50 topics are made up.
"""

import sys
from itertools import combinations
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.significance import made_up, seconds
from irmeval.stats.swap_rates import BINS, WIDTH, find_required_difference, swap
from irmeval.stats.topic_sets import FUZZINESS, random_orders, set_means, stability, topic_sets

SETS, SEED = 1000, 1


def stability_by_loops(scores: np.ndarray) -> tuple[list[float], list[float]]:
    """A loop as in the paper: for each f, pair and topic set, which system wins. The
    means of all sets are given.
    """
    n = scores.shape[1]
    means = set_means(scores, topic_sets(np.random.default_rng(SEED), SETS, n, n // 2))[0].tolist()
    MR, PT = [], []
    for f in FUZZINESS:
        minority = ties = total = 0
        for x, y in combinations(means, 2):
            GT_xy = GT_yx = EQ = 0
            for a, b in zip(x, y, strict=True):
                if abs(a - b) < f * max(a, b):
                    EQ += 1
                elif a > b:
                    GT_xy += 1
                else:
                    GT_yx += 1
            minority += min(GT_xy, GT_yx)
            ties += EQ
            total += GT_xy + GT_yx + EQ
        MR.append(minority / total)
        PT.append(ties / total)
    return MR, PT


def swap_by_loops(scores: np.ndarray) -> tuple[list[int], list[int]]:
    """A loop as in the paper: for each pair and trial, the bin of the first difference,
    and whether the second has the other sign.
    """
    n = scores.shape[1]
    order = random_orders(np.random.default_rng(SEED), SETS, n)
    sets = [
        np.array([np.isin(np.arange(n), row[k : k + n // 2]) for row in order], float)
        for k in (0, n // 2)
    ]
    first, second = (set_means(scores, counts)[0].tolist() for counts in sets)
    comparisons, swaps = [0] * BINS, [0] * BINS
    for (x, x_), (y, y_) in combinations(zip(first, second, strict=True), 2):
        for a, b, a_, b_ in zip(x, y, x_, y_, strict=True):
            bin = min(int(abs(a - b) / WIDTH), BINS - 1)
            comparisons[bin] += 1
            swaps[bin] += (a - b) * (a_ - b_) < 0
    return comparisons, swaps


def main() -> None:
    if len(sys.argv) > 1:
        rows = [line.split(",") for line in Path(sys.argv[1]).read_text().splitlines()]
        topic = rows[0][0].lower() == "topic"
        scores = np.array([row[topic:] for row in rows[1:]], dtype=float).T
    else:
        scores = made_up()
    systems, topics = scores.shape
    print(
        f"{systems} runs, {topics} topics, {systems * (systems - 1) // 2} pairs, {SETS} topic"
        " sets\n"
    )
    at_once, rates = seconds(lambda: stability(scores, sets=SETS, seed=SEED), 5)
    print("   f     MR     PT")
    for row in zip(FUZZINESS, rates.minority_rate, rates.proportion_of_ties, strict=True):
        print("{:.2f}  {:.4f}  {:.4f}".format(*row))
    looped, (MR, PT) = seconds(lambda: stability_by_loops(scores), 1)
    off = max(np.abs(rates.minority_rate - MR).max(), np.abs(rates.proportion_of_ties - PT).max())
    print(
        f"All pairs at once {at_once:.3f} s, loops {looped:.1f} s, {looped / at_once:.0f} times"
        f" that; largest difference {off:.1e}\n"
    )

    at_once, swapped = seconds(lambda: swap(scores, trials=SETS, seed=SEED), 5)
    for edge, rate, count in zip(swapped.edges, swapped.rate, swapped.comparisons, strict=True):
        print(f"{edge:.2f}  {rate:.4f}  {count}")
    needed = find_required_difference(swapped)
    print(
        f"At 5%: {needed.difference:.2f} required, {needed.relative:.1%} of {swapped.highest:.4f},"
        f" sensitivity {needed.sensitivity:.1%}"
    )
    looped, (comparisons, swaps) = seconds(lambda: swap_by_loops(scores), 1)
    off = max(np.abs(swapped.comparisons - comparisons).max(), np.abs(swapped.swaps - swaps).max())
    print(
        f"All pairs at once {at_once:.3f} s, loops {looped:.1f} s, {looped / at_once:.0f} times"
        f" that; largest difference {off} comparisons"
    )


if __name__ == "__main__":
    main()
