"""How often intervals of prediction-powered means hold the true mean. ``coverage.py
powered`` prints the table.
"""

from collections.abc import Iterator

import numpy as np

from benchmarks.coverage import DATA, Row, Simulation, share
from irmeval.stats.powered import QUANTILES, powered_mean

OTHERS = 50
"""Topics that only the cheap judge has judged."""


def powered(trials: int) -> Iterator[Row]:
    """How often each 95% interval holds the mean over all topics of Robust 2003, and
    half of its width, by the number of topics that the expensive judge has judged. The
    cheap judge is simulated: noisy on a tenth of the documents.
    """
    import irmeval

    folder = DATA / "robust03"
    c = irmeval.read_collection(folder / "qrels.txt", folder / "runs").with_judgments(
        "noisy", "simulated:noisy,0.1,1"
    )
    for measure in ("AP", "P@10", "RR"):
        expensive, cheap = (
            irmeval.evaluate(of, [measure]).values[0] for of in (c, c.judged_by("noisy"))
        )
        for judged in (5, 10, 15, 20, 30):
            rng, held, half = np.random.default_rng(judged), np.zeros(2, int), np.zeros(2)
            for trial in range(trials):
                y, f = expensive[trial % len(expensive)], cheap[trial % len(expensive)]
                own, rest = rng.integers(y.size, size=judged), rng.integers(y.size, size=OTHERS)
                found = powered_mean(y[own], f[own], f[rest])
                ends = np.array([found.interval(quantile=quantile) for quantile in QUANTILES])
                held += (ends[:, 0] <= y.mean()) & (y.mean() <= ends[:, 1])
                half += (ends[:, 1] - ends[:, 0]) / 2
            row: dict[str, object] = {"measure": measure, "judged topics": judged}
            row |= {
                quantile: share(int(n), trials) for quantile, n in zip(QUANTILES, held, strict=True)
            }
            yield row | {
                f"half, {name}": f"{width / trials:.3f}"
                for name, width in zip(QUANTILES, half, strict=True)
            }


SIMULATIONS: dict[str, Simulation] = {"powered": powered}
