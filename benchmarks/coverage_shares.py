"""How often the interval of a coverage, as on *Estimates*, holds the truth. The runs of
a trial share its sample.
"""

from collections.abc import Iterator

import numpy as np

from benchmarks.coverage import Row, share
from irmeval.stats.intervals import share_interval

FAMILY = 40
"""Estimators at rates, each at 95% of this part."""
SAMPLES, RUNS, ALIKE, TRUE = (
    (2, 5, 10, 30, 100),
    (7, 30, 126),
    (0.0, 0.1, 0.3, 0.6, 1.0),
    (0.7, 0.9, 0.95, 0.97),
)


def drawn(
    rng: np.random.Generator,
    kind: str,
    true: float,
    alike: float,
    shape: tuple[int, int],
    runs: int,
) -> np.ndarray:
    """Shares of the runs whose interval holds [trial, sample], each with probability
    `true`. Runs of one sample are correlated (`alike`): by the beta-binomial
    distribution, or by a normal latent variable.
    """
    from scipy.special import ndtr, ndtri

    if alike == 1:
        chance = (rng.random(shape) < true).astype(float)
    elif kind == "normal":
        chance = ndtr(
            (ndtri(true) - np.sqrt(alike) * rng.standard_normal(shape)) / np.sqrt(1 - alike)
        )
    else:
        both = (1 - alike) / alike if alike else 1e9
        chance = rng.beta(true * both, (1 - true) * both, shape)
    return rng.binomial(runs, chance) / runs


def shares(trials: int) -> Iterator[Row]:
    """Coverage of 95% intervals of a coverage; how often correct intervals are said to
    hold too rarely (truth .95) or too often (truth .97), singly and in any of `FAMILY`;
    and how often a true coverage of .7 is noticed. The highest and lowest value over
    settings.
    """
    rng = np.random.default_rng(11)
    for samples in SAMPLES:
        held, rarely, often, together, found, before = [], [], [], [], [], []
        for kind in ("beta", "normal"):
            for alike in ALIKE:
                for runs in RUNS:
                    for true in TRUE:
                        made = drawn(rng, kind, true, alike, (trials, samples), runs)
                        low, high = share_interval(made, runs, level=0.95)
                        held.append(np.sum((low <= true + 1e-9) & (true - 1e-9 <= high)))
                        strict = share_interval(made, runs, level=1 - 0.05 / FAMILY)[1]
                        margin = 1.96 * made.std(axis=-1) / np.sqrt(samples)
                        before.append(np.mean(np.abs(made.mean(axis=-1) - true) <= margin))
                        if true == 0.95:
                            rarely.append(np.sum(high < 0.95))
                            together.append(
                                np.mean(
                                    (strict < 0.95)[: trials // FAMILY * FAMILY]
                                    .reshape(-1, FAMILY)
                                    .any(axis=1)
                                )
                            )
                        if true == 0.97:
                            often.append(np.sum(low > 0.97))
                        if true == 0.7 and alike < 1:
                            found.append(np.mean(strict < 0.95))
        yield {
            "samples": samples,
            "holds, all settings": f"{np.mean(held) / trials:.3f}",
            "holds, lowest": share(int(min(held)), trials),
            "1.96 standard errors": f"{np.mean(before):.3f} (lowest {min(before):.3f})",
            "falsely too rarely, highest": share(int(max(rarely)), trials),
            "falsely too often, highest": share(int(max(often)), trials),
            f"falsely too rarely of any of {FAMILY}": (
                f"{np.mean(together):.3f} (highest {max(together):.3f})"
            ),
            "found where the truth is .7": f"{np.mean(found):.2f} (lowest {min(found):.2f})",
        }


SIMULATIONS = {"shares": shares}
