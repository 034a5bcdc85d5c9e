"""Commands as click commands, and the program that lists them by the sections of the
menu.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from itertools import chain, filterfalse
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from irmeval.cli.habits import (
    NOT_HERE,
    VALUES,
    Accepts,
    complete_line,
    explain_flag,
    hyphenate,
    join_numbers,
    place_files,
    spread,
    translate,
)
from irmeval.core import parallel
from irmeval.core.errors import ParamError
from irmeval.core.index import COMMANDS, EXPERIMENT_FILES, IndexedCommand
from irmeval.core.registry import Registry, check_known, suggest_nearest
from irmeval.core.tables import PARQUET, format_of
from irmeval.core.text import shorten
from irmeval.core.version import __version__

if TYPE_CHECKING:
    from irmeval.experiments.base import Experiment

FILES = "qrels.txt runs/"
EXAMPLES = {
    "irmeval serve": "the dashboard, on a sample collection",
    f"irmeval evaluate {FILES} -m AP -m nDCG@10": "mean scores of every run",
    f"irmeval leaderboard {FILES} -m AP --format latex": "ranks and tests, as a LaTeX table",
    f"irmeval curves {FILES} -m AP -m Bpref -o curves.csv": "what happens as judgments disappear",
}
"""Examples below the list of commands: a command line and its result."""


RUNNER = "irmeval.cli.run_experiment"
"""Module that makes the commands of experiments."""


def groups() -> dict[str, list[str]]:
    """Commands of each section of the menu. Commands that are not experiments are
    first.
    """
    from irmeval.experiments import EXPERIMENTS, story

    section_of = {name: entry_of(name).section for name in EXPERIMENTS}
    named = {each: [*story.COMMANDS.get(each, ())] for each in story.sections(section_of.values())}
    for name, section in section_of.items():
        named[section].append(name)
    return named


def entry_of(name: str) -> "IndexedCommand | Experiment[Any, Any]":
    """Section and verb phrase of a command; only one of another package is imported for
    them.
    """
    if name in COMMANDS:
        return COMMANDS[name]
    from irmeval.experiments import EXPERIMENTS

    return EXPERIMENTS[name]


OWN = "Options"
OUTPUT = "Output"
READING = "Data"
"""Section of how files are read."""
FURTHER = "Data, other judges"
CHOSEN = "Data, selected runs and topics"
DATA = (READING, FURTHER, CHOSEN)
"""Sections of the help, in this order. Flags of the data are alike for all commands, so
that they come last.
"""
CSV = "csv"
"""Format that every command with a table offers."""
FILE = click.Path(readable=False)
"""A file or folder, which a shell completes. It is checked on reading."""
TARGET = click.Path(readable=False, path_type=Path)
"""A file or folder to write to."""
SETTINGS: dict[str, Any] = {
    "help_option_names": ["-h", "--help"],
    "max_content_width": 80,
    "token_normalize_func": lambda word: word.replace("_", "-"),  # --per_team is --per-team
}


UNBROKEN = "\N{NON-BREAKING HYPHEN}"
"""Hyphen of help while it is wrapped. Click breaks lines at plain ones, as within
``by-rank``, which then cannot be copied.
"""
LONGEST_NAMES = 76
"""Letters of a flag with its values that fit a line of 80."""
ELSEWHERE: dict[str, Any] = {
    **dict.fromkeys(("qrels", "runs", "qrels_format", "run_format", "profile", "exclude")),
    **dict.fromkeys(("team_list", "measure", "others", "matrix", "returned")),
    **dict.fromkeys(("output", "replace", "folder", "table", "table_folder")),
    **dict.fromkeys(("format", "wide", "long", "digits")),
    **dict.fromkeys(("other", "map", "relevant", "scores", "only"), ()),
    **dict.fromkeys(("judge", "first", "sort"), ""),
    **dict.fromkeys(("per_topic", "no_means"), False),
    # facts about a command: whether a collection may lack runs (None: it has no collection),
    # its measures where there are none, the flags that a score matrix replaces, what refuses
    # values that no file makes right
    "without_runs": None,
    "check": lambda given: None,
    "usual": (),
    "of_collection": tuple,
    # a server writes no file
    "writes": True,
}
"""What arguments, flags and facts that only some commands have are of all others."""
EXCLUSIVE = ("table", "folder", "wide", "long")
"""Flags of which a line has at most one."""


class Given(SimpleNamespace):
    """A parsed command line: the value of each argument and flag by name, and the facts
    about its command. `typed` are the names of those on the line, `status` is the exit
    status, `stored` a workspace in place of qrels and runs.
    """

    def __init__(self, **values: Any):
        super().__init__(**ELSEWHERE | {"typed": frozenset(), "status": 0, "stored": None} | values)

    @property
    def paths(self) -> list[str]:
        """QRELS, an empty text in place of none, then RUN."""
        return [str(self.qrels or ""), *map(str, self.runs or ())]


class OneOf(click.Choice[str]):
    """A value from a list, in any case, or as other programs call it."""

    def normalize_choice(self, choice: object, ctx: click.Context | None) -> str:
        typed = str(choice).lower()
        spelled = dict(zip(map(str.lower, self.choices), self.choices, strict=True))
        elsewhere = spelled.get(VALUES.get(typed, ""), str(choice))
        return spelled.get(typed, elsewhere)


class Flag(click.Option):
    """A flag. Its value is named `dest`, by default after its last name; the help shows
    it in a `section`.

    `accepts` decides for each word after the first value whether it is a further value:
    ``-m AP RR`` is ``-m AP -m RR``. A flag that `joins` takes numbers that follow as
    parts of its value: ``--rates 100 50`` is ``--rates 100,50``.
    """

    def __init__(
        self,
        *names: str,
        dest: str = "",
        section: str = OWN,
        accepts: Accepts | None = None,
        joins: bool = False,
        **how: Any,
    ):
        self.section, self.accepts, self.joins = section, accepts, joins
        super().__init__(
            [dest or names[-1].lstrip("-").replace("-", "_"), *names],
            **{"multiple": accepts is not None, **how},
        )

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Its names and its help. The help lists values that do not fit beside the
        names.
        """
        record = super().get_help_record(ctx)
        if record is None or not isinstance(self.type, click.Choice):
            return record
        names, help = record
        if len(names) <= LONGEST_NAMES:
            return record
        flag, _, _ = names.partition("[")
        values = ", ".join(self.type.choices)
        return f"{flag}NAME", f"{help.removesuffix('.')}. One of {values}."

    def type_cast_value(self, ctx: click.Context, value: Any) -> Any:
        """Take the value of a flag. Click takes any next word, as in ``-o -m AP``;
        raises `UsageError` if that is a flag itself.
        """
        words = value
        if not isinstance(value, tuple | list):
            words = [value]
        for flag in filter(_flag_names(ctx.command.params).__contains__, words):
            expected = self.metavar or "a value"
            raise click.UsageError(
                f"{self.opts[0]}: expected {expected}, found the flag {flag}.", ctx
            )
        return super().type_cast_value(ctx, value)


