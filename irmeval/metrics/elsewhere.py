"""Measures of other programs: names for several measures, and names without a metric
here, with the replacement.
"""

from irmeval.core.written import EXPONENTIAL

USUAL_CUTOFFS = "5,10,15,20,30,100,200,500,1000"
CUTOFFS = {
    "iprec_at_recall": "0,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1",
    "recall": USUAL_CUTOFFS,
    "ndcg_cut": USUAL_CUTOFFS,
    "map_cut": USUAL_CUTOFFS,
    "relative_P": USUAL_CUTOFFS,
    "success": "1,5,10",
}
"""trec_eval's names for several measures, each with its default cut-offs or levels of
recall.
"""
OFFICIAL = (
    "num_ret",
    "num_rel",
    "num_rel_ret",
    "map",
    "Rprec",
    "bpref",
    "recip_rank",
    "iprec_at_recall",
    f"P.{USUAL_CUTOFFS}",
)
OF_SETS = ("set_P", "set_relative_P", "set_recall", "set_map", "set_F")
LISTS = {
    "official": OFFICIAL,
    "set": OF_SETS,
    "all_trec": (
        *OFFICIAL,
        *(
            "recall",
            "infAP",
            "11pt_avg",
            "ndcg",
            "Rndcg",
            "ndcg_cut",
            "map_cut",
            "relative_P",
            "success",
        ),
        *OF_SETS,
        "num_nonrel_judged_ret",
    ),
}
"""Names of the measures in trec_eval's names for several, without those in
`REASONS`.
"""

BY_LEVEL = {"NumRet": "NumRelRet"}
"""Metrics independent of a relevance level, with what ir_measures counts if one is
given.
"""
GEOMETRIC = '{0} with --aggregate geometric; in Python score {0}, and take scores.mean("geometric")'
VARIANT = "an experimental variant that papers do not report"
SUBTOPICS = "needs judgments by subtopic"
BY_CWL = "a user model of cwl_eval's, not in the five papers"
OF_TOPICS = "not a score: every mean shows its number of topics"
REASONS = {
    "trec_eval": {
        "gm_map": GEOMETRIC.format("AP"),
        "gm_bpref": GEOMETRIC.format("Bpref"),
        "num_q": OF_TOPICS,
        "runid": "not a score: the name of the run",
        "relstring": "not a score: the relevance of the top documents, shown by *Topics*",
        "utility": (
            "a sum with four costs that each user sets; its parts are NumRelRet and NumNonrelRet"
        ),
        "G": VARIANT,
        "binG": VARIANT,
        "ndcg_rel": VARIANT,
        "Rprec_mult": VARIANT,
    },
    "ir_measures": {
        **dict.fromkeys(
            (
                "AP_IA",
                "MAP_IA",
                "ERR_IA",
                "P_IA",
                "NRBP",
                "nNRBP",
                "StRecall",
                "alpha_DCG",
                "alpha_nDCG",
                "nERR_IA",
                "α_DCG",
                "α_nDCG",
            ),
            SUBTOPICS,
        ),
        **dict.fromkeys(
            ("BPM", "INSQ", "INST", "NERR8", "NERR9", "NERR10", "NERR11", "SDCG"), BY_CWL
        ),
        "Accuracy": "a share of pairs of judged documents, as Bpref_N is",
        "Compat": "compares with an ideal order, not with grades",
        "NumQ": OF_TOPICS,
    },
    "ranx": {
        "ndcg_burges": f"nDCG with gains of 2^grade - 1: nDCG with --gains {EXPONENTIAL}",
        "dcg_burges": f"DCG with gains of 2^grade - 1: DCG with --gains {EXPONENTIAL}",
    },
    "BEIR": {"hole": "the share of the top k that is not judged: 1 less Judged@k"},
}
"""Measures by program that are not separate metrics here, with the reason or
replacement.
"""
