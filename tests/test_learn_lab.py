"""The metric lab: one list, every measure, what each rank adds, what a swap does."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import irmeval
from irmeval.experiments.learn.lab import KINDS, LONGEST, Params, lab, parse, written
from irmeval.ui.pages.examples import EXAMPLES
from irmeval.ui.widgets import form
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
    grades = {n: int(g) for n, d, g in zip(names, result.documents, graded(result), strict=True) if d != "x"}
    grades |= {f"r{i}": -1 if d == "u" else int(d) for i, d in enumerate(result.rest)}
    expected = irmeval.evaluate(collection({"1": grades}, {"run": {"1": names}}), result.scores.measures)
    np.testing.assert_allclose(result.scores.values[:, 0, 0], expected.values[:, 0, 0], rtol=0, atol=1e-12)


@settings(max_examples=12)  # each of which is tried with every metric at every parameter
@given(text=lists, rest=lists)
def test_adds_when_summed_then_is_the_score_of_every_metric(text, rest):
    result = lab(None, [m for name in irmeval.METRICS for m in tried(name)], params(text, rest))
    for one in result.measures:
        steps = result.steps(one)
        raw, condensed = result.score(one)
        np.testing.assert_allclose(result.start(one) + steps["adds"].sum(), raw, rtol=0, atol=1e-9, err_msg=str(one))
        if condensed is not None and not np.isnan(condensed):
            np.testing.assert_allclose(steps["adds'"].sum(), condensed, rtol=0, atol=1e-9, err_msg=f"{one}'")


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
        terms.append((rpref, "adds", (rpref["gain"] * (1 - rpref["penalty'"].fillna(0) / scale)) / total))
    for steps, column, term in terms:
        seen = steps[column].notna()
        np.testing.assert_allclose(steps[column][seen], term[seen], rtol=0, atol=1e-12)


@given(lists, lists, st.data())
def test_swap_when_a_relevant_document_passes_a_nonrelevant_one_then_ap_and_rankeff_rise(text, rest, data):
    """Propositions 1 and 2 of Ahlgren & Grönqvist 2008."""
    documents = parse(text)
    pairs = [(i, j) for i, d in enumerate(documents) for j, e in enumerate(documents) if i < j and d == "0" and e in "123"]
    assume(pairs)
    i, j = data.draw(st.sampled_from(pairs))
    moves = lab(None, ["AP", "RankEff", "Bpref_10"], params(text, rest, a=j + 1, b=i + 1)).moves()
    assert {"AP", "RankEff"} <= set(moves["up"])
    assert moves["down"] == []


def shown(name: str, **changes: object):
    """An example with the measures that are on screen: its own, and those that the sidebar begins with."""
    example = EXAMPLES[name]
    return lab(None, [*example.measures, *form.MEASURES], Params(**(vars(example.params) | changes)))


def scores(result, *names: str) -> list[float]:
    return [result.score(irmeval.measure(name))[0] for name in names]


def changes(result, *names: str) -> list[list[float]]:
    """What either swap adds to each measure."""
    return [[result.change(irmeval.measure(name), swap) for swap in result.params.swaps] for name in names]


def gaps(result) -> dict[str, float]:
    """How much higher the condensed score is than the raw one, by measure."""
    return {m: condensed - raw for m in result.measures for raw, condensed in [result.score(m)] if condensed is not None}


def graded_holds_everything(result) -> None:
    assert {"3", "2", "1", "0", "x"} <= {*result.documents}
    judged = gaps(shown("graded", list="0-3-0-1-0-0-2-0"))
    assert all(gap > judged[m] >= 0 for m, gap in gaps(result).items())


def unjudged_on_top(result) -> None:
    assert all(c > 1.1 * r for r, c in map(result.score, result.measures) if c is not None)
    pooled = shown("unjudged", list="u-u-u-1-1-0")
    assert [m for m in result.measures if result.score(m)[0] != pooled.score(m)[0]] == ["infAP"]


def propositions_1_and_2(result) -> None:
    assert all(change > 0 for pair in changes(result, "AP", "RankEff") for change in pair)


def proposition_3(result) -> None:
    assert changes(result, "Bpref_10", "Bpref")[0] == [0, pytest.approx(2 / 11)]
    assert result.moves("swap 1")["same"] == ["Bpref_10", "Bpref"]
    assert "Bpref_10" in result.moves("swap 2")["up"]


def ideal_list_punished(result) -> None:
    assert scores(result, "Bpref_relative", "Bpref_relative2", "rpref_relative", "AP") == [0.5, 1.0, 0.5, 1.0]
    assert scores(shown("relative", list="1-0-0-0"), "Bpref_relative") == [0.0]


def base_2_sees_nothing(result) -> None:
    assert {"nDCG", "AP", "RBP(p=0.95)"} <= set(result.moves("swap 1")["down"])
    (first, second), *_ = changes(result, "nDCG(base=2)")
    assert first == 0 > second


def not_top_heavy(result) -> None:
    for first, second in changes(result, "RankEff", "Bpref", "Bpref_10"):
        assert first == pytest.approx(second)
        assert first > 0
    assert all(top > 2 * bottom > 0 for top, bottom in changes(result, "AP", "Q", "nDCG"))
    assert "Both are worth the same to RankEff, Bpref, Bpref_10." in result.describe_swaps()
    (first, second), *_ = changes(shown("topheavy", list="0-0-0-0-" + EXAMPLES["topheavy"].params.list, a=5, b=6, c=13, d=14), "Bpref")
    assert first > second == 0


def ideal_list_below_one(result) -> None:
    assert scores(result, "RBP(p=0.95)", "RBP(p=0.5)", "AP", "nDCG") == pytest.approx([0.05, 0.5, 1.0, 1.0])


SHOWN = {
    "graded": graded_holds_everything,
    "unjudged": unjudged_on_top,
    "swap": propositions_1_and_2,
    "bpref10": proposition_3,
    "relative": ideal_list_punished,
    "ndcg": base_2_sees_nothing,
    "topheavy": not_top_heavy,
    "rbp": ideal_list_below_one,
}
"""Example -> that the measures on screen show what its title and its text say."""


@pytest.mark.parametrize("name", EXAMPLES)
def test_example_when_opened_then_the_measures_on_screen_show_what_its_title_says(name):
    result = shown(name)
    assert all(np.isfinite(result.score(one)[0]) for one in result.measures)
    assert result.describe_swaps().count("Swapping ranks") == 2
    SHOWN[name](result)


@given(st.lists(st.sampled_from(list(KINDS)), max_size=LONGEST))
def test_list_when_written_then_reads_back(documents):
    assert parse(written(documents)) == tuple(documents)


@pytest.mark.parametrize(
    ("text", "rest", "said"),
    [("0-4", "1", "came '4'"), ("0-1-", "a", "came 'a'"), ("-".join("0" * 31), "1", "came 31"), ("x-x", "-", "at least one document")],
)
def test_list_when_it_is_none_then_the_reason_is_said(text, rest, said):
    with pytest.raises(irmeval.ParamError, match=said):
        Params(text, rest)


def test_list_when_nothing_is_relevant_then_the_sentence_says_so_and_nothing_fails():
    result = lab(None, EVERY, Params("0-u-x", "0"))
    assert "Nothing is relevant" in result.headline()
    assert result.moves() == {"up": [], "down": [], "same": []}
    assert all(len(table) for table in result.tables())


def test_list_when_empty_then_scores_are_zero():
    result = lab(None, ["AP", "Q", "Bpref"], Params("-", "1-2-0"))
    assert [result.score(one)[0] for one in result.measures] == [0, 0, 0]
    assert all(result.steps(one).empty for one in result.measures)
