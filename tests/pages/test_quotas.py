"""Quotas of one visitor and of all: work above them is refused in words or waits, and
room is given back when visitors leave.
"""

import io
import re
from threading import Thread

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from irmeval import read_collection
from irmeval.ui.state import cache, quotas, visitors
from irmeval.ui.state.dataset import Dataset
from irmeval.ui.state.visitor import Visitor
from irmeval.ui.widgets import jobs
from tests.cases import SAMPLE
from tests.dashboard import refused
from tests.serving import SECONDS
from tests.working import Work, waits

QRELS, RUN = ("q", b"1 0 a 1\n"), b"1 Q0 a 1 1 t\n"
ROOM = 33
"""Bytes for the judgments and one of the runs."""
MANY = [QRELS, *((f"r{i}", RUN) for i in range(4))]


@pytest.mark.parametrize(
    ("quota", "others", "says"),
    [
        (quotas.RUNS, 0, "at most 2 runs for you on this server (IRMEVAL_RUNS)"),
        (
            quotas.RUNS_ALL,
            0,
            (
                "at most 2 runs left for you, beside what others have loaded on this server"
                " (IRMEVAL_RUNS_ALL)"
            ),
        ),
        (quotas.RUNS_ALL, 2, "at most 0 runs left for you"),
    ],
)
def test_runs_when_they_are_more_than_allowed_then_refused_in_words_and_nothing_changes(
    monkeypatch, quota, others, says
):
    monkeypatch.setenv(quota, "2")
    desk = Dataset(others=(0, others))
    desk.add(MANY)
    assert says in refused(desk)[0]
    assert not desk.runs


@pytest.mark.parametrize(
    ("quota", "others"),
    [
        (quotas.UPLOAD, 0),
        (quotas.UPLOAD_ALL, 0),
        (quotas.UPLOAD_ALL, 1000),
        (quotas.UPLOAD_ALL, 10**9),
    ],
)
def test_text_when_it_is_more_than_allowed_then_what_is_over_is_refused_in_words(
    monkeypatch, quota, others
):
    monkeypatch.setenv(quota, f"{(others + ROOM if others < 10**9 else ROOM) / 1e9:.9f}")
    desk = Dataset(others=(others, 0))
    desk.add(MANY)
    assert len(desk.runs) == (1 if others < 10**9 else 0)
    assert re.fullmatch(
        rf"r\d: expected at most .* GB .*\({quota}\), found more\. Leave some files out, or remove"
        r" others\.",
        refused(desk)[-1],
    )
    assert desk.unpacked <= ROOM


def test_file_when_it_becomes_larger_than_its_text_then_that_counts(monkeypatch):
    lines = pa.table({"qid": ["1"] * 2000, "docno": [f"d{i}" for i in range(2000)]})
    packed = io.BytesIO()
    pq.write_table(lines.append_column("label", pa.array([1] * 2000)), packed, compression="zstd")
    files = [("q.parquet", packed.getvalue())]
    desk = Dataset()
    desk.add(files)
    assert desk.qrels
    assert desk.unpacked == desk.qrels.qrels.nbytes > len(packed.getvalue())
    monkeypatch.setenv(quotas.UPLOAD, f"{(len(packed.getvalue()) + 100) / 1e9:.9f}")
    full = Dataset()
    full.add(files)
    assert full.qrels is None
    assert "q.parquet: expected at most" in refused(full)[0]


def test_others_when_they_have_loaded_then_it_is_counted_and_ones_own_is_not(monkeypatch):
    one, other = Visitor("one"), Visitor("other")
    monkeypatch.setattr(visitors, "_here", {"one": one, "other": other})
    one.dataset.add(MANY)
    assert visitors.others(one) == (0, 0)
    assert visitors.others(other) == (one.dataset.unpacked, 4)
    assert one.dataset.unpacked > sum(len(data) for _, data in MANY)


