"""Pages of the documentation on Python: one a module with public names."""

import inspect
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import irmeval

FOLDER = "python"
EXTRA = ("EXPERIMENTS", "Experiment", "Result", "Work")
"""Public names of `irmeval.experiments`."""
ELSEWHERE = (
    ("Reports", "irmeval.report.document", ("report",)),
    ("A result again", "irmeval.report.from_files", ("rerun",)),
    ("Lessons", "irmeval.lessons", ("names", "load", "answer")),
    (
        "In ir_measures and PyTerrier",
        "irmeval.scoring.interop",
        ("measure", "register", "experiment_frame", "metrics_frame"),
    ),
)
"""Public functions of other modules: the heading, the module, their names."""
DIRECTIVES = {
    "Functions": "autofunction",
    "Classes": "autoclass",
    "Registries": "autodata",
    "Errors": "autoexception",
}
"""Kind of a public name -> the directive that documents it."""


class Public(NamedTuple):
    """A public name."""

    name: str
    kind: str
    package: str
    """from which it is imported"""
    home: str
    """module that defines it"""


def names() -> list[Public]:
    """Every public name of `irmeval` and `irmeval.experiments`."""
    extra = [_public(name, "irmeval.experiments") for name in EXTRA]
    return [*(_public(name, "irmeval") for name in irmeval.__all__), *extra]


def _public(name: str, package: str) -> Public:
    value = getattr(irmeval if package == "irmeval" else irmeval.experiments, name)
    if inspect.isclass(value):
        kind = "Errors" if issubclass(value, Exception) else "Classes"
        return Public(name, kind, package, value.__module__)
    if inspect.isfunction(value):
        return Public(name, "Functions", package, value.__module__)
    return Public(name, "Registries", package, f"irmeval.{name.lower()}.base")


def index() -> Iterator[str]:
    """Every public name, with a link to its place."""
    yield from _titled("Python", "=")
    yield (
        "What is named here stays. Examples run in a clone, where the sample collection is in"
        " ``sample_data``; the tests run them."
    )
    for kind in DIRECTIVES:
        yield from ("", *_titled(kind, "-"))
        yield from (_line(each) for each in names() if each.kind == kind)
    for title, home, functions in ELSEWHERE:
        yield from ("", *_titled(title, "-"))
        yield from (f"* :py:obj:`{name} <{home}.{name}>`" for name in functions)
    yield from ("", ".. toctree::", "   :hidden:", "")
    yield from (f"   {FOLDER}/{module}" for module in modules())


def _line(public: Public) -> str:
    link = f":py:obj:`{public.name} <{public.home}.{public.name}>`"
    return f"* {link}, ``from {public.package} import {public.name}``"


def _titled(title: str, line: str) -> tuple[str, str, str]:
    return title, line * len(title), ""


def modules() -> list[str]:
    """Modules with public names."""
    homes = [each.home for each in names()] + [home for _, home, _ in ELSEWHERE]
    return [*dict.fromkeys(homes)]


def module_page(module: str) -> Iterator[str]:
    """The public names of a module, each from its docstring."""
    here = [each for each in names() if each.home == module]
    elsewhere = [name for _, home, its in ELSEWHERE if home == module for name in its]
    yield from _titled(", ".join([*(each.name for each in here), *elsewhere]), "=")
    for each in here:
        yield from ("", *_titled(each.name, "-"), f"``from {each.package} import {each.name}``", "")
        yield f".. {DIRECTIVES[each.kind]}:: {module}.{each.name}"
        yield from ["   :no-value:"] if each.kind == "Registries" else []
    for name in elsewhere:
        yield from ("", *_titled(name, "-"), f".. autofunction:: {module}.{name}")


PAGES: dict[str, Callable[[], Iterator[str]]] = {
    "python.rst": index,
    **{f"{FOLDER}/{module}.rst": partial(module_page, module) for module in modules()},
}
"""File -> what makes its text."""
