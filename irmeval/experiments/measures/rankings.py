"""Order of the runs by one measure, compared with that by others."""

from functools import cached_property
from itertools import compress
from math import comb

import numpy as np

from irmeval.core.errors import ParamError
from irmeval.core.params import checked, param
from irmeval.core.places import pick
from irmeval.core.text import (
    capitalize,
    count_noun,
    list_all,
    names_or_number,
    share_that,
    shorten,
    verb,
)
from irmeval.experiments.base import Work, experiment
from irmeval.experiments.facts import Fact, Verdict
from irmeval.experiments.headlines import describe_range
from irmeval.experiments.results import (
    Chart,
    Choice,
    Figure,
    Frame,
    NextStep,
    Result,
    Table,
    table,
    tidy,
)
from irmeval.experiments.scored import OfScores
from irmeval.metrics import measure
from irmeval.plots import line_charts, names, pins
from irmeval.plots.points import points
from irmeval.plots.slope import CLIMBS, describe_named, slope
from irmeval.scoring.score_table import Scores
from irmeval.scoring.scores import evaluate
from irmeval.stats.correlation import count_disagreements, tau_b
from irmeval.stats.means import best_first, rank_scores, tied

LINES = ("scores", "ranks")
"""Contents of the lines of a figure."""
POINTS = ("runs", "topics")
"""Contents of its points."""
NAMED = 5
"""Maximum number of runs labelled in a figure as those that change place most."""
LABELLED = " Labelled: the runs that change place most."
"""Part of the caption of the scatter plot."""
TICKS = 20
"""Maximum number of names that fit on the axis."""


@checked
class Params:
    """The two compared measures, and the contents of the figures."""

    by: str = param(
        "sorted by", "Measure that orders the runs; empty: the first.", measure=True, default=""
    )
    against: str = param(
        "against",
        "Measure to compare with it; empty: the one that agrees with it least.",
        measure=True,
        default="",
    )
    lines: str = param(
        "lines",
        "Mean scores or ranks of the runs.",
        choices=LINES,
        value_labels={"scores": "lines of mean scores", "ranks": "lines of ranks"},
        default="scores",
    )
    points: str = param(
        "points",
        "A point of the scatter plot is a run's mean, or a topic's mean over the runs.",
        choices=POINTS,
        value_labels={"runs": "a point for each run", "topics": "a point for each topic"},
        default="runs",
    )


