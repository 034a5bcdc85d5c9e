"""Work on several threads or on the workers of a Dask cluster, and how many threads the
linear algebra library (BLAS) takes meanwhile. No other module starts any.
"""

import atexit
import logging
import math
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
from itertools import pairwise
from threading import Event, Lock
from typing import Any, NamedTuple, TypeVar

from irmeval.core import interrupts
from irmeval.core.errors import IrmevalError, ParamError, SchedulerError, require
from irmeval.core.limits import keep_freed_memory
from irmeval.core.places import pick

S = TypeVar("S")
T = TypeVar("T")
_MULTIPLYING = Lock()
_products: list[Any] = []


@cache
def find_algebra() -> Any:
    """Find the loaded linear algebra libraries."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas")


def let_idle_algebra_sleep() -> None:
    """Let threads of the linear algebra library (OpenBLAS) sleep while they have nothing
    to do. Otherwise each keeps a processor busy for a tenth of a second from NumPy's
    import on, as long as a short command takes.

    Call it before NumPy is imported. A setting of the user stays.
    """
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")  # 2**4 cycles, the fewest it takes


@contextmanager
def single_threaded_algebra() -> Iterator[None]:
    """Keep the linear algebra library on one thread within this context.

    Its threads wait for each other. On processors that are busy with our own threads,
    the wait takes many times as long as the product. The setting belongs to the whole
    process: the first context to start makes it, the last to end undoes it.
    """
    with _MULTIPLYING:
        if _products:
            _products.append(_products[0])
        else:
            _products.append(find_algebra().limit(limits=1))
    try:
        yield
    finally:
        with _MULTIPLYING:
            limiter = _products.pop()
            if not _products:
                limiter.restore_original_limits()


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
    # from Python 3.13 on, without those that this process is kept from
    count = getattr(os, "process_cpu_count", os.cpu_count)
    return count() or 1


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
    threads = min(len(items), at_once or count_processors())
    if threads < 2 or _WORKS.get():
        return [function(item) for item in items]
    pool = ThreadPoolExecutor(threads)

    def work(item: S) -> T:
        _WORKS.set(True)
        return function(item)

    try:
        with single_threaded_algebra():
            # a copy for each: no two threads can be in the same context
            contexts = [copy_context() for _ in items]
            return [*pool.map(lambda context, item: context.run(work, item), contexts, items)]
    finally:
        pool.shutdown(cancel_futures=True)  # after an error, no further item is started


def map_in_turn(function: Callable[[S], T], items: Sequence[S]) -> Iterator[T]:
    """Yield the results of `map_threads` as they are done. The first item is computed
    alone, since it may fill shared caches.
    """
    # a batch is done before the next one begins: small ones to be told early, and large
    # enough that no processor waits long for the last of it
    step = 4 * count_processors()
    for first, last in pairwise([0, *range(1, len(items), step), len(items)]):
        yield from map_threads(function, items[first:last])


def map_lazily(function: Callable[[S], T], items: Iterable[S]) -> list[T]:
    """Apply `map_threads` to large items from an iterator; each is made only when a
    worker is free for it.
    """
    numbered: Iterator[tuple[int, S | None]] = enumerate(items)
    results: dict[int, T] = {}
    lock = Lock()

    def work(_: int) -> None:
        nonlocal numbered
        while True:
            with lock:  # an iterator cannot be asked by two threads at once
                number, item = next(numbered, (-1, None))
            if item is None:
                return
            try:
                results[number] = function(item)
            except BaseException:
                numbered = iter(())  # no further item is started
                raise

    map_threads(work, range(count_processors()))
    return pick(results, range(len(results)))


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
UNDER_WAY = ("pending", "lost")
"""States of a call that is not done; a result that is lost is computed again."""
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


class _Lost(NamedTuple):
    """When a scheduler did not answer, and how."""

    since: float
    error: SchedulerError


_NEVER = _Lost(-math.inf, SchedulerError())


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
        self._lost = _NEVER

    def client(self) -> Any:
        """The connection. Raises `SchedulerError` if the scheduler does not answer or
        no worker has the same versions.
        """
        with self._lock:
            if self._is_lost:
                raise self._lost.error
            if self._status in ("", "closed"):
                self._client = self._connect()
                self._lost = _NEVER
            # distributed tries for a while to connect again
            elif self._status != "running":
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
                ended = [n for n, one in under_way.items() if one.status not in UNDER_WAY]
                for number in ended:
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
            is_due = time.monotonic() - asked > WORKER_POLL_SECONDS
            client = self._client  # another thread may put it away
            if not (is_due and client and client.status == "running"):
                continue
            with self._refusals():
                there = client.nthreads(callback_timeout=self._patience)
            asked = time.monotonic()
            if there:
                seen = asked
            elif asked - seen > self._patience:
                raise self._gone(
                    f"one whose last worker has ended, with no other within {self._patience:g} s."
                    f" {self._remedy}"
                )

    @property
    def _is_local(self) -> bool:
        return bool(_LOCAL.fullmatch(self.address))

    @property
    def _patience(self) -> float:
        if not self._is_local:
            return TIMEOUT_SECONDS
        # processes here import the package at the same time, on the same disk
        return 4 * TIMEOUT_SECONDS

    @property
    def _remedy(self) -> str:
        """What to do if there is no worker."""
        if self._is_local:
            return "Run this again"
        return f"Start one with: dask worker {self.address}"

    def submit(self, call: "Call") -> Any:
        """The future of a call; equal calls share one task."""
        given = call.replace_kept(Kept.future)
        return self.client().submit(
            _perform, versions(), call.function, *given, key=call.key, pure=False
        )

    def close(self) -> None:
        """Disconnect; the workers drop the results of this program."""
        with self._lock:
            ending = [self._client, self._processes]
            self._client = self._processes = None
        for thing in filter(None, ending):
            with suppress(Exception):  # the scheduler may be gone already
                thing.close(timeout=2)

    def _connect(self) -> Any:
        require("distributed", "cluster")
        import dask
        from distributed import Client

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
        try:
            if local and self._processes is None:
                self._processes = _start_processes(int(local[1]))
            # not the default, which would be that of another Dask program in this process
            client = Client(
                self._processes or self.address, timeout=self._patience, set_as_default=False
            )
        except (OSError, TimeoutError, RuntimeError) as error:
            why = f"{type(error).__name__}: {str(error)[:200]}"
            came = f"no answer in {self._patience:g} s. Start it with: dask scheduler"
            if local:
                came = f"none that could be started ({why}). Try again"
            raise self._gone(came) from None
        try:
            self._check_workers(client)
        except BaseException:  # Ctrl-C, too, since an open client keeps tasks alive
            client.close(timeout=2)
            raise
        return client

    def _check_workers(self, client: Any) -> None:
        """Raise `SchedulerError` if there is no worker, or one that cannot be used."""
        try:
            client.wait_for_workers(1, timeout=self._patience)
        except TimeoutError:
            remedy = f"Start some with: dask worker {self.address}"
            raise self._error(f"one without workers. {remedy}") from None
        self._check_answers(client.run(versions, on_error="return"))

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
            has_ended = self._status not in ("", "running")
            # a call is cancelled by the client when its scheduler is gone
            if has_ended or isinstance(error, OSError) or "Cancelled" in kind:
                raise self._gone(CONNECTION_LOST) from None
            raise

    def _gone(self, came: str) -> SchedulerError:
        """The error to raise; the same for all threads that notice it together."""
        if not self._is_lost:
            self._lost = _Lost(time.monotonic(), self._error(came))
        return self._lost.error

    @property
    def _is_lost(self) -> bool:
        return time.monotonic() - self._lost.since < RETRY_SECONDS

    @property
    def _status(self) -> str:
        """Status of the connection; empty if there is none."""
        return getattr(self._client, "status", "")

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
        text = pickle.dumps((self.function, self.replace_kept(lambda kept: kept.call.key)))
        return f"irmeval-{blake2b(text, digest_size=16).hexdigest()}"

    def replace_kept(self, by: "Callable[[Kept], Any]") -> list[Any]:
        """The arguments, with something else in place of each `Kept` one."""
        return [by(part) if isinstance(part, Kept) else part for part in self.given]


class Kept:
    """The result of a call. It stays on the workers as long as this object exists, and
    is made again if a worker or scheduler is lost.
    """

    def __init__(self, cluster: Cluster, call: Call):
        self.cluster, self.call = cluster, call
        self._future: Any = None

    def future(self) -> Any:
        """The future of the result."""
        if not self._is_there():
            # dropped first: Dask would answer an equal call with the future that failed
            self._future = None
            self._future = self.cluster.submit(self.call)
        return self._future

    def _is_there(self) -> bool:
        """Whether the result is computed, or will be, on the connection of now."""
        future = self._future
        if future is None or future.status in ("cancelled", "error"):
            return False
        return future.client is self.cluster.client()


@cache
def cluster(address: str) -> Cluster:
    """The cluster at an address, one object per address. Raises `ParamError` for a
    malformed address.
    """
    made = Cluster(address)
    atexit.register(made.close)
    return made


def _start_processes(number: int) -> Any:
    """Workers on this machine, without Dask's own page and log."""
    from distributed import LocalCluster

    with interrupts.ignore_interrupts():
        return LocalCluster(
            n_workers=number,
            threads_per_worker=1,
            dashboard_address="127.0.0.1:0",
            scheduler_kwargs={"dashboard": False},
            silence_logs=logging.CRITICAL,
        )


def worker_address() -> str:
    """The address of the worker that runs this code."""
    from distributed import get_worker

    return str(get_worker().address)


def versions() -> str:
    """The versions that must be equal here and on the workers, so that they compute
    equal numbers.
    """
    import numpy as np  # only here, since help needs this module and not NumPy

    return f"irmeval {sys.modules['irmeval'].__version__}, NumPy {np.__version__}"


def _unlike(worker: str, theirs: object) -> str:
    came = theirs
    if not isinstance(theirs, str):
        came = f"none that can be loaded ({theirs})"
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
