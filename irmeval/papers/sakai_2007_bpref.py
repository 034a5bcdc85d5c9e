"""Sakai 2007: usual metrics on condensed lists, compared with bpref and rpref."""

from irmeval.papers.base import DISCRIMINATING, Exhibit, Paper, add, collection_exhibit
from irmeval.papers.findings import WHOLE, Finding
from irmeval.papers.layout import PrintedColumn, TableLayout, of_taus
from irmeval.papers.statistics import NDCG
from irmeval.scoring.selection import Selection

# Bpref_R stands for bpref: R < N on all topics of the paper, where both are the same (Table 1)
REDUCED = ("AP", "AP'", "Q", "Q'", NDCG, f"{NDCG}'", "Bpref_R", "rpref_relative2")
"""Measures that the paper continues with on reduced judgments, without Bpref_N and
rpref_N.
"""
RAW = ("AP", "Q", NDCG)
"""Measures on raw lists."""
ALL_DOCUMENTS = ("Bpref_N", "rpref_N")
"""Measures of all judged nonrelevant documents."""
RELATIVE = ("rpref_relative", "rpref_relative2")
"""With one grade, as in made lists, bpref_relative and bpref_relative2."""
AS_WELL = -0.05
"""Difference from which on a measure does as well as another; the paper gives none."""
CONDENSED = ("AP'", "Q'", f"{NDCG}'", "rpref_relative2")

EXHIBITS = (
    collection_exhibit("Table 1", "its columns, but for R of each level and N"),
    Exhibit(
        "Figs. 1-2",
        "Mean score and tau as judgments disappear",
        "curves",
        measures=REDUCED,
        tables=("summary",),
        inferred="rpref_relative2 is one of the lines of Fig. 1",
    ),
    Exhibit(
        "Table 2",
        "Agreement of the metrics",
        "agreement",
        tables=("list",),
        layouts=(
            of_taus("Table 2", "between the orders of the runs by each two metrics", above=0.8),
        ),
    ),
    Exhibit(
        "Table 3",
        "Discriminative power on all judgments",
        "matrix",
        DISCRIMINATING,
        charts=("levels",),
        tables=("power",),
        layouts=(
            TableLayout(
                "Table 3",
                "Metrics by discriminative power at 0.05; bold: on condensed lists.",
                "power",
                (
                    PrintedColumn("told apart", "pairs significant", "d"),
                    PrintedColumn("power", "share", ".1%"),
                    PrintedColumn("required difference", form="#.2g"),
                ),
                by="power",
                bold=("AP'", "Q'", f"{NDCG}'"),
            ),
        ),
    ),
    Exhibit(
        "Fig. 3",
        "Discriminative power as judgments disappear",
        "curves",
        # Fig. 3 has no point at 90%, as Figs. 1 and 2 have
        {**DISCRIMINATING, "watch": ("pairs",), "levels": (100.0, 70.0, 50.0, 30.0, 10.0)},
        REDUCED,
        ("power",),
        ("summary",),
        lost="whether the point at 100% is drawn",
    ),
    Exhibit(
        "Section 4",
        "One relevant document moved down the list",
        "top-heaviness",
        measures=("AP", *RELATIVE),
    ),
    Exhibit(
        "Section 4, ideal lists",
        "Ideal lists",
        "ideal-lists",
        {"R": (2, 5)},
        ("Bpref_relative", "Bpref_relative2", *RELATIVE),
    ),
)

