"""Identities and propositions of the papers."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import irmeval
from tests.cases import EXAMPLE, cases, collection, one


def scores(case, *measures):
    return irmeval.evaluate(case.collection(), measures).values


def binary(case):
    """The case with one level of relevance."""
    flat = [
        {t: {d: min(g, 1) for d, g in grades.items()} for t, grades in found.items()}
        for found in (case.judgments, case.kept)
    ]
    return case._replace(judgments=flat[0], kept=flat[1])


def all_judged(case):
    """The case without the retrieved documents that are unjudged."""
    lists = {
        run: {t: [d for d in r if case.judgments[t].get(d, -1) >= 0] for t, r in topics.items()}
        for run, topics in case.rankings.items()
    }
    assume(all(any(topics.values()) for topics in lists.values()))
    return case._replace(rankings=lists)


def assert_same(a, b, tolerance=1e-9):
    np.testing.assert_allclose(a, b, rtol=0, atol=tolerance)


SAME = {"Bpref_relative2": "AP'", "RankEff": "Bpref_N", "Q(beta=0)": "AP"}
SAME_IF_BINARY = {
    "rpref_N": "Bpref_N",
    "rpref_relative": "Bpref_relative",
    "rpref_relative2": "AP'",
    "R-measure": "Rprec",
    "RWP": "Rprec",
}
"""Measures of which a paper proves that they are one."""


@given(cases())
def test_measures_when_a_paper_proves_them_the_same_then_are(case):
    for same, judged in ((SAME, case), (SAME_IF_BINARY, binary(case))):
        built = judged.collection()
        for grades in (None, judged.grades(built)):
            values = irmeval.evaluate(
                built, [*dict.fromkeys([*same, *same.values()])], grades=grades
            )
            found = dict(zip(map(str, values.measures), values.values, strict=True))
            for a, b in same.items():
                np.testing.assert_allclose(
                    found[a], found[b], rtol=0, atol=1e-9, err_msg=f"{a} and {b}"
                )


@given(cases())
def test_bpref_when_as_many_nonrelevant_as_relevant_are_judged_then_is_bpref_r(case):
    built = case.collection()
    R = np.bincount(built.topic, built.grade > 0, len(built.topics))
    N = np.bincount(built.topic, built.grade == 0, len(built.topics))
    bpref, bpref_r = irmeval.evaluate(built, ["Bpref", "Bpref_R"]).values
    assert_same(bpref[:, N >= R], bpref_r[:, N >= R])


@given(cases())
def test_q_when_binary_then_is_ap_if_and_only_if_nothing_relevant_is_below_rank_r(case):
    case = binary(case)
    built = case.collection()
    q, ap = irmeval.evaluate(built, ["Q", "AP"]).values
    for run, topics in enumerate(built.runs):
        for t, topic in enumerate(built.topics):
            R = sum(g > 0 for g in case.judgments[topic].values())
            below = [
                d
                for d in case.rankings[topics].get(topic, [])[R:]
                if case.judgments[topic].get(d, -1) > 0
            ]
            if R:
                difference = q[run, t] - ap[run, t]
                assert difference > 1e-9 if below else abs(difference) < 1e-12


PRIMED = [m.example for m in irmeval.METRICS.values() if m.primed]


@given(cases())
def test_condensed_when_every_retrieved_document_is_judged_then_is_raw(case):
    case = all_judged(case)
    assert_same(scores(case, *PRIMED), scores(case, *(f"{m}'" for m in PRIMED)))


@given(cases())
def test_subcollection_and_inferred_ap_when_the_whole_pool_is_judged_then_are_ap(case):
    judged = {t: {d: max(g, 0) for d, g in grades.items()} for t, grades in case.judgments.items()}
    case = case._replace(judgments=judged)
    assert_same(*scores(case, "subAP", "AP"))
    assert_same(*scores(all_judged(case), "infAP", "AP"), tolerance=1e-5)  # its epsilon


@pytest.mark.parametrize(
    ("p", "R", "expected"),
    [(0.95, 10, 0.4013), (0.95, 100, 0.9941), (0.95, 1, 0.05), (0.5, 1, 0.5)],
)
def test_rbp_when_the_list_is_ideal_then_is_1_minus_p_to_the_r(p, R, expected):
    relevant = {f"d{i:03}": 1 for i in range(R)}
    score = one(f"RBP(p={p:g})", list(relevant), relevant)
    assert score == pytest.approx(1 - p**R, abs=1e-12)
    assert round(score, 4) == expected


def test_flawed_relatives_when_the_list_is_ideal_then_lack_its_first_document():
    ranking = ["S1", "A1", "B1", "B2", "n1"]
    assert one("Bpref_relative", ranking) == pytest.approx((4 - 1) / 4)
    assert one("rpref_relative", ranking) == pytest.approx((7 - 3) / 7)


def test_ndcg_with_base_2_when_rank_1_and_2_are_swapped_then_stays():
    assert one("nDCG(base=2)", ["S1", "n1", "A1"]) == one("nDCG(base=2)", ["n1", "S1", "A1"])
    assert one("nDCG", ["S1", "n1", "A1"]) > one("nDCG", ["n1", "S1", "A1"])


@given(ranking=st.permutations(list(EXAMPLE)), data=st.data())
def test_swap_when_a_relevant_document_rises_over_a_nonrelevant_one_then_ap_and_rankeff_rise(
    ranking, data
):
    pairs = [
        (i, j) for j in range(7) for i in range(j) if EXAMPLE[ranking[j]] > 0 == EXAMPLE[ranking[i]]
    ]
    assume(pairs)
    i, j = data.draw(st.sampled_from(pairs))
    swapped = list(ranking)
    swapped[i], swapped[j] = ranking[j], ranking[i]
    built = collection({"1": EXAMPLE}, {"1 before": {"1": ranking}, "2 after": {"1": swapped}})
    values = irmeval.evaluate(built, ["AP", "RankEff", "Bpref_10"]).values[:, :, 0]
    assert (values[:2, 1] > values[:2, 0] + 1e-9).all()
    assert values[2, 1] >= values[2, 0]


def test_swap_when_more_than_10_plus_r_nonrelevant_stand_above_then_bpref_10_stays():
    grades = {f"n{i:02}": 0 for i in range(13)} | {"S": 1}
    above = [f"n{i:02}" for i in range(13)]
    before, after = [*above, "S"], [*above[:12], "S", above[12]]
    assert one("Bpref_10", before, grades) == one("Bpref_10", after, grades) == 0
    assert one("AP", after, grades) > one("AP", before, grades)
    assert one("RankEff", after, grades) > one("RankEff", before, grades)


def test_rbp_and_residual_when_every_unjudged_document_turns_out_best_then_add_up():
    grades = {"S1": 3, "B1": 1, "n1": 0, "best": 3}
    ranking = ["n1", "u1", "S1", "u2", "B1"]
    low, residual = one("RBP(p=0.8)", ranking, grades), one("RBP_residual(p=0.8)", ranking, grades)
    high = one("RBP(p=0.8)", ranking, grades | {"u1": 3, "u2": 3})
    assert low + residual == pytest.approx(high + 0.8**5)


@given(cases())
def test_counts_when_added_then_make_up_the_list(case):
    built = case.collection()
    grades = case.grades(built)
    retrieved, unjudged, found, rel = irmeval.evaluate(
        built, ["NumRet", "NumUnjudged", "NumRelRet", "NumRel"], grades=grades
    ).values
    scored = ~np.isnan(rel)
    assert (retrieved[scored] >= unjudged[scored] + found[scored]).all()
    assert (found[scored] <= rel[scored]).all()
    assert_same(retrieved[scored], built.length.reshape(retrieved.shape)[scored])
