"""Numbers and sentences on missing judgments, by hand for a few runs and pairs."""

import numpy as np
import pytest

import irmeval
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.incompleteness.watched_curves import Curves
from irmeval.experiments.results import table_named
from irmeval.experiments.sweep import draw_grades
from irmeval.plots.colors import styles
from irmeval.stats.bootstrap import required_difference
from irmeval.stats.pair_tests import compare_pairs
from tests.cases import collection, drawn, tied_collection
from tests.watched import CURVES, made, result

UNJUDGED, OUT = (EXPERIMENTS[name] for name in ("unjudged", "leave-one-out"))
DECIDED = ("order", "pairs", "decisions")


def rows(result, name, *columns):
    table = table_named(result, name).make()
    return table[[*columns] if columns else [*table]].to_numpy().tolist()


def outcome(topics=((3, 2), (4, 4))) -> Curves:
    """Of three pairs AP tells two apart, and at 10% of the judgments one and, in the
    second trial, one that it should not; RR one, and at 10% none.
    """
    full = np.array([[1, 1, 0], [1, 0, 0]], bool)[:, None, None, None]
    less = np.array([[[1, 0, 0], [1, 0, 1]], [[0, 0, 0], [0, 0, 0]]], bool)
    apart = np.stack([np.repeat(full[:, 0, 0], 2, axis=1), less], axis=1)[:, None]
    tau = np.array([[[1, 1], [0.8, 0.9]], [[1, 1], [0.5, 0.7]]])[:, None]
    scored = np.array([[[4, 4], topics[0]], [[4, 4], topics[1]]])[:, None]
    params = CURVES.params(levels=(100, 10), trials=2, threshold=0.8, watch=DECIDED)
    seen, whole = (
        {"apart": apart, "topics": scored, "common": np.full((2, 1, 2, 2), 4)},
        {"apart": full, "topics": scored[:, :, :1, :1], "common": np.full((2, 1, 1, 1), 4)},
    )
    values, of_whole = {"tau": tau}, {"tau": np.ones((2, 1))}
    for one in params.statistics[1:]:
        values |= one.compute(whole, seen, params)
        found = one.compute(whole, whole, params)
        of_whole |= {name: np.asarray(of)[..., 0, 0] for name, of in found.items()}
    left = [[100, 100], [9.9, 10.1]]
    return result(params, values, of_whole, left, tested=3)


def test_decisions_when_counted_by_hand_then_errors_and_the_two_by_two_are_means_over_trials():
    found = outcome()
    table = table_named(found, "errors").make()
    assert table["measure"].tolist() == ["AP", "RR"]
    assert table.iloc[0, 1:].tolist() == pytest.approx([2, 1.5, 0.5, 1 / 3, 10])
    assert table.iloc[1, 1:4].tolist() == [1, 0, 0]
    columns = "measure", "level", "on all judgments", "accepted", "rejected"
    assert [row for row in rows(found, "decisions", *columns) if row[:2] == ["AP", 10]] == [
        ["AP", 10, "accepted", 0.5, 0.5],
        ["AP", 10, "rejected", 1, 1],
    ]


def test_decisions_when_told_in_words_then_power_and_what_stays_are_those_counted():
    said = outcome().headline()
    assert said == (
        "With 10% of the judgments left, RR keeps the order of the runs worst (tau 0.60). Tau"
        " falls below 0.9: RR at 78%, AP at 40%. Accuracy falls"
        " below 0.8: AP at 64%, RR at 46%. Tests: each pair alone, paired bootstrap, p < 0.05. In"
        " some samples only 2 topics have a score for every run. RR finds the fewest of 3 pairs"
        " significant (0.0%). AP keeps the fewest decisions (50.0%)."
    )
    fewest = outcome(((1, 4), (4, 4))).headline()
    assert "In some samples only 1 topic has a score for every run." in fewest
    assert "In some samples" not in outcome(((4, 4), (4, 4))).headline()


def test_knees_when_the_threshold_is_another_then_lines_are_met_there():
    names = "measure", "tau, interpolated", "accuracy, interpolated"
    # tau falls from 1 to .85 and .6, accuracy to 1/2 and 2/3
    assert rows(outcome(), "knees", *names) == [["AP", "< 10", "64.0"], ["RR", "55.0", "46.0"]]


