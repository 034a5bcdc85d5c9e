"""Ahlgren & Grönqvist 2008: bpref-10 and RankEff compared with MAP."""

from irmeval.papers.base import Exhibit, Paper, add, collection_exhibit
from irmeval.papers.findings import WHOLE, Finding
from irmeval.papers.layout import PrintedColumn, TableLayout, of_taus
from irmeval.scoring.selection import Selection

RATES = (*map(float, range(100, 10, -5)), *map(float, range(10, 0, -1)))
SWAPS = "Table 4, Appendix"

EXHIBITS = (
    collection_exhibit("Table 1"),
    Exhibit(
        "Tables 2-3, Fig. 1",
        "Unjudged documents",
        "unjudged",
        {"ranks": (1, 2, 3, 5, 10, 20, 50, 100, 123, 124, 125, 200, 500, 998, 999, 1000)},
        tables=("runs", "positions", "ranks"),
        lost="the numbers of Table 2 and the columns of Table 3",
        inferred="shares of unjudged documents in Table 3; Fig. 1 is the share by position",
        layouts=(
            TableLayout(
                "Table 2",
                "Documents of a run per topic, mean over the runs.",
                "runs",
                tuple(
                    PrintedColumn(name, form=",.1f")
                    for name in ("retrieved", "relevant", "unjudged")
                ),
                rows="run",
                only=("mean of all runs",),
            ),
            TableLayout(
                "Table 3",
                "Share of the documents at a position that are not judged, mean over the runs.",
                "positions",
                (PrintedColumn("unjudged", form=".1%"),),
                rows="ranks",
                only=("1", "124", "125", "999", "1000"),
            ),
        ),
    ),
    Exhibit(
        SWAPS,
        "The swap property, and two lists that two measures order oppositely",
        "swap-property",
        {"nonrelevant_from": 16, "nonrelevant_to": 29},
        lost="the positions of the relevant documents in the two lists of Table 4",
        inferred=(
            "the first pair of lists that differs as the text says, with nonrelevant documents at"
            " positions 16 to 29"
        ),
        layouts=(
            TableLayout(
                "Table 4",
                "Two lists of 30 judged documents, 2 of them relevant and not at 16 to 29, that"
                " bpref-10 and RankEff order oppositely.",
                "opposed",
                (
                    PrintedColumn("first list", "relevant at"),
                    PrintedColumn("first by a", "bpref-10"),
                    PrintedColumn("first by b", "RankEff"),
                    PrintedColumn("second list", "relevant at"),
                    PrintedColumn("second by a", "bpref-10"),
                    PrintedColumn("second by b", "RankEff"),
                ),
                rows="measure b",
                where={"measure a": "Bpref_10"},
            ),
            TableLayout(
                "Appendix",
                "Effect on the score of swapping a relevant document with a nonrelevant one above"
                " it, in all lists.",
                "measures",
                (
                    *(PrintedColumn(name, form=",d") for name in ("rises", "stays", "falls")),
                    PrintedColumn("always", "has the property"),
                ),
            ),
        ),
    ),
    Exhibit(
        "Tables 5-7",
        "Error rates",
        # the paper's disjoint sets of 25 and 50 topics are halves, which is the default
        "swap",
        differs="Bins of differences are 0.01 wide.",
        lost="the bins and the numbers",
        tables=("measures", "bins", "errors"),
        layouts=(
            TableLayout(
                "Tables 5-7, required",
                "The smallest difference from which at most 5% of the comparisons swap.",
                "measures",
                (
                    PrintedColumn("required difference", "d", ".2f"),
                    PrintedColumn("of best mean", "X%", ".0%"),
                    PrintedColumn("in deviations", "in sigma", ".2f"),
                    PrintedColumn("error rate", "error rate, all d", ".1%"),
                ),
            ),
            TableLayout(
                "Tables 5-7",
                "Error rate by difference d, which is also given as a share of the best mean"
                " observed (X%) and in standard deviations of the runs' means (sigma).",
                "bins",
                (
                    PrintedColumn("swap rate", "error rate", ".1%"),
                    PrintedColumn("of best mean", "X%", ".0%"),
                    PrintedColumn("in deviations", "in sigma", ".2f"),
                ),
                rows="from",
                apart="measure",
            ),
        ),
    ),
    Exhibit(
        "Table 8",
        "Agreement of the measures",
        "agreement",
        lost="its numbers",
        tables=("list",),
        layouts=(of_taus("Table 8", "between the orders of the runs by each two measures"),),
    ),
    Exhibit(
        "Figs. 2-4",
        "Runs by AP, and their scores by the others",
        "rankings",
        {"by": "AP"},
        charts=("lines",),
        tables=("ranks",),
        inferred="the lines are mean scores",
    ),
    Exhibit(
        "Figs. 5-8",
        "Mean score and tau as judgments disappear",
        "curves",
        # Section 6.3 adds .5 and takes the floor
        {"levels": RATES, "rounding": "half-up"},
        tables=("summary",),
        differs="Rates are every 5%, and every 1% below 10%.",
        lost="the rates, but for 95, 35, 25, 10, 9 and 4%",
        inferred="of which measure tau falls below 0.9 at 25, 10 and 9%: RankEff",
    ),
)

