"""Experiments against one another, and against what they are made of."""

from collections import Counter
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import irmeval
from irmeval.core import parallel
from irmeval.core.errors import ParamError
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.base import check_fits
from irmeval.experiments.results import table_named
from irmeval.reading.score_matrix import Matrix
from irmeval.reductions.base import REDUCTIONS, reduction
from irmeval.report import exports
from irmeval.stats.significance import TESTS, compare
from tests.cases import collection
from tests.small_work import SMALL, params_of, tied


@pytest.fixture(scope="module")
def c() -> irmeval.Collection:
    return tied(12, 6)


@pytest.mark.parametrize("test", [name for name, found in TESTS.items() if found.simulated])
def test_pairs_when_many_are_tested_then_the_work_can_be_stopped_between_blocks(test):
    looks = []
    with parallel.watch_for_cancel(lambda: looks.append(1)):
        compare(np.random.default_rng(1).random((60, 5)), test, samples=2000)
    assert len(looks) > 2


def test_store_when_it_holds_every_measure_then_an_experiment_answers_from_it(c):
    for experiment in map(EXPERIMENTS.__getitem__, ("matrix", "variance", "power")):
        params, store = params_of(experiment, SMALL), {}
        first, again = (experiment(c, ["AP", "nDCG"], params, store=store) for _ in range(2))
        assert again.headline() == first.headline()


def test_progress_when_judgments_disappear_then_steps_count_by_time_and_what_is_kept_is_done_first(
    c,
):
    curves, store, told = EXPERIMENTS["curves"], {}, []
    for trials in (2, 3):
        told.clear()
        params = curves.params(levels=(100.0, 50.0, 10.0), trials=trials)
        curves(c, ["AP"], params, store=store, progress=lambda *step: told.append(step))
        # 6 for all judgments, then 3 and 1 a trial
        assert (next(step for step in told if step[1] > 1), told[-1]) == (
            ((0, 14), (14, 14)) if trials == 2 else ((14, 18), (18, 18))
        )
    curves(
        c,
        ["AP"],
        curves.params(levels=(50.0,), trials=9, method="by-depth"),
        progress=lambda *step: told.append(step),
    )
    assert told[-1] == (9, 9)  # as all trials of this method are alike


def test_trials_when_alike_at_some_levels_then_one_of_them_is_computed_there(c):
    orders = EXPERIMENTS["orders"]
    work = orders.work(c, ["AP"], orders.params(trials=3, budgets=(20,)), store={})
    orders.compute(work)
    times = Counter(key[3] for key in work.cache if key[0] == "cell" and key[2] == "AP")
    assert (times["by-depth", 20], times["at-random", 20]) == (1, 3)


SHOWN_SO_FAR = [
    ("curves", "stratified", {6 + 50 * 4}),
    ("curves", "by-depth", {10}),
    ("estimates", "", {50}),
]


@pytest.mark.parametrize(("name", "method", "totals"), SHOWN_SO_FAR)
def test_progress_when_results_so_far_are_shown_then_all_that_was_asked_for_is_counted(
    c, name, method, totals
):
    experiment, told = EXPERIMENTS[name], []
    at = {"levels" if name == "curves" else "rates": (50.0, 10.0)}
    params = experiment.params(trials=50, **at, **({"method": method} if method else {}))
    work = experiment.work(
        c,
        ["infAP" if name == "estimates" else "AP"],
        params,
        progress=lambda *step: told.append(step),
    )
    ends = []
    for _ in experiment.compute_in_steps(work):
        ends.append(told[-1][0])
    assert {total for _, total in told if total != 1} == totals
    assert told[-1][0] == told[-1][1]
    if not method:
        assert ends == [1, 10, 50]
        told.clear()
        list(experiment.compute_in_steps(replace(work, params=replace(params, trials=60))))
        # kept trials are done at first
        assert [*dict.fromkeys(done for done, total in told if total > 1)] == [
            1,
            10,
            *range(50, 61),
        ]


@pytest.mark.parametrize("shape", [(8, 126, 250), (8, 10, 5000), (8, 2, 1_000_000)])
def test_work_when_its_scores_fit_then_no_experiment_refuses_it(shape):
    check_fits(SimpleNamespace(source=True, shape=shape), "Any", compares=True)


def test_pairs_when_there_are_more_than_fit_then_they_are_refused_before_any_is_made(monkeypatch):
    many = Matrix(
        "m",
        tuple(f"r{i}" for i in range(20_000)),
        ("1", "2"),
        np.random.default_rng(1).random((20_000, 2)),
    )
    with pytest.raises(
        ParamError,
        match=(
            r"the scores of 20,000 runs x 2 topics by 1 measure would take 3.2 GB, more than the"
            r" 2 GB"
        ),
    ):
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
        return np.stack(
            [np.where(np.arange(collection.grade.size) % 2, collection.grade, -1) for _ in levels]
        )

    params = EXPERIMENTS["curves"].params(levels=(50,), trials=1)
    object.__setattr__(params, "method", "alternate")  # choices were listed before it was there
    found = EXPERIMENTS["curves"](c, ["AP"], params)
    kept = np.where(np.arange(c.grade.size) % 2, c.grade, -1)
    assert np.array_equal(
        found.means[0, 0, 0, 0], irmeval.evaluate(c, ["AP"], grades=kept).means[0]
    )


def test_knee_when_below_the_lowest_rate_then_decisions_and_scorecard_say_so_alike():
    topics = [str(t) for t in range(1, 6)]
    # the only relevant document of a topic is never taken away, and run r has it at rank r + 1
    rankings = {
        f"run{r}": {t: [*(f"x{i}" for i in range(r)), "good"] for t in topics} for r in range(4)
    }
    c = collection({t: {"good": 1} | {f"bad{i}": 0 for i in range(30)} for t in topics}, rankings)
    curves, card = EXPERIMENTS["curves"], EXPERIMENTS["scorecard"]
    asked = {"levels": (100, 50, 10), "trials": 1, "samples": 20, "watch": ("order", "decisions")}
    knees = table_named(curves(c, ["RR"], **asked), "knees").make()
    assert set(knees.iloc[0, 1:]) == {"< 35.5"}  # 1 and 10 of 31, however few are asked for
    assert card(c, ["RR"], card.params(trials=1, samples=20, sets=10)).frame()[
        "rate for tau 0.9 (%)"
    ].tolist() == ["< 35.5"]


@pytest.mark.parametrize("trial", [1, 3])
@pytest.mark.parametrize("method", ["stratified", "uniform"])
def test_sample_when_taken_away_then_it_is_that_of_its_trial_and_rate(c, method, trial):
    params = EXPERIMENTS["curves"].params(trials=3, seed=8, rounding="ceil", method=method)
    grades = irmeval.reduce(c, method, rate=40, trials=3, seed=8, rounding="ceil")[trial - 1]
    lines = [line.split() for line in exports.sample(c, params, 40.0, trial, {}).splitlines()]
    assert [int(grade) for *_, grade in lines] == grades.tolist()
    assert [document for _, _, document, _ in lines] == c.documents.to_pylist()
