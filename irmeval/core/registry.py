"""An ordered table of items by name. It rejects duplicates and suggests the nearest
names for an unknown one. Items may be loaded late: each when it is asked for by name.

Other packages add to it by entry points: importing the module that one names registers
what it adds.
"""

import logging
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from glob import glob
from operator import attrgetter
from pathlib import Path
from threading import RLock
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from irmeval.core.errors import IrmevalError, UnknownName
from irmeval.core.lazy import difflib, html
from irmeval.core.places import pick
from irmeval.core.text import MAX_QUOTED, list_few, one_line, shorten

if TYPE_CHECKING:
    from importlib.metadata import Distribution, EntryPoint

T = TypeVar("T")
SESSION = "__main__"
"""Module of definitions in a notebook or at a prompt."""
MAX_LISTED = 40
"""Maximum number of names that a message lists if none is near."""


class Registry(Mapping[str, T], Generic[T]):
    """Items of one kind ("metric", "reduction", ...), in the order of registration."""

    def __init__(self, kind: str):
        self.kind = kind
        self._items: dict[str, T] = {}
        self._module_of: dict[str, str] = {}
        self._first: tuple[str, ...] = ()
        self._late: dict[str, str] = {}
        self._load_rest: Callable[[], object] | None = None
        self._load_one: Callable[[str], object] = str
        self._loading = RLock()

    def load_late(
        self,
        rest: Callable[[], object],
        modules: Mapping[str, str] = MappingProxyType({}),
        one: Callable[[str], object] = str,
    ) -> None:
        """Load items when they are asked for.

        Parameters
        ----------
        rest : adds all items but those of `modules`; called once, when an unknown name
            is asked for, or all names
        modules : name of an item that is loaded alone -> the module that may add it
        one : adds the item of a name
        """
        self._load_rest, self._late, self._load_one = rest, dict(modules), one

    def _complete(self) -> None:
        """Add the rest of the items, or wait until another thread has done so."""
        with self._loading:
            # taken away first: what is added meanwhile asks for names again
            rest, self._load_rest = self._load_rest, None
            if rest:
                rest()

    def add(self, name: str, item: T, module: str = "") -> T:
        """Add an item under a new name. A duplicate is a programming error, which raises
        `ValueError`, unless both items are from a notebook or prompt, where a cell may
        be run again.
        """
        is_run_again = module == SESSION == self._module_of.get(name)
        # an item that is loaded late may be added by its own module alone
        is_of_another = self._late.get(name, module) != module
        if is_of_another or (name in self._items and not is_run_again):
            raise ValueError(f"{self.kind} {name!r} is registered twice")
        self._module_of[name] = module
        self._items[name] = item
        return item

    def _rows(self) -> list[tuple[str, str]]:
        """Names, each with what the item is about."""
        return [(name, _describe(item)) for name, item in self.items()]

    def __repr__(self) -> str:
        width = max(map(len, self), default=0)
        return "\n".join(f"{name:{width}}  {text}".rstrip() for name, text in self._rows())

    def _repr_html_(self) -> str:
        """Table for notebooks."""
        rows = "".join(
            f"<tr><th>{html.escape(name)}</th><td>{html.escape(text)}</td></tr>"
            for name, text in self._rows()
        )
        return f"<table>{rows}</table>"

    def decorator(self, name: str, make: Callable[[Any, str], T]) -> Any:
        """Decorate functions to add an item: `make` receives the function and its
        docstring on one line.
        """

        def register(function: Any) -> Any:
            self.add(
                name,
                make(function, " ".join((function.__doc__ or "").split())),
                function.__module__,
            )
            return function

        return register

    def arrange(self, *names: str) -> None:
        """List the items with these names first, in this order."""
        self._first = names

    @contextmanager
    def all_or_none(self) -> Iterator[None]:
        """Remove all items added in this context if it ends with an error. What was only
        loaded late meanwhile stays, since its module is not imported again.
        """
        before = dict(self._items)
        try:
            yield
        # Ctrl-C, too: half of what a module adds would be refused as twice the next time
        except BaseException:
            loaded = {name: item for name, item in self._items.items() if name in self._late}
            self._items = loaded | before
            raise

    def __getitem__(self, name: str) -> T:
        if name not in self._items and name in self._late:
            self._load_one(name)
        check_known(name, self, f"unknown {self.kind}")
        return self._items[name]

    def __getattr__(self, name: str) -> T:
        """The item of a name, which a prompt completes: ``EXPERIMENTS.leave_one_out``."""
        if name.startswith("_"):  # of Python, before there are items
            raise AttributeError(name)
        for spelling in (name, name.replace("_", "-")):
            if spelling in self:
                return self[spelling]
        nearest = suggest_nearest(name, self)
        raise AttributeError(f"unknown {self.kind} {shorten(name)}{nearest}.")

    def __dir__(self) -> list[str]:
        spelled = (name.replace("-", "_") for name in self)
        return [*super().__dir__(), *filter(str.isidentifier, spelled)]

    def __contains__(self, name: object) -> bool:
        if self._is_held(name):
            return True
        self._complete()
        return self._is_held(name)

    def _is_held(self, name: object) -> bool:
        """Whether there is an item of this name without a look at the rest."""
        return name in self._items or name in self._late

    def __iter__(self) -> Iterator[str]:
        self._complete()
        held = dict.fromkeys([*self._late, *self._items])
        return iter(dict.fromkeys([*filter(held.__contains__, self._first), *held]))

    def __len__(self) -> int:
        return sum(1 for _ in self)


