"""Change of the order of the runs under simulated judges with increasing error
rates.
"""

from collections.abc import Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np

from irmeval.core.params import checked, param
from irmeval.core.text import list_all
from irmeval.experiments.base import Work, experiment
from irmeval.experiments.headlines import describe_crossings, falls_below
from irmeval.experiments.results import Chart, Figure, NextStep, Table, result, tidy
from irmeval.experiments.settings import Seed, Trials
from irmeval.experiments.trials import (
    EQUIVALENT,
    Banded,
    over_trials,
)
from irmeval.judges.simulation import KINDS, draw_mistakes, random_numbers
from irmeval.metrics import Measure
from irmeval.plots import line_charts, theme
from irmeval.reading.trec import Qrels
from irmeval.scoring.scores import evaluate
from irmeval.stats.correlation import tau_b
from irmeval.stats.crossings import describe_crossing, find_crossings
from irmeval.stats.decision_agreement import knee
from irmeval.stats.judge_agreement import confusion, kappa


@checked
class Params:
    """Error rates of the judges."""

    shares: tuple[float, ...] = param(
        "different grade, %",
        "Error rate of a judge, among the documents on which this kind can err.",
        low=0,
        high=100,
        offers=(0, 1, 2, 5, 10, 15, 20, 30, 40, 50, 60, 70, 80, 90, 100),
        template="errors on {} of the documents",
        default=(0.0, 2.0, 5.0, 10.0, 20.0, 30.0, 50.0),
    )
    trials: Trials = 3
    seed: Seed = 1


@result
class SimulatedJudges(Banded):
    """Order of the runs under erring judges, compared with that under the actual
    judgments.
    """

    tau: np.ndarray
    """float64 [measure, kind, share, trial], Kendall's tau-b of the two orders"""
    kappa: np.ndarray
    """float64 [kind, share, trial], Cohen's kappa of the grades; NaN if all documents
    have the same grade
    """
    measures: tuple[Measure, ...]
    params: Params
    columns = ("kappa", "tau")
    left = None

    @property
    def axes(self) -> dict[str, Sequence[Any]]:
        return {"measure": self.measures, "judge": tuple(KINDS), "share": self.params.shares}

    @property
    def x_axis(self) -> dict[str, Any]:
        return {"rates": self.params.shares, "xtitle": "documents with a different grade"}

    def headline(self) -> str:
        tau, kappas = over_trials(self.tau[0, :, -1]), over_trials(self.kappa[:, -1])
        known = np.flatnonzero(np.isfinite(tau))
        start = f"Simulated judges who err on {self.params.shares[-1]:g}% of the documents"
        if not known.size:
            return f"{start} tie all runs by {self.measures[0]}."
        alike = list_all([f"{tau[k]:.2f} ({list(KINDS)[k]})" for k in known])
        agree = list_all(
            [f"{kappas[k]:.2f}" if np.isfinite(kappas[k]) else "undefined" for k in known]
        )
        write, first = "at {:.0f}%".format, self.params.shares[0]
        fall = describe_crossings(
            "Tau",
            falls_below(EQUIVALENT),
            [*KINDS],
            self.falls[0],
            write,
            end=f"{self._most}%",
            first=first,
        )
        said = (
            f"{start} order the runs by {self.measures[0]} with tau {alike}. Their kappa with the"
            f" actual judgments is {agree}."
        )
        return f"{said} {fall}".rstrip()

    @property
    def _most(self) -> str:
        """How far judges were followed whose tau does not fall: ``not up to 50``."""
        return f"not up to {self.params.shares[-1]:g}"

    @cached_property
    def falls(self) -> np.ndarray:
        """The share of the documents with a different grade, in per cent, at which tau
        falls below .9 [measure, kind].
        """
        return find_crossings(self.params.shares, over_trials(self.tau), EQUIVALENT)

    def next_steps(self) -> list[NextStep]:
        tau = over_trials(self.tau[0, :, -1])
        falls = np.isfinite(tau).any() and np.nanmin(tau) < 1
        text = (
            f"With simulated judges tau falls to {np.nanmin(tau):.2f}: which decisions change?"
            if falls
            else "Which decisions change?"
        )
        return [NextStep(text, "systems"), NextStep("Do real judges agree?", "judges")]

    def charts(self) -> list[Chart]:
        note = " A high line is a judge who errs on documents but still ranks runs correctly."
        shared: dict[str, Any] = {
            "whose": "under the actual judgments",
            "lines": [*KINDS],
            "note": note,
        }
        taus = [*enumerate(zip(self.measures, self.tau, strict=True), 1)]
        by_share = [
            self.tau_chart(
                values=tau, name=f"tau-{m}", title=f"Order of the runs by {name}", **shared
            )
            for m, (name, tau) in taus
        ]
        caption = (
            "Agreement of the order of the runs with that under the actual judgments, by the"
            " judge's kappa with these. Judges that err more are further right. Beside the names:"
            " the kappa at which tau falls below the dotted .9."
        )
        return by_share + [
            Chart(
                f"kappa-{m}",
                f"Kappa and the order by {name}",
                caption,
                partial(self._against_kappa, m - 1),
            )
            for m, (name, _) in taus
        ]

    def _against_kappa(self, m: int) -> Figure:
        """A line per kind of judge through its means over trials."""
        style, errs = (
            theme.styles([*KINDS]),
            [f"errs on {share:g}%" for share in self.params.shares],
        )
        lines = [
            line_charts.Path(
                kind, kappa, tau, style[kind], "" if np.isnan(at) else f"{at:.2f}", errs
            )
            for kind, kappa, tau, at in zip(
                KINDS,
                over_trials(self.kappa),
                over_trials(self.tau[m]),
                self.needed[m],
                strict=True,
            )
        ]
        figure = line_charts.paths(
            lines,
            xtitle="kappa with the actual judgments",
            ytitle="Kendall's tau",
            threshold=EQUIVALENT,
        )
        low = min(float(np.nanmin(self.tau[m], initial=EQUIVALENT)), EQUIVALENT) - 0.05
        return figure.update_xaxes(range=[1.03, -0.03]).update_yaxes(range=[low, 1.03])

    @cached_property
    def needed(self) -> np.ndarray:
        """The kappa at which tau falls below .9 [measure, kind]; NaN where it does
        not.
        """
        kappas, taus = over_trials(self.kappa), over_trials(self.tau).swapaxes(0, 1)
        found = [
            knee(kappa, tau, threshold=EQUIVALENT) for kappa, tau in zip(kappas, taus, strict=True)
        ]
        return np.stack([np.where(one.falls, one.interpolated, np.nan) for one in found], axis=1)

    def tables(self) -> list[Table]:
        """Means over trials; the share of errors and the kappa at which tau falls below
        .9; every trial.
        """
        summary, trials = super().tables()
        axes = {"measure": self.measures, "judge": tuple(KINDS)}
        at = {
            "below .9 at, %": np.vectorize(describe_crossing)(self.falls, self._most),
            "kappa at tau .9": self.needed,
        }
        return [summary, Table("needed", "Tau of .9", lambda: tidy(axes, at)), trials]


