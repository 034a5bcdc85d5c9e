"""``irmeval condense``: runs without their unjudged documents."""

from collections.abc import Iterator

import click

from irmeval.cli import flags, given_data
from irmeval.cli.program import FILES, Given, command
from irmeval.report import exports


def _condense(given: Given) -> str:
    given_data.refuse_scheduler(given, "condense")
    collection = given_data.read_selected(given)
    return "".join(exports.condensed_run(collection, run) for run in collection.runs)


@command(
    "condense",
    _condense,
    "leave unjudged documents out of runs",
    FILES,
    "Writes the runs on which primes are computed.",
    without_runs=False,
)
def _declare_condense() -> Iterator[click.Parameter]:
    yield from flags.run_flags()
    yield from flags.selection_flags()
