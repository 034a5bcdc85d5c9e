"""Decisions on reduced judgments: a loop over everything, the same samples as the
curves, the same numbers whatever the workers.
"""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

import irmeval
from irmeval.experiments.incompleteness import curves
from irmeval.experiments.incompleteness.decisions import Params, significance_decisions
from irmeval.experiments.results import table_named
from irmeval.stats.bootstrap import resamples
from tests.cases import collection, drawn, tied_collection

MEASURES = ["AP", "nDCG'", "Bpref"]
RATES = (100.0, 60.0, 20.0)


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
    frame = (
        significance_decisions(some, MEASURES, params)
        .frame()
        .set_index(["measure", "rate", "trial"])
    )

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
    ours = significance_decisions(
        some, MEASURES, Params(rates=RATES, trials=4, seed=9, rounding="ceil", samples=20)
    )
    theirs = curves.incompleteness(
        some, MEASURES, curves.Params(rates=RATES, trials=4, seed=9, rounding="ceil")
    )
    assert np.array_equal(ours.tau, theirs.tau)


def test_store_when_alpha_changes_then_nothing_is_tested_again(some, monkeypatch):
    store: dict = {}
    significance_decisions(
        some, MEASURES, Params(rates=RATES, trials=2, samples=50, pairs=4), store=store
    )
    monkeypatch.setattr(
        "irmeval.experiments.sweep.evaluate", lambda *a, **k: pytest.fail("evaluated again")
    )
    params = Params(rates=RATES, trials=2, samples=50, alpha=0.3, pairs=4, threshold=0.5)
    assert significance_decisions(some, MEASURES, params, store=store).full.shape == (3, 4)


def test_work_when_cancelled_then_it_stops_and_what_was_done_is_kept(some):
    def cancel(done: int, total: int) -> None:
        if done > 6:  # all judgments are six steps
            raise irmeval.core.errors.Cancelled("Stopped.")

    store: dict = {}
    with pytest.raises(irmeval.core.errors.Cancelled):
        significance_decisions(
            some, ["AP"], Params(rates=RATES, trials=50, samples=50), store=store, progress=cancel
        )
    assert 2 <= sum(map(len, store.values())) < 1 + 2 * 50


def test_knees_when_a_threshold_is_set_then_they_are_those_of_the_mean_curves(some):
    params = Params(rates=(100, 80, 60, 40, 20, 10), trials=3, samples=50, threshold=0.7)
    result = significance_decisions(some, ["AP"], params)
    row, knee = result.table_of_knees().iloc[0], result.knees()["accuracy"]
    accuracy = result.decisions.accuracy[0].mean(axis=-1)
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
    result = significance_decisions(some, MEASURES, Params(rates=RATES, trials=3, alpha=0.3))
    table = result.table_of_errors().set_index("measure")
    for m, name in enumerate(MEASURES):
        made_up = [np.count_nonzero(~result.full[m] & result.reduced[m, -1, t]) for t in range(3)]
        told = [np.count_nonzero(result.reduced[m, -1, t]) for t in range(3)]
        assert table.loc[name, "of these not at 100%"] == pytest.approx(np.mean(made_up))
        assert table.loc[name, "told apart at 20%"] == pytest.approx(np.mean(told))
        assert table.loc[name, "error rate"] == pytest.approx(sum(made_up) / sum(told), nan_ok=True)


@pytest.mark.parametrize("test", ["wilcoxon", "bootstrap"])
def test_decisions_when_each_pair_has_its_pool_then_are_those_of_the_two_with_these_judgments(
    test,
):
    judgments, scores = drawn(3, topics=10, runs=4)
    params = Params(
        rates=(100, 30), trials=2, seed=5, samples=40, alpha=0.3, test=test, pool="pair"
    )
    collection = irmeval.Collection.from_dicts(judgments, scores)
    found = significance_decisions(collection, MEASURES, params)
    runs = found.runs
    for k, pair in enumerate(combinations(runs, 2)):
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
        alone = significance_decisions(two, MEASURES, replace(params, pool="all"))
        np.testing.assert_array_equal(found.full[:, k], alone.full[:, 0])
        np.testing.assert_array_equal(found.reduced[..., k], alone.reduced[..., 0])
    assert found.reduced.any()
    assert not found.reduced.all()


def test_topics_when_a_measure_loses_them_with_judgments_then_samples_without_a_test_are_left_out():
    grades = {"n": 0, "a": 2, "b": 1, "c": 1, "d": 1}
    judgments = dict.fromkeys("1234", grades)
    rankings = {f"run{i}": {t: ["n", "a", "b", "c", "d"][i:] for t in "1234"} for i in range(3)}
    result = significance_decisions(
        collection(judgments, rankings),
        ["AP(rel=2)"],
        Params(rates=(100, 20), trials=8, samples=20),
    )
    few = result.topics[0, 1] < 2
    assert result.topics[0, 0].tolist() == [4] * 8
    assert few.any()
    assert np.isnan(result.frame()["power"]).tolist() == [False] * 8 + few.tolist()
    assert np.isnan(result.frame()["c11"]).tolist() == [False] * 8 + few.tolist()
    known = result.frame()["power"][8:][~few]
    assert result.summary()["power"].iloc[1] == pytest.approx(known.mean())
    assert table_named(result, "power").make()["power"].item() == pytest.approx(known.mean())
    assert f"finds {known.mean():.1%} of 3 pairs significant" in result.headline()
    assert "no two runs have 2 topics with a score for both are left out" in result.headline()
