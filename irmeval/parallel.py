"""The one place that knows how work is spread over workers."""

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from functools import cache
from threading import Lock
from typing import Any, TypeVar

S = TypeVar("S")
T = TypeVar("T")


def start(function: Callable[[], T]) -> Callable[[], T]:
    """Begin a computation in a thread of its own; the answer is a function that waits for the result."""
    pool = ThreadPoolExecutor(1)
    result = pool.submit(function).result
    pool.shutdown(wait=False)
    return result


def ahead(items: Iterable[T]) -> Iterator[T]:
    """The same items, each made by a thread of its own while the one before it is used."""
    items, end = iter(items), object()
    following = start(lambda: next(items, end))
    while (item := following()) is not end:
        following = start(lambda: next(items, end))
        yield item  # type: ignore[misc]


def workers() -> int:
    """Processors that this program may use."""
    return (os.process_cpu_count() if hasattr(os, "process_cpu_count") else os.cpu_count()) or 1


_LOOK: ContextVar[Callable[[], None] | None] = ContextVar("look", default=None)


@contextmanager
def watched(look: Callable[[], None]) -> Iterator[None]:
    """Within it, long computations call a function every so often, from whatever thread; it may raise to stop them."""
    before = _LOOK.set(look)
    try:
        yield
    finally:
        _LOOK.reset(before)


def look() -> None:
    """Called by long computations between two blocks of work: does what `watched` says."""
    if act := _LOOK.get():
        act()


def ticker(progress: Callable[[int, int], None] | None, total: int) -> Callable[[int], None]:
    """A function by which any worker says that so many more steps of the total are done."""
    done, lock = 0, Lock()

    def tick(steps: int) -> None:
        nonlocal done
        with lock:
            done += steps
            if progress:
                progress(done, total)

    return tick


_MULTIPLYING = Lock()
_products: list[Any] = []


@cache
def _algebra() -> Any:
    """The libraries of linear algebra that are loaded."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas")


@contextmanager
def alone() -> Iterator[None]:
    """Within it, matrices are multiplied by the thread that asks for it, and by no threads of the library of linear algebra.

    Those would wait for each other, and on processors that have other work to do, as that of our own threads, that takes many times as
    long as the product. The setting is the whole process's: the first sets it, the last takes it back.
    """
    with _MULTIPLYING:
        _products.append(_products[0] if _products else _algebra().limit(limits=1))
    try:
        yield
    finally:
        with _MULTIPLYING:
            limiter = _products.pop()
            if not _products:
                limiter.restore_original_limits()


_WORKS: ContextVar[bool] = ContextVar("works", default=False)
"""Whether this is a worker's own doing: what it spreads in turn, it does itself, as the others have no time."""


def each(function: Callable[[S], T], items: Iterable[S]) -> list[T]:
    """``[function(i) for i in items]`` on as many threads as there are processors; the order of the items is kept.

    For work that NumPy, Arrow or zlib do without holding Python's lock. A worker that calls it does all items itself.
    """
    items = list(items)
    n = 1 if _WORKS.get() else min(len(items), workers())
    if n < 2:
        return [function(item) for item in items]
    pool = ThreadPoolExecutor(n)

    def work(item: S) -> T:
        _WORKS.set(True)
        return function(item)

    try:
        with alone():
            return list(pool.map(lambda context, item: context.run(work, item), [copy_context() for _ in items], items))
    finally:
        pool.shutdown(cancel_futures=True)  # after an error, what has not begun is not begun


def drawn(function: Callable[[S], T], items: Iterable[S]) -> list[T]:
    """The same as `each` for items that are made one by one and take much room: none is made before a worker is there for it."""
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

    each(work, range(workers()))
    return [results[number] for number in range(len(results))]
