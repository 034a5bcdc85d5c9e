"""Curves of mean score and rank correlation, cell by cell."""

import re
from functools import cache

import numpy as np
import pytest

from irmeval import REDUCTIONS, ParamError, evaluate, read_collection, reduce
from irmeval.experiments.incompleteness.curves import Params, curves
from irmeval.experiments.watched.base import MEANS, STATISTICS, statistic
from irmeval.plots.colors import GREY, faint
from irmeval.plots.line_charts import PALE
from irmeval.reductions import ORDERS, draw
from irmeval.stats.correlation import CORRELATIONS, critical_tau
from tests.cases import collection, drawn, refusal

MEASURES = ["AP", "AP'", "P@5"]
RATES = (100.0, 40.0, 10.0)


@pytest.fixture(scope="module")
def some():
    return collection(*drawn(3, topics=12, runs=6))


@pytest.fixture(scope="module")
def reduced(some):
    """The means by a measure on the judgments of a trial that are left at a rate."""

    def means(measure, rate, trial):
        grades = draw(some, "stratified", [rate], trial, 7)[0] if rate < 100 else some.grade
        return evaluate(some, [measure], grades=grades).means[0]

    return cache(means)


@pytest.mark.parametrize("gold", ["", "map", "nDCG@3"])
@pytest.mark.parametrize("name", CORRELATIONS)
def test_correlation_when_chosen_then_each_cell_compares_the_reduced_order_with_the_yardsticks(
    some, reduced, name, gold
):
    found = curves(
        some, MEASURES, Params(levels=RATES, trials=3, seed=7, correlation=name, gold=gold)
    )
    full, column = evaluate(some, MEASURES).means, "tau" if name == "tau_b" else name
    for m, measure in enumerate(MEASURES):
        yardstick = evaluate(some, [gold]).means[0] if gold else full[m]
        for r, rate in enumerate(RATES):
            for trial in (1, 2, 3):
                expected = CORRELATIONS[name].compute(reduced(measure, rate, trial), yardstick)
                value = found.values[column][m, 0, r, trial - 1]
                np.testing.assert_allclose(value, expected, rtol=0, atol=1e-12)
    assert found.frame()[column].to_numpy() == pytest.approx(
        found.values[column].ravel(), nan_ok=True
    )
    assert CORRELATIONS[name].label in found.charts()[1].title
    critical = f"exceeds {critical_tau(len(some.runs)):.2f} in absolute value"
    assert (critical in " ".join(found.notes())) == CORRELATIONS[name].kendall
    of_gold = re.search("keeps the order (of the runs )?by AP", found.headline())
    assert bool(of_gold) == (gold == "map")


@pytest.mark.parametrize("method", ORDERS)
def test_order_when_it_is_the_method_then_cells_are_on_what_it_judges_first_and_like_trials_are_one(
    some, method
):
    asked, trials = [], 3
    found = curves(
        some,
        ["AP"],
        Params(levels=RATES, trials=trials, seed=7, method=method),
        progress=lambda done, all: asked.append(all),
    )
    for r, budget in enumerate(RATES[1:], 1):
        for trial, grades in enumerate(reduce(some, method, budget=budget, trials=trials, seed=7)):
            assert np.array_equal(
                found.means[0, 0, r, trial], evaluate(some, ["AP"], grades=grades).means[0]
            )
    different = trials if REDUCTIONS[method].random else 1
    # steps on all, on 40% and on 10% of the judgments, by what they take
    assert max(asked) == 6 + (2 + 1) * different
    assert len({*found.means[0, 0, 2, :, 0]}) <= different


def test_store_when_the_yardstick_changes_then_nothing_is_scored_again(some, monkeypatch):
    store: dict = {}
    curves(some, MEASURES, Params(levels=RATES, trials=2), store=store)
    monkeypatch.setattr(
        "irmeval.experiments.sweep.evaluate_samples", lambda *a, **k: pytest.fail("scored again")
    )
    found = curves(
        some, MEASURES, Params(levels=RATES, trials=2, correlation="rbo", gold="P@5"), store=store
    )
    assert found.values["rbo"].shape == (3, 1, 3, 2)


@pytest.mark.parametrize("which", ["nothing relevant", "nothing found"])
@pytest.mark.parametrize("name", CORRELATIONS)
def test_headline_when_there_is_nothing_to_find_then_it_still_says_something(nothing, which, name):
    found = curves(
        read_collection(*nothing[which]),
        ["AP", "nDCG"],
        Params(trials=2, correlation=name, method="uniform"),
    )
    said = found.verdict()
    assert said.claim == "There is nothing to compare."
    assert said.beside.startswith("Every run scores 0 on all judgments, or has no score with ")


def test_measure_when_drawn_on_several_charts_then_has_one_colour_on_all(some):
    # alone, either would have the colour of P
    found = curves(some, ["P@5", "P@10"], Params(levels=RATES, trials=1))
    mean = {trace.name: trace.line.color for trace in found.charts()[0].draw().data}
    for measure in ("P@5", "P@10"):
        drawn = {trace.line.color for trace in found.chart_of_runs(measure).draw().data}
        assert drawn - {faint(GREY, PALE)} == {mean[measure]}


def test_statistics_when_two_have_a_column_of_one_name_then_are_refused_together(some, monkeypatch):
    monkeypatch.setattr(STATISTICS, "_items", dict(STATISTICS.items()))

    def twin(whole, here, params):
        return {"mean": here["means"] / 2}

    record = {"words": "half", "curves": lambda result: [], "says": lambda result: ""}
    statistic("twin", reads=(MEANS,), **record)(twin)
    params = Params(watch=("mean", "twin"), levels=(50,), trials=2)
    told = refusal(ParamError, curves, some, ["AP"], params)
    assert "found 'mean' of 'twin', which another one has, too. Leave one out." in told
