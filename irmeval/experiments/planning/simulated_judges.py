"""Change of the order of the runs under simulated judges with increasing error rates."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from irmeval.core.params import checked, param
from irmeval.experiments.base import Work, experiment
from irmeval.experiments.results import Chart, NextStep, result
from irmeval.experiments.settings import Seed, Trials
from irmeval.experiments.trials import Banded
from irmeval.judges.simulation import KINDS, draw_mistakes, random_numbers
from irmeval.metrics import Measure
from irmeval.reading.trec import Qrels
from irmeval.scoring.scores import evaluate
from irmeval.stats.correlation import tau_b
from irmeval.stats.judge_agreement import confusion, kappa


@checked
class Params:
    """Error rates of the judges."""

    shares: tuple[float, ...] = param(
        "different grade, %",
        "Error rate of a judge, of the documents on which this kind can err.",
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
    """Order of the runs under erring judges, compared with that under the actual judgments."""

    tau: np.ndarray
    """float64 [measure, kind, share, trial], Kendall's tau-b of the two orders"""
    kappa: np.ndarray
    """float64 [kind, share, trial], Cohen's kappa of the grades; NaN if all documents have the same grade"""
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
        tau, kappas = self.tau[0, :, -1].mean(axis=-1), self.kappa[:, -1].mean(axis=-1)
        known = [f"{kappa:.2f}" if np.isfinite(kappa) else "undefined" for kappa in kappas]
        said = [f"{name} tau {tau[k]:.2f}, kappa {known[k]}" for k, name in enumerate(KINDS) if np.isfinite(tau[k])]
        start = f"Simulated judges who err on {self.params.shares[-1]:g}% of the documents, compared with the actual judgments"
        return f"{start} by {self.measures[0]}: {'; '.join(said) or 'all runs tie'}."

    def next_steps(self) -> list[NextStep]:
        tau = self.tau[0, :, -1].mean(axis=-1)
        falls = np.isfinite(tau).any() and np.nanmin(tau) < 1
        text = f"With simulated judges tau falls to {np.nanmin(tau):.2f}: which decisions change?" if falls else "Which decisions change?"
        return [NextStep(text, "systems"), NextStep("Do real judges agree?", "judges")]

    def charts(self) -> list[Chart]:
        note = ". A high line is a judge who errs on documents but still ranks runs correctly"
        shared: dict[str, Any] = {"whose": "under the actual judgments", "lines": [*KINDS], "note": note}
        return [
            self.tau_chart(values=tau, name=f"tau-{m}", title=f"Order of the runs by {measure}", **shared)
            for m, (measure, tau) in enumerate(zip(self.measures, self.tau, strict=True), 1)
        ]


@experiment(
    "simulated-judges",
    title="Simulated judges",
    question="How good must a judge be?",
    does="find how good a judge must be, by simulation",
    formula=r"\tau_b = \frac{concordant - discordant}{\sqrt{untied_x \cdot untied_y}}",
    source="Voorhees 2000, orders of systems under other assessors; the judges here are drawn at random",
    first={"trials": 1},
)
def simulated_judges(work: Work[Params]) -> SimulatedJudges:
    """Grades every document again by simulated judges, who err on a share of the documents: leniently, strictly, at random, or by
    distinguishing only relevant from nonrelevant. The runs are scored under each judge, and their order is compared with that under the
    actual judgments.
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
        judge = draw_mistakes(qrels, [*KINDS][k], share, seed, None, everywhere, number) if share else qrels
        met = confusion(collection.grade, judge.grade, grades, collection.topic, len(collection.topics))
        kappas[k, s, trial] = kappa(met.sum(axis=0), grades)
        taus[:, k, s, trial] = tau_b(evaluate(collection, work.measures, grades=judge.grade).means, full)
    return SimulatedJudges(taus, kappas, work.measures, params)
