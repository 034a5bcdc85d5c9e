"""Ahlgren & Grönqvist 2008: bpref-10 and RankEff beside MAP."""

from irmeval.papers.base import Exhibit, Paper, add
from irmeval.papers.findings import Finding
from irmeval.selection import Selection

RATES = (*map(float, range(100, 10, -5)), *map(float, range(10, 0, -1)))

add(
    Paper(
        name="ahlgren-gronqvist-2008",
        title="Ahlgren & Grönqvist 2008",
        reference="P. Ahlgren and L. Grönqvist. Evaluation of retrieval effectiveness with incomplete relevance data: Theoretical and "
        "experimental comparison of three measures. Information Processing & Management 44(1), 2008.",
        asks="Does RankEff, which looks at judged documents alone, resist missing judgments better than bpref-10 and MAP, and "
        "does it order runs alike?",
        measures=("AP", "Bpref_10", "RankEff"),
        selection=Selection(least=95, complete="every"),
        selects="Runs that retrieved at least 95% of what could be retrieved, and something for every topic.",
        differs="",
        exhibits=(
            Exhibit("Table 1", "The collection", "collection"),
            Exhibit("Tables 2-3", "Unjudged documents", "unjudged"),
            Exhibit("Tables 5-7", "Error rates", "swap", charts=("errors",), tables=("errors",)),
            Exhibit("Table 8", "Agreement of the measures", "agreement"),
            Exhibit(
                "Figs. 2-4", "Runs by AP, and their scores by the others", "rankings", {"by": "AP"}, charts=("lines",), tables=("ranks",)
            ),
            Exhibit(
                "Figs. 5-8",
                "Mean score and tau as judgments disappear",
                "incompleteness",
                {"rates": RATES, "rounding": "half-up"},
                differs="Rates are every 5%, and every 1% below 10%.",
            ),
        ),
        findings=(
            Finding(
                "RankEff needs a smaller difference, of the best mean, than bpref-10 for the same errors",
                "Tables 5-7",
                "",
                "Tables 5-7",
                "required difference, share of the highest mean",
                ("Bpref_10",),
                ("RankEff",),
            ),
            Finding(
                "Bpref-10 orders the runs more as AP does than RankEff",
                "Table 8",
                "",
                "Table 8",
                "tau with AP",
                ("Bpref_10",),
                ("RankEff",),
            ),
            Finding(
                "At 10% the mean of RankEff stays most",
                "Fig. 5",
                "down to 4%",
                "Figs. 5-8",
                "change of the mean at 10%",
                ("AP", "Bpref_10"),
                ("RankEff",),
            ),
            Finding(
                "RankEff keeps the order of the runs better than bpref-10", "Figs. 6-8", "", "Figs. 5-8", "tau", ("RankEff",), ("Bpref_10",)
            ),
            Finding("Bpref-10 keeps the order of the runs better than AP", "Figs. 6-8", "", "Figs. 5-8", "tau", ("Bpref_10",), ("AP",)),
        ),
    )
)
