"""What runs would score if their unjudged documents were judged, and whether such
intervals hold on this collection.
"""

from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from irmeval.collection.team_names import LETTERS, Kinds, TeamRule
from irmeval.core import parallel
from irmeval.core.numbers import per_cent
from irmeval.core.params import checked, param
from irmeval.core.text import capitalize, count_noun, quantify, verb
from irmeval.experiments.base import COLLECTION, LISTS, MEASURES, Work, experiment
from irmeval.experiments.incompleteness.filled_holes import (
    READABLE,
    HoleEnds,
    fill_holes,
    learn,
)
from irmeval.experiments.incompleteness.pair_with_holes import (
    LABELS,
    PairWithHoles,
    difference_of_pair,
)
from irmeval.experiments.incompleteness.unsure_pairs import (
    LABELS as UNSURE_LABELS,
)
from irmeval.experiments.incompleteness.unsure_pairs import UnsurePair, list_unsure_pairs
from irmeval.experiments.results import (
    Chart,
    Choice,
    Figure,
    Frame,
    NextStep,
    Result,
    Table,
    of_measure,
    rowwise,
    table,
    tidy,
)
from irmeval.experiments.settings import Seed
from irmeval.metrics import Measure
from irmeval.plots import row_charts
from irmeval.scoring.hole_grades import LEARNT, OWN_TOP, POOL
from irmeval.scoring.scores import evaluate
from irmeval.scoring.selection import parse_pair
from irmeval.scoring.with_holes import (
    LEVEL,
    PRIORS,
    Drawing,
    GradeSource,
    LeftOutRun,
    WithHoles,
    check_left_out,
)
from irmeval.stats.intervals import clustered_share_interval

ENOUGH = 10
"""Teams that were left out from which the share of intervals that hold is judged."""
WAYS = {
    LEARNT: "grades as learnt",
    POOL: "grades of the pool",
    OWN_TOP: "grades of its own top",
    "raw": "as it is",
    "condensed": "condensed list",
}
"""Ways of scoring a run with holes, short enough for an axis."""
GROWS = "grows"
"""Ideal lists take up what is drawn."""
FIXED = "fixed"
"""Ideal lists are those of the judgments."""


@checked
class Params:
    """Which documents are given grades, and from what these are drawn."""

    draws: int = param(
        "draws",
        "Sets of grades that are drawn.",
        low=20,
        high=100_000,
        template="{} draws",
        default=1000,
    )
    holes_to: int | None = param(
        "holes to rank",
        "Unjudged documents down to this rank are given grades. Empty: the measure's cut-off, else"
        " the depth of the pool.",
        low=1,
        high=100,
        empty="cut-off or depth of the pool",
        template="holes to rank {}",
        default=None,
    )
    prior: str = param(
        "grades drawn",
        "learnt: as those of documents that only one team found. pool: as of all judged documents"
        " of the topic. own: as of the judged documents in the run's own top 10.",
        choices=PRIORS,
        value_labels={
            LEARNT: "grades learnt by leaving teams out",
            POOL: "grades of the topic's pool",
            OWN_TOP: "grades of the run's own top",
        },
        default=LEARNT,
    )
    ideal: str = param(
        "ideal list",
        "grows: includes the relevant documents that are drawn, as judging them would. fixed: stays"
        " that of the judgments.",
        choices=(GROWS, FIXED),
        value_labels={GROWS: "ideal lists grow", FIXED: "ideal lists fixed"},
        default=GROWS,
    )
    pool: int | None = param(
        "pool depth",
        "Runs contributed their documents down to this rank. Empty: the deepest at which 95% of the"
        " tops of two runs are judged.",
        low=1,
        high=100,
        empty="as found",
        template="pool depth {}",
        default=None,
    )
    pair: str = param(
        "pair",
        "Two names of runs, separated by a comma: their difference if the holes of both were"
        " judged. Empty: none.",
        empty="none",
        pair=True,
        default="",
    )
    team_rule: TeamRule = LETTERS
    kinds: Kinds = ""
    seed: Seed = 1

    @property
    def drawing(self) -> Drawing:
        """The same as `irmeval.scoring` takes it."""
        return Drawing(self.draws, self.seed, self.holes_to, self.ideal == GROWS, self.prior)


