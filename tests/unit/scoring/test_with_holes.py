"""Holes with grades as learnt from teams that are left out: what is learnt, drawn,
bounded and checked.
"""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

import irmeval
from irmeval.collection import Collection
from irmeval.scoring.filled import Filled, holes_of
from irmeval.scoring.hole_bounds import bound_means
from irmeval.scoring.hole_grades import OWN_TOP, POOL, Learnt, TeamPool
from irmeval.scoring.with_holes import (
    Drawing,
    GradeSource,
    check_left_out,
    draw_pair,
    have_many_holes,
    with_holes,
)
from tests import cases

DEPTH = 6
NDCG, AP = irmeval.measure("nDCG@6"), irmeval.measure("AP")


def pooled(
    teams: int = 8, topics: int = 6, *, share: float = 0.5, new: int = 3, seed: int = 1
) -> Collection:
    """One run a team, 6 deep: 3 documents that all have, of which 2 are relevant, and 3
    of its own, relevant with a probability of `share`. The run ``new`` has as many
    documents that nobody judged, first, and then those that all have.
    """
    rng = np.random.default_rng(seed)
    grades = {str(t): {"c0": 2, "c1": 1, "c2": 0} for t in range(topics)}
    runs: dict[str, dict[str, list[str]]] = {}
    for team in range(teams):
        runs[name := f"team{team}"] = {}
        for t in map(str, range(topics)):
            own = [f"{name}-{i}" for i in range(3)]
            grades[t] |= {d: int(rng.choice([1, 2])) if rng.random() < share else 0 for d in own}
            runs[name][t] = [*map(str, rng.permutation([*own, "c0", "c1", "c2"]))]
    if new:
        runs["new"] = {
            str(t): [*(f"new-{i}" for i in range(new)), "c0", "c1", "c2"] for t in range(topics)
        }
    return cases.collection(grades, runs)


def pool_of(made: Collection, kind: tuple[str, ...] = (), depth: int | None = None) -> TeamPool:
    return TeamPool.of(made, made.runs, kind, depth)


HOW = Drawing(draws=400)


def drawn(made: Collection, how: Drawing = HOW, measures=(NDCG,)):
    """What the runs would score, each a team of its own."""
    pool = pool_of(made)
    learnt = {reach: Learnt.of(pool, reach) for reach in {how.reach(m, pool) for m in measures}}
    ticks: list[int] = []
    values = irmeval.evaluate(made, measures).values
    found = with_holes(GradeSource(pool, learnt), measures, values, how, ticks.append)
    assert sum(ticks) == len(made.runs)
    return found


def test_pool_when_two_runs_are_judged_to_a_depth_then_that_is_its_depth():
    assert pool_of(pooled()).depth == DEPTH
    assert pool_of(pooled(), depth=4).depth == 4
    short = cases.collection(
        {"1": {"a": 1, "b": 0}},
        {"x": {"1": ["a", "b", "u"]}, "y": {"1": ["b", "v", "a"]}, "z": {"1": ["u"]}},
    )
    assert pool_of(short).depth == 1


def test_pool_when_a_team_is_left_out_then_what_it_alone_found_has_no_judgment():
    made = pooled(teams=5)
    pool = pool_of(made)
    gone = pool.without(np.array([made.runs.index("team1")]))
    assert {pool.near.document[i] for i in np.flatnonzero(gone)} == {f"team1-{i}" for i in range(3)}
    two = pool.without(np.array([made.runs.index("team1"), made.runs.index("team2")]))
    assert two.sum() == 2 * gone.sum()
    assert pool.without(np.array([made.runs.index("new")])).sum() == 0  # nothing of it is judged


