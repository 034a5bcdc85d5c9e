"""Pages of the documentation on the command line: one a command, and one on what users
of other programs type.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial

import click

from irmeval.cli.habits import FLAGS, MEANINGS, MEANT, NOT_HERE
from irmeval.cli.program import DATA, OUTPUT, OWN, PROGRAM, Command

CONTEXT = click.Context(PROGRAM, info_name="irmeval", **PROGRAM.context_settings)
COMMANDS = PROGRAM.list_commands(CONTEXT)
FOLDER = "commands"
OTHERS = "other-programs"


def index() -> Iterator[str]:
    """The help of the program, and a link to the page of each command."""
    yield from (
        "# Command line",
        "",
        (
            "`irmeval COMMAND`, or `python -m irmeval COMMAND`. Figures go to standard output or to"
            " `-o FILE`, messages to standard error. Bad input ends in one line and exit status 2."
        ),
        "",
        "```text",
        PROGRAM.get_help(CONTEXT),
        "```",
        "",
        "```{toctree}",
        ":caption: A page for each command",
        "",
    )
    yield from (f"{FOLDER}/{name}" for name in (*COMMANDS, OTHERS))
    yield "```"


def command_page(name: str) -> Iterator[str]:
    """What a command does, with each of its arguments and flags."""
    command = PROGRAM.commands[name]
    assert isinstance(command, Command)
    context = click.Context(command, CONTEXT, name)
    params = command.get_params(context)
    yield from (f"# irmeval {name}", "", escape(command.help or ""), "")
    yield from ("```text", f"irmeval {name} {command.example}", "```", "")
    flags = [param for param in params if isinstance(param, click.Option)]
    for argument in (param for param in params if param not in flags):
        yield f"- `{argument.make_metavar(context)}`: {escape(getattr(argument, 'help', ''))}"
    yield from ("", "```{program} " + f"irmeval {name}", "```", "")
    for section in (OWN, OUTPUT, *DATA):
        own = [flag for flag in flags if getattr(flag, "section", OUTPUT) == section]
        yield from _section(section, [flag.get_help_record(context) for flag in own])


def _section(title: str, records: list[tuple[str, str] | None]) -> Iterator[str]:
    """The flags of a section, unless it has none."""
    shown = [record for record in records if record]
    if not shown:
        return
    yield from (f"## {title}", "")
    for names, text in shown:
        yield from _option(names, escape(text))


def _option(names: str, text: str) -> Iterator[str]:
    """A flag, which a search finds by its name."""
    yield from ("```{option} " + names, "", text, "```", "")


def other_programs() -> Iterator[str]:
    """Flags and commands of other programs, with what is typed here."""
    yield from (
        "# Flags and commands of other programs",
        "",
        (
            "What users of trec_eval, ir_measures, ranx and others type works here, where a command"
            " has the flag, or one line says what to type."
        ),
        "",
        "## Flags",
        "",
        "```{program} other programs",
        "```",
        "",
    )
    here = {name: f"`{flag}`" for name, flag in FLAGS.items()}
    instead = {name: escape(text) for name, text in MEANINGS.items() if name not in here}
    for text, names in _together(here).items():
        yield from _option(", ".join(names), f"Here {text}.")
    for text, names in _together(instead).items():
        yield from _option(", ".join(names), f"Here: {text}.")
    yield from ("## Commands", "")
    for name, ours in MEANT.items():
        yield f"- `irmeval {name}` is `irmeval {ours}`."
    for name, text in NOT_HERE.items():
        yield f"- `irmeval {name}`: {escape(text)}."


def _together(texts: Mapping[str, str]) -> dict[str, list[str]]:
    """Names by their text."""
    together: dict[str, list[str]] = {}
    for name, text in texts.items():
        together.setdefault(text, []).append(name)
    return together


def escape(text: str) -> str:
    """Words that are to stand as they are."""
    return re.sub(r"([\\*_<>\[\]|])", r"\\\1", text).replace("``", "`")


PAGES: dict[str, Callable[[], Iterator[str]]] = {
    "commands.md": index,
    f"{FOLDER}/{OTHERS}.md": other_programs,
    **{f"{FOLDER}/{name}.md": partial(command_page, name) for name in COMMANDS},
}
"""File -> what makes its text."""