def test_power_when_judgments_are_taken_away_then_the_difference_is_that_required_on_each_sample():
    c = tied_collection(*drawn(7, topics=12, runs=5))
    params = CURVES.params(levels=(50,), trials=2, samples=60, seed=3, watch=("pairs",))
    found = CURVES(c, ["P@1", "AP"], params)
    table = table_named(found, "power").make()
    assert [*table["measure"]] == ["AP", "P@1"]
    assert table["power"].is_monotonic_decreasing
    for name, said in table.set_index("measure")["required difference"].items():
        needed = []
        for grades in irmeval.reduce(c, rate=50, trials=2, seed=3):
            values = irmeval.evaluate(c, [name], grades=grades).values[0]
            needed.append(
                float(
                    required_difference(
                        values[:, np.isfinite(values).all(axis=0)], samples=60, seed=3
                    )
                )
            )
        assert len({*needed}) == 2
        assert said == pytest.approx(sum(needed) / 2)
    told = dict(zip(map(str, found.measures), found.told_apart, strict=True))
    assert table.set_index("measure")["told apart"].to_dict() == told
    of_trials = [
        sum(compare_pairs(values, samples=60, seed=3).alone)
        for grades in irmeval.reduce(c, rate=50, trials=2, seed=3)
        for values in irmeval.evaluate(c, ["AP"], grades=grades).values
    ]
    assert len({*of_trials}) == 2
    assert told["AP"] == sum(of_trials) / 2


def test_pairs_when_drawn_at_random_then_none_is_drawn_twice_and_all_but_one_can_be():
    relevant = {str(t): {"a": 1} for t in range(8)}
    lists = {
        run: dict.fromkeys(relevant, "ab" if good else "ba")
        for run, good in zip("wxyz", (1, 1, 0, 0), strict=True)
    }
    told = set()
    for seed in range(12):
        asked = {"levels": (100,), "trials": 1, "watch": ("pairs",), "test": "t", "pairs": 5}
        found = CURVES(collection(relevant, lists), ["RR"], seed=seed, **asked)
        told.add((found.tested, round(found.whole["power"].item() * found.tested)))
    # of six pairs four differ: one of these is left out, or one of the two others
    assert told == {(5, 4), (5, 3)}


def test_decisions_when_p_is_alpha_then_the_pair_is_not_told_apart():
    # one is better on all six: by the sign test p is 2/64
    relevant = {str(t): {"a": 1} for t in range(6)}
    c = collection(
        relevant, {"x": dict.fromkeys(relevant, "ab"), "y": dict.fromkeys(relevant, "ba")}
    )
    for alpha, told in ((1 / 32, 0), (0.0313, 1)):
        for of, level in (("judgments", 100), ("depth", 5)):
            how = {"of": of, "levels": (level,), "trials": 1, "watch": ("pairs",)}
            found = CURVES(c, ["RR"], test="sign", alpha=alpha, **how)
            assert rows(found, "summary", "measure", "power") == [["RR", told]]
            assert found.whole["power"].item() == told


def curves(means, **params) -> Curves:
    """At 10% of the judgments the runs have these means; on all of them .6, .4 and
    .2.
    """
    full = np.array([[0.6, 0.4, 0.2]] * len(means))
    given = np.stack([full, np.array(means)], axis=1)[:, :, None]
    return made(given, full, levels=(100, 10), **params)


def test_curves_when_told_in_words_then_the_mean_that_falls_most_is_named():
    assert (
        curves([[0.3, 0.2, 0.1], [0.16, 0.32, 0.48]]).headline()
        == "With 10% of the judgments left, RR keeps the order of the runs worst (tau -1.00)."
        " Tau falls below 0.9: RR at 96%, AP not down to 10%. The mean AP falls to 50% of its full"
        " value."
    )
    assert (
        curves([[0.9, 0.6, 0.3], [0.72, 0.48, 0.24]])
        .headline()
        .endswith(" The mean RR is 120% of its full value.")
    )


def test_curves_when_an_order_changes_then_the_rate_of_tau_below_9_tenths_is_said_and_marked():
    # tau by RR: 1 at 100%, -1 at 10%: it is 0.9 a twentieth of the way down
    found = curves([[0.3, 0.2, 0.1], [0.16, 0.32, 0.48]])
    assert rows(found, "crossings", "measure", "tau below 0.9 at, %") == [
        ["AP", "not down to 10"],
        ["RR", "95.5"],
    ]
    [chart] = [chart for chart in found.charts() if chart.name == "tau"]
    fall = [
        shape for shape in chart.draw().layout.shapes if shape.x0 == shape.x1 == pytest.approx(95.5)
    ]
    assert [(shape.y0, shape.line.color) for shape in fall] == [(0.9, styles(["RR"])["RR"].color)]