FINDINGS = {
    "Means of raw AP, Q, nDCG fall, those of bpref and condensed lists stay": Finding(
        "Fig. 1", "in words, Section 5", "change of the mean at 10%", RAW, ("Bpref_R", *CONDENSED)
    ),
    "Bpref_N and rpref_N order the runs unlike the others": Finding(
        "Table 2", "0.480 (Bpref_N, AP)", "mean tau with the others", REDUCED, ALL_DOCUMENTS
    ),
    "AP' is nearer to AP than bpref is": Finding(
        "Table 2", "0.963 (AP'), 0.885 (bpref)", "tau with AP", ("AP'",), ("Bpref_R",)
    ),
    "At 10% AP keeps the order of the runs worst": Finding(
        "Fig. 2", "0.21 (AP), 0.41 (Q)", "tau at 10%", (*REDUCED[1:],), ("AP",)
    ),
    "At 10% condensed lists keep the order of the runs better than bpref": Finding(
        "Fig. 2", "0.66 (Q'), 0.42 (bpref)", "tau at 10%", CONDENSED, ("Bpref_R",)
    ),
    "Bpref_N and rpref_N have less power than bpref": Finding(
        "Table 3", "in words, Section 7", "power", ("Bpref_R",), ALL_DOCUMENTS
    ),
    "Bpref has less power than raw metrics and those on condensed lists": Finding(
        "Table 3", "174 of 435 (Q)", "power", (*RAW, *CONDENSED), ("Bpref_R",)
    ),
    "Q' has more power than bpref and all others on condensed lists but nDCG'": Finding(
        "Table 3", "in words, Section 7", "power", ("Q'",), ("Bpref_R", "AP'", "rpref_relative2")
    ),
    "At 10% metrics on condensed lists have more power than bpref": Finding(
        "Fig. 3", "over 20%, bpref a little over 10%", "power at 10%", CONDENSED, ("Bpref_R",)
    ),
    "At 10% bpref has more power than AP": Finding(
        "Fig. 3", "about 2.5% (AP)", "power at 10%", ("Bpref_R",), ("AP",)
    ),
    "No topic has more relevant than nonrelevant documents: bpref is bpref_R": Finding(
        "Table 1", "R 264 at most, N 911 at least (NTCIR-3C)", "topics with R > N", 1.0, WHOLE
    ),
    "Metrics order the runs much as they do on condensed lists": Finding(
        "Table 2",
        "in words, Section 6; 0.963 (AP', NTCIR-5J)",
        "least tau with their primes",
        WHOLE,
        0.8,
    ),
    "At 10% raw Q and nDCG keep the order of the runs better than AP": Finding(
        "Fig. 2", "0.41 (Q), 0.21 (AP)", "tau at 10%", ("Q", NDCG), ("AP",)
    ),
    "At 10% raw Q and nDCG keep the order of the runs as well as bpref": Finding(
        "Fig. 2",
        "in words, Section 6; 0.41 (Q), 0.42 (bpref), NTCIR-5J",
        "tau at 10%, less that of bpref",
        ("Q", NDCG),
        AS_WELL,
    ),
    "At 10% raw Q and nDCG have as much power as bpref": Finding(
        "Fig. 3",
        "in words, Section 7; a little over 10% (NTCIR-5C)",
        "power at 10%, less that of bpref",
        ("Q", NDCG),
        AS_WELL,
    ),
    "At 30% metrics on condensed lists have more power than bpref": Finding(
        "Fig. 3", "in words, Section 7", "power at 30%", CONDENSED, ("Bpref_R",)
    ),
    "A sample lacks more documents of the lowest grade than of the highest": Finding(
        "Fig. 2",
        "as most are of it",
        "documents that a sample of 10% lacks, of the lowest grade less the highest",
        WHOLE,
        0.0,
        "Table 1",
    ),
    "rpref_relative gives nothing for one relevant document at rank 1 or 2": Finding(
        "Section 4", "0", "score at ranks 1 and 2", 1e-9, ("rpref_relative",)
    ),
    "Where all is judged, rpref_relative2 of one relevant document is AP": Finding(
        "Section 4", "equal", "difference from AP", 1e-9, ("rpref_relative2",)
    ),
    "An ideal list scores (R - 1) / R by bpref_relative, 1 by bpref_relative2": Finding(
        "Section 4",
        "0.5 (R = 2), 0.8 (R = 5)",
        "least score of an ideal list",
        ("Bpref_relative2", "rpref_relative2"),
        ("Bpref_relative", "rpref_relative"),
        "Section 4, ideal lists",
    ),
    "At 50% metrics on condensed lists have more power than bpref": Finding(
        "Fig. 3", "in words, Section 7", "power at 50%", CONDENSED, ("Bpref_R",)
    ),
}

add(
    Paper(
        name="sakai-2007-bpref",
        title="Sakai 2007, bpref",
        reference="T. Sakai. Alternatives to bpref. SIGIR 2007.",
        asks="Are Q, nDCG and AP on condensed lists more robust to missing judgments than bpref?",
        measures=(*REDUCED, "Bpref_N", "rpref_N"),
        selection=Selection(top_runs=30, best_by="AP"),
        selects="The 30 best runs by AP.",
        gains={3: "sab"},
        names={NDCG: "nDCG", f"{NDCG}'": "nDCG'", "Bpref_R": "bpref_R", "Bpref_N": "bpref_N"},
        exhibits=EXHIBITS,
        findings=FINDINGS,
        main="At 10% condensed lists keep the order of the runs better than bpref",
    )
)
