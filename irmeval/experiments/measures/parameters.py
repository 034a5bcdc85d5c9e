"""Effect of a parameter of the measures on scores and on the order of the runs."""

from collections.abc import Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np

from irmeval.core.errors import ParamError
from irmeval.core.params import Field, checked, param
from irmeval.core.text import any_of, count_noun, list_all, names_or_number, quantify
from irmeval.experiments.base import Work, experiment
from irmeval.experiments.facts import Fact, Verdict
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
from irmeval.experiments.trials import EQUIVALENT
from irmeval.metrics import METRICS, Measure
from irmeval.plots import line_charts
from irmeval.plots.slope import CLIMBS, describe_named, slope
from irmeval.reading.gain_maps import PRESETS
from irmeval.scoring.scores import evaluate
from irmeval.stats.correlation import tau_b
from irmeval.stats.means import rank_scores

GAINS = "gains"
"""Varied like a parameter, although it belongs to the scoring, not to a measure."""
LABELS = {
    name: field.param.label for metric in METRICS.values() for name, field in metric.params.items()
} | {GAINS: "gain map"}
"""All parameters of metrics, by name."""
HIGHEST = 1000
"""Highest value that is tried; higher ones change nothing."""
# .95 too: one of the three p of RBP in Sakai & Kando 2008
TENTHS = np.array([*np.arange(1, 10) / 10, 0.95])
"""Values within a unit range."""
STEPS = np.array([times * 10.0**power for power in range(-1, 4) for times in (1, 2, 5)])
"""Values within any other."""


@checked
class Params:
    """The parameter to vary."""

    parameter: str = param(
        "parameter",
        "The parameter that is varied, in all measures that have it.",
        choices=tuple(LABELS),
        value_labels=LABELS,
        default="beta",
    )


def with_parameter(measures: Sequence[Measure], parameter: str) -> tuple[Measure, ...]:
    """Measures that a parameter can vary: those that declare it; for the gain map,
    those that use grades.
    """
    return tuple(
        m
        for m in measures
        if (m.metric.graded if parameter == GAINS else parameter in m.metric.params)
    )


def with_parameter_or_refuse(measures: Sequence[Measure], parameter: str) -> tuple[Measure, ...]:
    """The same; raises `ParamError` if there is none."""
    if some := with_parameter(measures, parameter):
        return some
    lacking = (
        "uses grades of relevance; pick nDCG or Q, for example"
        if parameter == GAINS
        else f"has {parameter}"
    )
    raise ParamError(f"{parameter}: none of the measures {lacking}.")


def grid(field: Field, highest: int) -> list[float]:
    """Values of a declared number to try, from its bounds: tenths and .95 within a unit
    range, else 1, 2, 5, 10, ... up to `highest`.
    """
    low, high = field.param.low or 0.0, min(field.param.high or HIGHEST, highest)
    if high - low <= 1:
        return [low, *TENTHS[(low < TENTHS) & (high > TENTHS)].tolist(), high]
    whole = field.kind is int
    if whole and high <= 10:
        return list(range(int(low), int(high) + 1))
    steps = STEPS[(low <= STEPS) & (high >= STEPS)]
    if whole:
        return steps[steps == steps.round()].astype(int).tolist()
    # steps of 1, 2, 5 never come down to 0
    zero = [0.0] * (low == 0)
    return [*zero, *steps.tolist()]


