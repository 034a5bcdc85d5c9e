"""What runs would score if their holes were judged, beside what they score: shared by
the page *What if* and the leaderboard.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from irmeval.collection import shards
from irmeval.collection.team_names import parse_kinds
from irmeval.core import parallel
from irmeval.core.errors import ParamError
from irmeval.core.text import count_noun
from irmeval.experiments.results import Chart, Figure
from irmeval.experiments.work import Work
from irmeval.metrics import Measure
from irmeval.plots import pins, row_charts
from irmeval.scoring.filled import can_fill, check_can_fill
from irmeval.scoring.hole_grades import Learnt, Pool
from irmeval.scoring.with_holes import LEVEL, Drawing, WithHoles, with_holes
from irmeval.stats.means import best_first

COLUMNS = "holes_mean", "holes_low", "holes_high", "bound_low", "bound_high"
"""Columns of scores with holes, in tables and files."""
READABLE = 40
"""Runs in a figure."""


class Source(NamedTuple):
    """What is known of the grades of holes."""

    pool: Pool
    learnt: dict[int, Learnt]
    """by how deep the holes lie; empty if nothing is known"""
    why: str
    """why nothing is known; empty if something is"""


def learn(
    work: Work[Any],
    measures: Sequence[Measure],
    how: Drawing,
    *,
    depth: int | None = None,
    kinds: str = "",
) -> Source:
    """Learn the grades of holes from a collection, for some measures. Raises
    `ParamError` for measures that given grades do not score.
    """
    collection, kept = work.collection, work.cache
    check_can_fill(collection, measures)
    shards.check_local(collection, "what-if")
    of_kind = _kinds_of(work, kinds)
    key = "holes", depth, tuple(work.teams), tuple(of_kind)
    if key not in kept:
        kept[key] = Pool.of(collection, work.teams, of_kind, depth)
    pool: Pool = kept[key]
    learnt, why = {}, ""
    for reach in sorted({how.reach(measure, pool) for measure in measures}):
        try:
            kept[*key, reach] = learnt[reach] = kept.get((*key, reach)) or Learnt.of(pool, reach)
        except ParamError as error:
            learnt, why = {}, str(error)
            break
    return Source(pool, learnt, why)


def _kinds_of(work: Work[Any], kinds: str) -> list[str]:
    """The kind of each run: that of its team; a team without one is a kind of its own.
    Empty without kinds.
    """
    if not (listed := parse_kinds(kinds)):
        return []
    of_team = {
        team: listed[run]
        for run, team in zip(work.collection.runs, work.teams, strict=True)
        if run in listed
    }
    return [of_team.get(team, f"team {team}") for team in work.teams] if of_team else []


@dataclass(frozen=True, eq=False)
class HoleEnds:
    """Scores of runs with holes, by measure and run."""

    found: WithHoles | None = None
    """None if they were not asked for"""
    why: str = ""
    """why there are no intervals; empty if there are"""

    def columns(self) -> dict[str, np.ndarray]:
        """Name -> array [measure, run]; empty if they were not asked for."""
        return (
            {}
            if self.found is None
            else dict(zip(COLUMNS, self.found[: len(COLUMNS)], strict=True))
        )

    def columns_of(self, m: int) -> dict[str, np.ndarray]:
        """The same by one measure [run]."""
        return {name: values[m] for name, values in self.columns().items()}

    def describe(self, m: int, run: int) -> str:
        """The score of a run with its holes judged, in words that follow ``would
        score``; empty if it has no hole.
        """
        if self.found is None or not self.found.holes[m, run]:
            return ""
        mean, low, high, least, most = (values[m, run] for values in self.columns().values())
        bounds = (
            f"between {least:.4f} and {most:.4f}, whatever their grades down to rank"
            f" {self.found.depth[m]}"
        )
        return (
            bounds
            if np.isnan(mean)
            else f"{mean:.4f} ({LEVEL:.0%} interval {low:.4f} to {high:.4f}; {bounds})"
        )

    def chart(self, measure: str, m: int, runs: Sequence[str], raw: np.ndarray) -> Chart:
        """The scores by one measure with their holes judged; `raw` are those on the
        judgments [run].
        """
        n = len(runs)
        shown = f"the best {READABLE} of {n:,} runs" if n > READABLE else count_noun(n, "run")
        caption = (
            f"{measure} of {shown} if their unjudged documents were judged. Thick: the {LEVEL:.0%}"
            " interval over drawn grades; thin: the lowest to the highest score, whatever the"
            " grades."
        )
        return Chart(
            "with-holes",
            "Scores with holes judged",
            caption,
            lambda: self._draw(measure, m, runs, raw),
        )

    def _draw(self, measure: str, m: int, runs: Sequence[str], raw: np.ndarray) -> Figure:
        mean, low, high, least, most = (
            np.where(np.isnan(values), raw, values) for values in self.columns_of(m).values()
        )
        best = pins.first_drawn(best_first(mean), runs, READABLE)
        return row_charts.intervals(
            [runs[r] for r in best],
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
    measures = [work.measures[m] for m in known]
    if not measures:
        check_can_fill(work.collection, work.measures)
    source = learn(work, measures, how, depth=depth, kinds=kinds)
    tick = parallel.ticker(work.report_progress, len(work.collection.runs), 0)
    key = "bounds", depth, kinds, tuple(work.teams), how.depth, how.grows
    bounds = dict(work.cache.get(key, {}))
    found = with_holes(
        work.collection, measures, values[known], source.pool, source.learnt, how, tick, bounds
    )
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
