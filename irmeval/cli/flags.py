"""Adds commands, and flags that several commands share. Most flags come from declared parameters."""

import argparse
from collections.abc import Callable, Container, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from irmeval.cli import judge_args
from irmeval.core import parallel
from irmeval.core.params import Field, fields, format_value
from irmeval.metrics import DEFAULT
from irmeval.reading.policy import PROFILES, Policy
from irmeval.reading.trec import AUTO, FORMATS
from irmeval.scoring.selection import Selection
from irmeval.workspace import base as workspace


def add_command(
    commands: Any, name: str, run: Callable[[argparse.Namespace], Iterable[str]], does: str, example: str, text: str = ""
) -> Callable[[Callable[[argparse.ArgumentParser], None]], None]:
    """Add a command with the flags that the decorated function declares. `does` is a verb phrase, `example` the arguments of an example,
    `text` more about the command."""

    def add(own: Callable[[argparse.ArgumentParser], None]) -> None:
        def declare(command: argparse.ArgumentParser) -> None:
            command.add_argument("-o", "--output", type=Path, metavar="FILE", help="write to this file instead of standard output")
            command.add_argument("--scheduler", metavar="ADDRESS", default=parallel.default_scheduler(), help=parallel.SCHEDULER_HELP)
            command.set_defaults(command=run, status=0, refuse=command.error)
            own(command)

        said = f"{does[0].upper()}{does[1:]}. {text}"
        commands.add_parser(name, help=does, description=said, declare=declare, example=f"irmeval {name} {example}")

    return add


def run_flags(command: argparse.ArgumentParser, stored: bool, without_runs: bool = False) -> None:
    """Add the flags of a collection and its policy. With `without_runs` a collection may have no runs."""
    command.add_argument("qrels", metavar="QRELS", help=f"a qrels file, or a workspace ({workspace.ENDING}) in place of QRELS and RUN")
    # runs may come after other flags, as in `QRELS -m AP RUN`, which "*" would not match
    help = f"run files, or folders of them; plain, gzip or zip{' (none: judgments alone)' if without_runs else ''}"
    runs = command.add_argument("runs", metavar="RUN", nargs="+", default=[], help=help)
    runs.required = not (stored or without_runs)
    command.set_defaults(without_runs=without_runs)
    format_flag(command)
    command.add_argument(
        "--profile", choices=tuple(PROFILES), help="values of flags below that are not given (default: those of the workspace, else papers)"
    )
    add_optional_flags(command, fields(Policy).values())
    judge_args.add_others(command)


def format_flag(command: "argparse._ActionsContainer") -> None:
    """Add the flag for the format of a qrels file."""
    help = (
        "format of QRELS. plain: topic iteration document grade. strata: a sample, with a stratum before the grade, -1 not drawn (NIST's "
        "sample_eval.pl). prels: a sample, topic document grade method probability. auto: detected from its lines (default)"
    )
    command.add_argument("--qrels-format", choices=(AUTO, *FORMATS), default=AUTO, help=help)


def selection_flags(command: argparse.ArgumentParser, taken: Container[str] = ()) -> None:
    """Add the flags of a selection. A flag in `taken` exists already and serves both purposes."""
    chosen = command.add_argument_group("which runs and topics are used")
    add_optional_flags(chosen, (field for name, field in fields(Selection).items() if name not in taken))
    chosen.add_argument("--team_list", type=Path, metavar="FILE", help="a CSV with the header run,team: the team of each run")


def measure_flag(command: argparse.ArgumentParser, default: tuple[str, ...] = ()) -> None:
    """Add the flag for measures. `default` are those of a command that has none on its line or in a workspace; empty for the usual ones."""
    last = ", ".join(default) or f"{', '.join(DEFAULT)}, on a sample after their estimators"
    help = f"as in AP, nDCG@10, Q(beta=10)'; several, or repeatable. Default those of the workspace, else {last}."
    command.add_argument("-m", "--measure", action="append", metavar="M", help=help)
    command.set_defaults(usual=default)


def add_optional_flags(command: "argparse._ActionsContainer", declared: Iterable[Field]) -> None:
    """Add a flag for each declared parameter, whose value is None unless the user gives one."""
    for field in declared:
        add_flag(command, replace(field, default=None))


def given_values(given: argparse.Namespace, names: Iterable[str]) -> dict[str, Any]:
    """The values of the flags with these names that the user gave."""
    return {name: value for name in names if (value := getattr(given, name, None)) is not None}


def add_flag(command: "argparse._ActionsContainer", field: Field) -> None:
    """Add a flag for a declared parameter. Several values are separated by commas. The value is checked where it is used."""
    default = ",".join(map(format_value, field.default)) if field.many else field.default
    command.add_argument(
        f"--{field.name}",
        default=field.default,
        type=(lambda text: tuple(text.split(","))) if field.many else str,
        choices=field.param.choices or None,
        metavar=None if field.param.choices else field.name.upper(),
        help=f"{field.param.label}. {field.param.help}{'' if default in (None, '') else f' Default {default}.'}".replace("%", "%%"),
    )
