"""Bompada et al. 2007: bpref, infAP and nDCG under incomplete judgments."""

from irmeval.papers.base import Exhibit, Paper, add, collection_exhibit
from irmeval.papers.findings import WHOLE, Finding
from irmeval.papers.layout import PrintedColumn, TableLayout
from irmeval.scoring.selection import Selection

RATES = (
    100.0,
    90.0,
    80.0,
    70.0,
    60.0,
    50.0,
    40.0,
    30.0,
    25.0,
    20.0,
    15.0,
    10.0,
    5.0,
    4.0,
    3.0,
    2.0,
    1.0,
)
TAU = "disagreements"
"""The paper's tau, which has its column."""
# Section 4: prefixes of ceil(f R) and ceil(f N); it prints min for max of their least numbers
OVER_RATES = {"levels": RATES, "rounding": "ceil", "correlation": TAU}
DECIDED = {
    **OVER_RATES,
    "watch": ("order", "pairs", "decisions"),
    # the paper has about 300 random pairs; that all measures share them is inferred
    "test": "wilcoxon",
    "pairs": 300,
}
BY_GAINS = "gains=flat,bompada2,bompada10,bompada100"
OWN = "Fig. 2, Tables 4-5"
OWN_SAMPLES = 4
"""Samples of the own pools: enough for an interval; each is a sample for every pair."""
SAMPLES = "Rates are 17, down to 1%."
RATES_LOST = "the rates, but for 100, 40 and 30%"
KNEE_READ = "a knee is the lowest measured rate above 0.9"


def knees(label: str, of: str, column: str) -> TableLayout:
    """Knees of the curve of a column, in both readings of the paper, and between two
    rates.
    """
    columns = (
        PrintedColumn(f"{column}, lowest", "lowest rate above 0.9"),
        PrintedColumn(f"{column}, measured", "last rate before 0.9"),
        PrintedColumn(f"{column}, interpolated", "interpolated"),
    )
    return TableLayout(
        label, f"Knee of the {of} curve, per cent of the judgments.", "knees", columns
    )


EXHIBITS = (
    collection_exhibit("Table 1", "its numbers"),
    Exhibit(
        "Fig. 1",
        "Kendall's tau as judgments disappear",
        "curves",
        OVER_RATES,
        charts=("tau",),
        tables=("summary",),
        differs=SAMPLES,
        lost=RATES_LOST,
    ),
    Exhibit(
        "Fig. 2, Tables 3-5",
        "Accuracy of decisions, and knees",
        "curves",
        DECIDED,
        charts=("accuracy", "g-mean"),
        tables=("knees", "summary"),
        differs=f"{SAMPLES} Judgments are those of all, not of the two runs alone.",
        lost=RATES_LOST,
        inferred=f"{KNEE_READ}, for accuracy as for tau",
        layouts=(
            knees("Table 3", "tau", TAU),
            knees("Table 5", "accuracy", "accuracy"),
        ),
    ),
    Exhibit(
        OWN,
        "The same on the two runs' own pools",
        "curves",
        {**DECIDED, "sample_of": "pair", "trials": OWN_SAMPLES},
        charts=("accuracy", "g-mean", "missed"),
        tables=("decisions", "knees", "summary"),
        differs=SAMPLES,
        lost=f"{RATES_LOST}; which measure Table 4 is of",
        inferred=f"{KNEE_READ}, for accuracy as for tau",
        layouts=(
            TableLayout(
                "Table 4",
                "Pairs of runs by whether H0 is accepted or rejected at 100% (rows) and at 30%"
                " (columns) of the judgments.",
                "decisions",
                (PrintedColumn("accepted", form=".4g"), PrintedColumn("rejected", form=".4g")),
                rows="on all judgments",
                where={"level": 30.0},
                apart="measure",
            ),
            knees("Table 5", "accuracy", "accuracy"),
        ),
    ),
    Exhibit(
        "Fig. 3",
        "Binary and tertiary nDCG",
        "curves",
        {**DECIDED, "by": BY_GAINS},
        ("nDCG@1000",),
        charts=("tau-1", "accuracy-1"),
        tables=("summary",),
        # gains are the lines here, not the paper's usual flat ones
        gains={},
        differs=SAMPLES,
        lost=f"{RATES_LOST}; whether the weights 10 and 100 are drawn",
    ),
)

