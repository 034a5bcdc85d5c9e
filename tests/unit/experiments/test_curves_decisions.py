"""Decisions on reduced judgments: a loop over everything, the same samples as the
curves, the same numbers whatever the workers.
"""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

import irmeval
from irmeval.experiments.incompleteness.curves import Params as Watching
from irmeval.experiments.incompleteness.curves import curves
from irmeval.experiments.results import table_named
from irmeval.experiments.watched.decisions import knees_of
from irmeval.stats.bootstrap import resamples
from tests.cases import collection, drawn, tied_collection

DECISIONS = ("order", "pairs", "decisions")
MEASURES = ["AP", "nDCG'", "Bpref"]
RATES = (100.0, 60.0, 20.0)
CELLS = ("c11", "c12", "c21", "c22")
"""Pairs told apart neither on all judgments nor on the sample, only on one, on both."""


def Params(**given):
    """Parameters of decisions on pairs, with rates as levels."""
    rates = {"levels": given.pop("rates")} if "rates" in given else {}
    return Watching(watch=DECISIONS, **rates, **given)


@pytest.fixture(scope="module")
def some() -> irmeval.Collection:
    return tied_collection(*drawn(3, topics=10, runs=5))


def bootstrap_of(x: np.ndarray, y: np.ndarray, samples: int, seed: int) -> float:
    """The paper's words as a loop: the share of resamples whose t is at least as far
    from 0.
    """

    def t(values: list[float]) -> float:
        mean = sum(values) / len(values)
        variance = sum((v - mean) ** 2 for v in values) / (len(values) - 1)
        return (
            abs(mean) / (variance / len(values)) ** 0.5
            if variance > 1e-18
            else np.inf
            if abs(mean) > 1e-12
            else 0.0
        )

    z = [float(a - b) for a, b in zip(x, y, strict=True)]
    if not any(z):
        return 1.0
    w = [v - sum(z) / len(z) for v in z]
    hits = 0
    for counts in resamples(np.random.default_rng(seed), samples, len(z)).astype(int):
        drawn_w = [w[topic] for topic, times in enumerate(counts) for _ in range(times)]
        hits += t(drawn_w) >= t(z) - 1e-9
    return hits / samples


def test_experiment_when_done_as_a_loop_then_every_number_is_the_same(some):
    params = Params(rates=RATES, trials=3, seed=5, test="bootstrap", samples=40, alpha=0.2)
    frame = curves(some, MEASURES, params).frame().set_index(["measure", "level", "trial"])

    def told(measure: str, grades: np.ndarray | None) -> list[bool]:
        scores = irmeval.evaluate(some, [measure], grades=grades).values[0]
        return [bootstrap_of(a, b, 40, 5) < 0.2 for a, b in combinations(scores, 2)]

    for measure in MEASURES:
        full = told(measure, None)
        for rate in RATES:
            sampled = irmeval.reduce(some, "stratified", rate=rate, trials=3, seed=5)
            for trial in (1, 2, 3):
                reduced = full if rate == 100 else told(measure, sampled[trial - 1])
                cells = {(a, b): 0 for a in (False, True) for b in (False, True)}
                for decision in zip(full, reduced, strict=True):
                    cells[decision] += 1
                row = frame.loc[measure, rate, trial]
                assert (row.c11, row.c12, row.c21, row.c22) == tuple(cells.values())
                assert row.power == sum(reduced) / 10
                assert row.accuracy == sum(a == b for a, b in zip(full, reduced, strict=True)) / 10


def test_tau_when_compared_with_the_curves_then_the_samples_are_the_same(some):
    ours = curves(
        some, MEASURES, Params(rates=RATES, trials=4, seed=9, rounding="ceil", samples=20)
    )
    theirs = curves(some, MEASURES, Watching(levels=RATES, trials=4, seed=9, rounding="ceil"))
    assert np.array_equal(ours.values["tau"], theirs.values["tau"])


def test_store_when_alpha_changes_then_nothing_is_scored_again(some, monkeypatch):
    store: dict = {}
    curves(some, MEASURES, Params(rates=RATES, trials=2, samples=50, pairs=4), store=store)
    monkeypatch.setattr(
        "irmeval.experiments.sweep.evaluate_samples", lambda *a, **k: pytest.fail("evaluated again")
    )
    params = Params(rates=RATES, trials=2, samples=50, alpha=0.3, pairs=4, threshold=0.5)
    assert curves(some, MEASURES, params, store=store).values["power"].shape == (3, 1, 3, 2)


