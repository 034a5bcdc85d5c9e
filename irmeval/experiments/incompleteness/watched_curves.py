"""The result of *Curves*: what was watched as something disappeared, with its facts,
charts and tables.
"""

from irmeval.experiments.axes.base import AXES
from irmeval.experiments.axes.depth import SHALLOWER
from irmeval.experiments.facts import Fact, Verdict
from irmeval.experiments.incompleteness import watched_charts, watched_facts, watched_tables
from irmeval.experiments.incompleteness.watched_values import CurveValues
from irmeval.experiments.results import Chart, Frame, NextStep, Table
from irmeval.experiments.watched.same_order import describe_chance


class Curves(CurveValues):
    """What was watched, at each level of what disappears."""

    def facts(self, choice: str = "") -> list[Fact]:
        """What the result states: each column at the last level, and where curves fall
        to the value that counts.
        """
        return watched_facts.state(self)

    def verdict(self, choice: str = "") -> Verdict:
        """What the first statistic says at the last level; beside it, what the others
        say, and where curves fall to the value that counts.
        """
        return watched_facts.answer(self)

    def notes(self) -> list[str]:
        """Sentences on how to read its numbers, for readers of the method."""
        return [describe_chance(self)] if self.correlation else []

    def frame(self) -> Frame:
        """One row per observation: measure, line, level, share left, trial, and what was
        watched.
        """
        return watched_tables.list_trials(self)

    def summary(self) -> Frame:
        """One row per measure, line and level: means over trials, of what charts show
        with their 5th and 95th percentiles.
        """
        return watched_tables.summarize(self)

    def tables(self) -> list[Table]:
        """Means over trials; where curves fall to the value that counts; those of what
        was watched; every trial.
        """
        return watched_tables.list_tables(self)

    def charts(self, choice: str = "") -> list[Chart]:
        return watched_charts.draw(self)

    def chart_of_runs(self, measure: str) -> Chart:
        """Mean score of each run against the levels, by one measure; on the first line,
        if there are lines.
        """
        return watched_charts.draw_runs(self, measure)

    def next_steps(self) -> list[NextStep]:
        if len(self.runs) < 2:
            return [self._step_to_other_axis(), NextStep("How much is unjudged?", "unjudged")]
        return [
            NextStep("Which runs differ?", "matrix"),
            NextStep("How top-heavy is it?", "top-heaviness"),
            self._step_to_other_axis(),
        ]

    def _step_to_other_axis(self) -> NextStep:
        """The same question about judgments, or about the depth of the pool."""
        if self.axis.name == "judgments":
            return NextStep("What about a shallower pool?", *SHALLOWER)
        at_random = {"of": AXES["judgments"].words}
        return NextStep("What if judgments were missing at random?", "curves", at_random)
