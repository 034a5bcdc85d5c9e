"""Whether judges agree on systems, and whether filling holes helps: against loops in
the words of the definitions, and by theory.
"""

import json
from itertools import combinations, permutations

import numpy as np
import pytest

import irmeval
from irmeval.core.errors import ParamError, UnknownName
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.planning import systems
from irmeval.stats.mixtures import compare_groups, mixtures
from tests.cases import SAMPLE, drawn, read_once, tied_collection

SYSTEMS, HOLES, CURVES = (EXPERIMENTS[name] for name in ("systems", "holes", "curves"))
FEW = {"samples": 40, "mixtures": 30}


def other_grades(judgments, seed=5, lost=0.2):
    """What somebody else makes of these documents, but for some; and of two that the
    first was not given.
    """
    rng = np.random.default_rng(seed)
    made = {
        t: {d: int(max(0, g + rng.integers(-1, 2))) for d, g in ds.items() if rng.random() > lost}
        for t, ds in judgments.items()
    }
    return {t: ds | {"D150": 2, "D151": 0} for t, ds in made.items()}


@pytest.fixture(scope="module")
def both():
    judgments, runs = drawn(3, topics=12, runs=6)
    return tied_collection(judgments, runs).with_judgments("model", other_grades(judgments))


@pytest.fixture(scope="module")
def found(both):
    return SYSTEMS(both, ["AP", "nDCG@10"], SYSTEMS.params(**FEW))


def test_systems_when_compared_by_hand_then_figures_are_the_same(both, found, stats):
    own, theirs = (
        irmeval.evaluate(both.judged_by(name), ["AP", "nDCG@10"]) for name in both.judges
    )
    for m in range(2):
        x, y = own.values[m].mean(axis=-1), theirs.values[m].mean(axis=-1)
        np.testing.assert_allclose(found.means[:, m], [x, y])
        assert found.alike[m, 0, 0] == pytest.approx(stats.kendalltau(x, y).statistic)
        assert found.alike[m, 4, 0] == pytest.approx(stats.spearmanr(x, y).statistic)
        assert (found.alike[m, :, 1] <= found.alike[m, :, 0]).all()
        assert (found.alike[m, :, 0] <= found.alike[m, :, 2]).all()
        taus = [
            stats.kendalltau(
                *(scores.values[m, :, t].round(12) for scores in (own, theirs))
            ).statistic
            for t in range(12)
        ]
        assert found.of_topics[m] == pytest.approx(taus, nan_ok=True)
    for _, rows in found.by_run().groupby("measure"):
        assert rows["places gained"].is_monotonic_decreasing
        assert rows["places gained"].nunique() > 1


def test_mixtures_when_runs_are_many_then_the_chart_is_of_the_best(found, monkeypatch):
    assert "Point: the mean of each run by" in found.mixtures_of("AP").caption
    monkeypatch.setattr(systems, "READABLE", 2)
    chart = found.mixtures_of("AP")
    assert "each of the best 2 runs" in chart.caption
    best = found.means[0, 0].argsort()[::-1]
    shown = chart.draw().to_json()
    assert [json.dumps(found.runs[r]) in shown for r in best] == [
        True,
        True,
        *[False] * (len(best) - 2),
    ]


def test_mixtures_when_made_one_by_one_then_are_the_same(stats):
    rng = np.random.default_rng(2)
    scores = rng.random((3, 5, 8))
    made = mixtures(scores, 40, seed=7)
    chosen = np.random.default_rng(7).integers(3, size=(40, 8))
    means = [
        [sum(scores[chosen[i, t], s, t] for t in range(8)) / 8 for s in range(5)] for i in range(40)
    ]
    np.testing.assert_allclose(made.means, means)
    first = scores[0].mean(axis=1)
    np.testing.assert_allclose(made.tau, [stats.kendalltau(first, row).statistic for row in means])
    np.testing.assert_allclose(
        made.between,
        [stats.kendalltau(a, b).statistic for a, b in combinations(means, 2)],
        atol=1e-6,
    )
    swaps = [
        np.mean([(row[a] - row[b]) * (first[a] - first[b]) < 0 for row in means])
        for a, b in combinations(range(5), 2)
    ]
    np.testing.assert_allclose(made.swapped, swaps)


