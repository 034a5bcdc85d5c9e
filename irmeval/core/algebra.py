"""The threads of the library of linear algebra, which are the whole process's."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any

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