class Held(NamedTuple):
    """How often intervals held the truth, of runs whose own documents were made
    holes.
    """

    left_out: str
    """team or kind"""
    prior: str
    runs: int
    teams: int
    """of these runs, or kinds"""
    held: float = float("nan")
    """share of the runs; NaN for scores without an interval, or without a run"""
    low: float = float("nan")
    high: float = float("nan")
    """95% interval of the share over teams, or kinds, as runs of one are alike"""
    width: float = float("nan")
    """mean width"""
    bias: float = float("nan")
    error: float = float("nan")
    """mean difference from the truth, and its root mean square"""


class WhatIf(Result):
    """Scores with holes judged, and how such scores compare with the truth where that
    is known.
    """

    ends: HoleEnds
    raw: np.ndarray
    condensed: np.ndarray
    """float64 [measure, run], means on the judgments, and on the condensed lists; NaN
    for a metric without these
    """
    values: np.ndarray
    """float64 [measure, run, topic]"""
    checks: list[LeftOutRun]
    source: tuple[int, int, int, int]
    """depth of the pool; documents that only one team found, the relevant ones among
    them, and the teams that found some
    """
    spread: float
    """standard deviation of teams, in logits, of the probability that a hole is
    relevant; NaN if unknown
    """
    has_kinds: bool
    top_grade: int
    """the highest of the judgments"""
    deeper: bool
    """whether a list has an unjudged document at any rank"""
    differences: list[PairWithHoles]
    """of the pair that is named, by measure; empty without one, or if nothing can be
    learnt
    """
    unsure: list[UnsurePair]
    """pairs whose sign unjudged documents may turn, least sure first; empty in a
    preview
    """
    measures: tuple[Measure, ...]
    runs: tuple[str, ...]
    topics: tuple[str, ...]
    params: Params

    def frame(self) -> Frame:
        """One row per measure and run: unjudged share of the top 10, holes that are
        given grades, to which rank, and of which documents bounds are; score, condensed
        score, columns of scores with holes, and to what is extrapolated: another team,
        or another kind of system.
        """
        found = self._found
        extrapolates = np.where(found.new_kind, "another kind", "another team").astype(object)
        reach = np.array([self.ends.reach(m) for m in range(len(self.measures))], object)
        columns = {
            "unjudged": found.unjudged,
            "holes": found.holes,
            "grades_drawn": reach[:, :1],
            "bounds_of": reach[:, 1:],
            "score": self.raw,
            "condensed": self.condensed,
        }
        return tidy(
            {"measure": self.measures, "run": self.runs},
            columns | self.ends.columns() | {"extrapolates_to": extrapolates},
        )

    @property
    def _found(self) -> WithHoles:
        assert self.ends.found is not None
        return self.ends.found

    def by_topic(self) -> Frame:
        """One row per measure, run and topic with a hole that matters: score, and mean,
        low and high with holes judged.
        """
        mean, low, high = self._found.topics
        made = tidy(
            {"measure": self.measures, "run": self.runs, "topic": self.topics},
            {"score": self.values, "holes_mean": mean, "holes_low": low, "holes_high": high},
        )
        return made[(mean != self.values).ravel() & np.isfinite(mean).ravel()].reset_index(
            drop=True
        )

    def held(self, m: int) -> list[Held]:
        """How often intervals by a measure contain the true score, by what was left out
        and the source of the grades; then the scores without intervals.
        """
        rows = self._held_of("team", m)
        return rows + self._held_of("kind", m) if self.has_kinds else rows

    def _held_of(self, left_out: str, m: int) -> list[Held]:
        """The same of what was left out: team or kind."""
        kind = left_out == "kind"
        known = [each for each in self.checks if each.kind == kind and np.isfinite(each.truth[m])]
        truth = np.array([each.truth[m] for each in known])
        _, team = np.unique([each.left_out for each in known], return_inverse=True)
        ends = np.array([each.ends[:, :, m] for each in known]).reshape(-1, len(PRIORS), 3)
        raw = np.array([each.raw[m] for each in known])
        condensed = np.array([each.condensed[m] for each in known])
        scores = {prior: ends[:, p].T for p, prior in enumerate(PRIORS)}
        scores |= {"raw": raw[None], "condensed": condensed[None]}
        return [_held(left_out, prior, truth, team, of) for prior, of in scores.items()]

    def held_frame(self) -> Frame:
        """One row per measure, what was left out, and way of scoring: the columns of
        `Held`.
        """
        rows = [
            (str(measure), *row) for m, measure in enumerate(self.measures) for row in self.held(m)
        ]
        return rowwise(["measure", *Held._fields], rows)

    def left_out(self) -> Frame:
        """One row per measure and run that was left out: score with its own documents
        judged, without them, and predicted.
        """
        rows = [
            {
                "measure": str(measure),
                "left out": "kind" if check.kind else "team",
                "run": self.runs[check.run],
                "truth": check.truth[m],
                "raw": check.raw[m],
                "condensed": check.condensed[m],
                **dict(zip(("mean", "low", "high"), check.ends[0, :, m], strict=True)),
                "safe signs": check.safe[m],
                "of these right": check.right[m],
            }
            for m, measure in enumerate(self.measures)
            for check in self.checks
            if np.isfinite(check.truth[m])
        ]
        return table(rows)

    def unsure_pairs(self) -> Frame:
        """One row per pair of runs whose sign unjudged documents may turn, by AP, P and
        RBP, least sure first: difference, and expected difference.
        """
        return rowwise(UNSURE_LABELS, self.unsure)

    @cached_property
    def _worth(self) -> np.ndarray:
        """Unjudged documents by run [run]: share of the top 10; if all of these are
        judged, the number down to the rank of the drawn grades, or of the bounds.
        """
        found = self._found
        if found.unjudged.any():
            return found.unjudged
        return found.holes[0] if found.holes[0].any() else found.bounded[0]

    @cached_property
    def most(self) -> int:
        """The first of the runs with the most unjudged documents."""
        return int(np.argmax(self._worth))

    def headline(self, choice: str = "") -> str:
        measure, found = self.measures[0], self._found
        if not self.top_grade:
            return (
                "No document is judged relevant, so that nothing tells the grades of unjudged"
                f" documents, and no run has a score by {measure}."
            )
        if not found.bounded[0].any():
            return self._describe_no_hole()
        said = f"{self._describe_most()}."
        run, told = self.most, self.ends.describe(0, self.most)
        if np.isnan(self.raw[0, run]):
            return f"{said} It has no score by {measure}."
        told = f"; if they were judged, it would be {told}" if told else ""
        said += f" Its {measure} is {self.raw[0, run]:.4f}{told}."
        pair = self.differences[0].describe() if self.differences else ""
        return " ".join(filter(None, (said, pair, self._describe_held(), self.bounds_alone)))

    def _describe_no_hole(self) -> str:
        """What is so without an unjudged document that bounds are about. Deeper ones,
        if relevant, are part of R and of the ideal list.
        """
        measure, depth = self.measures[0], self._found.bounded_to[0]
        if depth and measure.metric.recall_based and self.deeper:
            return f"Every document down to rank {depth} is judged; deeper ones are not."
        return f"No run has an unjudged document that could change its {measure}."

    def _describe_most(self) -> str:
        """The run with the most unjudged documents."""
        found, run = self._found, self.most
        named = self.runs[run]
        if found.unjudged[run]:
            said = f"{per_cent(found.unjudged[run])} of the top 10 of {named} is unjudged"
        else:
            drawn = int(found.holes[0, run])
            below = "the top 10" if drawn else f"rank {found.depth[0]}"
            holes = count_noun(drawn or int(found.bounded[0, run]), "unjudged document")
            said = f"{named} has {holes} below {below}"
        alike = int((self._worth == self._worth[run]).sum()) - 1
        if alike:
            return (
                f"{said}, as of {count_noun(alike, 'other run')}"
                if found.unjudged[run]
                else (f"{said}, as {verb(alike, 'has', 'have')} {count_noun(alike, 'other run')}")
            )
        return f"{said}, the most" if len(self.runs) > 1 else said

    @property
    def bounds_alone(self) -> str:
        """Why there are bounds alone, in a sentence; empty if there is more."""
        return self.ends.why and f"Bounds alone: {self.ends.why.removeprefix('what-if: ')}"

    def _describe_held(self) -> str:
        parts = [row for row in self.held(0) if row.prior == self.params.prior and row.runs]
        return " ".join(_describe(row, str(self.measures[0])) for row in parts)

    def notes(self) -> list[str]:
        """Sentences on the documents that the grades are learnt from, and on the
        assumptions.
        """
        depth, documents, relevant, teams = self.source
        if self.ends.why:
            return []
        new = int(self._found.new_kind.sum())
        kinds = (
            "of a kind that no other team is of"
            if self.has_kinds
            else "with more of their top 10 unjudged than nearly all teams left out"
        )
        return [
            (
                f"The pool is {depth:,} deep. Single teams ({teams} in all) found"
                f" {count_noun(documents, 'judged document')} on their own; {relevant:,} of them"
                " are relevant."
            ),
            (
                "A hole is assumed to be like a document that only another team found, at the same"
                " rank and with an equally good judged top."
            ),
            (
                f"Teams differ by {self.spread:.2f} logits beyond that; each draw has a team of its"
                " own."
            ),
            *(
                [
                    f"{capitalize(quantify(new, len(self.runs), 'run'))} {kinds}: wider intervals,"
                    " as kinds differ more than teams."
                ]
                if new
                else []
            ),
            (
                "Each team is filled alone: what one of its runs found is in the ideal lists of all"
                " of them, but not what only other teams with holes would add. Where several teams"
                " are new, scores can be lower than the bounds."
            ),
        ]

    def next_steps(self) -> list[NextStep]:
        return [
            *self._steps_of_pair(),
            NextStep("Which documents should be judged next?", "judge-next"),
            NextStep("At which ranks are runs unjudged?", "unjudged"),
            NextStep("Who is best, with holes?", "leaderboard", {"holes": "True"}),
        ]

    def _steps_of_pair(self) -> list[NextStep]:
        """To the least sure pair: whether its sign holds, and what would tell."""
        if not self.unsure:
            return []
        first = self.unsure[0]
        pair = (first.run_a, first.run_b)
        pairs = sum(each.measure == first.measure for each in self.unsure)
        return [
            NextStep(
                f"Unjudged documents may turn the sign of {count_noun(pairs, 'pair')} by"
                f" {first.measure}: would {pair[0]} and {pair[1]} keep it?",
                "what-if",
                {"pair": pair},
            ),
            NextStep(
                f"What should be judged next for {pair[0]} and {pair[1]}?",
                "judge-next",
                {"budget_by": "sign", "budget_pair": pair},
            ),
        ]

    def choice(self) -> Choice | None:
        return of_measure(self.measures)

    def charts(self, choice: str = "") -> list[Chart]:
        known = any(np.isfinite(check.truth[0]) for check in self.checks)
        return [
            self.chart_of(choice or str(self.measures[0])),
            *([self._chart_of_checks(), self._chart_of_errors()] if known else []),
        ]

    def chart_of(self, measure: str) -> Chart:
        """The scores by one measure with their holes judged."""
        m = self.measures.index(measure)
        return self.ends.chart(measure, m, self.runs, self.raw[m])

    def _chart_of_checks(self) -> Chart:
        known = [check for check in self.checks if np.isfinite(check.truth[0])]
        shown = sorted(known, key=lambda check: check.truth[0])[-READABLE:][::-1]
        caption = (
            f"Each run's own documents are treated as unjudged. Predicted {self.measures[0]} minus"
            f" its score with them judged, with its {LEVEL:.0%} interval. An interval that includes"
            " 0 contains the true score; coloured ones do not."
        )

        def draw() -> Figure:
            truth = np.array([check.truth[0] for check in shown])
            mean, low, high = (
                np.array([check.ends[0, :, 0] for check in shown]).reshape(-1, 3).T - truth
            )
            names = [f"{self.runs[check.run]}{' (kind)' if check.kind else ''}" for check in shown]
            return row_charts.intervals(
                names,
                row_charts.Ranges(mean, low, high, (low > 0) | (high < 0)),
                f"{self.measures[0]}, predicted minus true",
            )

        return Chart("held", "Predictions compared with true scores", caption, draw)

    def _chart_of_errors(self) -> Chart:
        rows = [row for row in self.held(0) if row.left_out == "team"]
        caption = (
            f"Errors of {self.measures[0]} over the runs whose team is left out. Hollow: their"
            " mean; solid: their root mean square. Nearer to 0 is better."
        )

        def draw() -> Figure:
            bias, error = (
                np.array([getattr(row, name) for row in rows]) for name in ("bias", "error")
            )
            names = [WAYS[row.prior] for row in rows]
            return row_charts.dumbbell(
                names,
                bias,
                error,
                ("mean error", "root mean square"),
                f"error of {self.measures[0]}",
            )

        return Chart("errors", "Errors by method", caption, draw)

    def tables(self) -> list[Table]:
        checked = [
            Table("held", "Check of the intervals", self.held_frame),
            Table("left-out", "Runs left out", self.left_out),
        ]
        return [
            Table("runs", "Runs", self.frame),
            *(
                [Table("pair", "The pair", lambda: rowwise(LABELS, self.differences))]
                if self.differences
                else []
            ),
            *(
                [Table("unsure-pairs", "Pairs whose sign may turn", self.unsure_pairs)]
                if self.unsure
                else []
            ),
            *(checked if self.checks else []),
            *([Table("topics", "By topic", self.by_topic)] if len(self.by_topic()) else []),
        ]


