"""Names of a package that are imported at their first use."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def late(package: str, modules: Mapping[str, str]) -> Callable[[str], Any]:
    """The ``__getattr__`` of a package: name -> the module that has it."""

    def find(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(modules[name]), name)

    return find
