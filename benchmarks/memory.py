"""Peak memory and seconds of every experiment, with its own defaults, on made-up
collections that are wide, long and deep.

    python benchmarks/memory.py [EXPERIMENT...]

Each experiment runs in a process of its own. The peak is what it adds to the
collection's own memory.
"""

import multiprocessing
import re
import resource
import sys
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
import pyarrow as pa

from irmeval import Collection, IrmevalError
from irmeval.collection.base import assemble
from irmeval.collection.joining import NEAR, Lists, Outside
from irmeval.experiments import EXPERIMENTS
from irmeval.reading.policy import Policy
from irmeval.reading.score_matrix import Matrix
from irmeval.reading.trec import Qrels


class Shape(NamedTuple):
    """Size of a collection."""

    runs: int
    topics: int
    depth: int
    pool: int
    """judgments of a topic"""


SHAPES = (Shape(126, 250, 1000, 500), Shape(10, 5000, 100, 20), Shape(2, 1_000_000, 10, 2))
MATRIX = (2, 1_000_000)
"""Runs and topics of a score matrix."""
MOST_BYTES = 10 << 30
"""Address space of an experiment."""
MOST_SECONDS = 200


def collection(shape: Shape) -> Collection:
    """A third of each list is judged, as far as the pool has so many documents."""
    rng = np.random.default_rng(0)
    runs, topics, _, pool = shape
    grade = rng.choice(3, topics * pool, p=[0.7, 0.2, 0.1]).astype(np.int8)
    topic = np.repeat(np.arange(topics, dtype=np.int32), pool)
    names = pa.array([f"{document:06}" for document in range(pool)]).take(
        pa.array(np.tile(np.arange(pool), topics))
    )
    qrels = Qrels(tuple(map(str, range(topics))), topic, names, grade)
    return assemble(
        qrels,
        [f"team{r // 2}_{r}" for r in range(runs)],
        [_lists(rng, shape) for _ in range(runs)],
        Policy(),
    )


def _lists(rng: np.random.Generator, shape: Shape) -> Lists:
    """The lists of a run."""
    _, topics, depth, pool = shape
    judged = min(depth // 3, pool // 2) or 1
    index = (
        np.argsort(rng.random((topics, pool), np.float32), axis=1)[:, :judged]
        + np.arange(topics)[:, None] * pool
    )
    rank = np.sort(
        np.argsort(rng.random((topics, depth), np.float32), axis=1)[:, :judged] + 1, axis=1
    )
    beyond = np.ones((topics, min(depth, NEAR)), bool)
    row, column = np.nonzero(rank <= NEAR)
    beyond[row, rank[row, column] - 1] = False
    of, place = np.nonzero(beyond)
    documents = pa.array(rng.integers(pool, 5 * pool, of.size)).cast(pa.string())
    return Lists(
        index.ravel().astype(np.int32),
        rank.ravel().astype(np.int32),
        np.full(topics, judged),
        np.full(topics, depth, np.int32),
        (),
        Outside(of.astype(np.int32), (place + 1).astype(np.int32), documents),
    )


def score_matrix() -> Matrix:
    """Random scores."""
    runs, topics = MATRIX
    values = np.random.default_rng(0).random(MATRIX)
    return Matrix(
        "made up", tuple(f"run{r}" for r in range(runs)), tuple(map(str, range(topics))), values
    )


def megabytes(field: str, process: int | None = None) -> float:
    """A field of the memory of a process, by default of this one."""
    [kilobytes] = re.findall(
        rf"{field}:\s+(\d+)", Path(f"/proc/{process or 'self'}/status").read_text()
    )
    return int(kilobytes) / 1024


def measure(name: str, source: Collection | Matrix, answer: Connection) -> None:
    """Send what an experiment takes, in words."""
    experiment = EXPERIMENTS[name]
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    if experiment.others and isinstance(source, Collection):
        source = source.with_judgments("noisy", "simulated:noisy,0.3,1")
    Path("/proc/self/clear_refs").write_text("5")
    before, begun = megabytes("VmRSS"), time.perf_counter()
    try:
        experiment(source)
        taken = f"{megabytes('VmHWM') - before:,.0f} MB in {time.perf_counter() - begun:,.1f} s"
    except IrmevalError as error:
        taken = f"refused: {error}"
    except MemoryError:
        taken = f"more than {MOST_BYTES >> 30} GB after {time.perf_counter() - begun:,.1f} s"
    answer.send(taken)


def main() -> None:
    names = sys.argv[1:] or [name for name, experiment in EXPERIMENTS.items() if experiment.data]
    fork = multiprocessing.get_context("fork")
    for shape in (*SHAPES, None):
        source = collection(shape) if shape else score_matrix()
        print(
            f"{' x '.join(f'{n:,}' for n in shape or MATRIX)}: {megabytes('VmRSS'):,.0f} MB before",
            flush=True,
        )
        for name in names:
            if shape is None and not EXPERIMENTS[name].matrix:
                continue
            mine, theirs = fork.Pipe()
            child = fork.Process(target=measure, args=(name, source, theirs))
            child.start()
            theirs.close()
            try:
                ended = mine.poll(MOST_SECONDS)
                taken = (
                    mine.recv()
                    if ended
                    else (
                        f"more than {MOST_SECONDS} s, {megabytes('VmHWM', child.pid):,.0f} MB in"
                        " all by then"
                    )
                )
            except EOFError:
                taken = "ended without a word"
            print(f"{name:24} {taken}", flush=True)
            child.kill()
            child.join()


if __name__ == "__main__":
    main()
