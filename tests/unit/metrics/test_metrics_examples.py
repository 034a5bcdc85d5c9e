"""The worked example, by hand: the list n1 S1 u1 B1 n2 u2 A1 n3 where R = 4 (gains 3,
2, 1, 1) and N = 3.
"""

from math import log2

import pytest

import irmeval
from tests.cases import EXAMPLE, EXAMPLE_LIST, one

IDEAL_DCG = 3 + 2 / log2(3) + 1 / 2 + 1 / log2(5)
IDEAL_DCG_2 = 3 + 2 + 1 / log2(3) + 1 / 2

# relevant at ranks 2 4 7, in the condensed list at 2 3 5; cg 3 4 6, cgI 3 5 6 7 7 7 7
BY_HAND = {
    "AP": (1 / 2 + 2 / 4 + 3 / 7) / 4,
    "AP'": (1 / 2 + 2 / 3 + 3 / 5) / 4,
    "AP@4": (1 / 2 + 2 / 4) / 4,
    "P@4": 2 / 4,
    "P@10": 3 / 10,
    "R@4": 2 / 4,
    "Rprec": 2 / 4,
    "RR": 1 / 2,
    "R_cap@3": 1 / 3,
    "F@3": 2 * 1 / (3 + 4),
    "F@10": 2 * 3 / (10 + 4),
    "hits@4": 2,
    "hits": 3,
    "Success@1": 0,
    "Success@2": 1,
    "SetP": 3 / 8,
    "SetR": 3 / 4,
    "SetF": 2 * 3 / (8 + 4),
    "SetF(x=2)": 3 * 3 / (8 + 2 * 4),
    "SetAP": 3 / 8 * 3 / 4,
    "SetRelP": 3 / 4,
    "IPrec(recall=0.5)": 2 / 4,
    "IPrec(recall=0.75)": 3 / 7,
    "AP_11pt": (6 * 1 / 2 + 2 * 3 / 7 + 3 * 0) / 11,
    "RnDCG": (
        (
            0 / 3
            + (3 / log2(3)) / (3 + 2 / log2(3))
            + (3 / log2(3) + 1 / log2(5)) / IDEAL_DCG
            + (3 / log2(3) + 1 / log2(5) + 2 / log2(8)) / IDEAL_DCG
        )
        / 4
    ),
    "NumNonrelRet": 3,
    "nCG@4": 4 / 7,
    "nDCG": (3 / log2(3) + 1 / log2(5) + 2 / log2(8)) / IDEAL_DCG,
    "CG@5": 3 + 1,
    "DCG@4": 3 / log2(3) + 1 / log2(5),
    "DCG(base=2)": 3 + 1 / 2 + 2 / log2(7),
    "nDCG(base=2)": (3 + 1 / 2 + 2 / log2(7)) / IDEAL_DCG_2,
    "nDCG(base=2)'": (3 + 1 / log2(3) + 2 / log2(5)) / IDEAL_DCG_2,
    "AnCG@4": (0 / 3 + 3 / 5 + 3 / 6 + 4 / 7) / 4,
    "AnDCG(base=2)@4": (0 / 3 + 3 / 5 + 3 / (5 + 1 / log2(3)) + 3.5 / (5.5 + 1 / log2(3))) / 4,
    "AWP": (3 / 5 + 4 / 7 + 6 / 7) / 4,
    "RWP": 4 / 7,
    "Q": (4 / 7 + 6 / 11 + 9 / 14) / 4,
    "Q'": (4 / 7 + 6 / 9 + 9 / 12) / 4,
    "R-measure": 6 / 11,
    "O-measure": 4 / 7,
    "P-measure": 4 / 7,
    "P+": 4 / 7,
    "RBP(p=0.5)": (1 / 4 * 3 + 1 / 16 * 1 + 1 / 128 * 2) / 3,
    "RBP_residual(p=0.5)": 1 / 8 + 1 / 64 + 1 / 256,
    "ERR@20": 7 / 8 / 2 + 1 / 8 * 1 / 8 / 4 + 1 / 8 * 7 / 8 * 3 / 8 / 7,
    "ERR(top=4)@20": 7 / 16 / 2 + 9 / 16 * 1 / 16 / 4 + 9 / 16 * 15 / 16 * 3 / 16 / 7,
    "ERR(top=2)": 3 / 4 / 2 + 1 / 4 * 1 / 4 / 4 + 1 / 4 * 3 / 4 * 3 / 4 / 7,
    "Bpref": (2 / 3 + 2 / 3 + 1 / 3) / 4,
    "Bpref_R": (3 / 4 + 3 / 4 + 2 / 4) / 4,
    "Bpref_N": (2 / 3 + 2 / 3 + 1 / 3) / 4,
    "RankEff": (2 / 3 + 2 / 3 + 1 / 3) / 4,
    "Bpref_10": (13 / 14 + 13 / 14 + 12 / 14) / 4,
    "Bpref_old": (2 / 3 + 2 / 3 + 1 / 3) / 4,
    "Bpref_relative": (0 / 1 + 1 / 2 + 2 / 4) / 4,
    "Bpref_relative2": (1 / 2 + 2 / 3 + 3 / 5) / 4,
    "rpref_N": (3 * (1 - 1 / (14 / 3)) + 1 * (1 - 1 / (14 / 3)) + 2 * (1 - 2.5 / (14 / 3))) / 7,
    "rpref_relative": (3 * 0 + 1 * (1 - 1 / 2) + 2 * (1 - 2.5 / 4)) / 7,
    "rpref_relative2": (3 * (1 - 1 / 2) + 1 * (1 - 1 / 3) + 2 * (1 - 2.5 / 5)) / 7,
    "infAP": (
        (
            1 / 2
            + 0.5 * 1e-5 / (1 + 2e-5)
            + 1 / 4
            + 0.5 * (1 + 1e-5) / (2 + 2e-5)
            + 1 / 7
            + 4 / 7 * (2 + 1e-5) / (4 + 2e-5)
        )
        / 4
    ),
    "subAP": (1 / 2 + 2 / 4 + 3 / 7) / 4,
    "xinfAP": (
        (
            1 / 2
            + (0 + 1e-5) / (1 + 3e-5) / 2
            + 1 / 4
            + 2 * (1 + 1e-5) / (2 + 3e-5) / 4
            + 1 / 7
            + 4 * (2 + 1e-5) / (4 + 3e-5) / 7
        )
        / 4
    ),
    "infNDCG": (3 / log2(3) + 1 / log2(5) + 2 / log2(8)) / IDEAL_DCG,
    "infP@4": 3 * (2 + 1e-5) / (3 + 3e-5) / 4,
    "statAP": (1 / 2 + 2 / 4 + 3 / 7) / 4,
    "statP@4": 2 / 4,
    "statDCG": 3 / log2(3) + 1 / log2(5) + 2 / log2(8),
    "statNDCG@3": (3 / log2(3)) / (3 + 2 / log2(3) + 1 / 2),
    "statRBP(p=0.5)": (1 / 4 * 3 + 1 / 16 * 1 + 1 / 128 * 2) / 3,
    "infNumRelRet": 6 * (3 + 1e-5) / (6 + 3e-5),
    "statR": 4,
    "Judged@4": 3 / 4,
    "NumRet": 8,
    "NumRel": 4,
    "NumRelRet": 3,
    "NumUnjudged": 2,
}