def test_curves_when_correlated_by_tau_ap_then_the_order_on_all_judgments_is_taken_as_right():
    # the order is b, c, a: of the one above c all are above it rightly, of the two above a none;
    # 2/2 (1 + 0) - 1
    found = curves([[0.1, 0.3, 0.2]], correlation="tau_ap")
    assert rows(found, "trials", "level", "tau_ap") == [[100, 1], [10, 0]]


def test_unjudged_when_counted_by_hand_then_shares_by_rank_and_the_sentence_are_so():
    lists = {"x": {"1": "ab", "2": "a"}, "y": {"1": "au", "2": "ua"}, "z": {"1": "uv", "2": "v"}}
    found = UNJUDGED(
        collection({"1": {"a": 1, "b": 0}, "2": {"a": 1}}, lists),
        ["AP"],
        UNJUDGED.params(ranks=(1, 2)),
    )
    assert (
        found.headline()
        == "On average 50% of the top 10 is unjudged, most of z: 100%. 4 documents in the top 100"
        " are unjudged, and 50% of all that is retrieved. Runs with more judged documents score"
        " higher by AP (tau 1.00)."
    )
    assert rows(found, "ranks", "ranks", "unjudged") == [
        ["1", 0],
        ["2", 0],
        ["1", 0.5],
        ["2", 0.5],
        ["1", 1],
        ["2", 1],
    ]


def test_unjudged_when_the_persistence_is_another_then_residuals_are_by_that():
    c = collection({"1": {"a": 1}}, {"x": {"1": "uav"}})
    assert rows(UNJUDGED(c, ["AP"], UNJUDGED.params(p=0.5)), "next", "document", "residual") == [
        ["u", 0.5],
        ["v", 0.125],
    ]


def test_unjudged_when_runs_are_averaged_over_what_they_retrieved_then_other_topics_do_not_count():
    lists = {"x": {"1": "au"}, "y": {"1": "a", "2": "a"}}
    said = {
        average: (
            table_named(
                UNJUDGED(
                    collection({"1": {"a": 1}, "2": {"a": 1}}, lists, average=average), ["AP"]
                ),
                "runs",
            ).make()
        )
        for average in ("judged", "retrieved")
    }
    of_x = {
        average: table.set_index("run").loc["x", ["retrieved", "relevant"]].tolist()
        for average, table in said.items()
    }
    assert of_x == {"judged": [1, 0.5], "retrieved": [2, 1]}


def test_leave_one_out_when_a_team_alone_found_documents_then_what_it_loses_and_found_is_so():
    # of the pool of depth 1, ann alone has a and c, and bob alone three that are not relevant; b
    # and d are of two teams
    grades = {"1": {"a": 1, "b": 1}, "2": {"c": 1, "d": 1}} | {t: {"n": 0} for t in "345"}
    lists = {
        "ann": {"1": "ax", "2": "cd"},
        "bob": {"1": "bx", "2": "du"} | dict.fromkeys("345", "n"),
        "carl": {"1": "b", "2": "d"},
    }
    found = OUT(collection(grades, lists), ["AP"], OUT.params(pool=1))
    assert (
        found.headline()
        == "Without its own team, a run loses 22.2% of its AP on average, ann most: 66.7%. 1 of 3"
        " runs would fall in the order, by at most 2 places. ann found most on its"
        " own: 2 relevant documents. Adding the average loss of other teams' runs (0.3333 on"
        " average) changes the RMS error of its AP from"
        " 0.2887 to 0.5000."
    )
    # without bob's, half of the score of ann and of carl is their own, and so the adjustment of
    # bob, which had lost nothing; carl the same
    assert rows(found, "runs", "adjustment", "error_without", "error_corrected") == [
        [0, -0.5, -0.5],
        [0.5, 0, 0.5],
        [0.5, 0, 0.5],
    ]
    assert rows(
        found, "correction", "runs nearer to their score", "runs off their rank, without"
    ) == [[0, 1]]
    assert rows(found, "measures") == [
        ["AP", pytest.approx(2 / 9), pytest.approx(2 / 3), "ann", pytest.approx(2 / 3), 2, 1, -1]
    ]
    assert rows(found, "teams") == [
        ["ann", 1, 2, 2, 2, 2, 1],
        ["bob", 1, 5, 2, 3, 0, 0],
        ["carl", 1, 2, 2, 0, 0, 0],
    ]
    columns = "run", "rank", "rank_without", "places_lost"
    assert rows(found, "runs", *columns) == [["ann", 1, 3, 2], ["bob", 2, 2, 0], ["carl", 2, 2, 0]]


