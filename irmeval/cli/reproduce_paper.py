"""``irmeval paper``: all tables and figures of a paper."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import click

from irmeval.cli import flags, given_data
from irmeval.cli.given_data import Progress
from irmeval.cli.outputs import write_files
from irmeval.cli.program import FILES, Flag, Given, OneOf, argument, command
from irmeval.core.errors import ParamError, require
from irmeval.core.params import fields
from irmeval.experiments import EXPERIMENTS
from irmeval.papers import PAPERS
from irmeval.papers.base import Paper
from irmeval.papers.exhibits import OVERRIDABLE, Overrides, choose_runs
from irmeval.papers.findings import EACH, VERDICTS
from irmeval.report import paper_folder
from irmeval.report.one_exhibit import find_exhibits, list_exhibits, write_exhibits
from irmeval.scoring.selection import Selection

SAMPLED = EXPERIMENTS["curves"].params
"""Record with the parameters of a paper's exhibits."""

ALL_PAPERS = "all"
"""Placeholder for all papers."""


def _paper(given: Given) -> str:
    if given.list:
        return "".join(
            f"{one.title} ({one.name})\n{list_exhibits(one)}\n" for one in _papers_of(given)
        )
    team, overrides, exhibits = given_data.read_groups(given).teams, _overrides(given), []
    if given.exhibit:
        exhibits = find_exhibits(PAPERS[given.name], given.exhibit)
    everything = given_data.read_everything(given)
    how: dict[str, Any] = {"overrides": overrides, "team": team, "progress": Progress()}
    if given.name == ALL_PAPERS:
        given_data.report_remarks(everything)
        return write_files(given, partial(paper_folder.write_all, everything, **how))
    asked = PAPERS[given.name]
    usual = choose_runs(asked, None, everything, overrides, team)
    left_out = usual.table[~usual.table["kept"]]
    given_data.report_selection(
        usual.collection, zip(left_out["run"], left_out["why"], strict=True)
    )
    if exhibits and not given.output:
        return write_exhibits(asked, exhibits, everything, **how)
    how["labels"] = {exhibit.label for exhibit in exhibits} or None
    return write_files(given, lambda where: paper_folder.write(asked, everything, where, **how)[0])


def _check(given: Given) -> None:
    """Raise `ParamError` for an invalid value, and for an exhibit that the paper
    lacks.
    """
    if given.list:
        return
    require("plotly", "report")
    SAMPLED(watch=("pairs",), **_overrides(given).params)
    if given.exhibit:
        find_exhibits(PAPERS[given.name], given.exhibit)


def _overrides(given: Given) -> Overrides:
    """Values on the command line that replace those of a paper."""
    return Overrides(
        flags.given_values(given, fields(Selection)),
        flags.given_values(given, OVERRIDABLE),
        given.as_published,
        given.verdicts,
    )


def _papers_of(given: Given) -> list[Paper]:
    if given.name == ALL_PAPERS:
        return [*PAPERS.values()]
    return [PAPERS[given.name]]


def _name_folder(given: Given) -> None:
    given.folder = given.name
    if given.name == ALL_PAPERS:
        given.folder = "papers"
        if given.exhibit:
            raise ParamError(f"exhibit: expected the name of one paper, found {ALL_PAPERS}.")
    if given.exhibit and not given.output:
        given.folder = ""  # it is printed
    if given.list:
        given.folder, given.without_runs = "", None  # it needs no files


PAPER = "reproduce all tables and figures of a paper on your data"
FOLDER = (
    "Writes to a folder (-o, by default the paper's name); --list and, without -o, --exhibit print."
)


@command(
    "paper",
    _paper,
    PAPER,
    f"{next(iter(PAPERS))} {FILES}",
    FOLDER,
    normalize=_name_folder,
    check=_check,
    without_runs=False,
)
def _declare_paper() -> Iterator[click.Parameter]:
    yield argument(
        "name", f"{', '.join(PAPERS)}, or {ALL_PAPERS}", type=OneOf((*PAPERS, ALL_PAPERS))
    )
    yield from flags.run_flags()
    yield Flag("--list", is_flag=True, help="list its tables and figures; needs no files")
    yield Flag(
        "--exhibit", default="", metavar="LABEL", help='one of them alone, such as "Table 3"'
    )
    yield from flags.selection_flags()
    yield from flags.optional_flags(fields(SAMPLED)[name] for name in OVERRIDABLE)
    yield Flag(
        "--as-published",
        is_flag=True,
        help="one random sample per rate, as in the papers, instead of ten",
    )
    text = (
        "on findings. each: separately. together: at most 10% of all verdicts are expected to be"
        " false (Benjamini & Hochberg)"
    )
    yield Flag("--verdicts", type=OneOf(VERDICTS), default=EACH, help=text)
