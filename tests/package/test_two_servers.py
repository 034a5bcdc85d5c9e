"""Two servers that share what is kept of a visitor, who comes to both in turn and at
once: nothing that either said it keeps is lost.

How many interleavings is up to the environment, and each server is a process of its own
where it says so: ``IRMEVAL_INTERLEAVINGS=1000 pytest
tests/package/test_two_servers.py``.
"""

import logging
import os
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

import pytest

from irmeval.ui.state import store, visitors
from irmeval.ui.state.dataset import Dataset
from tests.conftest import TINY_RUNS, run_lines
from tests.two_servers import ACTIONS, Remote, Server
from tests.visiting import FILES, back, bytes_of, loaded, on_disk

INTERLEAVINGS = int(os.environ.get("IRMEVAL_INTERLEAVINGS", "60"))
BLOCK = 100
"""Interleavings of one test."""
STEPS = 12


@pytest.fixture(autouse=True)
def folder(nobody_here: Path, caplog: pytest.LogCaptureFixture) -> Path:
    """Where the visitors' data are; nobody is here yet."""
    caplog.set_level(logging.WARNING, logger="irmeval")
    return nobody_here / "store"


@pytest.fixture
def servers(folder: Path) -> Iterator[list[Server | Remote]]:
    if "IRMEVAL_INTERLEAVINGS" not in os.environ:
        yield [Server(), Server()]
        return
    both = [Remote(), Remote()]
    yield both
    for server in both:
        with server.process:
            server.process.kill()


@pytest.mark.parametrize("first", range(0, INTERLEAVINGS, BLOCK))
def test_two_servers_when_a_visitor_comes_to_both_then_all_that_was_said_to_be_kept_is_there(
    servers, first
):
    seeds = range(first, min(first + BLOCK, INTERLEAVINGS))
    with ThreadPoolExecutor(2) as pool:
        for seed in seeds:
            _interleave(seed, servers, pool)
    store.collect()
    assert on_disk() == set().union(*(bytes_of(f"visitor-{seed}") for seed in seeds))


def _interleave(seed: int, servers: list[Server | Remote], pool: ThreadPoolExecutor) -> None:
    random, visitor, live, ever, done = Random(seed), f"visitor-{seed}", set(), set(), []
    usual = [name for name in ACTIONS if name != "forget"]
    for step in range(STEPS):
        what = random.choices([*usual, "add", "add", "tab", "restart", "forget"], k=2)
        at_once = random.random() < 0.2 and "forget" not in what
        which = [0, 1] if at_once else [random.randrange(2)]
        asked = [
            (what[server], random.randrange(1 << 30), visitor, f"{seed}-{step}-{server}")
            for server in which
        ]
        done.append([(server, do[0]) for server, do in zip(which, asked, strict=True)])
        answers = [*pool.map(lambda server, do: servers[server].do(*do), which, asked)]
        assert not any(answer["refused"] for answer in answers), done
        gone = {name for answer in answers for name in answer["gone"]}
        live = {name for answer in answers for name in answer["more"]} | (
            set() if asked[0][0] == "forget" else live - gone
        )
        ever |= live
    found = random.choice(servers).look(visitor)
    assert live <= {*found["things"]} <= ever, (live - {*found["things"]}, done)
    assert not found["told"], done
    assert bytes_of(visitor) <= on_disk(), done


def test_two_servers_when_each_adds_in_turn_then_all_runs_are_there_and_shown_by_both(folder):
    first = loaded(FILES[:2])
    second = back()
    for visitor, name in ((first, "a"), (second, "b"), (first, "c")):
        visitor.dataset.add([(name, FILES[1][1])])
        visitors.sync(visitor)
    assert set(first.dataset.runs) == set(back().dataset.runs) == {"example", "a", "b", "c"}
    assert set(second.dataset.runs) == {"example", "a", "b"}
    visitors.sync(second)  # with a new tab
    assert set(second.dataset.runs) == {"example", "a", "b", "c"}
    assert first.notices == second.notices == []


def test_two_servers_when_both_replace_the_same_run_then_both_collections_are_kept_and_it_is_said():
    first = loaded(FILES[:2])
    second = back()
    first.dataset.name = "tiny"
    for visitor, topic in ((first, "1"), (second, "2")):
        visitor.dataset.add(
            [("example", run_lines("example", {topic: TINY_RUNS["example"][topic]}).encode())]
        )
        visitors.sync(visitor)
    assert [desk.title for desk in second.datasets] == ["qrels", "tiny"]
    assert (
        first.dataset.runs["example"].sha256
        == second.datasets[1].runs["example"].sha256
        != second.datasets[0].runs["example"].sha256
    )
    assert [desk.runs["example"].sha256 for desk in back().datasets] == [
        desk.runs["example"].sha256 for desk in second.datasets
    ]
    assert second.notices == [
        "tiny was changed in two places at the same time. Both versions are kept"
    ]


