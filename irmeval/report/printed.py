"""Tables in the style of papers, in LaTeX, HTML, Markdown, and as text for a
terminal.
"""

from collections.abc import Iterable
from html import escape
from operator import add

from irmeval.core import terminal
from irmeval.core.tables import (
    PAGE,
    escape_latex,
    escape_markdown,
    is_number_column,
    latex_row,
    markdown_cell,
)
from irmeval.papers.layout import Printed, PrintedCell

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


def latex(table: Printed, name: str, source: str = "the paper", *, first: str = "l") -> str:
    """A booktabs table with a caption; its label is ``tab:`` and the name. A table
    longer than a page is a longtable. `first` is the type of the first column.

    Superscripts stand in a column of their own, so that the decimal points of the
    numbers stay aligned.
    """
    lines = table.lines
    raised = _raised_columns(lines)
    columns, heads = first, [*map(escape_latex, table.head[: table.words])]
    columns += "l" * (table.words - 1)
    for i, text in enumerate(table.head[table.words :], table.words):
        if i in raised:  # no gap between a number and its superscript
            columns += "r@{}l"
            heads.append(rf"\multicolumn{{2}}{{c}}{{{_head(text)}}}")
        else:
            columns += "r"
            heads.append(_head(text))
    head = [r"\toprule", latex_row(heads)]
    rows = _latex_rows(table, raised)
    caption = rf"\caption{{{_latex_text(_caption(table, source))}}}"
    label = rf"\label{{tab:{name}}}"
    # LaTeX leaves no room below a caption that is above its table
    size = [*_size(len(table.head), len(lines)), r"\setlength{\belowcaptionskip}{4pt}"]
    if len(lines) > PAGE:
        begin = ["{", *size, rf"\begin{{longtable}}{{{columns}}}", caption, label + r" \\", *head]
        # the first rule is below the head of every page
        rule, *rest = rows
        foot = [r"\endhead", r"\bottomrule", r"\endfoot"]
        return "\n".join([*begin, rule, *foot, *rest, r"\end{longtable}", "}", ""])
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


def _raised_columns(lines: Iterable[Iterable[PrintedCell]]) -> set[int]:
    """The columns in which some number has a superscript."""
    columns = zip(*lines, strict=True)
    return {i for i, cells in enumerate(columns) if any(cell.raised for cell in cells)}


def _latex_rows(table: Printed, raised: set[int]) -> list[str]:
    width = len(table.head) + len(raised)
    rows = []
    for title, lines in table.parts:
        rows.append(r"\midrule")
        if title:
            rows.append(rf"\multicolumn{{{width}}}{{l}}{{{escape_latex(title)}}} \\")
        rows += [latex_row(_latex_cells(line, raised)) for line in lines]
    return rows


def _latex_cells(line: Iterable[PrintedCell], raised: set[int]) -> Iterable[str]:
    for i, cell in enumerate(line):
        yield _strong(escape_latex(cell.text), cell, r"\textbf{{{}}}")
        if i in raised:
            yield _superscript(cell)


def _superscript(cell: PrintedCell) -> str:
    signs = "".join(SIGNS.get(sign, sign) for sign in cell.raised).rstrip()
    if not signs:
        return ""
    return f"$^{{{signs}}}$"


def _latex_text(text: str) -> str:
    """An escaped text, with superscript signs as mathematics."""
    escaped = escape_latex(text)
    for sign, written in SIGNS.items():
        escaped = escaped.replace(sign, f"${written.rstrip()}$")
    return escaped


def _caption(table: Printed, source: str) -> str:
    """Caption, with the table of the paper that this table follows, if any."""
    label, _, part = table.label.partition(", ")
    if not label:
        return table.caption
    if part:
        source += f" ({part})"
    return f"After {label} of {source}. {table.caption}"


def _size(columns: int, rows: int) -> list[str]:
    """Commands that set a large table smaller."""
    closer = []
    if columns >= WIDE:
        closer = [r"\setlength{\tabcolsep}{3pt}"]
    if rows > LONG:
        return [r"\scriptsize", *closer]
    if columns >= WIDEST:
        return [r"\footnotesize", *closer]
    if columns >= WIDE:
        return [r"\small", *closer]
    return []


def _head(name: str) -> str:
    """The head of a column. A long head is broken into two lines at the blank or hyphen
    nearest to its middle.
    """
    breaks = [i for i, letter in enumerate(name) if letter in " -"]
    if len(name) <= HEAD or not breaks:
        return escape_latex(name)
    at = 1 + min(breaks, key=lambda i: abs(i - len(name) / 2))
    return rf"\shortstack[r]{{{escape_latex(name[:at])}\\{escape_latex(name[at:])}}}"


