"""``irmeval completion SHELL``: the script with which a shell asks click for commands,
flags and their values.
"""

import click
from click.shell_completion import get_completion_class

from irmeval.cli.program import PROGRAM, Given, OneOf, argument, command

INSTALL = {
    "bash": (
        "irmeval completion bash > ~/.local/share/bash-completion/completions/irmeval (bash 4.4 or"
        " later)"
    ),
    "zsh": (
        "irmeval completion zsh > ~/.zfunc/_irmeval, with fpath+=~/.zfunc before compinit in"
        " ~/.zshrc"
    ),
    "fish": "irmeval completion fish > ~/.config/fish/completions/irmeval.fish",
}
VARIABLE = "_IRMEVAL_COMPLETE"
"""Environment variable of the script's request."""


def _script(given: Given) -> str:
    completes = get_completion_class(given.shell)
    assert completes
    return f"{completes(PROGRAM, {}, 'irmeval', VARIABLE).source()}\n"


TEXT = f"Once per shell: {'; '.join(INSTALL.values())}."


@command("completion", _script, "print the completion script of a shell", "bash", TEXT)
def _declare() -> list[click.Parameter]:
    return [argument("shell", ", ".join(INSTALL), type=OneOf(tuple(INSTALL)))]