def test_rows_when_a_team_is_left_out_then_they_are_as_if_it_had_not_taken_part():
    made = cases.collection(
        {"1": {"a": 1, "b": 1, "c": 0, "d": 0, "e": 0}, "2": {"a": 0, "f": 1}},
        {
            "x": {"1": ["a", "b", "u"]},
            "y": {"1": ["c", "a", "d"], "2": ["a", "f"]},
            "z": {"1": ["e", "a", "b"], "2": ["f", "a"]},
        },
    )
    pool = TeamPool.of(made, made.runs, depth=2)
    x = np.array([0])
    removed = pool.without(x)
    # z has it below the depth
    assert [pool.near.document[i] for i in np.flatnonzero(removed)] == ["b"]
    rows = pool.rows(x, 3, x, removed)
    assert rows.rank.tolist() == [1, 2, 3]
    assert [pool.near.document[i] for i in rows.document] == ["a", "b", "u"]
    rank, others, judged, topic, run = rows.x[0].T
    np.testing.assert_allclose(rank, np.log2([1, 2, 3]))
    np.testing.assert_allclose(others, np.log1p([2, 1, 0]))
    np.testing.assert_allclose(judged, 1 / 3)  # a alone
    share = 2.5 / 7  # relevant: a on 1, f on 2, of 6 judged without b
    of_topic, of_run = (1 + 5 * share) / (4 + 5), (1 + 2 * share) / (1 + 2)
    np.testing.assert_allclose(topic, np.log(of_topic / (1 - of_topic)))
    np.testing.assert_allclose(run, np.log(of_run / (1 - of_run)))


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_draw_when_teams_found_a_share_then_so_many_holes_are_relevant(share):
    made = pooled(teams=12, topics=20, share=share)
    pool = pool_of(made)
    rows = pool.rows(np.array([made.runs.index("new")]), DEPTH, np.array([made.runs.index("new")]))
    rows = rows.take(np.flatnonzero(pool.near.grade[rows.document] < 0))
    grades = Learnt.of(pool, DEPTH).draw(rows, 500, 1)
    assert grades.shape == (500, 60)
    assert grades.min() >= 0
    assert grades.max() <= 2
    assert (grades > 0).mean() == pytest.approx(share, abs=0.12)
    assert (grades[grades > 0] == 2).mean() == pytest.approx(0.5, abs=0.15)


def test_draw_when_by_a_simple_prior_then_as_the_topic_or_the_runs_own_top():
    made = pooled(teams=12, topics=20, share=0.2)
    pool, new = pool_of(made), np.array([made.runs.index("new")])
    rows = pool.rows(new, DEPTH, new)
    rows = rows.take(np.flatnonzero(pool.near.grade[rows.document] < 0))
    learnt = Learnt.of(pool, DEPTH)
    judged = made.grade >= 0
    assert (learnt.draw(rows, 500, 1, prior=POOL) > 0).mean() == pytest.approx(
        (made.grade[judged] > 0).mean(), abs=0.02
    )
    assert (learnt.draw(rows, 500, 1, prior=OWN_TOP) > 0).mean() == pytest.approx(2 / 3, abs=0.05)


def test_learnt_when_few_teams_found_documents_of_their_own_then_it_is_refused():
    with pytest.raises(irmeval.ParamError, match="found 4 teams with 72"):
        Learnt.of(pool_of(pooled(teams=4)), DEPTH)
    with pytest.raises(irmeval.ParamError, match="found 6 teams with 18"):
        Learnt.of(pool_of(pooled(teams=6, topics=1)), DEPTH)


def test_learnt_when_a_run_has_more_holes_than_teams_had_then_it_is_unlike_them():
    made = pooled()
    learnt = Learnt.of(pool_of(made), DEPTH)
    new = made.runs.index("new")
    assert learnt.hole_share[0] == pytest.approx(0.5)
    assert not learnt.is_new_kind(new, 0.5)
    assert learnt.is_new_kind(new, 0.6)


def test_learnt_when_kinds_are_named_then_a_kind_of_one_is_new():
    made = pooled()
    kinds = tuple(
        "neural" if run in ("new", "team7") else "manual" if run == "team0" else "lexical"
        for run in made.runs
    )
    learnt = Learnt.of(pool_of(made, kinds), DEPTH)
    new = {run: learnt.is_new_kind(r, 0.9) for r, run in enumerate(made.runs)}
    assert new == {run: run in ("team0", "team7") for run in made.runs}  # new has a kin: team7


