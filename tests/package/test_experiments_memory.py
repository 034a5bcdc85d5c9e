"""The memory that an experiment takes, against what is allowed; and what happens if the
scores alone are too much.
"""

import gc
import re
import tracemalloc
from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest

import irmeval
from irmeval.check import qrels_of
from irmeval.core.errors import ParamError
from irmeval.core.params import replace_known
from irmeval.experiments import EXPERIMENTS
from irmeval.reading.score_matrix import Matrix
from irmeval.stats.significance import TESTS
from tests.small_work import params_of

LIMIT = 0.02
"""Gigabytes that are allowed where blocks have to be small; half of what some
experiments would take.
"""
FEW, MANY = (
    ["AP", "Q"],
    [
        "AP",
        "nDCG@10",
        "Q",
        "Bpref",
        "AP'",
        "RR",
        "P@5",
        "ERR",
        "RBP(p=0.8)",
        "R@10",
        "AWP",
        "Q'",
    ],
)
LITTLE = {
    "trials": 1,
    "samples": 40,
    "sets": 40,
    "mixtures": 40,
    "rates": (100.0, 20.0),
    "budgets": (20.0, 50.0),
    "levels": (100.0, 20.0),
    "last": 5,
}
SHAPES = {
    "wide": ((90, 50, 20, 30), FEW, {"samples": 1000, "sets": 1000}),
    "long": ((6, 2000, 6, 4), FEW, {"samples": 200, "sets": 200}),
    "deep": ((8, 20, 1000, 800), FEW, {}),
}
"""Runs, topics, documents in a list, judgments of a topic; measures; parameters: much
of one of them in each.
"""
BY_TOPIC = ("orders", "order-fairness", "reproduction", "what-if")
"""Experiments that go through topics one by one: a sixth of them is enough."""


@cache
def collection(runs: int, topics: int, depth: int, pool: int) -> irmeval.Collection:
    """Runs of two to a team, whose lists have judged documents and as many others."""
    rng = np.random.default_rng(0)
    grades = rng.choice(3, (topics, pool), p=[0.6, 0.25, 0.15])

    def rows(documents: np.ndarray, **columns: np.ndarray) -> pd.DataFrame:
        topic = np.repeat(np.arange(topics), documents.shape[1]).astype(str)
        names = np.char.add(np.char.add(topic, "_"), documents.ravel().astype(str))
        return pd.DataFrame(
            {
                "qid": topic,
                "docno": names,
                **{name: values.ravel() for name, values in columns.items()},
            }
        )

    frames = {}
    for run in range(runs):
        worth = rng.random((topics, pool + depth)) + 0.3 * np.pad(
            grades, ((0, 0), (0, depth)), constant_values=1
        )
        found = np.argsort(-worth, axis=1)[:, :depth]
        frames[f"team{run // 2}_{run}"] = rows(found, score=-np.sort(-worth, axis=1)[:, :depth])
    return irmeval.Collection.from_frames(
        rows(np.tile(np.arange(pool), (topics, 1)), label=grades), frames
    )


def work_of(experiment, shape):
    """The record of a call on a collection of that shape."""
    (runs, topics, depth, pool), measures, params = SHAPES[shape]
    c = collection(
        runs,
        topics // 6 if shape == "long" and experiment.name in BY_TOPIC else topics,
        depth,
        pool,
    )
    source = None if not experiment.data else c
    if experiment.judged:
        source = irmeval.Judges.of(
            {"person": qrels_of(c), "noisy": irmeval.simulated(qrels_of(c), "noisy")}
        )
    if experiment.others:
        source = c.with_judgments("noisy", "simulated:noisy,0.3,1")
    return experiment.work(source, measures, params_of(experiment, LITTLE | params))


def peak(make) -> int:
    """Bytes that were there at most at a time while something was made."""
    tracemalloc.start()
    try:
        make()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", [e.name for e in EXPERIMENTS.values() if e.data or e.judged])
def test_memory_when_little_is_allowed_then_no_more_is_taken_and_each_number_is_the_same_to_the_bit(
    name, shape, monkeypatch
):
    experiment, results = EXPERIMENTS[name], []
    at_ease = experiment.compute(work_of(experiment, shape)).frame()
    monkeypatch.setenv("IRMEVAL_MEMORY", str(LIMIT))
    work = work_of(experiment, shape)
    taken = peak(lambda: results.append(experiment.compute(work)))
    pd.testing.assert_frame_equal(results[0].frame(), at_ease, check_exact=True)
    assert taken < LIMIT * 1e9


@pytest.mark.parametrize("method", ["at-random", "bandit", "rbp"])
def test_memory_when_documents_are_put_in_an_order_and_little_is_allowed_then_no_more_is_taken(
    method, monkeypatch
):
    monkeypatch.setenv("IRMEVAL_MEMORY", str(LIMIT))
    work = work_of(EXPERIMENTS["curves"], "deep")
    work = replace(work, params=replace_known(work.params, method=method))
    assert peak(lambda: EXPERIMENTS["curves"].compute(work)) < LIMIT * 1e9


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize(("runs", "topics"), [(120, 40), (2, 60_000), (20, 3000)])
def test_memory_when_little_is_allowed_for_a_matrix_then_no_more_is_taken_and_p_is_the_same(
    test, runs, topics, monkeypatch
):
    values = np.random.default_rng(1).random((runs, topics))
    matrix = Matrix(
        "m", tuple(f"r{r}" for r in range(runs)), tuple(map(str, range(topics))), values
    )
    experiment = EXPERIMENTS["matrix"]
    at_ease = experiment(matrix, (), experiment.params(test=test, samples=400)).frame()
    monkeypatch.setenv("IRMEVAL_MEMORY", str(2 * LIMIT))
    results = []
    taken = peak(
        lambda: results.append(experiment(matrix, (), experiment.params(test=test, samples=400)))
    )
    pd.testing.assert_frame_equal(results[0].frame(), at_ease, check_exact=True)
    assert taken < 2 * LIMIT * 1e9


@pytest.mark.parametrize(
    "experiment", [e for e in EXPERIMENTS.values() if e.data and not e.others], ids=lambda e: e.name
)
def test_memory_when_the_scores_exceed_it_then_refused_at_once_with_their_shape_and_what_to_select(
    experiment, monkeypatch
):
    work = work_of(experiment, "wide")
    monkeypatch.setenv("IRMEVAL_MEMORY", "1e-6")
    shape = (
        rf"{re.escape(experiment.title)}: the scores of 90 runs x 50 topics by \d measures? would"
        r" take 0.0 GB, more than the 1e-06 GB"
    )
    with pytest.raises(
        ParamError,
        match=f"{shape} allowed. Select fewer runs, topics or measures, or raise IRMEVAL_MEMORY.",
    ):
        experiment.compute(work)


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
