"""How much one visitor may take of a server, and all of them together; each limit is an environment variable."""

import os
from typing import NamedTuple

from irmeval.errors import ParamError


class Quota(NamedTuple):
    """A limit: its default, its unit, and what it is on."""

    default: float
    unit: str
    on: str


GIGABYTE = 1e9
KEPT, KEPT_ALL = "IRMEVAL_KEPT", "IRMEVAL_KEPT_ALL"
QUOTAS = {
    KEPT: Quota(4, "GB", "files kept on disk for one visitor"),
    KEPT_ALL: Quota(20, "GB", "files kept on disk for all visitors"),
}


def limit(name: str) -> float:
    """The limit that the environment sets, or else the default, in bytes or as a number.

    Raises `ParamError` where the environment says something that is no number above 0.
    """
    quota = QUOTAS[name]
    text = os.environ.get(name, str(quota.default))
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not number > 0:
        raise ParamError(f"{name}: expected a number above 0, came {text[:20]!r}.")
    return number * GIGABYTE if quota.unit == "GB" else number


def check() -> None:
    """Raise `ParamError` for the first limit in the environment that is none."""
    for name in QUOTAS:
        limit(name)
