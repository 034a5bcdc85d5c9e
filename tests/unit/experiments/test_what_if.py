"""What if: scores with holes judged, what is said of them, and where they stand on the
leaderboard.
"""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

import irmeval
from irmeval.core.numbers import per_cent
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.incompleteness.unsure_pairs import LABELS as UNSURE_LABELS
from irmeval.report import as_table
from irmeval.scoring.hole_bounds import bound_means
from irmeval.scoring.sign_probability import SHARE, difference_moments, moments, rank_documents
from irmeval.stats.pairs import sign_probability
from tests import cases
from tests.unit.scoring.test_with_holes import pooled

MEASURES = ["nDCG@6", "P@3"]


def found(made: irmeval.Collection | None = None, measures=MEASURES, **params):
    return EXPERIMENTS["what-if"](
        made or pooled(teams=10, topics=8), measures, draws=100, team_rule="99", **params
    )


def test_table_when_a_run_has_holes_then_its_score_is_between_the_bounds():
    frame = found().to_frame("runs").set_index(["measure", "run"])
    assert [*frame] == [
        *(
            "unjudged",
            "holes",
            "grades_drawn",
            "bounds_of",
            "score",
            "condensed",
            "holes_mean",
            "holes_low",
            "holes_high",
            "bound_low",
            "bound_high",
            "extrapolates_to",
        )
    ]
    new = frame.loc[("nDCG@6", "new")]
    assert (
        new["score"]
        == new["bound_low"]
        < new["holes_low"]
        < new["holes_mean"]
        < new["holes_high"]
        < new["bound_high"]
    )
    assert frame.loc[("P@3", "new"), "holes"] == 24
    assert frame.loc[("nDCG@6", "team0"), "holes_mean"] == pytest.approx(
        frame.loc[("nDCG@6", "team0"), "score"]
    )


def test_sentence_when_a_run_has_holes_then_it_says_how_the_intervals_hold():
    claim, _, said = found().verdict()
    assert claim.startswith("If judged further, new would score ")
    assert said.startswith("50% of the top 10 of new is unjudged, the most. Its nDCG@6 would be ")
    assert (
        "whatever their grades down to rank 6). With each team left out, intervals of nDCG@6"
        " contain the true score for " in said
    )
    assert " of 10 runs (" in said


@pytest.mark.parametrize(("new", "unlike"), [(6, ["1 of 11 runs"]), (0, [])])
def test_notes_when_no_run_is_unlike_the_others_then_no_interval_is_called_wider(new, unlike):
    notes = [note for note in found(pooled(teams=10, topics=8, new=new)).notes() if "wider" in note]
    assert [note[:12] for note in notes] == unlike


def test_chart_of_errors_when_drawn_then_no_way_of_scoring_is_cut():
    (errors,) = [chart for chart in found().charts() if chart.name == "errors"]
    assert not any("…" in text for text in errors.draw().layout.yaxis.ticktext)


def test_sentence_when_every_document_is_judged_then_that_is_all():
    result = found(pooled(new=0))
    assert result.headline() == "No run has an unjudged document that could change its nDCG@6."


@pytest.mark.parametrize(
    ("measure", "said"),
    [
        ("P@2", "No run has an unjudged document that could change its P@2."),
        # deeper relevant documents are part of R
        ("R@2", "Every document down to rank 2 is judged; deeper ones are not."),
        (
            "AP",
            "If judged further, mine would score 0.750 to 0.778 by AP in place of 0.750. 20% of the"
            " top 10 of mine is unjudged, the most. Its AP would be between 0.7500 and 0.7778,"
            " whatever the grades of 1 unjudged document in its lists.",
        ),
    ],
)
def test_sentence_when_a_document_below_the_pool_is_unjudged_then_only_what_is_so_of_it(
    measure, said
):
    judged = {"1": {"a": 1, "b": 0, "c": 1}, "2": {"a": 1, "b": 0}}
    top = ["a", "b"]
    lists = {"mine": {"1": [*top, "u"], "2": top}, "other": {"1": top, "2": top}}
    result = EXPERIMENTS["what-if"](cases.collection(judged, lists), [measure], pool=2)
    assert result.headline().startswith(said)