AS_PUBLISHED = {
    "AP": 0.357143,
    "AP'": 0.441667,
    "Q": 0.439935,
    "Q'": 0.497024,
    "nDCG": 0.575852,
    "nDCG(base=2)": 0.687076,
    "nDCG(base=2)'": 0.732725,
    "nCG@4": 0.571429,
    "AnCG@4": 0.417857,
    "AnDCG(base=2)@4": 0.425912,
    "R-measure": 0.545455,
    "P+": 0.571429,
    "RBP(p=0.5)": 0.276042,
    "RBP_residual(p=0.5)": 0.144531,
    "ERR@20": 0.447266,
    "Bpref": 0.416667,
    "Bpref_R": 0.5,
    "Bpref_N": 0.416667,
    "Bpref_10": 0.678571,
    "Bpref_relative": 0.25,
    "rpref_N": 0.581633,
    "rpref_relative": 0.178571,
    "rpref_relative2": 0.452381,
    "infAP": 0.357144,
}
"""To six decimals, worked out apart from this project."""

# n3 not retrieved, B2 no longer judged, A1 in the pool but never judged: R = 2, N = 3, 5 of 7
# pooled documents are judged
REDUCED = EXAMPLE | {"A1": -1, "B2": -1}
ON_REDUCED = {
    "AP": (1 / 2 + 2 / 4) / 2,
    "Bpref": (1 / 2 + 1 / 2) / 2,
    "Bpref_old": (1 / 2 + 1 / 2) / 2,
    "Bpref_N": (2 / 3 + 2 / 3) / 2,
    "subAP": (1 / 2 + 2 / (1 + 2 + 5 / 7)) / 2,
    "statP@4": 2 * 7 / 5 / 4,
    "statR": 2 * 7 / 5,
    "statRBP(p=0.5)": 7 / 5 * (1 / 4 * 3 + 1 / 16 * 1) / 3,
    "statAP": (7 / 5 / 2 + (7 / 5 + 7 * 6 / (5 * 4)) / 4) / (2 * 7 / 5),
    "infNDCG": 5 / 4 * (3 / log2(3) + 1 / log2(5)) / (3 + 1 / log2(3)),
    "Judged@7": 4 / 7,
    "NumRel": 2,
    "NumRelRet": 2,
    "NumUnjudged": 3,
    "P-measure": (3 + 1) / (4 + 2),
    "P+": (3 + 1) / (4 + 2),
}


@pytest.mark.parametrize("name", irmeval.METRICS)
def test_metric_when_registered_then_has_a_worked_example(name):
    assert name in {irmeval.measure(text).metric.name for text in BY_HAND}