class Parameters(Result):
    """Mean scores of the runs at each value of a parameter, and by the measures as
    chosen.
    """

    default: np.ndarray
    """float64 [measure, run], by the measures as chosen"""
    means: np.ndarray
    """float64 [measure, value, run]; NaN where no topic has a score"""
    measures: tuple[Measure, ...]
    values: tuple[str, ...]
    """values of the parameter, as text"""
    runs: tuple[str, ...]
    params: Params
    at: str = ""
    """the selected value; empty for the one at which the order of the runs is least
    like that as chosen
    """

    @cached_property
    def value(self) -> str:
        """The selected value."""
        return self.at or self.values[self._least[1]]

    @cached_property
    def tau(self) -> np.ndarray:
        """Kendall's tau-b of the runs' order with that by the measure as chosen
        [measure, value].
        """
        return tau_b(self.means, self.default[:, None, :])

    @property
    def _least(self) -> tuple[int, int]:
        """Measure and value of the lowest tau."""
        # where all runs tie there is no tau, which is no low one
        i, v = np.unravel_index(int(np.argmin(np.nan_to_num(self.tau, nan=np.inf))), self.tau.shape)
        return int(i), int(v)

    @cached_property
    def mean(self) -> np.ndarray:
        """Mean score over the runs [measure, value]."""
        return self.means.mean(axis=-1)

    def frame(self) -> Frame:
        """One row per observation: measure, value of the parameter, mean, tau."""
        return tidy(
            {"measure": self.measures, self.params.parameter: self.values},
            {"mean": self.mean, "tau": self.tau},
        )

    def places(self, measure: str) -> Frame:
        """One row per run, best by the measure as chosen first: rank as chosen and at
        the selected value, places that it moves up, and both means.
        """
        m = self.measures.index(measure)
        before, after = self.default[m], self.means[m, self.values.index(self.value)]
        old, new = rank_scores(before), rank_scores(after)
        columns = {"run": self.runs, "rank as chosen": old, "rank now": new, "places up": old - new}
        return table({**columns, "mean as chosen": before, "mean now": after}, by="rank as chosen")

    def choice(self) -> Choice:
        """The measure whose order of runs is shown: at first the one that depends most on
        the parameter.
        """
        names = tuple(map(str, self.measures))
        return Choice(
            "measure", names, "Measure whose order of runs is shown.", names[self._least[0]]
        )

    def facts(self, choice: str = "") -> list[Fact]:
        """Tau at each value of the parameter."""
        what = f"tau with {self.params.parameter}"
        return [
            Fact(what, measure, value, float(tau))
            for measure, taus in zip(self.measures, self.tau, strict=True)
            for value, tau in zip(self.values, taus, strict=True)
            if np.isfinite(tau)
        ]

    def verdict(self, choice: str = "") -> Verdict:
        if not np.isfinite(self.tau).any():
            return Verdict("Too few runs differ, so there is no order of runs to compare.")
        measure = choice or str(self.measures[self._least[0]])
        places, measures = self._describe_places(measure), self._describe_measures()
        return Verdict(self._describe_move(measure), places, measures)

    def _describe_move(self, measure: str) -> str:
        """How many runs change places at the selected value, by a measure."""
        places = self.places(measure)
        at = f"With {self.params.parameter} = {self.value}, {measure}"
        moved = int(np.count_nonzero(places["places up"]))
        if not moved:
            return f"{at} orders the runs as before."
        tau = self.tau[self.measures.index(measure), self.values.index(self.value)]
        alike = f": tau {tau:.2f} with its usual order" if np.isfinite(tau) else ""
        return f"{at} moves {quantify(moved, len(places), 'run')}{alike}."

    def _describe_places(self, measure: str) -> str:
        """The best run at the selected value, and the run that moves most; empty if none
        does.
        """
        places = self.places(measure)
        moved = places[places["places up"] != 0]
        if moved.empty:
            return ""
        first, top = places["run"].iloc[0], places["run"].iloc[int(places["rank now"].argmin())]
        best = (
            "The best run stays the same" if first == top else f"{top} is best instead of {first}"
        )
        return f"{best}; {_describe_farthest(moved)}."

    def _describe_measures(self) -> str:
        """The measure that depends most on the parameter, and those that hardly do."""
        name = self.params.parameter
        least = {
            m: float(np.nanmin(taus))
            for m, taus in zip(self.measures, self.tau, strict=True)
            if np.isfinite(taus).any()
        }
        undefined = any(np.isnan(self.tau[self.measures.index(m)]).any() for m in least)
        said = " Tau is undefined where all runs tie." if undefined else ""
        if np.isclose(min(least.values()), 1):
            return f"No value of {name} changes the order by {any_of([*least], 'measure')}.{said}"
        calm = [m for m, tau in least.items() if tau > EQUIVALENT]
        i, v = self._least
        if len(least) == 1:
            return f"The lowest tau is {self.tau[i, v]:.2f}, at {self.values[v]}.{said}"
        most = (
            f"{self.measures[i]} depends most on it (tau {self.tau[i, v]:.2f} at {self.values[v]})"
        )
        if calm:
            return f"{most}; by {list_all(calm)}, tau stays above {EQUIVALENT:g}.{said}"
        every = names_or_number([*least], len(least), "measure")
        return f"{most}; by {every}, tau falls to {EQUIVALENT:g} or below.{said}"

    def next_steps(self) -> list[NextStep]:
        most = self.measures[self._least[0]]
        return [
            NextStep("Do measures differ as much?", "agreement"),
            NextStep(f"How does {most} score a list?", "lab"),
        ]

    def charts(self, choice: str = "") -> list[Chart]:
        label = LABELS[self.params.parameter]
        return [
            self._chart_of_places(choice or str(self.measures[self._least[0]])),
            Chart(
                "tau",
                "Kendall's tau",
                f"Agreement of the order of the runs at each {label} with that by the measure as"
                " chosen. 1 is the same order; above the dotted 0.9, two orders commonly count as"
                " equivalent.",
                lambda: self._curves(
                    self.tau, "Kendall's tau with the measure as chosen", threshold=EQUIVALENT
                ),
            ),
            Chart(
                "mean",
                "Mean score",
                f"Mean over runs and topics at each {label}. If it changes and the order does not,"
                " all runs change alike.",
                lambda: self._curves(self.mean, "mean score over runs and topics"),
            ),
        ]

    def _chart_of_places(self, measure: str) -> Chart:
        """The order of the runs as chosen and at the selected value."""
        places = self.places(measure)
        titles = ("as chosen", f"{self.params.parameter} = {self.value}")
        return Chart(
            "places",
            f"Runs by {measure}",
            f"Best run on top; where lines cross, runs change places{CLIMBS}."
            f"{describe_named(len(places))}",
            lambda: slope(
                places["run"].tolist(),
                places["rank as chosen"].tolist(),
                places["rank now"].tolist(),
                titles,
            ),
            wide=True,
            usual=CLIMBS,
        )

    def tables(self) -> list[Table]:
        return [
            Table("values", "Values", self.frame),
            *(Table(f"runs-{m}", f"Runs by {m}", partial(self.places, m)) for m in self.measures),
        ]

    def _curves(self, values: np.ndarray, ytitle: str, threshold: float | None = None) -> Figure:
        low = min(0.0, float(np.nanmin(values, initial=0)))
        top = 1.0 if threshold else float(np.nanmax(values, initial=0)) or 1.0
        return line_charts.curves(
            range(len(self.values)),
            line_charts.measure_curves(self.measures, values),
            line_charts.Axes(
                xtitle=f"{LABELS[self.params.parameter]} ({self.params.parameter})",
                ytitle=ytitle,
                yrange=(low, top + 0.05 * (top - low)),
                ticks=dict(enumerate(self.values)),
                mark=self.values.index(self.value),
            ),
            threshold=threshold,
        )


