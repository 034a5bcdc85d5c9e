"""Parameters shared by several experiments."""

from collections.abc import Collection as Names
from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np

from irmeval import reductions
from irmeval.core.numbers import LEAST_P, p_value
from irmeval.core.params import Live, Param, fields, format_value, say
from irmeval.experiments.verdicts import name_method
from irmeval.metrics import Measure
from irmeval.reductions.stratified import ROUNDINGS
from irmeval.stats.correlation import CORRELATIONS
from irmeval.stats.pair_tests import DISCOVERIES, FAMILYWISE, PairTests, compare_pairs, p_alone
from irmeval.stats.significance import TEST as TEST
from irmeval.stats.significance import TESTS, describe_p
from irmeval.stats.topic_sets import FUZZINESS

PAPERS = (100.0, 90.0, 70.0, 50.0, 30.0, 10.0)
"""The rates of Sakai & Kando 2008 and Sakai 2007."""
AXES = ("per cent", "judgments")
"""X-axis of charts: share or number of the judgments."""
BY_NUMBER = {AXES[0]: "by share of the judgments", AXES[1]: "by number of judgments"}
SAMPLED = {
    **{name: f"{name} samples" for name in ("stratified", "uniform", "weighted")},
    "by-rank": "samples stratified by rank",
    **{name: f"{name} order of judging" for name in reductions.ORDERS},
    "by-depth": "judged by depth",
    "at-random": "judged in random order",
}
"""Text on which judgments are left."""
DECISIONS = {"watch": "the decisions on pairs"}
"""Settings of the page *Curves* that show which pairs still differ."""
OFFERS = (*map(float, range(100, 10, -5)), *map(float, range(10, 0, -1)))

