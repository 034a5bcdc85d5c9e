"""Smaller pools by uniform sampling, by depth and by teams, and what a run loses that
did not contribute: against plain loops.
"""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irmeval import ParamError, evaluate, read_collection, reduce
from irmeval.experiments.incompleteness.leave_one_out import Params as Out
from irmeval.experiments.incompleteness.leave_one_out import leave_one_out
from irmeval.experiments.incompleteness.pool_bias import error_with_common_topics
from irmeval.experiments.incompleteness.unjudged import Params as Ranks
from irmeval.experiments.incompleteness.unjudged import unjudged
from irmeval.papers.statistics import PLAIN
from irmeval.reductions import DROPPED, draw
from irmeval.stats.correlation import tau_b
from irmeval.stats.significance import compare
from tests.cases import collection, refusal
from tests.unit.reductions.test_reductions import collection_of
from tests.unit.scoring.test_evaluate_parity import collect
from tests.watched import CURVES

RANKINGS = {
    "anna1": {"1": "a b c x y", "2": "a z b"},
    "anna2": {"1": "b d a", "2": "z c"},
    "bert": {"1": "e a b", "2": "a d x"},
    "carl9": {"1": "x y f", "2": ""},
}
JUDGMENTS = {
    "1": {"a": 1, "b": 0, "c": 2, "d": 1, "e": 1, "f": 0, "g": 1},
    "2": {"a": 0, "b": 1, "c": 1, "d": 0, "z": -1},
}


def small():
    return collection(
        JUDGMENTS,
        {run: {t: text.split() for t, text in lists.items()} for run, lists in RANKINGS.items()},
    )


def in_pool(runs, depth):
    """(topic, document) that any of the runs has down to a rank."""
    return {
        (t, d) for run in runs for t, text in RANKINGS[run].items() for d in text.split()[:depth]
    }


def kept(collection, grades):
    """(topic, document) whose judgments are left."""
    names = zip(
        (collection.topics[t] for t in collection.topic),
        collection.documents.to_pylist(),
        grades,
        strict=True,
    )
    return {(t, d) for t, d, g in names if g >= 0}


def judged_of(pool):
    return {(t, d) for t, d in pool if JUDGMENTS[t].get(d, -1) >= 0}


def team(run):
    return run.rstrip("0123456789")


# ---------------------------------------------------------------- reductions


@given(
    st.lists(
        st.tuples(st.integers(1, 60), st.integers(0, 60), st.integers(0, 3)), min_size=1, max_size=4
    ),
    st.integers(1, 100),
    st.integers(0, 9),
)
def test_uniform_when_reduced_then_keeps_a_share_of_each_topics_judgments(sizes, percent, seed):
    collection = collection_of(sizes)
    (grades,) = reduce(collection, "uniform", rate=percent, seed=seed)
    for t, (R, N, _) in enumerate(sizes):
        assert np.count_nonzero(grades[collection.topic == t] >= 0) == max(
            1, (R + N) * percent // 100
        )
    assert np.all((grades == collection.grade) | (grades == DROPPED))


@pytest.mark.parametrize("depth", [1, 2, 3, 5, 100])
def test_shallow_when_reduced_then_keeps_what_a_run_has_down_to_the_depth(depth):
    collection = small()
    assert kept(collection, reduce(collection, "shallow", pool=depth)[0]) == judged_of(
        in_pool(RANKINGS, depth)
    )


@pytest.mark.parametrize("n", [1, 2, 3, 9])
def test_teams_when_drawn_then_the_pool_is_that_of_so_many_teams(n):
    collection = small()
    for depth in (1, 2, 100):
        for (grades,) in (
            draw(collection, "teams", [n], trial, 1, pool=depth) for trial in range(1, 9)
        ):
            chosen = [
                set(names) for names in itertools.combinations(["anna", "bert", "carl"], min(n, 3))
            ]
            pools = [
                judged_of(in_pool([r for r in RANKINGS if team(r) in names], depth))
                for names in chosen
            ]
            assert kept(collection, grades) in pools


@pytest.mark.parametrize(
    ("name", "given", "message"),
    [
        ("shallow", {}, "shallow needs its pool depth, as pool=..."),
        ("shallow", {"pool": 0}, "pool: expected a value from 1 to 1000000, found 0."),
        (
            "teams",
            {"teams": 1, "rounding": "floor"},
            "teams: unknown keyword 'rounding'; known: teams, pool, team_rule, trials, seed.",
        ),
        ("uniform", {"pool": 3}, "uniform needs its rate, as rate=..."),
    ],
)
def test_level_when_missing_or_impossible_then_refused(name, given, message):
    assert refusal(ParamError, reduce, small(), name, **given) == message


# ---------------------------------------------------------------- experiments


TESTED = {"watch": ("mean", "order", "pairs", "judged"), "test": "t"}


