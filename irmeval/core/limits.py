"""How much memory one computation may take."""

import os

from irmeval.core.errors import ParamError

MEMORY = "IRMEVAL_MEMORY"
"""Environment variable: gigabytes."""
DEFAULT = 2.0


def setting(name: str, default: float, what: str = "a number") -> float:
    """What an environment variable says, or else the default.

    Raises `ParamError` where it says something that is no number above 0; `what` is then said to have been expected.
    """
    text = os.environ.get(name, str(default))
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not number > 0:
        raise ParamError(f"{name}: expected {what} above 0, came {text[:20]!r}.")
    return number


def allowed() -> float:
    """Bytes that one computation may take; `ParamError` as `setting`."""
    return setting(MEMORY, DEFAULT, "a number of gigabytes") * 1e9


def refuse_over(size: float, what: str, remedy: str) -> None:
    """Raise `ParamError` where something would take more bytes than are allowed, before it takes any."""
    if size > (limit := allowed()):
        raise ParamError(f"{what} would take {size / 1e9:,.1f} GB, more than the {limit / 1e9:g} GB allowed. {remedy}, or raise {MEMORY}.")
