"""What to judge next, and the effect of returned judgments: numbers by hand on a few
lists.
"""

import pytest
from scipy.special import ndtr

from irmeval import ParamError
from irmeval.collection.merge import merge_judgments
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.incompleteness.changes import changes
from irmeval.experiments.results import table_named
from irmeval.metrics import measure
from tests.cases import collection

BUDGET = EXPERIMENTS["judge-next"]


def listed(result, *columns):
    return result.chosen[[*columns]].to_numpy().tolist()


def test_list_by_residual_when_made_by_hand_then_the_sentence_and_the_chart_say_what_is_left():
    # with p = .5 a document at rank 1 leaves 1/2 open, one at rank 3 leaves 1/8, what would follow
    # the list 1/8; of two runs half of that
    c = collection({"1": {"a": 1}}, {"x": {"1": ["u", "a", "v"]}, "y": {"1": ["v", "a", "w"]}})
    found = BUDGET(c, ["AP"], BUDGET.params(budget=2, p=0.5))
    assert listed(found, "document", "value") == [["v", 0.3125], ["u", 0.25]]
    assert (
        found.headline()
        == "Judging 2 of 3 unjudged documents in the top 100 lowers the residual by 75%. Judge"
        " first: document v of topic 1 (in 2 runs, best at rank 1). That of RBP(p=0.5), mean over"
        " runs and topics, falls from 0.7500 to 0.1875."
    )
    one = BUDGET(c, ["AP"], BUDGET.params(budget=1, p=0.5)).verdict().claim
    assert one == "Judging 1 of 3 unjudged documents in the top 100 lowers the residual by 42%."
    line, *_ = found.charts()[0].draw().data
    assert list(line.y) == [0.75, 0.4375, 0.1875, 0.125]


def pair_of_two():
    """Of P@1, x has 0 and y 1 on topic 2, and neither has it on topic 1."""
    lists = {"x": {"1": ["u"], "2": ["w", "r"]}, "y": {"1": ["v"], "2": ["r", "w"]}}
    return collection({"1": {"q": 1}, "2": {"r": 1}}, lists)


def test_list_by_pair_when_made_by_hand_then_each_document_speaks_for_the_run_that_has_it_first():
    found = BUDGET(pair_of_two(), ["P@1"], BUDGET.params(by="pair"))
    assert listed(found, "document", "why", "value") == [
        ["w", "rank 1 of x, rank 2 of y: for x", 0.5],
        ["u", "rank 1 of x, not in the top 100 of y: for x", 0.5],
        ["v", "not in the top 100 of x, rank 1 of y: for y", -0.5],
    ]
    assert (
        found.headline()
        == "All 3 unjudged documents may change the difference of x and y. By P@1 the two do"
        " not differ significantly: difference -0.5000, p = 0.524 (each pair alone, paired"
        " bootstrap, p < 0.05). If relevant, 2 favour x and 1 favours y. Judge first: document w of"
        " topic 2 (rank 1 of x, rank 2 of y: for x)."
    )
    # whatever they speak for
    assert table_named(found, "topics").make().to_numpy().tolist() == [["1", 2, 1.0], ["2", 1, 0.5]]


def test_list_by_sign_when_made_by_hand_then_comes_by_what_is_kept_open_until_the_sign_is_sure():
    lists = {"x": {"1": ["a", "u", "w"]}, "y": {"1": ["v", "w", "n"]}}
    c = collection({"1": {"a": 1, "n": 0}}, lists)
    params = {"by": "sign", "relevance": "half", "pair": "x,y"}
    found = BUDGET(c, ["RBP(p=0.5)"], BUDGET.params(**params))
    # each of u, v, w has a deviation of 1/2: u weighs 1/4 for x, v 1/2 for y, w 1/8 less 1/4
    assert listed(found, "document", "why", "value") == [
        ["v", "not in the top 100 of x, rank 1 of y: for y", -0.25],
        ["u", "rank 2 of x, not in the top 100 of y: for x", 0.125],
        ["w", "rank 3 of x, rank 2 of y: for y", -0.0625],
    ]
    # expected: 1/2 + (1/4 - 1/2 - 1/8) / 2; variances 1/16, 1/64, 1/256
    assert found.pair.difference == 0.3125
    sure = [ndtr(0.3125 * 16 / 21**0.5), ndtr(0.3125 * 16 / 5**0.5), ndtr(0.3125 * 16), 1]
    assert found.open.sure.tolist() == pytest.approx(sure, rel=1e-12)
    assert (
        found.headline()
        == "x is expected to be better than y by RBP(p=0.5). Their lists have 3 unjudged documents."
        " The first of them is expected to settle that."
        " Judge first: document v of topic 1 (not in the top 100 of x, rank 1 of y: for y)."
    )
    assert (
        "judging can stop"
        in BUDGET(c, ["RBP(p=0.5)"], BUDGET.params(**params, alpha=0.2)).headline()
    )
    assert BUDGET(c, ["RBP(p=0.5)"], BUDGET.params(by="sign", relevance="half")).pair == found.pair
    with pytest.raises(
        ParamError,
        match=r"sign: by RBP\(p=0\.5\), what is unjudged is not expected to turn the sign",
    ):
        BUDGET(c, ["RBP(p=0.5)"], BUDGET.params(by="sign", relevance="half", alpha=0.2))
    line, *_ = found.charts()[0].draw().data
    assert list(line.y) == [0.25, 0.125, 0.0625]


