"""Sakai 2007: the stability, sensitivity and resemblance of metrics for graded
relevance.
"""

from dataclasses import replace
from math import inf
from typing import Any

from irmeval.papers.base import Exhibit, Paper, add, collection_exhibit
from irmeval.papers.findings import WHOLE, Finding
from irmeval.papers.layout import PrintedColumn, TableLayout, of_taus
from irmeval.scoring.selection import Selection
from irmeval.stats.topic_sets import FUZZINESS

CUTS = (10, 100, 1000)
FUZZY = (0.001, 0.005, *FUZZINESS, 0.15, 0.2, 0.3)
"""Values of f with which nearly every metric has 10% ties."""
MAPS = ("default", "flat", "steep", "adjusted")
BINARY = (
    "AP",
    "Rprec",
    *(f"P@{k}" for k in CUTS),
    "AP(rel=2)",
    "Rprec(rel=2)",
    *(f"P(rel=2)@{k}" for k in CUTS),
)
CUMULATED = tuple(
    f"{name}@{k}" for name in ("nCG", "nDCG(base=2)", "AnCG", "AnDCG(base=2)") for k in CUTS
)
GRADED = ("Q", "R-measure", *CUMULATED)
ALL_RUNS: dict[str, Any] = {"selection": Selection(), "selects": "All runs."}
BEST = ("Q", "nDCG(base=2)@1000", "AnDCG(base=2)@1000")
RELAXED = (*(m for m in BINARY if "rel" not in m), *GRADED)
APART = " Relaxed metrics, on all topics."
ON_ALL = (
    "On all topics: rigid metrics, which have no score for topics without a document above the"
    " lowest grade, are left out."
)
DISCOUNTED = tuple(m for m in CUMULATED if "DCG" in m)
"""The measures with a discount."""
PLAIN = tuple(m for m in CUMULATED if "DCG" not in m)
"""The measures without."""
NAMES = {m: m.replace("(base=2)", "").replace("@", "_") for m in CUMULATED} | {"Q": "Q-measure"}
NAMES |= {
    f"{name}{rel}{at}": f"{level}-{called}{at.replace('@', '_')}"
    for rel, level in (("", "Relaxed"), ("(rel=2)", "Rigid"))
    for name, called, ats in (
        ("AP", "AveP", ("",)),
        ("Rprec", "R-Prec", ("",)),
        ("P", "PDoc", tuple(f"@{k}" for k in CUTS)),
    )
    for at in ats
}


def taus(
    label: str, between: str, rows: tuple[str, ...], columns: tuple[str, ...], note: str = ""
) -> TableLayout:
    """As the paper prints them, with four digits; `note` is on what is not legible."""
    table = of_taus(label, f"of {between}", only=rows, over=columns, above=0.9, form=".4f")
    return replace(table, caption=f"{table.caption} {note}".rstrip())


def sensitivity(binary: tuple[str, ...], more: str = "") -> TableLayout:
    """Tables 2-4, one for each language there."""
    return TableLayout(
        "Tables 2-4",
        "Sensitivity at a swap rate of 5%: (i) difference required, (ii) highest mean, (iii) the"
        f" one over the other, (iv) share of the comparisons that have the difference.{more}",
        "measures",
        (
            PrintedColumn("required difference", "(i)", ".2f"),
            PrintedColumn("highest mean", "(ii)", ".4f"),
            PrintedColumn("relative difference", "(iii)", ".0%"),
            PrintedColumn("sensitivity", "(iv)", ".1%"),
        ),
        by="sensitivity",
        parts={"(a) Binary relevance": binary, "(b) Graded relevance": GRADED},
    )


def by_gains(
    label: str,
    caption: str,
    column: PrintedColumn,
    maps: tuple[str, ...],
    above: float = inf,
) -> TableLayout:
    """A row for each graded metric, a column for each gain map."""
    return TableLayout(
        label, caption, "maps", (column,), across="gains", only=GRADED, over=maps, above=above
    )


