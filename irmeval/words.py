"""Words around numbers."""

import re


def counted(n: int, noun: str) -> str:
    """``1 run``, ``2,500 runs``."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def some(names: list[str], n: int = 5) -> str:
    """The first few of many names."""
    return ", ".join(names[:n]) + (f" and {len(names) - n:,} more" if len(names) > n else "")


def slug(title: str) -> str:
    """A title as part of a file's name or an address."""
    return re.sub("[^a-z0-9]+", "-", title.lower()).strip("-")
