"""The metric lab: one list, every measure, what each rank adds, what a swap does."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import irmeval
from irmeval.experiments.learn.lab import KINDS, LONGEST, Params, lab, parse, written
from tests.cases import collection
from tests.cases import measures as tried

EVERY = [m.example for m in irmeval.METRICS.values()]
lists = st.lists(st.sampled_from(list(KINDS)), max_size=12).map(written)


def params(text: str, rest: str, **more: int) -> Params:
    assume(set(text + rest) & set("0123u"))
    return Params(text, rest, **more)


def graded(result):
    """Grade of each document of the list; -1 where unjudged."""
    return np.array([int(d) if d in "0123" else -1 for d in result.documents])


def test_worked_example_when_opened_then_scores_are_those_of_the_papers():
    result = lab(None, ["AP", "Q", "nDCG(base=2)", "RBP(p=0.5)", "Bpref", "infAP"])
    expected = {
        "AP": (0.357143, 0.441667),
        "Q": (0.439935, 0.497024),
        "nDCG(base=2)": (0.687076, 0.732725),
        "RBP(p=0.5)": (0.276042, 0.3125),
        "Bpref": (0.416667, None),
    }
    for one in result.measures[:5]:
        assert result.score(one) == pytest.approx(expected[str(one)], abs=1e-6)
    assert result.score(result.measures[5])[0] == pytest.approx(0.357144, abs=1e-6)


@given(lists, lists)
def test_scores_when_compared_with_an_evaluation_of_the_same_list_then_are_equal(text, rest):
    result = lab(None, EVERY, params(text, rest))
    assume(result.documents)  # a data frame cannot say that a run is empty
    names = [f"d{i}" for i in range(len(result.documents))]
    grades = {
        n: int(g)
        for n, d, g in zip(names, result.documents, graded(result), strict=True)
        if d != "x"
    }
    grades |= {f"r{i}": -1 if d == "u" else int(d) for i, d in enumerate(result.rest)}
    expected = irmeval.evaluate(
        collection({"1": grades}, {"run": {"1": names}}), result.scores.measures
    )
    np.testing.assert_allclose(
        result.scores.values[:, 0, 0], expected.values[:, 0, 0], rtol=0, atol=1e-12
    )


@settings(max_examples=12)  # each of which is tried with every metric at every parameter
@given(text=lists, rest=lists)
def test_adds_when_summed_then_is_the_score_of_every_metric(text, rest):
    result = lab(None, [m for name in irmeval.METRICS for m in tried(name)], params(text, rest))
    added, scores, stepped = {}, {}, set()
    for one in result.measures:
        raw, condensed = result.score(one)
        added[one], added[f"{one}'"] = result.score(one, f"cut {len(result.documents)}")
        if one.metric not in stepped:  # how the table is made does not depend on the parameters
            stepped.add(one.metric)
            steps = result.steps(one)
            added[one] = result.start(one) + steps["adds"].to_numpy().sum()
            if condensed is not None and not np.isnan(condensed):
                added[f"{one}'"] = np.nansum(steps["adds'"].to_numpy())
        scores |= {one: raw, f"{one}'": condensed}
    added, scores = (
        [np.nan if value is None else value for value in found.values()]
        for found in (added, scores)
    )
    np.testing.assert_allclose(added, scores, rtol=0, atol=1e-9, err_msg=f"{result.measures}")


@given(lists, lists)
def test_adds_when_compared_with_the_terms_on_paper_then_are_equal(text, rest):
    result = lab(None, ["AP", "Q(beta=10)", "RBP(p=0.8)", "rpref_N"], params(text, rest))
    every = [int(d) for d in (*result.documents, *result.rest) if d in "123"]
    assume(every)
    R, H, total = len(every), max(every), sum(every)
    N = [*result.documents, *result.rest].count("0")
    rank = np.arange(1, len(result.documents) + 1)
    ap, q, rbp, rpref = (result.steps(one) for one in result.measures)
    relevant = ap["gain"] > 0
    terms = [
        (ap, "adds", relevant * ap["P"] / R),
        (ap, "adds'", (relevant * ap["P'"] / R)),
        (q, "adds", relevant * q["BR"] / R),
        (q, "adds'", relevant * q["BR'"] / R),
        (rbp, "adds", 0.2 * rbp["gain"] / H * 0.8 ** (rank - 1)),
    ]
    scale = R + N - total / H
    if scale > 0:
        terms.append(
            (rpref, "adds", (rpref["gain"] * (1 - rpref["penalty'"].fillna(0) / scale)) / total)
        )
    for steps, column, term in terms:
        seen = steps[column].notna()
        np.testing.assert_allclose(steps[column][seen], term[seen], rtol=0, atol=1e-12)


@given(lists, lists, st.data())
def test_swap_when_a_relevant_document_passes_a_nonrelevant_one_then_ap_and_rankeff_rise(
    text, rest, data
):
    """Propositions 1 and 2 of Ahlgren & Grönqvist 2008."""
    documents = parse(text)
    pairs = [
        (i, j)
        for i, d in enumerate(documents)
        for j, e in enumerate(documents)
        if i < j and d == "0" and e in "123"
    ]
    assume(pairs)
    i, j = data.draw(st.sampled_from(pairs))
    moves = lab(None, ["AP", "RankEff", "Bpref_10"], params(text, rest, a=j + 1, b=i + 1)).moves()
    assert {"AP", "RankEff"} <= set(moves["up"])
    assert moves["down"] == []


@given(st.lists(st.sampled_from(list(KINDS)), max_size=LONGEST))
def test_list_when_written_then_reads_back(documents):
    assert parse(written(documents)) == tuple(documents)


@pytest.mark.parametrize(
    ("text", "rest", "said"),
    [
        ("0-4", "1", "found '4'"),
        ("0-1-", "a", "found 'a'"),
        ("-".join("0" * 31), "1", "found 31"),
        ("x-x", "-", "at least one document"),
    ],
)
def test_list_when_it_is_none_then_the_reason_is_said(text, rest, said):
    with pytest.raises(irmeval.ParamError, match=said):
        Params(text, rest)


def test_list_when_nothing_is_relevant_then_the_sentence_says_so_and_nothing_fails():
    result = lab(None, EVERY, Params("0-u-x", "0"))
    assert "No document is relevant" in result.headline()
    assert result.moves() == {"up": [], "down": [], "same": []}
    assert all(len(table) for table in result.tables())


def test_list_when_empty_then_scores_are_zero():
    result = lab(None, ["AP", "Q", "Bpref"], Params("-", "1-2-0"))
    assert [result.score(one)[0] for one in result.measures] == [0, 0, 0]
    assert all(result.steps(one).empty for one in result.measures)
