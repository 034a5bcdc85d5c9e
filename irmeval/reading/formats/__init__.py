"""File formats: one record each, in the order of listing."""

from functools import partial

from irmeval.core import registry
from irmeval.reading.formats import qrels, run_scores, runs
from irmeval.reading.formats.base import (
    AS_TOLD,
    AUTO,
    COLUMNS,
    FORMATS,
    Format,
    FormatNames,
    Recognised,
    Table,
    UndecidedFormat,
    add_format,
    check_format,
    format_at,
    formats_of,
    looks_like_run,
    rater_columns,
    recognise,
)

__all__ = [
    "AS_TOLD",
    "AUTO",
    "COLUMNS",
    "FORMATS",
    "Format",
    "FormatNames",
    "Recognised",
    "Table",
    "UndecidedFormat",
    "add_format",
    "check_format",
    "format_at",
    "formats_of",
    "looks_like_run",
    "qrels",
    "rater_columns",
    "recognise",
    "run_scores",
    "runs",
]

# formats of other packages, whose search takes long, when one is asked for that is not here
FORMATS.load_late(partial(registry.load, "irmeval.formats", FORMATS))
