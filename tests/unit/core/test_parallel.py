"""How work is spread over workers."""

import re
from threading import Event, get_ident
from types import SimpleNamespace

import numpy as np
import pytest
from threadpoolctl import ThreadpoolController, threadpool_limits

import irmeval
from irmeval.core import parallel
from irmeval.core.errors import Cancelled, SchedulerError
from irmeval.metrics import METRICS
from irmeval.scoring import values
from tests.cases import drawn, tied_collection

MEASURES = [
    *(metric.example for metric in METRICS.values()),
    "AP'",
    "Q'",
    "nDCG@5'",
    "AP@3",
    "Q(rel=2)",
]


def test_each_when_a_worker_calls_it_then_that_worker_does_all_items(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(parallel, "count_processors", lambda: 3)
    found = parallel.map_threads(
        lambda _: (get_ident(), parallel.map_threads(lambda _: get_ident(), range(4))), range(6)
    )
    assert all({outer} == set(inner) for outer, inner in found)
    assert get_ident() not in {outer for outer, _ in found}


@pytest.mark.parametrize("gains", [None, "1:0.3,2:0.7,3:1.9"])
@pytest.mark.parametrize("workers", [1, 3])
def test_scores_when_runs_are_scored_in_many_stretches_then_are_the_same_to_the_bit(
    workers: int, gains: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    collection = tied_collection(*drawn(4, topics=9, runs=7))
    whole = irmeval.evaluate(collection, MEASURES, gains=gains).values
    monkeypatch.setattr(parallel, "count_processors", lambda: workers)
    monkeypatch.setattr(values, "SLICE_DOCUMENTS", 1)
    np.testing.assert_array_equal(irmeval.evaluate(collection, MEASURES, gains=gains).values, whole)


@pytest.mark.parametrize("workers", [1, 3])
def test_scoring_when_it_is_stopped_then_ends_within_the_stretch(
    workers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop() -> None:
        raise Cancelled("Stopped.")

    monkeypatch.setattr(parallel, "count_processors", lambda: workers)
    with parallel.watch_for_cancel(stop), pytest.raises(Cancelled):
        irmeval.evaluate(tied_collection(*drawn(4, topics=9, runs=7)), MEASURES)


def test_products_when_two_workers_multiply_then_nobody_spreads_and_the_last_takes_it_back() -> (
    None
):
    def threads() -> set[int]:
        return {
            library["num_threads"]
            for library in ThreadpoolController().select(user_api="blas").info()
        }

    def stopped() -> None:
        with parallel.single_threaded_algebra():
            with parallel.single_threaded_algebra():
                assert threads() == {1}
            assert threads() == {1}
            raise Cancelled("Stopped.")

    # other tests may have loaded further libraries since it was asked first
    parallel.find_algebra.cache_clear()
    with threadpool_limits(limits=2, user_api="blas"):
        before = threads()
        with pytest.raises(Cancelled):
            stopped()
        assert threads() == before


def test_thread_when_started_then_the_libraries_of_algebra_were_looked_for_before(monkeypatch):
    """Looking for libraries while a thread loads one is a deadlock: the one holds
    Python's lock, the other the loader's.
    """
    seen: list[str] = []
    monkeypatch.setattr(parallel, "find_algebra", lambda: seen.append("looked"))
    assert parallel.run_in_thread(lambda: seen.append("began") or [*seen])() == ["looked", "began"]


def test_workers_when_one_has_ended_then_that_is_said_and_when_versions_differ_they_are():
    made = parallel.Cluster("local:2")
    made._check_answers({"tcp://one": parallel.versions()})
    with pytest.raises(
        SchedulerError,
        match=r"found a worker that has ended or cannot be reached, tcp://two\. Run this again\.$",
    ):
        made._check_answers(
            {
                "tcp://one": parallel.versions(),
                "tcp://two": ConnectionResetError("in <TCP (closed) Scheduler Broadcast>"),
            }
        )
    for theirs in ("irmeval 0.1.0, NumPy 1.26", ModuleNotFoundError("no irmeval")):
        with pytest.raises(SchedulerError, match="is needed. Install the same there"):
            made._check_answers({"tcp://one": theirs})


def failing(error: Exception, **others: object) -> SimpleNamespace:
    """A connection whose calls fail."""

    def fail(*_: object, **__: object) -> None:
        raise error

    return SimpleNamespace(wait_for_workers=fail, submit=fail, status="running", **others)


KILLED = type("KilledWorker", (Exception,), {})
CANCELLED = type("FutureCancelledError", (Exception,), {})


@pytest.mark.parametrize(
    ("error", "came"),
    [
        (KILLED(), "workers that keep crashing at the same task, most likely out of memory. Give"),
        (ImportError("no irmeval"), "the worker one with none that can be loaded (no irmeval)"),
        (CANCELLED(), parallel.CONNECTION_LOST),
        (OSError("closed"), parallel.CONNECTION_LOST),
    ],
)
def test_workers_when_a_call_fails_by_their_fault_then_it_is_said_what_to_do(error, came):
    made = parallel.Cluster("tcp://here:1")
    made._client = failing(error)
    with (
        pytest.raises(SchedulerError, match=re.escape(f"with workers, found {came}")),
        made._refusals(),
    ):
        made.submit(parallel.Call(len, ""))


def test_workers_when_a_call_fails_by_its_own_fault_then_its_error_is_that_of_the_call():
    made = parallel.Cluster("tcp://here:1")
    made._client = failing(ZeroDivisionError("by 0"))
    with pytest.raises(ZeroDivisionError, match="by 0"), made._refusals():
        made.submit(parallel.Call(len, ""))


def test_scheduler_when_it_has_no_worker_then_says_how_to_start_one():
    made = parallel.Cluster("tcp://here:1")
    said = r"found one without workers\. Start some with: dask worker tcp://here:1\.$"
    with pytest.raises(SchedulerError, match=said):
        made._check_workers(failing(TimeoutError()))


def test_cluster_when_its_connection_is_put_away_during_a_wait_then_the_wait_goes_on(monkeypatch):
    monkeypatch.setattr(parallel, "POLL_SECONDS", 0)
    monkeypatch.setattr(parallel, "WORKER_POLL_SECONDS", -1)  # workers are counted each time
    made, asked = parallel.Cluster("tcp://here:1"), []

    def count(**_: object) -> dict[str, int]:
        asked.append(made._client)
        made._client = None  # by another thread
        return {"worker": 1}

    made._client = SimpleNamespace(status="running", nthreads=count)
    answers = iter([False, False, False, True])
    made._wait(Event(), lambda: next(answers))
    assert len(asked) == 1
    assert next(answers, None) is None
