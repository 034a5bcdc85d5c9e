"""What runs would score if their holes were judged, beside what they score: shared by
the page *What if* and the leaderboard.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from irmeval.collection import shards
from irmeval.collection.team_names import parse_kinds
from irmeval.core import parallel
from irmeval.core.errors import ParamError
from irmeval.core.places import pick
from irmeval.core.text import count_noun
from irmeval.experiments.results import Chart, Figure
from irmeval.experiments.work import Work
from irmeval.metrics import Measure
from irmeval.plots import pins, row_charts
from irmeval.plots.pins import READABLE
from irmeval.scoring.filled import can_fill, check_can_fill
from irmeval.scoring.hole_grades import Learnt, TeamPool
from irmeval.scoring.with_holes import Drawing, GradeSource, WithHoles, with_holes
from irmeval.stats.intervals import LEVEL
from irmeval.stats.means import best_first

COLUMNS = "holes_mean", "holes_low", "holes_high", "bound_low", "bound_high"
"""Columns of scores with holes, in tables and files."""


def learn(
    work: Work[Any],
    measures: Sequence[Measure],
    how: Drawing,
    *,
    depth: int | None = None,
    kinds: str = "",
) -> GradeSource:
    """Learn the grades of holes from a collection, for some measures. Raises
    `ParamError` for measures that given grades do not score.
    """
    collection, kept = work.collection, work.cache
    check_can_fill(collection, measures)
    shards.check_local(collection, "what-if")
    of_kind = _kinds_of(work, kinds)
    key = "holes", depth, tuple(work.teams), tuple(of_kind)
    if key not in kept:
        kept[key] = TeamPool.of(collection, work.teams, of_kind, depth)
    pool: TeamPool = kept[key]
    learnt, why = {}, ""
    for reach in sorted({how.reach(measure, pool) for measure in measures}):
        try:
            kept[*key, reach] = learnt[reach] = kept.get((*key, reach)) or Learnt.of(pool, reach)
        except ParamError as error:
            learnt, why = {}, str(error)
            break
    return GradeSource(pool, learnt, why)


def _kinds_of(work: Work[Any], kinds: str) -> list[str]:
    """The kind of each run: that of its team; a team without one is a kind of its own.
    Empty without kinds.
    """
    listed = parse_kinds(kinds)
    runs = zip(work.collection.runs, work.teams, strict=True)
    of_team = {team: listed[run] for run, team in runs if run in listed}
    if not of_team:
        return []
    return [of_team.get(team, f"team {team}") for team in work.teams]


@dataclass(frozen=True, eq=False)
class HoleEnds:
    """Scores of runs with holes, by measure and run."""

    found: WithHoles | None = None
    """None if they were not asked for"""
    why: str = ""
    """why there are no intervals; empty if there are"""

    def columns(self) -> dict[str, np.ndarray]:
        """Name -> array [measure, run]; empty if they were not asked for."""
        if self.found is None:
            return {}
        return dict(zip(COLUMNS, self.found[: len(COLUMNS)], strict=True))

    def columns_of(self, m: int) -> dict[str, np.ndarray]:
        """The same by one measure [run]."""
        return {name: values[m] for name, values in self.columns().items()}

    def describe(self, m: int, run: int) -> str:
        """The score of a run with its holes judged, in words that follow ``would
        score``; empty if it has no hole.
        """
        if self.found is None or not self.found.bounded[m, run]:
            return ""
        mean, low, high, *_ = (values[m, run] for values in self.columns().values())
        bounds = self._describe_bounds(m, run)
        if np.isnan(mean) or not self.found.holes[m, run]:
            return bounds
        interval = f"{LEVEL:.0%} interval {low:.4f} to {high:.4f}"
        depth = self.found.depth[m]
        if self.found.bounded_to[m] == depth:
            return f"{mean:.4f} ({'; '.join(filter(None, (interval, bounds)))})"
        drawn = f"{mean:.4f} with grades drawn down to rank {depth} ({interval})"
        return f"{drawn}. It is {bounds}" if bounds else drawn

    def _describe_bounds(self, m: int, run: int) -> str:
        """The bounds of a score, and which documents they are about; empty without."""
        assert self.found
        least, most = self.found.bound_low[m, run], self.found.bound_high[m, run]
        if np.isnan(least):
            return ""
        holes = count_noun(int(self.found.bounded[m, run]), "unjudged document")
        of = f"the grades of {holes} in its lists"
        if self.found.bounded_to[m]:  # 0 for a measure without a cut-off
            of = f"their grades down to rank {self.found.bounded_to[m]}"
        return f"between {least:.4f} and {most:.4f}, whatever {of}"

    def reach(self, m: int) -> tuple[str, str]:
        """Down to which rank grades are drawn, and bounds allow any grade, in words."""
        assert self.found
        bounded = self.found.bounded_to[m]
        return f"to rank {self.found.depth[m]}", f"to rank {bounded}" if bounded else "whole lists"

    def chart(self, measure: str, m: int, runs: Sequence[str], raw: np.ndarray) -> Chart:
        """The scores by one measure with their holes judged; `raw` are those on the
        judgments [run].
        """
        n = len(runs)
        shown = f"the best {READABLE} of {n:,} runs" if n > READABLE else count_noun(n, "run")
        drawn, bounded = self.reach(m)
        caption = (
            f"{measure} of {shown} if their unjudged documents were judged. Thick: the {LEVEL:.0%}"
            f" interval over grades drawn {drawn}; thin: the lowest to the highest score, whatever"
            f" the grades ({bounded})."
        )
        return Chart(
            "with-holes",
            "Scores with holes judged",
            caption,
            lambda: self._draw(measure, m, runs, raw),
        )

    def _draw(self, measure: str, m: int, runs: Sequence[str], raw: np.ndarray) -> Figure:
        # a run without a hole stands at its score
        mean, low, high, least, most = (
            np.where(np.isnan(values), raw, values) for values in self.columns_of(m).values()
        )
        best = pins.first_drawn(best_first(mean), runs, READABLE)
        return row_charts.intervals(
            pick(runs, best),
            row_charts.Ranges(
                mean[best],
                least[best],
                most[best],
                np.zeros(len(best), bool),
                inner=(low[best], high[best]),
                spans=("whatever the grades", "over drawn grades"),
            ),
            f"mean {measure}",
            form=".4f",
        )


def fill_holes(
    work: Work[Any], values: np.ndarray, how: Drawing, *, depth: int | None = None, kinds: str = ""
) -> HoleEnds:
    """Scores of all runs with their holes judged, by those measures that have some; NaN
    by others.

    Parameters
    ----------
    values : float64 [measure, run, topic], scores on the judgments
    """
    known = [m for m, measure in enumerate(work.measures) if can_fill(measure)]
    measures = pick(work.measures, known)
    if not measures:
        check_can_fill(work.collection, work.measures)
    source = learn(work, measures, how, depth=depth, kinds=kinds)
    tick = parallel.ticker(work.report_progress, len(work.collection.runs), 0)
    # bounds take half of the time, and do not depend on the number of draws
    key = "bounds", depth, kinds, tuple(work.teams), how.depth, how.grows
    bounds = dict(work.cache.get(key, {}))
    found = with_holes(source, measures, values[known], how, tick, bounds)
    work.cache[key] = bounds
    return HoleEnds(_widen(found, known, values.shape), source.why)


def _widen(found: WithHoles, known: list[int], shape: tuple[int, ...]) -> WithHoles:
    """The same with a row for each measure."""
    if len(known) == shape[0]:
        return found
    parts: Mapping[str, np.ndarray] = found._asdict()
    wide = {}
    for name, part in parts.items():
        if name in ("unjudged", "new_kind"):
            continue
        axis = 1 if name == "topics" else 0
        made = np.full(
            (*part.shape[:axis], shape[0], *part.shape[axis + 1 :]),
            0 if part.dtype.kind == "i" else np.nan,
            part.dtype,
        )
        made[(slice(None),) * axis + (known,)] = part
        wide[name] = made
    return found._replace(**wide)
