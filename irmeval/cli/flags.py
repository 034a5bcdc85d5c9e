"""Flags shared by several commands. Most are made from declared parameters."""

from collections.abc import Container, Iterable, Iterator
from dataclasses import replace
from typing import Any

import click
from click.shell_completion import CompletionItem

from irmeval.cli.meant import is_measure
from irmeval.cli.program import (
    CHOSEN,
    FURTHER,
    OWN,
    READING,
    TARGET,
    Flag,
    Given,
    OneOf,
    argument,
)
from irmeval.core.params import Field, fields, format_value
from irmeval.core.written import WORKSPACE
from irmeval.judges.simulation import KINDS, OF, SIMULATED, TABLE
from irmeval.metrics import DEFAULT, METRICS
from irmeval.reading.formats import AUTO, COLUMNS, formats_of
from irmeval.reading.policy import PROFILES, Policy
from irmeval.scoring.score_table import AGGREGATES
from irmeval.scoring.selection import Selection

METAVARS = {int: "N", float: "X", str: "TEXT"}
"""What the help shows for a value, by its kind."""
SENTENCES = ("What ", "How ", "Whether ")
"""Beginnings of a meaning that is read without its label."""
FILES = ("exclude",)
"""Declared parameters that a command takes from a file."""
SHORT = {"depth": ("-M",)}
"""Short names of flags, as in trec_eval."""


class Texts(click.ParamType):  # type: ignore[type-arg]
    """Several values of a declared parameter, separated by commas; none for an empty
    text. They are checked on use.
    """

    name = "texts"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str):
            return value
        return tuple(value.split(",")) if value else ()


