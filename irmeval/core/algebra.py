"""Process-wide thread limits of the linear algebra library (BLAS)."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any

_MULTIPLYING = Lock()
_products: list[Any] = []


@cache
def find_algebra() -> Any:
    """Find the loaded linear algebra libraries."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas")


@contextmanager
def single_threaded_algebra() -> Iterator[None]:
    """Keep the linear algebra library on one thread within this context.

    Its threads wait for each other. On processors that are busy with our own threads,
    the wait takes many times as long as the product. The setting belongs to the whole
    process: the first context to start makes it, the last to end undoes it.
    """
    with _MULTIPLYING:
        _products.append(_products[0] if _products else find_algebra().limit(limits=1))
    try:
        yield
    finally:
        with _MULTIPLYING:
            limiter = _products.pop()
            if not _products:
                limiter.restore_original_limits()