class Rankings(OfScores, Result):
    """Mean scores and ranks of the runs by each measure; `by` and `against` are the
    indices of the two compared measures.
    """

    scores: Scores
    by: int
    against: int
    params: Params

    @cached_property
    def ranks(self) -> np.ndarray:
        """Rank of each run [measure, run], 1 the best; equal means share the best of
        their ranks.
        """
        return rank_scores(self.scores.means)

    @cached_property
    def order(self) -> np.ndarray:
        """The runs, best by the sorting measure first."""
        return best_first(self.scores.means[self.by])

    @cached_property
    def jumps(self) -> np.ndarray:
        """Number of places that each run moves up by the other measure [run]."""
        return self.ranks[self.by] - self.ranks[self.against]

    @cached_property
    def farthest(self) -> np.ndarray:
        """Runs that move most, at most `NAMED`."""
        far = np.argsort(-np.abs(self.jumps), kind="stable")[:NAMED]
        return far[self.jumps[far] != 0]

    def frame(self) -> Frame:
        """One row per observation: run, measure, mean, rank."""
        frame = tidy(
            {"measure": self.measures, "run": self.scores.runs},
            {"mean": self.scores.means, "rank": self.ranks},
        )
        return frame[["run", "measure", "mean", "rank"]]

    def summary(self) -> Frame:
        """One row per run, best by the sorting measure first: its rank by each measure,
        and places up by the other of the two compared.
        """
        columns = dict(zip(self.measures, self.ranks, strict=True))
        frame = table(
            {"run": self.scores.runs, **columns, f"up by {self.measures[self.against]}": self.jumps}
        )
        return frame.iloc[self.order].reset_index(drop=True)

    def orders(self) -> Frame:
        """One row per measure, beside the sorting one: tau of their orders, pairs of
        runs, and those in opposite orders.
        """
        means = self.scores.means
        known = np.nan_to_num(means)
        columns = {
            "measure a": [self.measures[self.by]] * len(self.measures),
            "measure b": self.measures,
            "tau": tau_b(known, known[self.by]),
            "pairs": [comb(means.shape[1], 2)] * len(self.measures),
            "opposed": np.nan_to_num(count_disagreements(known, known[self.by])).astype(int),
        }
        frame = table(columns)
        return frame[frame["measure b"] != self.measures[self.by]].reset_index(drop=True)

    def facts(self, choice: str = "") -> list[Fact]:
        """Places that each run moves up by the other measure."""
        y = self.measures[self.against]
        moved = zip(self.scores.runs, self.jumps.tolist(), strict=True)
        return [Fact("places up", y, run, float(up)) for run, up in moved]

    def choice(self) -> Choice:
        """The run that is brought forward: at first the one that moves most."""
        far = np.argsort(-np.abs(self.jumps), kind="stable")
        return Choice(
            "run",
            tuple(pick(self.scores.runs, far)),
            "Run to bring forward, the one that moves most first. Type a part of its name.",
        )

    def verdict(self, choice: str = "") -> Verdict:
        x, y = self.measures[self.by], self.measures[self.against]
        if x == y:
            return self._verdict_on_one()
        if len(self.jumps) == 1:
            return Verdict("One run alone has no order to compare.")
        moved = int(np.count_nonzero(self.jumps))
        if not moved:
            every = "Each run"
            if len(self.jumps) > 2:
                every = "Every run"
            return Verdict(f"{every} has the same rank by {x} and by {y}.", self._describe_tau())
        changed = f"{share_that(moved, len(self.jumps), 'run', 'change')} rank"
        return Verdict(
            f"{self._describe_move(choice)}.", f"{capitalize(changed)}. {self._describe_tau()}"
        )

    def _verdict_on_one(self) -> Verdict:
        """The range of the mean scores by the only measure."""
        x, means = self.measures[self.by], tied(self.scores.means[self.by])[self.order]
        if not np.isfinite(means).any():
            return Verdict(f"No run has a score by {x}.")
        runs = pick(self.scores.runs, self.order)
        spans = describe_range(runs, means, ".3f")
        said = f"Mean {x} over {names_or_number(runs, len(runs), 'run')}: {spans}."
        if means[0] == means[-1]:
            return Verdict(said)
        return Verdict(said, f"Median: {np.median(means):.3f}.")

    def _describe_move(self, choice: str) -> str:
        """How far the chosen run moves, or else those that move most."""
        x, y = self.measures[self.by], self.measures[self.against]
        between = f"from {x} to {y}"
        most = int(np.abs(self.jumps).max())
        first = [r for r, up in enumerate(self.jumps) if abs(up) == most]
        run = self.scores.runs.index(choice) if choice else first[0]
        if not choice and len(first) > 1:
            tied_runs = pick(self.scores.runs, first)
            who = list_all(tied_runs) if len(first) == 2 else count_noun(len(first), "run")
            return f"{who} move most {between}: {count_noun(most, 'place')}"
        name, up = self.scores.runs[run], int(self.jumps[run])
        if not up:
            return f"{name} keeps rank {self.ranks[self.by, run]} {between}"
        way = "climbs" if up > 0 else "falls"
        farthest = " most" if run in first else ""
        ranks = f"rank {self.ranks[self.by, run]} to {self.ranks[self.against, run]}"
        return f"{name} {way}{farthest} {between}: {ranks}"

    def _describe_tau(self) -> str:
        """A sentence on tau of the two orders."""
        x, y = self.measures[self.by], self.measures[self.against]
        tau = float(tau_b(self.scores.means[self.by], self.scores.means[self.against]))
        if np.isfinite(tau):
            return f"Tau of the two orders is {tau:.2f}."
        level = [
            self.measures[m]
            for m in (self.by, self.against)
            if len(np.unique(tied(self.scores.means[m]))) == 1
        ]
        if not level:
            return "Tau of the two orders is undefined."
        tie = f"{list_all(level)} {verb(len(level), 'ties', 'tie')} all runs"
        return f"{tie}, so tau of {x} and {y} is undefined."

    def next_steps(self) -> list[NextStep]:
        x, y = pick(self.measures, (self.by, self.against))
        significant = NextStep("Are the differences significant?", "matrix", {"measure": x})
        if not len(self.farthest):
            return [NextStep("Do other measures agree?", "agreement"), significant]
        run, best = int(self.farthest[0]), int(self.order[0])
        rival = best
        if run == best and len(self.order) > 1:
            rival = int(self.order[1])
        name = self.scores.runs[run]
        pair = {"run_a": name, "run_b": self.scores.runs[rival], "measure": y}
        return [
            NextStep(f"On which topics does {name} move?", "two-runs", pair),
            NextStep(f"Is {name} sound?", "check", {"candidate": name}),
            significant,
        ]

    def charts(self, choice: str = "") -> list[Chart]:
        x, y = self.measures[self.by], self.measures[self.against]
        ranked = self.params.lines == "ranks"
        what, fall = ("ranks, 1 on top,", "sink") if ranked else ("mean scores", "fall")
        return [
            self._slope(choice),
            Chart(
                "scatter",
                f"{x} and {y}",
                f"Each point is one of the {self.params.points}{self._describe_points()}",
                self._points,
                usual=LABELLED,
            ),
            Chart(
                "lines",
                "All measures along one order",
                f"Runs from best to worst by {x}; lines are the {what} by each measure. If the line"
                f" of another measure does not {fall} steadily, that measure disagrees with {x}.",
                self._lines,
                wide=True,
            ),
        ]

    def _slope(self, choice: str) -> Chart:
        x, y = self.measures[self.by], self.measures[self.against]
        left, right = self.ranks[[[self.by], [self.against]], self.order]
        runs = pick(self.scores.runs, self.order)
        return Chart(
            "slope",
            f"Ranks by {x} and by {y}",
            f"Best run on top, left by {x}, right by {y}{CLIMBS}.{describe_named(len(runs))}",
            lambda: slope(runs, left.tolist(), right.tolist(), (x, y), self._agreement(), choice),
            wide=True,
            usual=CLIMBS,
        )

    def _describe_points(self) -> str:
        """What is named among the points of the scatter plot, and how to read it."""
        x, y = self.measures[self.by], self.measures[self.against]
        if self.params.points == "runs":
            return f".{LABELLED} Far from the diagonal trend, {x} and {y} disagree."
        return (
            ": its mean over the runs by each measure. Topics off the common trend are easy by one"
            " measure and hard by the other."
        )

    def _agreement(self) -> str:
        """How well the two orders agree; empty if they are of one measure."""
        rows = self.orders()
        of = rows[rows["measure b"] == self.measures[self.against]]
        if of.empty:
            return ""
        tau, pairs, opposed = of[["tau", "pairs", "opposed"]].iloc[0]
        return f"tau {tau:.2f}: {opposed:.0f} of {count_noun(int(pairs), 'pair')} opposed"

    def tables(self) -> list[Table]:
        return [
            Table("ranks", "Ranks", self.summary),
            Table("means", "Means and ranks", self.frame),
            Table("orders", "Agreement of the orders", self.orders),
        ]

    def _lines(self) -> Figure:
        ranks, order = (
            self.params.lines == "ranks",
            pins.first_drawn(self.order, self.scores.runs, len(self.scores.runs)),
        )
        values = self.ranks if ranks else self.scores.means
        lines = line_charts.measure_curves(self.measures, values[:, order].astype(float))
        top = float(np.nanmax(values, initial=0)) * 1.05 or 1.0
        at = names.ticks(pick(self.scores.runs, order), TICKS).values()
        ticks: dict[float, str] = {i + 1: name for i, name in zip(*at, strict=True)}
        yrange = (
            (len(self.scores.runs) + 1.0, 0.0)
            if ranks
            else (min(0.0, float(np.nanmin(values, initial=0))), top)
        )
        xtitle = f"runs by {self.measures[self.by]}, best first"
        ytitle = self.params.lines[:-1]
        return line_charts.curves(
            range(1, order.size + 1),
            lines,
            line_charts.Axes(xtitle=xtitle, ytitle=ytitle, yrange=yrange, ticks=ticks),
            order=True,
        )

    def _points(self) -> Figure:
        titles = (f"mean {self.measures[self.by]}", f"mean {self.measures[self.against]}")
        if self.params.points == "runs":
            means = self.scores.means
            return points(
                self.scores.runs,
                means[self.by],
                means[self.against],
                titles,
                [*map(int, self.farthest)],
            )
        values = self.scores.values[[self.by, self.against]]
        # a topic that lacks some run's score would have a mean over other runs than the rest
        scored = np.isfinite(values).all(axis=(0, 1))
        x, y = values[..., scored].mean(axis=1)
        return points(
            [f"topic {topic}" for topic in compress(self.scores.topics, scored)],
            x,
            y,
            titles,
        )