def _flag_names(params: Iterable[click.Parameter]) -> list[str]:
    names = (param.opts for param in params if isinstance(param, click.Option))
    return [*chain.from_iterable(names)]


def _explain_value(error: click.BadOptionUsage, flag: Flag | None, ctx: click.Context) -> str:
    """Message of a flag without its value, or with one that it does not take."""
    if flag is None or flag.is_flag:
        return error.format_message()
    found = "none"
    if flag.nargs > 1:
        found = "fewer"
    return f"{error.option_name}: expected {flag.make_metavar(ctx)}, found {found}."


def argument(name: str, help: str, *, metavar: str = "", **how: Any) -> click.Argument:
    """An argument, by default a file. `nargs` -1 takes any number of words."""
    shown = metavar or name.upper()
    if how.get("nargs") == -1:
        shown += "..."
    return click.Argument([name], help=help, metavar=shown, **{"type": FILE, **how})


class Command(click.Command):
    """A command. Invoking it returns the `Given` of its line, which `run` takes.

    `does` is a verb phrase for the list of commands, `example` the arguments of an
    example, `text` more about it. `normalize` changes the values of a line before they
    are used; `facts` replace those of `ELSEWHERE`.
    """

    def __init__(
        self,
        name: str,
        run: Callable[[Given], str | Iterable[str]],
        does: str,
        example: str,
        text: str = "",
        *,
        declare: Callable[[], Iterable[click.Parameter]],
        normalize: Callable[[Given], None] = lambda given: None,
        **facts: Any,
    ):
        super().__init__(name, help=f"{does[0].upper()}{does[1:]}. {text}", short_help=does)
        self.run, self.does, self.example = run, does, example
        self.declare, self.normalize, self.facts = declare, normalize, facts

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        if not self.params:  # those of all commands would take longer than many commands take
            self.params = [*self.declare(), *self._output()]
        return super().get_params(ctx)

    def _output(self) -> Iterator[Flag]:
        """Flags of every command."""
        if self.facts.get("writes", True):
            yield Flag(
                "-o",
                "--output",
                type=TARGET,
                metavar="FILE",
                section=OUTPUT,
                help="write to this file; .csv, .json, .md, .parquet or .tex set --format",
            )
        yield Flag(
            "--scheduler",
            metavar="ADDRESS",
            section=OUTPUT,
            default=parallel.default_scheduler(),
            help=parallel.SCHEDULER_HELP,
        )

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        flags = self._flags_by_name(ctx)
        # the order matters: each step looks for names that the one before has made
        words = place_files(hyphenate(args), flags.keys())
        words = translate(words, flags.keys())
        words = join_numbers(words, {name for name, flag in flags.items() if flag.joins})
        several = {name: flag.accepts for name, flag in flags.items() if flag.accepts}
        try:
            return super().parse_args(ctx, spread(words, several))
        except click.BadOptionUsage as error:
            flag = flags.get(error.option_name)
            raise click.UsageError(_explain_value(error, flag, ctx), ctx) from None

    def _flags_by_name(self, ctx: click.Context) -> dict[str, Flag]:
        flags = dict[str, Flag]()
        for param in self.get_params(ctx):
            if isinstance(param, Flag):
                flags |= dict.fromkeys(param.opts, param)
        return flags

    def invoke(self, ctx: click.Context) -> Given:
        is_typed = click.core.ParameterSource.COMMANDLINE
        typed = {name for name in ctx.params if ctx.get_parameter_source(name) is is_typed}
        given = Given(**self.facts, command=self, typed=frozenset(typed), **ctx.params)
        both = [flag.opts[-1] for flag in self.params if flag.name in typed.intersection(EXCLUSIVE)]
        if len(both) > 1:
            raise click.UsageError(f"Expected one of {', '.join(both)}, found {len(both)}.", ctx)
        if "format" not in typed:
            given.format = self._format_of_file(given)
        return given

    def _format_of_file(self, given: Given) -> str:
        """Format of a table by the suffix of its file; the default if the suffix has none,
        or the command lacks it.
        """
        form = format_of(given.output or "")
        rows_of = {PARQUET: CSV}  # a command with rows of CSV writes Parquet, too
        if rows_of.get(form, form) not in self.offered_formats():
            return given.format
        return form

    def offered_formats(self) -> tuple[str, ...]:
        """Formats of its table; none for a command without."""
        kind = {param.name: param.type for param in self.params}.get("format")
        if not isinstance(kind, OneOf):
            return ()
        return tuple(kind.choices)

    def get_help(self, ctx: click.Context) -> str:
        return super().get_help(ctx).replace(UNBROKEN, "-")

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write(f"example: irmeval {self.name} {self.example}\n\n")
        super().format_help(ctx, formatter)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Flags by section: the command's own, then those of its output and its data."""
        # --help itself, which is click's own, stands with the output
        sections = dict[str, list[tuple[str, str]]]()
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)  # an argument has none
            if record:
                names, help = record
                rows = sections.setdefault(getattr(param, "section", OUTPUT), [])
                rows.append((names, help.replace("-", UNBROKEN)))
        for section in filter(sections.__contains__, (OWN, OUTPUT, *DATA)):
            with formatter.section(section):
                formatter.write_dl(sections[section])


