"""The order of commands in ``irmeval --help``, and examples."""

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
