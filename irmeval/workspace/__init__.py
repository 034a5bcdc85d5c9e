"""Collections by name with their settings, in memory and in one file."""

from irmeval.workspace.base import Workspace

__all__ = ["Workspace"]