FINDINGS = {
    "infAP keeps the order of the runs better than bpref": Finding(
        "Fig. 1", "at every rate", "tau", ("infAP",), ("Bpref",)
    ),
    "nDCG keeps the order best": Finding(
        "Fig. 1",
        "at most rates",
        "share of the rates below 100% with the highest tau",
        ("nDCG@1000",),
        0.5,
    ),
    "infAP decides more accurately than bpref": Finding(
        "Fig. 2", "TREC-10 and -12, not -8", "accuracy", ("infAP",), ("Bpref",), OWN
    ),
    "nDCG decides most accurately": Finding(
        "Fig. 2", "above 90% at every rate", "accuracy", ("nDCG@1000",), ("infAP", "Bpref"), OWN
    ),
    "nDCG's tau is above 0.5 even below 5%": Finding(
        "Fig. 1", "TREC-10", "tau below 5%", ("nDCG@1000",), 0.5
    ),
    "nDCG's tau has the lowest knee": Finding(
        "Table 3", "on every set", "knee of tau", ("infAP", "Bpref"), ("nDCG@1000",)
    ),
    "nDCG's accuracy is above 90% even below 5%": Finding(
        "Fig. 2", "above 90% below 5%, on every set", "accuracy below 5%", ("nDCG@1000",), 0.9, OWN
    ),
    "nDCG's accuracy has the lowest knee": Finding(
        "Table 5", "on every set", "knee of accuracy", ("infAP", "Bpref"), ("nDCG@1000",), OWN
    ),
    "nDCG misses the smallest share of the differences": Finding(
        "Section 5",
        "in words, Section 5; not plotted",
        "differences missed",
        ("infAP", "Bpref"),
        ("nDCG@1000",),
        OWN,
    ),
    "nDCG has a higher g-mean than infAP": Finding(
        "Fig. 2", "at low rates, else alike", "g-mean", ("nDCG@1000",), ("infAP",), OWN
    ),
    # the paper gives no limit: .015 is ours
    "Three grades in place of two change tau by about 1%": Finding(
        "Fig. 3", "about 1%", "difference of tau by grades", 0.015, WHOLE
    ),
    "Three grades in place of two change accuracy as little as tau": Finding(
        "Fig. 3", "in words, Section 5; not shown", "difference of accuracy by grades", 0.015, WHOLE
    ),
    "At 30% far more pairs are significant on both than on neither": Finding(
        "Table 4",
        "C(2,2) far larger than C(1,1) (TREC-12)",
        "pairs significant on both, less on neither at 30%",
        ("Bpref", "infAP", "nDCG@1000"),
        0.0,
        OWN,
    ),
    "With 40% of the judgments nDCG's tau is 0.9": Finding(
        "Fig. 1", "0.9 at most", "tau at 40%", ("nDCG@1000",), 0.9
    ),
}

add(
    Paper(
        name="bompada-2007",
        title="Bompada et al. 2007",
        reference=(
            "T. Bompada, C.-C. Chang, J. Chen, R. Kumar and R. Shenoy. On the robustness of"
            " relevance measures with incomplete judgments. SIGIR 2007."
        ),
        asks="Which of bpref, infAP and nDCG keeps the order of runs when few judgments are left?",
        measures=("Bpref", "infAP", "nDCG@1000"),
        selection=Selection(least=95),
        selects="Runs that retrieved at least 95% of what could be retrieved.",
        gains={0: "flat"},
        names={"Bpref": "bpref", "nDCG@1000": "NDCG"},
        not_made={"Table 2": "It defines the cells of Table 4."},
        exhibits=EXHIBITS,
        findings=FINDINGS,
        main="nDCG keeps the order best",
    )
)
