"""Results on paper: tables as CSV, LaTeX and Markdown, and whole reports."""

from typing import TYPE_CHECKING

from irmeval.core.lazy import late

if TYPE_CHECKING:
    from irmeval.report.document import Document, report
    from irmeval.report.from_files import rerun
    from irmeval.report.items import Item
    from irmeval.report.wide import as_table

_MODULES = {
    "Document": "irmeval.report.document",
    "Item": "irmeval.report.items",
    "as_table": "irmeval.report.wide",
    "report": "irmeval.report.document",
    "rerun": "irmeval.report.from_files",
}
"""Where its names are, which are imported at their first use: a command that prints a
table needs no report.
"""
__getattr__ = late(__name__, _MODULES)

__all__ = ["Document", "Item", "as_table", "report", "rerun"]
