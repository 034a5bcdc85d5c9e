"""``irmeval completion SHELL``: a script with which a shell completes commands, flags and their values.

It is generated from the parser, so it needs no other package, and a press of Tab starts no Python. All other words complete as files.
"""

import argparse
import re
from collections.abc import Callable, Iterable, Iterator
from shlex import quote
from typing import Any, NamedTuple

from irmeval.cli.flags import add_command
from irmeval.metrics import METRICS

INSTALL = {
    "bash": "irmeval completion bash > ~/.local/share/bash-completion/completions/irmeval",
    "zsh": "irmeval completion zsh > ~/.zfunc/_irmeval, with fpath+=~/.zfunc before compinit in ~/.zshrc",
    "fish": "irmeval completion fish > ~/.config/fish/completions/irmeval.fish",
}


class Flag(NamedTuple):
    """A flag of a command: its names, what it does, its permitted values, and whether it takes a value."""

    names: tuple[str, ...]
    does: str
    values: tuple[str, ...]
    takes: bool


class Command(NamedTuple):
    """A command: its name, what it does, the permitted values of its first argument, and its flags."""

    name: str
    does: str
    first: tuple[str, ...]
    flags: tuple[Flag, ...]


def add_to(commands: Any, parser: Callable[[], argparse.ArgumentParser]) -> None:
    """Add the command. `parser` makes the parser of all commands and flags."""
    text = f"Once per shell: {'; '.join(INSTALL.values())}."
    does = "print what completes commands and flags in a shell"

    @add_command(commands, "completion", lambda given: SCRIPTS[given.shell](read(parser())), does, "bash", text)
    def declare(command: argparse.ArgumentParser) -> None:
        command.add_argument("shell", metavar="SHELL", choices=tuple(INSTALL), help=", ".join(INSTALL))


def read(parser: argparse.ArgumentParser) -> list[Command]:
    """The commands of a parser."""
    [commands] = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    does = {action.dest: _first_sentence(action.help) for action in commands._get_subactions()}
    return [Command(name, does[name], *_arguments(made)) for name, made in commands.choices.items()]


def _arguments(parser: argparse.ArgumentParser) -> tuple[tuple[str, ...], tuple[Flag, ...]]:
    flags, first = [], None
    for action in parser._actions:
        values = tuple(map(str, action.choices or ()))
        if not action.option_strings:
            first = values if first is None else first
            continue
        if action.dest == "measure":
            values = tuple(metric.example for metric in METRICS.values())
        flags.append(Flag(tuple(action.option_strings), _first_sentence(action.help), values, action.nargs != 0))
    return first or (), tuple(flags)


def _first_sentence(help: str | None) -> str:
    """The first sentence of a help text, or the first two if the first is a mere label."""
    sentences = re.split(r"(?<=[a-z)])\. ", (help or "").replace("%%", "%"))
    return " ".join(sentences[:1] if len(sentences[0]) > 25 else [". ".join(sentences[:2])]).rstrip(".")


def _lines(words: Iterable[str]) -> str:
    return quote("\n".join(words))


def bash(commands: list[Command]) -> str:
    """For bash 3.2 and later."""
    return "\n".join(
        [
            "_irmeval() {",
            "  local IFS=$'\\n' words= current=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} before=${COMP_WORDS[COMP_CWORD-1]}",
            f"  if ((COMP_CWORD == 1)); then words={_lines([*(c.name for c in commands), '--help', '--version'])}",
            "  else case $command:$before in",
            *(f"    {command}:{flag}) words={_lines(values)};;" for command, flag, values in _values(commands)),
            "    *) if [[ $current == -* ]]; then case $command in",
            *(
                f"      {c.name}) words={_lines(name for flag in c.flags for name in flag.names if name.startswith('--'))};;"
                for c in commands
            ),
            "    esac; fi;;",
            "  esac; fi",
            '  COMPREPLY=($(compgen -W "$words" -- "$current"))',
            '  COMPREPLY=("${COMPREPLY[@]// /\\\\ }")',
            "}",
            "complete -o default -o bashdefault -F _irmeval irmeval",
            "",
        ]
    )


def _values(commands: list[Command]) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Command, previous word, and the words that may follow. The word before a first argument is the command itself."""
    for command in commands:
        yield from ((command.name, name, flag.values) for flag in command.flags if flag.values for name in flag.names)
        if command.first:
            yield command.name, command.name, command.first


def zsh(commands: list[Command]) -> str:
    """For zsh, sourced or as a file of the `fpath`."""

    def described(pairs: Iterable[tuple[str, str]]) -> str:
        return " ".join(quote(f"{name.replace(':', chr(92) + ':')}:{said}") for name, said in pairs)

    return "\n".join(
        [
            "#compdef irmeval",
            "_irmeval() {",
            "  local -a items",
            f"  if ((CURRENT == 2)); then items=({described((c.name, c.does) for c in commands)}); _describe command items; return; fi",
            '  case "$words[2]:$words[CURRENT-1]" in',
            *(
                f"    {c}:{flag}) items=({' '.join(map(quote, values))}); compadd -a items; return;;"
                for c, flag, values in _values(commands)
            ),
            "  esac",
            "  if [[ $words[CURRENT] == -* ]]; then case $words[2] in",
            *(f"    {c.name}) items=({described((flag.names[-1], flag.does) for flag in c.flags)});;" for c in commands),
            "  esac; _describe flag items; else _files; fi",
            "}",
            'if [[ $funcstack[1] == _irmeval ]]; then _irmeval "$@"; else compdef _irmeval irmeval; fi',
            "",
        ]
    )


def fish(commands: list[Command]) -> str:
    """For fish."""

    def quoted(text: str) -> str:
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"

    def words(values: Iterable[str]) -> str:
        return quoted(" ".join(value.replace("'", "\\'").replace(" ", "\\ ").replace("(", "\\(").replace(")", "\\)") for value in values))

    lines = [f"complete -c irmeval -n __fish_use_subcommand -f -a {c.name} -d {quoted(c.does)}" for c in commands]
    for command in commands:
        within = f"complete -c irmeval -n '__fish_seen_subcommand_from {command.name}'"
        lines += [f"{within} -f -a {words(command.first)}"] if command.first else []
        for flag in command.flags:
            named = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in flag.names)
            takes = f" -x -a {words(flag.values)}" if flag.values else " -r" if flag.takes else ""
            lines.append(f"{within} {named}{takes} -d {quoted(flag.does)}")
    return "\n".join([*lines, ""])


SCRIPTS: dict[str, Callable[[list[Command]], str]] = {"bash": bash, "zsh": zsh, "fish": fish}
"""The function that writes the script for each shell."""
