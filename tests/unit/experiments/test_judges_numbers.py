"""Numbers in the tables on judges, by hand on two topics and three runs."""

import io
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import irmeval
from irmeval.check import qrels_of
from irmeval.collection.merge import merge_judgments
from irmeval.core.errors import UnknownName
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.incompleteness.changes import changes
from irmeval.experiments.planning.holes import Holes, ways_of
from irmeval.experiments.results import table_named
from irmeval.metrics import measure
from irmeval.stats.bootstrap import resamples
from irmeval.stats.correlation import tau_b
from irmeval.stats.mixtures import GroupGains
from tests.cases import collection
from tests.conftest import run_lines
from tests.watched import CURVES
from tests.watched import result as made_of

SYSTEMS, HOLES, JUDGES = (EXPERIMENTS[name] for name in ("systems", "holes", "judges"))
FEW = {"samples": 40, "mixtures": 200}
OWN = {"1": {"a": 1, "b": 0}, "2": {"a": 1}}
OTHER = {"1": {"c": 1}, "2": {"c": 1, "b": 0}}
LISTS = {
    "x": {"1": ["a", "b", "c"], "2": ["a", "b", "c"]},
    "y": {"1": ["b", "a", "c"], "2": ["u", "a", "c"]},
    "z": dict.fromkeys("12", "cba"),
}
"""By RR, x has 1, y 1/2 and z 1/3; by the other judge x and y have 1/3, and z has 1."""


def both(**more):
    return collection(OWN, LISTS).with_judgments("other", OTHER, **more)


def rows(result, name, *columns):
    """The rows of a table, in its order."""
    table = table_named(result, name).make()
    return table[[*columns] or [*table]].to_numpy().tolist()


def scores_by(c, name):
    """RR of each run by a judge."""
    return dict(
        zip(c.runs, irmeval.evaluate(c.judged_by(name), ["RR"]).means[0].tolist(), strict=True)
    )


def test_runs_and_teams_when_the_other_judge_prefers_another_then_it_gains_places_others_lose():
    result = SYSTEMS(both(), ["RR"], SYSTEMS.params(**FEW))
    of_runs = rows(result, "runs", "run", "place by qrels", "place by other", "places gained")
    assert of_runs == [["z", 3, 1, 2], ["y", 2, 2, 0], ["x", 1, 2, -1]]
    assert rows(result, "teams", "team", "places gained, mean", "more than others") == [
        ["x", -1, -2],
        ["y", 0, -0.5],
        ["z", 2, 2.5],
    ]


def test_mixtures_when_two_runs_tie_in_some_of_them_then_they_do_not_swap_there():
    # x and y tie where the other judges both topics; z is before both there, and before y already
    # where one is the other's
    result = SYSTEMS(both(), ["RR"], SYSTEMS.params(**FEW))
    assert rows(result, "mixtures", "pairs that swap in more than 5%", "pairs") == [[2, 3]]


def test_mixtures_when_a_pair_swaps_in_just_so_many_then_is_not_counted_and_seeds_mix_otherwise():
    result = SYSTEMS(both(), ["RR"], SYSTEMS.params(**FEW))
    edge = replace(result, mixed=(result.mixed[0]._replace(swapped=np.array([0.05, 0.06, 0.0])),))
    assert rows(edge, "mixtures", "pairs that swap in more than 5%") == [[1]]
    other = SYSTEMS(both(), ["RR"], SYSTEMS.params(seed=2, **FEW))
    assert other.mixed[0].means.tolist() != result.mixed[0].means.tolist()


def test_systems_when_another_judge_is_named_then_it_is_the_one_compared():
    c = both().with_judgments("third", {"1": {"b": 1}, "2": {"c": 1}})
    result = SYSTEMS(c, ["RR"], SYSTEMS.params(second="third", **FEW))
    assert dict(rows(result, "runs", "run", "third")) == pytest.approx(
        {"x": 5 / 12, "y": 2 / 3, "z": 3 / 4}
    )
    assert result.judges == ("qrels", "third", "other")


