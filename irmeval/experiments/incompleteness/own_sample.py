"""Estimates for a collection whose own judgments are a sample of its pool."""

from functools import cached_property

import numpy as np

from irmeval.collection.caveats import describe_sample
from irmeval.core.errors import ParamError
from irmeval.core.params import checked
from irmeval.core.places import pick, place_of_choice
from irmeval.core.text import capitalize, count_noun, list_few, quantify
from irmeval.experiments.base import Work, experiment
from irmeval.experiments.ends import ESTIMATORS_OF, Ends, estimates_of
from irmeval.experiments.facts import Fact, Verdict
from irmeval.experiments.headlines import write_best
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
from irmeval.experiments.settings import Level
from irmeval.metrics import Measure, distinct
from irmeval.plots import pins, row_charts
from irmeval.plots.pins import READABLE
from irmeval.scoring.estimated_scores import describe_rare_coverage, estimate, with_intervals
from irmeval.scoring.scores import evaluate
from irmeval.stats.means import tied


@checked
class Params:
    """Level of the intervals."""

    level: Level = 95.0


class OwnSample(Result):
    """Mean of every run on the whole pool, as estimated from the drawn judgments."""

    looked_at = "estimate"

    ends: Ends
    """estimates and their intervals, by estimator and run"""
    raw: np.ndarray
    """float64 [estimator, run], mean by the target, which counts documents that were
    not drawn as nonrelevant
    """
    targets: tuple[Measure, ...]
    """target of each estimator; an estimator requested by its own name is its own
    target
    """
    measures: tuple[Measure, ...]
    """the estimators"""
    runs: tuple[str, ...]
    drawn: str
    """sentence on the size of the sample"""
    params: Params

    @cached_property
    def estimates(self) -> np.ndarray:
        """float64 [estimator, run]"""
        return self.ends.columns()["estimate"]

    def frame(self) -> Frame:
        """One row per run and estimator: run, measure, target, raw (mean by the
        target), estimate, low and high ends over judgments and over topics.
        """
        made = tidy(
            {"measure": self.measures, "run": self.runs},
            {"raw": self.raw, **self.ends.columns()},
            descending=self.estimates,
        )
        made.insert(1, "target", np.repeat([*map(str, self.targets)], len(self.runs)))
        return made

    def order(self, m: int) -> np.ndarray:
        """Runs, best by an estimator first."""
        return np.argsort(-self.estimates[m], kind="stable")

    def _best(self, m: int) -> int:
        return int(self.order(m)[0])

    def _number_of(self, choice: str) -> int:
        return place_of_choice(choice, self.measures)

    def facts(self, choice: str = "") -> list[Fact]:
        """The estimate of the best run, with its interval over topics, and its score on the
        drawn judgments alone.
        """
        m = self._number_of(choice)
        best = self._best(m)
        ends = {name: values[m, best] for name, values in self.ends.columns().items()}
        estimator, target = str(self.measures[m]), str(self.targets[m])
        run = self.runs[best]
        facts = [Fact(what, estimator, run, float(value)) for what, value in ends.items()]
        return [*facts, Fact("score", target, run, float(self.raw[m, best]))]

    def verdict(self, choice: str = "") -> Verdict:
        m = self._number_of(choice)
        estimate, *_, score = self.facts(choice)
        measure, run = estimate.measure, estimate.line
        if np.isnan(estimate.value):
            return Verdict(f"{measure} is undefined on every topic.", self.drawn)
        beside = [self.drawn, f"It is estimated at {self.ends.describe(m, self._best(m))}."]
        if score.measure != measure:
            beside.append(f"{score.measure} of the drawn judgments alone is {score.value:.4f}.")
        estimates = self.estimates[m]
        leaders = int(np.count_nonzero(tied(estimates) == np.nanmax(tied(estimates))))
        said = f"{run} is best by {measure}: about {write_best(estimates)} on all judgments."
        if len(self.runs) == 1:
            about = f"about {estimate.value:.3f} by {measure}"
            said = f"{run} is the only run: {about} on all judgments."
        if leaders > 1:
            runs = capitalize(quantify(leaders, len(self.runs), "run"))
            said = f"{runs} tie as best by {measure}: about {estimate.value:.3f} on all judgments."
        return Verdict(said, " ".join(filter(None, beside)))

    def next_steps(self) -> list[NextStep]:
        return [
            NextStep("Which runs differ?", "leaderboard"),
            NextStep("How many judgments are needed?", "judgments-needed"),
        ]

    def choice(self) -> Choice | None:
        return of_measure(self.measures, "Estimator of the chart.")

    def charts(self, choice: str = "") -> list[Chart]:
        return [self.chart_of(choice or str(self.measures[0]))]

    def chart_of(self, measure: str) -> Chart:
        """The estimates by one estimator with both intervals."""
        n = len(self.runs)
        shown = f"the best {READABLE} of {n:,} runs" if n > READABLE else count_noun(n, "run")
        caption = (
            f"{measure} of {shown}. Thick: the {self.params.level:g}% interval over judgments"
            f" (another sample of the same topics); thin: over topics. {self.ends.rare}"
        )
        return Chart(
            "estimates",
            "Estimates and their intervals",
            caption.strip(),
            lambda: self._intervals(measure),
        )

    def _intervals(self, measure: str) -> Figure:
        m = self.measures.index(measure)
        best = pins.first_drawn(self.order(m), self.runs, READABLE)
        # an estimator without a value has a chart, too: one that says so by being empty
        means, *inner, low, high = (ends[m] for ends in self.ends.columns().values())
        return row_charts.intervals(
            pick(self.runs, best),
            row_charts.Ranges(
                means[best],
                low[best],
                high[best],
                np.zeros(len(best), bool),
                inner=[end[best] for end in inner],
            ),
            f"mean {measure}",
            form=".4f",
        )

    def tables(self) -> list[Table]:
        return [Table("estimates", "Estimates", self.frame)]


