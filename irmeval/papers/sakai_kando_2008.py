"""Sakai & Kando 2008: condensed lists, bpref and RBP on four test collections."""

from typing import Any

from irmeval.papers.base import DISCRIMINATING, Exhibit, Paper, add, collection_exhibit
from irmeval.papers.findings import WHOLE, Finding
from irmeval.papers.layout import PrintedColumn, TableLayout, of_taus
from irmeval.papers.statistics import NDCG
from irmeval.scoring.selection import Selection

RBP = ("RBP(p=0.5)", "RBP(p=0.8)", "RBP(p=0.95)")
WITHOUT = ("Q", "Q'", "AP", "AP'", NDCG, f"{NDCG}'", "Bpref", *RBP[1:])
"""Without RBP(p=0.5), which the paper drops after Table 3."""
REDUCED = "Figs. 5-6, Tables 4-5"
"""Label of the exhibit of decisions."""
TAUS = "Figs. 7-8, Table 7"
"""Label of the exhibit of tau."""
PRIMES = ("Q'", "AP'", f"{NDCG}'")
# of TREC03 16 runs, 120 pairs, for power and Fig. 2; means and tau are of 30 runs of any team
ONE_EACH: dict[str, Any] = {
    "selection": Selection(per_team="random"),
    "selects": "One run of each team, drawn at random.",
}
NAMES = {
    # R <= N on every topic of the paper, where bpref is bpref_R (Table 2)
    "Bpref": "bpref_R",
    NDCG: "nDCG",
    f"{NDCG}'": "nDCG'",
    RBP[0]: "RBP.5",
    RBP[1]: "RBP.8",
    RBP[2]: "RBP.95",
}
POWER = (
    PrintedColumn("told apart", "pairs significant", ".4g"),
    PrintedColumn("pairs", "of pairs", "d"),
    PrintedColumn("power", "share", ".1%"),
    PrintedColumn("required difference", form="#.2g"),
)

EXHIBITS = (
    Exhibit(
        "Fig. 1",
        "One relevant document ever lower",
        "top-heaviness",
        measures=("Q", "AP", NDCG, *RBP),
    ),
    Exhibit(
        "Table 1",
        "RBP of ideal lists",
        "ideal-lists",
        measures=("AP",),
        differs="The figure also shows AP, which is 1 for every ideal list.",
        lost="how it is laid out",
        layouts=(
            TableLayout(
                "Table 1",
                "RBP of an ideal list, by the number of relevant documents.",
                "scores",
                (PrintedColumn("score", form=".4f"),),
                rows="R",
                across="measure",
                over=RBP,
            ),
        ),
    ),
    collection_exhibit("Table 2"),
    Exhibit(
        "Fig. 2",
        "AP of the runs",
        "rankings",
        {"by": "AP"},
        ("AP",),
        charts=("lines",),
        tables=("means",),
        differs="A line of the runs' means, best first.",
        lost="its kind of plot",
        **ONE_EACH,
    ),
    Exhibit(
        "Figs. 3-4",
        "Mean score as judgments disappear",
        "curves",
        charts=("mean",),
        tables=("summary",),
        lost="whether RBP(p=0.5) is drawn; it is here",
        inferred="TREC is Fig. 3, NTCIR Fig. 4",
    ),
    Exhibit(
        "Table 3",
        "Discriminative power on all judgments",
        "matrix",
        DISCRIMINATING,
        charts=("levels",),
        tables=("power",),
        lost="its numbers at other levels than 0.05",
        **ONE_EACH,
        layouts=(
            TableLayout(
                "Table 3",
                "Metrics by discriminative power on all judgments, at 0.05.",
                "power",
                POWER,
                by="power",
            ),
        ),
    ),
    Exhibit(
        "Section 5",
        "The swap method, beside the bootstrap test",
        "swap",
        charts=("rates",),
        tables=("measures",),
        differs="The paper cites this from others; it has no table or figure of it.",
        **ONE_EACH,
    ),
    Exhibit(
        "Figs. 5-6, Tables 4-5",
        "Discriminative power and errors as judgments disappear",
        "curves",
        {**DISCRIMINATING, "watch": ("pairs", "decisions")},
        measures=WITHOUT,
        charts=("power",),
        tables=("summary", "power", "errors"),
        lost="the numbers of Table 4 at other levels than 0.05",
        inferred="the point at 100% is drawn; Table 5 (d) is of NTCIR-6C",
        **ONE_EACH,
        layouts=(
            TableLayout(
                "Table 4",
                "Metrics by discriminative power at 10% of the judgments, at 0.05.",
                "power",
                POWER,
                by="power",
            ),
            TableLayout(
                "Table 5",
                "Of the pairs that are significant at 10% of the judgments, those that are not at"
                " 100%.",
                "errors",
                (
                    PrintedColumn("told apart on all judgments", "at 100%", "d"),
                    PrintedColumn("told apart at 10%", "at 10%", ".4g"),
                    PrintedColumn("of these not on all judgments", "not at 100%", ".3g"),
                    PrintedColumn("error rate", "share", ".0%"),
                ),
                only=WITHOUT,
            ),
        ),
    ),
    Exhibit(
        "Table 6",
        "Agreement of the metrics",
        "agreement",
        measures=WITHOUT,
        tables=("list",),
        inferred="RBP(p=0.5) is left out",
        layouts=(
            of_taus(
                "Table 6",
                "between the orders of the runs by each two metrics",
                only=WITHOUT,
                over=WITHOUT,
                above=0.9,
            ),
        ),
    ),
    Exhibit(
        "Figs. 7-8, Table 7",
        "Tau as judgments disappear",
        "curves",
        measures=WITHOUT,
        inferred="RBP(p=0.5) is left out",
        charts=("tau",),
        tables=("summary",),
        layouts=(
            TableLayout(
                "Table 7",
                "Metrics by Kendall's tau between the orders of the runs at 10% and at 100% of the"
                " judgments.",
                "summary",
                (PrintedColumn("tau"),),
                where={"level": 10.0},
                by="tau",
            ),
        ),
    ),
)

