"""The command line."""

from irmeval.cli import (  # noqa: F401 - each registers its command
    completion,
    dashboard,
    fuse,
    lesson,
    reduce,
    rerun,
)
from irmeval.cli.commands import main

__all__ = ["main"]
