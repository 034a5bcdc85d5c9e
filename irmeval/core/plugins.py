"""Extensions from other packages. Their entry points refer to modules, which register additions when imported."""

import logging
from collections.abc import Callable, Collection
from contextlib import suppress
from functools import cache
from importlib.metadata import Distribution, EntryPoint, distributions
from types import ModuleType
from typing import Any

from irmeval.core.registry import Registry
from irmeval.core.text import one_line

log = logging.getLogger("irmeval")


def load(
    group: str, registry: Registry[Any], *, taken: Collection[str] = (), register: Callable[[ModuleType], object] = lambda module: None
) -> None:
    """Import the modules of a group of entry points. Each registers its additions, or is passed to `register`.

    A module that cannot be imported, or uses a name that is in the registry or in `taken`, is left out with all that it added. A warning
    names the entry point, its package and the reason. The other modules are loaded.
    """
    for point in _declared():
        if point.group != group:
            continue
        try:
            with registry.all_or_none():
                before = {*registry}
                register(point.load())
                for name in (registry.keys() - before) & {*taken}:
                    raise ValueError(f"the name {name!r} is taken")
        except (Exception, SystemExit) as error:
            _warn(f"{point.name} = {point.value!r}, an entry point in {group}", point.dist, error)


@cache
def _declared() -> list[EntryPoint]:
    """Entry points for irmeval of all installed packages, by group and name. The packages are searched only at the first call."""
    found: dict[tuple[str, str, str], EntryPoint] = {}
    for package in distributions():
        try:
            found |= {(p.group, p.name, p.value): p for p in package.entry_points if p.group.startswith("irmeval.")}
        except Exception as error:  # a damaged file of some package
            _warn("the entry points", package, error)
    return [found[key] for key in sorted(found)]


def _warn(what: str, package: Distribution | None, error: BaseException) -> None:
    whose = "a package without a name"
    with suppress(Exception):  # it may have no metadata
        whose = f"{package.name} {package.version}" if package and package.name else whose
    why = f"{str(error).rstrip('.') or 'no reason given'} ({type(error).__name__})"
    log.warning("%s", one_line(f"irmeval: left out {what} of {whose}: {why}."))
