"""The result of *Curves*: what was watched as something disappeared, in words, charts
and tables.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from itertools import chain, starmap
from typing import Any

import numpy as np

from irmeval.collection import Collection
from irmeval.core.numbers import per_cent
from irmeval.core.params import format_value
from irmeval.core.text import capitalize, count_noun, count_with_be, verb
from irmeval.experiments import facts as told
from irmeval.experiments.axes.base import AXES, Axis, Trial
from irmeval.experiments.axes.by_lines import By, Line, draw_lines
from irmeval.experiments.axes.depth import SHALLOWER
from irmeval.experiments.facts import Fact, Verdict
from irmeval.experiments.headlines import describe_crossings, falls_below
from irmeval.experiments.results import Chart, Figure, Frame, NextStep, Result, Table, tidy
from irmeval.experiments.sweep import LEFT
from irmeval.experiments.trials import (
    EQUIVALENT,
    WHOLE,
    Banded,
    Realised,
    band,
    banded,
    describe_asked,
    describe_depth,
    describe_removed,
    over_trials,
)
from irmeval.experiments.watched.base import Curve, Statistic
from irmeval.experiments.watched.judged import LABELS
from irmeval.experiments.watched.same_order import describe_chance, label_of
from irmeval.metrics import Measure
from irmeval.plots import line_charts, theme
from irmeval.scoring.scores import evaluate
from irmeval.stats.bootstrap import required_difference
from irmeval.stats.crossings import NEVER, describe_crossing, find_crossings
from irmeval.stats.decision_agreement import Knee, knee
from irmeval.stats.means import best_first
from irmeval.stats.pairs import count_pairs


class Curves(Banded, Result):
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

    # ------------------------------------------------------------ what it is about

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
        order = next((one for one in self.statistics if one.name == "order"), None)
        return order.curves(self)[0].column if order else ""

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the lines in charts."""
        if self.by.axis and self.by.axis.shares:
            return tuple(f"{one.amount} judged{one.beside}" for one in self.realised_by_line)
        return tuple(map(self._label_of, self.lines))

    def _label_of(self, line: Line) -> str:
        """Name of a line: its level on the second axis in words, or its value."""
        second = self.by.axis
        return second.line.format(second.write(line.level)) if second else line.name

    @property
    def _curves(self) -> list[tuple[Statistic, Curve]]:
        """The charts of all statistics."""
        return [(one, curve) for one in self.statistics for curve in one.curves(self)]

    @property
    def names(self) -> tuple[str, ...]:
        """What sentences compare: the measures, or the lines by the first measure."""
        return self.labels if self.by.name else tuple(map(str, self.measures))

    @property
    def noun(self) -> str:
        """What `names` are."""
        return "line" if self.by.name else "measure"

    def called(self, place: int) -> str:
        """A measure in a sentence, by its place in `names`."""
        return f"{self.measures[0]} ({self.names[place]})" if self.by.name else self.names[place]

    # ------------------------------------------------------------ values

    def measured(self, column: str) -> bool:
        """Whether a column differs by measure."""
        return self.values[column].ndim == len(self._full_axes) + 1

    def curve(self, column: str) -> np.ndarray:
        """Mean over trials [measure, line, level], or [line, level]."""
        return over_trials(self.values[column])

    def of_names(self, column: str) -> np.ndarray:
        """Values by what sentences compare [name, level, trial]."""
        values = self.values[column]
        if not self.measured(column):
            return values
        return values[0] if self.by.name else values[:, 0]

    def last(self, column: str) -> np.ndarray:
        """Mean over trials at the last level, by `names`."""
        return over_trials(self.of_names(column)[:, -1])

    def before(self, column: str) -> np.ndarray:
        """The value on everything, by `names`."""
        whole = self.whole[column]
        if not self.measured(column):
            return whole
        return whole[0] if self.by.name else whole[:, 0]

    @property
    def told_apart(self) -> np.ndarray:
        """Number of pairs that differ at the last level, mean over trials [name]."""
        return over_trials((self.of_names("power")[:, -1] * self.tested).round())

    @cached_property
    def required(self) -> np.ndarray:
        """Difference in mean score required for significance at the last level, as
        estimated by Sakai's bootstrap for any test [measure, trial]; NaN if fewer than
        two topics have a score.
        """
        params, level, line = self.params, self.levels[-1], self.lines[0]
        found = np.full((len(self.measures), params.trials), np.nan)
        for number in range(params.trials):
            trial = Trial(self.collection, params.seed, number + 1, self.team)
            drawn = draw_lines(trial, self.axis, None, None, {line: [level]})[line, level]
            for m, values in enumerate(
                evaluate(self.collection, self.measures, grades=drawn.grades).values
            ):
                scores = values if drawn.topics is None else values[:, drawn.topics]
                scores = scores[:, np.isfinite(scores).all(axis=0)]
                if scores.shape[1] > 1:
                    found[m, number] = required_difference(
                        scores, alpha=params.alpha, samples=params.samples, seed=params.seed
                    )
        return found

    def knee(self, column: str, threshold: float = EQUIVALENT) -> Knee:
        """The knees of a column's mean curves, each [measure]; undefined if less than a
        twentieth of the judgments was removed.
        """
        curves = self.curve(column)[:, 0]
        return knee(
            np.array(self.reached), np.where(self.too_little, np.nan, curves), threshold=threshold
        )

    # ------------------------------------------------------------ what is left

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
            return [float(level) for level in self.levels]
        return [one.asked if one.as_asked else one.left for one in self.realised]

    @property
    def too_little(self) -> bool:
        """Whether less than a twentieth of the judgments is removed, although less than
        all was asked for.
        """
        if self.realised:
            return self.realised[-1].too_much
        return self.axis.name in ("depth", "teams") and self._nearly_all

    @property
    def _nearly_all(self) -> bool:
        return Realised(0, float(self.left[0, -1].mean())).nearly_all

    # ------------------------------------------------------------ facts

    def facts(self, choice: str = "") -> list[Fact]:
        """What the result states: each column at the last level, and where curves fall
        to the value that counts.
        """
        tested = {curve.column for one, curve in self._curves if one.tested}
        where = float(self.levels[-1])
        at_the_end = [
            Fact(
                column,
                measure,
                line,
                float(self.curve(column)[(*m, i, -1)]),
                where,
                float(self.left[i, -1].mean()),
                "alone" if column in tested else "",
            )
            for column in self.values
            for measure, line, m, i in self._subjects(column)
        ]
        return at_the_end + [fact for curve in self.curves_with_level for fact in self.falls(curve)]

    def falls(self, curve: Curve) -> list[Fact]:
        """Where the mean curves of a chart fall to its level, by measure and line."""
        assert curve.level is not None
        at = find_crossings(self.levels, self.curve(curve.column), curve.level)
        if self._is_nearly_whole:
            at = np.full(at.shape, np.nan)
        what = f"{curve.column} {falls_below(curve.level)}"
        return [
            Fact(
                what, measure, line, curve.level, where := float(at[(*m, i)]), self._left_at(where)
            )
            for measure, line, m, i in self._subjects(curve.column)
        ]

    @property
    def _is_nearly_whole(self) -> bool:
        return bool(self.realised) and self.realised[-1].nearly_all

    def _left_at(self, level: float) -> float:
        """Share of the judgments at a level between two, in per cent."""
        if not self.realised or not np.isfinite(level):
            return level if self.realised else np.nan
        return float(np.interp(level, self.levels[::-1], self.reached[::-1]))

    def _subjects(self, column: str) -> list[tuple[str, str, tuple[int, ...], int]]:
        """Measure and line of each curve of a column, and their numbers."""
        if not self.measured(column):
            return [("", line, (), i) for i, line in enumerate(self.labels)]
        return [
            (str(measure), line, (m,), i)
            for m, measure in enumerate(self.measures)
            for i, line in enumerate(self.labels)
        ]

    @property
    def curves_with_level(self) -> list[Curve]:
        """The charts with a value that counts."""
        return [curve for _, curve in self._curves if curve.level is not None]

    def _write_fact(self, fact: Fact) -> str:
        return self.axis.at(fact.left if self.realised else fact.level)

    def _describe_falls(self, curve: Curve) -> str:
        """A sentence on where curves fall to the value that counts; by the first measure
        if there are lines.
        """
        assert curve.level is not None
        found = self.falls(curve)
        if self.by.name and self.measured(curve.column):
            found = [fact for fact in found if fact.measure == str(self.measures[0])]
        descending = self.levels[0] >= self.levels[-1]
        end = self.realised[-1].amount if self.realised else self.axis.write(self.levels[-1])
        name = label_of(self.params) if curve.column == self.correlation else curve.title
        return describe_crossings(
            capitalize(name),
            falls_below(curve.level),
            [told.name_of(fact, found) for fact in found],
            np.array([fact.level for fact in found]),
            lambda level: self.axis.at(self._left_at(level) if self.realised else level),
            end=f"not {'down' if descending else 'up'} to {end}",
            first=float(self.levels[0]),
            descending=descending,
        )

    # ------------------------------------------------------------ words

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

    def _at_the_end(self) -> str:
        """Beginning of a sentence on the last level."""
        if not self.realised:
            return self.axis.on.format(self.axis.write(self.levels[-1]))
        last = self.realised[-1]
        return f"{self.axis.on.format(last.amount)}{last.beside}"

    def verdict(self, choice: str = "") -> Verdict:
        """What the first statistic says at the last level; beside it, what the others
        say, and where curves fall to the value that counts.
        """
        if len(self.levels) == 1 and self.levels[0] == self.axis.whole and not self.by.axis:
            scored = f"{count_with_be(len(self.runs), 'run')} scored by"
            measures = count_noun(len(self.measures), "measure")
            return Verdict(f"{scored} {measures} on {self.axis.everything}.")
        if self.too_little:
            return self._refuse_verdict()
        clauses = [(one, clause) for one in self._by_weight if (clause := one.says(self))]
        if not clauses or self._all_score_nothing:
            return Verdict("There is nothing to compare.", self._describe_nothing())
        (one, first), *others = clauses
        beside = [
            *(self._as_sentence(one, clause) for one, clause in others),
            *map(self._describe_falls, self.curves_with_level),
            f"Tests: {self.params.decided_by}." if self.tested else "",
            self._describe_few_topics(),
            self.realised[-1].reason.strip() if self.realised else "",
        ]
        lead = f"by {self.measures[0]}, " if self._is_of_lines(one, first) else ""
        return Verdict(f"{self._at_the_end()}, {lead}{first}.", " ".join(filter(None, beside)))

    def _is_of_lines(self, one: Statistic, clause: str) -> bool:
        """Whether what a statistic says compares lines by the first measure, without
        naming that.
        """
        return bool(self.by.name) and one.measured and str(self.measures[0]) not in clause

    def _as_sentence(self, one: Statistic, clause: str) -> str:
        """A clause alone. A measure that it begins with is written as it is."""
        if self._is_of_lines(one, clause):
            return f"By {self.measures[0]}, {clause}."
        of_measure = not self.by.name and clause.startswith(self.names)
        return f"{clause if of_measure else capitalize(clause)}."

    def notes(self) -> list[str]:
        """Sentences on how to read its numbers, for readers of the method."""
        return [describe_chance(self)] if self.correlation else []

    @property
    def _is_measured(self) -> bool:
        return any(one.measured for one in self.statistics)

    @property
    def _by_weight(self) -> list[Statistic]:
        """What was watched; the mean, which says least, is last."""
        return sorted(self.statistics, key=lambda one: one.name == "mean")

    def _refuse_verdict(self) -> Verdict:
        """What stands in place of a verdict if too little is removed."""
        if self.realised:
            return self.realised[-1].refusal()
        longest = int(self.collection.length.max(initial=0))
        note = describe_depth(self.levels[-1], longest) if self.axis.name == "depth" else ""
        left = float(self.left[0, -1].mean())
        said = f"{self._at_the_end()}, {per_cent(left / WHOLE)} of the judgments are left."
        return Verdict(describe_removed(left), f"{note} {said}".lstrip())

    @property
    def _all_score_nothing(self) -> bool:
        """Whether all scores are 0 or missing where anything is read off them."""
        return self.whole_means.size > 0 and not np.nan_to_num(self.whole_means).any()

    def _describe_nothing(self) -> str:
        at = self._at_the_end()
        at = f"{at[:1].lower()}{at[1:]}"
        return f"Every run scores 0 on {self.everything}, or has no score {at}."

    def _describe_few_topics(self) -> str:
        """A sentence on samples with fewer topics than others; else empty."""
        topics = self.values.get("topics")
        if topics is None or "topics" in (self.axis.name, self.by.name):
            return ""
        tested = self.values.get("power", self.values.get("accuracy", 0))
        if np.isnan(tested).any():
            return "Samples in which no two runs have 2 topics with a score for both are left out."
        fewest = int(topics.min())
        if fewest == topics.max():
            return ""
        only = f"{count_noun(fewest, 'topic')} {verb(fewest, 'has', 'have')}"
        return f"In some samples only {only} a score for every run."

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

    # ------------------------------------------------------------ tables

    @property
    def _full_axes(self) -> dict[str, Sequence[Any]]:
        return {
            "measure": self.measures,
            "line": [line.name for line in self.lines],
            "level": self.levels,
        }

    @property
    def axes(self) -> dict[str, Sequence[Any]]:
        kept = self._full_axes
        if not self.by.name:
            del kept["line"]
        if not self._is_measured:
            del kept["measure"]
        return kept

    @property
    def observed(self) -> dict[str, np.ndarray]:
        return {name: self._rows(values) for name, values in self.values.items()}

    def _rows(self, values: np.ndarray) -> np.ndarray:
        """Values without the axis of lines if there are none: it is before levels and
        trials.
        """
        return values if self.by.name else values[..., 0, :, :]

    def frame(self) -> Frame:
        """One row per observation: measure, line, level, share left, trial, and what was
        watched.
        """
        along = {**self.axes, "trial": range(1, self.params.trials + 1)}
        made = tidy(along, {LEFT: self._rows(self.left), **self.observed})
        return made[[*self.axes, LEFT, "trial", *self.observed]]

    def summary(self) -> Frame:
        """One row per measure, line and level: means over trials, of what charts show
        with their 5th and 95th percentiles.
        """
        columns = {LEFT: self._rows(self.left).mean(axis=-1)}
        for name, values in self.observed.items():
            columns |= self._summary_of(name, values)
        return tidy(self.axes, columns)

    def _summary_of(self, name: str, values: np.ndarray) -> dict[str, np.ndarray]:
        """Columns of the means over trials, and of the ends of their band in a chart."""
        low, middle, high = band(values)
        drawn = {curve.column for _, curve in self._curves}
        if name not in drawn or not self.measured(name):
            return {name: middle}
        return {name: middle, f"{name}_low": low, f"{name}_high": high}

    def tables(self) -> list[Table]:
        """Means over trials; where curves fall to the value that counts; those of what
        was watched; every trial.
        """
        own = [made for one in self.statistics for made in one.tables(self)]
        falls = [Table("crossings", "Levels", self._crossings)] if self.curves_with_level else []
        return [
            Table("summary", "Summary", self.summary),
            *falls,
            *own,
            Table("trials", "Every trial", self.frame),
        ]

    def _crossings(self) -> Frame:
        """Where each curve falls to the value that counts, and the kappa there if that
        is watched.
        """
        of_measures = [each for each in self.curves_with_level if self.measured(each.column)]
        if not of_measures:
            # a curve of no measure has its own table only where there is no other
            return self._crossings_of(self.curves_with_level[0]).drop(columns="measure")
        first, *others = map(self._crossings_of, of_measures)
        last: dict[str, Any] = {other.columns[-1]: other.iloc[:, -1] for other in others}
        if "kappa" in self.values and self.correlation:
            last["kappa at tau 0.9"] = self.kappa_at_tau.ravel()
        return first.assign(**last)

    def _crossings_of(self, curve: Curve) -> Frame:
        """The same for the lines of one chart: measure, line, level in words."""
        below = falls_below(curve.level or 0).removeprefix("falls ")
        column = f"{curve.column} {below} at, {self._unit}"
        return told.table(self.falls(curve), column, self._cell, bool(self.by.name))

    @property
    def _unit(self) -> str:
        return "%" if self.axis.suffix else self.axis.xtitle

    def _cell(self, fact: Fact) -> str:
        return (
            ""
            if np.isnan(fact.level)
            else (
                f"not {'down' if self.levels[0] >= self.levels[-1] else 'up'} to"
                f" {format_value(self.levels[-1])}"
                if fact.level == NEVER
                else describe_crossing(fact.left if self.realised else fact.level, "")
            )
        )

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

    # ------------------------------------------------------------ charts

    @property
    def places(self) -> list[float]:
        """Where the levels are along the axis of a chart."""
        if self.axis.even:
            return [float(place) for place in range(len(self.levels), 0, -1)]
        return [float(level) for level in self.levels]

    def place(self, level: float) -> float:
        """Where a level between two is along that axis."""
        order = np.argsort(self.levels)
        return float(np.interp(level, np.array(self.levels)[order], np.array(self.places)[order]))

    @property
    def x_axis(self) -> dict[str, Any]:
        title = self.axis.xtitle
        if any(not one.as_asked for one in self.realised):
            title = "judgments asked for"
        named = not self.axis.suffix
        levels = {p: f"{n:g}" for p, n in zip(self.places, self.levels, strict=True)}
        return {
            "rates": self.places,
            "xtitle": title,
            "suffix": self.axis.suffix,
            **({"levels": levels} if named else {}),
        }

    def describe_bands(self, what: str = "The band", *, wide: bool = True) -> str:
        note = self.axis.note(self.collection, self.levels)
        if self.axis.trials == 1:
            return note
        own, second = self.lines[0].own, self.by.axis
        random = self.axis.random(own) or (second is not None and second.trials > 1)
        if self.params.trials > 1 and not random:
            asked = describe_asked(self.realised)
            return f" Nothing is random, so all trials are equal.{asked}{note}"
        return f"{super().describe_bands(what, wide=wide)}{note}"

    def charts(self, choice: str = "") -> list[Chart]:
        first, *others = chain.from_iterable(starmap(self._charts_of, self._curves))
        along = [one for one in self.statistics if one.along]
        # the first page shows mean and order side by side
        first = first._replace(beside=bool(self.correlation) and first.name == "mean")
        return [first, *others, *chain.from_iterable(map(self._against, along))]

    def _charts_of(self, one: Statistic, curve: Curve) -> list[Chart]:
        """A chart of all measures; with lines, one of each measure."""
        columns = curve.column.split(",")
        if not one.measured:
            values = np.concatenate([self.values[name] for name in columns])
            names = [
                ", ".join(filter(None, [label, LABELS.get(name, name)]))
                for name in columns
                for label in self.labels
            ]
            return [self._chart(curve, curve.name, curve.title, values, names)]
        values = self.values[curve.column]
        if not self.by.name:
            return [self._chart(curve, curve.name, curve.title, values[:, 0], list(self.measures))]
        return [
            self._chart(
                curve, f"{curve.name}-{m}", f"{curve.title} by {measure}", row, self.labels, measure
            )
            for m, (measure, row) in enumerate(zip(self.measures, values, strict=True), 1)
        ]

    def _chart(
        self,
        curve: Curve,
        name: str,
        title: str,
        values: np.ndarray,
        names: Sequence[str],
        measure: Measure | None = None,
    ) -> Chart:
        more: dict[str, Any] = {"top": curve.top, "order": curve.order}
        if curve.level is not None:
            found = [
                fact
                for fact in self.falls(curve)
                if measure is None or fact.measure == str(measure)
            ]
            at = [self._crossing(fact) for fact in found]
            more |= {
                "threshold": curve.level,
                "crossings": dict(zip(map(str, names), at, strict=True)),
            }
        if measure is not None:
            more["styles"] = theme.shades(measure, len(names))
        ytitle = curve.ytitle or curve.title.lower()
        low, _, high = band(values)
        bars = values.shape[-1] > 1 and line_charts.are_crowded(low, high)
        wide = bool((high > low).any())
        said = self.describe_bands("Each bar" if bars else "The band", wide=wide)
        caption = f"{curve.caption}{said}"
        draw = partial(banded, names, values=values, ytitle=ytitle, **self.x_axis, **more)
        return Chart(name, title, caption, draw)

    def _crossing(self, fact: Fact) -> line_charts.Crossing:
        """Where a chart marks that a curve falls to a value."""
        if not np.isfinite(fact.level):
            return line_charts.Crossing(fact.level, "")
        text = self._write_fact(fact)
        # after the name of a line, which may end in a number itself, ``at`` parts the two
        return line_charts.Crossing(
            self.place(fact.level), text if self.by.name else text.removeprefix("at ")
        )

    def _against(self, one: Statistic) -> list[Chart]:
        """Charts of the correlation against a statistic that may be along the axis."""
        if not self.correlation:
            return []
        label = label_of(self.params)
        caption = (
            f"Agreement of the order of the runs with that on {self.everything}, by {one.name}."
            f" Further right, {one.name} is lower. Beside the names: the {one.name} at which"
            f" {label} falls below the dotted 0.9."
        )
        return [
            Chart(
                f"tau-by-{one.name}-{m}",
                f"{capitalize(one.name)} and the order by {measure}",
                caption,
                partial(self._draw_against, one, m - 1, measure),
            )
            for m, measure in enumerate(self.measures, 1)
        ]

    def _draw_against(self, one: Statistic, m: int, measure: Measure) -> Figure:
        """A line through means over trials, from all to nothing."""
        tau, along = self.curve(self.correlation)[m], self.curve(one.name)
        levels = [self.axis.line.format(self.axis.write(level)) for level in self.levels]
        names = self.labels if self.by.name else (str(measure),)
        along = along if len(along) == len(tau) else along.repeat(len(tau), axis=0)
        styles = (
            theme.shades(measure, len(names))
            if self.by.name
            else [theme.styles(self.measures)[str(measure)]]
        )
        lines = [
            line_charts.Path(name, x, y, style, "" if np.isnan(at) else f"{at:.2f}", levels)
            for name, x, y, style, at in zip(
                names, along, tau, styles, self.kappa_at_tau[m], strict=True
            )
        ]
        figure = line_charts.paths(
            lines,
            xtitle=f"{one.name} with {self.everything}",
            ytitle=label_of(self.params),
            threshold=EQUIVALENT,
        )
        low = min(float(np.nanmin(tau, initial=EQUIVALENT)), EQUIVALENT) - 0.05
        return figure.update_xaxes(range=[1.03, -0.03]).update_yaxes(range=[low, 1.03])

    def chart_of_runs(self, measure: str) -> Chart:
        """Mean score of each run against the levels, by one measure; on the first line,
        if there are lines.
        """
        m = self.measures.index(measure)
        values = self.means[m, 0].mean(axis=1)
        order = best_first(self.whole_means[m, 0])
        names = {self.runs[order[0]], self.runs[order[-1]]}
        own, grey = theme.styles(self.measures)[self.measures[m]], theme.Style(theme.GREY)
        lines = [
            line_charts.ChartLine(
                self.runs[r], values[:, r], own if self.runs[r] in names else grey
            )
            for r in order[::-1]
        ]
        named = f" Labelled: the best and the worst run on {self.everything}."
        return Chart(
            "runs",
            "Each run",
            f"Mean {measure} of each run over the trials.{named} Where lines cross, runs change"
            f" places.{describe_asked(self.realised)}",
            lambda: line_charts.against_rate(
                lines=lines,
                values=values,
                ytitle=f"mean {measure} over topics",
                named=names,
                order=True,
                **self.x_axis,
            ),
            usual=named,
        )