@pytest.mark.parametrize("measure", ["AP", "P@2"])
def test_sentence_when_nothing_is_relevant_then_it_says_that_and_no_bound_is_given(measure):
    made = cases.collection(
        {"1": {f"d{i}{j}": 0 for i in range(6) for j in range(4)}},
        {f"r{i}": {"1": [*(f"d{i}{j}" for j in range(4)), "u"]} for i in range(6)},
    )
    result = EXPERIMENTS["what-if"](made, [measure], team_rule="99", draws=20)
    assert result.headline() == (
        "No document is judged relevant. Nothing tells the grades of unjudged documents, and no run"
        f" has a score by {measure}."
    )
    assert result.frame()["bound_high"].isna().all()


@pytest.mark.parametrize(
    ("lists", "said"),
    [
        (
            {"x": ["u", "a"], "y": ["v", "a"]},
            "50% of the top 10 of x is unjudged, as of 1 other run.",
        ),
        ({"x": ["u", "a"], "y": ["a"]}, "50% of the top 10 of x is unjudged, the most."),
        ({"x": ["u", "a"]}, "50% of the top 10 of x is unjudged."),
    ],
)
def test_sentence_when_runs_have_as_many_holes_then_none_is_called_the_most(lists, said):
    made = cases.collection({"1": {"a": 1}}, {run: {"1": of} for run, of in lists.items()})
    assert EXPERIMENTS["what-if"](made, ["P@2"]).verdict().below.startswith(said)


def test_sentence_when_all_holes_are_below_the_top_then_it_is_about_the_run_with_most():
    judged = {f"d{i}": i % 2 for i in range(10)}
    made = cases.collection(
        {"1": judged}, {"few": {"1": [*judged, "x"]}, "many": {"1": [*judged, "y", "z"]}}
    )
    said = EXPERIMENTS["what-if"](made, ["P@20"]).verdict()
    assert said.claim.startswith("If judged further, many would score 0.250 to 0.350 by P@20")
    assert said.below.startswith("many has 2 unjudged documents below the top 10, the most. ")


def test_sentence_when_only_one_team_is_there_then_bounds_stand_alone_and_it_says_why():
    made = cases.collection({"1": {"a": 1}, "2": {"a": 1}}, {"mine": {"1": ["x", "a"], "2": ["a"]}})
    result = EXPERIMENTS["what-if"](made, ["P@2"])
    assert (
        result.headline()
        == "If judged further, mine would score 0.500 to 0.750 by P@2 in place of 0.500. 33% of"
        " the top 10 of mine is unjudged. Its P@2 would be between 0.5000 and 0.7500, whatever"
        " their grades down to rank 2. Bounds alone:"
        " expected at least 5 teams with 20 judged documents that no other team found, found 1"
        " team with 1."
    )
    assert [table.name for table in result.tables()] == ["runs"]
    assert result.notes() == []


def test_sentence_when_nothing_of_a_run_is_judged_then_it_has_bounds():
    made = cases.collection({"1": {"a": 1}}, {"mine": {"1": ["x", "y"]}})
    row = EXPERIMENTS["what-if"](made, ["P@2"]).frame().iloc[0]
    assert (row["unjudged"], row["holes"], row["bound_low"], row["bound_high"]) == (1, 2, 0, 1)


def test_held_when_teams_are_left_out_then_shares_are_those_of_the_runs_left_out():
    result = found()
    runs, held = (
        result.to_frame("left-out"),
        result.to_frame("held").set_index(["measure", "left_out", "prior"]),
    )
    for measure in MEASURES:
        own = runs[runs["measure"] == measure]
        inside = (own["low"] <= own["truth"] + 1e-9) & (own["truth"] <= own["high"] + 1e-9)
        row = held.loc[(measure, "team", "learnt")]
        assert (row["runs"], row["held"]) == (len(own), pytest.approx(inside.mean()))
        assert row["width"] == pytest.approx((own["high"] - own["low"]).mean())
        assert row["low"] <= row["held"] <= row["high"]
        raw = held.loc[(measure, "team", "raw")]
        assert raw["bias"] == pytest.approx((own["raw"] - own["truth"]).mean())
        assert np.isnan(raw["held"])


