"""Parameters that several experiments have."""

from typing import Annotated

from irmeval import reductions
from irmeval.core.params import Param
from irmeval.reductions.stratified import ROUNDINGS
from irmeval.stats.corrections import CORRECTIONS
from irmeval.stats.correlation import CORRELATIONS
from irmeval.stats.significance import TESTS

PAPERS = (100.0, 90.0, 70.0, 50.0, 30.0, 10.0)
"""The rates of Sakai & Kando 2008 and Sakai 2007."""
OFFERS = (*map(float, range(100, 10, -5)), *map(float, range(10, 0, -1)))

Rates = Annotated[
    tuple[float, ...], Param("rates, %", "Share of the judgments that is kept.", low=0.1, high=100, offers=OFFERS, falling=True, said="{}")
]
Trials = Annotated[int, Param("trials", "Random samples per rate; the band is over them.", low=1, high=1000, said="{} trials")]
TestedTrials = Annotated[int, Param("trials", "Random samples per rate; the band is over them.", low=1, high=100, said="{} trials")]
Seed = Annotated[int, Param("seed", "Same seed, same samples.", low=0, high=2**31 - 1)]
Rounding = Annotated[
    str,
    Param(
        "rounding",
        "How a share of R or N becomes a whole number: floor as Sakai & Kando, ceil as Bompada et al., half-up as Ahlgren & Grönqvist.",
        choices=tuple(ROUNDINGS),
    ),
]
Method = Annotated[
    str,
    Param(
        "sampling",
        "stratified: the same share of relevant and of nonrelevant documents, so that each topic keeps some of both. uniform: from all "
        "judged documents; a topic that is left without relevant ones has no score.",
        choices=reductions.rate_reductions(),
        said="{}",
    ),
]
Correlate = Annotated[
    str, Param("correlation", " ".join(f"{name}: {c.meaning}." for name, c in CORRELATIONS.items()), choices=tuple(CORRELATIONS))
]
Test = Annotated[
    str, Param("test", " ".join(f"{t.name}: {t.label}." for t in TESTS.values()) + " All two-sided.", choices=tuple(TESTS), said="{} test")
]
Samples = Annotated[int, Param("samples", "Resamples of a simulated test, B in the papers.", low=10, high=100_000, said="{} samples")]
Alpha = Annotated[float, Param("alpha", "A difference is significant where p is below this level.", low=0.0001, high=0.5)]
Correct = Annotated[
    str,
    Param(
        "correction", "Adjusts p to the number of pairs, before it is compared with alpha. tukey needs none.", choices=tuple(CORRECTIONS)
    ),
]
Size = Annotated[
    int | None,
    Param(
        "topics per set",
        "Topics in a random set; empty: half of all topics, as in the papers.",
        low=1,
        empty="half",
        said="{} topics per set",
    ),
]
Sets = Annotated[
    int,
    Param("topic sets", "Random sets of topics, 1000 in the papers; the same for all measures.", low=1, high=100_000, said="{} topic sets"),
]
Level = Annotated[float, Param("interval, %", "How many of a hundred intervals should hold the truth.", low=50, high=99.9)]
Threshold = Annotated[float, Param("swap rate, %", "The highest swap rate that a difference may have.", low=0.01, high=50)]
