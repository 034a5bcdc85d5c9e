"""Sakai 2007: usual metrics on lists without unjudged documents, beside bpref and rpref."""

from irmeval.experiments import decisions, incompleteness, significance
from irmeval.papers.base import Exhibit, Paper, add
from irmeval.selection import Selection

NDCG = "nDCG(base=2)@1000"

add(
    Paper(
        name="sakai-2007-bpref",
        title="Sakai 2007, bpref",
        reference="T. Sakai. Alternatives to bpref. SIGIR 2007.",
        asks="Are Q, nDCG and AP on lists without unjudged documents a better answer to incomplete judgments than bpref and its graded form rpref?",
        measures=("AP", "AP'", "Q", "Q'", NDCG, f"{NDCG}'", "Bpref_R", "Bpref_N", "rpref_N", "rpref_relative2"),
        selection=Selection(top_runs=30, best_by="AP"),
        selects="The 30 best runs by AP.",
        exhibits=(
            Exhibit("Table 1", "The collection", "collection"),
            Exhibit("Figs. 1-2", "Mean score and tau as judgments disappear", "incompleteness", incompleteness.Params(), differs="10 samples in place of one; the band shows how much they differ."),
            Exhibit("Table 2", "Agreement of the metrics", "agreement"),
            Exhibit("Table 3", "Discriminative power on all judgments", "significance", significance.Params(), charts=("Sorted p-values",), tables=("Power",)),
            Exhibit("Fig. 3", "Discriminative power as judgments disappear", "decisions", decisions.Params((100.0, 70.0, 50.0, 30.0, 10.0)), charts=("Discriminative power",), tables=("Summary",), differs="10 samples in place of one."),
        ),
    )
)  # fmt: skip