class Program(click.Group):
    """The program: every command by its name, or by its name in another program."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*chain.from_iterable(groups().values())]

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Commands that begin so, with what they do; none is imported for it."""
        commands = [
            CompletionItem(name, help=entry_of(name).does)
            for name in self.list_commands(ctx)
            if name.startswith(incomplete)
        ]
        return [*commands, *click.Command.shell_complete(self, ctx, incomplete)]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, complete_line(args, self.commands))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0].replace("_", "-")
        if name in NOT_HERE and name not in self.commands:
            raise ParamError(f"{name}: {NOT_HERE[name]}.")
        check_known(name, self.commands, "unknown command", ParamError)
        return super().resolve_command(ctx, [name, *args[1:]])

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        pad = max(map(len, PROGRAM.commands))
        for section, names in groups().items():
            rows = [f"  {name:{pad}}  {entry_of(name).does}\n" for name in names]
            formatter.write("".join([f"\n{section.capitalize()}:\n", *rows]))
        # below what they are, since a command line may be long
        examples = [f"  {what}:\n    {line}\n" for line, what in EXAMPLES.items()]
        formatter.write("".join(["\nExamples:\n", *examples]))
        formatter.write("\nirmeval COMMAND --help: an example and all flags of a command.\n")


DESCRIPTION = "Evaluation metrics under incomplete relevance judgments."
REGISTERED: Registry[Command] = Registry("command")
"""Commands by name, each imported when it is asked for."""


