"""``irmeval metrics`` and ``irmeval formats``: tables of what irmeval knows."""

from collections.abc import Callable

from irmeval.cli import table_format as tables
from irmeval.cli.print_tables import write_frame
from irmeval.cli.program import command
from irmeval.experiments.results import Frame
from irmeval.report import exports


def _list(name: str, does: str, make: Callable[[str], Frame], words: int) -> None:
    """Add a command that prints a table, made in a format, whose first columns are
    words.
    """
    command(
        name,
        lambda given: write_frame(given, make(tables.form_of(given)), words=words),
        does,
        "--format csv",
    )(lambda: [tables.format_flag()])


_list("metrics", "list the metrics", exports.list_metrics, 1)
_list("formats", "list the supported file formats", lambda _: exports.list_formats(), 2)
