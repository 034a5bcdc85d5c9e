"""Effect of gain maps on the order of the runs, stability and sensitivity."""

from dataclasses import replace

import numpy as np

from irmeval.core.errors import ParamError
from irmeval.core.params import checked, param
from irmeval.core.text import count_noun, list_all, verb
from irmeval.experiments.base import Work, experiment
from irmeval.experiments.measures.parameters import GAINS, with_parameter
from irmeval.experiments.needs import PAIRS
from irmeval.experiments.results import (
    Chart,
    Choice,
    Figure,
    Frame,
    NextStep,
    Result,
    Table,
    of_measure,
    tidy,
)
from irmeval.experiments.scored import score_runs
from irmeval.experiments.settings import Fuzziness, Seed, Sets, Size, Threshold
from irmeval.metrics import Measure
from irmeval.plots import cells, line_charts, theme
from irmeval.reading.gain_maps import Gains, parse_gains
from irmeval.scoring.scores import evaluate_by_gains
from irmeval.stats.correlation import tau_b
from irmeval.stats.swap_rates import Required, find_required_difference, swap
from irmeval.stats.topic_sets import FUZZINESS, WinsAndTies, stability

DEFAULT = "default"
"""Name of the default gains."""
OWN = "your own"
"""Name of the gains of the user."""
MAPS: dict[str, Gains | None] = {
    DEFAULT: None,
    "flat": "flat",
    "steep": "steep",
    "adjusted": "adjusted",
}
"""Those of S07r 4.5; by default the gain is the grade."""


@checked
class Params:
    """A gain map to compare with those of the papers, and settings of stability and
    sensitivity.
    """

    own: str = param(
        "your own gains",
        "Gains to compare as well: pairs grade:gain, separated by commas, as in 1:1,2:5,3:20."
        " Empty: none.",
        empty="1:1,2:5,3:20",
        default="",
    )
    threshold: Threshold = 5.0
    size: Size = None
    sets: Sets = 1000
    seed: Seed = 1
    fuzziness: Fuzziness = FUZZINESS

    def __post_init__(self) -> None:
        if self.own:
            parse_gains(self.own)