def test_scores_when_a_run_has_holes_then_interval_and_bounds_are_about_its_score():
    made = pooled()
    found, new = drawn(made), pooled().runs.index("new")
    assert found.holes[0].tolist() == [18 if r == new else 0 for r in range(9)]
    assert found.unjudged[new] == pytest.approx(0.5)
    raw = irmeval.evaluate(made, [NDCG]).means[0]
    assert raw[new] == pytest.approx(found.bound_low[0, new])
    assert (
        raw[new]
        < found.low[0, new]
        < found.mean[0, new]
        < found.high[0, new]
        < found.bound_high[0, new]
        <= 1
    )
    others = np.arange(9) != new
    for ends in (found.mean, found.low, found.high, found.bound_low, found.bound_high):
        np.testing.assert_allclose(ends[0, others], raw[others], atol=1e-12)


def test_scores_when_no_hole_or_no_gain_changes_them_then_are_the_score_to_the_bit():
    rng = np.random.default_rng(3)
    grades = {
        str(t): (
            {f"d{i}": int(rng.random() < 0.4) for i in range(7)}
            | {f"o{r}": int(rng.random() < 0.5) for r in range(8)}
        )
        for t in range(23)
    }
    runs = {
        f"r{r}": {
            t: [*map(str, rng.permutation([*(f"d{i}" for i in range(7)), f"o{r}"]))] for t in grades
        }
        for r in range(8)
    }
    runs["new"] = {t: [f"new{t}", *(f"d{i}" for i in range(6))] for t in grades}
    made = cases.collection(grades, runs)
    names = [irmeval.measure(name) for name in ("AP", "P@5", "RBP(p=0.8)")]
    raw, found = irmeval.evaluate(made, names).means, drawn(made, measures=names)
    whole = found.holes == 0
    new = made.runs.index("new")
    assert np.delete(whole, new, axis=1).all()
    for ends in (found.mean, found.low, found.high, found.bound_low, found.bound_high):
        assert (ends[whole] == raw[whole]).all()
    assert (found.bound_low[1:] == raw[1:]).all()  # no hole is relevant
    assert (found.low[:, new] >= found.bound_low[:, new]).all()


def test_bounds_when_worked_by_hand_then_no_hole_and_every_hole_is_relevant():
    made = cases.collection(
        {"1": {"a": 1, "b": 2}}, {"mine": {"1": ["x", "a", "y"]}, "other": {"1": ["b"]}}
    )
    pool = pool_of(made, depth=3)
    values = irmeval.evaluate(made, [NDCG, AP]).values
    found = with_holes(GradeSource(pool, {}), [NDCG, AP], values, Drawing(), lambda _: None)
    d = 1 / np.log2(np.arange(2, 8))
    ideal, grown = 2 * d[0] + d[1], 2 * d[:3].sum() + d[3]
    np.testing.assert_allclose(found.bound_low[:, 0], [d[1] / ideal, 0.25])
    np.testing.assert_allclose(
        found.bound_high[:, 0], [(2 * d[0] + d[1] + 2 * d[2]) / grown, 3 / 4]
    )
    assert np.isnan(found.mean[:, 0]).all()
    assert found.mean[0, 1] == found.bound_low[0, 1]


EVERY_FAMILY = (
    "AP",
    "RR",
    "bpref",
    "ERR",
    "RBP(p=0.8)",
    "P@5",
    "R@5",
    "nDCG@5",
    "nDCG",
    "nDCG'",
    "Q",
    "Rprec",
)