@experiment(
    "rankings",
    title="Rankings",
    question="Which runs do measures rank differently?",
    does="find the runs that two measures rank differently",
    formula=r"\tau_b = \frac{concordant - discordant}{\sqrt{untied_x \cdot untied_y}}",
    source=(
        "Sakai 2007 (reliability of graded relevance metrics), Fig. 7; Ahlgren & Grönqvist 2008,"
        " Figs. 2-4"
    ),
)
def rankings(work: Work[Params]) -> Rankings:
    """Sorts the runs by one measure on the full judgments and ranks them by another, to
    find runs that the two rank differently.

    Raises `ParamError` if a measure to sort by, or to compare with, is not among the
    measures.
    """
    measures, params = work.measures, work.params
    scores = evaluate(work.collection, measures)

    def place(name: str, text: str) -> int:
        if measure(text) not in measures:
            raise ParamError(
                f"{name}: expected one of {', '.join(measures)}, found {shorten(text)}."
            )
        return measures.index(measure(text))

    by = place("by", params.by) if params.by else 0
    # a measure that ties all runs has no tau: it is not picked as the least alike
    tau = np.nan_to_num(
        tau_b(np.nan_to_num(scores.means), np.nan_to_num(scores.means[by])), nan=1.0
    )
    tau[by] = 1.0
    least = int(np.argmin(tau)) if tau.min() < 1 else min(len(measures) - 1, int(by == 0))
    return Rankings(
        scores, by, place("against", params.against) if params.against else least, params
    )