def test_held_when_each_run_is_there_twice_then_the_interval_is_no_narrower():
    result = found()
    twice = replace(result, checks=[check for check in result.checks for _ in range(2)])
    once, again = (of.to_frame("held").dropna() for of in (result, twice))
    assert (again["runs"] == 2 * once["runs"]).all()
    assert (again["teams"] == once["teams"]).all()
    assert once["held"].between(0.01, 0.99).any()
    np.testing.assert_array_equal(again["held"], once["held"])
    assert (again["low"] <= once["low"]).all()
    assert (again["high"] >= once["high"]).all()
    assert "of 20 runs of 10 teams (" in twice.headline()


def moved(result, by: float):
    """The same result with other true scores."""
    checks = [check._replace(truth=check.truth + by) for check in result.checks]
    return replace(result, checks=checks)


def test_sentence_when_intervals_hold_too_rarely_then_it_says_to_rely_on_the_bounds():
    result = found()
    assert "too rare" not in result.headline()
    assert moved(result, 1.0).headline().endswith("This is too rare: rely on the bounds.")
    # 8 of 10 may still be .95
    missed = [moved(result, 1.0).checks[0], moved(result, 1.0).checks[1], *result.checks[2:]]
    (row, *_) = (some := replace(result, checks=missed)).held(0)
    assert row.low < 0.95 < row.high
    assert "too rare" not in some.headline()


def test_chart_of_checks_when_runs_are_many_then_it_has_the_best(monkeypatch):
    monkeypatch.setattr("irmeval.experiments.incompleteness.what_if.READABLE", 3)
    result = found()
    (chart,) = [chart for chart in result.charts() if chart.name == "held"]
    best = sorted(result.checks, key=lambda check: -check.truth[0])[:3]
    shown = chart.draw().layout.yaxis.ticktext
    assert {*shown} == {result.runs[check.run] for check in best}


def test_held_when_kinds_are_given_then_kinds_are_left_out_too():
    kinds = "even,team0,team2,team4,team6,team8;odd,team1,team3,team5,team7,team9"
    result = found(kinds=kinds)
    assert set(result.to_frame("held")["left_out"]) == {"team", "kind"}
    frame = result.frame().drop_duplicates("run").set_index("run")["extrapolates_to"]
    assert frame["new"] == "another kind"
    assert (frame.drop("new") == "another team").all()
    assert "With each kind left out" in result.headline()


def test_leaderboard_with_holes_then_it_has_the_columns_of_what_if():
    made = pooled(teams=10, topics=8)
    board = EXPERIMENTS["leaderboard"](made, MEASURES, holes=True, team_rule="99")
    own = (
        EXPERIMENTS["what-if"](made, MEASURES, team_rule="99").frame().set_index(["run", "measure"])
    )
    frame = board.frame().set_index(["run", "measure"])
    for name in ("holes_mean", "holes_low", "holes_high", "bound_low", "bound_high"):
        np.testing.assert_array_equal(frame[name], own[name].reindex(frame.index))
    assert "nDCG@6 holes_mean" in as_table(board, "csv").splitlines()[0]
    assert "nDCG@6 with holes | nDCG@6 bounds" in as_table(board).splitlines()[0]
    assert "holes_mean" not in EXPERIMENTS["leaderboard"](made, MEASURES).frame()


def test_leaderboard_with_holes_when_a_measure_is_about_judgments_then_it_has_none():
    board = EXPERIMENTS["leaderboard"](
        pooled(teams=10, topics=8), ["nDCG@6", "Judged@3"], holes=True, team_rule="99"
    )
    frame = board.frame()
    assert frame[frame["measure"] == "Judged@3"]["holes_mean"].isna().all()
    assert frame[frame["measure"] == "nDCG@6"]["holes_mean"].notna().all()


def test_what_if_when_a_measure_is_about_judgments_then_it_is_refused():
    with pytest.raises(irmeval.ParamError, match="Judged@10 is about judgments"):
        found(measures=["Judged@10"])


def test_what_if_when_ideal_lists_are_fixed_then_scores_are_higher():
    grows, fixed = (
        found(measures=["AP"], ideal=ideal).frame()["holes_mean"] for ideal in ("grows", "fixed")
    )
    assert (fixed >= grows - 1e-12).all()
    assert (fixed > grows).any()


