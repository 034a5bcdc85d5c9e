"""Parameters that several experiments have."""

from collections.abc import Collection as Names
from typing import Annotated, Any

import numpy as np

from irmeval import reductions
from irmeval.core.params import Param, fields, say
from irmeval.reductions.stratified import ROUNDINGS
from irmeval.stats.corrections import CORRECTIONS
from irmeval.stats.correlation import CORRELATIONS
from irmeval.stats.defaults import CORRECTION as CORRECTION
from irmeval.stats.defaults import TEST as TEST
from irmeval.stats.significance import TESTS, correct, name_method

PAPERS = (100.0, 90.0, 70.0, 50.0, 30.0, 10.0)
"""The rates of Sakai & Kando 2008 and Sakai 2007."""
AXES = ("per cent", "judgments")
"""The x-axis of charts: share or number of the judgments."""
BY_NUMBER = {AXES[0]: "by share of the judgments", AXES[1]: "by number of judgments"}
SAMPLED = {
    **{name: f"{name} samples" for name in ("stratified", "uniform", "weighted")},
    "by-rank": "samples stratified by rank",
    **{name: f"{name} order of judging" for name in reductions.ORDERS},
    "by-depth": "judged by depth",
    "at-random": "judged in random order",
}
"""In words: which judgments are left."""
OFFERS = (*map(float, range(100, 10, -5)), *map(float, range(10, 0, -1)))

Rates = Annotated[
    tuple[float, ...],
    Param(
        "rates, %",
        "Share of the judgments that is kept. Below 1% with the sign: 0.5%.",
        low=0.1,
        high=100,
        offers=OFFERS,
        descending=True,
        template="{}",
        rate=True,
    ),
]
Trials = Annotated[int, Param("trials", "Random samples per rate; the band is over them.", low=1, high=1000, template="{} trials")]
TestedTrials = Annotated[int, Param("trials", "Random samples per rate; the band is over them.", low=1, high=100, template="{} trials")]
Seed = Annotated[int, Param("seed", "Same seed, same samples.", low=0, high=2**31 - 1)]
Rounding = Annotated[
    str,
    Param(
        "rounding",
        "How a share of R or N is rounded: floor as in Sakai & Kando, ceil as in Bompada et al., half-up as in Ahlgren & Grönqvist.",
        choices=tuple(ROUNDINGS),
        value_labels={"floor": "shares rounded down", "ceil": "shares rounded up", "half-up": "shares rounded half up"},
    ),
]
Method = Annotated[
    str,
    Param(
        "sampling",
        "stratified: the same share of relevant and of nonrelevant documents, so that each topic keeps some of both. uniform: from all "
        "judged documents; a topic that is left without relevant ones has no score. by-depth and the rest are orders of judging: "
        "what comes first of each topic's pool, the judged documents that a loaded run has down to rank 100.",
        choices=reductions.rate_reductions(),
        template="{}",
        value_labels=SAMPLED,
    ),
]
Correlate = Annotated[
    str,
    Param(
        "correlation",
        " ".join(f"{name}: {c.meaning.removesuffix('.')}." for name, c in CORRELATIONS.items()),
        choices=tuple(CORRELATIONS),
        value_labels={name: c.label for name, c in CORRELATIONS.items()},
    ),
]
Test = Annotated[
    str,
    Param("test", " ".join(f"{t.name}: {t.label}." for t in TESTS.values()) + " All two-sided.", choices=tuple(TESTS), template="{} test"),
]
Samples = Annotated[int, Param("samples", "Resamples of a simulated test, B in the papers.", low=10, high=100_000, template="{} samples")]
Axis = Annotated[str, Param("along", "The axis: rates, or the number of judgments.", choices=AXES, value_labels=BY_NUMBER)]
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
        template="{} topics per set",
        value_labels={"": "sets of half of the topics"},
    ),
]
Sets = Annotated[
    int,
    Param(
        "topic sets", "Random sets of topics, 1000 in the papers; the same for all measures.", low=1, high=100_000, template="{} topic sets"
    ),
]
Level = Annotated[
    float,
    Param("interval, %", "How many of a hundred intervals should contain the true value.", low=50, high=99.9, template="{} interval"),
]
Threshold = Annotated[
    float, Param("swap rate, %", "The highest swap rate that a difference may have.", low=0.01, high=50, template="swap rate ≤ {}")
]


class Testing:
    """Parameters of an experiment that tests pairs of runs: the test in words, and its decisions.

    `test`, `samples`, `correction`, `alpha` and `seed` are fields of the subclasses, or fixed by them.
    """

    test: Any
    samples: Any
    correction: Any
    alpha: Any
    seed: Any

    @property
    def tested_by(self) -> str:
        """Names of the test and of the correction, within a sentence: ``paired t, Holm``."""
        return name_method(self.test, self.correction)

    @property
    def test_said(self) -> str:
        """`tested_by`, for `say`."""
        return self.tested_by

    @property
    def unused(self) -> frozenset[str]:
        """Parameters without effect, as the test draws no samples; captions mention them only where they are set."""
        return frozenset() if TESTS[self.test].simulated else frozenset({"samples"})

    @property
    def decided_by(self) -> str:
        """`tested_by` and the level of significance, as sentences have them in brackets."""
        return f"{self.tested_by}, alpha {self.alpha:g}"

    def describe_test(self) -> list[str]:
        """A sentence on the test, and one on the correction."""
        tested, corrected = TESTS[self.test], CORRECTIONS[self.correction]
        of = f" Source: {corrected.source}." if corrected.source else ""
        return [f"{tested.label}. {tested.meaning} Source: {tested.source}.", f"Correction: {corrected.label}. {corrected.meaning}{of}"]

    def corrected(self, p: np.ndarray) -> np.ndarray:
        """p-values [..., pair], corrected for the number of pairs."""
        return correct(p, self.correction, self.test, self.samples)

    def is_significant(self, p: np.ndarray) -> np.ndarray:
        """Which pairs differ significantly, bool [..., pair], from uncorrected p-values; false for NaN."""
        return self.corrected(p) < self.alpha


def settings_in_words(params: Any) -> list[str]:
    """All values as in the line of the settings, such as ``10 trials``, and what an empty one stands for. Test and correction come first,
    as one entry; parameters without effect appear only where they are set."""
    declared, said = fields(type(params)), []
    for name in sorted(list_mentioned(params), key=lambda name: name != "test"):
        param = declared[name].param
        said.append(say(params, name) or param.value_labels.get("") or (f"{param.label}: {param.empty}" if param.empty else ""))
    return [*filter(None, said)]


def list_mentioned(params: Any, seldom: Names[str] = ()) -> list[str]:
    """Names of the parameters that captions mention. The test stands for its correction too; parameters without effect, and those in
    `seldom`, are mentioned only where they are set."""
    idle, never = {*seldom}, set[str]()
    if isinstance(params, Testing):
        idle, never = idle.union(params.unused) - {"test"}, {"correction"}
    declared = fields(type(params))
    return [name for name, field in declared.items() if name not in never and (name not in idle or getattr(params, name) != field.default)]