def test_holes_when_documents_stand_at_the_rank_named_then_they_are_filled_and_counted():
    result = HOLES(both(), ["RR"], HOLES.params(rates=(100.0,), trials=1, near=1))
    # at rank 1 are a, b, c and a, u, c; nobody of the first judged c, u, c, and the other one did c
    # and c; y has no relevant one there
    assert (
        "other has judged 2 of 3 documents that qrels never judged and runs retrieved down to"
        " rank 1." in result.headline()
    )
    means = dict(rows(result, "summary", "way", "mean"))
    assert means["RR, filled"] == pytest.approx((1 + 1 / 2 + 1) / 3)
    assert means["RR"] == pytest.approx((1 + 1 / 2 + 1 / 3) / 3)
    shares = dict(rows(result, "coverage", "judge", "judged in the top 1, %"))
    assert shares == {"qrels": 50, "other": pytest.approx(100 / 3)}


def test_levels_when_another_judge_joins_then_those_who_are_there_keep_theirs():
    model = {"1": {"a": 1, "b": 2}, "2": {"a": 1, "c": 2}}
    c = (
        collection(OWN, LISTS)
        .with_judgments("model", model, relevant=2)
        .with_judgments("third", {"1": {"a": 1, "c": 2}}, relevant=3)
    )
    c = c.with_judgments("fourth", {"1": {"a": 0}, "2": {"b": 1}})
    table = JUDGES(c.panel.judges, params=JUDGES.params(samples=10)).coverage().set_index("judge")
    assert table["relevant from"].to_dict() == {"qrels": 1, "model": 2, "third": 3, "fourth": 1}
    assert table["relevant"].to_dict() == {"qrels": 2, "model": 2, "third": 0, "fourth": 1}
    assert scores_by(c, "model") == pytest.approx(
        {"x": (1 / 2 + 1 / 3) / 2, "y": (1 + 1 / 3) / 2, "z": (1 / 2 + 1) / 2}
    )


def test_command_when_it_says_from_which_grade_documents_are_relevant_then_scores_are_by_that(
    tmp_path, run_command
):
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    (tmp_path / "model").write_text("1 0 a 1\n1 0 b 2\n")
    (tmp_path / "run").write_text(run_lines("run", {"1": "a b"}))
    command = [
        "evaluate",
        *(f"{tmp_path}/{name}" for name in ("qrels", "run")),
        "-m",
        "RR",
        "--other",
        f"model={tmp_path}/model",
    ]

    def score(*flags):
        table = pd.read_csv(
            io.StringIO(run_command(*command, "--judge", "model", *flags).out), dtype={"topic": str}
        )
        return table["score"].tolist()

    assert (score(), score("--relevant", "model=2")) == ([1], [0.5])


def test_judges_when_seen_by_one_after_another_then_the_own_one_is_compared_with_the_first():
    c = both().with_judgments("third", {"1": {"b": 1}, "2": {"c": 1}})
    seen = c.judged_by("other").judged_by("third")
    result = SYSTEMS(seen, ["RR"], SYSTEMS.params(**FEW))
    table = table_named(result, "runs").make().set_index("run")
    assert table["third"].to_dict() == pytest.approx({"x": 5 / 12, "y": 2 / 3, "z": 3 / 4})
    assert table["qrels"].to_dict() == pytest.approx({"x": 1, "y": 1 / 2, "z": 1 / 3})
    assert set(result.frame()["judge_b"]) == {"qrels"}


def test_biased_judge_when_drawn_from_another_then_errs_on_what_runs_retrieved_of_its_documents():
    lists = {"x": {"1": ["a", "d"]}, "y": {"1": ["e", "d"]}}
    c = collection({"1": {"a": 1, "b": 0, "f": 0}}, lists).with_judgments(
        "model", {"1": {"c": 0, "d": 1, "e": 1}}
    )
    # of what the model judged, x retrieved d
    c = c.with_judgments("biased", "simulated:of=model,strict,1,1,x")
    assert scores_by(c, "model") == {"x": 0.5, "y": 1}
    assert scores_by(c, "biased") == {"x": 0, "y": 1}