TAUS = (
    taus(
        "Table 5",
        "AveP and R-Prec with graded metrics",
        GRADED,
        ("AP", "AP(rel=2)", "Rprec", "Rprec(rel=2)"),
    ),
    taus("Table 6", "PDoc with graded metrics", GRADED, (*BINARY[2:5], *BINARY[7:])),
    taus(
        "Table 7",
        "Q-measure and R-measure with graded metrics",
        GRADED[1:],
        GRADED[:2],
        "Its columns are inferred.",
    ),
    taus("Table 8", "nDCG and AnDCG with each other", DISCOUNTED, DISCOUNTED),
    taus(
        "Tables 9-10",
        "(A)nDCG with (A)nCG",
        DISCOUNTED,
        PLAIN,
        "Contents lost; here (A)nDCG by (A)nCG.",
    ),
    taus("Table 11", "nCG and AnCG with each other", PLAIN, PLAIN, "AnCG is inferred."),
)


def relaxed(
    exhibit: Exhibit,
    label: str,
    title: str = "The same of relaxed metrics, on all topics",
    layouts: tuple[TableLayout, ...] = (),
) -> Exhibit:
    """An exhibit again, of relaxed metrics and on all topics."""
    return exhibit._replace(
        label=label,
        title=title,
        measures=RELAXED,
        differs=f"{ON_ALL} {exhibit.differs}".rstrip(),
        # compared with the others, it would lose the topics that rigid metrics lack
        apart=True,
        layouts=layouts,
    )


STABILITY = Exhibit(
    "Figs. 1, 3, 5",
    "Stability of binary metrics",
    "stability",
    {"fuzziness": FUZZY},
    measures=BINARY,
    differs="Values of f are such that most metrics reach 10% ties.",
    lost="the values of f and the size of the topic sets",
    inferred="Chinese, Japanese, English in this order; sets of half the topics",
    tables=("measures", "curves"),
)
SENSITIVITY = Exhibit(
    "Tables 2-4",
    "Sensitivity at a swap rate of 5%",
    "swap",
    charts=("rates",),
    tables=("measures", "bins"),
    layouts=(sensitivity(BINARY),),
    lost="the bins of differences and the size of the topic sets",
    inferred="sets of half the topics",
)
AGREEMENT = Exhibit(
    "Tables 5-11",
    "Agreement of the metrics",
    "agreement",
    tables=("list",),
    **ALL_RUNS,
    layouts=TAUS,
    lost="the contents of Tables 9 and 10, and from where on numbers are bold",
    inferred="(A)nDCG by (A)nCG in Tables 9 and 10, the columns of Table 7, AnCG in Table 11, 0.9",
)