def test_pair_when_none_is_named_then_is_the_one_that_is_nearest_to_being_told_apart():
    # x and w differ by 1 on all topics, x and y on four of six, y and w on two: 1,000 resamples
    # give 0, .082 and .189
    hits = {"x": "111111", "y": "110000", "w": "000000"}
    lists = {
        run: {str(t): ["r", "u"] if hit == "1" else ["u", "r"] for t, hit in enumerate(of)}
        for run, of in hits.items()
    }
    c = collection({t: {"r": 1} for t in "012345"}, lists)
    for params, said in (
        (
            {},
            (
                "By P@1 the two do not differ significantly: difference 0.6667, p = 0.082 (each"
                " pair alone, paired bootstrap, p < 0.05)."
            ),
        ),
        (
            {"pair": "y,x", "alpha": 0.1},
            "By P@1 the two differ significantly: difference -0.6667, p = 0.082 (each pair alone, ",
        ),
        (
            {"alpha": 0.1},
            (
                "By P@1 the two do not differ significantly: difference -0.3333, p = 0.189 (each"
                " pair alone, "
            ),
        ),
    ):
        assert (
            BUDGET(c, ["P@1"], BUDGET.params(by="pair", **params)).verdict().beside.startswith(said)
        )
    with pytest.raises(
        ParamError,
        match=r"every pair differs significantly by P@1 already \(each pair alone, .* < 0\.2\)",
    ):
        BUDGET(c, ["P@1"], BUDGET.params(by="pair", alpha=0.2))


@pytest.mark.parametrize(
    ("hits", "alpha", "pair"),
    [
        # nearest are x and y (.082), but only v has unjudged documents: v and y (.189)
        ({"x": "111111", "y": "110000", "w": "000000", "v": "000000"}, 0.05, ("v", "y")),
        # v differs from every run, least from y
        ({"y": "110000", "w": "000000", "z": "000000", "v": "111111"}, 0.1, ("v", "y")),
    ],
)
def test_pair_when_some_runs_have_unjudged_documents_then_it_is_the_nearest_of_these(
    hits, alpha, pair
):
    def listed(run: str, hit: str) -> list[str]:
        other = "u" if run == "v" else "n"
        return ["r", other] if hit == "1" else [other, "r"]

    lists = {
        run: {str(t): listed(run, hit) for t, hit in enumerate(of)} for run, of in hits.items()
    }
    c = collection({t: {"r": 1, "n": 0} for t in "012345"}, lists)
    assert BUDGET(c, ["P@1"], BUDGET.params(by="pair", alpha=alpha)).pair[:2] == pair


def test_list_by_disagreement_when_judges_agree_on_some_then_counts_those_on_which_they_differ():
    c = collection({"1": {"a": 1}}, {"x": {"1": ["a", "u", "v"]}})
    for name, grades in (("m", {"u": 2, "v": 1}), ("n", {"u": 0, "v": 1}), ("o", {"u": 1})):
        c = c.with_judgments(name, {"1": grades | {"a": 1}})
    found = BUDGET(c, ["AP"], BUDGET.params(by="disagreement"))
    assert listed(found, "document", "why") == [["u", "m 2, n 0, o 1"], ["v", "m 1, n 1"]]
    assert found.chosen["value"].tolist() == pytest.approx([(2 + 1 + 1) / 3, 0])
    assert found.verdict().claim == "The other judges disagree on 1 of 2 unjudged documents."


def returned(**more):
    """Before, x has 1 by P@1 on all of six topics, y on one of them, z on none; what
    comes back puts z beside x, and y behind.
    """
    topics = [str(t) for t in range(6)]
    lists = {
        "x": {t: ["r"] for t in topics},
        "y": {t: ["r"] if t == "0" else ["m"] for t in topics},
        "z": {t: ["n"] for t in topics},
    }
    c = collection({t: {"r": 1} for t in topics}, lists)
    came = (
        "".join(f"{t} 0 n 1\n" for t in topics if t != "5")
        + "".join(f"{t} 0 m 0\n" for t in topics if t != "0")
        + "5 0 n -1\n"
    )
    params = EXPERIMENTS["judge-next"].params(**more).testing
    return changes(c, merge_judgments(c, "back", came.encode()), [measure("P@1")], params)


