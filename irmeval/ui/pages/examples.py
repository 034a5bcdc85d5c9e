"""The lists from which the lab can start: what each shows, and what to try with it."""

from typing import NamedTuple

from irmeval.experiments.learn.lab import Params


class Example(NamedTuple):
    """A list that shows something, with the measures that it is about."""

    title: str
    params: Params
    measures: tuple[str, ...]
    look: str
    """what to look at, and what to try next"""


EXAMPLES = {
    "graded": Example(
        "A list with everything in it",
        Params(),
        ("AP", "Q", "nDCG", "Bpref", "RBP(p=0.5)"),
        "Three grades, nonrelevant and unjudged documents, and one relevant document missed. The condensed score is that of the list "
        "without its unjudged documents: the relevant ones below them move up, so it is never lower here. Turn an x into a 0 and the "
        "two columns come closer.",
    ),
    "unjudged": Example(
        "Unjudged documents on top",
        Params("x-x-x-1-1-0", "1-0-0", 3, 4, 1, 4),
        ("AP", "Q", "nDCG", "Bpref", "infAP"),
        "A new system found documents that nobody judged. Raw measures count them as nonrelevant, condensed ones as if they were not "
        "there; bpref is condensed by nature. Turn an x into a u: only infAP and subAP treat the two differently.",
    ),
    "swap": Example(
        "AP and RankEff see every such swap",
        Params("0-1-0-0-1-0", "1-0-0", 1, 2, 4, 5),
        ("AP", "RankEff", "Bpref_10"),
        "Ahlgren & Grönqvist's property SWAP: when a relevant document changes places with a nonrelevant one above it, the score must "
        "rise. They prove it for RankEff and AP (Propositions 1 and 2). Here it is tried at two places; try any two such ranks: both rise.",
    ),
    "bpref10": Example(
        "Bpref_10 may miss such a swap",
        Params("0-0-0-0-0-0-0-0-0-0-0-0-0-1", "-", 13, 14, 10, 14),
        ("AP", "RankEff", "Bpref_10", "Bpref"),
        "Proposition 3: the same kind of swap, with more than 10 + R nonrelevant documents above. Bpref_10 sees the first 10 + R, so the "
        "relevant document is as lost after the swap of 13 and 14 as before. By that of 10 and 14 it rises too.",
    ),
    "relative": Example(
        "An ideal list that bpref_relative punishes",
        Params("1-1-0-0-0", "0-0", 2, 3, 1, 3),
        ("Bpref_relative", "Bpref_relative2", "rpref_relative", "AP"),
        "Every relevant document is on top, yet Bpref_relative scores (R-1)/R: a relevant document at rank 1 has nothing above it to "
        "be compared with, and adds nothing. With a single relevant document, an ideal list scores 0. Bpref_relative2 fixes this, and is "
        "AP'.",
    ),
    "ndcg": Example(
        "nDCG with base 2 cannot tell rank 1 from 2",
        Params("1-0-0-0-0", "1", 1, 2, 1, 3),
        ("nDCG(base=2)", "nDCG", "AP", "RBP(p=0.95)"),
        "The original discount starts below rank a, the base. With a = 2 the first two ranks weigh the same; a larger base "
        "makes more of them equal: to rank 3 the document falls by every measure. The common form, 1/log2(r+1), has no such gap.",
    ),
    "topheavy": Example(
        "RankEff and bpref are not top-heavy",
        Params("0-1-1-0-1-1-0-1-0-1", "1-0-0-0", 1, 2, 9, 10),
        ("RankEff", "Bpref", "Bpref_10", "AP", "Q", "nDCG"),
        "Moving a relevant document past one nonrelevant one is worth the same at any rank to RankEff, and to bpref while it looks "
        "that far down: compare what the two swaps do. To AP, Q and nDCG the top is worth more. Bpref looks at the first R nonrelevant "
        "documents only: put four more 0 on top, and the lower swap is worth nothing to it.",
    ),
    "rbp": Example(
        "RBP of an ideal list is below 1",
        Params("1-0-0-0-0-0", "-", 1, 2, 1, 6),
        ("RBP(p=0.95)", "RBP(p=0.5)", "AP", "nDCG"),
        "The only relevant document is on top; nothing could be better. RBP scores 1 - p: with p = .95 a mere .05, as it owes "
        "nothing to how many relevant documents there are. Add relevant documents on top and see it climb.",
    ),
}