EXHIBITS = (
    collection_exhibit("Table 1")._replace(**ALL_RUNS),
    STABILITY,
    STABILITY._replace(label="Figs. 2, 4, 6", title="Stability of graded metrics", measures=GRADED),
    relaxed(STABILITY, "Figs. 1-6", "Stability of relaxed metrics, on all topics"),
    SENSITIVITY,
    relaxed(SENSITIVITY, "Tables 2-4, relaxed", layouts=(sensitivity(BINARY[:5], APART),)),
    AGREEMENT,
    relaxed(
        AGREEMENT,
        "Tables 5-11, relaxed",
        layouts=tuple(replace(table, caption=f"{table.caption}{APART}") for table in TAUS),
    ),
    Exhibit(
        "Fig. 7",
        "Runs by AP, and their scores by other metrics",
        "rankings",
        {"by": "AP", "lines": "scores"},
        ("AP", "AP(rel=2)", "Q", "nDCG(base=2)@1000", "AnDCG(base=2)@1000"),
        charts=("lines",),
        tables=("ranks",),
        lost="which metrics it draws besides AP, Q and nDCG_1000",
        inferred="the lines are mean scores, where an increase is a disagreement",
        **ALL_RUNS,
    ),
    Exhibit(
        "Fig. 9",
        "Stability of nDCG with other gains",
        "gains",
        {"fuzziness": FUZZY},
        measures=("nDCG(base=2)@1000",),
        charts=("stability",),
        tables=("stability",),
        lost="its cut-off, and whether adjusted gains are drawn",
        inferred="the cut-off 1000, the Chinese runs",
    ),
    Exhibit(
        "Fig. 8",
        "Stability of Q with other gains",
        "gains",
        {"fuzziness": FUZZY},
        measures=("Q",),
        charts=("stability",),
        tables=("stability",),
        lost="whether adjusted gains are drawn",
        inferred="the Chinese runs",
    ),
    Exhibit(
        "Table 12",
        "Sensitivity with other gains",
        "gains",
        {"fuzziness": FUZZY},
        measures=GRADED,
        charts=("sensitivity",),
        tables=("maps",),
        lost="its columns, but for the default gains",
        layouts=(
            by_gains(
                "Table 12",
                "Sensitivity at a swap rate of 5%, by gains; bold above 20%.",
                PrintedColumn("sensitivity", form=".1%"),
                MAPS,
                0.2,
            ),
        ),
    ),
    Exhibit(
        "Table 13",
        "Agreement with the default gains",
        "gains",
        # tau, which is all that the paper prints here, needs no topic sets
        {"sets": 100},
        measures=GRADED,
        charts=("tau",),
        tables=("maps",),
        differs="The sensitivity in its full table is over 100 topic sets.",
        inferred="all runs, of the Chinese set",
        **ALL_RUNS,
        layouts=(
            by_gains(
                "Table 13",
                "Kendall's tau with the order under the default gains.",
                PrintedColumn("tau", form=".4f"),
                MAPS[1:],
            ),
        ),
    ),
    Exhibit(
        "Table 14",
        "Orders of the run pairs",
        "pair-orderings",
        measures=("AP", "AP(rel=2)", *BEST),
        tables=("measures",),
        lost="its metrics",
        inferred="those that the paper ends with",
        layouts=(
            TableLayout(
                "Table 14",
                "Kendall's tau between the orders of the run pairs by sign test, stability method"
                " (minority rate) and swap method (swap rate), and from where on one is significant"
                " at 0.01.",
                "measures",
                (
                    PrintedColumn("sign - minority rate", "sign, stability"),
                    PrintedColumn("sign - swap rate", "sign, swap"),
                    PrintedColumn("minority rate - swap rate", "stability, swap"),
                    PrintedColumn("significant from"),
                ),
            ),
        ),
    ),
)