class FormatName(OneOf):
    """Name of a format, perhaps with a column after a colon."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        name, colon, _ = str(value).partition(":")
        if colon and name == COLUMNS and name in self.choices:
            return str(value)
        return super().convert(value, param, ctx)


class MeasureText(click.ParamType):  # type: ignore[type-arg]
    """A measure as text; a shell completes the names of metrics."""

    name = "measure"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        names = (metric.example for metric in METRICS.values())
        return [
            CompletionItem(name) for name in names if name.lower().startswith(incomplete.lower())
        ]


def run_flags(without_runs: bool = False) -> Iterator[click.Parameter]:
    """Arguments and flags of a collection and its policy. With `without_runs` a
    collection may lack runs.
    """
    yield argument(
        "qrels",
        f"a qrels file, or a workspace ({WORKSPACE}) in place of QRELS and RUN",
        required=False,
    )
    none = " (none: judgments alone)" if without_runs else ""
    yield argument(
        "runs",
        f"run files, or folders of them; of any format, plain or packed{none}",
        metavar="RUN",
        nargs=-1,
    )
    yield format_flag()
    yield format_flag("run")
    text = "defaults of the flags below (default: those of the workspace, else papers)"
    yield Flag("--profile", type=OneOf(tuple(PROFILES)), section=READING, help=text)
    yield from optional_flags(fields(Policy).values(), READING)
    yield from _judges(FURTHER)
    yield Flag(
        "--judge",
        default="",
        metavar="NAME",
        section=FURTHER,
        help="score by the grades of this judge (default: those of QRELS)",
    )


def judge_flags() -> Iterator[click.Parameter]:
    """The flags for the qrels of several judges."""
    yield argument("qrels", "the first judge's qrels, the reference")
    yield from _judges(OWN)
    yield Flag(
        "--judge", default="", metavar="NAME", help="reference judge (default: that of QRELS)"
    )
    topics = fields(Selection)["topics_only"].param
    yield Flag("--topics-only", default="", metavar="TEXT", help=f"{topics.label}. {topics.help}")


def _judges(section: str) -> Iterator[Flag]:
    yield Flag(
        "--name",
        dest="first",
        default="",
        metavar="NAME",
        section=section,
        help="name of the judge of QRELS",
    )
    kinds = ", ".join(KINDS)
    yield Flag(
        "--other",
        multiple=True,
        metavar="NAME=FILE",
        section=section,
        help=(
            f"another judge's qrels; repeatable. In place of FILE, {SIMULATED}KIND,SHARE,SEED is a"
            f" simulated judge: {kinds}; or {SIMULATED}{TABLE}.7:.3/0:1,SEED, with the probability"
            " of each grade for each grade of the first judge. Names of runs at the end: errs only"
            f" on documents in their top 10. {OF}NAME at the beginning: errs on the grades of that"
            " judge"
        ),
    )
    text = "the lowest grade of a relevant document"
    yield Flag("--relevant", multiple=True, metavar="NAME=GRADE", section=section, help=text)
    text = "map the grades of a judge; repeatable"
    yield Flag("--map", multiple=True, metavar="NAME=0-49:0,50:1,...", section=section, help=text)


def format_flag(kind: str = "qrels") -> Flag:
    """Flag for the format of a qrels file, or of runs."""
    help = (
        f"format of {kind.upper()}, if several fit; see irmeval formats (default: auto, recognised"
        " from the content)"
    )
    return Flag(
        f"--{kind}-format",
        type=FormatName((AUTO, *formats_of(kind))),
        default=AUTO,
        metavar="NAME",
        section=READING,
        help=help,
    )


def selection_flags(taken: Container[str] = ()) -> Iterator[Flag]:
    """Flags of a selection. A flag in `taken` exists already and serves both
    purposes.
    """
    yield from optional_flags(
        (field for name, field in fields(Selection).items() if name not in taken), CHOSEN
    )
    text = (
        "a CSV with the header run,team or run,team,kind: the team of each run, and its kind of"
        " system"
    )
    yield Flag("--team-list", type=TARGET, metavar="FILE", section=CHOSEN, help=text)


def measure_flag(default: tuple[str, ...] = ()) -> Flag:
    """Flag for measures. `default` are those of a command if none is on the line or in
    a workspace; empty for the usual ones.
    """
    last = ", ".join(default) or f"{', '.join(DEFAULT)}, on a sample after their estimators"
    help = (
        "as in AP, nDCG@10, Q(beta=10)'; several, or repeatable. Default those of the workspace,"
        f" else {last}."
    )
    return Flag("-m", "--measure", type=MeasureText(), accepts=is_measure, metavar="M", help=help)


def trec_eval_flags() -> Iterator[Flag]:
    """trec_eval's flags for rows, relevance levels and condensed lists, for all
    measures.
    """
    yield Flag("-q", "--per-topic", is_flag=True, help="add a row for each topic")
    text = "means over topics in place of arithmetic ones; geometric is trec_eval's gm_map for AP"
    yield Flag("--aggregate", type=OneOf(tuple(AGGREGATES)), default="mean", help=text)
    yield Flag("-n", "--no-means", is_flag=True, help="rows of topics without the means")
    text = "lowest relevant grade, for measures without a level such as AP(rel=2)"
    yield Flag("-l", "--level", type=int, metavar="GRADE", help=text)
    yield Flag(
        "-J",
        "--judged-only",
        is_flag=True,
        help="leave unjudged documents out of lists: the prime of each measure",
    )
    yield Flag(
        "-c",
        "--missing-as-zero",
        is_flag=True,
        help="a topic missing from a run scores 0: same as --average judged",
    )


def optional_flags(declared: Iterable[Field], section: str = OWN) -> Iterator[Flag]:
    """Flags of declared parameters, with value None unless the user gives one."""
    # None tells what was not given, where the profile or the workspace decides
    return (field_flag(replace(field, default=None), section) for field in declared)


def given_values(given: Given, names: Iterable[str]) -> dict[str, Any]:
    """Values of these flags that the user gave."""
    values = vars(given)
    return {name: values[name] for name in names if values.get(name) is not None}


def field_flag(field: Field, section: str = OWN) -> Flag:
    """Flag of a declared parameter. Several values are separated by commas. The value
    is checked on use.
    """
    flag = f"--{field.name.replace('_', '-')}"
    if field.kind is bool:
        how: dict[str, Any] = {"is_flag": True}
    else:
        how = {"joins": field.is_list, "type": _type_of(field), "metavar": _metavar_of(field)}
    return Flag(
        *SHORT.get(field.name, ()),
        flag,
        dest=field.name,
        section=section,
        default=field.default,
        help=_help_of(field),
        **how,
    )


def _type_of(field: Field) -> "click.ParamType[Any]":
    if field.is_list:
        return Texts()
    if field.param.choices:
        return OneOf(field.param.choices)
    return click.UNPROCESSED


def _metavar_of(field: Field) -> str | None:
    if field.param.choices:
        return None
    if field.name in FILES:
        return "FILE"
    one = METAVARS[field.kind]
    if not field.is_list:
        return one
    return f"{one},{one},..."


def _help_of(field: Field) -> str:
    """Label, meaning and default. A label that repeats the flag or the meaning is left
    out.
    """
    return " ".join(filter(None, [_meaning_of(field), _default_of(field)]))


def _meaning_of(field: Field) -> str:
    label, meaning = field.param.label, field.param.help
    whole = f"{label}. {meaning}"
    if not meaning:
        return whole
    repeats_flag = label.removesuffix(", %").replace(" ", "_") == field.name
    if repeats_flag or field.kind is bool or meaning.startswith(SENTENCES):
        return meaning
    return whole


def _default_of(field: Field) -> str:
    default = field.default
    if default in (None, "", (), False):
        return ""
    values = default if field.is_list else [default]
    return f"Default {','.join(map(format_value, values))}."