def _held(left_out: str, prior: str, truth: np.ndarray, team: np.ndarray, ends: np.ndarray) -> Held:
    """How near a way of scoring is to the truth [run].

    Parameters
    ----------
    team : int [run], the team or kind of each, from 0
    ends : float64 [3, run], mean, low and high; or [1, run], scores without an interval
    """
    if not truth.size:
        return Held(left_out, prior, 0, 0)
    teams, error = int(team.max()) + 1, ends[0] - truth
    errors = {"bias": float(error.mean()), "error": float(np.sqrt((error**2).mean()))}
    if len(ends) == 1:
        return Held(left_out, prior, truth.size, teams, **errors)
    _, low, high = ends
    hit = (low <= truth + 1e-9) & (truth <= high + 1e-9)
    return Held(
        left_out,
        prior,
        truth.size,
        teams,
        float(hit.mean()),
        *clustered_share_interval(hit, team, level=LEVEL),
        width=float((high - low).mean()),
        **errors,
    )


def _describe(row: Held, measure: str) -> str:
    """Whether intervals hold, in a sentence."""
    of = f" of {count_noun(row.teams, row.left_out)}" if row.teams < row.runs else ""
    held = (
        f"{round(row.held * row.runs):,} of {count_noun(row.runs, 'run')}{of} ({row.held:.0%}, mean"
        f" width {row.width:.4f})"
    )
    said = (
        f"With each {row.left_out} left out, intervals of {measure} contain the true score for"
        f" {held}"
    )
    if row.teams < ENOUGH:
        return f"{said}. These are too few {row.left_out}s for a verdict."
    return f"{said}{'. This is too rare: rely on the bounds' if row.high < LEVEL else ''}."