def test_simulated_judge_when_documents_have_no_grade_then_has_judged_them_neither(tmp_path):
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 0\n1 0 c -1\n1 0 d -1\n")
    judges = irmeval.read_judges(tmp_path / "qrels", {"lenient": "simulated:lenient,1,1"})
    table = JUDGES(judges, params=JUDGES.params(samples=10)).coverage().set_index("judge")
    assert table["documents"].to_dict() == {"qrels": 2, "lenient": 2}
    assert table["relevant"].to_dict() == {"qrels": 1, "lenient": 2}


def test_places_when_judgments_come_back_then_old_ones_are_of_old_scores_and_a_rising_run_gains():
    c = collection(
        {"1": {"a": 1}}, {"x": {"1": ["a", "n"]}, "y": {"1": ["m", "a"]}, "z": {"1": ["n", "m"]}}
    )
    made = changes(
        c,
        merge_judgments(c, "back", b"1 0 n 1\n1 0 m 0\n"),
        [measure("AP")],
        EXPERIMENTS["judge-next"].params().testing,
    )
    columns = "run", "before", "after", "change", "place before", "place after", "places gained"
    assert rows(made, "scores", *columns) == [
        ["x", 1, 1, 0, 1, 1, 0],
        ["z", 0, 0.5, 0.5, 3, 2, 1],
        ["y", 0.5, 0.25, -0.25, 2, 3, -1],
    ]
    assert "By AP, 2 of 3 runs change place" in made.headline()
    assert "the mean of z changes most, by +0.5000" in made.headline()


def test_systems_when_told_by_hand_then_taus_of_mixtures_sets_and_topics_left_out_are_so():
    own = OWN | {"3": {"a": 1}}
    lists = {run: of | {"3": ["a"]} for run, of in LISTS.items()}
    result = SYSTEMS(
        collection(own, lists).with_judgments("other", OTHER), ["RR"], SYSTEMS.params(**FEW)
    )
    # z before x and y that tie, where the first judge has x, y, z: -2 of pairs, of which 3 and 2
    # are untied
    tau = -2 / 6**0.5
    row = table_named(result, "mixtures").make().iloc[0]
    # by anybody x and z have 1, y has 1/2
    assert (row["lowest"], row["tau of the union"]) == (pytest.approx(tau), 0)
    assert row["tau with the first judge, mean"] > tau
    assert table_named(result, "summary").make().iloc[0]["tau_b"] == pytest.approx(tau)
    union = {"x": 1, "y": 0.5, "z": 1}
    assert dict(rows(result, "runs", "run", "union")) == union
    said = result.headline()
    assert said.startswith("Not fully: by RR, qrels and other order 3 runs with tau -0.82; 2 pairs")
    assert result.verdict().beside == "1 topic that some judge did not judge is left out."
    sure = GroupGains(
        np.array([-1, 0, 2.0]),
        np.array([-2, -0.5, 2.5]),
        np.array([0.01, 0.5, 0.02]),
        np.array([0.06, 0.5, 0.03]),
    )
    assert (
        " By other, runs of z rise 2.5 places compared with the others."
        in replace(result, teams=(sure,)).headline()
    )
    surer = sure._replace(adjusted=np.array([0.01, 0.5, 0.3]))
    assert (
        " By other, runs of x fall 2.0 places compared with the others."
        in replace(result, teams=(surer,)).headline()
    )


def test_systems_when_compared_by_tau_ap_then_either_judges_order_is_taken_as_right():
    # the first judge has a, b, c, the other b, c, a: right by the first is 1 of 1 above c, and none
    # of 2 above a
    lists = {
        "a": {"1": "rus", "2": "rus"},
        "b": {"1": "sru", "2": "sru"},
        "c": {"1": "usr", "2": "usr"},
    }
    c = collection({t: {"r": 1} for t in "12"}, lists).with_judgments(
        "other", {t: {"s": 1} for t in "12"}
    )
    row = table_named(SYSTEMS(c, ["RR"], SYSTEMS.params(**FEW)), "summary").make().iloc[0]
    assert row["tau_ap"] == 0
    assert row["tau_ap_back"] == -0.5