class GainMaps(Result):
    """Order of the runs, stability and sensitivity of the graded measures under each
    gain map.

    Adjusted gains leave nothing to gain where all relevant documents are of the lowest
    grade. Topics without a score under one map are left out under all maps.
    """

    tau: np.ndarray
    """float64 [measure, map], Kendall's tau-b of the order of the runs with that under
    the default map
    """
    counts: WinsAndTies
    """each int [measure, map, fuzziness, pair]"""
    required: Required
    """each [measure, map]"""
    values: np.ndarray
    """float64 [measure, map, run, topic], scores"""
    topics: int
    """number of topics with a score for every run by every measure under all maps"""
    left_out: int
    """number of topics without one under some map"""
    untried: tuple[str, ...]
    """maps that are skipped, since fewer than two topics have a score"""
    maps: tuple[str, ...]
    measures: tuple[Measure, ...]
    runs: tuple[str, ...]
    params: Params
    top: int
    """the highest grade of the qrels"""

    def frame(self) -> Frame:
        """One row per measure and map: tau, required_difference, sensitivity,
        topics.
        """
        columns = {
            "tau": self.tau,
            "required_difference": self.required.difference,
            "sensitivity": self.required.sensitivity,
        }
        return tidy(
            {"measure": self.measures, "gains": self.maps},
            {**columns, "topics": np.array(self.topics)},
        )

    def curves(self) -> Frame:
        """One row per measure, map and f: minority rate and proportion of ties."""
        columns = {
            "minority_rate": self.counts.minority_rate,
            "proportion_of_ties": self.counts.proportion_of_ties,
        }
        return tidy(
            {"measure": self.measures, "gains": self.maps, "fuzziness": self.params.fuzziness},
            columns,
        )

    @property
    def _least_alike(self) -> tuple[np.intp, ...]:
        """Measure and map of the lowest tau."""
        return np.unravel_index(int(np.nanargmin(self.tau)), self.tau.shape)

    def headline(self, choice: str = "") -> str:
        if self.top < 2:
            return (
                "All relevant documents have the same grade here: a gain map only affects measures"
                " that also count documents, such as Q."
            )
        if not np.isfinite(self.tau).any():
            return "No two runs differ, so there is no order of runs to compare."
        names = self.measures
        i, g = self._least_alike
        change = np.nan_to_num(self.required.sensitivity - self.required.sensitivity[:, :1])
        j, h = np.unravel_index(int(np.abs(change).argmax()), change.shape)
        text = (
            f"{self.maps[g].capitalize()} gains change the order of"
            f" {count_noun(len(self.runs), 'run')} most: tau with the default gains is"
            f" {self.tau[i, g]:.3f} by {names[i]}. "
            if not np.isclose(self.tau[i, g], 1)
            else f"No gains change the order of {count_noun(len(self.runs), 'run')}. "
        )
        before, after = self.required.sensitivity[j, 0], self.required.sensitivity[j, h]
        text += (
            f"{self.maps[h].capitalize()} gains change the sensitivity most: from {before:.1%} to"
            f" {after:.1%} by {names[j]}."
            if change[j, h]
            else "No gains change the sensitivity."
        )
        if self.left_out:
            out = verb(
                self.left_out,
                "has no score under some gains and is",
                "have no score under some gains and are",
            )
            text += (
                f" All gains are compared on {count_noun(self.topics, 'topic')}:"
                f" {count_noun(self.left_out, 'other')} {out} left out."
            )
        return (
            f"{text} Too few topics have a score under {list_all(self.untried)} gains to compare."
            if self.untried
            else text
        )

    def next_steps(self) -> list[NextStep]:
        if self.top < 2 or not np.isfinite(self.tau).any():
            return [
                NextStep("Do the measures agree?", "agreement"),
                NextStep("What is the effect of a parameter?", "parameters"),
            ]
        m, g = self._least_alike
        name, tau = self.measures[m], float(self.tau[m, g])
        most = f"{name} depends most on gains (tau {tau:.2f}): on other parameters too?"
        return [
            NextStep(
                "Does any other parameter change the order?" if np.isclose(tau, 1) else most,
                "parameters",
            ),
            NextStep("Do measures differ more than that?", "agreement"),
            NextStep(f"How large must a difference in {name} be?", "swap"),
        ]

    def choice(self) -> Choice | None:
        return of_measure(self.measures, "Measure whose stability is drawn.")

    def charts(self, choice: str = "") -> list[Chart]:
        names = self.measures
        on = f"All gains are compared on the same {count_noun(self.topics, 'topic')}."
        at = f"{self.params.threshold:g}%"
        return [
            Chart(
                "tau",
                "Tau with the default gains",
                "Agreement of the order of the runs with that under the default gains, which are"
                f" the grades. 1 is the same order. {on}",
                lambda: cells.cells(
                    names,
                    self.maps[1:],
                    self.tau[:, 1:],
                    title="Kendall's tau",
                    shades=cells.Shades(high=1.0),
                ),
            ),
            Chart(
                "sensitivity",
                f"Sensitivity at a swap rate of {at}",
                "Share of the comparisons of two runs whose difference is large enough for other"
                " topics to confirm it. A bluer cell in a row means more confirmed differences"
                f" under these gains. {on}",
                lambda: cells.cells(
                    names, self.maps, self.required.sensitivity, title="sensitivity", form=".1%"
                ),
            ),
            self.chart_of(choice or str(names[0])),
        ]

    def chart_of(self, name: str) -> Chart:
        """Minority rate against proportion of ties by one measure, a line per map."""
        return Chart(
            "stability",
            f"Stability of {name}",
            "Minority rate and proportion of ties, a line per gain map, a point per fuzziness f."
            " Closer to the lower left is better. Where lines coincide, gains make no difference.",
            lambda: self._curves(self.measures.index(name)),
        )

    def tables(self) -> list[Table]:
        return [
            Table("maps", "Gain maps", self.frame),
            Table("stability", "Stability", self.curves),
        ]

    def _curves(self, m: int) -> Figure:
        colors = (theme.GREY, *theme.PALETTE.values())
        counts = WinsAndTies(*(of_measures[m] for of_measures in self.counts))
        drawn = zip(
            self.maps,
            counts.proportion_of_ties,
            counts.minority_rate,
            map(theme.Style, colors),
            strict=False,
        )
        lines = [
            line_charts.Path(*line, "", [f"f = {f:g}" for f in self.params.fuzziness])
            for line in drawn
        ]
        return line_charts.paths(lines, xtitle="proportion of ties", ytitle="minority rate")