def html(table: Printed) -> str:
    """An HTML table with its caption."""
    rows = ["".join(map("<th>{}</th>".format, map(escape, table.head)))]
    for title, lines in table.parts:
        if title:
            rows.append(f"<th colspan={len(table.head)}>{escape(title)}</th>")
        rows += map(_html_row, lines)
    body = "".join(map("<tr>{}</tr>".format, rows))
    return f"<table><caption>{escape(table.label)}: {escape(table.caption)}</caption>{body}</table>"


def _html_row(line: Iterable[PrintedCell]) -> str:
    return "".join(map(_html_cell, line))


def _html_cell(cell: PrintedCell) -> str:
    return f"<td>{_strong(escape(cell.text), cell, '<b>{}</b>')}</td>"


def markdown(table: Printed) -> str:
    """A pipe table for each part of the table, below its title."""
    head = map(escape_markdown, table.head)
    rule = ["---"] * table.words + ["---:"] * (len(table.head) - table.words)
    # a pipe table has one head, so every part has it
    top = [_markdown_line(head), _markdown_line(rule)]
    blocks = []
    for title, lines in table.parts:
        if title:
            blocks.append(escape_markdown(title))
        rows = (_markdown_line(map(_markdown_cell, line)) for line in lines)
        blocks.append("\n".join([*top, *rows]))
    return "\n\n".join(blocks)


def _markdown_line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _markdown_cell(cell: PrintedCell) -> str:
    strong = _strong(markdown_cell(cell.text), cell, "**{}**")
    return f"{strong} {cell.raised}".rstrip()


def _strong(text: str, cell: PrintedCell, form: str) -> str:
    if not cell.bold or not text:
        return text
    return form.format(text)


def text(table: Printed, *, width: int = 0, styled: bool = False) -> str:
    """Aligned columns and the caption, for a terminal. Without styles, a star marks
    bold cells. Columns beyond `width` follow in another block below, which repeats the
    columns of words.
    """
    lines, caption = table.lines, table.caption
    if not styled:
        lines = [tuple(map(_starred, line)) for line in lines]
        caption = caption.replace("in bold", "with *")
    columns = [_column(*column) for column in zip(table.head, *lines, strict=True)]
    words, numbers = columns[: table.words], columns[table.words :]
    rows = []
    for block in _fold(words, numbers, width):
        beside = zip(*words, *block, strict=True)
        rows.append("\n".join((" " * GAP).join(row).rstrip() for row in beside))
    return terminal.Styled("\n\n".join([*rows, _shown(caption)]) + "\n")


def _fold(words: list[list[str]], numbers: list[list[str]], width: int) -> list[list[list[str]]]:
    """The columns of numbers in blocks that fit beside the words, a column at least in
    each; all in one without a `width`.
    """
    taken = sum(_length(column[0]) + GAP for column in words)
    blocks: list[list[list[str]]] = [[]]
    left = width - taken
    for column in numbers:
        room = _length(column[0]) + GAP
        # a column that is too wide for any block still has one
        if width and blocks[-1] and room > left:
            blocks.append([])
            left = width - taken
        blocks[-1].append(column)
        left -= room
    return blocks


def _starred(cell: PrintedCell) -> PrintedCell:
    """A cell with a star in place of bold type."""
    if not cell.bold:
        return cell
    return PrintedCell(cell.text, raised=f"*{cell.raised}")


def _column(head: str, *cells: PrintedCell) -> list[str]:
    """The cells of a column as texts of one width, its head first. Numbers and
    superscripts are aligned.
    """
    head, shown = _shown(head), [_shown(cell.text) for cell in cells]
    signs = [cell.raised for cell in cells]
    left, right = max(map(len, shown), default=0), max(map(len, signs), default=0)
    wide = max(len(head), left + right)
    made = [*map(_in_bold, shown, cells)]
    if is_number_column(shown):  # which leaves room for the longest superscript
        head, *made = _to_right([head, *made], wide - right)
    else:
        made = _to_left(made, left)
    return _to_left([head, *map(add, made, signs)], wide)


def _to_right(texts: Iterable[str], width: int) -> list[str]:
    # letters of a terminal's style take no room
    return [" " * (width - _length(text)) + text for text in texts]


def _to_left(texts: Iterable[str], width: int) -> list[str]:
    return [text + " " * (width - _length(text)) for text in texts]


def _in_bold(text: str, cell: PrintedCell) -> str:
    return _strong(text, cell, terminal.bold("{}"))


def _length(text: str) -> int:
    """The number of visible letters."""
    return len(text) - len(terminal.bold("")) * (terminal.BOLD in text)


def _shown(text: str) -> str:
    """A text in one line, escaped for a terminal."""
    return terminal.escape(text).replace("\n", " ").replace("\t", " ")