RATES = Param(
    "rates, %",
    "Share of the judgments that is kept. Rates below 1 need a percent sign: 0.5%.",
    low=0.1,
    high=100,
    offers=OFFERS,
    descending=True,
    template="{}",
    rate=True,
)
Rates = Annotated[tuple[float, ...], RATES]
Trials = Annotated[
    int,
    Param(
        "trials",
        "Random samples per rate; the band is over them.",
        low=1,
        high=1000,
        template="{} trials",
    ),
]
# fewer than of `Trials`: tests of all pairs are most of the work of a trial
TestedTrials = Annotated[
    int,
    Param(
        "trials",
        "Random samples per rate; the band is over them.",
        low=1,
        high=100,
        template="{} trials",
    ),
]
Seed = Annotated[int, Param("seed", "Same seed, same samples.", low=0, high=2**31 - 1)]
Rounding = Annotated[
    str,
    Param(
        "rounding",
        "How a share of R or N is rounded: floor as in Sakai & Kando, ceil as in Bompada et al.,"
        " half-up as in Ahlgren & Grönqvist.",
        choices=tuple(ROUNDINGS),
        value_labels={
            "floor": "shares rounded down",
            "ceil": "shares rounded up",
            "half-up": "shares rounded half up",
        },
    ),
]
Method = Annotated[
    str,
    Param(
        "sampling",
        "stratified: the same share of relevant and of nonrelevant documents, so that each topic"
        " keeps some of both. uniform: from all judged documents; a topic without remaining"
        " relevant ones has no score. by-depth and the rest are orders of judging: the first"
        " documents of each topic's pool, i.e. the judged documents that a loaded run has down to"
        " rank 100.",
        choices=Live(reductions.rate_reductions),
        template="{}",
        value_labels=SAMPLED,
    ),
]
Correlate = Annotated[
    str,
    Param(
        "correlation",
        " ".join(f"{name}: {c.meaning.removesuffix('.')}." for name, c in CORRELATIONS.items()),
        choices=Live(CORRELATIONS.keys),
        value_labels={name: c.label for name, c in CORRELATIONS.items()},
    ),
]
Test = Annotated[
    str,
    Param(
        "test",
        " ".join(f"{t.name}: {t.label}." for t in TESTS.values()) + " All two-sided.",
        choices=Live(TESTS.keys),
        value_labels={t.name: t.words for t in TESTS.values()},
    ),
]
Samples = Annotated[
    int,
    Param(
        "samples",
        "Resamples of a simulated test, B in the papers.",
        low=10,
        high=100_000,
        template="{} samples",
    ),
]
Axis = Annotated[
    str,
    Param(
        "along",
        "The axis: rates, or the number of judgments.",
        choices=AXES,
        value_labels=BY_NUMBER,
    ),
]
MEANING_ALONE = (
    "Taken alone, p is valid for a pair chosen before seeing the scores; of many equal pairs, a"
    " share alpha differs by chance."
)
"""Explanation of the first reading of a pair."""
MEANINGS = {
    FAMILYWISE: (
        "At once, the pair may have been picked among all: the signs of the topics' differences are"
        " flipped at random, the same topics for all pairs, and p is the share of flips whose"
        " largest t of all pairs is at least that of the pair (max-t, single step: Westfall & Young"
        " 1993); for a test without samples p is corrected by Holm (1979). The probability of any"
        " false difference is at most alpha."
    ),
    DISCOVERIES: (
        "At once, the expected share of false differences among those found is at most alpha"
        " (Benjamini & Hochberg 1995)."
    ),
}
"""Explanation of the second reading."""
Alpha = Annotated[
    float,
    Param("alpha", "A difference is significant if p is below this level.", low=0.0001, high=0.5),
]
AtOnce = Annotated[
    str,
    Param(
        "at once",
        "How pairs are tested at once. family-wise: the probability of any false difference is at"
        " most alpha; by the maximum of t for simulated tests, by Holm for others."
        " benjamini-hochberg: the share of false differences among those found is at most alpha.",
        choices=(FAMILYWISE, DISCOVERIES),
        value_labels={FAMILYWISE: "family-wise at once", DISCOVERIES: "Benjamini-Hochberg at once"},
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
Replacement = Annotated[
    str,
    Param(
        "replacement",
        "without: a topic is in a set at most once, as in the papers. with: a topic may be in a set"
        " several times.",
        choices=("without", "with"),
        template="topics drawn {} replacement",
    ),
]
Sets = Annotated[
    int,
    Param(
        "topic sets",
        "Random sets of topics, 1000 in the papers; the same for all measures.",
        low=1,
        high=100_000,
        template="{} topic sets",
    ),
]
Fuzziness = Annotated[
    tuple[float, ...],
    Param(
        "fuzziness f",
        "Two means tie if they differ by less than this share of the larger.",
        low=0,
        high=1,
        offers=(*FUZZINESS, 0.15, 0.2, 0.3),
        template="ties within a fuzziness of {}",
    ),
]
Level = Annotated[
    float,
    Param(
        "interval, %",
        "Per cent of intervals that should contain the true value.",
        low=50,
        high=99.9,
        template="{} interval",
    ),
]
Threshold = Annotated[
    float,
    Param(
        "swap rate, %",
        "Highest acceptable swap rate of a difference.",
        low=0.01,
        high=50,
        template="swap rate ≤ {}",
    ),
]


class Testing:
    """Parameters of an experiment that tests pairs of runs, with texts on the test and
    its decisions.

    `test`, `samples`, `alpha` and `seed` are fields of the subclasses, or fixed by
    them, and so is `at_once`, if pairs are also tested all at once.
    """

    test: Any
    samples: Any
    alpha: Any
    seed: Any
    at_once: Any = None

    @property
    def tested_by(self) -> str:
        """Name of the test within a sentence: ``paired t``."""
        return TESTS[self.test].words

    @property
    def at_once_by(self) -> str:
        """Method for all pairs at once, within a sentence: ``max-t``."""
        return name_method(self.test, self.at_once)

    @property
    def unused(self) -> frozenset[str]:
        """Parameters without effect, since the test draws no samples; captions mention
        them only if they are set.
        """
        if TESTS[self.test].simulated:
            return frozenset()
        return frozenset({"samples"})

    @property
    def decided_by(self) -> str:
        """How single pairs are decided, for brackets in sentences."""
        return f"each pair alone, {self.tested_by}, p < {self.alpha:g}"

    def say_p(self, p: float) -> str:
        """A p in a sentence; a simulated one is never below one in so many samples."""
        if TESTS[self.test].simulated:
            return p_value(p, 1 / self.samples)
        return p_value(p, LEAST_P)

    def write_p(self, p: np.ndarray) -> np.ndarray:
        """Text of p-values: below 1 / samples if no sample reached the difference,
        empty for NaN.
        """
        # a square of runs has each p twice, and few samples have few values
        values, which = np.unique(np.ravel(p), return_inverse=True)
        said = [
            "" if one != one else describe_p(one, self.test, self.samples)
            for one in values.tolist()
        ]
        return np.array(said, dtype=object)[which].reshape(np.shape(p))

    def describe_test(self) -> list[str]:
        """Sentences on the test and on both readings of a pair."""
        tested = TESTS[self.test]
        said = [f"{tested.label}. {tested.meaning} Source: {tested.source}.", MEANING_ALONE]
        if self.at_once:
            said.append(MEANINGS[self.at_once])
        return said

    def compare(
        self, scores: np.ndarray, baselines: Sequence[int] = (), name: str = ""
    ) -> PairTests:
        """Test the pairs of runs, or those with one of the baselines, by scores [run,
        topic] with NaN for no score; `name` is their measure, whose range limits
        differences.
        """
        widest = np.inf
        if isinstance(name, Measure):
            widest = float(np.ptp(name.metric.range))
        return compare_pairs(
            scores,
            self.test,
            baselines=baselines,
            samples=self.samples,
            alpha=self.alpha,
            seed=self.seed,
            at_once=self.at_once,
            widest=widest,
        )

    def p_alone(
        self, scores: np.ndarray, pairs: np.ndarray | None = None, until: float = 1.0
    ) -> np.ndarray:
        """p of some pairs, by number, or of all alone [pairs], as `compare` finds it;
        from `until` on it may be too low, but not below.
        """
        return p_alone(
            scores, self.test, pairs=pairs, samples=self.samples, seed=self.seed, until=until
        )

    def differ(self, scores: np.ndarray, pairs: np.ndarray | None = None) -> np.ndarray:
        """Which of some pairs, by number, or of all differ significantly alone, bool
        [pairs], as `compare` finds it.
        """
        # not followed beyond alpha, where p decides nothing: .013 s for .021 of 7,875 pairs by the
        # bootstrap
        return self.p_alone(scores, pairs, self.alpha) < self.alpha


def settings_of_test(params: Any, *, at_once: bool = True) -> dict[str, str]:
    """The test and its parameters, for a next step with the same test; without default
    values.
    """
    names = ["test", "samples", "alpha", "seed"]
    if at_once:
        names.append("at_once")
    declared = fields(type(params))
    return {
        name: format_value(value)
        for name in names
        if name in declared and (value := getattr(params, name)) != declared[name].default
    }


def settings_in_words(params: Any) -> list[str]:
    """All values for the line of settings, such as ``10 trials``, including the meaning
    of empty ones. The test is first; parameters without effect appear only if they are
    set.
    """
    declared, said = fields(type(params)), []
    for name in sorted(list_mentioned(params), key=lambda name: name != "test"):
        param = declared[name].param
        said.append(
            say(params, name)
            or param.value_labels.get("")
            or (f"{param.label}: {param.empty}" if param.empty else "")
        )
    return [*filter(None, said)]


def list_mentioned(params: Any, seldom: Names[str] = ()) -> list[str]:
    """Names of the parameters that captions mention. Parameters without effect, and
    those in `seldom`, are mentioned only if they are set.
    """
    idle = {*seldom}
    if isinstance(params, Testing):
        idle = idle.union(params.unused) - {"test"}
    return [
        name
        for name, field in fields(type(params)).items()
        if name not in idle or getattr(params, name) != field.default
    ]
