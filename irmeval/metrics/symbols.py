"""The symbols of formulas, the same in the catalogue, the glossary and lessons.

>>> from irmeval.metrics.symbols import symbols_in
>>> formula = r"\\mathrm{AP} = \\frac{1}{R}\\sum_r isrel(r)\\,\\frac{count(r)}{r}"
>>> [symbol for symbol, _ in symbols_in(formula)]
['isrel(r)', 'count(r)', 'R']
"""

import re

SYMBOLS = {
    "isrel(r)": (r"isrel\(", "1 if the document at rank r is relevant, otherwise 0"),
    "count(r)": (r"count\(", "the number of relevant documents down to rank r"),
    "g(r)": (r"\bg\(", "the gain of the document at rank r"),
    "cg(r)": (r"\bcg\(", "the sum of the gains down to rank r"),
    "cg_I(r)": (r"\bcg_I\(", "the same for an ideal list"),
    "n(d)": (r"\bn\(d\)", "the number of judged nonrelevant documents above d"),
    "r'": (r"\br'", "the rank among judged documents"),
    "R": (r"(?<![A-Za-z])R(?![A-Za-z])", "the number of relevant documents of the topic"),
    "N": (r"\bN\b", "the number of judged nonrelevant documents of the topic"),
    "H": (r"\bH\b", "the highest gain"),
}
"""Symbol -> how to find it in LaTeX, and its meaning."""
_NAMES = re.compile(r"\\(?:mathrm|text)\{[^{}]*\}")


def symbols_in(formula: str) -> list[tuple[str, str]]:
    """The symbols of a formula in LaTeX with their meanings; names of measures are no
    symbols.
    """
    bare = _NAMES.sub(" ", formula)
    return [
        (symbol, meaning)
        for symbol, (pattern, meaning) in SYMBOLS.items()
        if re.search(pattern, bare)
    ]
