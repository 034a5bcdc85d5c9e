"""Estimates from samples: what holds over all possible samples."""

import itertools

import numpy as np
import pytest
from hypothesis import given

import irmeval
from tests.cases import EXAMPLE, EXAMPLE_LIST, cases, collection, in_strata

# ---------------------------------------------------------------- over all samples

SUMS = ["statP@4", "statDCG", "statRBP(p=0.8)", "statR"]
TRUTH = ["P@4", "nDCG", "RBP(p=0.8)", "NumRel"]


def every_sample(sizes):
    """All grade vectors with so many documents drawn of each stratum, and the
    collection. Odd and even documents are apart.
    """
    grades = dict(EXAMPLE, A2=2, n4=0)
    stratum = {document: "even" if i % 2 else "odd" for i, document in enumerate(grades)}
    ranking = ["n4", *EXAMPLE_LIST, "A2"]
    built = in_strata(collection({"1": grades}, {"run": {"1": ranking}}), stratum.__getitem__)
    strata = [np.flatnonzero(built.design.stratum == s) for s in range(built.design.S)]
    vectors = []
    for kept in itertools.product(
        *(itertools.combinations(members, n) for members, n in zip(strata, sizes, strict=True))
    ):
        vector = np.full(built.grade.size, -1, built.grade.dtype)
        drawn = np.concatenate(kept).astype(int)
        vector[drawn] = built.grade[drawn]
        vectors.append(vector)
    return built, vectors


@pytest.mark.parametrize("sizes", [(2, 1), (3, 2), (4, 4), (1, 3)])
def test_sums_when_averaged_over_all_samples_then_are_the_truth(sizes):
    built, vectors = every_sample(sizes)
    found = np.array(
        [irmeval.evaluate(built, SUMS, grades=vector).values[:, 0, 0] for vector in vectors]
    )
    truth = irmeval.evaluate(built, TRUTH).values[:, 0, 0]
    gain = {
        document: max(grade, 0)
        for document, grade in zip(built.documents.to_pylist(), built.grade.tolist(), strict=True)
    }
    ranks = dict(zip(["n4", *EXAMPLE_LIST, "A2"], range(1, 11), strict=False))
    truth[1] = sum(g / np.log2(ranks[d] + 1) for d, g in gain.items() if d in ranks)
    np.testing.assert_allclose(np.nan_to_num(found).mean(axis=0), truth, rtol=0, atol=1e-12)


@pytest.mark.parametrize("sizes", [(2, 2), (3, 2), (4, 3)])
def test_pairs_of_statap_when_averaged_over_all_samples_then_are_those_of_ap(sizes):
    """The sum of precisions is unbiased; AP itself is a ratio, and is not."""
    built, vectors = every_sample(sizes)
    found = np.nan_to_num(
        [
            np.prod(irmeval.evaluate(built, ["statAP", "statR"], grades=vector).values[:, 0, 0])
            for vector in vectors
        ]
    )
    assert found.mean() == pytest.approx(
        np.prod(irmeval.evaluate(built, ["AP", "NumRel"]).values[:, 0, 0]), abs=1e-12
    )


EXACT = {
    "statP@5": "P@5",
    "statNDCG@5": "nDCG@5",
    "statRBP(p=0.9)": "RBP(p=0.9)",
    "statR": "NumRel",
    "statAP": "AP",
    "infNDCG": "nDCG",
}
SMOOTHED = {"xinfAP": "infAP", "infP@5": "P@5"}


@given(case=cases())
def test_estimators_when_the_whole_pool_is_drawn_then_are_the_measures_themselves(case):
    judged = case._replace(
        judgments={
            t: {d: max(g, 0) for d, g in grades.items()} for t, grades in case.judgments.items()
        }
    )
    built = in_strata(judged.collection(), lambda d: str(int(d[1:]) % 3))
    for pairs, tolerance in ((EXACT, 1e-12), (SMOOTHED, 1e-4)):
        estimates, truth = (
            irmeval.evaluate(built, list(names)).values for names in (pairs, pairs.values())
        )
        np.testing.assert_allclose(estimates, truth, rtol=0, atol=tolerance)


@given(case=cases())
def test_estimates_when_strata_have_other_names_and_numbers_then_stay(case):
    built = in_strata(case.collection(), lambda d: "odd" if int(d[1:]) % 2 else "even")
    other = in_strata(case.collection(), lambda d: "b" if int(d[1:]) % 2 else "z")
    before, after = (
        irmeval.evaluate(c, [*EXACT, *SMOOTHED], grades=case.grades(c)).values
        for c in (built, other)
    )
    np.testing.assert_allclose(after, before, rtol=0, atol=1e-12)