def check_known(
    name: str, names: Collection[str], prefix: str, error: type[IrmevalError] = UnknownName
) -> None:
    """Raise the error for a name that is not among `names`. The message is the prefix,
    such as "unknown run", the name, and the nearest names.
    """
    if name in names:
        return
    unknown, close = f"{prefix} {shorten(name)}", nearest_names(str(name), names)
    message = f"{unknown}{_offer(close, names)}."
    brief = message
    if not close:  # the message lists up to forty
        brief = unknown
    raise error(message, brief=brief)


def suggest_nearest(name: str, names: Collection[str]) -> str:
    """Text ``"; nearest: A, B"``, or the list of all names if none is near."""
    return _offer(nearest_names(name, names), names)


def _offer(close: Collection[str], names: Collection[str]) -> str:
    if close:
        return f"; nearest: {', '.join(close)}"
    return f"; known: {list_few([*names], MAX_LISTED)}"


def nearest_names(name: str, names: Collection[str]) -> list[str]:
    """The most similar names, at most three, nearest first."""
    in_lower_case = {name.lower(): name for name in names}
    # cut, since the time that a comparison takes grows with both lengths
    typed = name[:MAX_QUOTED].lower()
    near = difflib.get_close_matches(typed, in_lower_case, n=3, cutoff=0.4)
    return pick(in_lower_case, near)


log = logging.getLogger("irmeval")


def load(
    group: str,
    registry: Registry[Any],
    *,
    taken: Collection[str] = (),
    register: Callable[[ModuleType], object] = lambda module: None,
) -> None:
    """Import the modules of a group of entry points. Each registers its additions, or
    is passed to `register`.

    A module that cannot be imported, or uses a name that is in the registry or in
    `taken` (`ValueError`), is left out with all that it added. A warning names the entry
    point, its package and the reason. The other modules are loaded.
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
        # whatever a package of others does wrong, irmeval starts without it
        except (Exception, SystemExit) as error:
            _warn(f"{point.name} = {point.value!r}, an entry point in {group}", point.dist, error)


@cache
def _declared() -> "list[EntryPoint]":
    """Entry points for irmeval of all installed packages, in the order of their groups
    and names. The packages are searched only at the first call.
    """
    if not _is_irmeval_named():
        return []
    from importlib.metadata import EntryPoint, distributions

    found = set[EntryPoint]()  # an installed package may be found in two folders
    for package in distributions():
        try:
            found.update(p for p in package.entry_points if p.group.startswith("irmeval."))
        except Exception as error:  # a damaged file of some package
            _warn("the entry points", package, error)
    return sorted(found, key=attrgetter("group", "name", "value"))


def _is_irmeval_named() -> bool:
    """Whether the record of an installed package may have entry points for irmeval.

    The usual answer is no, and takes 3 ms; importlib.metadata takes 20 ms for it, a tenth
    of a short command.
    """
    for folder in sys.path:
        for record in glob("*-info/entry_points.txt", root_dir=folder):
            if b"[irmeval." in Path(folder, record).read_bytes():
                return True
    return False


def _describe(item: Any) -> str:
    """The question that an item answers, else its meaning, else its label."""
    for part in ("question", "meaning", "label"):
        text = getattr(item, part, "")
        if text and isinstance(text, str):  # of a class it may be a property
            return text
    return ""


def _warn(what: str, package: "Distribution | None", error: BaseException) -> None:
    whose = "a package without a name"
    # a damaged package may have no metadata to ask
    with suppress(Exception):
        if package and package.name:
            whose = f"{package.name} {package.version}"
    reason = str(error).rstrip(".") or "no reason given"
    why = f"{reason} ({type(error).__name__})"
    log.warning("%s", one_line(f"irmeval: left out {what} of {whose}: {why}."))
