"""Watched files: a new run is read once it stops changing, a faulty one is named, the
others stay.
"""

import os

import pytest

import irmeval
from irmeval import ReadError
from irmeval.collection import watched as watching
from irmeval.collection.watched import STABLE_SECONDS, Watched
from irmeval.reading.policy import Policy
from tests.conftest import run_lines


class Clock:
    """Time that passes when a test says so; files are stamped with it."""

    def __init__(self):
        self.now = 1e9

    def __call__(self):
        return self.now

    def stamp(self, path):
        os.utime(path, (self.now, self.now))


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def folder(tiny, clock, monkeypatch):
    """A collection that has stood still for long, watched; and which files are read."""
    qrels, runs = tiny
    for path in (qrels, *runs.iterdir()):
        clock.stamp(path)
    clock.now += 100
    watched, read, join = Watched(qrels, (runs,), clock), [], watching.join_files
    monkeypatch.setattr(
        watching,
        "join_files",
        lambda files, *more: read.extend(p.name for p in files) or join(files, *more),
    )
    watched.look()
    return watched, runs, read


def names(watched):
    return watched.seen(Policy()).collection.runs


def write(clock, path, text):
    path.write_text(text)
    clock.stamp(path)


def test_seen_when_a_file_comes_then_it_alone_is_read_and_only_when_it_stands_still(folder, clock):
    watched, runs, read = folder
    assert sorted(names(watched)) == ["example", "ideal", "short"]
    before, text = watched.look(), run_lines("new", {"1": "S1 A1 B1"})
    read.clear()
    write(clock, runs / "new.txt", text[:20])
    assert watched.look() != before
    assert watched.waiting == ("new.txt",)
    assert "new" not in names(watched)
    clock.now += STABLE_SECONDS / 2
    write(clock, runs / "new.txt", text)
    clock.now += STABLE_SECONDS / 2
    watched.look()
    assert "new" not in names(watched)
    assert read == []
    clock.now += STABLE_SECONDS
    watched.look()
    assert "new" in names(watched)
    assert (read, watched.waiting) == (["new.txt"], ())


def test_seen_when_files_came_one_by_one_then_the_collection_is_as_if_read_at_once(folder, clock):
    watched, runs, _ = folder
    names(watched)
    write(clock, runs / "a.txt", run_lines("zz", {"1": "S1 n1", "2": "A1"}))
    clock.now += 10
    watched.look()
    assert (
        watched.seen(Policy()).collection.fingerprint
        == irmeval.read_collection(watched.qrels, runs).fingerprint
    )
    retrieved = Policy(average="retrieved", depth=2)
    whole = irmeval.read_collection(watched.qrels, runs, average="retrieved", depth=2)
    assert watched.seen(retrieved).collection.fingerprint == whole.fingerprint


def test_seen_when_a_file_is_at_fault_then_it_is_said_and_the_others_stay(folder, clock):
    watched, runs, read = folder
    names(watched)
    read.clear()
    write(clock, runs / "new.txt", "1 Q0 S1 1 2.0 new\n1 Q0 A1 2")
    clock.now += 10
    watched.look()
    seen = watched.seen(Policy())
    assert len(seen.collection.runs) == 3
    assert "expected 6 columns" in str(seen.refused[0])
    write(clock, runs / "new.txt", "1 Q0 S1 1 2.0 new\n1 Q0 A1 2 1.0 new\n")
    clock.now += 10
    watched.look()
    assert watched.seen(Policy()).refused == ()
    assert "new" in names(watched)
    assert read == ["new.txt", "new.txt"]


def test_seen_when_a_file_changes_then_is_what_it_was_until_it_stands_still_and_gone_when_removed(
    folder, clock
):
    watched, runs, read = folder
    before = watched.seen(Policy()).collection.fingerprint
    read.clear()
    write(clock, runs / "ideal", run_lines("ideal", {"1": "n1 S1"}))
    watched.look()
    assert watched.seen(Policy()).collection.fingerprint == before
    clock.now += 10
    watched.look()
    assert watched.seen(Policy()).collection.fingerprint != before
    assert read == ["ideal"]
    (runs / "ideal").unlink()
    watched.look()
    assert sorted(names(watched)) == ["example", "short"]
    assert read == ["ideal"]


def test_look_when_nothing_changes_then_it_says_the_same_and_nothing_is_read(folder, clock):
    watched, _, read = folder
    first = watched.look()
    names(watched)
    read.clear()
    clock.now += 50
    assert watched.look() == first
    names(watched)
    assert read == []


def test_look_when_a_file_is_of_the_future_then_it_is_taken_once_it_was_seen_unchanged(
    folder, clock
):
    watched, runs, _ = folder
    write(clock, runs / "new.txt", run_lines("new", {"1": "S1"}))
    os.utime(runs / "new.txt", (clock.now + 1e6, clock.now + 1e6))
    watched.look()
    clock.now += STABLE_SECONDS
    watched.look()
    assert "new" in names(watched)


def test_seen_when_the_folder_is_empty_then_that_is_said_until_a_run_comes(folder, clock):
    watched, runs, _ = folder
    for path in runs.iterdir():
        path.unlink()
    watched.look()
    with pytest.raises(ReadError, match="expected at least one run, found none yet"):
        names(watched)
    write(clock, runs / "first", run_lines("first", {"1": "S1"}))
    clock.now += 10
    watched.look()
    assert names(watched) == ("first",)


def test_seen_when_no_run_can_be_read_then_the_first_is_refused_with_its_line(folder, clock):
    watched, runs, _ = folder
    for path in runs.iterdir():
        write(clock, path, "1 Q0 S1 1 x t\n")
    clock.now += 10
    watched.look()
    with pytest.raises(ReadError, match="files cannot be used|line 1: expected a number as score"):
        names(watched)


def test_seen_when_the_order_is_another_then_scores_are_by_that_of_the_same_files(folder, clock):
    watched, runs, _ = folder
    # by its ranks n1 is first, by its scores S1 is
    write(clock, runs / "new.txt", "1 Q0 n1 1 1 new\n1 Q0 S1 2 9 new\n")
    clock.now += 10
    watched.look()
    for order, score in [("trec_eval", 1), ("rank", 1 / 2), ("trec_eval", 1)]:
        c = watched.seen(Policy(order=order)).collection
        assert irmeval.evaluate(c, ["RR"]).values[0, c.runs.index("new"), 0] == score
