"""Sakai & Kando 2008: condensed lists, bpref and RBP on four test collections."""

from irmeval.papers.base import Exhibit, Paper, add
from irmeval.selection import Selection

NDCG = "nDCG(base=2)@1000"
RBP = ("RBP(p=0.5)", "RBP(p=0.8)", "RBP(p=0.95)")
WITHOUT = ("Q", "Q'", "AP", "AP'", NDCG, f"{NDCG}'", "Bpref", *RBP[1:])
"""Without RBP(p=0.5), which the paper drops after Table 3."""
ONE_EACH = Selection(per_team="random")
SELECTS = "One run of each team, drawn at random."

add(
    Paper(
        name="sakai-kando-2008",
        title="Sakai & Kando 2008",
        reference="T. Sakai and N. Kando. On information retrieval metrics designed for evaluation with incomplete relevance assessments. "
        "Information Retrieval 11(5), 2008.",
        asks="Do metrics made for incomplete judgments, bpref and RBP, survive them better than usual metrics on lists without "
        "unjudged documents?",
        measures=(*WITHOUT, RBP[0]),
        selection=Selection(random_runs=30),
        selects="30 runs drawn at random.",
        gains={2: "trec", 3: "sab"},
        differs="",
        exhibits=(
            Exhibit("Fig. 1", "One relevant document ever lower", "top-heaviness", measures=("Q", "AP", NDCG, *RBP)),
            Exhibit(
                "Table 1",
                "RBP of ideal lists",
                "ideal-lists",
                measures=("AP",),
                differs="AP, which is 1 for every ideal list, stands beside RBP.",
            ),
            Exhibit("Table 2", "The collection", "collection"),
            Exhibit(
                "Fig. 2",
                "Scores per topic",
                "topics",
                {"by": "AP"},
                charts=("by-run",),
                tables=("runs",),
                selection=ONE_EACH,
                selects=SELECTS,
            ),
            Exhibit("Figs. 3-4", "Mean score as judgments disappear", "incompleteness", charts=("mean",)),
            Exhibit(
                "Table 3",
                "Discriminative power on all judgments",
                "significance",
                charts=("levels",),
                tables=("power",),
                selection=ONE_EACH,
                selects=SELECTS,
            ),
            Exhibit(
                "Figs. 5-6, Tables 4-5",
                "Discriminative power and errors as judgments disappear",
                "decisions",
                measures=WITHOUT,
                charts=("power",),
                tables=("summary", "errors"),
                selection=ONE_EACH,
                selects=SELECTS,
                differs="The required difference on a tenth of the judgments is left out; errors are those at the lowest rate.",
            ),
            Exhibit("Table 6", "Agreement of the metrics", "agreement", measures=WITHOUT),
            Exhibit("Figs. 7-8, Table 7", "Tau as judgments disappear", "incompleteness", measures=WITHOUT, charts=("tau",)),
        ),
    )
)
