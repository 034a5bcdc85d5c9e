"""The index of commands: ``python -m tests.index > irmeval/core/index.py``."""

import ast
import json
import re
import sys
from collections.abc import Callable
from importlib import import_module
from inspect import getsource
from operator import attrgetter
from pkgutil import walk_packages
from typing import Any, get_type_hints

from irmeval import cli, experiments
from irmeval.cli.program import REGISTERED, groups
from irmeval.experiments import EXPERIMENTS

HEAD = '''"""Commands of the program: where each is, and what it does, so that a command
imports what it runs alone. Made by `python -m tests.index > irmeval/core/index.py`; a
test compares this file with that output.
"""

from typing import NamedTuple


class IndexedCommand(NamedTuple):
    """A command."""

    module: str
    """where it is, or the experiment that it runs"""
    section: str
    """section of the menu and of the list of commands"""
    does: str
    """a verb phrase"""
    tables: tuple[str, ...] = ()
    """names of the tables that an experiment may have, ending in - if more follows;
    empty if others may add some
    """


'''
CROSSINGS = "table_of_crossings("
_TABLE = re.compile(r'\bTable\(\s*f?"([^"{]+)')
OPEN = {"curves"}
"""Experiments to which statistics of other packages may add tables."""


def written() -> str:
    """Text of the index."""
    for module in walk_packages(cli.__path__, "irmeval.cli."):
        import_module(module.name)
    lines = [HEAD, "COMMANDS = {\n"]
    for section, names in groups().items():
        for name in names:
            made_by = EXPERIMENTS[name] if name in EXPERIMENTS else REGISTERED[name]
            entry = made_by.run.__module__, section, made_by.does
            lines += [
                f"    {_text(name)}: IndexedCommand(\n",
                *(f"        {_text(part)},\n" for part in entry),
            ]
            if name in EXPERIMENTS and name not in OPEN:
                lines += [f"        {_tuple(_tables(made_by.run))},\n"]
            lines += ["    ),\n"]
    lines += ["}\n", '"""Commands by name, in the order of the list of commands."""\n\n']
    lines += ["EXPERIMENT_FILES = frozenset(\n    {\n"]
    files = walk_packages(experiments.__path__, "irmeval.experiments.")
    lines += [f"        {_text(found.name)},\n" for found in files]
    lines += [
        "    }\n)\n",
        '"""Modules of experiments and of what they share. Others are new."""\n',
    ]
    return "".join(lines)


def _tables(run: Callable[..., Any]) -> list[str]:
    """Names of the tables in the source of an experiment, of the parts that it has in
    its section, and of what its result is derived from.
    """
    derived_from = map(attrgetter("__module__"), get_type_hints(run)["return"].__mro__)
    modules = {*derived_from, run.__module__, *_own_parts(run.__module__)}
    names = set[str]()
    for found in modules - {"builtins", "irmeval.experiments.results"}:
        source = getsource(sys.modules[found])
        names |= {*_TABLE.findall(source)}
        if CROSSINGS in source:
            names.add("crossings")
    return sorted(names)


def _own_parts(module: str) -> list[str]:
    """Modules of the same section that an experiment imports."""
    section = module.rpartition(".")[0]
    nodes = ast.walk(ast.parse(getsource(sys.modules[module])))
    named = {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
    return [name for name in named if name.startswith(f"{section}.")]


def _tuple(texts: list[str]) -> str:
    return f"({', '.join(map(_text, texts))}{',' * (len(texts) == 1)})"


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


if __name__ == "__main__":
    print(written(), end="")