def test_two_servers_when_one_removes_what_the_other_has_changed_then_it_stays():
    first = loaded(FILES[:2])
    second = back()
    second.dataset.add(FILES[2:])
    visitors.sync(second)
    first.dataset = Dataset()
    visitors.sync(first)
    assert not first.dataset.used
    assert (
        set(first.other_datasets[0].runs)
        == set(back().other_datasets[0].runs)
        == {name for name, _ in FILES[1:]}
    )


def test_two_servers_when_one_removes_a_run_that_the_other_has_replaced_then_the_new_one_stays():
    first = loaded(FILES[:3])
    second = back()
    second.dataset.add(
        [("example", run_lines("example", {"1": TINY_RUNS["example"]["1"]}).encode())]
    )
    visitors.sync(second)
    first.dataset.remove(["example"])
    visitors.sync(first)
    assert back().dataset.runs["example"].sha256 == second.dataset.runs["example"].sha256


def test_two_servers_when_data_are_forgotten_on_one_then_the_other_shows_and_writes_them_no_more(
    folder,
):
    first = loaded()
    drawn, later = back(), back()
    visitors.forget(first)
    visitors.sync(later)
    drawn.measures = ["AP"]
    visitors.sync(drawn)
    assert not any(visitor.dataset.used for visitor in (first, drawn, later, back()))
    assert not on_disk()
    assert back().measures == ["AP"]
    assert all("deleted in another window" in visitor.notices[0] for visitor in (drawn, later))


def test_two_servers_when_the_disk_is_another_then_what_is_in_memory_is_written_there(folder):
    visitor = loaded()
    folder.rename(folder.with_name("elsewhere"))
    visitors.sync(visitor)
    visitors.sync(visitor)
    assert set(back().dataset.runs) == {name for name, _ in FILES[1:]}


def test_two_servers_when_runs_are_taken_over_then_those_that_were_there_need_not_be_joined_again(
    monkeypatch,
):
    first = loaded(FILES[:3])
    second = back()
    second.dataset.add(FILES[3:])
    second.dataset.settings = {"depth": 7}
    visitors.sync(second)
    desk, before = first.dataset, dict(first.dataset.runs)
    first.measures = ["AP"]
    visitors.sync(first)
    assert first.dataset is desk  # pages hold on to it
    assert {name: first.dataset.runs[name] is run for name, run in before.items()} == dict.fromkeys(
        before, True
    )
    assert {key[0] for key in first.dataset.lists} == set(before)
    assert first.dataset.settings == {"depth": 7}


def test_two_servers_when_one_empties_what_the_other_adds_to_then_the_next_drop_is_anew():
    first = loaded(FILES[1:2])
    second = back()
    first.dataset.remove(["example"])
    visitors.sync(first)
    second.dataset.add(FILES[2:3])
    visitors.sync(second)  # it stays there
    visitors.sync(first)
    first.open(first.empty_dataset())
    first.dataset.add(FILES[:2])
    visitors.sync(first)
    assert sorted(sorted(desk.runs) for desk in back().datasets) == [
        ["example"],
        ["example", FILES[2][0]],
    ]


def test_two_servers_when_judges_and_teams_come_to_the_shared_collection_then_all_are_there():
    servers = back(), back()
    for visitor, name in zip(servers, "ab", strict=True):
        visitor.dataset.add_judges([("human", f"1 0 {name} 1\n".encode())])
        visitor.dataset.teams = {"first": name}
    for visitor in servers:
        visitors.sync(visitor)
    found = back()
    assert sorted(
        judge.qrels.documents[0].as_py()
        for desk in found.datasets
        for judge in desk.judges.values()
    ) == ["a", "b"]
    assert sorted(desk.teams["first"] for desk in found.datasets) == ["a", "b"]
    found.open(Dataset())
    visitors.sync(found)
    assert len(back().datasets) == len(found.datasets) == 3


def test_two_servers_when_one_is_writing_for_long_then_the_other_says_so_and_writes_once_it_can(
    monkeypatch,
):
    visitor = loaded(FILES[:2])
    monkeypatch.setattr(store, "PATIENCE", 0.0)
    store.close()
    visitor.dataset.add(FILES[2:])
    with sqlite3.connect(store.folder() / store.DATABASE, isolation_level=None) as other:
        other.execute("BEGIN IMMEDIATE")
        visitors.sync(visitor)
        assert visitor.refused == "another server is just writing it"
        other.execute("ROLLBACK")
    other.close()
    assert set(back().dataset.runs) == {"example"}
    visitor.disk.again = 0.0  # half a minute later
    visitors.sync(visitor)
    assert visitor.refused == ""
    assert set(back().dataset.runs) == {name for name, _ in FILES[1:]}
