"""The findings of the papers in one table, for a reproduction paper: a column for each
collection.
"""

from collections import defaultdict

from irmeval.core.places import pick
from irmeval.papers import PAPERS
from irmeval.papers.findings import SHORT
from irmeval.papers.findings_across import FindingsAcross
from irmeval.papers.layout import Printed, PrintedCell
from irmeval.report import printed as prints

LABEL = "five-papers"
"""Label of the table in LaTeX, and beginning of names of files."""
CLAIMS = r"p{0.5\linewidth}"
"""Type of the column of claims in LaTeX: long ones are broken into lines."""
CAPTION = (
    "yes: it holds; direction: the sign agrees, but the interval of the margin includes 0; no: it"
    " does not hold; undecided: it cannot be told."
)


def printed_findings(found: FindingsAcross) -> Printed:
    """The table, with a part for each paper; findings that hold are bold."""
    lines = defaultdict[str, list[tuple[PrintedCell, ...]]](list)
    for paper, claim in found.standing:
        words = pick(SHORT, found.verdicts_on(paper, claim))
        verdicts = [PrintedCell(word, word == "yes") for word in words]
        lines[PAPERS[paper].title].append((PrintedCell(claim), *verdicts))
    head = ("finding", *found.names)
    caption = f"{found.headline()} {CAPTION}"
    parts = tuple((title, tuple(of_paper)) for title, of_paper in lines.items())
    return Printed("", caption, len(head), head, parts)


def latex(found: FindingsAcross) -> str:
    """The table in LaTeX, with the sentence that sums it up as its caption."""
    return prints.latex(printed_findings(found), LABEL, first=CLAIMS)
