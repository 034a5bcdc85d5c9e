"""Runs on the workers of a real scheduler, two processes: the same numbers, whatever
becomes of the workers.
"""

import os
import signal
from collections.abc import Iterator
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import NamedTuple

import dask
import numpy as np
import pandas as pd
import pytest

import irmeval
from irmeval.cli import main
from irmeval.collection import Collection, shards
from irmeval.collection import base as collection
from irmeval.collection.shards import Sharded, read_shards
from irmeval.core import parallel
from irmeval.core.errors import Cancelled, ParamError, ReadError, SchedulerError
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.base import LISTS
from irmeval.papers import resampled
from irmeval.papers.on_collections import Params, compare_collections
from irmeval.scoring.selection import Selection, select
from irmeval.scoring.sign_probability import can_compute
from tests import lone_scheduler
from tests.cases import collection as made
from tests.cases import drawn
from tests.serving import SECONDS
from tests.small_work import MEASURES, small

SCHEDULER = "local:2"
SMALL = Params(trials=2, sets=20)
parallel.TIMEOUT_SECONDS = SECONDS
curves = EXPERIMENTS["curves"]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Qrels and a folder of seven runs."""
    folder = tmp_path_factory.mktemp("shared")
    judgments, scores = drawn(3, topics=12, runs=7)
    (folder / "qrels").write_text(
        "".join(f"{t} 0 {d} {g}\n" for t, grades in judgments.items() for d, g in grades.items())
    )
    (folder / "runs").mkdir()
    for run, lists in scores.items():
        lines = (
            f"{t} Q0 {d} 1 {score} {run}\n"
            for t, documents in lists.items()
            for d, score in documents.items()
        )
        header = "# ir_metadata.start\n# tag: run3\n# ir_metadata.end\n" if run == "run3" else ""
        (folder / "runs" / run).write_text(header + "".join(lines))
    return folder / "qrels", folder / "runs"


@pytest.fixture(scope="module")
def here(files: tuple[Path, Path]) -> Collection:
    return irmeval.read_collection(*files)


@pytest.fixture(scope="module")
def cluster() -> Iterator[parallel.Cluster]:
    """Its processes, those that come later as well, are forked from one that has
    imported what they need.
    """
    # whose other settings would end with this one, were they not there before it
    pytest.importorskip("distributed")
    with dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"}):
        workers = parallel.cluster(SCHEDULER)
        workers.client()
        yield workers
        workers.close()


@pytest.fixture(scope="module")
def there(cluster: parallel.Cluster, files: tuple[Path, Path]) -> Sharded:
    return read_shards(*files, SCHEDULER)


def pids(cluster: parallel.Cluster) -> dict[str, int]:
    return cluster.client().run(os.getpid)


def same(mine: pd.DataFrame, theirs: pd.DataFrame) -> None:
    pd.testing.assert_frame_equal(mine, theirs, check_exact=True)


def test_collection_when_it_lies_on_workers_then_is_the_same_but_for_the_lists(here, there):
    assert (there.fingerprint, there.runs, there.digests) == (
        here.fingerprint,
        here.runs,
        here.digests,
    )
    assert there.headers == here.headers
    assert "".join(here.headers)
    assert len(there.parts) > 2
    for name in ("judgment_index", "rank", "outside"):
        with pytest.raises(ParamError, match="are on the workers of local:2"):
            getattr(there, name)


@pytest.mark.parametrize(
    "experiment", [e for e in EXPERIMENTS.values() if e.data], ids=lambda e: e.name
)
def test_experiment_when_runs_lie_on_workers_then_says_the_same_or_is_refused_by_name(
    here, there, experiment
):
    if LISTS in experiment.takes:
        with pytest.raises(ParamError, match=f"^{experiment.name}: needs the documents"):
            experiment(there, MEASURES, small(experiment))
        return
    # its sign needs the documents
    measures = [
        m for m in MEASURES if experiment.name != "two-runs" or not can_compute(irmeval.measure(m))
    ]
    mine, theirs = (experiment(source, measures, small(experiment)) for source in (here, there))
    same(mine.frame(), theirs.frame())
    for table, other in zip(mine.tables(), theirs.tables(), strict=True):
        same(table.make(), other.make())
    assert mine.headline() == theirs.headline()


def test_decisions_when_the_pool_is_that_of_two_runs_then_are_refused_by_what_they_need(there):
    with pytest.raises(
        ParamError,
        match=(
            r"^curves .sample_of=pair.: needs the documents of the lists, which are on the workers"
            r" of local:2"
        ),
    ):
        curves(there, ["AP"], watch=("decisions",), sample_of="pair", pairs=2, trials=1)


@pytest.mark.parametrize("method", irmeval.REDUCTIONS)
def test_reduction_when_runs_lie_on_workers_then_draws_the_same(here, there, method):
    level = {
        irmeval.REDUCTIONS[method].axis.name: {"rate": 30, "pool": 5, "teams": 2, "budget": 30}[
            irmeval.REDUCTIONS[method].axis.name
        ]
    }
    mine, theirs = (irmeval.reduce(source, method, trials=2, **level) for source in (here, there))
    np.testing.assert_array_equal(mine, theirs)


def test_selection_when_runs_lie_on_workers_then_is_the_same_under_other_gains_too(here, there):
    rules = Selection(top_runs=4, topics_only="2-9", best_by="nDCG")
    mine, theirs = (select(source, rules) for source in (here, there))
    same(mine.table, theirs.table)
    assert mine.collection.fingerprint == theirs.collection.fingerprint
    for gains in (None, "1:0.3,2:0.7,3:1.9", "adjusted"):
        scores = [
            irmeval.evaluate(selected.collection, MEASURES, gains=gains).values
            for selected in (mine, theirs)
        ]
        np.testing.assert_array_equal(*scores)


def test_curves_when_a_worker_is_killed_in_mid_run_then_are_the_same(here, there, cluster):
    params = curves.params(trials=12)
    alive = [*pids(cluster).values()]

    def kill(done: int, total: int) -> None:
        if done > total // 3 and len(alive) == 2:
            os.kill(alive.pop(), signal.SIGKILL)

    theirs = curves(there, MEASURES, params, progress=kill)
    assert len(alive) == 1
    same(curves(here, MEASURES, params).frame(), theirs.frame())


def test_curves_when_a_worker_comes_in_mid_run_then_are_the_same(here, there, cluster):
    params = curves.params(trials=12, seed=7)

    def add(done: int, total: int) -> None:
        if done > total // 3:
            cluster._processes.scale(3)
            cluster.client().wait_for_workers(3, timeout=SECONDS)

    theirs = curves(there, MEASURES, params, progress=add)
    assert len(pids(cluster)) == 3
    same(curves(here, MEASURES, params).frame(), theirs.frame())


def test_work_when_it_is_stopped_then_nothing_of_it_is_left_to_do(there, cluster):
    def stop(done: int, total: int) -> None:
        if done > 3:
            raise Cancelled("Stopped.")

    with pytest.raises(Cancelled):
        curves(there, MEASURES, curves.params(trials=400), progress=stop)
    # the runs themselves, whole and selected
    assert len(cluster.client().futures) <= len(there.parts) * 2


def test_file_when_a_worker_cannot_see_it_then_is_refused_with_the_worker_and_what_to_do(
    files, cluster, capsys
):
    with pytest.raises(SystemExit) as left:
        main(
            [
                "evaluate",
                str(files[0]),
                str(files[1]),
                str(files[1] / "absent"),
                "-m",
                "AP",
                "--scheduler",
                SCHEDULER,
            ]
        )
    said = capsys.readouterr().err
    assert (left.value.code, said.count("\n")) == (2, 1)
    assert (
        f"{files[1] / 'absent'}: expected a file that every worker can read, found no such file or"
        " directory on the worker tcp://" in said
    )
    assert "Put qrels and runs on a path that all workers share." in said


def test_files_when_they_are_at_fault_then_are_refused_as_without_workers(files, tmp_path, cluster):
    (tmp_path / "odd").write_text("1 Q0 a 1\n")
    (tmp_path / "even").write_text("1 Q0 a 1 nan x\n")
    paths = [files[1], tmp_path / "odd", tmp_path / "even"]
    said = []
    for read in (irmeval.read_collection, lambda *given: read_shards(*given, SCHEDULER)):
        with pytest.raises(ReadError) as refused:
            read(files[0], paths)
        said.append(str(refused.value))
    assert said[0] == said[1]


def test_file_when_another_stands_there_after_a_worker_was_lost_then_is_not_worked_on(here):
    lost = shards.Shard(here, tuple((run, (run,)) for run in here.runs))
    with pytest.raises(
        ReadError, match="run2: expected the file that was read first, found a different one"
    ):
        shards._shard_collection(lost, (*here.digests[1:3], "another", *here.digests[4:]))


def test_command_when_a_scheduler_is_named_then_prints_the_same(
    files, cluster, capsys, monkeypatch
):
    told = []
    for more in ([], ["--scheduler", SCHEDULER]):
        main(["evaluate", *map(str, files), "-m", "AP", "-m", "nDCG@10'", "--per-topic", *more])
        told.append(capsys.readouterr().out)
    monkeypatch.setenv(parallel.SCHEDULER, SCHEDULER)
    main(["evaluate", *map(str, files), "-m", "AP", "-m", "nDCG@10'", "--per-topic"])
    assert told == [capsys.readouterr().out] * 2


@pytest.mark.parametrize("command", ["check", "condense"])
def test_command_when_it_needs_the_lists_themselves_then_refuses_a_scheduler_by_its_name(
    files, capsys, command
):
    with pytest.raises(SystemExit):
        main([command, *map(str, files), "--scheduler", SCHEDULER])
    assert capsys.readouterr().err.startswith(
        f"irmeval: {command}: needs the ranked lists on this machine."
    )


def test_command_when_another_judge_is_named_then_refuses_runs_on_workers(files, cluster, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(
            [
                "leaderboard",
                *map(str, files),
                "-m",
                "AP",
                "--other",
                "a=simulated:strict",
                "--scheduler",
                SCHEDULER,
            ]
        )
    assert stopped.value.code == 2
    assert "cannot be joined with runs on the workers" in capsys.readouterr().err


@pytest.mark.parametrize("address", ["", "local", "local:0", "10.0.0.1:8786", "http://host:80"])
def test_scheduler_when_its_address_is_none_then_is_refused_with_what_is_one(address):
    with pytest.raises(ParamError, match="expected tcp://HOST:PORT or local:N"):
        parallel.cluster(address)


def test_worker_when_its_versions_are_others_then_is_refused_in_words(there, cluster, monkeypatch):
    monkeypatch.setattr(irmeval, "__version__", "0.1")
    with pytest.raises(SchedulerError, match="expected workers with irmeval 0.1, .*, found tcp://"):
        there.by_part(collection.digests_of_runs)
    other = parallel.Cluster(cluster.client().scheduler.address)
    with pytest.raises(SchedulerError, match="with irmeval .*, where irmeval 0.1, .* is needed"):
        other.client()


def test_command_when_no_scheduler_answers_then_says_so_in_a_line(files, capsys, monkeypatch):
    monkeypatch.setattr(parallel, "TIMEOUT_SECONDS", 0.5)
    with pytest.raises(SystemExit) as left:
        main(["evaluate", *map(str, files), "-m", "AP", "--scheduler", "tcp://127.0.0.1:1"])
    said = (
        "irmeval: tcp://127.0.0.1:1: expected a Dask scheduler with workers, found no answer in 0.5"
        " s. Start it with: dask scheduler.\n"
    )
    assert (left.value.code, capsys.readouterr().err) == (2, said)


class Lone(NamedTuple):
    """A scheduler in a process of its own: its address, the process, and where that is
    told how many workers there are to be.
    """

    address: str
    process: BaseProcess
    workers: Connection


@pytest.fixture
def lone() -> Iterator[Lone]:
    """A scheduler with one worker. Its process is forked from one that has imported
    what it needs.
    """
    pytest.importorskip("distributed")
    from distributed.utils import get_mp_context

    with dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"}):
        context = get_mp_context()
    here, there = context.Pipe()
    process = context.Process(target=lone_scheduler.serve, args=(there,), daemon=True)
    process.start()
    address = here.recv()
    yield Lone(address, process, here)
    parallel.cluster(address).close()
    process.kill()
    process.join()


def test_command_when_the_last_worker_ends_in_mid_run_then_says_so_after_patience_and_what_to_do(
    files, capsys, monkeypatch, lone
):
    monkeypatch.setattr(parallel, "WORKER_POLL_SECONDS", 0.05)

    def end(_: object, done: int, total: int) -> None:
        if done > total // 3 and total > 7:
            monkeypatch.setattr(parallel, "TIMEOUT_SECONDS", 0.5)
            lone.workers.send(0)

    monkeypatch.setattr("irmeval.cli.given_data.Progress.__call__", end)
    with pytest.raises(SystemExit) as left:
        main(
            ["curves", *map(str, files), "-m", "AP", "--trials", "30", "--scheduler", lone.address]
        )
    read, said = capsys.readouterr().err.splitlines()
    assert (left.value.code, read) == (2, "7 runs, 12 topics, 1,200 judgments; read as TREC qrels")
    came = "found one whose last worker has ended, with no other within 0.5 s"
    assert (
        said
        == f"irmeval: {lone.address}: expected a Dask scheduler with workers, {came}. Start one"
        f" with: dask worker {lone.address}."
    )


def test_curves_when_a_worker_comes_back_after_the_last_ended_then_are_the_same(
    files, here, monkeypatch, lone
):
    monkeypatch.setattr(parallel, "WORKER_POLL_SECONDS", 0.05)
    there, params, asked = read_shards(*files, lone.address), curves.params(trials=12), []
    client = parallel.cluster(lone.address).client()
    nthreads = client.nthreads

    def watched(**more: float) -> dict[str, int]:
        if not (found := nthreads(**more)) and asked.count("none") == 0:
            asked.append("none")
            lone.workers.send(1)
        return found

    def end(done: int, total: int) -> None:
        if done > total // 3 and "end" not in asked:
            asked.append("end")
            lone.workers.send(0)
            while nthreads():
                pass

    monkeypatch.setattr(client, "nthreads", watched)
    theirs = curves(there, MEASURES, params, progress=end)
    assert asked == ["end", "none"]
    same(curves(here, MEASURES, params).frame(), theirs.frame())


def test_command_when_the_scheduler_ends_in_mid_run_then_says_so_in_a_line(
    files, capsys, monkeypatch, lone
):
    monkeypatch.setattr(
        "irmeval.cli.given_data.Progress.__call__",
        lambda _, done, total: lone.process.kill() if done > total // 3 and total > 7 else None,
    )
    with pytest.raises(SystemExit) as left:
        main(
            ["curves", *map(str, files), "-m", "AP", "--trials", "30", "--scheduler", lone.address]
        )
    read, said = capsys.readouterr().err.splitlines()
    assert (left.value.code, read) == (2, "7 runs, 12 topics, 1,200 judgments; read as TREC qrels")
    assert said.startswith(
        f"irmeval: {lone.address}: expected a Dask scheduler with workers, found none any more"
    )


def test_runs_when_the_scheduler_has_forgotten_them_then_are_read_again(here, there, cluster):
    client = cluster.client()
    client.cancel([part.kept.future() for part in there.parts])
    np.testing.assert_array_equal(
        *(irmeval.evaluate(source, MEASURES).values for source in (here, there))
    )


def test_dashboard_when_a_scheduler_is_named_then_own_runs_lie_there_and_pages_that_cannot_say_so(
    files, cluster, monkeypatch
):
    from tests.dashboard import fine, opened

    monkeypatch.setenv(parallel.SCHEDULER, SCHEDULER)
    monkeypatch.setattr("sys.argv", ["app.py", "--qrels", str(files[0]), "--runs", str(files[1])])
    for page in (
        "pages/runs/leaderboard.py",
        "pages/data/collection.py",
        "pages/incompleteness/curves.py",
    ):
        fine(opened(page))
    assert "the documents of the lists" in fine(opened("pages/data/check.py")).info[0].value
    assert (
        opened("pages/incompleteness/unjudged.py")
        .error[0]
        .value.startswith("unjudged: needs the documents of the lists")
    )


def test_across_when_each_worker_takes_a_collection_then_the_same_figures_as_here(
    cluster, files, tmp_path, capsys, monkeypatch
):
    monkeypatch.setattr("irmeval.cli.given_data.LONG_SECONDS", 0.0)
    other = tmp_path / "other.txt"
    other.write_bytes(files[0].read_bytes().replace(b" 2\n", b" 1\n"))
    asked = [
        "across",
        files[0],
        files[1],
        other,
        files[1],
        "-m",
        "AP",
        "P@5",
        "--trials",
        "2",
        "--sets",
        "20",
        "--table",
        "summary",
    ]
    main([*map(str, asked)])
    here = capsys.readouterr()
    main([*map(str, asked), "--scheduler", SCHEDULER])
    there = capsys.readouterr()
    assert there.out == here.out
    assert "200 of 200 (100%)" in there.err
    assert here.err.splitlines()[-1] == there.err.splitlines()[-1]


def test_across_when_shared_by_any_number_of_workers_then_the_same_figures(
    cluster, here, monkeypatch
):
    monkeypatch.setitem(resampled.TIMES, resampled.TOPICS, 20)  # as on the workers
    named = {f"seed {seed}": made(*drawn(seed, topics=8, runs=5)) for seed in (1, 2)} | {
        "files": here
    }
    figures = compare_collections(named, ["AP", "P@5"], SMALL)
    lone = parallel.cluster("local:1")
    try:
        for scheduler in (SCHEDULER, "local:1"):
            shared = compare_collections(named, ["AP", "P@5"], SMALL, scheduler=scheduler)
            assert shared.names == figures.names
            same(shared.frame(), figures.frame())
            same(shared.effects(), figures.effects())
            assert shared.recipe() == figures.recipe()
    finally:
        lone.close()


def test_across_page_when_a_scheduler_is_named_then_each_collection_goes_to_a_worker(
    cluster, monkeypatch
):
    from tests.dashboard import fine, texts
    from tests.pages.test_across_page import dropped, visited

    shared, run = [], parallel.Cluster.run
    monkeypatch.setattr(
        parallel.Cluster,
        "run",
        lambda self, calls, *more: shared.append(calls[0].given[1]) or run(self, calls, *more),
    )
    monkeypatch.setenv(parallel.SCHEDULER, SCHEDULER)
    app = fine(visited(dropped("third", 3), dropped("fourth", 4), seed="5"))
    assert sorted(shared) == ["fourth", "third"]
    assert "orders of 3 measures" in texts(app)


def test_across_when_a_worker_refuses_a_collection_then_it_is_named(
    cluster, files, tmp_path, capsys
):
    one = tmp_path / "one"
    one.mkdir()
    (one / "run0").write_bytes((files[1] / "run0").read_bytes())
    with pytest.raises(SystemExit):
        main(["across", *map(str, (*files, files[0], one)), "--scheduler", SCHEDULER])
    assert "twice" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(
            [
                "across",
                *map(str, (*files, (tmp_path / "again").resolve(), one)),
                "--scheduler",
                SCHEDULER,
            ]
        )
    assert "again: expected a readable file" in capsys.readouterr().err