@pytest.mark.parametrize("empty", ["undefined", "zero"])
@pytest.mark.parametrize("seed", range(4))
def test_bounds_when_all_grades_of_the_holes_are_tried_then_they_are_the_least_and_the_highest_mean(
    seed, empty
):
    rng, measures, holes = (
        np.random.default_rng(seed),
        [irmeval.measure(text) for text in EVERY_FAMILY],
        ["u0", "u1"],
    )
    grades = {
        t: {f"d{i}": int(rng.integers(0, 3)) for i in range(4)} | {"e": 2, "f": 1} for t in "12"
    }
    if seed < 2:
        grades["2"] = {"d0": 0, "e": 0}  # it has a score only by its holes
    lists = {
        t: [*map(str, rng.permutation([*[*grades[t]][: rng.integers(1, 4)], *holes]))]
        for t in grades
    }

    def read(more: tuple[tuple[int, ...], ...] = ()) -> Collection:
        judged = (
            {
                t: grades[t] | dict(zip(holes, row, strict=True))
                for t, row in zip(grades, more, strict=True)
            }
            if more
            else grades
        )
        made = cases.collection(judged, {"mine": lists, "other": {t: ["e"] for t in grades}})
        return replace(made, policy=replace(made.policy, empty=empty))

    made = read()
    mine = made.runs.index("mine")
    values = irmeval.evaluate(made, measures).values
    source = GradeSource(pool_of(made, depth=9), {})
    found = with_holes(source, measures, values, Drawing(), lambda _: None)
    tried = product(product(range(made.top_grade + 1), repeat=2), repeat=2)
    means = np.array([irmeval.evaluate(read(more), measures).means[:, mine] for more in tried])
    np.testing.assert_allclose(found.bound_low[:, mine], np.nanmin(means, axis=0))
    np.testing.assert_allclose(found.bound_high[:, mine], np.nanmax(means, axis=0))


def test_scores_when_seed_and_judgments_are_the_same_then_the_same_whatever_files_come_first():
    one, other = pooled(), pooled()
    other = irmeval.Collection.from_dicts(
        {t: dict(zip(*columns, strict=True)) for t, columns in _judgments(other).items()},
        {
            run: {t: {d: -i for i, d in enumerate(documents)} for t, documents in lists.items()}
            for run, lists in reversed(_lists(one).items())
        },
    )
    first, second = drawn(one), drawn(other)
    for a, b in zip(first, second, strict=True):
        np.testing.assert_array_equal(a, b)
    again = drawn(one, Drawing(draws=400, seed=2))
    assert (again.mean != first.mean).any()


def _judgments(made: Collection) -> dict[str, tuple[list[str], list[int]]]:
    names = made.documents.to_pylist()
    return {
        t: (
            [names[i] for i in np.flatnonzero(made.topic == n)],
            made.grade[made.topic == n].tolist(),
        )
        for n, t in enumerate(made.topics)
    }


def _lists(made: Collection) -> dict[str, dict[str, list[str]]]:
    pool = pool_of(made)
    near, T = pool.near, made.topics
    entries = zip(near.run.tolist(), near.judgment_index.tolist(), strict=True)
    found: dict[str, dict[str, list[str]]] = {run: {t: [] for t in T} for run in made.runs}
    for run, document in entries:
        found[made.runs[run]][T[near.topic[document]]].append(near.document[document])
    return found


def test_pair_when_both_runs_have_a_hole_then_it_has_one_grade():
    made = pooled(new=0)
    lists = _lists(made)
    lists["mine"] = lists["yours"] = {t: ["u0", "c0", "u1"] for t in made.topics}
    judged = {t: dict(zip(*columns, strict=True)) for t, columns in _judgments(made).items()}
    both = cases.collection(judged, lists)
    pool, how = pool_of(both), Drawing(draws=200)
    runs = both.runs.index("mine"), both.runs.index("yours")
    reach = how.reach(NDCG, pool)
    source = GradeSource(pool, {reach: Learnt.of(pool, reach)})
    drawn = draw_pair(source, NDCG, irmeval.evaluate(both, [NDCG]).values[0], how, runs)
    assert drawn.shape == (200, 2)
    assert drawn[:, 0].std() > 0
    np.testing.assert_array_equal(drawn[:, 0], drawn[:, 1])


def test_checks_when_teams_are_left_out_then_truth_is_the_score_on_all_judgments():
    made = pooled(teams=10, topics=10)
    pool, how = pool_of(made), Drawing(draws=100)
    learnt = {how.reach(NDCG, pool): Learnt.of(pool, how.reach(NDCG, pool))}
    values = irmeval.evaluate(made, [NDCG]).values
    checks = check_left_out(GradeSource(pool, learnt), [NDCG], values, how, lambda _: None)
    # new has nothing of its own that is judged
    assert [made.runs[check.run] for check in checks] == [f"team{i}" for i in range(10)]
    for check in checks:
        assert check.truth == pytest.approx(values[0, check.run].mean())
        assert check.raw < check.truth
        assert not check.kind
        assert check.ends.shape == (3, 3, 1)
        assert (check.ends[:, 1] <= check.ends[:, 0]).all()
        assert check.right <= check.safe <= 10
    held = [check.ends[0, 1, 0] <= check.truth[0] <= check.ends[0, 2, 0] for check in checks]
    assert np.mean(held) >= 0.8


