"""The time of this process. It passes evenly, whenever the machine's clock is set."""

import time

_BEGUN = time.time() - time.monotonic()


def now() -> float:
    """Seconds since 1970, by the machine's clock when this process began."""
    return _BEGUN + time.monotonic()