@experiment(
    "simulated-judges",
    title="Simulated judges",
    question="How good must a judge be?",
    does="find how good a judge must be, by simulation",
    formula=r"\tau_b = \frac{concordant - discordant}{\sqrt{untied_x \cdot untied_y}}",
    source=(
        "Voorhees 2000, orders of systems under other assessors; the judges here are drawn at"
        " random"
    ),
    first={"trials": 1},
)
def simulated_judges(work: Work[Params]) -> SimulatedJudges:
    """Grades every document again by simulated judges, who err on a share of the
    documents: leniently, strictly, at random, or by distinguishing only relevant from
    nonrelevant. The runs are scored under each judge, and their order is compared with
    that under the actual judgments.
    """
    collection, params = work.collection, work.params
    qrels = Qrels(collection.topics, collection.topic, collection.documents, collection.grade)
    grades = np.unique(collection.grade[collection.grade >= 0])
    full = evaluate(collection, work.measures).means
    shape = len(KINDS), len(params.shares), params.trials
    kappas, taus = np.empty(shape), np.empty((len(work.measures), *shape))
    everywhere = np.ones(qrels.grade.size, bool)
    for trial, k, s in work.steps(np.ndindex(shape[-1:] + shape[:-1])):
        seed = params.seed + trial
        if not k and not s:
            number = random_numbers(seed, qrels.topics, qrels.topic, qrels.documents)
        share = params.shares[s] / 100
        judge = (
            draw_mistakes(qrels, [*KINDS][k], share, seed, None, everywhere, number)
            if share
            else qrels
        )
        met = confusion(
            collection.grade, judge.grade, grades, collection.topic, len(collection.topics)
        )
        kappas[k, s, trial] = kappa(met.sum(axis=0), grades)
        taus[:, k, s, trial] = tau_b(
            evaluate(collection, work.measures, grades=judge.grade).means, full
        )
    return SimulatedJudges(taus, kappas, work.measures, params)