def test_depth_when_told_in_words_then_the_least_pool_is_spoken_of():
    means = np.array([[[0.1, 0.2, 0.3], [0.3, 0.2, 0.1]], [[0.3, 0.2, 0.1], [0.1, 0.2, 0.3]]])
    full = np.array([[0.6, 0.4, 0.2], [0.6, 0.4, 0.2]])
    found = made(means[:, :, None], full, [[100.0], [40.0]], of="depth", levels=(3, 1))
    assert found.headline() == (
        "On a pool of depth 1, RR keeps the order of the runs worst (tau -1.00)."
        " Tau falls below 0.9: AP already at depth 3, RR at depth 2. The mean AP falls to 50% of"
        " its full value."
    )


def test_fewer_teams_when_one_is_drawn_then_the_pool_is_of_its_run_alone_and_differs_by_trial():
    documents = [f"d{i}" for i in range(6)]
    lists = {
        f"run{r}": {"1": [*documents[r:], *documents[:r]], "2": [*documents[r:], *documents[:r]]}
        for r in range(6)
    }
    grades = {t: dict.fromkeys(documents, 1) for t in "12"}
    params = CURVES.params(
        of="teams", levels=(1,), trials=8, pool_depth=2, watch=("mean", "judged")
    )
    found = CURVES(
        collection(grades, lists), ["P@2"], params, team={f"run{r}": f"team {r}" for r in range(6)}
    )
    drawn = found.means[0, 0, 0].tolist()  # P@2 on two documents that one run has at ranks 1 and 2
    assert all(sorted(means) == [0, 0, 0, 0.5, 0.5, 1] for means in drawn)
    assert len({means.index(1) for means in drawn}) > 2
    assert found.values["judged"][0, 0].tolist() == [1 / 3] * 8


def of_topics(runs=3, trials=1) -> Curves:
    """On 50 topics and on 5, with all and a tenth of the judgments."""
    how = {"of": "topics", "levels": (50, 5), "by": "judgments=100,10", "watch": ("pairs",)}
    params = CURVES.params(**how, trials=trials)
    power = np.array([[[[0.2], [0.1]], [[0.4], [0.3]]]])
    left = np.array([[[100.0], [100.0]], [[10.0], [9.0]]])
    whole = {"power": np.full((1, 2), 0.6)}
    pairs = runs * (runs - 1) // 2
    return result(params, {"power": power}, whole, left, measures=("AP",), tested=pairs)


def test_topics_when_told_by_share_of_the_judgments_then_lines_are_compared_on_the_fewest():
    assert of_topics().headline() == (
        "On 5 topics, by AP, 100% judged finds the fewest of 3 pairs significant (10.0%). Tests:"
        " each pair alone, paired bootstrap, p < 0.05."
    )
    said = of_topics(runs=2).headline()
    assert "the two runs differ significantly by 100% judged and 10% judged" in said
    assert "in 10% to 30% of the samples" in of_topics(runs=2, trials=2).headline()


def test_fewer_topics_when_trials_are_several_then_topics_and_judgments_are_drawn_anew_in_each():
    c = tied_collection(*drawn(3, topics=12, runs=6))

    def power(topics, rate, trials, **how):
        params = CURVES.params(
            of="topics",
            levels=(topics,),
            by=f"judgments={rate}",
            watch=("pairs",),
            trials=trials,
            alpha=0.3,
            **how,
        )
        found = CURVES(c, ["AP"], params)
        return found.levels, found.values["power"][0, 0, 0]

    few, less = power(5, 100, 6)[1], power(12, 10, 6)[1]
    assert len({*few.tolist()}) > 1
    assert len({*less.tolist()}) > 1
    levels, whole = power(50, 100, 1, test="t")
    told = EXPERIMENTS["matrix"](c, ["AP"], EXPERIMENTS["matrix"].params(test="t", alpha=0.3))
    assert (levels, whole.item()) == ((12,), told.power.item())


def test_samples_when_rounded_otherwise_then_so_many_judgments_are_kept():
    c = collection(
        {"1": {f"d{i}": int(i < 5) for i in range(45)}}, {"x": {"1": ["d0"]}, "y": {"1": ["d1"]}}
    )
    kept = {}
    for rounding in ("floor", "ceil"):
        params = CURVES.params(levels=(50,), trials=1, rounding=rounding)
        kept[rounding] = int((draw_grades(c, params, [50], 1)[0] >= 0).sum())
    assert kept == {"floor": 2 + 20, "ceil": 3 + 20}  # of 5 relevant and 40 others
