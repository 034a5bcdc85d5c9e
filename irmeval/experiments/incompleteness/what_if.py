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
from irmeval.core.places import place_of_choice
from irmeval.core.text import capitalize, count_noun, quantify, verb
from irmeval.experiments.base import COLLECTION, LISTS, MEASURES, Work, experiment
from irmeval.experiments.facts import Fact, Verdict
from irmeval.experiments.incompleteness.filled_holes import (
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
from irmeval.plots.pins import READABLE
from irmeval.scoring.hole_grades import LEARNT, OWN_TOP, POOL
from irmeval.scoring.scores import evaluate
from irmeval.scoring.selection import parse_pair
from irmeval.scoring.with_holes import (
    PRIORS,
    Drawing,
    GradeSource,
    LeftOutRun,
    WithHoles,
    check_left_out,
)
from irmeval.stats.intervals import LEVEL, clustered_share_interval

DRAWN = 10
"""Pairs in doubt whose sign is drawn, the least sure ones; others are drawn by name."""
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
        # with each team of TREC-COVID round 1 left out, intervals as learnt hold in .96 to 1.00, of
        # the pool in .53 to .70
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

    looked_at = "score"

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
        reach = np.array([*map(self.ends.reach, range(len(self.measures)))], object)
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
        if self.has_kinds:
            return rows + self._held_of("kind", m)
        return rows

    def _held_of(self, left_out: str, m: int) -> list[Held]:
        """The same of what was left out: team or kind."""
        of_kinds = left_out == "kind"
        known = [
            each for each in self.checks if each.kind == of_kinds and np.isfinite(each.truth[m])
        ]
        _, team = np.unique([each.left_out for each in known], return_inverse=True)

        def column(name: str) -> np.ndarray:
            return np.array([getattr(each, name)[..., m] for each in known])

        ends = column("ends").reshape(-1, len(PRIORS), 3)
        scores = {prior: ends[:, p].T for p, prior in enumerate(PRIORS)}
        scores |= {name: column(name)[None] for name in ("raw", "condensed")}
        truth = column("truth")
        return [_held(left_out, prior, truth, team, of) for prior, of in scores.items()]

    def held_frame(self) -> Frame:
        """One row per measure, what was left out, and way of scoring: the columns of
        `Held`.
        """
        rows = []
        for m, measure in enumerate(self.measures):
            rows += [(str(measure), *row) for row in self.held(m)]
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
        RBP, least sure first: difference, expected difference, and of the first ones the
        share of the draws with its sign.
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
        if found.holes[0].any():
            return found.holes[0]
        return found.bounded[0]

    @cached_property
    def most(self) -> int:
        """The first of the runs with the most unjudged documents."""
        return int(np.argmax(self._worth))

    def _number_of(self, choice: str) -> int:
        return place_of_choice(choice, self.measures)

    def facts(self, choice: str = "") -> list[Fact]:
        """Of each measure: what the run with the most unjudged documents scores, and would
        score; how often a pair that is named keeps its sign.
        """
        run = self.most
        mean = self._found.mean[:, run]
        found = [
            Fact(what, str(measure), self.runs[run], float(values[m]), np.nan, np.nan)
            for what, values in (("score", self.raw[:, run]), ("score with holes judged", mean))
            for m, measure in enumerate(self.measures)
        ]
        return found + [
            Fact("draws with its sign", pair.measure, pair.name, pair.sign, np.nan, np.nan)
            for pair in self.differences
        ]

    def verdict(self, choice: str = "") -> Verdict:
        m = self._number_of(choice)
        measure = self.measures[m]
        if not self.top_grade:
            return Verdict(
                "No document is judged relevant.",
                "Nothing tells the grades of unjudged documents, and no run has a score by"
                f" {measure}.",
            )
        if self.differences:
            pair = self.differences[m]
            return Verdict(pair.claim, pair.describe(), self._describe_held(m))
        if not self._found.bounded[m].any():
            return Verdict(self._describe_no_hole(m))
        most = f"{self._describe_most()}."
        if np.isnan(self.raw[m, self.most]):
            return Verdict(f"{self.runs[self.most]} has no score by {measure}.", below=most)
        below = most, self._describe_ends(m), self._describe_held(m), self.bounds_alone
        return Verdict(self._claim(m), below=" ".join(filter(None, below)))

    def _claim(self, m: int) -> str:
        """What the run with the most unjudged documents would score, in place of what it
        scores.
        """
        run, measure, raw = self.runs[self.most], self.measures[m], self.raw[m, self.most]
        low, high = (end[m, self.most] for end in (self._found.bound_low, self._found.bound_high))
        mean = self._found.mean[m, self.most]
        if self._found.holes[m, self.most] and np.isfinite(mean):
            would = f"{mean:.3f}"
        elif np.isfinite(low):
            would = f"{low:.3f} to {high:.3f}"
        else:
            return f"Unjudged documents may change the {measure} of {run}, {raw:.3f}."
        return f"If judged further, {run} would score {would} by {measure} in place of {raw:.3f}."

    def _describe_ends(self, m: int) -> str:
        """The interval and the bounds of its score; empty without them."""
        ends = self.ends.describe(m, self.most)
        if not ends:
            return ""
        return f"Its {self.measures[m]} would be {ends}."

    def _describe_no_hole(self, m: int) -> str:
        """What is so without an unjudged document that bounds are about. Deeper ones,
        if relevant, are part of R and of the ideal list.
        """
        measure, depth = self.measures[m], self._found.bounded_to[m]
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

    def _describe_held(self, m: int) -> str:
        parts = [row for row in self.held(m) if row.prior == self.params.prior and row.runs]
        return " ".join(_describe(row, str(self.measures[m])) for row in parts)

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
        steps = [
            NextStep("Which should be judged next?", "judge-next"),
            NextStep("At which ranks are runs unjudged?", "unjudged"),
            NextStep("Who is best, with holes?", "leaderboard", {"holes": "True"}),
        ]
        if not self.unsure:
            return steps
        # the least sure pair: whether its sign holds, and what would tell
        pair = self.unsure[0].run_a, self.unsure[0].run_b
        said = " and ".join(pair)
        keep = NextStep(f"Do {said} keep their order?", "what-if", {"pair": pair})
        tell = NextStep("What would tell?", "judge-next", {"by": "sign", "pair": pair})
        if self.differences:
            return [tell, *steps][:3]
        return [keep, tell, *steps][:3]

    def choice(self) -> Choice | None:
        return of_measure(self.measures)

    def charts(self, choice: str = "") -> list[Chart]:
        m = self._number_of(choice)
        known = any(np.isfinite(check.truth[m]) for check in self.checks)
        made = [self.ends.chart(str(self.measures[m]), m, self.runs, self.raw[m])]
        if known:
            made += [self._chart_of_checks(m), self._chart_of_errors(m)]
        return made

    def _chart_of_checks(self, m: int) -> Chart:
        measure = self.measures[m]
        known = [check for check in self.checks if np.isfinite(check.truth[m])]
        shown = sorted(known, key=lambda check: check.truth[m])[-READABLE:][::-1]
        some = f" The best {len(shown)} of {len(known)} runs." if len(shown) < len(known) else ""
        caption = (
            f"Each run's own documents are treated as unjudged. Predicted {measure} minus its"
            f" score with them judged, with its {LEVEL:.0%} interval. An interval that includes 0"
            f" contains the true score; coloured ones do not.{some}"
        )

        def draw() -> Figure:
            truth = np.array([check.truth[m] for check in shown])
            mean, low, high = (
                np.array([check.ends[0, :, m] for check in shown]).reshape(-1, 3).T - truth
            )
            names = [f"{self.runs[check.run]}{' (kind)' if check.kind else ''}" for check in shown]
            return row_charts.intervals(
                names,
                row_charts.Ranges(mean, low, high, (low > 0) | (high < 0)),
                f"{measure}, predicted minus true",
            )

        return Chart("held", "Predictions compared with true scores", caption, draw, wide=True)

    def _chart_of_errors(self, m: int) -> Chart:
        measure = self.measures[m]
        rows = [row for row in self.held(m) if row.left_out == "team"]
        caption = (
            f"Errors of {measure} over the runs whose team is left out. Hollow: their mean;"
            " solid: their root mean square. Nearer to 0 is better."
        )

        def draw() -> Figure:
            bias, error = (
                np.array([getattr(row, name) for row in rows]) for name in ("bias", "error")
            )
            names = [WAYS[row.prior] for row in rows]
            titles = "mean error", "root mean square"
            return row_charts.dumbbell(names, bias, error, titles, f"error of {measure}")

        return Chart("errors", "Errors by method", caption, draw, wide=True)

    def tables(self) -> list[Table]:
        of_topics = self.by_topic()
        made = [
            (Table("runs", "Runs", self.frame), True),
            (
                Table("pair", "The pair", lambda: rowwise(LABELS, self.differences)),
                self.differences,
            ),
            (Table("unsure-pairs", "Pairs whose sign may turn", self.unsure_pairs), self.unsure),
            (Table("held", "Check of the intervals", self.held_frame), self.checks),
            (Table("left-out", "Runs left out", self.left_out), self.checks),
            (Table("topics", "By topic", lambda: of_topics), len(of_topics)),
        ]
        return [table for table, is_filled in made if is_filled]


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
    # a score at the end of its bounds may be computed in another order of sums
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
    if row.high < LEVEL:
        return f"{said}. This is too rare: rely on the bounds."
    return f"{said}."


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
    first={"draws": 100},  # bounds take half of the time, and the preview does without the check
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
    pair: tuple[int, int] | None = None
    if work.params.pair:
        pair = parse_pair(work.params.pair, work.collection.runs)
    source = learn(work, measures, how, depth=alone.pool, kinds=alone.kinds)
    if (key := (measures, alone, *work.teams)) not in work.cache:
        work.cache[key] = _without_pair(replace(work, params=alone), source)
    found: WhatIf = work.cache[key]
    found = replace(found, params=work.params)
    if not pair or not source.learnt:
        return found
    differences = [
        difference_of_pair(source, measure, each, how, pair)
        for measure, each in zip(measures, found.values, strict=True)
    ]
    return replace(found, differences=differences)


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
        # a whole team is judged again: of AP, 69 of 72 intervals hold that on TREC-COVID round 4,
        # and 50 what a run alone adds
        checks = check_left_out(source, measures, values, how, tick)
    unsure = list_unsure_pairs(collection, measures) if work.share == 1 else []
    unsure = _with_drawn_signs(unsure, source, measures, values, how)
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


def _with_drawn_signs(
    unsure: list[UnsurePair],
    source: GradeSource,
    measures: tuple[Measure, ...],
    values: np.ndarray,
    how: Drawing,
) -> list[UnsurePair]:
    """The pairs, the first ones with the share of the draws in which they keep their
    sign.
    """
    if not source.learnt:
        return unsure
    names = [*map(str, measures)]

    def draw(pair: UnsurePair) -> UnsurePair:
        m, runs = names.index(pair.measure), source.pool.collection.runs
        both = runs.index(pair.run_a), runs.index(pair.run_b)
        found = difference_of_pair(source, measures[m], values[m], how, both)
        return pair._replace(sign=found.sign)

    return [*parallel.map_threads(draw, unsure[:DRAWN]), *unsure[DRAWN:]]
