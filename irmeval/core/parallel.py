"""Work on several threads or on the workers of a Dask cluster. No other module starts
either.
"""

import atexit
import logging
import os
import pickle
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from contextvars import ContextVar, copy_context
from functools import cache, cached_property
from hashlib import blake2b
from threading import Event, Lock
from typing import Any, TypeVar

import numpy as np

from irmeval.core import interrupts
from irmeval.core.algebra import find_algebra, single_threaded_algebra
from irmeval.core.errors import IrmevalError, ParamError, SchedulerError, require
from irmeval.core.limits import keep_freed_memory

S = TypeVar("S")
T = TypeVar("T")


def run_in_thread(function: Callable[[], T]) -> Callable[[], T]:
    """Start a computation in its own thread. Returns a function that waits for the
    result.
    """
    find_algebra()  # now, since a search for libraries and a thread that loads one would deadlock
    pool = ThreadPoolExecutor(1)
    result = pool.submit(function).result
    pool.shutdown(wait=False)
    return result


def prefetch(items: Iterable[T]) -> Iterator[T]:
    """Iterate over the same items; a thread makes the next one while the current one is
    used.
    """
    items, end = iter(items), object()
    following = run_in_thread(lambda: next(items, end))
    while (item := following()) is not end:
        following = run_in_thread(lambda: next(items, end))
        yield item  # type: ignore[misc]


def count_processors() -> int:
    """The number of processors that this program may use."""
    return (os.process_cpu_count() if hasattr(os, "process_cpu_count") else os.cpu_count()) or 1


_LOOK: ContextVar[Callable[[], None] | None] = ContextVar("look", default=None)


@contextmanager
def watch_for_cancel(look: Callable[[], None]) -> Iterator[None]:
    """Call a function regularly during long computations in this context, from any
    thread. It may raise an error to stop them.
    """
    before = _LOOK.set(look)
    try:
        yield
    finally:
        _LOOK.reset(before)


def check_cancelled() -> None:
    """Give the function of `watch_for_cancel` a chance to stop. Long computations call
    this between two blocks of work.
    """
    if act := _LOOK.get():
        act()


def ticker(
    progress: Callable[[int, int], None] | None, total: int, done: int = 0
) -> Callable[[int], None]:
    """Return a function that adds up finished steps and reports them to `progress`; any
    thread may call it.
    """
    lock = Lock()

    def tick(steps: int) -> None:
        nonlocal done
        with lock:
            done += steps
            if progress:
                progress(done, total)

    tick(0)
    return tick


_WORKS: ContextVar[bool] = ContextVar("works", default=False)
"""Whether this code runs in a worker thread. Workers do nested work themselves, since
all others are busy.
"""


def map_threads(function: Callable[[S], T], items: Iterable[S], at_once: int = 0) -> list[T]:
    """Compute ``[function(i) for i in items]`` in order, on one thread per processor or
    on a given number.

    Use it for work that NumPy, Arrow or zlib do without holding Python's lock. Called
    in a worker thread, it uses that thread alone.
    """
    items = list(items)
    n = 1 if len(items) < 2 or _WORKS.get() else min(len(items), at_once or count_processors())
    if n < 2:
        return [function(item) for item in items]
    pool = ThreadPoolExecutor(n)

    def work(item: S) -> T:
        _WORKS.set(True)
        return function(item)

    try:
        with single_threaded_algebra():
            return list(
                pool.map(
                    lambda context, item: context.run(work, item),
                    [copy_context() for _ in items],
                    items,
                )
            )
    finally:
        pool.shutdown(cancel_futures=True)  # after an error, no further item is started


def map_in_turn(function: Callable[[S], T], items: Sequence[S]) -> Iterator[T]:
    """Yield the results of `map_threads` as they are done. The first item is computed
    alone, since it may fill shared caches.
    """
    step = 4 * count_processors()
    for first, last in ((0, 1), *((i, i + step) for i in range(1, len(items), step))):
        yield from map_threads(function, items[first:last])