def test_systems_when_pairs_are_decided_then_each_is_taken_alone():
    # x beats y on 6 of 6 topics, by sign test p = 1/32, and z on as many; three pairs make it .09
    own = {str(t): {"a": 1, "b": 0} for t in range(6)}
    lists = {
        "x": dict.fromkeys(own, "ab"),
        "y": dict.fromkeys(own, "ba"),
        "z": dict.fromkeys(own, "ba"),
    }
    c = collection(own, lists).with_judgments("other", {t: {"b": 1} for t in own})
    names = "same way by both", "by qrels alone", "by other alone", "opposed", "by neither"
    for alpha, counts in ((0.05, [0, 0, 0, 2, 1]), (0.01, [0, 0, 0, 0, 3])):
        result = SYSTEMS(c, ["RR"], SYSTEMS.params(test="sign", alpha=alpha, **FEW))
        assert rows(result, "decisions", *names) == [counts]


def holes(**params) -> Holes:
    """Of 200 judgments half are kept and a tenth; there AP has a tau of 1 and .8, and
    .95 filled.
    """
    ways = ways_of((measure("AP"),))[:2]
    full = np.array([np.arange(5.0)] * 2)
    means = np.array(
        [[[0, 1, 2, 3, 4], [1, 0, 2, 3, 4]], [[0, 1, 2, 3, 4], [0, 1, 2, 3, 4]]], float
    )[:, :, None]
    given = HOLES.params(rates=(50, 10), trials=1, **params)
    panel = SimpleNamespace(
        judges=irmeval.Judges.from_dicts({name: {"1": {"a": 1}} for name in ("person", "model")})
    )
    return Holes(
        full,
        means,
        (measure("AP"),),
        tuple("abcde"),
        given,
        np.array([[100.0], [20.0]]),
        np.array([[50.0], [10.0]]),
        0,
        0,
        ways,
        panel,
        "model",
    )


def test_holes_when_few_judgments_suffice_then_the_table_says_how_many_of_all():
    # tau falls from 1 to .8 between half and a tenth of 200 judgments: .9 is at 30%, .84 at 18%
    assert rows(holes(), "suffices") == [["AP", "30.0", "60"], ["AP, filled", "< 10", "< 20"]]
    assert rows(holes(threshold=0.84), "suffices")[0] == ["AP", "18.0", "36"]
    assert rows(holes(threshold=0.5), "suffices")[0] == ["AP", "< 10", "< 20"]
    claim, beside, below = holes().verdict()
    assert claim == (
        "Ask the other judge: with 10% of the judgments, AP filled by model keeps the order best"
        " (tau 1.00)."
    )
    assert (beside, below) == ("", "Tau is 0.80 for AP.")
    # where all that runs retrieved down to there is judged
    assert holes(near=5).headline() == holes().headline()


def test_holes_when_the_first_judge_did_not_judge_a_given_document_then_filled_only_near_the_top():
    c = collection({"1": {"a": 1, "n": -1}}, {"x": {"1": ["n", "a"]}}).with_judgments(
        "other", {"1": {"a": 0, "n": 1}}
    )
    means = {
        near: dict(
            rows(
                HOLES(c, ["RR"], HOLES.params(rates=(100,), trials=1, near=near)),
                "summary",
                "way",
                "mean",
            )
        )
        for near in (0, 1)
    }
    assert (means[0]["RR, filled"], means[1]["RR, filled"]) == (0.5, 1)


def three() -> irmeval.Judges:
    """A model that is more lenient than a person, and one that agrees with the
    person.
    """
    person = {"1": {"a": 2, "b": 1, "c": 0, "d": 0}}
    return irmeval.Judges.from_dicts(
        {"person": person, "model": {"1": {"a": 1, "b": 1, "c": 0, "d": 1}}, "twin": person}
    )


def test_documents_when_told_by_hand_then_grades_of_either_judge_stand_in_their_columns():
    result = JUDGES(three(), params=JUDGES.params(samples=10))
    met = {
        tuple(row[2:4]): row[4] for row in rows(result, "grades") if row[:2] == ["person", "model"]
    }
    assert met == {
        (g, h): int((g, h) in {(2, 1), (1, 1), (0, 0), (0, 1)}) for g in range(3) for h in range(3)
    }
    said = result.headline()
    assert said.startswith(
        "person and model give the same grade to 50% of 4 documents; Krippendorff's alpha is 0.54."
    )
    assert said.endswith(
        " person marks 50% of them relevant, model 75%. Of 3 pairs of judges, person and twin agree"
        " most (alpha 1.000), 2 of 3 pairs of judges least (0.537)."
    )


