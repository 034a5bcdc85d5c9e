"""How much memory one computation may take."""

import os

from irmeval.errors import ParamError

MEMORY = "IRMEVAL_MEMORY"
"""Environment variable: gigabytes."""
DEFAULT = 2.0


def allowed() -> float:
    """Bytes that one computation may take.

    Raises `ParamError` where the environment says something that is no number above 0.
    """
    text = os.environ.get(MEMORY, str(DEFAULT))
    try:
        gigabytes = float(text)
    except ValueError:
        gigabytes = 0.0
    if not gigabytes > 0:
        raise ParamError(f"{MEMORY}: expected a number of gigabytes above 0, came {text[:20]!r}.")
    return gigabytes * 1e9


def refuse_over(size: float, what: str, remedy: str) -> None:
    """Raise `ParamError` where something would take more bytes than are allowed, before it takes any."""
    if size > (limit := allowed()):
        raise ParamError(f"{what} would take {size / 1e9:,.1f} GB, more than the {limit / 1e9:g} GB allowed. {remedy}, or raise {MEMORY}.")