def test_work_when_cancelled_then_it_stops_and_what_was_done_is_kept(some):
    def cancel(done: int, total: int) -> None:
        if done > 6:  # all judgments are six steps
            raise irmeval.core.errors.Cancelled("Stopped.")

    store: dict = {}
    with pytest.raises(irmeval.core.errors.Cancelled):
        curves(
            some, ["AP"], Params(rates=RATES, trials=50, samples=50), store=store, progress=cancel
        )
    assert 2 <= sum(map(len, store.values())) < 1 + 2 * 50


def test_knees_when_a_threshold_is_set_then_they_are_those_of_the_mean_curves(some):
    params = Params(rates=(100, 80, 60, 40, 20, 10), trials=3, samples=50, threshold=0.7)
    result = curves(some, ["AP"], params)
    row, knee = table_named(result, "knees").make().iloc[0], knees_of(result)["accuracy"]
    accuracy = result.curve("accuracy")[0, 0]
    reached = [one.asked if one.as_asked else one.left for one in result.realised]
    above = [rate for rate, share in zip(reached, accuracy, strict=True) if share > 0.7]
    assert knee.measured[0] == min(
        above[: next((i for i, s in enumerate(accuracy) if s <= 0.7), None)]
    )
    assert knee.interpolated[0] <= knee.measured[0]
    assert row["accuracy, measured"] == (
        f"< {reached[-1]:.3g}" if accuracy.min() > 0.7 else f"{knee.measured[0]:.1f}"
    )


def test_errors_when_tabled_then_they_are_the_made_up_of_those_told_apart(some):
    result = curves(some, MEASURES, Params(rates=RATES, trials=3, alpha=0.3))
    table = table_named(result, "errors").make().set_index("measure")
    for m, name in enumerate(MEASURES):
        made_up = result.values["c12"][m, 0, -1].tolist()
        told = (result.values["c12"] + result.values["c22"])[m, 0, -1].tolist()
        assert table.loc[name, "of these not on all judgments"] == pytest.approx(np.mean(made_up))
        assert table.loc[name, "told apart at 20%"] == pytest.approx(np.mean(told))
        assert table.loc[name, "error rate"] == pytest.approx(sum(made_up) / sum(told), nan_ok=True)


@pytest.mark.parametrize("test", ["wilcoxon", "bootstrap"])
def test_decisions_when_each_pair_has_its_pool_then_are_those_of_the_two_with_these_judgments(
    test,
):
    judgments, scores = drawn(3, topics=10, runs=4)
    params = Params(
        rates=(100, 30), trials=2, seed=5, samples=40, alpha=0.3, test=test, sample_of="pair"
    )
    collection = irmeval.Collection.from_dicts(judgments, scores)
    found = curves(collection, MEASURES, params)
    runs, power, told = found.runs, 0, dict.fromkeys(CELLS, 0)
    for pair in combinations(runs, 2):
        seen = {
            topic: {d for run in pair for d in scores[run].get(topic, {})} for topic in judgments
        }
        pool = {
            topic: {d: g for d, g in grades.items() if d in seen[topic]}
            for topic, grades in judgments.items()
        }
        two = irmeval.Collection.from_dicts(
            {topic: grades for topic, grades in pool.items() if grades},
            {run: scores[run] for run in pair},
        )
        alone = curves(two, MEASURES, replace(params, sample_of="all"))
        power = power + alone.values["power"] / 6
        told = {cell: told[cell] + alone.values[cell] for cell in CELLS}
    np.testing.assert_allclose(found.values["power"], power)
    for cell in CELLS:
        np.testing.assert_array_equal(found.values[cell], told[cell])
    assert 0 < found.values["power"].min() < found.values["power"].max()


def test_topics_when_a_measure_loses_them_with_judgments_then_samples_without_a_test_are_left_out():
    grades = {"n": 0, "a": 2, "b": 1, "c": 1, "d": 1}
    judgments = dict.fromkeys("1234", grades)
    rankings = {f"run{i}": {t: ["n", "a", "b", "c", "d"][i:] for t in "1234"} for i in range(3)}
    result = curves(
        collection(judgments, rankings),
        ["AP(rel=2)"],
        Params(rates=(100, 20), trials=8, samples=20),
    )
    topics = result.values["topics"][0, 0]
    few = topics[1] < 2
    assert topics[0].tolist() == [4] * 8
    assert few.any()
    assert np.isnan(result.frame()["power"]).tolist() == [False] * 8 + few.tolist()
    assert np.isnan(result.frame()["c11"]).tolist() == [False] * 8 + few.tolist()
    known = result.frame()["power"][8:][~few]
    assert result.summary()["power"].iloc[1] == pytest.approx(known.mean())
    assert table_named(result, "power").make()["power"].item() == pytest.approx(known.mean())
    assert f"finds {known.mean():.1%} of 3 pairs significant" in result.headline()
    assert "no two runs have 2 topics with a score for both are left out" in result.headline()
