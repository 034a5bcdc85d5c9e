"""Tables in the style of papers, in LaTeX, HTML, Markdown, and as text for a
terminal.
"""

from collections.abc import Iterable
from html import escape

from irmeval.core import terminal
from irmeval.core.tables import (
    PAGE,
    escape_latex,
    escape_markdown,
    is_number_column,
    latex_row,
    markdown_cell,
)
from irmeval.papers.layout import Cell, Printed

WIDE = 7
"""Number of columns from which tables are set in smaller type."""
WIDEST = 11
"""Number of columns from which tables are set in the smallest type."""
LONG = 40
"""Number of rows above which tables are set in smaller type."""
HEAD = 9
"""Maximum length of a column head on one line."""
SIGNS = {"†": r"\dagger ", "‡": r"\ddagger "}
"""Superscripts of numbers as mathematics."""
GAP = 2
"""Number of blanks between columns of a text."""


def latex(table: Printed, name: str, source: str = "the paper") -> str:
    """A booktabs table with a caption; its label is ``tab:`` and the name. A table
    longer than a page is a longtable.

    Superscripts stand in a column of their own, so that the decimal points of the
    numbers stay aligned.
    """
    count = sum(len(lines) for _, lines in table.parts)
    raised = {
        i
        for _, lines in table.parts
        for line in lines
        for i, cell in enumerate(line)
        if cell.raised
    }
    width = len(table.head) + len(raised)
    rows = []
    for title, lines in table.parts:
        rows += [r"\midrule"] + (
            [rf"\multicolumn{{{width}}}{{l}}{{{escape_latex(title)}}} \\"] if title else []
        )
        rows += [latex_row(_latex_cells(line, raised)) for line in lines]
    columns = "".join(
        "l" if i < table.words else "r@{}l" if i in raised else "r" for i in range(len(table.head))
    )
    heads = [
        escape_latex(text) if i < table.words else _head(text) for i, text in enumerate(table.head)
    ]
    head = [
        r"\toprule",
        latex_row(
            rf"\multicolumn{{2}}{{c}}{{{text}}}" if i in raised else text
            for i, text in enumerate(heads)
        ),
    ]
    caption, label = (
        rf"\caption{{{_latex_text(_caption(table, source))}}}",
        rf"\label{{tab:{name}}}",
    )
    size = [*_size(len(table.head), count), r"\setlength{\belowcaptionskip}{4pt}"]
    if count > PAGE:
        begin = ["{", *size, rf"\begin{{longtable}}{{{columns}}}", caption, label + r" \\", *head]
        rule, *rest = rows  # on every page
        return "\n".join(
            [
                *begin,
                rule,
                r"\endhead",
                r"\bottomrule",
                r"\endfoot",
                *rest,
                r"\end{longtable}",
                "}",
                "",
            ]
        )
    begin = [
        r"\begin{table}[htbp]",
        r"\centering",
        *size,
        caption,
        label,
        rf"\begin{{tabular}}{{{columns}}}",
        *head,
    ]
    return "\n".join([*begin, *rows, r"\bottomrule", r"\end{tabular}", r"\end{table}", ""])


def _latex_cells(line: Iterable[Cell], raised: set[int]) -> Iterable[str]:
    for i, cell in enumerate(line):
        yield _strong(escape_latex(cell.text), cell, r"\textbf{{{}}}")
        if i in raised:
            yield (
                f"$^{{{''.join(SIGNS.get(sign, sign) for sign in cell.raised).rstrip()}}}$"
                if cell.raised
                else ""
            )


def _latex_text(text: str) -> str:
    """An escaped text, with superscript signs as mathematics."""
    escaped = escape_latex(text)
    for sign, written in SIGNS.items():
        escaped = escaped.replace(sign, f"${written.rstrip()}$")
    return escaped


def _caption(table: Printed, source: str) -> str:
    """Caption, with the table of the paper that this table follows, if any."""
    label, _, part = table.label.partition(", ")
    return (
        f"After {label} of {source}{f' ({part})' if part else ''}. {table.caption}"
        if label
        else table.caption
    )


def _size(columns: int, rows: int) -> list[str]:
    """Commands that set a large table smaller."""
    letters = (
        r"\scriptsize"
        if rows > LONG
        else r"\footnotesize"
        if columns >= WIDEST
        else r"\small"
        if columns >= WIDE
        else ""
    )
    return [
        *filter(None, [letters]),
        *([r"\setlength{\tabcolsep}{3pt}"] if columns >= WIDE else []),
    ]


