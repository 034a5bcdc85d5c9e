"""``irmeval metrics`` and ``irmeval formats``: tables of what irmeval knows."""

from collections.abc import Iterator
from typing import Any

import click

from irmeval.cli import table_format as tables
from irmeval.cli.print_tables import write_frame
from irmeval.cli.program import Given, argument, command
from irmeval.core.tables import TEXT
from irmeval.metrics import distinct
from irmeval.report import exports


def _metrics(given: Given) -> str | bytes:
    if len(given.names) == 1 and tables.form_of(given) == TEXT:
        return exports.describe_metric(*distinct(given.names))
    return write_frame(given, exports.list_metrics(tables.form_of(given), given.names), words=1)


@command("metrics", _metrics, "list the metrics, or describe one with its formula", "nDCG")
def _declare_metrics() -> Iterator[click.Parameter]:
    how: dict[str, Any] = {"nargs": -1, "required": False, "type": str}
    yield argument("names", "metrics (default: all)", metavar="METRIC", **how)
    yield tables.format_flag()


def _formats(given: Given) -> str | bytes:
    return write_frame(given, exports.list_formats(), words=2)


@command("formats", _formats, "list the supported file formats", "--format csv")
def _declare_formats() -> Iterator[click.Parameter]:
    yield tables.format_flag()
