"""What to judge next, and what returned judgments change: against plain loops, and
against judging and scoring again.
"""

import io
import random
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import irmeval
from irmeval.collection.joining import NEAR
from irmeval.collection.merge import merge_judgments
from irmeval.core.errors import ParamError, ReadError
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.incompleteness.changes import changes
from irmeval.judges.base import disagreement
from irmeval.metrics import measure
from irmeval.scoring.selection import Selection, select
from tests.cases import collection, written

BUDGET = EXPERIMENTS["judge-next"]
MEASURES = ["AP", "nDCG@10", "RBP(p=0.9)", "Q'", "Bpref", "NumRelRet", "RR"]
pytestmark = pytest.mark.usefixtures("files_read_once")


def drawn(seed, topics=3, documents=140, runs=3):
    """Judgments with holes, and lists longer than what is known of unjudged documents:
    topic -> document -> grade, run -> topic -> list.
    """
    rng = np.random.default_rng(seed)
    names = [f"d{i}" for i in range(documents)]
    pool = {
        str(t): {
            d: int(rng.integers(-1, 3)) for d in rng.choice(names, documents // 3, replace=False)
        }
        for t in range(topics)
    }
    for judged in pool.values():
        judged["d0"] = 2
    lists = {
        f"r{r}": {
            t: [str(d) for d in rng.permutation(names)[: rng.integers(NEAR, documents)]]
            for t in pool
        }
        for r in range(runs)
    }
    return pool, lists


def judged(pool, more):
    """The judgments with more of them: (topic, document) -> grade."""
    return {
        t: of | {d: g for (topic, d), g in more.items() if topic == t} for t, of in pool.items()
    }


def keys(frame):
    return list(zip(frame["topic"], frame["document"], strict=True))


@given(st.integers(0, 10_000), st.integers(1, 80))
@settings(max_examples=8, deadline=None)
def test_list_by_residual_when_its_documents_are_judged_then_it_falls_by_the_sum_of_their_values(
    seed, n
):
    pool, lists = drawn(seed)
    lists = {run: {t: ranking[:NEAR] for t, ranking in of.items()} for run, of in lists.items()}
    result = BUDGET(collection(pool, lists), ["AP"], BUDGET.params(budget=n, p=0.9))
    assert len(result.frame()) == n
    before, after = (
        irmeval.evaluate(collection(of, lists), ["RBP_residual(p=0.9)"]).means.mean()
        for of in (pool, judged(pool, {key: i % 2 for i, key in enumerate(keys(result.frame()))}))
    )
    assert before - after == pytest.approx(result.frame()["value"].sum(), abs=1e-12)
    assert result.residual == pytest.approx(before, abs=1e-12)


@pytest.mark.parametrize("seed", range(2))
def test_effect_on_a_pair_when_the_document_is_judged_relevant_then_is_the_difference_observed(
    seed,
):
    pool, lists = drawn(seed)
    lists["r1"]["1"] = lists["r1"]["1"][:5]
    if seed:  # a topic without a relevant document has no score, until it has one
        pool["2"] = {d: min(g, 0) for d, g in pool["2"].items()}
    c = collection(pool, lists)
    near = {
        (t, d)
        for run in ("r1", "r2")
        for t, ranking in lists[run].items()
        for d in ranking[:NEAR]
        if pool[t].get(d, -1) < 0
    }

    def differences(of):
        means = irmeval.evaluate(
            collection(of, {run: lists[run] for run in ("r1", "r2")}), MEASURES
        ).means
        return means[:, 1] - means[:, 0]

    some = random.Random(seed).sample(sorted(near), 12)
    observed = np.array([differences(judged(pool, {key: 2})) for key in some]) - differences(pool)
    for m, name in enumerate(MEASURES):
        result = BUDGET(c, [name], BUDGET.params(by="pair", pair="r2,r1", grade=2, budget=10**6))
        frame = result.frame()
        assert {*keys(frame)} == near
        assert list(result.values) == sorted(result.values, key=lambda v: -round(abs(v), 12))
        told = dict(zip(keys(frame), frame["value"], strict=True))
        assert [told[key] for key in some] == pytest.approx(observed[:, m], abs=1e-12), name


@pytest.mark.parametrize(
    "policy", [{"negative": "nonrelevant"}, {"average": "retrieved"}, {"empty": "zero"}]
)
def test_effect_on_a_pair_when_the_policy_and_the_topics_are_others_then_is_the_difference_observed(
    policy,
):
    pool, lists = drawn(5, topics=4)
    lists["r1"]["1"] = []
    few = Selection(topics_only="1-3")

    def read(of):
        return select(collection(of, lists, **policy), few).collection

    def difference(of):
        means = irmeval.evaluate(read(of), ["AP"]).means[0]
        return means[0] - means[1]

    rows = (
        BUDGET(read(pool), ["AP"], BUDGET.params(by="pair", pair="r0,r1", budget=10**6))
        .frame()
        .sample(10, random_state=1)
    )
    assert {*rows["topic"]} == {"1", "2", "3"}
    for key, value in zip(keys(rows), rows["value"], strict=True):
        assert value == pytest.approx(
            difference(judged(pool, {key: 1})) - difference(pool), abs=1e-12
        )


def test_list_when_values_are_equal_then_more_runs_come_first_then_topic_and_document():
    pool = {"10": {"x": 1}, "9": {"x": 1}}
    lists = {"a": {"10": ["n", "m"], "9": ["u", "x"]}, "b": {"10": ["v", "m"], "9": ["x"]}}
    result = BUDGET(collection(pool, lists), ["AP"], BUDGET.params(p=0.5))
    assert keys(result.frame()) == [("10", "m"), ("9", "u"), ("10", "n"), ("10", "v")]
    assert result.frame()["value"].nunique() == 1
    assert result.frame()["why"].tolist()[0] == "in 2 runs, best at rank 2"


def test_list_by_disagreement_when_compared_with_loops_then_is_the_same():
    rng = np.random.default_rng(2)
    pool, lists = drawn(2)
    others = {
        name: {t: {f"d{i}": int(rng.integers(-1, 4)) for i in range(0, 150, 2)} for t in pool}
        for name in ("m1", "m2", "m3")
    }
    c = collection(pool, lists)
    for name, grades in others.items():
        c = c.with_judgments(name, grades)
    result = BUDGET(c, ["AP"], BUDGET.params(by="disagreement", budget=10**6))
    expected = {}
    for t, of in pool.items():
        for d in {d for grades in others.values() for d in grades[t]}:
            given = [grades[t][d] for grades in others.values() if grades[t].get(d, -1) >= 0]
            if of.get(d, -1) < 0 and len(given) > 1:
                runs = sum(d in lists[run][t][:NEAR] for run in lists)
                expected[t, d] = np.mean([abs(a - b) for a, b in combinations(given, 2)]), runs
    found = {
        key: (value, runs)
        for key, value, runs in zip(
            keys(result.chosen), result.values, result.chosen["runs"], strict=True
        )
    }
    assert found == {key: (pytest.approx(value), runs) for key, (value, runs) in expected.items()}
    order = [(-round(value, 9), -runs, int(t), d) for (t, d), (value, runs) in found.items()]
    assert order == sorted(order)
    first = keys(result.frame())[0]
    said = ", ".join(
        f"{name} {g[first[0]][first[1]]}"
        for name, g in others.items()
        if g[first[0]][first[1]] >= 0
    )
    assert result.frame()["why"][0] == said
    assert np.isnan(disagreement(c.panel.judges)[c.panel.judges.grade[0] >= 0]).all()
    graded = BUDGET(c, ["AP"]).frame()
    assert graded["why"].str.contains("best at rank").all()
    assert graded["why"].str.contains("; m").any()


@pytest.mark.parametrize(
    ("params", "says"),
    [
        ({"by": "pair", "pair": "r0"}, "pair: expected two runs, found 1"),
        ({"by": "pair", "pair": "r0,r9"}, "there is no run 'r9'"),
        ({"by": "pair", "pair": "r0,r1", "grade": 3}, "at most 2, the highest of the qrels"),
        ({"by": "pair", "alpha": 0.5}, None),
        ({"by": "disagreement"}, "at least two judges besides qrels, found 0"),
    ],
)
def test_list_when_it_cannot_be_made_then_words_say_why(params, says):
    c = collection(*drawn(1))
    if says:
        with pytest.raises(ParamError, match=says):
            BUDGET(c, ["AP"], BUDGET.params(**params))
    else:
        result = BUDGET(c, ["AP"], BUDGET.params(**params))
        assert result.pair.p >= 0.5


def test_list_when_everything_near_the_top_is_judged_then_words_say_so():
    with pytest.raises(
        ParamError, match=f"every document down to rank {NEAR} of the lists is judged"
    ):
        BUDGET(collection({"1": {"a": 1}}, {"r": {"1": ["a"]}}), ["AP"])


def test_judgments_that_came_back_when_merged_then_scores_are_of_a_collection_read_with_them():
    pool, lists = drawn(3)
    c = collection(pool, lists)
    asked = keys(BUDGET(c, ["AP"], BUDGET.params(budget=30)).frame())
    grades = {key: (-1, 0, 1, 2)[i % 4] for i, key in enumerate(asked)} | {
        ("0", "never retrieved"): 1
    }
    del grades["0", "never retrieved"]
    grades["0", "elsewhere"] = 1
    text = "".join(f"{t} 0 {d} {g}\n" for (t, d), g in grades.items()).encode()
    returned = merge_judgments(c, "back.txt", text)
    assert returned.waiting == sum(g < 0 for g in grades.values())
    again = collection(judged(pool, grades), lists)
    np.testing.assert_allclose(
        irmeval.evaluate(returned.collection, MEASURES).values,
        irmeval.evaluate(again, MEASURES).values,
        atol=1e-12,
    )

    changed = changes(
        c, returned, [measure("AP"), measure("nDCG@10")], BUDGET.params(alpha=0.3).testing
    )
    scores = changed.scores().set_index(["measure", "run"])
    before, after = irmeval.evaluate(c, ["AP"]).means[0], irmeval.evaluate(again, ["AP"]).means[0]
    assert changed.scores().loc[: len(c.runs) - 1, "after"].is_monotonic_decreasing
    for r, run in enumerate(c.runs):
        row = scores.loc[("AP", run)]
        assert row["change"] == pytest.approx(after[r] - before[r], abs=1e-12)
        assert row["place after"] == 1 + sum(after > after[r])
        assert row["places gained"] == row["place before"] - row["place after"]
    decided = EXPERIMENTS["matrix"]
    tested = [decided(which, ["AP"], decided.params(test="t", alpha=0.3)) for which in (c, again)]
    signs = [np.where(found.alone[0], np.sign(found.difference[0]), 0) for found in tested]
    rows = changed.decisions()
    assert (rows["measure"] == "AP").sum() == (signs[0] != signs[1]).sum()
    assert len(changed.judged()) == sum(g >= 0 for g in grades.values())
    assert f"{len(changed.judged())} new judgments" in changed.headline()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("0 0 new 1\n0 0 d0 2\n", r"back.txt, line 2: .*'d0' of topic '0', judged already"),
        ("0 0 d0 1\n", r"line 1: .*'d0' of topic '0', already graded 2, here 1"),
        ("# note\n0 0 new 1\n7 0 new 1\n", r"line 3: expected topics of the collection, found '7'"),
        ("0 0 new 1\n0 0 new 1\n", r"line 2: .*again"),
        ("0 0 new 1\n0 0 new 2\n", r"line 2: .*with grade 2 after 1"),
        ("0 0 new one\n", r"line 1: .*whole number"),
        ("0 0 new -1\n", r"a grade of 0 or higher"),
    ],
)
def test_judgments_that_came_back_when_not_of_the_first_judge_then_file_line_and_document_are_named(
    text, says
):
    with pytest.raises(ReadError, match=says):
        merge_judgments(collection(*drawn(1)), "back.txt", text.encode())


