"""The leaderboard's intervals and tests against plain loops, and its page."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import stdtrit

import irmeval
from irmeval.core.errors import ParamError, UnknownName
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.runs.leaderboard import BASELINE, Params
from irmeval.experiments.verdicts import BETTER, SAME, WORSE
from irmeval.reading.score_matrix import Matrix
from irmeval.report import as_table, report
from irmeval.scoring.selection import parse_baselines
from irmeval.stats.pair_tests import compare_pairs
from irmeval.stats.significance import compare
from tests.cases import collection, drawn, tied_collection

BOARD = EXPERIMENTS["leaderboard"]


def interval_by_loops(scores: list[float]) -> tuple[float, float]:
    """Of Johnson (1978) and Hall (1983): Student's interval, corrected for skew, within
    0 and 1.
    """
    n = len(scores)
    mean = sum(scores) / n
    deviation = (sum((x - mean) ** 2 for x in scores) / (n - 1)) ** 0.5
    skew = sum((x - mean) ** 3 for x in scores) / n / deviation**3
    t = stdtrit(n - 1, 0.975)
    half = t * deviation / n**0.5
    moved = mean + max(-half, min(half, skew * deviation * (2 * t * t + 1) / (6 * n)))
    return max(0.0, moved - half), min(1.0, moved + half)


def holm_by_loops(p: list[float]) -> list[float]:
    adjusted, highest = [0.0] * len(p), 0.0
    for step, i in enumerate(sorted(range(len(p)), key=p.__getitem__)):
        highest = max(highest, min(1.0, p[i] * (len(p) - step)))
        adjusted[i] = highest
    return adjusted


def test_leaderboard_when_made_then_its_numbers_are_those_of_loops():
    c = tied_collection(*drawn(3, topics=12, runs=6))
    result = BOARD(c, ["AP", "nDCG"], Params(baseline="run2", test="sign", samples=60, seed=9))
    values = irmeval.evaluate(c, ["AP", "nDCG"]).values
    for m in range(2):
        p = []
        for run in range(6):
            row, base = values[m, run].tolist(), values[m, 2].tolist()
            assert (result.low[m, run], result.high[m, run]) == pytest.approx(
                interval_by_loops(row), rel=1e-9
            )
            assert result.difference[m, run] == pytest.approx(
                sum(row) / 12 - sum(base) / 12, abs=1e-12
            )
            if run != 2:
                p.append(float(compare(np.array([row, base]), "sign").p[0]))
        assert np.delete(result.p_alone[m], 2).tolist() == p
        assert np.delete(result.p_at_once[m], 2).tolist() == holm_by_loops(p)
    assert (result.marks[:, 2] == BASELINE).all()


def test_leaderboard_when_it_has_scores_alone_then_agrees_with_that_of_the_collection():
    c, params = tied_collection(*drawn(3, topics=12, runs=6)), Params(baseline="run2", test="t")
    of_lists, matrix = (
        BOARD(c, ["AP"], params),
        Matrix("given", c.runs, c.topics, irmeval.evaluate(c, ["AP"]).values[0]),
    )
    found = BOARD(matrix, params=params)
    assert found.measures == ()
    assert found.headline() == of_lists.headline().replace("AP", "given")
    for name in ("difference", "p_alone", "p_at_once", "verdicts", "low", "high"):
        assert np.allclose(getattr(found, name), getattr(of_lists, name), equal_nan=True)
    assert as_table(found, "markdown") == as_table(of_lists, "markdown").replace("AP", "given")
    two = BOARD(matrix, only=["run4", "run1"])
    assert [*two.frame()["run"]] == ["run4", "run1"]
    with pytest.raises(
        ParamError, match="holes: expected judgments and all runs, found scores alone"
    ):
        BOARD(matrix, holes=True)
    with pytest.raises(
        ParamError, match="holes: expected judgments and all runs, found some runs alone"
    ):
        BOARD(c, ["AP"], only=["run4", "run1"], holes=True)


def test_marks_when_runs_differ_then_one_alone_two_at_once_and_a_dash_where_they_do_not():
    grades = {str(t): {"a": 1, "b": 0} for t in range(12)}
    good, bad = ["a", "b"], ["b", "a"]
    lists = {"best": 12, "same": 12, "near": 11, "less": 6, "few": 1}
    runs = {name: {str(t): good if t < n else bad for t in range(12)} for name, n in lists.items()}
    result = BOARD(collection(grades, runs), ["AP"], Params(baseline="same", test="sign"))
    marks = dict(zip(result.scores.runs, result.marks[0].tolist(), strict=True))
    # of 12 topics 1, 6 and 11 differ: p 1, .031, .001; Holm counts the .031 three times
    assert marks == {"best": SAME, "same": BASELINE, "near": SAME, "less": WORSE, "few": WORSE * 2}
    assert (
        BOARD(collection(grades, runs), ["AP"], Params(baseline="few", test="sign")).marks[0, 0]
        == BETTER * 2
    )
    assert result.compared().set_index("run").loc["less", ["p alone", "p at once"]].tolist() == [
        "0.0312",
        "0.0938",
    ]
    assert result.compared().set_index("run").loc["same", ["p alone", "p at once"]].tolist() == [
        "",
        "",
    ]
    assert (
        result.describe_significant()
        == "By AP, same is better than 2 of 4 other runs tested pair by pair, than 1 with all 4"
        " pairs with same tested together."
    )
    assert result.verdict().beside == (
        "Tested together: all 4 pairs with same, if same was chosen beforehand."
    )


def test_leaderboard_when_there_is_one_run_or_one_topic_then_means_stand_alone():
    one = BOARD(collection({"1": {"a": 1}, "2": {"a": 1}}, {"r": {"1": ["a"], "2": ["b"]}}), ["AP"])
    assert one.marks.tolist() == [[BASELINE]]
    assert one.headline() == "r is the only run: mean AP 0.500."
    few = BOARD(collection({"1": {"a": 1}}, {"r": {"1": ["a"]}, "s": {"1": ["b"]}}), ["AP"])
    assert np.isnan([few.p_alone, few.p_at_once]).all()
    assert np.isnan([few.low, few.high]).all()  # one topic tells nothing of others
    assert few.compared()["mark"].tolist() == [BASELINE, ""]
    assert "nan" not in report([few]).files()["01-leaderboard-intervals.svg"]


def test_store_when_another_baseline_is_chosen_then_nothing_is_scored_again(monkeypatch):
    c, store = tied_collection(*drawn(3, topics=12, runs=6)), {}
    BOARD(c, ["AP"], store=store)
    monkeypatch.setattr(
        "irmeval.experiments.runs.leaderboard.values_of", lambda *_: pytest.fail("scored again")
    )
    assert BOARD(c, ["AP"], Params(baseline="run4"), store=store).baseline == "run4"


def test_leaderboard_when_no_baseline_is_named_then_all_pairs_are_the_family_else_those_with_it():
    c = tied_collection(*drawn(3, topics=12, runs=6))
    store = {}
    found = BOARD(c, ["AP", "nDCG"], Params(samples=60, seed=9), store=store)
    best = found.scores.runs.index(found.baseline)
    matrix = EXPERIMENTS["matrix"](c, ["AP", "nDCG"], samples=60, seed=9)
    for m, values in enumerate(found.scores.values):
        k, others = matrix.square[best], np.arange(6) != best
        for name in ("p_alone", "p_at_once"):
            assert (
                getattr(found, name)[m, others].tolist()
                == getattr(matrix.tested[m], name)[k][others].tolist()
            )
        assert found.difference[m].tolist() == pytest.approx(
            (values.mean(axis=1) - values[best].mean()).tolist(), abs=1e-12
        )
    assert (
        {*found.frame()["method"]}
        == {*found.compared()["method"]}
        == {"alone: paired bootstrap; at once: max-t, all 15 pairs"}
    )
    assert "with all 15 pairs tested together" in found.describe_significant()
    named = BOARD(
        c, ["AP", "nDCG"], Params(baseline=found.baseline, samples=60, seed=9), store=store
    )
    family = compare_pairs(found.scores.values[1], baselines=[best], samples=60, seed=9)
    assert np.delete(named.p_at_once[1], best).tolist() == family.p_at_once.tolist()
    assert named.p_alone[1, others].tolist() == found.p_alone[1, others].tolist()
    assert (named.p_at_once[:, others] <= found.p_at_once[:, others]).all()
    assert (named.p_at_once[:, others] < found.p_at_once[:, others]).any()
    assert {*named.frame()["method"]} == {
        f"alone: paired bootstrap; at once: max-t, all 5 pairs with {found.baseline}"
    }
    # which are of all pairs
    assert [x.tolist() for x in named.ranks()] == [x.tolist() for x in found.ranks()]


def test_leaderboard_when_runs_are_ranked_then_tables_have_the_ranks_and_letters_of_all_pairs():
    grades = {str(t): {"a": 1, "b": 0} for t in range(12)}
    lists = {"bad": "ba", "good": "ab", "same": "ab"}
    c = collection(grades, {name: {t: list(docs) for t in grades} for name, docs in lists.items()})
    result = BOARD(c, ["AP", "nDCG"], Params(baseline="bad", test="sign"))
    found = [
        *zip(
            *(result.frame()[name].tolist() for name in ("run", "rank_low", "rank_high", "group")),
            strict=True,
        )
    ]
    assert found == [("bad", 3, 3, "b")] * 2 + [("good", 1, 2, "a")] * 2 + [("same", 1, 2, "a")] * 2
    table = result.compared("nDCG")[["run", "rank_low", "rank_high", "group"]].to_numpy().tolist()
    assert table == [["good", 1, 2, "a"], ["same", 1, 2, "a"], ["bad", 3, 3, "b"]]
    one = BOARD(
        collection({"1": {"a": 1}}, {"r": {"1": ["a"]}, "s": {"1": ["b"]}}), ["AP"]
    ).compared()
    assert one[["rank_low", "rank_high", "group"]].to_numpy().tolist() == [[1, 2, "a"]] * 2


def test_baselines_when_several_are_named_then_p_is_corrected_for_pairs_of_all_each_counted_once():
    c = tied_collection(*drawn(3, topics=12, runs=6))
    names = ("run2", "run0", "run5")
    result = BOARD(c, ["AP", "nDCG"], Params(baseline="run2,run0, run5,run2", test="sign"))
    alone = {name: BOARD(c, ["AP", "nDCG"], Params(baseline=name, test="sign")) for name in names}
    pairs = sorted({tuple(sorted((base, run))) for base in names for run in c.runs if run != base})
    assert len(pairs) == 5 + 4 + 3
    for m in range(2):
        bare = {
            pair: next(
                alone[n].p_alone[m, c.runs.index(o)] for n, o in (pair, pair[::-1]) if n in names
            )
            for pair in pairs
        }
        corrected = dict(
            zip(pairs, holm_by_loops([float(bare[pair]) for pair in pairs]), strict=True)
        )
        for view in result.views:
            for r, run in enumerate(c.runs):
                if run != view.baseline:
                    assert view.p_at_once[m, r] == pytest.approx(
                        corrected[tuple(sorted((view.baseline, run)))], abs=1e-12
                    )
                    assert view.difference[m, r] == alone[view.baseline].difference[m, r]
    a, b, c = names
    assert [view.baselines for view in result.views] == [(a, b, c), (b, a, c), (c, a, b)]
    assert result.method == "alone: sign test; at once: Holm, all 12 pairs with run2, run0 and run5"
    assert all(
        f" differs from {name} tested pair by pair, none with all 12 pairs" in result.headline()
        for name in names
    )
    frame = result.frame()
    assert list(frame["baseline"].unique()) == [*names]
    assert len(frame) == 3 * 6 * 2
    assert [table.name for table in result.tables()] == [
        "means",
        "compared",
        "compared-2",
        "compared-3",
    ]
    assert "run0 (b)" in as_table(result)


def test_baselines_when_one_is_named_then_columns_and_method_are_as_before_and_commas_are_fine():
    c = tied_collection(*drawn(3, topics=12, runs=6))
    one = BOARD(c, ["AP"], Params(baseline="run2"))
    assert "baseline" not in one.frame()
    assert one.method == "alone: paired bootstrap; at once: max-t, all 5 pairs with run2"
    assert parse_baselines("a,b", ("a,b", "a")) == ("a,b",)
    with pytest.raises(UnknownName, match="unknown run"):
        BOARD(c, ["AP"], Params(baseline="run2,none"))


def test_best_when_means_tie_then_all_share_the_first_place_and_where_all_tie_there_is_no_winner():
    """Three runs with 6 of 15 relevant documents in the top 5: sums of fifths that need
    not be the same number.
    """
    documents = [f"d{i}" for i in range(9)]
    judged = {str(t): {d: int(i < 5) for i, d in enumerate(documents)} for t in range(3)}
    found = {"a": (1, 1, 4), "b": (2, 2, 2), "c": (2, 3, 1), "d": (1, 1, 1)}

    def listed(relevant):
        return {d: float(-i) for i, d in enumerate([*documents[:relevant], *documents[5:]])}

    c = irmeval.Collection.from_dicts(
        judged, {run: {str(t): listed(n) for t, n in enumerate(of)} for run, of in found.items()}
    )
    result = BOARD(c, ["P@5", "P@4"])
    assert result.verdict().claim == "3 of 4 runs tie as best by P@5, with 0.400."
    assert result.scores.leaders[0] == ("a", "b", "c")
    assert result.baseline == "a"
    assert result.scores.borda.tolist() == [4, 4, 4, 0]
    assert "rankings" not in [step.page for step in result.next_steps()]
    one = BOARD(
        irmeval.Collection.from_dicts(judged, {"a": {"0": listed(2)}, "b": {"0": listed(1)}}),
        ["AP", "R@9"],
    )
    assert "agreement" in [step.page for step in one.next_steps()]
    nothing = irmeval.Collection.from_dicts(
        {t: dict.fromkeys(of, 0) for t, of in judged.items()},
        {run: {"0": {"d0": 1.0}} for run in found},
    )
    assert BOARD(nothing, ["AP"]).verdict().claim == "No topic has a score by AP."
    alike = irmeval.Collection.from_dicts(judged, {run: {"0": listed(2)} for run in "ab"})
    assert BOARD(alike, ["AP"]).verdict().claim.startswith("Both runs tie as best by AP, with 0.1")


def test_effects_when_compared_by_hand_then_are_of_the_other_over_the_baseline_and_ties_not_won():
    lists = {"x": ["ab", "ba", "ba", "ba"], "y": ["ab", "ab", "ab", "ba"]}
    built = collection(
        {t: {"a": 1} for t in "1234"},
        {run: dict(zip("1234", of, strict=True)) for run, of in lists.items()},
    )
    board = (
        EXPERIMENTS["leaderboard"](built, ["P@1"], baseline="x")
        .compared()
        .set_index("run")
        .loc[["x", "y"]]
    )
    effect, won = board["Hedges' g"], board["topics won"]
    # differences 0, 1, 1, 0: mean 1/2, variance 1/3, corrected by 1 - 3 / 11
    assert effect.tolist() == pytest.approx([np.nan, 0.5 * 3**0.5 * 8 / 11], nan_ok=True)
    assert won.tolist() == pytest.approx([np.nan, 0.5], nan_ok=True)


def test_recipe_when_no_experiment_made_a_result_then_there_is_none(c):
    by_hand = replace(BOARD(c, ["AP"]), made_by=None)
    with pytest.raises(ParamError, match="^recipe: no experiment made this result.$"):
        by_hand.recipe()