def map_lazily(function: Callable[[S], T], items: Iterable[S]) -> list[T]:
    """Apply `map_threads` to large items from an iterator; each is made only when a
    worker is free for it.
    """
    numbered, lock = enumerate(items), Lock()
    results: dict[int, T] = {}
    failed = False

    def work(_: int) -> None:
        nonlocal failed
        while True:
            with lock:
                number, item = (-1, None) if failed else next(numbered, (-1, None))
            if item is None:
                return
            try:
                results[number] = function(item)
            except BaseException:
                failed = True
                raise

    map_threads(work, range(count_processors()))
    return [results[number] for number in range(len(results))]


SCHEDULER = "IRMEVAL_SCHEDULER"
"""Environment variable: the default scheduler, whose workers keep the runs."""
SCHEDULER_HELP = (
    "keep the runs on the workers of this Dask scheduler: tcp://HOST:PORT, or local:N for N"
    " processes here (IRMEVAL_SCHEDULER)"
)
"""Help text of the flag that names a scheduler."""
TIMEOUT_SECONDS = 30.0
"""Seconds to wait for a scheduler to answer, for its first worker, and for a new one
after the last has ended. Processes on this machine get four times as long.
"""
RETRY_SECONDS = 5.0
"""Seconds before an unreachable scheduler is tried again. Until then, every call fails
at once.
"""
POLL_SECONDS = 0.1
"""Seconds between two checks for cancelled work while waiting for workers."""
WORKER_POLL_SECONDS = 1.0
"""Seconds between two checks that there are workers."""
CONNECTION_LOST = (
    "none any more: it has ended, or the connection is lost. Start it again, and run this again"
)
_LOCAL = re.compile(r"local:([1-9]\d{0,2})")
"""Address of workers on this machine."""
_REMOTE = re.compile(r"(tcp|tls)://[^\s/]+:\d+")
"""Address of a scheduler."""


def default_scheduler() -> str:
    """The scheduler in the environment; empty if none."""
    return os.environ.get(SCHEDULER, "")


