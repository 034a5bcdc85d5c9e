"""The index of commands: ``python -m tests.index > irmeval/core/index.py``."""

import json
from importlib import import_module
from pkgutil import walk_packages

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


'''


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


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


if __name__ == "__main__":
    print(written(), end="")