def _describe_farthest(moved: Frame) -> str:
    """The run that moves most, and how far; of several, their number."""
    far = moved["places up"].abs()
    most = moved[far == far.max()]
    run, places = most.iloc[0], int(far.max())
    if 1 < len(most) < len(moved):
        return f"{count_noun(len(most), 'run')} move most, {count_noun(places, 'place')}"
    if len(most) > 1:
        return f"{count_noun(len(most), 'run')} move {count_noun(places, 'place')}"
    way = "up" if run["places up"] > 0 else "down"
    most_of = "most, " if len(moved) > 1 else ""
    return f"{run['run']} moves {most_of}{places} {way} to rank {int(run['rank now'])}"


@experiment(
    "parameters",
    title="Parameters",
    question="What is the effect of a parameter?",
    does="vary one parameter of measures and compare orders of runs",
    formula=r"\tau_b = \frac{concordant - discordant}{\sqrt{untied_x \cdot untied_y}}",
    source=(
        "Sakai 2007 (reliability of graded relevance metrics), Section 4.5; Sakai & Kando 2008,"
        " Sections 3.3-3.4; Bompada et al. 2007, Fig. 3"
    ),
)
def parameters(work: Work[Params]) -> Parameters:
    """Varies one parameter in all measures that have it. The order of the runs is
    compared with that by the measures as chosen.

    Measures without the parameter are left out. Raises `ParamError` where none is left.
    """
    collection, params = work.collection, work.params
    name = params.parameter
    measures = with_parameter_or_refuse(work.measures, name)
    values, means = _tried(work, measures), []
    for value in work.steps(values):
        if name == GAINS:
            means.append(evaluate(collection, measures, gains=value).means)
        else:
            changed = [m.varied(name, value) for m in measures]
            # two measures may become the same one, which is scored once
            scores = evaluate(collection, changed)
            means.append(scores.means[[*map(scores.measures.index, changed)]])
    texts = tuple(v if isinstance(v, str) else f"{v:g}" for v in values)
    return Parameters(
        evaluate(collection, measures).means,
        np.array(means).swapaxes(0, 1),
        measures,
        texts,
        collection.runs,
        params,
    )


def _tried(work: Work[Params], measures: Sequence[Measure]) -> list[Any]:
    """Values to try."""
    name, collection = work.params.parameter, work.collection
    if name == GAINS:
        return list(PRESETS)
    # beyond the top grade nothing is relevant, and beyond the depth lists are cut
    highest = collection.top_grade if name == "rel" else min(HIGHEST, collection.policy.depth)
    return list(grid(measures[0].metric.params[name], highest))