@pytest.fixture
def ask(works):
    """Begins a job of an owner."""

    def begin(owner: str) -> tuple[jobs.Wait, Work]:
        work = works()
        return jobs.join("Curves", work, work, owner), work

    return begin


def test_job_when_its_visitor_has_enough_at_once_then_waits_its_turn_and_others_do_not(
    monkeypatch, ask
):
    monkeypatch.setenv(quotas.JOBS, "1")
    (_, first), (second, work) = ask("one"), ask("one")
    assert first.started.wait(SECONDS)
    assert waits(second)
    _, third = ask("other")
    assert third.started.wait(SECONDS)
    assert not work.begun
    first.go.set()
    work.go.set()
    assert second.job.over.wait(SECONDS)
    assert (second.job.result, second.job.waits_turn) == ("result", "")


def test_job_when_its_thread_comes_later_than_that_of_one_asked_for_later_then_goes_first(
    monkeypatch, ask
):
    monkeypatch.setenv(quotas.JOBS, "1")
    threads, start = list[Thread](), Thread.start
    monkeypatch.setattr(Thread, "start", lambda thread: threads.append(thread))
    (_, first), (second, work) = ask("one"), ask("one")
    monkeypatch.setattr(Thread, "start", start)
    threads[1].start()
    while not second.job.waits_turn and not work.begun:
        assert not second.job.over.wait(0.01)
    assert not work.begun
    threads[0].start()
    assert first.started.wait(SECONDS)
    assert not work.begun


def test_job_when_the_server_has_enough_then_the_next_is_of_who_has_none(monkeypatch, ask):
    monkeypatch.setenv(quotas.JOBS_ALL, "2")
    (_, first), (_, second) = ask("one"), ask("one")
    assert first.started.wait(SECONDS)
    assert second.started.wait(SECONDS)
    (third, mine), (fourth, theirs) = ask("one"), ask("other")
    assert waits(third)
    assert waits(fourth)
    first.go.set()
    assert theirs.started.wait(SECONDS)
    assert not mine.begun


def test_job_when_stopped_while_it_waits_then_is_never_begun_and_leaves_the_queue(monkeypatch, ask):
    monkeypatch.setenv(quotas.JOBS_ALL, "1")
    (_, first), (second, work), (_, last) = ask("one"), ask("one"), ask("one")
    assert first.started.wait(SECONDS)
    assert waits(second)
    second.stop()
    assert second.job.over.wait(SECONDS)
    assert not work.begun
    first.go.set()
    assert last.started.wait(SECONDS)


def test_caches_when_a_visitor_is_forgotten_then_what_was_made_of_their_data_goes_and_others_stay(
    monkeypatch,
):
    one, other = Visitor("one"), Visitor("other")
    monkeypatch.setattr(visitors, "_here", {"one": one, "other": other})
    one.used, other.used = {"a", "b"}, {"b", "c"}
    store = cache.store()
    for fingerprint in "abcd":
        store.setdefault(("curves", fingerprint, 1), {})
    one.seen -= visitors.LINGER + 1
    visitors.forget_gone(set().__contains__)
    assert {key[1] for key in store} >= {"b", "c", "d"}
    assert ("curves", "a", 1) not in store
    store.release(set("bcd"))


def test_caches_when_nobody_asks_for_long_then_collections_go_too(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(cache.time, "monotonic", lambda: now[0])
    shelves = cache.Cache()
    made = []

    def read(path, how):
        return shelves.get_or_make(
            ("read", path), lambda: made.append((path, how)) or read_collection(*SAMPLE)
        )

    assert read("a", 1) is read("a", 2)
    assert made == [("a", 1)]
    assert cache.size_of(shelves) > 1e6
    now[0] = cache.AGE + 1
    shelves.expire()
    assert not shelves
    read("a", 1)
    assert made == [("a", 1), ("a", 1)]


def test_size_when_a_record_holds_arrays_then_they_are_counted():
    assert cache.size_of(Dataset(lists={("r", 1, ""): (np.zeros(10),)})) >= 80