def test_favoured_when_all_labellings_are_counted_then_p_is_near():
    change, group = np.array([3.0, 2.0, -1.0, -2.0, -2.0]), np.array([0, 0, 1, 1, 2])

    def difference(values, team):
        return np.mean([v for v, g in zip(values, group, strict=True) if g == team]) - np.mean(
            [v for v, g in zip(values, group, strict=True) if g != team]
        )

    made = compare_groups(change, group, 3, 20_000, seed=3)
    orders = [*permutations(change)]
    for team in range(3):
        observed = difference(change, team)
        assert made.difference[team] == pytest.approx(observed)
        exact = np.mean([abs(difference(order, team)) >= abs(observed) - 1e-9 for order in orders])
        assert made.p[team] == pytest.approx(exact, abs=0.015)
    assert np.isnan(compare_groups(change, np.zeros(5, int), 1, 100, seed=1).p[0])


def test_favoured_when_no_team_is_then_few_are_found_and_one_who_is_then_it_is():
    rng = np.random.default_rng(4)
    group = np.repeat(np.arange(6), 5)
    alarms = sum(
        compare_groups(rng.normal(size=30), group, 6, 300, seed).adjusted.min() < 0.05
        for seed in range(200)
    )
    assert alarms <= 20  # 10 expected
    assert (
        compare_groups(rng.normal(size=30) + 4 * (group == 2), group, 6, 1000, 1).adjusted[2] < 0.05
    )


def test_sets_when_made_by_hand_then_scores_are_those_of_what_anybody_or_everybody_finds_relevant():
    own = {"1": {"a": 1, "b": 0, "c": 2}, "2": {"a": 1, "b": 0}}
    other = {"1": {"a": 0, "b": 1, "d": 1}, "2": {"a": 1, "c": 0}}
    runs = {
        r: {t: {d: float(s) for d, s in zip(order, (4, 3, 2, 1), strict=True)} for t in "12"}
        for r, order in (("x", "abcd"), ("y", "dcba"))
    }
    c = irmeval.Collection.from_dicts(own, runs).with_judgments("other", other)
    result = SYSTEMS(c, ["AP"], SYSTEMS.params(**FEW))
    union = {"1": {"a": 1, "b": 1, "c": 2, "d": 1}, "2": {"a": 1, "b": 0, "c": 0}}
    everybody = {"1": {"a": 0, "b": 0, "c": -1, "d": -1}, "2": {"a": 1, "b": 0, "c": 0}}
    for got, grades in zip(result.sets[:, 0], (union, everybody), strict=True):
        np.testing.assert_allclose(
            got, irmeval.evaluate(irmeval.Collection.from_dicts(grades, runs), ["AP"]).means[0]
        )


def test_systems_when_the_judge_is_the_same_then_nothing_changes():
    c = read_once(*SAMPLE)
    result = SYSTEMS(
        c.with_judgments("same", "simulated:strict,0,1"), ["AP"], SYSTEMS.params(**FEW)
    )
    assert result.alike[0, 0].tolist() == [1, 1, 1]
    assert (result.places[0] == result.places[1]).all()
    assert result.decisions[0][1:4] == (0, 0, 0)
    assert result.mixed[0].tau.min() == 1


