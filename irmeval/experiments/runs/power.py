"""Discriminative power: how many differences each measure finds."""

from irmeval.core.numbers import per_cent
from irmeval.core.params import checked
from irmeval.core.text import count_noun
from irmeval.experiments.base import COLLECTION, MATRIX, MEASURES, Work, experiment
from irmeval.experiments.facts import Fact, Verdict
from irmeval.experiments.needs import PAIRS
from irmeval.experiments.results import Chart, Frame, NextStep, Result, Table
from irmeval.experiments.runs.matrix import PairMatrix, matrix
from irmeval.experiments.runs.matrix import Params as Tested
from irmeval.experiments.settings import DECISIONS, settings_of_test
from irmeval.experiments.verdicts import PAIR_BY_PAIR
from irmeval.metrics import Measure


@checked
class Params(Tested):
    """How pairs of runs are tested."""


class Power(Result):
    """How many pairs of runs differ by each measure, and how large a difference must
    be.
    """

    pairs: PairMatrix
    measures: tuple[Measure, ...]
    params: Params

    def facts(self, choice: str = "") -> list[Fact]:
        return self.pairs.facts()

    def verdict(self, choice: str = "") -> Verdict:
        """The measures that find most and fewest differences, each pair alone."""
        return Verdict(self._claim(), self.pairs.describe_family())

    def _claim(self) -> str:
        names, power = self.pairs.names, self.pairs.power
        most, fewest = names[power.argmax()], names[power.argmin()]
        high, low = per_cent(power.max()), per_cent(power.min())
        differ = f"of the pairs of runs differ {PAIR_BY_PAIR}"
        if len(names) == 1:
            return f"By {most}, {high} {differ}."
        if high == low:
            return f"By each of {len(names)} measures, {high} {differ}."
        by_most, by_fewest = self._name_or_count(high), self._name_or_count(low)
        if (by_most, by_fewest) == (most, fewest):
            return f"{most} finds most: {high} {differ}; {fewest} finds fewest, {low}."
        return f"By {by_most}, {high} {differ}; by {by_fewest}, {low}."

    def _name_or_count(self, share: str) -> str:
        """The measure that alone finds this share of the pairs, as it is printed; of
        several, their number.
        """
        found = zip(self.pairs.names, map(per_cent, self.pairs.power.tolist()), strict=True)
        alike = [name for name, each in found if each == share]
        if len(alike) == 1:
            return alike[0]
        return count_noun(len(alike), "measure")

    def frame(self) -> Frame:
        """One row per measure, highest power first: as `PairMatrix.summary`."""
        return self.pairs.summary()

    def charts(self, choice: str = "") -> list[Chart]:
        return [self.pairs.chart_of_power(), self.pairs.chart_of_levels()]

    def tables(self) -> list[Table]:
        return [
            Table("power", "Power and required difference", self.frame),
            Table("tests", "Power by every test", self.pairs.by_test),
        ]

    def notes(self) -> list[str]:
        """Sentences on the tests and the required difference."""
        return [
            *self.params.describe_test(),
            "Power: share of the pairs that differ significantly, each tested alone. Required"
            " difference: a difference in mean score that is significant alone, for any test"
            f" estimated by the bootstrap ({self.params.samples:,} samples, seed"
            f" {self.params.seed}). As a maximum over all pairs, it can depend on an unusual one.",
        ]

    def next_steps(self) -> list[NextStep]:
        fewer = settings_of_test(self.params, at_once=False) | DECISIONS
        return [
            NextStep("Which runs differ?", "matrix", settings_of_test(self.params)),
            NextStep("How many remain on fewer judgments?", "curves", fewer),
            NextStep("How many topics are needed?", "topics-needed"),
        ]


@experiment(
    "power",
    title="Power",
    question="How many differences does a measure find?",
    does="count the pairs of runs that each measure tells apart",
    formula=r"power = \frac{|\{(a, b): p_{ab} < \alpha\}|}{|\{(a, b)\}|}",
    source="Sakai 2006; Sakai 2007 (alternatives to bpref), Table 3",
    takes=(COLLECTION, MATRIX, MEASURES),
    needs=PAIRS,
)
def power(work: Work[Params]) -> Power:
    """Tests every pair of runs by every measure, and counts those that differ
    significantly, each alone: the discriminative power. Beside it, those that differ
    with all pairs at once, and the difference in means that is required.

    Raises `ParamError` as *Matrix*.
    """
    # through *Matrix*, so that both pages state the same numbers and the second opens at once
    tested = matrix.work(
        work.data,
        work.measures,
        work.params,
        only=work.only,
        store=work.store,
        progress=work.progress,
    )
    return Power(matrix.run(tested), work.measures, work.params)