@experiment(
    "what-if",
    title="What if they were judged?",
    question="What would a run score if its unjudged documents were judged?",
    does="score runs as if their unjudged documents were judged",
    formula=(
        r"\hat{M}_r = \frac{1}{B} \sum_{b=1}^{B} \frac{1}{n} \sum_{t=1}^{n} M\left(judged_{rt} \cup"
        r" drawn^{(b)}_{rt}\right)"
    ),
    source=(
        "bounds: Moffat & Zobel 2008; drawn grades: Fröbe, Gienapp, Potthast & Hagen 2023; teams"
        " left out: Zobel 1998; pairs whose sign may turn: Carterette, Allan & Sitaraman 2006"
    ),
    takes=(COLLECTION, LISTS, MEASURES),
    stored=("pool", "team_rule", "kinds"),
    first={"draws": 400},  # bounds take half of the time, and the preview does without the check
)
def what_if(work: Work[Params]) -> WhatIf:
    """Each unjudged document near the top of a list is given a grade, many times over,
    which gives each score an interval. Grades are learnt from documents that only one
    team found: had it not taken part, they would be unjudged, but their grades are
    known. To check the intervals, each team, and each kind of system if kinds are
    given, is left out in turn.

    Two runs that are named as a pair keep the sign of their difference in some share of
    the draws, a document of both with one grade. Pairs of which this is in doubt are
    listed for AP, P and RBP, least sure first.

    Bounds are the lowest and the highest score, whatever grades the holes have. There
    are only bounds if fewer than 5 teams have documents of their own. Raises
    `ParamError` for measures about judgments, and for estimators.
    """
    measures, how, alone = work.measures, work.params.drawing, replace(work.params, pair="")
    pair = parse_pair(work.params.pair, work.collection.runs) if work.params.pair else None
    source = learn(work, measures, how, depth=alone.pool, kinds=alone.kinds)
    if (key := (measures, alone, *work.teams)) not in work.cache:
        work.cache[key] = _without_pair(replace(work, params=alone), source)
    found: WhatIf = work.cache[key]
    values = found.values
    differences = (
        [
            difference_of_pair(source, measure, each, how, pair)
            for measure, each in zip(measures, values, strict=True)
        ]
        if pair and source.learnt
        else []
    )
    return replace(found, params=work.params, differences=differences)


