"""The memory that an experiment announces, against what it takes; and what happens if that is too much."""

import gc
import tracemalloc
from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest

import irmeval
from irmeval.check import qrels_of
from irmeval.core import limits
from irmeval.core.errors import ParamError
from irmeval.core.params import fields, replace_known
from irmeval.experiments import EXPERIMENTS
from irmeval.reading.score_matrix import Matrix
from irmeval.stats.significance import TESTS

BELOW = 1.25
"""How many times as much as it says an experiment may take at most, beside what every one has."""
EVERY = 2e6
"""Bytes that every experiment has: tables, texts, little arrays."""
FEW, MANY = ["AP", "Q"], ["AP", "nDCG@10", "Q", "Bpref", "AP'", "RR", "P@5", "ERR", "RBP(p=0.8)", "R@10", "AWP", "Q'"]
LITTLE = {
    "trials": 1,
    "samples": 40,
    "sets": 40,
    "mixtures": 40,
    "rates": (100.0, 20.0),
    "budgets": (20.0, 50.0),
    "shares": (30.0,),
    "pools": (5, 1),
    "teams": (3, 1),
    "last": 5,
}
SHAPES = {
    "small": ((6, 8, 10, 15), FEW, {}),
    "wide": ((90, 8, 10, 15), FEW, {}),
    "long": ((3, 1500, 6, 4), FEW, {}),
    "deep": ((4, 6, 900, 800), FEW, {}),
    "measures": ((30, 20, 10, 15), MANY, {}),
    "samples": ((20, 200, 6, 4), FEW, {"samples": 900, "sets": 900, "mixtures": 300}),
    "trials": ((30, 20, 10, 15), FEW, {"trials": 4, "rates": (100.0, 80.0, 60.0, 40.0, 20.0)}),
}
"""Runs, topics, documents in a list, judgments of a topic; measures; parameters: each is much of one of them."""
BY_TOPIC = ("orders", "order-fairness", "reproduction")
"""Experiments that go through topics one by one: a sixth of them has to fit with a quarter of what every experiment has beside."""


@cache
def collection(runs: int, topics: int, depth: int, pool: int) -> irmeval.Collection:
    """Runs of two to a team, whose lists have judged documents and as many others."""
    rng = np.random.default_rng(0)
    grades = rng.choice(3, (topics, pool), p=[0.6, 0.25, 0.15])

    def rows(documents: np.ndarray, **columns: np.ndarray) -> pd.DataFrame:
        topic = np.repeat(np.arange(topics), documents.shape[1]).astype(str)
        names = np.char.add(np.char.add(topic, "_"), documents.ravel().astype(str))
        return pd.DataFrame({"qid": topic, "docno": names, **{name: values.ravel() for name, values in columns.items()}})

    frames = {}
    for run in range(runs):
        worth = rng.random((topics, pool + depth)) + 0.3 * np.pad(grades, ((0, 0), (0, depth)), constant_values=1)
        found = np.argsort(-worth, axis=1)[:, :depth]
        frames[f"team{run // 2}_{run}"] = rows(found, score=-np.sort(-worth, axis=1)[:, :depth])
    return irmeval.Collection.from_frames(rows(np.tile(np.arange(pool), (topics, 1)), label=grades), frames)


