"""Sakai 2007: the stability, sensitivity and resemblance of metrics for graded relevance."""

from irmeval.papers.base import Exhibit, Paper, add
from irmeval.papers.findings import Finding
from irmeval.selection import Selection

CUTS = (10, 100, 1000)
BINARY = ("AP", "Rprec", *(f"P@{k}" for k in CUTS), "AP(rel=2)", "Rprec(rel=2)", *(f"P(rel=2)@{k}" for k in CUTS))
CUMULATED = tuple(f"{name}@{k}" for name in ("nCG", "nDCG(base=2)", "AnCG", "AnDCG(base=2)") for k in CUTS)
GRADED = ("Q", "R-measure", *CUMULATED)
ALL = "All runs."
BEST = ("Q", "nDCG(base=2)@1000", "AnDCG(base=2)@1000")

add(
    Paper(
        name="sakai-2007-reliability",
        title="Sakai 2007, reliability",
        reference="T. Sakai. On the reliability of information retrieval metrics based on graded relevance. Information "
        "Processing & Management 43(2), 2007.",
        asks="How stable and how sensitive are metrics for graded relevance beside those for binary relevance, and how alike?",
        measures=(*BINARY, *GRADED),
        selection=Selection(top_runs=30, best_by="AP"),
        selects="The 30 best runs by AP.",
        gains={3: "sab"},
        differs="rel=2 is rigid relevance: the lowest grade counts as not relevant. Topics without a "
        "document above it have no score by rigid metrics or with adjusted gains; all that is compared with them leaves them out too.",
        exhibits=(
            Exhibit("Table 1", "The collection", "collection", selection=Selection(), selects=ALL),
            Exhibit("Figs. 1, 3, 5", "Stability of binary metrics", "stability", measures=BINARY),
            Exhibit("Figs. 2, 4, 6", "Stability of graded metrics", "stability", measures=GRADED),
            Exhibit(
                "Figs. 1-6",
                "Stability of relaxed metrics, on all topics",
                "stability",
                measures=(*(m for m in BINARY if "rel" not in m), *GRADED),
                differs="Rigid metrics stand apart: they have no score for topics without a document above the lowest grade.",
                apart=True,
            ),
            Exhibit("Tables 2-4", "Sensitivity at a swap rate of 5%", "swap", charts=("rates",), tables=("measures", "bins")),
            Exhibit("Tables 5-11", "Agreement of the metrics", "agreement", selection=Selection(), selects=ALL),
            Exhibit(
                "Fig. 7",
                "Runs by AP, and their ranks by other metrics",
                "rankings",
                {"by": "AP", "lines": "ranks"},
                ("AP", "AP(rel=2)", "Q", "nDCG(base=2)@1000", "AnDCG(base=2)@1000"),
                charts=("lines",),
                tables=("ranks",),
                selection=Selection(),
                selects=ALL,
            ),
            Exhibit(
                "Fig. 9",
                "Stability of nDCG with other gains",
                "gains",
                measures=("nDCG(base=2)@1000",),
                charts=("stability",),
                tables=("stability",),
            ),
            Exhibit("Fig. 8", "Stability of Q with other gains", "gains", measures=("Q",), charts=("stability",), tables=("stability",)),
            Exhibit("Table 12", "Sensitivity with other gains", "gains", measures=GRADED, charts=("sensitivity",), tables=("maps",)),
            Exhibit(
                "Table 13",
                "Agreement with the default gains",
                "gains",
                measures=GRADED,
                charts=("tau",),
                tables=("maps",),
                selection=Selection(),
                selects=ALL,
            ),
            Exhibit(
                "Table 14", "Orders of the run pairs", "pair-orderings", measures=("AP", "Q", "nDCG(base=2)@1000"), tables=("measures",)
            ),
        ),
        findings=(
            Finding(
                "Large cut-offs make P unstable: P@1000 misleads more often than P@10",
                "Figs. 1, 3, 5",
                "",
                "Figs. 1, 3, 5",
                "minority rate at 10% ties",
                ("P@1000",),
                ("P@10",),
            ),
            Finding(
                "AP misleads less often than P",
                "Figs. 1, 3, 5",
                "",
                "Figs. 1, 3, 5",
                "minority rate at 10% ties",
                ("P@10", "P@100", "P@1000"),
                ("AP",),
            ),
            Finding(
                "Q and (A)nDCG@1000 mislead less often than AP", "Figs. 1-6", "", "Figs. 1-6", "minority rate at 10% ties", ("AP",), BEST
            ),
            Finding(
                "AP is the most sensitive binary metric",
                "Tables 2-4",
                "24% of the comparisons",
                "Tables 2-4",
                "sensitivity",
                ("AP",),
                (*BINARY[1:5], *BINARY[6:]),
            ),
            Finding("Q and (A)nDCG@1000 are more sensitive than AP", "Tables 2-4", "", "Tables 2-4", "sensitivity", BEST, ("AP",)),
            Finding(
                "Of the graded metrics, Q orders the runs most as AP does",
                "Table 5",
                ".9798",
                "Tables 5-11",
                "tau with AP",
                ("Q",),
                GRADED[1:],
            ),
        ),
    )
)