@experiment(
    "own-sample",
    title="Estimates from these judgments",
    question="What would the score be on all judgments?",
    does="estimate scores on the whole pool from sampled judgments",
    formula=r"\hat{Y} = \sum_{d\ drawn} \frac{y_d}{\pi_d}",
    source="Yilmaz, Kanoulas & Aslam 2008; Aslam, Pavlu & Yilmaz 2006; Horvitz & Thompson 1952",
    pages=("estimates",),
)
def own_sample(work: Work[Params]) -> OwnSample:
    """Estimates the score of each run on the whole pool from judgments that are a
    sample of it. Each mean has an interval over judgments and one over topics. AP,
    nDCG, P and RBP have estimators.

    Judgments that are no sample count as drawn at random from the pool of each topic.
    Raises `ParamError` if no measure has an estimator.
    """
    collection, params = work.collection, work.params
    target_of = _targets(work)
    measures, targets = tuple(target_of), tuple(target_of.values())
    if not measures:
        found = list_few([*work.measures])
        raise ParamError(
            f"own-sample: expected a measure with an estimator ({list_few([*ESTIMATORS_OF])}),"
            f" found {found}."
        )
    asked = distinct(targets)
    means = dict(zip(asked, evaluate(collection, asked).means, strict=True))
    level = params.level / 100
    values = [
        estimate(collection, [one], pairs=False).ends(level=level) for one in work.steps(measures)
    ]
    ends = Ends(np.concatenate(values, axis=1), level, describe_rare_coverage(collection, measures))
    # not always too low: where the tops of lists are drawn more, AP is .289 for .217 on Robust 2003
    raw = np.array(pick(means, targets))
    sample = describe_sample(collection)
    if not sample and not (collection.grade < 0).any():
        sample = "Every document of the pool is judged, so there is nothing to estimate."
    return OwnSample(ends, raw, targets, measures, collection.runs, sample, params)


def _targets(work: Work[Params]) -> dict[Measure, Measure]:
    """Estimator -> the measure that it estimates, of the measures asked for; one that is
    asked for itself is its own target.
    """
    design = work.collection.design
    differ = design is not None and not design.alike
    target_of = {}
    for target in work.measures:
        for one in with_intervals(estimates_of(target)):
            # only statAP and its like support a separate probability for each document
            if differ and not one.metric.name.startswith("stat"):
                continue
            target_of[one] = one if one in work.measures else target
    return target_of
