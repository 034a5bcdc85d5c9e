"""A paper's table as the paper prints it: in LaTeX, HTML and Markdown."""

from html import escape

from irmeval.core.tables import escape_latex, escape_markdown, latex_row
from irmeval.papers.layout import Cell, Printed

WIDE, WIDEST, LONG = 7, 11, 40
"""Columns, and rows, from which on a table is set smaller."""
HEAD = 9
"""Letters that the head of a column may have in one line."""


def latex(table: Printed, name: str, source: str = "the paper") -> str:
    """A table with caption and label, in the manner of booktabs; the label is ``tab:`` and the name."""
    width = len(table.head)
    label, _, part = table.label.partition(", ")
    part = f" ({part})" if part else ""
    rows = []
    for title, lines in table.parts:
        rows += [r"\midrule"] + ([rf"\multicolumn{{{width}}}{{l}}{{{escape_latex(title)}}} \\"] if title else [])
        rows += [latex_row(_strong(escape_latex(cell.text), cell, r"\textbf{{{}}}") for cell in line) for line in lines]
    head = [
        r"\begin{table}[htbp]",
        r"\centering",
        *_size(width, sum(len(lines) for _, lines in table.parts)),
        r"\setlength{\belowcaptionskip}{4pt}",
        rf"\caption{{{escape_latex(f'After {label} of {source}{part}. {table.caption}')}}}",
        rf"\label{{tab:{name}}}",
        rf"\begin{{tabular}}{{{'l' * table.words}{'r' * (width - table.words)}}}",
        r"\toprule",
        latex_row([*map(escape_latex, table.head[: table.words]), *map(_head, table.head[table.words :])]),
    ]
    return "\n".join([*head, *rows, r"\bottomrule", r"\end{tabular}", r"\end{table}", ""])


def _size(columns: int, rows: int) -> list[str]:
    """Commands that set a large table smaller."""
    letters = r"\scriptsize" if rows > LONG else r"\footnotesize" if columns >= WIDEST else r"\small" if columns >= WIDE else ""
    return [*filter(None, [letters]), *([r"\setlength{\tabcolsep}{3pt}"] if columns >= WIDE else [])]


def _head(name: str) -> str:
    """The head of a column, in two lines where it is long and has a blank or a hyphen, as near to its middle as there is one."""
    marks = [i for i, letter in enumerate(name) if letter in " -"]
    if len(name) <= HEAD or not marks:
        return escape_latex(name)
    at = min(marks, key=lambda i: abs(i - len(name) / 2))
    return rf"\shortstack[r]{{{escape_latex(name[: at + 1])}\\{escape_latex(name[at + 1 :])}}}"


def article(title: str, files: list[str]) -> str:
    """A LaTeX article of all tables, to be compiled beside their files."""
    packages = [r"\usepackage[utf8]{inputenc}", r"\usepackage[a4paper,margin=2cm]{geometry}", r"\usepackage{booktabs}"]
    head = [r"\documentclass{article}", *packages, rf"\title{{{escape_latex(title)}}}", r"\author{}"]
    inputs = [rf"\input{{{file}}}" for file in files]
    return "\n".join([*head, r"\date{}", r"\begin{document}", r"\maketitle", *inputs, r"\end{document}", ""])


def html(table: Printed) -> str:
    """A table with its caption; numbers are right."""
    rows = ["".join(f"<th>{escape(name)}</th>" for name in table.head)]
    for title, lines in table.parts:
        rows += [f"<th colspan={len(table.head)}>{escape(title)}</th>"] if title else []
        rows += ["".join(f"<td>{_strong(escape(cell.text), cell, '<b>{}</b>')}</td>" for cell in line) for line in lines]
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return f"<table><caption>{escape(table.label)}: {escape(table.caption)}</caption>{body}</table>"


def markdown(table: Printed) -> str:
    """A pipe table for each part, below its title."""
    width, head = len(table.head), [escape_markdown(name) for name in table.head]
    rule = ["---"] * table.words + ["---:"] * (width - table.words)
    blocks = []
    for title, lines in table.parts:
        rows = [[_strong(escape_markdown(cell.text), cell, "**{}**") for cell in line] for line in lines]
        block = "\n".join(f"| {' | '.join(row)} |" for row in [head, rule, *rows])
        blocks.append(f"{escape_markdown(title)}\n\n{block}" if title else block)
    return "\n\n".join(blocks)


def _strong(text: str, cell: Cell, form: str) -> str:
    return form.format(text) if cell.bold and text else text
