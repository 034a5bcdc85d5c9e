"""Comparison of two runs by every measure."""

from irmeval.core.params import checked, param
from irmeval.experiments.base import COLLECTION, MATRIX, MEASURES, Work, experiment
from irmeval.experiments.facts import Fact, Verdict
from irmeval.experiments.needs import PAIRS
from irmeval.experiments.results import Chart, Choice, Frame, NextStep, Result, Table, table
from irmeval.experiments.runs.matrix import Params as Tested
from irmeval.experiments.runs.matrix import matrix
from irmeval.experiments.runs.pair import (
    PairOfRuns,
    count_measures,
    facts_of_pair,
    step_to_judging,
    table_by_measure,
)
from irmeval.experiments.settings import settings_of_test
from irmeval.metrics import Measure
from irmeval.scoring.selection import parse_pair


@checked
class Params(Tested):
    """Which two runs are compared, and how."""

    pair: str = param(
        "pair",
        "Two names of runs, separated by a comma. Empty: the two best by the first measure.",
        empty="the two best",
        pair=True,
        default="",
    )


class TwoRuns(Result):
    """Two runs by every measure."""

    looked_at = "difference"

    pairs: tuple[PairOfRuns, ...]
    """per measure, tested with all pairs of runs"""
    measures: tuple[Measure, ...]
    params: Params

    def frame(self) -> Frame:
        """One row per measure and topic, highest difference first: the two runs, their
        scores, and the difference, a less b.
        """
        rows = [
            {"measure": pair.name, "topic": pair.topics[t], "run_a": pair.a, "run_b": pair.b}
            | {"score_a": pair.x[t], "score_b": pair.y[t], "difference": pair.z[t]}
            for pair in self.pairs
            for t in pair.order
        ]
        return table(rows)

    def choice(self) -> Choice:
        names = tuple(pair.name for pair in self.pairs)
        return Choice("measure", names, "Measure by which the runs are compared.")

    def pair_by(self, name: str) -> PairOfRuns:
        """The two runs by one measure; by the first if it is empty."""
        return next((pair for pair in self.pairs if pair.name == name), self.pairs[0])

    def facts(self, choice: str = "") -> list[Fact]:
        return [fact for pair in self.pairs for fact in facts_of_pair(pair)]

    def verdict(self, choice: str = "") -> Verdict:
        said = self.pair_by(choice).verdict()
        return said._replace(below=f"{said.below} {count_measures(self.pairs)}".strip())

    def notes(self) -> list[str]:
        """Sentences on the tests."""
        return [*self.params.describe_test()]

    def next_steps(self) -> list[NextStep]:
        first, params = self.pairs[0], settings_of_test(self.params)
        settings = {"measure": first.name, "run_a": first.a, "run_b": first.b, **params}
        signs = {"pair": (first.a, first.b)}
        steps = [
            NextStep("How do they stand among all runs?", "matrix", settings),
            NextStep("Would the sign hold if all were judged?", "what-if", signs),
        ]
        if first.at_once:
            return [*steps, NextStep("How large must a difference be?", "power", params)]
        return [*steps, step_to_judging(first.a, first.b)]

    def charts(self, choice: str = "") -> list[Chart]:
        """The topics by the measure chosen; without one, by each."""
        if choice:
            return [self.pair_by(choice).chart()]
        return [
            pair.chart()._replace(name=f"differences-{i}") for i, pair in enumerate(self.pairs, 1)
        ]

    def tables(self) -> list[Table]:
        return [
            Table("measures", "By measure", lambda: table_by_measure(self.pairs)),
            Table("topics", "By topic", self.frame),
        ]


@experiment(
    "two-runs",
    title="Two runs",
    question="Which of two runs is better?",
    does="compare two runs by every measure",
    source="Sakai 2006",
    takes=(COLLECTION, MATRIX, MEASURES),
    needs=PAIRS,
)
def two_runs(work: Work[Params]) -> TwoRuns:
    """Compares two runs topic by topic. They are tested alone, and at once with all
    pairs of the runs that are selected.

    Raises `ParamError` for a pair that does not name two runs, and as *Matrix*.
    """
    source, params = work.data, work.params
    # all pairs, though two runs are compared: at once, a pair is read within the family of all
    tests = matrix.run(
        matrix.work(
            source, work.measures, params, only=work.only, store=work.store, progress=work.progress
        )
    )
    a, b = parse_pair(params.pair, tests.runs) if params.pair else tests.order(tests.names[0])[:2]
    names = tests.runs[a], tests.runs[b]
    return TwoRuns(tuple(tests.pair(name, *names) for name in tests.names), work.measures, params)
