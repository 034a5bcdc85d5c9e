"""Numbers in the tables on judges, as they come out by hand on two topics and three runs."""

import io

import pandas as pd
import pytest

import irmeval
from irmeval.budget import take_back
from irmeval.cli import main
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.results import table_named
from irmeval.metrics import measure
from irmeval.returned import changes
from tests.cases import collection
from tests.conftest import run_lines

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
    return table_named(result, name).make()[[*columns]].to_numpy().tolist()


def scores_by(c, name):
    """RR of each run by a judge."""
    return dict(zip(c.runs, irmeval.evaluate(c.judged_by(name), ["RR"]).means[0].tolist(), strict=True))


def test_runs_and_teams_when_the_other_judge_prefers_another_one_then_it_gains_the_places_that_others_lose():
    result = SYSTEMS(both(), ["RR"], SYSTEMS.params(**FEW))
    of_runs = rows(result, "runs", "run", "place by qrels", "place by other", "places gained")
    assert of_runs == [["z", 3, 1, 2], ["y", 2, 2, 0], ["x", 1, 2, -1]]
    assert rows(result, "teams", "team", "places gained, mean", "more than others") == [["x", -1, -2], ["y", 0, -0.5], ["z", 2, 2.5]]


def test_mixtures_when_two_runs_tie_in_some_of_them_then_they_do_not_swap_there():
    # x and y tie where the other judges both topics; z is before both there, and before y already where one is the other's
    result = SYSTEMS(both(), ["RR"], SYSTEMS.params(**FEW))
    assert rows(result, "mixtures", "pairs that swap in more than 5%", "pairs") == [[2, 3]]


def test_holes_when_documents_stand_at_the_rank_named_then_they_are_filled_and_counted():
    result = HOLES(both(), ["RR"], HOLES.params(rates=(100.0,), trials=1, near=1))
    # at rank 1 are a, b, c and a, u, c; nobody of the first judged c, u, c, and the other one did c and c; y has no relevant one there
    assert "Of 3 documents that no judgment was made of and runs have down to rank 1, other has judged 2." in result.headline()
    means = dict(rows(result, "summary", "way", "mean"))
    assert means["RR, filled"] == pytest.approx((1 + 1 / 2 + 1) / 3)
    assert means["RR"] == pytest.approx((1 + 1 / 2 + 1 / 3) / 3)
    shares = dict(rows(result, "coverage", "judge", "judged in the top 1, %"))
    assert shares == {"qrels": 50, "other": pytest.approx(100 / 3)}


def test_levels_when_another_judge_joins_then_those_who_are_there_keep_theirs():
    model = {"1": {"a": 1, "b": 2}, "2": {"a": 1, "c": 2}}
    c = collection(OWN, LISTS).with_judgments("model", model, relevant=2).with_judgments("third", {"1": {"a": 1, "c": 2}}, relevant=3)
    c = c.with_judgments("fourth", {"1": {"a": 0}, "2": {"b": 1}})
    table = JUDGES(c.panel.judges, params=JUDGES.params(samples=10)).coverage().set_index("judge")
    assert table["relevant from"].to_dict() == {"qrels": 1, "model": 2, "third": 3, "fourth": 1}
    assert table["relevant"].to_dict() == {"qrels": 2, "model": 2, "third": 0, "fourth": 1}
    assert scores_by(c, "model") == pytest.approx({"x": (1 / 2 + 1 / 3) / 2, "y": (1 + 1 / 3) / 2, "z": (1 / 2 + 1) / 2})


def test_command_when_it_says_from_which_grade_a_judge_finds_documents_relevant_then_scores_are_by_that(tmp_path, capsys):
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    (tmp_path / "model").write_text("1 0 a 1\n1 0 b 2\n")
    (tmp_path / "run").write_text(run_lines("run", {"1": "a b"}))
    command = ["evaluate", *(f"{tmp_path}/{name}" for name in ("qrels", "run")), "-m", "RR", "--other", f"model={tmp_path}/model"]

    def score(*flags):
        main([*command, "--judge", "model", *flags])
        table = pd.read_csv(io.StringIO(capsys.readouterr().out), dtype={"topic": str})
        return table["score"].tolist()

    assert (score(), score("--relevant", "model=2")) == ([1], [0.5])


def test_judges_when_seen_by_one_after_another_then_the_collections_own_is_compared_with_the_first():
    c = both().with_judgments("third", {"1": {"b": 1}, "2": {"c": 1}})
    seen = c.judged_by("other").judged_by("third")
    result = SYSTEMS(seen, ["RR"], SYSTEMS.params(**FEW))
    table = table_named(result, "runs").make().set_index("run")
    assert table["third"].to_dict() == pytest.approx({"x": 5 / 12, "y": 2 / 3, "z": 3 / 4})
    assert table["qrels"].to_dict() == pytest.approx({"x": 1, "y": 1 / 2, "z": 1 / 3})
    assert set(result.frame()["judge_b"]) == {"qrels"}


def test_biased_judge_when_drawn_from_another_then_errs_on_what_runs_retrieved_of_that_ones_documents():
    lists = {"x": {"1": ["a", "d"]}, "y": {"1": ["e", "d"]}}
    c = collection({"1": {"a": 1, "b": 0, "f": 0}}, lists).with_judgments("model", {"1": {"c": 0, "d": 1, "e": 1}})
    c = c.with_judgments("biased", "simulated:of=model,strict,1,1,x")  # of what the model judged, x retrieved d
    assert scores_by(c, "model") == {"x": 0.5, "y": 1}
    assert scores_by(c, "biased") == {"x": 0, "y": 1}


def test_simulated_judge_when_documents_have_no_grade_then_has_judged_them_neither(tmp_path):
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 0\n1 0 c -1\n1 0 d -1\n")
    judges = irmeval.read_judges(tmp_path / "qrels", {"lenient": "simulated:lenient,1,1"})
    table = JUDGES(judges, params=JUDGES.params(samples=10)).coverage().set_index("judge")
    assert table["documents"].to_dict() == {"qrels": 2, "lenient": 2}
    assert table["relevant"].to_dict() == {"qrels": 1, "lenient": 2}


def test_places_when_judgments_come_back_then_those_before_are_of_the_old_scores_and_a_run_that_rises_gains():
    c = collection({"1": {"a": 1}}, {"x": {"1": ["a", "n"]}, "y": {"1": ["m", "a"]}, "z": {"1": ["n", "m"]}})
    made = changes(c, take_back(c, "back", b"1 0 n 1\n1 0 m 0\n"), [measure("AP")], EXPERIMENTS["budget"].params().testing)
    columns = "run", "before", "after", "change", "place before", "place after", "places gained"
    assert rows(made, "scores", *columns) == [["x", 1, 1, 0, 1, 1, 0], ["z", 0, 0.5, 0.5, 3, 2, 1], ["y", 0.5, 0.25, -0.25, 2, 3, -1]]
    assert "By AP, 2 of 3 runs change place" in made.headline()
    assert "z changes most, by +0.5000" in made.headline()
