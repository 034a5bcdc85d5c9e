"""Effect of gain maps on the order of the runs, stability and sensitivity."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from itertools import product

import numpy as np

from irmeval.collection import Collection
from irmeval.core.errors import ParamError
from irmeval.core.params import checked, param
from irmeval.core.places import pick
from irmeval.core.text import count_noun, list_all, verb
from irmeval.experiments.base import Work, experiment
from irmeval.experiments.facts import Fact, Verdict
from irmeval.experiments.measures.parameters import GAINS, with_parameter
from irmeval.experiments.needs import PAIRS
from irmeval.experiments.results import Chart, Choice, Figure, Frame, NextStep, Result, Table, tidy
from irmeval.experiments.scored import score_runs
from irmeval.experiments.settings import Fuzziness, Seed, Sets, Size, Threshold, Trials
from irmeval.experiments.trials import Realised, describe_removed, over_trials, realise
from irmeval.metrics import Measure
from irmeval.plots import cells, line_charts
from irmeval.plots.colors import GREY, PALETTE, Style
from irmeval.reading.gain_maps import Gains, parse_gains
from irmeval.reductions import draw, share_left
from irmeval.scoring.score_table import Scores
from irmeval.scoring.scores import evaluate_by_gains
from irmeval.stats.correlation import tau_b
from irmeval.stats.intervals import LEVEL, student_quantile
from irmeval.stats.swap_rates import Required, find_required_difference, swap
from irmeval.stats.topic_sets import FUZZINESS, WinsAndTies, stability

FLAT = "flat"
"""Name of the gains by which measures are binary."""
ABOUT = 0.05
"""Difference up to which two taus are about equal."""
NO_SCORES = "have no score under some gains and are"
DEFAULT = "default"
"""Name of the default gains."""
OWN = "your own"
"""Name of the gains of the user."""
MAPS: dict[str, Gains | None] = {
    DEFAULT: None,
    FLAT: FLAT,
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
    rate: float = param(
        "rate, %",
        "Share of the judgments on which the order of the runs is compared with that on all.",
        low=1,
        high=99,
        rate=True,
        template="{} of the judgments",
        default=10.0,
    )
    trials: Trials = 10
    threshold: Threshold = 5.0
    size: Size = None
    sets: Sets = 1000
    seed: Seed = 1
    fuzziness: Fuzziness = FUZZINESS
    # not parameters: the samples of Sakai's papers, read off the record as of other experiments
    method = "stratified"
    rounding = "floor"

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
    kept: np.ndarray
    """float64 [measure, map, trial], tau-b of the order of the runs on fewer judgments
    with that on all, under the same gains
    """
    reduced: Realised
    """realised share of the judgments there"""
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

    def kept_by_map(self) -> Frame:
        """One row per measure, map and trial: tau of the order of the runs on fewer
        judgments with that on all, under the same gains.
        """
        trials = range(1, self.kept.shape[-1] + 1)
        return tidy(
            {"measure": self.measures, "gains": self.maps, "trial": trials}, {"tau": self.kept}
        )

    @cached_property
    def order_kept(self) -> np.ndarray:
        """Mean of that tau over trials [measure, map]."""
        return over_trials(self.kept)

    def choice(self) -> Choice:
        """The measure of the verdict and of the chart of stability."""
        names = tuple(map(str, self.measures))
        return Choice("measure", names, "Measure of the sentence, and whose stability is drawn.")

    def facts(self, choice: str = "") -> list[Fact]:
        """Under each map, how well the order is kept on fewer judgments, and tau with the
        order under the default gains.
        """
        found = []
        for (m, measure), (g, name) in product(enumerate(self.measures), enumerate(self.maps)):
            kept = float(self.order_kept[m, g])
            found += [
                Fact("tau", measure, name, kept, self.params.rate, self.reduced.left),
                Fact("tau with the default gains", measure, name, float(self.tau[m, g])),
            ]
        return [fact for fact in found if np.isfinite(fact.value)]

    def verdict(self, choice: str = "") -> Verdict:
        if self.top < 2:
            return Verdict(
                "All relevant documents have the same grade: gains only affect measures that also"
                " count documents, such as Q."
            )
        if not np.isfinite(self.tau).any():
            return Verdict("No two runs differ, so there is no order of runs to compare.")
        name = choice or str(self.measures[0])
        left_out, change = self._describe_left_out(), self._describe_change(name)
        if self.reduced.too_much:
            return Verdict(describe_removed(self.reduced.left), left_out, change)
        return Verdict(self._answer(name), f"{self._describe_trials()} {left_out}".strip(), change)

    def _answer(self, name: str) -> str:
        """Whether graded gains keep the order of the runs better than flat ones."""
        kept = dict(zip(self.maps, self.order_kept[self.measures.index(name)], strict=True))
        kept = {gains: tau for gains, tau in kept.items() if np.isfinite(tau)}
        graded = [gains for gains in kept if gains != FLAT]
        at = f"with {self.reduced.amount} of the judgments"
        if FLAT not in kept or not graded:
            return f"Too few topics have a score {at} under flat and other gains to compare."
        best = max(graded, key=lambda gains: kept[gains])
        flat, other = (f"{kept[gains]:.2f}" for gains in (FLAT, best))
        order = f"keep the order by {name}"
        if not self._differ(name, FLAT, best):
            if abs(kept[FLAT] - kept[best]) > ABOUT:
                return f"Not known: {at}, flat gains {order} with tau {flat}, {best} with {other}."
            return f"No: {at}, flat gains {order} about as well ({flat}) as {best} ({other})."
        if kept[FLAT] > kept[best]:
            return f"No: {at}, flat gains {order} better ({flat}) than {best} ({other})."
        return f"Yes: {at}, {best} gains {order} better ({other}) than flat ({flat})."

    def _differ(self, name: str, one: str, other: str) -> bool:
        """Whether two maps keep the order better and worse over random trials: whether the
        95% interval of the mean difference is without 0.
        """
        m = self.measures.index(name)
        taus = [self.kept[m, self.maps.index(gains)] for gains in (one, other)]
        # paired, as both maps score the same samples
        apart = taus[0] - taus[1]
        known = apart[np.isfinite(apart)]
        if known.size < 2:
            return False
        error = known.std(ddof=1) / np.sqrt(known.size)
        return bool(abs(known.mean()) > student_quantile(LEVEL, known.size) * error)

    def _describe_trials(self) -> str:
        trials = count_noun(self.kept.shape[-1], "trial")
        return f"Tau: with the order on all judgments{self.reduced.beside}, mean over {trials}."

    def _describe_change(self, name: str) -> str:
        """The gains that change the order most on all judgments."""
        tau = self.tau[self.measures.index(name)]
        if not np.isfinite(tau).any():
            return ""
        least = int(np.nanargmin(tau))
        runs = count_noun(len(self.runs), "run")
        if np.isclose(tau[least], 1):
            return f"On all judgments, no gains change the order of {runs}."
        most = f"{self.maps[least]} gains change the order of {runs} most"
        return f"On all judgments, {most}: tau {tau[least]:.2f} with that under the default gains."

    def _describe_left_out(self) -> str:
        """Sentences on topics and maps without scores; empty if there are none."""
        said = []
        if self.left_out:
            out = verb(self.left_out, "has no score under some gains and is", NO_SCORES)
            on = count_noun(self.topics, "topic")
            said.append(
                f"All gains are compared on {on}: {count_noun(self.left_out, 'other')} {out} left"
                " out."
            )
        if self.untried:
            said.append(
                f"Too few topics have a score under {list_all(self.untried)} gains to compare."
            )
        return " ".join(said)

    def next_steps(self) -> list[NextStep]:
        steps = [
            NextStep("Does another parameter change the order?", "parameters"),
            NextStep("Do measures differ more than gains?", "agreement"),
        ]
        if self.top < 2 or not np.isfinite(self.tau).any():
            return steps
        return [*steps, NextStep("How large must a difference be?", "swap")]

    def charts(self, choice: str = "") -> list[Chart]:
        names = self.measures
        on = f"All gains are compared on the same {count_noun(self.topics, 'topic')}."
        at = f"{self.params.threshold:g}%"
        left = f"with {self.reduced.amount} of the judgments{self.reduced.beside}"
        return [
            Chart(
                "kept",
                f"Order of the runs {left}",
                "A bluer cell in a row: these gains keep the order of the runs better. Kendall's"
                f" tau of their order {left} with that on all judgments, under the same gains. Flat"
                " gains make a measure binary.",
                lambda: cells.cells(
                    names, self.maps, self.order_kept, title="Kendall's tau", form=".2f"
                ),
            ),
            Chart(
                "tau",
                "Tau with the default gains",
                "Agreement of the order of the runs with that under the default gains: 1 is the"
                f" same. The default gains are the grades. {on}",
                lambda: cells.cells(
                    names,
                    self.maps[1:],
                    self.tau[:, 1:],
                    title="Kendall's tau",
                    shades=cells.Shades(high=1.0),
                    form=".2f",
                ),
            ),
            Chart(
                "sensitivity",
                f"Sensitivity at a swap rate of {at}",
                "Share of the differences of two runs that are large enough for other topics to"
                " confirm them. A bluer cell in a row means more confirmed differences"
                f" under these gains. {on}",
                lambda: cells.cells(
                    names, self.maps, self.required.sensitivity, title="sensitivity", form=".1%"
                ),
            ),
            self._chart_of_stability(choice or str(names[0])),
        ]

    def _chart_of_stability(self, name: str) -> Chart:
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
            Table("kept", "On fewer judgments", self.kept_by_map),
            Table("stability", "Stability", self.curves),
        ]

    def _curves(self, m: int) -> Figure:
        # grey for the default gains, with which the others are compared
        colors = (GREY, *PALETTE.values())
        counts = WinsAndTies(*(of_measures[m] for of_measures in self.counts))
        drawn = zip(
            self.maps,
            100 * counts.proportion_of_ties,
            100 * counts.minority_rate,
            map(Style, colors),
            strict=False,
        )
        lines = [
            line_charts.Path(*line, "", [f"f = {f:g}" for f in self.params.fuzziness])
            for line in drawn
        ]
        return line_charts.paths(lines, xtitle="proportion of ties, %", ytitle="minority rate, %")


@experiment(
    "gains",
    title="Gains",
    question="Do graded gains keep the order better?",
    does="vary the gains of grades",
    formula=r"\tau_b = \frac{concordant - discordant}{\sqrt{untied_x \cdot untied_y}}",
    source=(
        "Sakai 2007 (reliability of graded relevance metrics), Section 4.5, Figs. 8-9, Tables 12-13"
    ),
    stored=("own", "rate", "trials", "seed"),
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
        work.cache[graded] = (
            {name: scores.values for name, scores in zip(maps, of_maps, strict=True)},
            *_keep_orders(collection, graded, params, [*maps.values()], of_maps),
        )
    values, kept_orders, left = work.cache[graded]
    by_default = np.isfinite(values[DEFAULT]).all(axis=(0, 1))
    has_score = {name: np.isfinite(v).all(axis=(0, 1)) & by_default for name, v in values.items()}
    # a map that leaves almost no topic would take the topics of all others away
    tried = tuple(name for name, has in has_score.items() if has.sum() >= 2)
    kept = np.all(pick(has_score, tried), axis=0)
    if kept.sum() < 2:
        raise ParamError(
            f"expected at least 2 topics with a score under every gain map, found {kept.sum()}."
        )
    on_kept = {name: values[name][..., kept] for name in tried}
    usual = values[DEFAULT][..., kept].mean(axis=-1)
    size, sets, seed = params.size, params.sets, params.seed
    tau, counts, required = [], [], []
    for name in work.steps(tried):
        under = on_kept[name]
        tau.append(tau_b(under.mean(axis=-1), usual))
        counts.append(stability(under, size=size, sets=sets, seed=seed, fuzziness=params.fuzziness))
        swaps = swap(under, size=size, trials=sets, seed=seed)
        required.append(find_required_difference(swaps, threshold=params.threshold / 100))
    return GainMaps(
        values=np.stack([*on_kept.values()], axis=1),
        tau=np.stack(tau, axis=1),
        kept=kept_orders[:, [*map([*maps].index, tried)]],
        reduced=realise(params, [params.rate], left[None])[0],
        counts=WinsAndTies(*(np.stack(v, axis=1) for v in zip(*counts, strict=True))),
        required=Required(*(np.stack(v, axis=1) for v in zip(*required, strict=True))),
        topics=int(kept.sum()),
        left_out=int((has_score[DEFAULT] & ~kept).sum()),
        untried=tuple(name for name in maps if name not in tried),
        maps=tried,
        measures=graded,
        runs=collection.runs,
        params=params,
        top=collection.top_grade,
    )


def _keep_orders(
    collection: Collection,
    measures: tuple[Measure, ...],
    params: Params,
    maps: Sequence[Gains | None],
    whole: Sequence[Scores],
) -> tuple[np.ndarray, np.ndarray]:
    """Tau of the order of the runs on fewer judgments with that on all, under each map
    [measure, map, trial], and the share of the judgments that is left [trial].
    """
    taus, left = [], []
    for trial in range(1, params.trials + 1):
        (grades,) = draw(collection, params.method, [params.rate], trial, params.seed)
        left.append(share_left(collection.grade, grades))
        reduced = evaluate_by_gains(collection, measures, maps, grades=grades)
        taus.append(
            [
                tau_b(np.nan_to_num(fewer.means), np.nan_to_num(full.means))
                for fewer, full in zip(reduced, whole, strict=True)
            ]
        )
    return np.array(taus).transpose(2, 1, 0), np.array(left)
