"""Sakai 2007: usual metrics on lists without unjudged documents, beside bpref and rpref."""

from irmeval.papers.base import Exhibit, Paper, add
from irmeval.selection import Selection

NDCG = "nDCG(base=2)@1000"
REDUCED = ("AP", "AP'", "Q", "Q'", NDCG, f"{NDCG}'", "Bpref_R", "rpref_relative2")
"""What the paper goes on with on reduced judgments: Bpref_N and rpref_N are left behind."""

add(
    Paper(
        name="sakai-2007-bpref",
        title="Sakai 2007, bpref",
        reference="T. Sakai. Alternatives to bpref. SIGIR 2007.",
        asks="Are Q, nDCG and AP on lists without unjudged documents a better answer to incomplete judgments than bpref and "
        "its graded form rpref?",
        measures=(*REDUCED, "Bpref_N", "rpref_N"),
        selection=Selection(top_runs=30, best_by="AP"),
        selects="The 30 best runs by AP.",
        gains={3: "sab"},
        differs="",
        exhibits=(
            Exhibit("Table 1", "The collection", "collection"),
            Exhibit(
                "Figs. 1-2",
                "Mean score and tau as judgments disappear",
                "incompleteness",
                measures=REDUCED,
            ),
            Exhibit("Table 2", "Agreement of the metrics", "agreement"),
            Exhibit("Table 3", "Discriminative power on all judgments", "significance", charts=("levels",), tables=("power",)),
            Exhibit(
                "Fig. 3",
                "Discriminative power as judgments disappear",
                "decisions",
                {"rates": (100.0, 70.0, 50.0, 30.0, 10.0)},
                REDUCED,
                ("power",),
                ("summary",),
            ),
        ),
    )
)
