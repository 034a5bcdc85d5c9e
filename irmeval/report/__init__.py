"""Results on paper: tables as CSV, LaTeX and Markdown, and whole reports."""

from irmeval.report.document import Document, report
from irmeval.report.from_files import rerun
from irmeval.report.items import Item
from irmeval.report.wide import as_table

__all__ = ["Document", "Item", "as_table", "report", "rerun"]