def test_checks_when_a_team_has_two_runs_then_the_truth_has_what_both_found():
    made = pooled(teams=6, topics=10, new=0)
    lists, judged = _lists(made), _judgments(made)
    grades = {t: dict(zip(*columns, strict=True)) for t, columns in judged.items()}
    for t, of in grades.items():
        of |= {f"also-{t}": 2}
    lists["team0-b"] = {t: [f"also-{t}", "c0", "c1", "c2"] for t in made.topics}
    two = cases.collection(grades, lists)
    pool = TeamPool.of(two, [run[:5] for run in two.runs])
    how = Drawing(draws=20)
    source = GradeSource(pool, {(reach := how.reach(AP, pool)): Learnt.of(pool, reach)})
    values = irmeval.evaluate(two, [AP]).values
    checks = {
        two.runs[check.run]: check
        for check in check_left_out(source, [AP], values, how, lambda _: None)
    }
    # the relevant document of the other run is part of R again
    assert checks["team0"].truth[0] == values[0, two.runs.index("team0")].mean()
    assert {check.left_out for check in checks.values()} == {f"team{i}" for i in range(6)}


def several_runs_a_team(seed: int, *, depth: int = 3) -> Collection:
    """Teams of four runs: each orders the same documents of its team, and others that all
    have, at random. What a run has down to a depth is judged; three in ten of a team's
    own documents are relevant.
    """
    rng = np.random.default_rng(seed)
    common = [f"c{i}" for i in range(6)]
    grades = {str(t): {d: int(i % 2 == 0) for i, d in enumerate(common)} for t in range(12)}
    runs: dict[str, dict[str, list[str]]] = {}
    for team, t, run in product(range(12), grades, range(4)):
        own = [f"team{team}-{i}" for i in range(8)]
        found = [*map(str, rng.permutation([*own, *common]))]
        runs.setdefault(f"team{team}-{run}", {})[t] = found
        for document in found[:depth]:
            grades[t].setdefault(document, int(rng.random() < 0.3))
    return cases.collection(grades, runs)


def test_checks_when_teams_have_several_runs_then_intervals_hold_what_all_of_them_add():
    measures, held = [irmeval.measure("nDCG@3"), AP], []
    for seed in range(2):
        made, how = several_runs_a_team(seed), Drawing(draws=200, seed=seed)
        pool = TeamPool.of(made, [run.split("-")[0] for run in made.runs], (), 3)
        learnt = {r: Learnt.of(pool, r) for r in {how.reach(m, pool) for m in measures}}
        values = irmeval.evaluate(made, measures).values
        for check in check_left_out(
            GradeSource(pool, learnt), measures, values, how, lambda _: None
        ):
            _, low, high = check.ends[0]
            held.append((low <= check.truth) & (check.truth <= high))
    # each run filled alone, AP held in three of four
    assert (np.mean(held, axis=0) > 0.93).all()


def test_scores_when_runs_are_of_one_team_then_a_document_of_both_has_one_grade():
    made = pooled(teams=8, new=3)
    lists = _lists(made)
    lists["new-b"] = {t: list(found) for t, found in lists["new"].items()}
    grades = {t: dict(zip(*of, strict=True)) for t, of in _judgments(made).items()}
    both = cases.collection(grades, lists)
    pool = TeamPool.of(both, [run.removesuffix("-b") for run in both.runs])
    reach = HOW.reach(NDCG, pool)
    values = irmeval.evaluate(both, [NDCG]).values
    source = GradeSource(pool, {reach: Learnt.of(pool, reach)})
    found = with_holes(source, [NDCG], values, HOW, lambda _: None)
    a, b = (both.runs.index(run) for run in ("new", "new-b"))
    for part in found[:5]:
        assert part[0, a] == part[0, b]