@experiment(
    "gains",
    title="Gains",
    question="Do gains of grades matter?",
    does="vary the gains of grades",
    formula=r"\tau_b = \frac{concordant - discordant}{\sqrt{untied_x \cdot untied_y}}",
    source=(
        "Sakai 2007 (reliability of graded relevance metrics), Section 4.5, Figs. 8-9, Tables 12-13"
    ),
    stored=("own",),
    first={"sets": 100},
    needs=PAIRS._replace(graded=True),
)
def gains(work: Work[Params]) -> GainMaps:
    """Computes the graded measures with other gains of the grades. The order of the
    runs is compared with that under the default gains, where the gain is the grade;
    stability and sensitivity are measured again.

    Measures that do not tell grades apart are left out. Raises `ParamError` where none
    is left, for a text that is no gain map, and for too few runs or topics with a
    score.
    """
    collection, params = work.collection, work.params
    graded = with_parameter(work.measures, GAINS)
    maps = MAPS | ({OWN: params.own} if params.own else {})
    if graded not in work.cache:
        # raises an error if there are too few under the default gains
        score_runs(replace(work, measures=graded))
        of_maps = evaluate_by_gains(collection, graded, list(maps.values()))
        work.cache[graded] = {
            name: scores.values for name, scores in zip(maps, of_maps, strict=True)
        }
    values = work.cache[graded]
    has_score = {
        name: np.isfinite(v).all(axis=(0, 1)) & np.isfinite(values[DEFAULT]).all(axis=(0, 1))
        for name, v in values.items()
    }
    tried = tuple(name for name, has in has_score.items() if has.sum() >= 2)
    kept = np.all([has_score[name] for name in tried], axis=0)
    if kept.sum() < 2:
        raise ParamError(
            f"expected at least 2 topics with a score under every gain map, found {kept.sum()}."
        )
    tau, counts, needed = [], [], []
    for name in work.steps(tried):
        under = values[name][..., kept]
        tau.append(tau_b(under.mean(axis=-1), values[DEFAULT][..., kept].mean(axis=-1)))
        counts.append(
            stability(
                under,
                size=params.size,
                sets=params.sets,
                seed=params.seed,
                fuzziness=params.fuzziness,
            )
        )
        needed.append(
            find_required_difference(
                swap(under, size=params.size, trials=params.sets, seed=params.seed),
                threshold=params.threshold / 100,
            )
        )
    return GainMaps(
        values=np.stack([values[name][..., kept] for name in tried], axis=1),
        tau=np.stack(tau, axis=1),
        counts=WinsAndTies(*(np.stack(v, axis=1) for v in zip(*counts, strict=True))),
        required=Required(*(np.stack(v, axis=1) for v in zip(*needed, strict=True))),
        topics=int(kept.sum()),
        left_out=int((has_score[DEFAULT] & ~kept).sum()),
        untried=tuple(name for name in maps if name not in tried),
        maps=tried,
        measures=graded,
        runs=collection.runs,
        params=params,
        top=collection.top_grade,
    )