FINDINGS = {
    "RankEff needs smaller differences, in % of the best mean, than bpref-10": Finding(
        "Tables 5-7",
        "in words, Section 7",
        "required difference, share of the best mean",
        ("Bpref_10",),
        ("RankEff",),
    ),
    "Bpref-10 orders the runs more like AP than RankEff does": Finding(
        "Table 8", "in words, Section 6.2", "tau with AP", ("Bpref_10",), ("RankEff",)
    ),
    "At 10% the mean of RankEff changes least": Finding(
        "Fig. 5", "down to 4%", "change of the mean at 10%", ("AP", "Bpref_10"), ("RankEff",)
    ),
    "RankEff keeps the order of the runs better than bpref-10": Finding(
        "Figs. 6-8", "in words, Section 6.3.2", "tau", ("RankEff",), ("Bpref_10",)
    ),
    "Bpref-10 keeps the order of the runs better than AP": Finding(
        "Figs. 6-8", "in words, Section 7", "tau", ("Bpref_10",), ("AP",)
    ),
    "Some documents are unjudged even at rank 1": Finding(
        "Fig. 1", "in words, Section 3", "share unjudged at rank 1", WHOLE, 0.0
    ),
    "More is unjudged at rank 1000 than at 125": Finding(
        "Fig. 1",
        "up to 80% at 1000, about 13% at 125 (TREC-12)",
        "share unjudged at rank 1000, less that at 125",
        WHOLE,
        0.0,
    ),
    "RankEff and bpref-10 order some lists oppositely": Finding(
        "Table 4", "one pair", "pairs of lists ordered oppositely", WHOLE, 0.0
    ),
    "RankEff and AP rise with every better list, bpref-10 does not": Finding(
        "Appendix",
        "proved, Propositions 1 to 3",
        "share of changes of places that it rises after",
        ("RankEff", "AP"),
        ("Bpref_10",),
    ),
    "RankEff needs smaller differences, in deviations, than both others": Finding(
        "Tables 5-7",
        "in words, Section 6.1",
        "required difference, in deviations",
        ("AP", "Bpref_10"),
        ("RankEff",),
    ),
    "Bpref-10 orders the runs more like AP than like RankEff": Finding(
        "Table 8", "in words, Section 6.2", "tau with Bpref_10", ("AP",), ("RankEff",)
    ),
    "RankEff moves a run further from its place by AP than bpref-10": Finding(
        "Figs. 2-4",
        "42 to 7, 17 to 49",
        "largest change of a run's rank",
        ("RankEff",),
        ("Bpref_10",),
    ),
    "Down to 35% the mean of bpref-10 changes less than that of AP": Finding(
        "Fig. 5", "in words, Section 6.3.1", "change of the mean at 35%", ("AP",), ("Bpref_10",)
    ),
    # the paper gives no limit: 5% is ours
    "Down to 4% the mean of RankEff stays within 5%": Finding(
        "Fig. 5", "about the same", "change of the mean at 4%", 0.05, ("RankEff",)
    ),
    "Tau falls below 0.9 later by RankEff than by bpref-10": Finding(
        "Figs. 6-8", "in words, Section 6.3.2", "knee of tau", ("Bpref_10",), ("RankEff",)
    ),
    "Tau falls below 0.9 later by bpref-10 than by AP": Finding(
        "Figs. 6-8", "in words, Section 7", "knee of tau", ("AP",), ("Bpref_10",)
    ),
    "By RankEff tau falls below 0.9 at 25% or less": Finding(
        "Figs. 6-8", "at 10% (TREC-8), 9% (-12), 25% (-10)", "knee of tau", 25.0, ("RankEff",)
    ),
}

add(
    Paper(
        name="ahlgren-gronqvist-2008",
        title="Ahlgren & Grönqvist 2008",
        reference=(
            "P. Ahlgren and L. Grönqvist. Evaluation of retrieval effectiveness with incomplete"
            " relevance data: Theoretical and experimental comparison of three measures."
            " Information Processing & Management 44(1), 2008."
        ),
        asks="Is RankEff more robust to missing judgments than bpref-10 and MAP?",
        measures=("AP", "Bpref_10", "RankEff"),
        # in the paper 7, 21 and 7 runs of TREC-8, -10 and -12 fall out
        selection=Selection(least=95, complete="every"),
        selects=(
            "Runs that retrieved at least 95% of the possible documents, and something for every"
            " topic."
        ),
        names={"AP": "MAP", "Bpref_10": "bpref-10"},
        exhibits=EXHIBITS,
        findings=FINDINGS,
        main="RankEff keeps the order of the runs better than bpref-10",
    )
)
