"""``irmeval judge-next --returned FILE``: effect of new judgments."""

import sys
from collections.abc import Sequence

from irmeval.cli import table_format as tables
from irmeval.cli.print_tables import write_frame
from irmeval.cli.program import FILE, Flag, Given
from irmeval.collection import Collection
from irmeval.collection.merge import merge_judgments
from irmeval.core.errors import ParamError
from irmeval.core.registry import check_known
from irmeval.core.tables import FORMATS
from irmeval.experiments.incompleteness.changes import changes
from irmeval.experiments.incompleteness.judge_next import Params
from irmeval.experiments.results import table_named
from irmeval.metrics import Measure
from irmeval.reading.files import read_bytes, unpack_one

TABLES = ("scores", "decisions", "judged")
"""Tables of what new judgments change."""
FIRST = TABLES[0]
"""The table that is printed if none is asked for."""


def flag() -> Flag:
    """The flag for the file with new judgments."""
    help = (
        "the list as a qrels file with grades in place of -1: prints their effect as the tables"
        f" {', '.join(TABLES)}"
    )
    return Flag("--returned", metavar="FILE", type=FILE, help=help)


def check(given: Given) -> None:
    """Raise `ParamError` for what cannot be printed, several tables or another format,
    and `UnknownName` for a table that there is not.
    """
    if given.folder or given.format == tables.TREC:
        raise ParamError(
            f"returned: prints one table at a time, in a format of {', '.join(FORMATS)}."
        )
    check_known(given.table or FIRST, TABLES, "unknown table")


def print_changes(
    collection: Collection, measures: Sequence[Measure], params: Params, given: Given
) -> str | bytes:
    """Text of the requested table, by default that of scores and places; a summary is
    written to standard error. Raises `ParamError` for a folder and for TREC's format.
    """
    returned = merge_judgments(
        collection, *unpack_one(given.returned, read_bytes(given.returned), "qrels file")
    )
    changed = changes(collection, returned, measures, params.testing)
    sys.stderr.write(f"{changed.headline()}\n")
    return write_frame(given, table_named(changed, given.table or FIRST).make())
