"""The experiments by name, each imported when it is asked for. Their names alone, which
help and completion list, import none.
"""

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from irmeval.core import registry
from irmeval.core.index import COMMANDS, EXPERIMENT_FILES
from irmeval.experiments.story import ORDER, RESERVED

EXPERIMENTS: registry.Registry[Any] = registry.Registry("experiment")
"""Experiments by name, as in `irmeval.experiments.base`, which knows their type."""


def _load_rest() -> None:
    """Import the files that are not in the index, and those of other packages."""
    for name in _modules(Path(__file__).parent, "irmeval.experiments."):
        if name not in EXPERIMENT_FILES:
            import_module(name)
    registry.load("irmeval.experiments", EXPERIMENTS, taken=RESERVED)


def _modules(folder: Path, prefix: str) -> Iterator[str]:
    """Names of all modules below a folder, packages first. `pkgutil.walk_packages` would
    import these.
    """
    for found in iter_modules([str(folder)], prefix):
        yield found.name
        if found.ispkg:
            yield from _modules(folder / found.name.removeprefix(prefix), f"{found.name}.")


EXPERIMENTS.load_late(
    _load_rest,
    {name: each.module for name, each in COMMANDS.items() if each.module in EXPERIMENT_FILES},
    lambda name: import_module(COMMANDS[name].module),
)
EXPERIMENTS.arrange(*ORDER)