FINDINGS = {
    "On all judgments bpref has more power than RBP": Finding(
        "Table 3", "in words, Section 5; TREC", "power", ("Bpref",), RBP
    ),
    "On all judgments AP, Q, nDCG and their primes have more power than bpref": Finding(
        "Table 3", "in words, Section 5; NTCIR-6J", "power", WITHOUT[:6], ("Bpref",)
    ),
    "Bootstrap test and swap method order the metrics alike (tau above 0.5)": Finding(
        "Section 5",
        "in words, Section 5",
        "tau of the orders of the metrics by power and by sensitivity",
        WHOLE,
        0.5,
    ),
    "On all judgments AP, Q, nDCG and their primes have more power than RBP": Finding(
        "Table 3", "Q 80 of 120 pairs", "power", WITHOUT[:6], RBP
    ),
    "A small p costs power: RBP.5 has less than RBP.8": Finding(
        "Table 3", "in words, Section 5", "power", RBP[1:2], RBP[:1]
    ),
    "A small p costs power: RBP.8 has less than RBP.95": Finding(
        "Table 3", "in words, Section 5", "power", RBP[2:], RBP[1:2]
    ),
    "At 10% RBP.8 has the least power": Finding(
        "Table 4", "in words, Section 5", "power at 10%", (*WITHOUT[:7], RBP[2]), RBP[1:2]
    ),
    "At 10% AP' has more power than AP": Finding(
        "Section 7", "in words, Section 7", "power at 10%", ("AP'",), ("AP",), REDUCED
    ),
    "At 10% Q' has more power than Q": Finding(
        "Section 7", "in words, Section 7", "power at 10%", ("Q'",), ("Q",), REDUCED
    ),
    "At 10% nDCG' has more power than nDCG": Finding(
        "Section 7", "in words, Section 7", "power at 10%", (f"{NDCG}'",), (NDCG,), REDUCED
    ),
    "Bpref has the most errors at 10%: pairs not significant at 100%": (
        Finding(
            "Table 5",
            "10 of 39 (bpref), 2 of 13 (AP)",
            "errors at 10%",
            ("Bpref",),
            (*WITHOUT[:6], *RBP[1:]),
        )
    ),
    "Means of bpref and the primes stay, those of AP, Q, nDCG and RBP fall": Finding(
        "Figs. 3-4",
        "in words, Section 4",
        "change of the mean at 10%",
        ("AP", "Q", NDCG, *RBP),
        ("Bpref", *PRIMES),
    ),
    "RBP orders the runs unlike the others": Finding(
        "Table 6", "in words, Section 6", "mean tau with the others", WITHOUT[:7], RBP[1:]
    ),
    "At 10% the primes keep the order of the runs best": Finding(
        "Table 7", "in words, Section 6", "tau at 10%", PRIMES, ("Q", "AP", NDCG, "Bpref", *RBP[1:])
    ),
    "At 10% AP and RBP.8 keep the order of the runs worst": Finding(
        "Table 7",
        "in words, Section 6",
        "tau at 10%",
        (*PRIMES, "Q", NDCG, "Bpref", RBP[2]),
        ("AP", RBP[1]),
    ),
    # AP of an ideal list is 1 whatever R: less than that depends on it
    "RBP of an ideal list depends on R": Finding(
        "Table 1",
        "0.05 (R = 1), 0.4013 (R = 10), 0.9941 (R = 100) by RBP.95",
        "least score of an ideal list",
        ("AP",),
        RBP,
    ),
    "RBP.5 does not see what is below rank 10": Finding(
        "Fig. 1",
        "in words, Section 3.4",
        "share of the score left at rank 11",
        ("Q", "AP", NDCG, *RBP[1:]),
        RBP[:1],
    ),
    "No topic has more relevant than nonrelevant documents: bpref is bpref_R": Finding(
        "Table 2", "in words, Section 3.2", "topics with R > N", 1.0, WHOLE
    ),
    "At 10% the primes have the most power": Finding(
        "Table 4",
        "in words, Section 5",
        "power at 10%",
        PRIMES,
        ("Q", "AP", NDCG, "Bpref", *RBP[1:]),
    ),
    "At 10% AP and RBP.95 have less power than all but RBP.8": Finding(
        "Table 4",
        "in words, Section 5",
        "power at 10%",
        (*PRIMES, "Q", NDCG, "Bpref"),
        ("AP", RBP[2]),
    ),
    "At 10% AP' keeps the order of the runs better than AP": Finding(
        "Section 7", "in words, Section 7", "tau at 10%", ("AP'",), ("AP",), TAUS
    ),
    "At 10% Q' keeps the order better than Q": Finding(
        "Section 7", "in words, Section 7", "tau at 10%", ("Q'",), ("Q",), TAUS
    ),
    "At 10% nDCG' keeps the order better than nDCG": Finding(
        "Section 7", "in words, Section 7", "tau at 10%", (f"{NDCG}'",), (NDCG,), TAUS
    ),
    "At 10% nDCG, Q and bpref keep the order better than AP and RBP": Finding(
        "Section 7",
        "in words, Section 7",
        "tau at 10%",
        (NDCG, "Q", "Bpref"),
        ("AP", *RBP[1:]),
        TAUS,
    ),
    "What Q and nDCG gain over AP by grades is gone on condensed lists": Finding(
        "Section 7",
        "in words, Section 7",
        "advantage of graded relevance at 10%, raw less condensed",
        WHOLE,
        0.0,
        TAUS,
    ),
    "The score of one relevant document depends on R by all metrics but RBP": Finding(
        "Fig. 1", "in words, Section 3.4", "change of the score with R", ("Q", "AP", NDCG), RBP
    ),
    "Q is AP where the relevant document is at rank R or above": Finding(
        "Fig. 1", "equal", "difference of Q and AP down to rank R", 1e-9, WHOLE
    ),
    "Q is above AP where the relevant document is below rank R": Finding(
        "Fig. 1", "from rank 11 (R = 10)", "least difference of Q and AP below rank R", WHOLE, 0.0
    ),
    "nDCG is the same at ranks 1 and 2": Finding(
        "Fig. 1", "equal", "change of the score from rank 1 to 2", 1e-9, (NDCG,)
    ),
    "At 10% few errors, pairs not significant at 100%, except by bpref": (
        # the paper says few: .2 is ours
        Finding("Table 5", "2 of 13 (AP)", "errors at 10%", 0.2, (*WITHOUT[:6], *RBP[1:]))
    ),
    "What Q and nDCG gain over AP in power is gone on condensed lists": Finding(
        "Section 7",
        "in words, Section 7",
        "advantage of graded relevance in power at 10%, raw less condensed",
        WHOLE,
        0.0,
        REDUCED,
    ),
}

add(
    Paper(
        name="sakai-kando-2008",
        title="Sakai & Kando 2008",
        reference=(
            "T. Sakai and N. Kando. On information retrieval metrics designed for evaluation with"
            " incomplete relevance assessments. Information Retrieval 11(5), 2008."
        ),
        asks=(
            "Are bpref and RBP more robust to missing judgments than metrics on condensed lists?"
        ),
        measures=(*WITHOUT, RBP[0]),
        selection=Selection(random_runs=30),
        selects="30 runs drawn at random.",
        # TREC's highly relevant documents gain 3, not 2; NTCIR's S, A, B gain 3, 2, 1
        gains={2: "trec", 3: "sab"},
        names=NAMES,
        exhibits=EXHIBITS,
        findings=FINDINGS,
        main="At 10% the primes keep the order of the runs best",
    )
)
