"""Tables in LaTeX, each with booktabs, a caption and a label; and a document with all
of them.
"""

from collections.abc import Iterable
from itertools import chain

from irmeval.core.lazy import pd
from irmeval.core.tables import escape_latex, latex
from irmeval.core.text import count_noun

ROWS = 40
"""Maximum number of rows of a table."""
KNOWN = {
    "α": r"\alpha",
    "β": r"\beta",
    "τ": r"\tau",
    "ρ": r"\rho",
    "σ": r"\sigma",
    "κ": r"\kappa",
    "λ": r"\lambda",
    "μ": r"\mu",
    "≤": r"\leq",
    "≥": r"\geq",
    "≠": r"\neq",
    "≈": r"\approx",
    "×": r"\times",
    "→": r"\rightarrow",
    "±": r"\pm",
    "−": "-",
    "′": "'",
    "▲": r"\bigtriangleup",
    "▼": r"\bigtriangledown",
}
"""Characters that are written as mathematics."""
PREAMBLE = r"""\documentclass{article}
\usepackage{booktabs}
\usepackage{graphicx}
\usepackage{longtable}
\usepackage[margin=2.5cm]{geometry}
"""
SIMPLE = "–—‘’“”…€"
"""Characters beyond Latin letters that LaTeX supports."""


def table(frame: "pd.DataFrame", caption: str, label: str, file: str = "") -> str:
    """A floating table with its caption above, at most `ROWS` rows, and no wider than
    the text. It needs booktabs and graphicx.

    The caption of a longer table names `file`, which has all rows.

    Examples
    --------
    >>> import pandas as pd
    >>> print(table(pd.DataFrame({"run": ["a_b"], "AP": [0.25]}), "Means.", "tab:means").rstrip())
    \\begin{table}[htbp]
    \\centering
    \\caption{Means.}
    \\label{tab:means}
    \\resizebox{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}{!}{%
    \\begin{tabular}{lr}
    \\toprule
    run & AP \\\\
    \\midrule
    a\\_b & 0.2500 \\\\
    \\bottomrule
    \\end{tabular}}
    \\end{table}
    """
    if len(frame) > ROWS:
        caption += f" The first {ROWS} of {count_noun(len(frame), 'row')}"
        if file:
            caption += f"; all are in {file}"
        caption += "."
    return "\n".join(
        [
            r"\begin{table}[htbp]",
            r"\centering",
            rf"\caption{{{escape_latex(caption)}}}",
            rf"\label{{{label}}}",
            r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
            latex(frame.head(ROWS)).rstrip("\n") + "}",
            r"\end{table}",
            "",
        ]
    )


def document(
    title: str, note: str, sections: Iterable[tuple[str, Iterable[str], Iterable[str]]], text: str
) -> str:
    """A document that compiles. Each section has a heading, paragraphs and files of
    tables. `text` is the content of these files: their characters unknown to LaTeX are
    declared.
    """
    lines = [rf"\section*{{{escape_latex(title)}}}", *_paragraphs(note)]
    for heading, paragraphs, files in sections:
        lines.append(rf"\subsection*{{{escape_latex(heading)}}}")
        lines += chain.from_iterable(map(_paragraphs, paragraphs))
        lines += [*map(r"\input{{{}}}".format, files), r"\clearpage"]
    body = "\n".join([r"\begin{document}", *lines, r"\end{document}", ""])
    return f"{PREAMBLE}{_signs(body + text)}{body}"


def _paragraphs(text: str) -> list[str]:
    return [f"{escape_latex(part)}\n" for part in text.split("\n") if part.strip()]


def _signs(text: str) -> str:
    """Declarations of the characters in a text that pdfLaTeX does not support: as
    mathematics, or by their code point.
    """
    signs = {*text}
    # up to here are the Latin letters that pdfLaTeX sets
    unsupported = {sign for sign in signs - {*SIMPLE} if ord(sign) > 0x17F}
    odd = sorted(unsupported | (signs & KNOWN.keys()))
    if not odd:
        return ""
    lines = [*map(_declare_sign, odd)]
    # XeLaTeX and LuaLaTeX lack this command, and take characters from their fonts
    return "\n".join([r"\ifdefined\DeclareUnicodeCharacter", *lines, r"\fi", ""])


def _declare_sign(sign: str) -> str:
    code = f"{ord(sign):04X}"
    words = f"[U+{code}]"
    if sign in KNOWN:
        words = rf"\ensuremath{{{KNOWN[sign]}}}"
    return rf"\DeclareUnicodeCharacter{{{code}}}{{{words}}}"