def _import_command(name: str) -> None:
    """Import the module of a command; that of an experiment is made of its record."""
    module = COMMANDS[name].module
    if module in EXPERIMENT_FILES:
        import_module(RUNNER).add_command(name)
    else:
        import_module(module)


def _import_rest() -> None:
    """Add the commands of experiments that are not in the index."""
    from irmeval.experiments import EXPERIMENTS

    for name in filterfalse(COMMANDS.__contains__, EXPERIMENTS):
        import_module(RUNNER).add_command(name)


REGISTERED.load_late(
    _import_rest,
    {name: each.module for name, each in COMMANDS.items()},
    _import_command,
)
PROGRAM = Program("irmeval", help=DESCRIPTION, context_settings=SETTINGS, no_args_is_help=False)
PROGRAM.commands = REGISTERED  # type: ignore[assignment] # click only looks commands up
click.version_option(__version__, "-v", "-V", "--version", message="irmeval %(version)s")(PROGRAM)


def command(*given: Any, **more: Any) -> Callable[[Callable[[], Iterable[click.Parameter]]], None]:
    """Add a command to the program, with the arguments and flags returned by the
    decorated function.
    """

    def register(declare: Callable[[], Iterable[click.Parameter]]) -> None:
        made = Command(*given, declare=declare, **more)
        name, module = str(made.name), ""
        if name in COMMANDS:
            module = COMMANDS[name].module
        REGISTERED.add(name, made, module)

    return register


def parse(words: Sequence[str]) -> Given:
    """Parse a command line. Raises `ParamError` for unknown words; help and version end
    in `SystemExit`.
    """
    _import_first(words)
    try:
        # standing alone, click would print its own messages, and exit
        given = PROGRAM.main([*words], prog_name="irmeval", standalone_mode=False)
    except click.UsageError as error:
        raise ParamError(_with_command(words, _explain(error))) from None
    if not isinstance(given, Given):
        raise SystemExit(given)
    return given


def _with_command(words: Sequence[str], message: str) -> str:
    """A message after the name of the command that the line begins with."""
    if words and words[0] in PROGRAM.commands:
        return f"{words[0]}: {message}"
    return f"{message} See irmeval --help."


def _import_first(words: Sequence[str]) -> None:
    """Import the command of a line. In click, which would do so too, Ctrl-C prints a
    line meanwhile.
    """
    for name in filter(COMMANDS.__contains__, complete_line(words, PROGRAM.commands)[:1]):
        REGISTERED[name]


def _explain(error: click.UsageError) -> str:
    """Message of a command-line error on one line, with the nearest flags."""
    if isinstance(error, click.NoSuchOption):
        return _explain_flag(error)
    message = error.format_message()
    return f"{message[0].lower()}{message[1:]}"


def _explain_flag(error: click.NoSuchOption) -> str:
    """Message of an unknown flag: what it is here, or the nearest ones."""
    name, context = error.option_name, error.ctx
    here = explain_flag(name)
    if here:
        return here
    assert context  # a parser always has one
    nearest = suggest_nearest(name, _flag_names(context.command.get_params(context)))
    return f"unknown flag {shorten(name)}{nearest}."
