"""Experiments against one another, and against what they are made of."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import irmeval
from irmeval.core import parallel
from irmeval.core.errors import ParamError
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.base import check_fits
from irmeval.reading.score_matrix import Matrix
from irmeval.reductions.base import REDUCTIONS, reduction
from irmeval.report import exports
from irmeval.stats.correlation import CORRELATIONS
from irmeval.stats.significance import TESTS, compare
from tests.cases import collection
from tests.small_work import MEASURES, tied


@pytest.fixture(scope="module")
def c() -> irmeval.Collection:
    return tied(12, 6)


@pytest.mark.parametrize("test", [name for name, found in TESTS.items() if found.simulated])
def test_pairs_when_many_are_tested_then_the_work_can_be_stopped_between_blocks(test):
    looks = []
    with parallel.watch_for_cancel(lambda: looks.append(1)):
        compare(np.random.default_rng(1).random((60, 5)), test, samples=2000)
    assert len(looks) > 2


def test_progress_when_judgments_disappear_then_a_step_counts_as_many_as_it_takes_long_and_what_is_kept_is_done_at_first(c):
    curves, store, told = EXPERIMENTS["curves"], {}, []
    for trials in (2, 3):
        told.clear()
        params = curves.params(rates=(100.0, 50.0, 10.0), trials=trials)
        curves(c, ["AP"], params, store=store, progress=lambda *step: told.append(step))
        # 6 for all judgments, then 3 and 1 a trial
        assert (next(step for step in told if step[1] > 1), told[-1]) == (((0, 14), (14, 14)) if trials == 2 else ((14, 18), (18, 18)))
    curves(c, ["AP"], curves.params(rates=(50.0,), trials=9, method="by-depth"), progress=lambda *step: told.append(step))
    assert told[-1] == (9, 9)  # as all trials of this method are alike


SHOWN_SO_FAR = [("curves", "stratified", {6 + 50 * 4}), ("curves", "by-depth", {10}), ("estimates", "", {50})]


@pytest.mark.parametrize(("name", "method", "totals"), SHOWN_SO_FAR)
def test_progress_when_results_so_far_are_shown_then_all_that_was_asked_for_is_counted(c, name, method, totals):
    experiment, told = EXPERIMENTS[name], []
    params = experiment.params(rates=(50.0, 10.0), trials=50, **({"method": method} if method else {}))
    work = experiment.work(c, ["infAP" if name == "estimates" else "AP"], params, progress=lambda *step: told.append(step))
    ends = []
    for _ in experiment.compute_in_steps(work):
        ends.append(told[-1][0])
    assert {total for _, total in told if total != 1} == totals
    assert told[-1][0] == told[-1][1]
    if not method:
        assert ends == [1, 10, 50]
        told.clear()
        list(experiment.compute_in_steps(replace(work, params=replace(params, trials=60))))
        assert [*dict.fromkeys(done for done, total in told if total > 1)] == [1, 10, *range(50, 61)]  # kept trials are done at first


@pytest.mark.parametrize("shape", [(8, 126, 250), (8, 10, 5000), (8, 2, 1_000_000)])
def test_work_when_its_scores_fit_then_no_experiment_refuses_it(shape):
    check_fits(SimpleNamespace(source=True, shape=shape), "Any", compares=True)


def test_pairs_when_there_are_more_than_fit_then_they_are_refused_before_any_is_made(monkeypatch):
    many = Matrix("m", tuple(f"r{i}" for i in range(20_000)), ("1", "2"), np.random.default_rng(1).random((20_000, 2)))
    with pytest.raises(ParamError, match=r"the scores of 20,000 runs x 2 topics by 1 measure would take 3.2 GB, more than the 2 GB"):
        EXPERIMENTS["matrix"](many)


def test_experiment_when_the_limit_of_memory_is_no_number_then_says_so(monkeypatch):
    monkeypatch.setenv("IRMEVAL_MEMORY", "much")
    with pytest.raises(ParamError, match="expected a number of gigabytes above 0, found 'much'"):
        EXPERIMENTS["matrix"](Matrix("m", ("a", "b"), ("1", "2"), np.eye(2)))


def test_rate_reduction_when_it_has_no_rounding_then_curves_are_drawn_by_it(c, monkeypatch):
    monkeypatch.setattr(REDUCTIONS, "_items", dict(REDUCTIONS))

    @reduction("alternate", source="made up")
    def alternate(collection, levels, rng):
        """Keep every second judgment. At any rate."""
        return np.stack([np.where(np.arange(collection.grade.size) % 2, collection.grade, -1) for _ in levels])

    params = EXPERIMENTS["curves"].params(rates=(50,), trials=1)
    object.__setattr__(params, "method", "alternate")  # choices were listed before it was there
    found = EXPERIMENTS["curves"](c, ["AP"], params)
    kept = np.where(np.arange(c.grade.size) % 2, c.grade, -1)
    assert np.array_equal(found.means[0, 0, 0], irmeval.evaluate(c, ["AP"], grades=kept).means[0])


def test_random_pairs_when_drawn_then_every_pair_has_its_chance_and_seeds_differ(c):
    experiment = EXPERIMENTS["decisions"]
    base = experiment.params(rates=(100,), trials=1, alpha=0.4)
    whole = experiment(c, ["AP"], base).full[0]
    shares = []
    for seed in range(60):
        shares.append(tuple(experiment(c, ["AP"], replace(base, pairs=5, seed=seed)).full[0]))
    assert 0 < whole.sum() < len(whole)  # so that different pairs have different decisions
    assert len(set(shares)) > 4
    assert abs(np.mean(shares) - whole.mean()) < 0.1


@pytest.mark.parametrize("rate", [20.0, 40.0])
def test_scorecard_when_judged_at_a_rate_then_each_column_is_its_experiments_at_that_rate(c, rate):
    card, decisions, curves = (EXPERIMENTS[name] for name in ("scorecard", "decisions", "curves"))
    result = card(c, MEASURES, card.params(rate=rate, trials=4, samples=60, sets=30))
    found, left = result.numbers().set_index("measure"), f"{result.reduced.amount}{result.reduced.beside}"
    told = decisions(c, MEASURES, decisions.params(rates=(100, rate), trials=4, samples=60))
    errors = told.table_of_errors().set_index("measure")["error rate"]
    tau = curves(c, MEASURES, curves.params(rates=(rate,), trials=4)).tau[:, 0].mean(axis=-1)
    for m, name in enumerate(told.measures):
        assert found.loc[name, f"errors at {left}"] == pytest.approx(errors[name], nan_ok=True)
        assert found.loc[name, f"power at {left}"] == pytest.approx(told.power[m, 1].mean())
        assert found.loc[name, "power at 100%"] == told.full[m].mean()
        assert found.loc[name, f"tau at {left}"] == pytest.approx(tau[m])


def test_knee_when_below_the_lowest_rate_then_decisions_and_scorecard_say_so_alike():
    topics = [str(t) for t in range(1, 6)]
    # the only relevant document of a topic is never taken away, and run r has it at rank r + 1
    rankings = {f"run{r}": {t: [*(f"x{i}" for i in range(r)), "good"] for t in topics} for r in range(4)}
    c = collection({t: {"good": 1} | {f"bad{i}": 0 for i in range(30)} for t in topics}, rankings)
    decisions, card = EXPERIMENTS["decisions"], EXPERIMENTS["scorecard"]
    knees = decisions(c, ["RR"], decisions.params(rates=(100, 50, 10), trials=1, samples=20)).table_of_knees()
    assert set(knees.iloc[0, 1:]) == {"< 35.5"}  # 1 and 10 of 31, however few are asked for
    assert card(c, ["RR"], card.params(trials=1, samples=20, sets=10)).frame()["rate for tau .9 (%)"].tolist() == ["< 35.5"]


def tau_ap_by_ranks(x, gold) -> float:
    """Yilmaz, Aslam & Robertson 2008, eq. 1, without ties."""
    order = sorted(range(len(x)), key=lambda r: -x[r])
    rightly = [sum(gold[above] > gold[order[i]] for above in order[:i]) / i for i in range(1, len(x))]
    return 2 / (len(x) - 1) * sum(rightly) - 1


@pytest.mark.parametrize("name", CORRELATIONS)
def test_agreement_when_a_correlation_is_not_symmetric_then_the_column_is_taken_as_right(c, name):
    experiment = EXPERIMENTS["agreement"]
    measures = ["AP", "P@5", "nDCG"]
    values = experiment(c, measures, experiment.params(correlation=name)).values
    means = irmeval.evaluate(c, measures).means
    for i, x in enumerate(means):
        for j, gold in enumerate(means):
            assert values[i, j] == pytest.approx(float(CORRELATIONS[name].compute(x, gold)), nan_ok=True)
            if name == "tau_ap" and len(set(x)) == len(set(gold)) == len(x):
                assert values[i, j] == pytest.approx(tau_ap_by_ranks(x, gold))
    if name == "tau_ap":
        assert not np.allclose(values, values.T)


@pytest.mark.parametrize("trial", [1, 3])
@pytest.mark.parametrize("method", ["stratified", "uniform"])
def test_sample_when_taken_away_then_it_is_that_of_its_trial_and_rate(c, method, trial):
    params = EXPERIMENTS["curves"].params(trials=3, seed=8, rounding="ceil", method=method)
    grades = irmeval.reduce(c, method, rate=40, trials=3, seed=8, rounding="ceil")[trial - 1]
    lines = [line.split() for line in exports.sample(c, params, 40.0, trial).splitlines()]
    assert [int(grade) for *_, grade in lines] == grades.tolist()
    assert [document for _, _, document, _ in lines] == c.documents.to_pylist()


@pytest.mark.parametrize("test", ["bootstrap", "randomization"])
def test_p_when_no_sample_reaches_it_then_it_is_below_one_in_so_many_never_zero(test):
    values = np.array([[0.9, 0.8, 0.95, 0.9, 0.85], [0.1, 0.2, 0.1, 0.3, 0.2], [0.5, 0.2, 0.4, 0.6, 0.3]])
    experiment = EXPERIMENTS["matrix"]
    params = experiment.params(test=test, samples=50)
    result = experiment(Matrix("m", ("a", "b", "c"), tuple("12345"), values), params=params)
    said = [*result.detailed()["p_alone"], *result.detailed()["p_at_once"], result.pair("m", "a", "b").facts()["p alone"]]
    assert "0" not in said
    if test == "bootstrap":
        assert said[0] == said[-1] == "< 0.02"
        assert "p < 0.02" in result.pair("m", "a", "b").headline()
    assert "p < 0.02" not in result.pair("m", "a", "b").headline() or test == "bootstrap"