def _head(name: str) -> str:
    """The head of a column. A long head is broken into two lines at the blank or hyphen
    nearest to its middle.
    """
    marks = [i for i, letter in enumerate(name) if letter in " -"]
    if len(name) <= HEAD or not marks:
        return escape_latex(name)
    at = min(marks, key=lambda i: abs(i - len(name) / 2))
    return rf"\shortstack[r]{{{escape_latex(name[: at + 1])}\\{escape_latex(name[at + 1 :])}}}"


def html(table: Printed) -> str:
    """An HTML table with its caption."""
    rows = ["".join(f"<th>{escape(name)}</th>" for name in table.head)]
    for title, lines in table.parts:
        rows += [f"<th colspan={len(table.head)}>{escape(title)}</th>"] if title else []
        rows += [
            "".join(f"<td>{_strong(escape(cell.text), cell, '<b>{}</b>')}</td>" for cell in line)
            for line in lines
        ]
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return f"<table><caption>{escape(table.label)}: {escape(table.caption)}</caption>{body}</table>"


def markdown(table: Printed) -> str:
    """A pipe table for each part of the table, below its title."""
    width, head = len(table.head), [escape_markdown(name) for name in table.head]
    rule = ["---"] * table.words + ["---:"] * (width - table.words)
    blocks = []
    for title, lines in table.parts:
        rows = [
            [
                _strong(markdown_cell(cell.text), cell, "**{}**") + f" {cell.raised}".rstrip()
                for cell in line
            ]
            for line in lines
        ]
        block = "\n".join(f"| {' | '.join(row)} |" for row in [head, rule, *rows])
        blocks.append(f"{escape_markdown(title)}\n\n{block}" if title else block)
    return "\n\n".join(blocks)


def _strong(text: str, cell: Cell, form: str) -> str:
    return form.format(text) if cell.bold and text else text


def text(table: Printed, *, width: int = 0, styled: bool = False) -> str:
    """Aligned columns and the caption, for a terminal. Without styles, a star marks
    bold cells. Columns beyond `width` follow in another block below, which repeats the
    columns of words.
    """
    lines = [line for _, lines in table.parts for line in lines]
    columns = [
        _column(head, [line[i] for line in lines], styled) for i, head in enumerate(table.head)
    ]
    words, numbers = columns[: table.words], columns[table.words :]
    blocks: list[list[list[str]]] = [[]]
    for column in numbers:
        if (
            blocks[-1]
            and width
            and sum(_length(part[0]) + GAP for part in (*words, *blocks[-1], column)) > width
        ):
            blocks.append([])
        blocks[-1].append(column)
    rows = [
        "\n".join((" " * GAP).join(row).rstrip() for row in zip(*words, *block, strict=True))
        for block in blocks
    ]
    caption = table.caption if styled else table.caption.replace("in bold", "with *")
    return terminal.Styled("\n\n".join([*rows, _shown(caption)]) + "\n")


def _column(head: str, cells: list[Cell], styled: bool) -> list[str]:
    """The cells of a column as texts of one width, its head first. Numbers and
    superscripts are aligned.
    """
    shown = [_shown(cell.text) for cell in cells]
    beside = [("*" if cell.bold and not styled else "") + cell.raised for cell in cells]
    left, right = max(map(len, shown), default=0), max(map(len, beside), default=0)
    head, number = _shown(head), is_number_column(shown)
    wide = max(len(head), left + right)
    made = [head.rjust(wide - right) if number else head]
    for cell, text, more in zip(cells, shown, beside, strict=True):
        room = " " * (left - len(text))
        strong = terminal.bold(text) if cell.bold and styled else text
        made.append(
            (" " * (wide - left - right) + room + strong if number else strong + room) + more
        )
    return [each + " " * (wide - _length(each)) for each in made]


def _length(text: str) -> int:
    """The number of visible letters."""
    return len(text) - len(terminal.bold("")) * (terminal.BOLD in text)


def _shown(text: str) -> str:
    """A text in one line, escaped for a terminal."""
    return terminal.escape(text).replace("\n", " ").replace("\t", " ")
