"""Collections by name with what was decided on them, in memory and in one file."""

from irmeval.workspace.base import Workspace

__all__ = ["Workspace"]
