"""The command line."""

from irmeval.cli.commands import main

__all__ = ["main"]