class Cluster:
    """The workers of a Dask scheduler (``tcp://HOST:PORT``), or processes on this
    machine (``local:N``).

    It connects when there is work to do, and again after the connection was lost.
    """

    def __init__(self, address: str):
        if not (_LOCAL.fullmatch(address) or _REMOTE.fullmatch(address)):
            raise ParamError(
                "scheduler: expected tcp://HOST:PORT or local:N, N processes on this machine,"
                f" found {address[:80]!r}."
            )
        self.address = address
        self._lock = Lock()
        self._client: Any = None
        self._processes: Any = None
        self._lost: tuple[float, SchedulerError] | None = None

    def client(self) -> Any:
        """The connection. Raises `SchedulerError` if the scheduler does not answer or
        no worker has the same versions.
        """
        with self._lock:
            if self._lost:
                since, error = self._lost
                if time.monotonic() - since < RETRY_SECONDS:
                    raise error
            if self._client is None or self._client.status == "closed":
                self._client = self._connect()
                self._lost = None
            # distributed tries for a while to connect again
            elif self._client.status != "running":
                raise self._gone(CONNECTION_LOST)
            return self._client

    @property
    def threads(self) -> int:
        """The number of tasks that the workers do at the same time."""
        with self._refusals():
            # the last worker may just have ended
            return max(1, sum(self.client().nthreads().values()))

    def run(
        self, calls: "Sequence[Call]", tell: Callable[[int], None] = lambda number: None
    ) -> list[Any]:
        """Compute the calls on any free workers and return the results in order; `tell`
        receives the index of each finished call.

        Meanwhile `check_cancelled` is called; if it raises, no further call is started.
        Errors of a call are raised here.
        """
        import asyncio  # here, as it would be a tenth of the time that every start takes

        futures: list[Any] = []
        bell = Event()
        try:
            with self._refusals():
                for call in calls:
                    futures.append(self.submit(call))
                    futures[-1].add_done_callback(lambda _: bell.set())
            under_way = dict(enumerate(futures))

            def done() -> bool:
                for number in [
                    number
                    for number, future in under_way.items()
                    if future.status not in ("pending", "lost")
                ]:
                    del under_way[number]
                    tell(number)
                return not under_way

            self._wait(bell, done)
            with self._refusals():
                client = self.client()
                results = asyncio.run_coroutine_threadsafe(
                    client.gather(futures, asynchronous=True), client.loop.asyncio_loop
                )
                results.add_done_callback(lambda _: bell.set())
                try:
                    self._wait(bell, results.done)  # lost results are computed again
                    return list(results.result())
                finally:
                    results.cancel()
        finally:
            for future in futures:
                future.release()

    def _wait(self, bell: Event, done: Callable[[], bool]) -> None:
        """Wait until `done` returns true, checking it when the bell rings. Raises
        `SchedulerError` after a long time without workers.
        """
        seen = asked = time.monotonic()
        while not done():
            check_cancelled()
            bell.wait(POLL_SECONDS)
            bell.clear()
            client, now = self._client, time.monotonic()
            if now - asked > WORKER_POLL_SECONDS and client and client.status == "running":
                with self._refusals():
                    there = client.nthreads(callback_timeout=self._patience)
                asked = time.monotonic()
                if there:
                    seen = asked
                elif asked - seen > self._patience:
                    remedy = (
                        "Run this again"
                        if _LOCAL.fullmatch(self.address)
                        else f"Start one with: dask worker {self.address}"
                    )
                    raise self._gone(
                        f"one whose last worker has ended, with no other within {self._patience:g}"
                        f" s. {remedy}"
                    )

    @property
    def _patience(self) -> float:
        return 4 * TIMEOUT_SECONDS if _LOCAL.fullmatch(self.address) else TIMEOUT_SECONDS

    def submit(self, call: "Call") -> Any:
        """The future of a call; equal calls share one task."""
        given = [part.future() if isinstance(part, Kept) else part for part in call.given]
        return self.client().submit(
            _perform, versions(), call.function, *given, key=call.key, pure=False
        )

    def close(self) -> None:
        """Disconnect; the workers drop the results of this program."""
        with self._lock:
            client, processes, self._client, self._processes = (
                self._client,
                self._processes,
                None,
                None,
            )
        for thing in (client, processes):
            if thing is not None:
                with suppress(Exception):  # the scheduler may be gone already
                    thing.close(timeout=2)

    def _connect(self) -> Any:
        require("distributed", "cluster")
        import dask
        from distributed import Client, LocalCluster

        # errors that matter are raised here
        for name in ("distributed", "distributed.client", "tornado.application"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
        dask.config.set(
            {
                "distributed.admin.large-graph-warning-threshold": "1GB",
                "distributed.worker.profile.enabled": False,
            }
        )
        local = _LOCAL.fullmatch(self.address)
        patience = self._patience
        try:
            if local and self._processes is None:
                more: dict[str, Any] = {
                    "dashboard_address": "127.0.0.1:0",
                    "scheduler_kwargs": {"dashboard": False},
                }
                more |= {"threads_per_worker": 1, "silence_logs": logging.CRITICAL}
                with interrupts.ignore_interrupts():
                    self._processes = LocalCluster(n_workers=int(local[1]), **more)
            client = Client(
                self._processes if local else self.address, timeout=patience, set_as_default=False
            )
        except (OSError, TimeoutError, RuntimeError) as error:
            if local:
                raise self._gone(
                    f"none that could be started ({type(error).__name__}: {str(error)[:200]}). Try"
                    " again"
                ) from None
            raise self._gone(
                f"no answer in {patience:g} s. Start it with: dask scheduler"
            ) from None
        try:
            try:
                client.wait_for_workers(1, timeout=patience)
            except TimeoutError:
                raise self._error(
                    f"one without workers. Start some with: dask worker {self.address}"
                ) from None
            self._check_answers(client.run(versions, on_error="return"))
        except BaseException:
            client.close(timeout=2)
            raise
        return client

    def _check_answers(self, answers: Mapping[str, object]) -> None:
        """Raise `SchedulerError` if a worker is unreachable or has other versions.
        `answers` are by address.
        """
        for worker, theirs in answers.items():
            if isinstance(theirs, OSError):
                raise self._error(
                    f"a worker that has ended or cannot be reached, {worker}. Run this again"
                )
            if theirs != versions():
                raise self._error(_unlike(worker, theirs))

    @contextmanager
    def _refusals(self) -> Iterator[None]:
        """Convert errors of the connection and of the workers to `SchedulerError`."""
        try:
            yield
        except IrmevalError:
            raise
        except ImportError as error:
            raise self._error(_unlike("one", error)) from None
        except Exception as error:
            kind = type(error).__name__
            if kind == "KilledWorker":
                raise self._error(
                    "workers that keep crashing at the same task, most likely out of memory. Give"
                    " them more memory, or start more workers"
                ) from None
            client = self._client
            if (
                (client and client.status != "running")
                or isinstance(error, OSError)
                or "Cancelled" in kind
            ):
                raise self._gone(CONNECTION_LOST) from None
            raise

    def _gone(self, came: str) -> SchedulerError:
        if not (self._lost and time.monotonic() - self._lost[0] < RETRY_SECONDS):
            self._lost = time.monotonic(), self._error(came)
        return self._lost[1]

    def _error(self, came: str) -> SchedulerError:
        return SchedulerError(
            f"{self.address}: expected a Dask scheduler with workers, found {came}."
        )


class Call:
    """A function that workers can import, and its arguments; a `Kept` argument is
    replaced by its result.
    """

    def __init__(self, function: Callable[..., Any], *given: Any):
        self.function, self.given = function, given

    @cached_property
    def key(self) -> str:
        """A key that is equal for equal calls, in any process."""
        text = pickle.dumps(
            (
                self.function,
                [part.call.key if isinstance(part, Kept) else part for part in self.given],
            )
        )
        return f"irmeval-{blake2b(text, digest_size=16).hexdigest()}"


class Kept:
    """The result of a call. It stays on the workers as long as this object exists, and
    is made again if a worker or scheduler is lost.
    """

    def __init__(self, cluster: Cluster, call: Call):
        self.cluster, self.call = cluster, call
        self._future: Any = None

    def future(self) -> Any:
        """The future of the result."""
        if (
            self._future is None
            or self._future.status in ("cancelled", "error")
            or self._future.client is not self.cluster.client()
        ):
            self._future = None
            self._future = self.cluster.submit(self.call)
        return self._future


@cache
def cluster(address: str) -> Cluster:
    """The cluster at an address, one object per address. Raises `ParamError` for a
    malformed address.
    """
    made = Cluster(address)
    atexit.register(made.close)
    return made


def worker_address() -> str:
    """The address of the worker that runs this code."""
    from distributed import get_worker

    return str(get_worker().address)


def versions() -> str:
    """The versions that must be equal here and on the workers, so that they compute
    equal numbers.
    """
    return f"irmeval {sys.modules['irmeval'].__version__}, NumPy {np.__version__}"


def _unlike(worker: str, theirs: object) -> str:
    came = theirs if isinstance(theirs, str) else f"none that can be loaded ({theirs})"
    return f"the worker {worker} with {came}, where {versions()} is needed. Install the same there"


def _perform(expected: str, function: Callable[..., Any], *given: Any) -> Any:
    if expected != versions():  # a worker that joined later
        raise SchedulerError(
            f"expected workers with {expected}, found {worker_address()} with {versions()}. Install"
            " the same there."
        )
    _WORKS.set(True)
    keep_freed_memory()
    return function(*given)