def test_documents_when_topics_have_as_many_then_intervals_are_those_of_a_mean_moved_for_skew():
    rng = np.random.default_rng(1)
    grades = {
        name: {str(t): {f"d{d}": int(rng.integers(2)) for d in range(5)} for t in range(8)}
        for name in ("a", "b")
    }
    result = JUDGES(
        irmeval.Judges.from_dicts(grades), params=JUDGES.params(samples=30, level=50, seed=4)
    )
    same = [
        sum(grades["a"][str(t)][d] == g for d, g in grades["b"][str(t)].items()) for t in range(8)
    ]
    drawn = resamples(np.random.default_rng(4), 30, 8)
    shares = np.array(
        [sum(n * s for n, s in zip(times, same, strict=True)) / 40 for times in drawn]
    )
    # Student's t with 7 degrees of freedom, in the middle 50%
    t, error = 0.7111417808, np.std(same, ddof=1) / 5 / np.sqrt(8)
    middle = (
        sum(same) / 40
        + error * np.mean((shares - shares.mean()) ** 3) / shares.std() ** 3 * (2 * t * t + 1) / 12
    )
    row = table_named(result, "summary").make().set_index("statistic").loc["Same grade"]
    assert (row["low"], row["high"]) == pytest.approx((middle - t * error, middle + t * error))


def test_judges_when_they_judged_other_topics_then_pairs_are_compared_on_those_of_all():
    graded = {
        "one": {"1": "1100", "2": "1100"},
        "two": {"1": "0110", "2": "1100"},  # agrees on topic 2 alone
        "three": {"1": "1000"},
    }

    def told(*topics: str) -> str:
        qrels = {
            name: qrels_of(
                collection(
                    {t: dict(zip("abcd", map(int, of[t]), strict=True)) for t in topics if t in of},
                    {"run": {t: ["a"] for t in topics}},
                )
            )
            for name, of in graded.items()
        }
        return EXPERIMENTS["judges"](irmeval.Judges.of(qrels), samples=20).headline()

    both, first = told("1", "2"), told("1")
    ranked = first[first.index("Of 3 pairs of judges, ") : -1]
    assert ranked.startswith("Of 3 pairs of judges, one and three agree most")
    assert both.endswith(f"{ranked}, on the 1 topic that all have judged.")


def test_documents_when_there_is_one_topic_then_no_interval_is_told():
    grades = {"a": {"1": {"x": 0, "y": 1, "z": 2}}, "b": {"1": {"x": 1, "y": 1, "z": 2}}}
    result = JUDGES(irmeval.Judges.from_dicts(grades), params=JUDGES.params(samples=10))
    assert np.isfinite(result.pooled).all()
    assert np.isnan([result.low, result.high, result.mean_low, result.mean_high]).all()
    assert "interval" not in result.headline()


def test_expected_when_the_first_judges_grades_are_mapped_then_it_is_not_told(tmp_path):
    (tmp_path / "qrels").write_text("1 0 a 2\n1 0 b 1\n1 0 c 0\n")
    for maps, told in (({}, True), ({"qrels": {2: 1}}, False)):
        judges = irmeval.read_judges(
            tmp_path / "qrels", {"strict": "simulated:strict,0.5,1"}, maps=maps
        )
        names = [table.name for table in JUDGES(judges, params=JUDGES.params(samples=10)).tables()]
        assert ("expected" in names) is told


