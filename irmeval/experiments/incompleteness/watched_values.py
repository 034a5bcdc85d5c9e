"""What was watched as something disappeared: values at each level, what was left there,
and what the lines and levels are called.
"""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from irmeval.collection import Collection
from irmeval.experiments.axes.base import Axis, Trial
from irmeval.experiments.axes.by_lines import By, Line, draw_lines
from irmeval.experiments.results import Result
from irmeval.experiments.sweep import LEFT
from irmeval.experiments.trials import EQUIVALENT, Realised, over_trials
from irmeval.experiments.watched.base import Curve, Statistic
from irmeval.metrics import Measure
from irmeval.scoring.scores import evaluate
from irmeval.stats.bootstrap import required_difference
from irmeval.stats.decision_agreement import Knee, knee
from irmeval.stats.pairs import count_pairs


class CurveValues(Result):
    """What was watched, at each level of what disappears."""

    values: Mapping[str, np.ndarray]
    """column -> float64 [measure, line, level, trial], or [line, level, trial] for one
    that does not differ by measure
    """
    whole: Mapping[str, np.ndarray]
    """the same on everything [measure, line], or [line]"""
    means: np.ndarray
    """float64 [measure, line, level, trial, run]; empty if no statistic reads them"""
    whole_means: np.ndarray
    """float64 [measure, line, run]"""
    left: np.ndarray
    """float64 [line, level, trial], realised share of the judgments of the topics in
    use, in per cent; NaN where none is removed
    """
    levels: tuple[Any, ...]
    """in the order of the axis"""
    lines: tuple[Line, ...]
    tested: int
    """number of pairs that were tested; 0 if none were"""
    collection: Collection
    team: Mapping[str, str]
    measures: tuple[Measure, ...]
    params: Any

    @property
    def runs(self) -> tuple[str, ...]:
        """Names of the runs."""
        return self.collection.runs

    @property
    def axis(self) -> Axis:
        """What disappears."""
        found: Axis = self.params.axis
        return found

    @property
    def by(self) -> By:
        """What tells lines apart."""
        found: By = self.params.lines
        return found

    @property
    def statistics(self) -> tuple[Statistic, ...]:
        """What was watched."""
        found: tuple[Statistic, ...] = self.params.statistics
        return found

    @property
    def by_weight(self) -> list[Statistic]:
        """What was watched; the mean, which says least, is last."""
        return sorted(self.statistics, key=lambda one: one.name == "mean")

    @property
    def looked_at(self) -> str:
        """The column of what says most."""
        columns = [curve.column for one in self.by_weight for curve in one.curves(self)]
        return columns[0] if columns else ""

    @property
    def pairs(self) -> int:
        """Number of pairs of runs that are tested."""
        return self.tested or count_pairs(len(self.runs))

    @property
    def everything(self) -> str:
        """What samples are compared with, within a sentence."""
        return "everything" if self.by.axis else self.axis.everything

    @property
    def correlation(self) -> str:
        """Column of the correlation of the orders; empty if it is not watched."""
        for one in self.statistics:
            if one.name == "order":
                return one.curves(self)[0].column
        return ""

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the lines in charts."""
        if self.by.axis and self.by.axis.shares:  # what was left may not be as asked
            return tuple(f"{one.amount} judged{one.beside}" for one in self.realised_by_line)
        return tuple(map(self._label_of, self.lines))

    def _label_of(self, line: Line) -> str:
        """Name of a line: its level on the second axis in words, or its value."""
        second = self.by.axis
        if second is None:
            return line.name
        return second.line.format(second.write(line.level))

    @property
    def charted(self) -> list[tuple[Statistic, Curve]]:
        """The charts of all statistics."""
        return [(one, curve) for one in self.statistics for curve in one.curves(self)]

    @property
    def with_level(self) -> list[Curve]:
        """The charts with a value that counts."""
        return [curve for _, curve in self.charted if curve.level is not None]

    @property
    def names(self) -> tuple[str, ...]:
        """What sentences compare: the measures, or the lines by the first measure."""
        if self.by.name:
            return self.labels
        return tuple(map(str, self.measures))

    @property
    def noun(self) -> str:
        """What `names` are."""
        return "line" if self.by.name else "measure"

    def called(self, place: int) -> str:
        """A measure in a sentence, by its place in `names`."""
        if self.by.name:
            return f"{self.measures[0]} ({self.names[place]})"
        return self.names[place]

    def measured(self, column: str) -> bool:
        """Whether a column differs by measure."""
        return self.values[column].ndim == 4  # measure, line, level, trial

    def curve(self, column: str) -> np.ndarray:
        """Mean over trials [measure, line, level], or [line, level]."""
        return over_trials(self.values[column])

    def of_names(self, column: str) -> np.ndarray:
        """Values by what sentences compare [name, level, trial]."""
        return self._by_name(column, self.values[column])

    def _by_name(self, column: str, values: np.ndarray) -> np.ndarray:
        """Values of a column on the lines by the first measure, or by each measure on
        the only line.
        """
        if not self.measured(column):
            return values
        if self.by.name:
            return values[0]
        return values[:, 0]

    def last(self, column: str) -> np.ndarray:
        """Mean over trials at the last level, by `names`."""
        return over_trials(self.of_names(column)[:, -1])

    def before(self, column: str) -> np.ndarray:
        """The value on everything, by `names`."""
        return self._by_name(column, self.whole[column])

    @property
    def told_apart(self) -> np.ndarray:
        """Number of pairs that differ at the last level, mean over trials [name]."""
        # a share times the number of pairs is whole but for rounding
        return over_trials((self.of_names("power")[:, -1] * self.tested).round())

    @cached_property
    def required(self) -> np.ndarray:
        """Difference in mean score required for significance at the last level, as
        estimated by Sakai's bootstrap for any test [measure, trial]; NaN if fewer than
        two topics have a score.
        """
        trials = range(1, self.params.trials + 1)
        by_trial = [[*map(self._required_by, self._scores_at_last(number))] for number in trials]
        return np.array(by_trial).T

    def _scores_at_last(self, number: int) -> np.ndarray:
        """Scores [measure, run, topic in use] at the last level in a trial. The sample is
        drawn again: a paper asks for this, few others do.
        """
        level, line = self.levels[-1], self.lines[0]
        trial = Trial(self.collection, self.params.seed, number, self.team)
        drawn = draw_lines(trial, self.axis, None, None, {line: [level]})[line, level]
        scores = evaluate(self.collection, self.measures, grades=drawn.grades).values
        if drawn.topics is None:
            return scores
        return scores[..., drawn.topics]

    def _required_by(self, scores: np.ndarray) -> float:
        """The required difference of scores [run, topic]; NaN on fewer than two topics."""
        params = self.params
        known = scores[:, np.isfinite(scores).all(axis=0)]
        if known.shape[1] < 2:
            return np.nan
        how = {"alpha": params.alpha, "samples": params.samples, "seed": params.seed}
        return float(required_difference(known, **how))

    def knee(self, column: str, threshold: float = EQUIVALENT) -> Knee:
        """The knees of a column's mean curves, each [measure]; undefined if less than a
        twentieth of the judgments was removed.
        """
        curves = self.curve(column)[:, 0]
        return knee(
            np.array(self.reached), np.where(self.too_little, np.nan, curves), threshold=threshold
        )

    @cached_property
    def realised(self) -> list[Realised]:
        """Shares asked for and left at each level; empty if levels are no shares."""
        return self.axis.realise(self.lines[0].own, self.levels, self.left[0])

    @cached_property
    def realised_by_line(self) -> list[Realised]:
        """The same for lines by shares of the judgments, on each line."""
        second = self.by.axis
        if second is None:
            return []
        levels = [line.level for line in self.lines]
        return second.realise(self.params.own_of(second), levels, self.left[:, 0])

    @property
    def reached(self) -> list[float]:
        """Where the levels are in tables: the share that is left, if it is not as
        asked.
        """
        if not self.realised:
            return [*map(float, self.levels)]
        return [one.reached for one in self.realised]

    @property
    def too_little(self) -> bool:
        """Whether less than a twentieth of the judgments is removed, although less than
        all was asked for.
        """
        if self.realised:
            return self.realised[-1].too_much
        by_name = self.axis.name in ("depth", "teams")  # topics and care remove no judgments
        return by_name and Realised(0, float(self.left[0, -1].mean())).nearly_all

    @cached_property
    def kappa_at_tau(self) -> np.ndarray:
        """The kappa at which the correlation falls below 0.9 [measure, line]; NaN where
        it does not.
        """
        kappas, taus = self.curve("kappa"), self.curve(self.correlation).swapaxes(0, 1)
        found = [
            knee(kappa, tau, threshold=EQUIVALENT) for kappa, tau in zip(kappas, taus, strict=True)
        ]
        return np.stack([np.where(one.falls, one.interpolated, np.nan) for one in found], axis=1)

    @property
    def left_at_last(self) -> dict[str, float]:
        """Column of a table with the share that is left at the last level, in per cent; none
        if no judgments are removed.
        """
        if not self.axis.removes:
            return {}
        return {LEFT: float(self.left[0, -1].mean())}

    @property
    def at_last(self) -> str:
        """The last level, after a title: ``at 10%``."""
        if not self.realised:
            return self.axis.at(float(self.levels[-1]))
        return f"at {self.realised[-1].amount}{self.realised[-1].beside}"

    @property
    def at_level(self) -> str:
        """The same as it was asked for."""
        return self.axis.at(float(self.levels[-1]))

    def at_the_end(self) -> str:
        """Beginning of a sentence on the last level."""
        if not self.realised:
            return self.axis.on.format(self.axis.write(self.levels[-1]))
        last = self.realised[-1]
        return f"{self.axis.on.format(last.amount)}{last.beside}"

    @property
    def direction(self) -> str:
        """Where levels run: ``down`` or ``up``."""
        if self.levels[0] >= self.levels[-1]:
            return "down"
        return "up"

    @property
    def end(self) -> str:
        """The last level in words: what is really left, if it is a share."""
        if self.realised:
            return self.realised[-1].amount
        return self.axis.write(self.levels[-1])