def test_pair_when_two_runs_are_named_then_their_difference_has_an_interval_and_a_sign():
    result = found(pair="new,team0")
    row = result.to_frame("pair").set_index("measure").loc["nDCG@6"]
    frame = result.frame().set_index(["measure", "run"])
    assert row["difference"] == pytest.approx(
        frame.loc[("nDCG@6", "new"), "score"] - frame.loc[("nDCG@6", "team0"), "score"]
    )
    assert row["low"] <= row["with holes judged"] <= row["high"]
    assert 0.5 <= row["draws with its sign"] <= 1
    safe = row["low"] > 0 or row["high"] < 0
    said = result.verdict("nDCG@6")
    assert f"new minus team0 would be {row['with holes judged']:+.4f} by nDCG@6 (" in said.beside
    assert f"its sign {'is safe' if safe else 'is not safe'}." in said.beside
    better, worse = ("new", "team0") if row["with holes judged"] > 0 else ("team0", "new")
    share = per_cent(row["draws with its sign"])
    assert f"{better} beats {worse} by nDCG@6 in {share} of the draws." in said.claim


def test_unsure_pairs_when_made_by_hand_then_the_least_sure_is_first_without_a_probability():
    # of x and z, one of four documents is unjudged; y and z are alike but for documents of 1/2
    lists = {
        "x": {"1": ["a", "b"], "2": ["r", "n"]},
        "y": {"1": ["u", "a"], "2": ["r", "n"]},
        "z": {"1": ["v", "b"], "2": ["n", "w"]},
    }
    made = cases.collection({"1": {"a": 1, "b": 1, "c": 0, "d": 0}, "2": {"r": 1, "n": 0}}, lists)
    result = EXPERIMENTS["what-if"](made, ["nDCG@2", "P@2"])
    frame = result.to_frame("unsure-pairs")
    assert [*frame] == [*UNSURE_LABELS]
    assert set(frame["measure"]) == {"P@2"}
    ranked = rank_documents(made)
    moved = moments(made, irmeval.measure("P@2"), ranked, SHARE)
    expected, deviation = difference_moments(moved)
    sure = dict(zip(combinations(made.runs, 2), sign_probability(expected, deviation), strict=True))
    listed = [*zip(frame["run a"], frame["run b"], strict=True)]
    assert listed == sorted((p for p in sure if sure[p] < 0.95), key=sure.__getitem__)
    first, *_ = result.next_steps()
    assert first.page == "what-if"
    assert first.settings == {"pair": listed[0]}


def test_pair_when_another_is_named_then_the_rest_is_not_computed_again(monkeypatch):
    made, store, what_if = pooled(teams=10, topics=8), {}, EXPERIMENTS["what-if"]
    results = []
    for pair in ("new,team0", "team1,new"):
        results.append(
            what_if.compute(
                what_if.work(made, MEASURES, what_if.params(pair=pair, team_rule="99"), store=store)
            )
        )
        monkeypatch.setattr("irmeval.experiments.incompleteness.what_if.check_left_out", None)
    assert [(each.run_a, each.run_b) for result in results for each in result.differences[:1]] == [
        ("new", "team0"),
        ("team1", "new"),
    ]
    assert results[0].params.pair == "new,team0"
    assert results[0].checks is results[1].checks


def test_preview_when_fewer_grades_are_drawn_then_bounds_are_final_and_not_computed_again(
    monkeypatch,
):
    made, what_if, calls = pooled(teams=10, topics=8), EXPERIMENTS["what-if"], list[int]()

    def counted(*given, **how):
        calls.append(1)
        return bound_means(*given, **how)

    monkeypatch.setattr("irmeval.scoring.with_holes.bound_means", counted)
    first, last = what_if.compute_in_steps(
        what_if.work(made, MEASURES, what_if.params(team_rule="99"))
    )
    assert len(calls) == len(MEASURES) * len(made.runs)
    assert (first.params.draws, first.checks, last.params.draws) == (100, [], 1000)
    assert (first.ends.found.bound_high == last.ends.found.bound_high).all()
    assert "true score" not in first.headline()
    assert "true score" in last.headline()
    assert last.frame().equals(what_if(made, MEASURES, team_rule="99").frame())


@pytest.mark.parametrize("teams", [10, 3], ids=["learnt", "nothing learnt"])
@pytest.mark.parametrize("pair", ["new", "new,new"])
def test_pair_when_it_is_no_pair_then_it_is_refused(pair, teams):
    with pytest.raises(irmeval.ParamError, match="pair: expected two runs, found 1"):
        found(pooled(teams=teams), pair=pair)
