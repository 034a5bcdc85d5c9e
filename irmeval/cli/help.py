"""The output of ``irmeval --help`` and ``irmeval COMMAND --help``: commands in the groups of the dashboard's menu, and examples."""

import argparse
from collections.abc import Callable
from typing import Any

from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.base import Experiment
from irmeval.experiments.story import COMMANDS, sections

FILES = "qrels.txt runs/"
EXAMPLES = {
    "irmeval serve": "the dashboard, on a sample collection",
    f"irmeval evaluate {FILES} -m AP -m nDCG@10": "mean scores of every run",
    f"irmeval leaderboard {FILES} -m AP --format latex": "ranks and tests, as a table for a paper",
    f"irmeval curves {FILES} -m AP -m Bpref -o curves.csv": "what happens as judgments disappear",
}
"""Examples below the list of commands: a command line and what it gives."""


def groups() -> dict[str, list[str]]:
    """The commands of each section of the menu. Commands that are no experiment come first."""
    named = {section: [*COMMANDS.get(section, ())] for section in sections(e.section for e in EXPERIMENTS.values())}
    for experiment in EXPERIMENTS.values():
        named[experiment.section].append(experiment.name)
    return named


def example_of(experiment: Experiment[Any, Any]) -> str:
    """Example arguments for an experiment, from what it takes."""
    parts = []
    if experiment.judged:
        parts.append("qrels.txt --other second=other-qrels.txt")
    elif experiment.data:
        parts += [FILES, *(["--other second=other-qrels.txt"] if experiment.others else [])]
    return " ".join([*parts, *(["-m AP -m nDCG@10"] if experiment.measured else [])])


class CommandParser(argparse.ArgumentParser):
    """The parser of one command, whose help begins with an example. It is made, and its flags are declared, when it is first looked at:
    making those of all commands takes longer than many commands."""

    def __init__(self, *, declare: Callable[[argparse.ArgumentParser], None], example: str = "", **how: Any) -> None:
        self.declare, self.example, self.how = declare, example, how

    def __getattr__(self, name: str) -> Any:
        if "prog" in vars(self):  # it is made, and has nothing of this name
            raise AttributeError(name)
        super().__init__(**self.how)
        self.declare(self)
        return getattr(self, name)

    def format_help(self) -> str:
        """The text of ``--help``."""
        return (f"example: {self.example}\n\n" if self.example else "") + super().format_help()


class ProgramParser(argparse.ArgumentParser):
    """The parser of the program, whose help lists the commands in groups."""

    def format_help(self) -> str:
        """The text of ``--help``."""
        [commands] = [action for action in self._actions if isinstance(action, argparse._SubParsersAction)]
        said = {action.dest: action.help for action in commands._get_subactions()}
        formatter = self._get_formatter()
        formatter.add_usage(self.usage, self._actions, self._mutually_exclusive_groups)
        formatter.add_text(self.description)
        pad = max(map(len, said))
        lines = [formatter.format_help()]
        for section, names in groups().items():
            lines += [f"{section.capitalize()}:", *(f"  {name:{pad}}  {said[name]}" for name in names), ""]
        pad = max(map(len, EXAMPLES))
        lines += ["Examples:", *(f"  {line:{pad}}  {what}" for line, what in EXAMPLES.items()), ""]
        return "\n".join([*lines, "irmeval COMMAND --help: an example and all flags of a command.\n"])