FINDINGS = {
    "Large cut-offs make P unstable: P@1000 misleads more often than P@10": Finding(
        "Figs. 1, 3, 5",
        "in words, Section 4.2",
        "minority rate at 10% ties",
        ("P@1000",),
        ("P@10",),
    ),
    "AP misleads less often than P": Finding(
        "Figs. 1, 3, 5",
        "in words, Section 4.2",
        "minority rate at 10% ties",
        ("P@10", "P@100", "P@1000"),
        ("AP",),
    ),
    "Relaxed R-Prec is among the three most stable binary metrics": Finding(
        "Figs. 1, 3, 5",
        "in words, Section 4.2; Figs. 1 and 3",
        "place by minority rate",
        # places are whole numbers: third, or better
        3.5,
        ("Rprec",),
    ),
    "Q and (A)nDCG@1000 mislead less often than AP": Finding(
        "Figs. 1-6", "in words, Section 4.2", "minority rate at 10% ties", ("AP",), BEST
    ),
    "AP is the most sensitive binary metric": Finding(
        "Tables 2-4", "24% of the comparisons", "sensitivity", ("AP",), (*BINARY[1:5], *BINARY[6:])
    ),
    "Q and (A)nDCG@1000 are more sensitive than AP": Finding(
        "Tables 2-4", "in words, Section 4.3", "sensitivity", BEST, ("AP",)
    ),
    "Of the graded metrics, Q orders the runs most like AP": Finding(
        "Table 5", "0.9798", "tau with AP", ("Q",), GRADED[1:]
    ),
    "Q orders the runs much as relaxed R-Prec": Finding(
        "Table 5", "in words, Section 4.4", "tau with Rprec", ("Q",), 0.9
    ),
    "Q and (A)nDCG@1000 are in the steadiest third of the graded metrics": Finding(
        "Figs. 2, 4, 6", "in words, Section 4.2", "place by minority rate", len(GRADED) / 3, BEST
    ),
    # a margin of 0 would not count as one: the limit is above a sensitivity of 0
    "nCG@1000 does not separate runs": Finding(
        "Table 2", "no difference suffices", "sensitivity", 0.001, ("nCG@1000",)
    ),
    "P@1000 with rigid relevance does not separate runs": Finding(
        "Table 4", "no difference suffices", "sensitivity", 0.001, ("P(rel=2)@1000",)
    ),
    "Q, R-measure, nDCG@1000 and Q with AnDCG@1000 order the runs alike": Finding(
        "Table 7",
        "in words, Section 4.4",
        "least tau of Q, R-measure, nDCG, and of Q with AnDCG",
        WHOLE,
        0.9,
    ),
    "The cut-off matters more than whether ranks are averaged": Finding(
        "Tables 8, 11",
        "0.8404 (AnDCG@10, @1000), 0.6449 (nCG@10, @1000)",
        "tau of nDCG with AnDCG, least over cut-offs, less that of AnDCG@10 with @1000",
        WHOLE,
        0.0,
    ),
    "nDCG@1000 departs more often from the order by AP than Q": Finding(
        "Fig. 7", "in words, Section 4.4", "rises along the runs by AP", BEST[1:2], ("Q",)
    ),
    "Gains matter less to the sensitivity of Q and AnDCG@1000 than the metric": Finding(
        "Table 12",
        "in words, Section 4.5",
        "spread of sensitivity over gains, share of that over metrics",
        1.0,
        ("Q", BEST[2]),
    ),
    "Gains matter less to the stability of Q and nDCG@1000 than the metric": Finding(
        "Figs. 8-9",
        "in words, Section 4.5",
        "spread of minority rate over gains, share of that over metrics",
        1.0,
        ("Q", BEST[1]),
        "Table 12",
    ),
    "Rankings by Q, R-measure and (A)n(D)CG@1000 hardly change with gains": Finding(
        "Table 13",
        "in words, Section 4.5",
        "least tau with the default gains",
        ("Q", "R-measure", *(m for m in CUMULATED if m.endswith("@1000"))),
        0.9,
    ),
    "Stability and swap agree more than sign test and swap": Finding(
        "Table 14",
        "in words, Section 4.6",
        "tau of stability and swap, less sign test and swap",
        ("AP", "Q", BEST[1]),
        0.0,
    ),
    "Sign test and swap agree more than sign test and stability": Finding(
        "Table 14",
        "in words, Section 4.6",
        "tau of sign test and swap, less sign test and stability",
        ("AP", "Q", BEST[1]),
        0.0,
    ),
    "Sign test, stability and swap agree more than unrelated orders": Finding(
        "Table 14",
        "above 0.09",
        "least tau of sign test, stability and swap, less what chance gives",
        ("AP", "Q", BEST[1]),
        0.0,
    ),
}

add(
    Paper(
        name="sakai-2007-reliability",
        title="Sakai 2007, reliability",
        reference=(
            "T. Sakai. On the reliability of information retrieval metrics based on graded"
            " relevance. Information Processing & Management 43(2), 2007."
        ),
        asks="Are graded metrics as stable and as sensitive as binary ones?",
        measures=(*BINARY, *GRADED),
        selection=Selection(top_runs=30, best_by="AP"),
        selects="The 30 best runs by AP.",
        gains={3: "sab"},
        differs=(
            "rel=2 is rigid relevance: the lowest grade counts as not relevant. Topics without a"
            " document above it have no score by rigid metrics or with adjusted gains; all that is"
            " compared with them leaves them out too."
        ),
        names=NAMES,
        exhibits=EXHIBITS,
        findings=FINDINGS,
        main="Q and (A)nDCG@1000 mislead less often than AP",
    )
)
