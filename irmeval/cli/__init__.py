"""The command line."""

from irmeval.cli import completion, fuse, lesson, reduce, rerun, serve  # noqa: F401 - each registers its command
from irmeval.cli.commands import main

__all__ = ["main"]