def test_judgments_that_came_back_when_a_name_has_an_odd_blank_then_the_line_is_still_named():
    c = collection({"0": {"d\u00a01": 1}}, {"r": {"0": ["d\u00a01", "x"]}})
    with pytest.raises(ReadError, match="back.txt, line 2: .*judged already"):
        merge_judgments(
            c, "back.txt", "0 0 x 1\n0\t\udcff d\u00a01 1\n".encode(errors="surrogateescape")
        )


@pytest.fixture(scope="module")
def command(tmp_path_factory) -> list[str]:
    """What to judge next on a small collection."""
    return ["judge-next", *written(tmp_path_factory.mktemp("collection"), 1), "-m", "AP"]


@pytest.mark.usefixtures("files_read_once")
def test_command_when_the_list_comes_back_filled_in_then_prints_what_changed(
    command, tmp_path, run_command
):
    lines = run_command(
        *command, "--budget", "6", "--by", "pair", "--format", "trec"
    ).out.splitlines()
    assert len(lines) == 6
    assert all(line.split()[1::2] == ["0", "-1"] for line in lines)
    (tmp_path / "back").write_text("".join(line.replace(" -1", " 1\n") for line in lines))
    out, err = run_command(*command, "--returned", tmp_path / "back", "--table", "judged")
    assert len(pd.read_csv(io.StringIO(out))) == 6
    assert "6 new judgments (6 relevant). By AP" in err


@pytest.mark.usefixtures("files_read_once")
@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (["--format", "trec", "--table", "topics"], "trec writes the whole list"),
        (["--returned", "QRELS"], "and 799 more"),
        (["--returned", "nowhere.txt"], "nowhere.txt"),
        (["--returned", "QRELS", "--format", "trec"], "one table at a time"),
    ],
)
def test_command_when_it_cannot_then_one_line_says_so(command, flags, says, run_command):
    assert (
        says
        in run_command(
            *command, *(command[1] if flag == "QRELS" else flag for flag in flags), status=2
        ).err
    )


def test_pair_when_some_share_too_few_topics_to_be_tested_then_is_one_that_is_tested():
    grades = {t: {"a": 1, "b": 0} for t in "1234"}
    orders = {"x": ["a", "b", "u"], "y": ["b", "a", "u"]}
    lists = {run: dict.fromkeys(grades, ids) for run, ids in orders.items()}
    lists["first"] = {"1": ["b", "a", "v"]}
    lists["y"]["4"] = ["a", "b", "u"]
    c = collection(grades, lists, average="retrieved")
    found = BUDGET(c, ["RR"], by="pair")
    assert {*found.pair[:2]} == {"x", "y"}
