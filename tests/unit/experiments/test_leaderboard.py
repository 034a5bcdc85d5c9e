"""The leaderboard's intervals and tests against plain loops, and its page."""

from math import isnan

import numpy as np
import pytest
from scipy.special import stdtrit

import irmeval
from irmeval.core.errors import UnknownName
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.runs.baselines import parse_baselines
from irmeval.experiments.runs.leaderboard import BASELINE, BETTER, SAME, WORSE, Params
from irmeval.report import as_table, report
from irmeval.stats.best import MEANING, METHOD, compare_with_best
from irmeval.stats.ranks import RANKED
from irmeval.stats.significance import TESTS, compare, compare_with_baseline
from tests.cases import SAMPLE, collection, drawn, read_once, tied_collection

BOARD = EXPERIMENTS["leaderboard"]


def interval_by_loops(scores: list[float]) -> tuple[float, float]:
    """Of Johnson (1978) and Hall (1983): Student's interval, corrected for skew, within 0 and 1."""
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


@pytest.mark.parametrize("test", TESTS)
def test_against_when_there_are_many_systems_then_p_is_that_of_each_pair_among_all(test):
    scores = np.random.default_rng(2).random((40, 11))
    scores[7] = scores[20]
    every, one = compare(scores, test, samples=80, seed=4), compare_with_baseline(scores, 20, test, samples=80, seed=4)
    pairs = list(zip(*np.triu_indices(40, 1), strict=True))
    for other in range(40):
        if other != 20:
            k = pairs.index((min(other, 20), max(other, 20)))
            assert one.p[other] == every.p[k]
            assert one.difference[other] == pytest.approx((1 if other < 20 else -1) * every.difference[k])
    assert one.difference[20] == 0
    assert isnan(one.p[20])
    assert one.p[7] == 1


def test_leaderboard_when_made_then_its_numbers_are_those_of_loops():
    c = tied_collection(*drawn(3, topics=12, runs=6))
    result = BOARD(c, ["AP", "nDCG"], Params(baseline="run2", test="sign", samples=60, seed=9))
    values = irmeval.evaluate(c, ["AP", "nDCG"]).values
    for m in range(2):
        p = []
        for run in range(6):
            row, base = values[m, run].tolist(), values[m, 2].tolist()
            assert (result.low[m, run], result.high[m, run]) == pytest.approx(interval_by_loops(row), rel=1e-9)
            assert result.difference[m, run] == pytest.approx(sum(row) / 12 - sum(base) / 12, abs=1e-12)
            if run != 2:
                p.append(float(compare(np.array([row, base]), "sign").p[0]))
        assert np.delete(result.p[m], 2).tolist() == holm_by_loops(p)
    assert (result.marks[:, 2] == BASELINE).all()


def test_marks_when_runs_differ_then_one_two_or_three_by_level_and_a_dash_where_they_do_not():
    grades = {str(t): {"a": 1, "b": 0} for t in range(12)}
    good, bad = ["a", "b"], ["b", "a"]
    lists = {"best": 12, "same": 12, "near": 11, "less": 6, "few": 1}
    runs = {name: {str(t): good if t < n else bad for t in range(12)} for name, n in lists.items()}
    result = BOARD(collection(grades, runs), ["AP"], Params(baseline="same", test="sign", correction="none"))
    marks = dict(zip(result.scores.runs, result.marks[0].tolist(), strict=True))
    assert marks == {"best": SAME, "same": BASELINE, "near": SAME, "less": WORSE, "few": WORSE * 3}
    assert BOARD(collection(grades, runs), ["AP"], Params(baseline="few", test="sign")).marks[0, 0] == BETTER * 2
    assert [result.p_text(0, r) for r in map(result.scores.runs.index, ("best", "same"))] == ["1", ""]


def test_p_when_no_sample_reaches_it_then_is_below_what_the_correction_makes_of_one_in_so_many():
    grades = {str(t): {"a": 1, "b": 0} for t in range(20)}
    runs = {name: {t: list(order) for t in grades} for name, order in (("a-good", "ab"), ("bad", "ba"), ("worse", "ba"))}
    result = BOARD(collection(grades, runs), ["AP"], Params(baseline="a-good", test="bootstrap", samples=50))
    assert [result.p_text(0, run) for run in range(3)] == ["", "< 0.04", "< 0.04"]
    assert result.compared()["p"].tolist() == ["", "< 0.04", "< 0.04"]
    assert result.p[0, 1] == 0.04