@pytest.mark.parametrize(
    ("experiment", "make", "says"),
    [
        (
            SYSTEMS,
            lambda c: (c.with_judgments("x", {"77": {"a": 1}}), {}),
            "at least 2 topics that qrels and x all scored, found 0",
        ),
        (
            SYSTEMS,
            lambda c: (c.with_judgments("x", {"1": {"D001": 0}, "2": {"D001": 0}}), {}),
            "all scored, found 0",
        ),
        (
            SYSTEMS,
            lambda c: (c.with_judgments("x", "simulated:strict"), {"second": "qrels"}),
            "a judge other than qrels",
        ),
        (
            HOLES,
            lambda c: (c.with_judgments("x", {"77": {"a": 1}}), {}),
            "x has judged no document that qrels has",
        ),
        (
            HOLES,
            lambda c: (c.with_judgments("x", {"1": {"none": -1}}), {}),
            "x has judged no document that qrels has",
        ),
    ],
)
def test_judges_when_they_cannot_be_compared_then_words_say_why(experiment, make, says):
    collection, more = make(tied_collection(*drawn(3, topics=4, runs=3)))
    with pytest.raises(ParamError, match=says):
        experiment(collection, ["AP"], experiment.params(**more))
    with pytest.raises(UnknownName, match="unknown judge 'nobody'"):
        experiment(collection, ["AP"], experiment.params(second="nobody"))


def test_holes_when_filled_by_hand_then_scores_are_the_same_and_others_are_those_of_curves():
    judgments, runs = drawn(3, topics=6, runs=4)
    other = other_grades(judgments)
    both = tied_collection(judgments, runs).with_judgments("model", other)
    params = {"rates": (100.0, 40.0), "trials": 2, "seed": 4}
    result = HOLES(both, ["AP", "nDCG@10'"], HOLES.params(**params, near=3))
    ways = [way.name for way in result.ways]
    assert ways == ["AP", "AP, filled", "AP'", "nDCG@10", "nDCG@10, filled", "nDCG@10'", "Bpref"]
    curves = CURVES(
        tied_collection(judgments, runs),
        ["AP", "AP'", "nDCG@10", "nDCG@10'", "Bpref"],
        CURVES.params(levels=(100.0, 40.0), trials=2, seed=4),
    )
    bare = [w for w, way in enumerate(result.ways) if way.kind != "filled"]
    np.testing.assert_array_equal(result.means[bare], curves.means[:, 0])
    np.testing.assert_allclose(result.tau[bare], curves.values["tau"][:, 0])
    own = tied_collection(judgments, runs)
    near = {t: {d for run in runs.values() for d in _top(run[t], 3)} for t in judgments}
    for trial, grades in enumerate(irmeval.reduce(own, rate=40, trials=2, seed=4)):
        kept = {t: {} for t in judgments}
        for topic, document, grade in zip(
            own.topic, own.documents.to_pylist(), grades, strict=True
        ):
            kept[own.topics[topic]][document] = int(grade)
        filled = {}
        for t in judgments:
            mixed = {d: g if g >= 0 else other[t].get(d, -1) for d, g in kept[t].items()}
            filled[t] = mixed | {
                d: other[t][d] for d in near[t] if d not in mixed and d in other[t]
            }
        by_hand = irmeval.evaluate(tied_collection(filled, runs), ["AP", "nDCG@10"]).means
        np.testing.assert_allclose(result.means[[1, 4], 1, trial], by_hand)
    outside = {t: {d for d in near[t] if d not in judgments[t]} for t in judgments}
    assert result.unjudged == sum(map(len, outside.values()))
    assert result.covered == sum(len(outside[t] & other[t].keys()) for t in judgments)


def _top(scores, k):
    return sorted(scores, key=lambda d: (scores[d], d.encode()), reverse=True)[:k]


def test_holes_when_filled_with_the_first_judges_own_grades_then_order_is_whole():
    c = read_once(*SAMPLE).with_judgments("same", "simulated:strict,0,1")
    result = HOLES(c, ["AP"], HOLES.params(rates=(50.0, 10.0), trials=1))
    filled = [way.kind for way in result.ways].index("filled")
    assert (result.tau[filled] == 1).all()
    assert result.suffices().set_index("way").loc["AP, filled", "least rate, %"] == "< 10"
    assert "AP filled by same (simulated) keeps the order best (tau 1.00)" in result.headline()