def test_depth_when_swept_then_numbers_are_those_of_each_reduction():
    collection, measures = small(), ["AP", "Bpref"]
    found = CURVES(collection, measures, of="depth", levels=(3, 1), **TESTED)
    assert found.levels == (3, 1)
    full, values = evaluate(collection, measures).means, found.values
    for i, depth in enumerate((3, 1)):
        grades = reduce(collection, "shallow", pool=depth)[0]
        scores = evaluate(collection, measures, grades=grades)
        np.testing.assert_allclose(found.means[:, 0, i, 0], scores.means)
        np.testing.assert_allclose(values["tau"][:, 0, i, 0], tau_b(scores.means, full))
        for name, least in (("judged", 0), ("relevant", 1)):
            share = np.count_nonzero(grades >= least) / np.count_nonzero(collection.grade >= least)
            assert values[name][0, i, 0] == share
        scored = ~np.isnan(scores.values[0]).any(axis=0)
        power = (
            (compare(scores.values[0][:, scored], "t").p < 0.05).mean()
            if scored.sum() > 1
            else np.nan
        )
        assert values["power"][0, 0, i, 0] == pytest.approx(power, nan_ok=True)
    assert len(found.frame()) == 2 * 2
    assert {"level", "judged", "relevant", "mean", "tau", "power"} <= set(found.frame().columns)
    assert "On a pool of depth 1, " in found.headline()
    assert all(chart.draw().data for chart in found.charts())


def test_teams_when_there_are_fewer_than_asked_for_then_all_are_taken_once():
    found = CURVES(small(), ["AP"], of="teams", levels=(50, 20, 1), trials=3)
    assert found.levels == (3, 1)
    np.testing.assert_array_equal(found.means[:, 0, 0, 0], found.means[:, 0, 0, 2])


def test_teams_when_a_list_says_who_is_who_then_it_goes_before_the_rule():
    everyone = dict.fromkeys(RANKINGS, "one")
    found = CURVES(small(), ["AP"], of="teams", levels=(1, 2, 3), trials=1, team=everyone)
    assert found.levels == (1,)


@pytest.mark.parametrize("depth", [1, 2, 100])
def test_leave_one_out_when_corrected_then_what_other_teams_lose_by_their_own_judgments_is_added(
    depth,
):
    collection, names = small(), ("AP", "P@2")
    found = leave_one_out(collection, names, Out(pool=depth))
    documents = list(
        zip(
            (collection.topics[t] for t in collection.topic),
            collection.documents.to_pylist(),
            strict=True,
        )
    )

    def means(*left_out):
        """Without what only these teams have in the pool."""
        mine, others = (
            in_pool([r for r in RANKINGS if (team(r) in left_out) == own], depth)
            for own in (True, False)
        )
        grades = [
            -1 if pair in mine - others else g
            for pair, g in zip(documents, collection.grade, strict=True)
        ]
        return evaluate(collection, names, grades=grades).means

    full = means()
    for name in found.teams:
        others = [r for r, run in enumerate(collection.runs) if team(run) != name]
        added = np.mean(
            [means(name)[:, r] - means(name, team(collection.runs[r]))[:, r] for r in others],
            axis=0,
        )
        corrected = means(name)
        for r in {*range(len(RANKINGS))} - {*others}:
            np.testing.assert_allclose(found.adjustment[:, r], added, atol=1e-12)
            np.testing.assert_allclose(
                found.error_corrected[:, r], means(name)[:, r] + added - full[:, r], atol=1e-12
            )
            corrected[:, r] += added
        t = found.teams.index(name)
        np.testing.assert_allclose(
            found.tau_corrected[:, t], tau_b(corrected, full), equal_nan=True
        )
        for r in {*range(len(RANKINGS))} - {*others}:
            assert found.rank_corrected[:, r].tolist() == [
                1 + sum(row > row[r]) for row in corrected
            ]


def test_error_with_common_topics_when_every_choice_of_them_is_tried_then_is_that():
    lost = np.array([0.3, np.nan, 0.0, -0.1, 0.25, 0.4])
    known = lost[np.isfinite(lost)]
    for common in (1, 2, 4):
        errors = []
        for chosen in itertools.combinations(range(5), common):
            rest = np.delete(known, chosen)
            errors.append(known[[*chosen]].mean() - rest.mean())
        assert error_with_common_topics(lost, common) == pytest.approx(
            np.sqrt(np.mean(np.square(errors))), rel=1e-12
        )
    assert np.isnan(error_with_common_topics(lost, 5))


def test_leave_one_out_when_there_is_one_team_then_nothing_corrects_and_nothing_is_said_of_it():
    found = leave_one_out(small(), ["AP"], team=dict.fromkeys(RANKINGS, "one"))
    assert np.isnan(found.adjustment).all()
    assert found.rank_corrected.tolist() == found.rank_without.tolist()
    assert "Adding" not in found.headline()