def test_leaderboard_when_there_is_one_run_or_one_topic_then_means_stand_alone():
    one = BOARD(collection({"1": {"a": 1}, "2": {"a": 1}}, {"r": {"1": ["a"], "2": ["b"]}}), ["AP"])
    assert one.marks.tolist() == [[BASELINE]]
    assert one.headline() == "r is the only run, on 2 topics: its mean AP is 0.5000."
    few = BOARD(collection({"1": {"a": 1}}, {"r": {"1": ["a"]}, "s": {"1": ["b"]}}), ["AP"])
    assert np.isnan(few.p).all()
    assert np.isnan([few.low, few.high]).all()  # one topic tells nothing of others
    assert few.compared()["mark"].tolist() == [BASELINE, ""]
    assert "nan" not in report([few]).files()["01-leaderboard-intervals.svg"]


def test_leaderboard_when_a_measure_counts_then_its_interval_is_that_of_the_sum():
    c = read_once(*SAMPLE)
    result = BOARD(c, ["num_rel_ret"])
    assert (result.low < result.scores.means).all()
    assert (result.scores.means < result.high).all()


def test_baseline_when_it_is_no_run_then_the_nearest_is_named():
    with pytest.raises(UnknownName, match="unknown run 'lumem'; nearest: lumen"):
        BOARD(read_once(*SAMPLE), ["AP"], Params(baseline="lumem"))


def test_store_when_another_baseline_is_chosen_then_nothing_is_scored_again(monkeypatch):
    c, store = tied_collection(*drawn(3, topics=12, runs=6)), {}
    BOARD(c, ["AP"], store=store)
    monkeypatch.setattr("irmeval.experiments.runs.leaderboard.evaluate", lambda *_: pytest.fail("scored again"))
    assert BOARD(c, ["AP"], Params(baseline="run4"), store=store).baseline == "run4"


def test_leaderboard_when_no_baseline_is_named_then_p_allows_for_the_best_being_picked_unless_asked_otherwise():
    c = tied_collection(*drawn(3, topics=12, runs=6))
    store = {}
    found = BOARD(c, ["AP", "nDCG"], Params(samples=60, seed=9), store=store)
    best = found.scores.runs.index(found.baseline)
    for m in range(2):
        expected = compare_with_best(found.scores.values[m], best, samples=60, seed=9).p
        assert found.p[m].tolist() == pytest.approx(expected.tolist(), nan_ok=True)
    assert {*found.frame()["method"]} == {*found.compared()["method"]} == {METHOD}
    assert found.describe_significant().endswith("(max-t over all pairs, which allows for picking the best by its scores, p < 0.05).")
    assert found.notes() == [MEANING, RANKED]
    chosen = BOARD(c, ["AP", "nDCG"], Params(against_best="chosen", samples=60, seed=9), store=store)
    named = BOARD(c, ["AP", "nDCG"], Params(baseline=found.baseline, samples=60, seed=9), store=store)
    assert chosen.frame().equals(named.frame())
    assert {*chosen.frame()["method"]} == {"Paired t, Holm"}
    assert not chosen.frame()["p_value"].equals(found.frame()["p_value"])


def test_leaderboard_when_runs_are_ranked_then_tables_have_the_ranks_and_letters_of_all_pairs():
    grades = {str(t): {"a": 1, "b": 0} for t in range(12)}
    lists = {"bad": "ba", "good": "ab", "same": "ab"}
    c = collection(grades, {name: {t: list(docs) for t in grades} for name, docs in lists.items()})
    result = BOARD(c, ["AP", "nDCG"], Params(baseline="bad", test="sign", correction="none"))
    found = [*zip(*(result.frame()[name].tolist() for name in ("run", "rank_low", "rank_high", "group")), strict=True)]
    assert found == [("bad", 3, 3, "b")] * 2 + [("good", 1, 2, "a")] * 2 + [("same", 1, 2, "a")] * 2
    table = result.compared("nDCG")[["run", "rank_low", "rank_high", "group"]].to_numpy().tolist()
    assert table == [["good", 1, 2, "a"], ["same", 1, 2, "a"], ["bad", 3, 3, "b"]]
    one = BOARD(collection({"1": {"a": 1}}, {"r": {"1": ["a"]}, "s": {"1": ["b"]}}), ["AP"]).compared()
    assert one[["rank_low", "rank_high", "group"]].to_numpy().tolist() == [[1, 2, "a"]] * 2


