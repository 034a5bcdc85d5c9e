"""The command line."""

from irmeval.cli import completion, dashboard, fuse, lesson, reduce, rerun  # noqa: F401 - each registers its command
from irmeval.cli.commands import main

__all__ = ["main"]