@pytest.mark.parametrize("of", ["depth", "teams"])
def test_store_when_trials_or_levels_are_added_then_only_they_are_computed(of, monkeypatch):
    collection, store = small(), {}
    many = {"of": of, "levels": (1, 2, 3), "trials": 4, **TESTED}
    few = many | {"levels": (1, 3), "trials": 2}
    fresh = CURVES(collection, ["AP", "P@2"], **many)
    CURVES(collection, ["AP"], store=store, **few)
    (shelf,) = store.values()
    kept = dict(shelf)
    found = CURVES(collection, ["AP", "P@2"], store=store, **many)
    assert found.frame().equals(fresh.frame())
    assert all(shelf[key] is value for key, value in kept.items())
    monkeypatch.setattr(
        "irmeval.experiments.sweep.evaluate_samples", lambda *a, **k: pytest.fail("scored again")
    )
    assert CURVES(collection, ["P@2"], store=store, **few).levels == (3, 1)


def test_unjudged_when_counted_then_shares_are_those_of_the_lists(monkeypatch):
    collection = small()
    found = unjudged(collection, ["AP"], Ranks(ranks=(1, 3, 5)))
    assert found.stretches == ["1", "2-3", "4-5"]
    for r, run in enumerate(collection.runs):
        for s, ranks in enumerate(((1, 1), (2, 3), (4, 5))):
            here = [
                JUDGMENTS[t].get(d, -1)
                for t, text in RANKINGS[run].items()
                for d in text.split()[ranks[0] - 1 : ranks[1]]
            ]
            if here:
                assert found.share[r, s] == pytest.approx(sum(g < 0 for g in here) / len(here))
            else:
                assert np.isnan(found.share[r, s])
    places = found.positions()
    np.testing.assert_array_equal(places["unjudged"], np.nanmean(found.share, axis=0))
    np.testing.assert_array_equal(
        places[["least", "most"]].T,
        [np.nanmin(found.share, axis=0), np.nanmax(found.share, axis=0)],
    )
    table = found.summary().set_index("run")
    assert table.loc["anna1", ["retrieved", "relevant", "unjudged"]].tolist() == [4, 1.5, 1.5]
    assert table.index[0] == "mean of all runs"
    assert table.index[1] == "carl9"
    # z of topic 2: at rank 2 of anna1 and rank 1 of anna2; x and y of topic 1: at ranks 4 and 5 of
    # anna1, 1 and 2 of carl9; x of topic 2:
    # at rank 3 of bert
    listed = found.to_judge.set_index(["topic", "document"])
    assert listed["runs"].to_dict() == {("1", "x"): 2, ("1", "y"): 2, ("2", "z"): 2, ("2", "x"): 1}
    assert listed["best rank"].to_dict() == {
        ("1", "x"): 1,
        ("1", "y"): 2,
        ("2", "z"): 1,
        ("2", "x"): 3,
    }
    assert listed.loc[("1", "x"), "residual"] == pytest.approx(
        0.05 * (1 + 0.95**3) / (2 * len(RANKINGS)), rel=1e-12
    )
    assert found.to_judge["residual"].is_monotonic_decreasing
    monkeypatch.setattr("irmeval.experiments.incompleteness.unjudged.LISTED", 3)
    first = unjudged(collection, ["AP"], Ranks(ranks=(1, 3, 5)))
    assert first.to_judge.equals(found.to_judge.head(3))
    assert first.headline() == found.headline()
    assert [step.question for step in first.next_steps()] == [
        step.question for step in found.next_steps()
    ]
    assert first.to_frame("next").equals(found.to_judge)
    assert all(chart.draw().data for chart in found.charts())


def test_unjudged_when_no_list_reaches_some_ranks_then_left_out_and_a_paper_finds_nothing_there():
    found = unjudged(small(), ["AP"], Ranks(ranks=(1, 3, 5, 20, 1000)))
    longest = int(small().length.max())
    assert longest == 5
    assert found.stretches == ["1", "2-3", "4-5"]
    assert [name for name in found.summary() if name.startswith("judged")] == ["judged@10"]
    assert [found.frame()["ranks"].nunique(), len(found.positions())] == [3, 3]
    assert np.isnan(PLAIN["share unjudged at rank 1000, less that at 125"](found))


def test_unjudged_when_topics_have_nothing_relevant_then_they_are_counted_too(nothing):
    collection = read_collection(*nothing["nothing relevant"])
    found = unjudged(collection, ["AP"])
    table = found.summary().set_index("run")
    assert table.loc["run0", ["retrieved", "relevant", "unjudged"]].tolist() == [3, 0, 1]
    assert table.loc["run0", "judged@10"] == pytest.approx(2 / 3)
    assert found.verdict().claim == "33% of the top 10 of every run is unjudged."


@pytest.mark.parametrize(("unique", "said"), [("b", ["Can a1 be trusted?"]), ("a", [])])
def test_next_steps_of_leave_one_out_when_no_run_loses_then_none_is_doubted(unique, said):
    runs = {
        "a1": {"1": {unique: 2.0, "x": 1.0}, "2": {"a": 1.0}},
        "b1": {"1": {"a": 1.0}, "2": {"a": 1.0}},
    }
    found = leave_one_out(collect({"1": {"a": 1, "b": 1}, "2": {"a": 1}}, runs), ["P@1"], Out())
    assert found.summary()["most lost"].tolist() == [0.5 if said else 0]
    assert [lead.question for lead in found.next_steps()] == [
        *said,
        "How much is unjudged?",
        "What about pools of fewer teams?",
    ]