def _without_pair(work: Work[Params], source: GradeSource) -> WhatIf:
    """All but the difference of a pair."""
    collection, params, measures = work.collection, work.params, work.measures
    how = params.drawing
    both = tuple(dict.fromkeys([*measures, *(m.condensed for m in measures)]))
    scores = evaluate(collection, both)
    values = scores.values[: len(measures)]
    ends = fill_holes(work, values, how, depth=params.pool, kinds=params.kinds)
    learnt = next(iter(source.learnt.values()), None)
    checks: list[LeftOutRun] = []
    if learnt and work.share == 1:
        tick = parallel.ticker(
            work.report_progress, len(source.pool.names) + len({*source.pool.kind}), 0
        )
        checks = check_left_out(source, measures, values, how, tick)
    unsure = list_unsure_pairs(collection, measures) if work.share == 1 else []
    level = learnt.levels[0] if learnt and learnt.levels else None
    return WhatIf(
        ends=ends,
        raw=scores.means[: len(measures)],
        condensed=np.array([scores.means[both.index(m.condensed)] for m in measures]),
        values=values,
        checks=checks,
        source=(
            (source.pool.depth, learnt.documents, learnt.relevant, len(learnt.teams))
            if learnt
            else (source.pool.depth, 0, 0, 0)
        ),
        spread=level.spread(None, new_kind=False, has_kinds=False) if level else float("nan"),
        has_kinds=source.pool.has_kinds,
        top_grade=collection.top_grade,
        deeper=bool(
            collection.length.sum() > (collection.grade[collection.judgment_index] >= 0).sum()
        ),
        differences=[],
        unsure=unsure,
        measures=measures,
        runs=collection.runs,
        topics=collection.topics,
        params=params,
    )