def test_decisions_when_judgments_come_back_then_what_is_told_apart_now_and_no_more_is_tabled():
    found = returned(alpha=0.1)
    rows = table_named(found, "decisions").make()
    assert rows[["run a", "run b", "now"]].to_numpy().tolist() == [
        ["x", "z", "no longer significant"],
        ["y", "z", "z is better"],
    ]
    assert rows[["difference before", "difference after"]].to_numpy().tolist() == [
        pytest.approx([1, 1 / 6]),
        pytest.approx([1 / 6, -4 / 6]),
    ]
    # one of six topics differs, then four or five, or all do alike: of 1,000 resamples so many are
    # as far from 0
    assert (rows["p before"].tolist(), rows["p after"].tolist()) == ([0, 0.406], [0.406, 0.091])
    assert table_named(found, "scores").make()["run"].tolist() == ["x", "z", "y"]
    assert (
        found.headline()
        == "10 new judgments (5 relevant). By P@1, 2 of 3 runs change place (tau of the two orders"
        " 0.33); the mean of z changes most, by +0.8333; 2 of 3 decisions change (each pair"
        " alone, paired bootstrap, p < 0.1). 1 document of the list has no grade yet."
    )


def test_decisions_when_alpha_is_another_then_are_by_that():
    assert len(table_named(returned(alpha=0.05), "decisions").make()) == 1


def test_decisions_when_a_pair_is_turned_round_then_the_table_says_so():
    topics = [str(t) for t in range(8)]
    c = collection(
        {t: {"r": 1} for t in topics},
        {"x": dict.fromkeys(topics, "rnmo"), "y": dict.fromkeys(topics, "nmor")},
    )
    came = "".join(f"{t} 0 {d} {g}\n" for t in topics for d, g in (("n", 2), ("m", 2), ("o", 2)))
    found = changes(
        c,
        merge_judgments(c, "back", came.encode()),
        [measure("nDCG@3")],
        EXPERIMENTS["judge-next"].params().testing,
    )
    row = table_named(found, "decisions").make().iloc[0]
    assert row["now"] == "reversed: y is better"
    assert row["difference before"] > 0 > row["difference after"]


def test_headline_when_all_runs_lose_then_the_one_that_loses_most_is_said_to_change_most():
    c = collection(
        {"1": {"r": 1}, "2": {"r": 1}},
        {"x": dict.fromkeys("12", "r"), "z": dict.fromkeys("12", "nr")},
    )
    # of one relevant document there are four
    came = "".join(f"{t} 0 {d} 1\n" for t in "12" for d in "nop")
    found = changes(
        c,
        merge_judgments(c, "back", came.encode()),
        [measure("R@5")],
        EXPERIMENTS["judge-next"].params().testing,
    )
    assert (
        "By R@5, 1 of 2 runs changes place; the mean of x changes most, by -0.7500; the decision"
        " changes (each pair alone, paired bootstrap, p < 0.05)." in found.headline()
    )


def test_pair_by_sign_when_two_runs_tie_and_nothing_is_unjudged_then_it_is_another_one_or_none():
    def asked(*third):
        c = collection(
            {"1": {"a": 1, "b": 0}}, {"x": {"1": "ab"}, "y": {"1": "ab"}, "z": {"1": third}}
        )
        return BUDGET(c, ["RBP(p=0.5)"], BUDGET.params(by="sign", relevance="half"))

    assert asked("u", "a").pair[:3] == ("x", "z", 0)  # z is expected to have half of 1/2, and 1/4
    assert asked("u", "b", "a").pair[:3] == ("x", "z", 1 / 2 - 1 / 4 - 1 / 8)
    with pytest.raises(ParamError, match="not expected to turn the sign of any pair"):
        asked("b", "u")


def test_list_by_sign_when_documents_are_deep_then_ranks_down_to_100_are_named_and_counted():
    deep = [f"n{i}" for i in range(98)]
    lists = {"x": {"1": ["a", *deep, "u", "v"]}, "y": {"1": ["v", *deep, "a", "u"]}}
    c = collection({"1": {"a": 1, "v": -1} | dict.fromkeys(deep, 0)}, lists)
    found = BUDGET(c, ["RBP(p=0.9)"], BUDGET.params(by="sign", relevance="half", pair="x,y"))
    assert listed(found, "document", "why", "runs") == [
        ["v", "not in the top 100 of x, rank 1 of y: for y", 1],
        ["u", "rank 100 of x, not in the top 100 of y: for x", 1],
    ]