def work_of(experiment, shape):
    """The record of a call on a collection of that shape."""
    (runs, topics, depth, pool), measures, params = SHAPES[shape]
    c = collection(runs, topics // 6 if shape == "long" and experiment.name in BY_TOPIC else topics, depth, pool)
    source = None if not experiment.data else c
    if experiment.judged:
        source = irmeval.Judges.of({"person": qrels_of(c), "noisy": irmeval.simulated(qrels_of(c), "noisy")})
    if experiment.others:
        source = c.with_judgments("noisy", "simulated:noisy,0.3,1")
    given = {name: value for name, value in (LITTLE | params).items() if name in fields(experiment.params)}
    return experiment.work(source, measures, experiment.params(**given))


def peak(make) -> int:
    """Bytes that were there at most at a time while something was made."""
    tracemalloc.start()
    try:
        make()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@cache
def load_once(name: str) -> None:
    """Load and keep what the first call of an experiment loads and keeps, whichever of its tests comes first in this process."""
    experiment = EXPERIMENTS[name]
    shape = "wide" if name == "variance" else "small"  # which keeps a distribution of so many runs
    experiment.compute(work_of(experiment, shape)).frame()


def varied(experiment) -> list[str]:
    """The shapes in which an experiment has much of something."""
    of_data = ["wide", "long", "deep"] if experiment.data or experiment.judged else []
    own = [shape for shape in ("samples", "trials") if {*SHAPES[shape][2]} & {*fields(experiment.params)}]
    return [*of_data, *(["measures"] if experiment.measured else []), *own]


@pytest.mark.parametrize(("name", "shape"), [(e.name, shape) for e in EXPERIMENTS.values() for shape in varied(e)])
def test_memory_when_there_is_much_of_something_then_it_is_not_more_than_was_said(name, shape):
    experiment = EXPERIMENTS[name]
    load_once(name)
    work = work_of(experiment, shape)
    said = experiment.cost(work).memory
    taken = peak(lambda: experiment.compute(work).frame())
    assert taken <= BELOW * said + (EVERY / 4 if shape == "long" and name in BY_TOPIC else EVERY)


@pytest.mark.parametrize("shape", ["wide", "long", "deep"])
@pytest.mark.parametrize("method", ["at-random", "bandit", "rbp"])
def test_memory_when_documents_are_put_in_an_order_then_it_is_not_more_than_was_said(method, shape):
    work = work_of(EXPERIMENTS["curves"], shape)
    work = replace(work, params=replace_known(work.params, method=method))
    said = EXPERIMENTS["curves"].cost(work).memory
    assert peak(lambda: EXPERIMENTS["curves"].compute(work)) <= BELOW * said + EVERY


@pytest.mark.parametrize("cheap", ["", "simulated:noisy,0.05,1"])
def test_memory_when_scores_are_estimated_then_it_is_not_more_than_was_said_and_grows_with_the_rate(cheap):
    estimates, measures = EXPERIMENTS["estimates"], ["AP", "nDCG", "P@5", "RBP(p=0.8)"]
    work, less = (
        estimates.work(collection(40, 20, 600, 700), measures, estimates.params(trials=1, rates=(rate,), cheap=cheap))
        for rate in (100.0, 10.0)
    )
    said = estimates.cost(work).memory
    taken = peak(lambda: estimates.compute(work))
    assert taken <= BELOW * said + EVERY
    assert estimates.cost(less).memory < 0.8 * said


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize(("runs", "topics"), [(120, 40), (2, 60_000), (20, 3000)])
def test_memory_when_a_matrix_is_tested_then_it_is_not_more_than_was_said(test, runs, topics):
    values = np.random.default_rng(1).random((runs, topics))
    matrix = Matrix("m", tuple(f"r{r}" for r in range(runs)), tuple(map(str, range(topics))), values)
    experiment = EXPERIMENTS["matrix"]
    work = experiment.work(matrix, (), experiment.params(test=test, samples=40))
    said = experiment.cost(work).memory
    assert peak(lambda: experiment.compute(work).frame()) <= BELOW * said + EVERY


@pytest.fixture(scope="module")
def million_topics() -> Matrix:
    return Matrix("m", ("a", "b"), tuple(map(str, range(1_000_000))), np.ones((2, 1_000_000)))


@pytest.mark.parametrize("name", [e.name for e in EXPERIMENTS.values() if e.matrix])
def test_memory_when_there_are_a_million_topics_then_it_is_bounded_and_fits(name, million_topics):
    experiment = EXPERIMENTS[name]
    params = replace_known(experiment.params(), test="bootstrap")  # which draws samples
    cost = experiment.cost(experiment.work(million_topics, params=params))
    assert 16e6 < cost.memory < limits.memory_limit()
    assert cost.large or name in ("topics", "variance", "topics-needed")  # so that it is asked before it is begun


@pytest.mark.parametrize("name", [e.name for e in EXPERIMENTS.values() if e.data and not e.others])
def test_memory_when_less_is_allowed_than_it_takes_then_it_is_refused_with_numbers_and_what_to_lower(name, monkeypatch):
    experiment = EXPERIMENTS[name]
    monkeypatch.setenv("IRMEVAL_MEMORY", "1e-7")
    with pytest.raises(ParamError, match=r"would take \d+\.\d GB, more than the 1e-07 GB allowed. Choose fewer runs, topics, .*MEMORY"):
        experiment.compute(work_of(experiment, "wide"))


def test_scores_when_computed_then_nothing_of_the_work_waits_for_a_collection_of_garbage():
    c = collection(*SHAPES["deep"][0])
    irmeval.evaluate(c, MANY)
    gc.disable()
    try:
        once = peak(lambda: irmeval.evaluate(c, MANY))
        often = peak(lambda: [irmeval.evaluate(c, MANY).means for _ in range(8)])
    finally:
        gc.enable()
    assert often < 1.5 * once