def test_baselines_when_several_are_named_then_p_is_corrected_for_the_pairs_of_all_each_counted_once():
    c = tied_collection(*drawn(3, topics=12, runs=6))
    names = ("run2", "run0", "run5")
    result = BOARD(c, ["AP", "nDCG"], Params(baseline="run2,run0, run5,run2", test="sign"))
    alone = {name: BOARD(c, ["AP", "nDCG"], Params(baseline=name, test="sign", correction="none")) for name in names}
    pairs = sorted({tuple(sorted((base, run))) for base in names for run in c.runs if run != base})
    assert len(pairs) == 5 + 4 + 3
    for m in range(2):
        bare = {pair: next(alone[n].p[m, c.runs.index(o)] for n, o in (pair, pair[::-1]) if n in names) for pair in pairs}
        corrected = dict(zip(pairs, holm_by_loops([float(bare[pair]) for pair in pairs]), strict=True))
        for view in result.views:
            for r, run in enumerate(c.runs):
                if run != view.baseline:
                    assert view.p[m, r] == pytest.approx(corrected[tuple(sorted((view.baseline, run)))], abs=1e-12)
                    assert view.difference[m, r] == alone[view.baseline].difference[m, r]
    assert [view.baseline for view in result.views] == [*names]
    assert result.method == "sign test, Holm over 12 pairs"
    assert all(f" differs significantly from {name} (" in result.headline() for name in names)
    frame = result.frame()
    assert list(frame["baseline"].unique()) == [*names]
    assert len(frame) == 3 * 6 * 2
    assert [table.name for table in result.tables()] == ["means", "compared", "compared-2", "compared-3"]
    assert "run0 (b)" in as_table(result)


def test_baselines_when_one_is_named_then_columns_and_method_are_as_before_and_a_name_may_hold_a_comma():
    c = tied_collection(*drawn(3, topics=12, runs=6))
    one = BOARD(c, ["AP"], Params(baseline="run2"))
    assert "baseline" not in one.frame()
    assert one.method == "paired t, Holm"
    assert parse_baselines("a,b", ("a,b", "a")) == ("a,b",)
    with pytest.raises(UnknownName, match="unknown run"):
        BOARD(c, ["AP"], Params(baseline="run2,none"))


def test_best_when_means_tie_then_all_share_the_first_place_and_where_all_tie_there_is_no_winner():
    """Three runs with 6 of 15 relevant documents in the top 5: sums of fifths that need not be the same number."""
    documents = [f"d{i}" for i in range(9)]
    judged = {str(t): {d: int(i < 5) for i, d in enumerate(documents)} for t in range(3)}
    found = {"a": (1, 1, 4), "b": (2, 2, 2), "c": (2, 3, 1), "d": (1, 1, 1)}

    def listed(relevant):
        return {d: float(-i) for i, d in enumerate([*documents[:relevant], *documents[5:]])}

    c = irmeval.Collection.from_dicts(judged, {run: {str(t): listed(n) for t, n in enumerate(of)} for run, of in found.items()})
    result = BOARD(c, ["P@5", "P@4"])
    assert result.headline().startswith("Best of 4 runs on 3 topics: a (tied with 2 others) by both measures")
    assert result.scores.leaders[0] == ("a", "b", "c")
    assert result.baseline == "a"
    assert result.scores.borda.tolist() == [4, 4, 4, 0]
    assert not any("different runs" in lead.finding for lead in result.next_steps())
    one = BOARD(irmeval.Collection.from_dicts(judged, {"a": {"0": listed(2)}, "b": {"0": listed(1)}}), ["AP", "R@9"])
    assert "Every measure puts a first" in one.next_steps()[1].finding
    nothing = irmeval.Collection.from_dicts(
        {t: dict.fromkeys(of, 0) for t, of in judged.items()}, {run: {"0": {"d0": 1.0}} for run in found}
    )
    assert BOARD(nothing, ["AP"]).headline() == "None of 3 topics has a score."
    alike = irmeval.Collection.from_dicts(judged, {run: {"0": listed(2)} for run in "ab"})
    assert BOARD(alike, ["AP"]).headline().startswith("Best of 2 runs on 3 topics: both runs tie by AP.")


def test_effects_when_two_runs_are_compared_by_hand_then_are_those_of_the_other_over_the_baseline_and_ties_are_not_won():
    lists = {"x": ["ab", "ba", "ba", "ba"], "y": ["ab", "ab", "ab", "ba"]}
    built = collection({t: {"a": 1} for t in "1234"}, {run: dict(zip("1234", of, strict=True)) for run, of in lists.items()})
    effect, won = EXPERIMENTS["leaderboard"](built, ["P@1"], baseline="x").effects()
    # differences 0, 1, 1, 0: mean 1/2, variance 1/3, corrected by 1 - 3 / 11
    assert effect.tolist() == pytest.approx([np.nan, 0.5 * 3**0.5 * 8 / 11], nan_ok=True)
    assert won.tolist() == pytest.approx([np.nan, 0.5], nan_ok=True)