def test_care_when_trials_are_several_then_each_draws_anew_and_kappa_is_cohens():
    qrels = {str(t): {f"d{d}": d % 4 for d in range(12)} for t in range(3)}
    lists = {
        f"r{r}": {t: [f"d{(d * (r + 1) + r) % 12}" for d in range(11 - r)] for t in qrels}
        for r in range(3)
    }
    lists = {
        run: {t: [*dict.fromkeys(docs)] for t, docs in of.items()} for run, of in lists.items()
    }
    c = collection(qrels, lists)
    asked = {"of": "care", "levels": (0, 50), "seed": 5, "watch": ("order", "kappa")}
    found = CURVES(c, ["AP"], trials=2, **asked)
    said = found.frame().query("level == 50").set_index("trial")["kappa"]
    for trial in (1, 2):
        judges = c.with_judgments("other", f"simulated:noisy,0.5,{4 + trial}").panel.judges
        table = (
            table_named(JUDGES(judges, params=JUDGES.params(samples=10)), "summary")
            .make()
            .set_index("statistic")
        )
        assert said[trial] == pytest.approx(table.loc["Cohen's kappa", "pooled"])
    assert said[1] != said[2]
    worst = CURVES(c, ["AP", "R@3"], by="judge=lenient,strict", trials=1, **asked)
    assert worst.headline().startswith("By simulated judges wrong on 50%, by AP, ")
    tau = worst.values["tau"]
    assert tau[:, :, 0].min() == 1  # each measure's order beside its own
    assert tau_b(*irmeval.evaluate(c, ["AP", "R@3"]).means) < 1


def test_care_when_tau_falls_below_9_then_kappa_is_on_a_line_of_two_shares_else_none():
    kappa = np.broadcast_to([[1.0], [0.6], [0.2]], (4, 3, 1))
    tau = np.array([[1, 0.95, 0.85], [1, 0.8, 0.7], [1, 1, 0.95], [0.9, 0.9, 0.9]])[None, ..., None]
    kinds = ("lenient", "strict", "noisy", "binary")
    asked = {"of": "care", "by": f"judge={','.join(kinds)}", "watch": ("order", "kappa")}
    params = CURVES.params(levels=(0, 10, 30), trials=1, **asked)
    values, whole = {"tau": tau, "kappa": kappa}, {"tau": np.ones((1, 4)), "kappa": np.ones(4)}
    left = np.full((4, 3, 1), np.nan)
    found = made_of(params, values, whole, left, measures=("AP",), lines=kinds)
    needed = table_named(found, "crossings").make().set_index("line")["kappa at tau 0.9"]
    assert needed.to_numpy() == pytest.approx([0.4, 0.8, np.nan, np.nan], nan_ok=True)
    figure = next(chart for chart in found.charts() if chart.name == "tau-by-kappa-1").draw()
    assert [note.text for note in figure.layout.annotations] == [
        "lenient 0.40",
        "strict 0.80",
        "noisy",
        "binary",
    ]
    assert figure.layout.xaxis.range[0] > figure.layout.xaxis.range[1]


def test_judges_when_another_one_is_asked_for_then_the_sentence_and_next_steps_are_about_that_one():
    judges = irmeval.Judges.from_dicts(
        {"first": OWN, "same": OWN, "other": {"1": {"a": 0}, "2": {"c": 1}}}
    )
    found = JUDGES(judges, second="other", samples=20)
    assert found.headline().startswith(
        "first and other give different grades to the only document that both judged. "
    )
    assert (
        JUDGES(judges, samples=20)
        .headline()
        .startswith("first and same give the same grade to 100% of 3 documents")
    )
    assert found.next_steps()[0].question == "Do first and other order runs alike?"
    with pytest.raises(UnknownName, match="first"):
        JUDGES(judges, second="first")


@pytest.mark.parametrize(
    ("kappa", "said"),
    [
        ((1.0, 0.8, 0.5), "Kappa falls below 0.9 at 5%."),
        ((0.8, 0.7, 0.5), "Kappa falls below 0.9 already at 0%."),
        ((1.0, 1.0, 0.95), "Kappa falls below 0.9: not up to 30%."),
    ],
)
def test_kappa_when_of_no_measure_and_no_line_then_its_fall_is_told_without_a_name(kappa, said):
    params = CURVES.params(levels=(0, 10, 30), trials=1, of="care", watch=("kappa",))
    values = {"kappa": np.array(kappa)[None, :, None]}
    left = np.full((1, 3, 1), np.nan)
    found = made_of(params, values, {"kappa": np.ones(1)}, left, measures=("AP",), lines=("",))
    assert found.headline().endswith(f". {said}")