@pytest.mark.parametrize("text", BY_HAND)
def test_worked_example_when_scored_then_is_what_the_fractions_say(text):
    assert one(text, EXAMPLE_LIST) == pytest.approx(BY_HAND[text], rel=0, abs=1e-12)


@pytest.mark.parametrize("text", AS_PUBLISHED)
def test_worked_example_when_rounded_then_is_what_was_published(text):
    assert round(one(text, EXAMPLE_LIST), 6) == AS_PUBLISHED[text]


@pytest.mark.parametrize("text", ON_REDUCED)
def test_worked_example_when_judgments_are_missing_then_is_what_the_fractions_say(text):
    assert one(text, EXAMPLE_LIST[:7], REDUCED) == pytest.approx(ON_REDUCED[text], rel=0, abs=1e-12)


def test_old_bpref_when_few_nonrelevant_are_retrieved_then_is_lower_than_bpref():
    # N = 3, of which one is retrieved: the old scale is 1, the present one min(R, N) = 3
    assert one("Bpref_old", ["n1", "S1", "A1"]) == 0
    assert one("Bpref", ["n1", "S1", "A1"]) == pytest.approx(2 * (1 - 1 / 3) / 4)


def test_p_measures_when_the_best_document_comes_late_then_differ():
    ranking = ["B1", "n1", "S1", "A1"]
    assert one("P-measure", ranking) == pytest.approx((4 + 2) / (6 + 3))
    assert one("O-measure", ranking) == pytest.approx((1 + 1) / (3 + 1))
    assert one("P+", ranking) == pytest.approx(((1 + 1) / (3 + 1) + (4 + 2) / (6 + 3)) / 2)


# pyNTCIREVAL's own sample: 3 documents of level 3, 3 of level 2, 4 of level 1, one nonrelevant
SAMPLE = (
    {f"L3{i}": 3 for i in "abc"}
    | {f"L2{i}": 2 for i in "abc"}
    | {f"L1{i}": 1 for i in "abcd"}
    | {"L0": 0}
)
SAMPLE_LIST = ["L0", "L3a", "u", "L2a"]
SAMPLE_SCORES = {
    "RR": 0.5,
    "O-measure": 0.5,
    "P-measure": 0.5,
    "P+": 0.5,
    "AP": 0.1,
    "Q": 0.0967,
    "RBP(p=0.95)": 0.0761,
    "nDCG(base=2)@1000": 0.3380,
    "nDCG@1000": 0.2760,
    "nDCG(base=2)@2": 0.5,
    "nDCG@2": 0.3869,
    "AP'": 0.1167,
    "Q'": 0.1083,
    "RBP(p=0.95)'": 0.0776,
    "nDCG(base=2)@1000'": 0.3601,
    "nDCG@1000'": 0.2899,
    "Bpref": 0.0,
    "Bpref_R": 0.18,
    "Bpref_N": 0.0,
    "Bpref_relative": 0.05,
    "rpref_N": 0.2068,
    "rpref_relative": 0.0526,
    "rpref_relative2": 0.1491,
}


@pytest.mark.parametrize("text", SAMPLE_SCORES)
def test_ntcireval_sample_when_scored_then_is_its_golden_value(text):
    assert one(text, SAMPLE_LIST, SAMPLE) == pytest.approx(
        SAMPLE_SCORES[text], rel=0, abs=5.0001e-5
    )


# ranx 0.3.21 on the worked example and a second topic: its names, and its scores on both
RANX_TOPIC = {"a": 2, "b": 1, "c": 1, "d": 0}
RANX = {
    "dcg@4": (2.3234658187877653, 1.8613531161467862),
    "dcg": (2.9901324854544318, 1.8613531161467862),
    "dcg@4-l2": (1.8927892607143724, 0.8613531161467861),
    "hits@4": (2.0, 2.0),
    "hits": (3.0, 2.0),
    "f1@3": (0.28571428571428575, 0.3333333333333333),
    "f1@10": (0.4285714285714285, 0.30769230769230765),
    "f1": (0.5, 0.5714285714285715),
    "map@100-l2": (0.39285714285714285, 0.25),
    "ndcg@4-l2": (0.44412286644879784, 0.43067655807339306),
    "ndcg@4": (0.4474626251230429, 0.5945049115278096),
    "mrr-l2": (0.5, 0.25),
    "precision@3-l2": (0.3333333333333333, 0.0),
    "recall@5-l2": (0.5, 1.0),
    "r-precision-l2": (0.5, 0.0),
    "hit_rate@2-l2": (1.0, 0.0),
}


@pytest.mark.parametrize("text", RANX)
def test_ranx_names_when_scored_then_are_its_values(text):
    found = one(text, EXAMPLE_LIST), one(text, ["b", "u", "d", "a"], RANX_TOPIC)
    assert found == pytest.approx(RANX[text], rel=0, abs=1e-12)