def test_checks_when_kinds_are_named_then_each_is_left_out_whole():
    made = pooled(teams=10, topics=10, new=0)
    kinds = tuple("even" if int(run[4:]) % 2 == 0 else "odd" for run in made.runs)
    pool, how = pool_of(made, kinds), Drawing(draws=50)
    learnt = {how.reach(NDCG, pool): Learnt.of(pool, how.reach(NDCG, pool))}
    values = irmeval.evaluate(made, [NDCG]).values
    checks = check_left_out(GradeSource(pool, learnt), [NDCG], values, how, lambda _: None)
    assert sum(check.kind for check in checks) == sum(not check.kind for check in checks) == 10


def test_depths_when_a_measure_has_a_cut_off_then_holes_to_it_else_to_the_depth_of_the_pool():
    pool = pool_of(pooled(), depth=7)
    depths = {
        text: (Drawing().deepest(m, pool), Drawing().reach(m, pool))
        for text in ("AP", "P@5", "R@1000")
        if (m := irmeval.measure(text))
    }
    # learnt from the whole pool
    assert depths == {"AP": (7, 7), "P@5": (5, 7), "R@1000": (100, 100)}
    assert Drawing(depth=3).deepest(AP, pool) == 3


def test_bounds_when_deeper_documents_stay_unjudged_then_have_the_interval_of_a_condensed_list():
    made = pooled(teams=8, topics=6, new=0, share=0.02)
    lists = _lists(made)
    judged = {t: dict(zip(*columns, strict=True)) for t, columns in _judgments(made).items()}
    for of in judged.values():
        of |= {"x0": 0, "x1": 0, "x2": 0}
    lists["new"] = {t: ["c0", "c2", "x0", "x1", "x2", "hole", "deep", "c1"] for t in judged}
    grown = cases.collection(judged, lists)
    prime, pool, new = irmeval.measure("AP'"), pool_of(grown, depth=6), grown.runs.index("new")
    source, values = (
        GradeSource(pool, {6: Learnt.of(pool, 6)}),
        irmeval.evaluate(grown, [prime]).values,
    )
    found = with_holes(source, [prime], values, Drawing(draws=100), lambda _: None)
    assert (found.depth[0], found.bounded_to[0]) == (6, 0)
    assert (found.holes[0, new], found.bounded[0, new]) == (6, 12)
    # c1 is seventh on the condensed list; with the deeper document judged it is eighth
    lists_of_new = Filled(grown, grown.grade, new, holes_of(grown, new))
    all_judged = bound_means(values[0, new], lists_of_new, prime, grows=True)
    assert found.high[0, new] > all_judged[1]
    assert found.bound_high[0, new] == found.high[0, new]


@pytest.mark.parametrize(
    ("holes", "many", "share"),
    [
        ((10,), False, 0.1),
        ((5,), False, 0.1),
        ((11,), False, 0.0),
        ((9, 10), True, 0.2),
        ((10, 11), False, 0.1),
    ],
)
def test_unjudged_share_when_holes_are_about_rank_10_then_only_the_top_10_counts(
    holes, many, share
):
    documents = [f"u{rank}" if rank in holes else f"d{rank}" for rank in range(1, 13)]
    judged = {d: int(d == "d1") for d in documents if d[0] == "d"}
    made = cases.collection({"1": judged}, {"mine": {"1": documents}})
    assert have_many_holes(made).tolist() == [many]
    source, values = GradeSource(pool_of(made), {}), irmeval.evaluate(made, [AP]).values
    found = with_holes(source, [AP], values, Drawing(), lambda _: None)
    assert found.unjudged[0] == pytest.approx(share)


def test_scores_when_topics_are_retrieved_by_some_alone_then_the_rest_stays_out():
    made = pooled()
    part = replace(made, policy=replace(made.policy, average="retrieved"))
    found, raw = drawn(part), irmeval.evaluate(part, [NDCG]).means[0]
    np.testing.assert_allclose(found.bound_low[0], raw)
