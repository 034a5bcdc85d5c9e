"""A table of a result, as text in the formats people paste elsewhere."""

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from irmeval.registry import Registry

if TYPE_CHECKING:
    import pandas as pd

FORMATS: Registry[Callable[["pd.DataFrame"], str]] = Registry("format")
"""Name -> writer; numbers are written in full, undefined ones left empty."""
ENDINGS = {"csv": "csv", "json": "json", "latex": "tex", "markdown": "md"}
"""Name -> the ending of its files."""


def csv(frame: "pd.DataFrame") -> str:
    """Comma-separated values; a text that a spreadsheet would run as a formula gets an apostrophe in front."""
    safe = frame.map(lambda v: f"'{v}" if isinstance(v, str) and v.startswith(("=", "+", "-", "@")) else v)
    return str(safe.to_csv(index=False, lineterminator="\n"))


def as_json(frame: "pd.DataFrame") -> str:
    """A list of objects, one per row; undefined numbers are null."""
    rows = [{k: None if v != v else v for k, v in row.items()} for row in frame.to_dict("records")]
    return json.dumps(rows, indent=1, ensure_ascii=False) + "\n"


def markdown(frame: "pd.DataFrame") -> str:
    """A pipe table, numbers to four decimals."""
    head = [_escape(str(c), _MARKDOWN) for c in frame.columns]
    rule = ["---:" if kind.kind in "if" else "---" for kind in frame.dtypes]
    rows = [[_escape(_cell(v), _MARKDOWN) for v in row] for row in frame.itertuples(index=False)]
    return "".join(f"| {' | '.join(row)} |\n" for row in [head, rule, *rows])


def latex(frame: "pd.DataFrame") -> str:
    """A tabular in the manner of booktabs, numbers to four decimals."""
    columns = "".join("r" if kind.kind in "if" else "l" for kind in frame.dtypes)
    rows = [" & ".join(_escape(_cell(v), _LATEX) for v in row) + r" \\" for row in frame.itertuples(index=False)]
    head = " & ".join(_escape(str(c), _LATEX) for c in frame.columns) + r" \\"
    return "\n".join([rf"\begin{{tabular}}{{{columns}}}", r"\toprule", head, r"\midrule", *rows, r"\bottomrule", r"\end{tabular}", ""])


_MARKDOWN = {c: f"\\{c}" for c in r"\`*_[]<>|#!$~"}
_LATEX = {c: f"\\{c}" for c in "&%$#_{}"} | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}


def _escape(text: str, table: dict[str, str]) -> str:
    return "".join(table.get(c, c) for c in text)


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return "" if value != value else f"{value:.4f}"
    return str(value)


def escape_markdown(text: str) -> str:
    """A name from a file, made safe to stand in Markdown."""
    return _escape(text, _MARKDOWN)


for _name, _writer in (("csv", csv), ("json", as_json), ("markdown", markdown), ("latex", latex)):
    FORMATS.add(_name, _writer)
