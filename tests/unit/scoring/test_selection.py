"""Selection of runs and topics, and teams told from names."""

import itertools
import re
from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest

from irmeval import IrmevalError, ParamError, ReadError, evaluate, read_collection
from irmeval.collection.base import build
from irmeval.collection.team_names import kinds_text, parse_kinds, read_teams, team_of
from irmeval.reading.foreign import qrels_from_dict, run_from_dict
from irmeval.scoring.selection import WHOLE, Selection, select, subset
from irmeval.scoring.unjudged_near_top import rank_unjudged
from tests.cases import SAMPLE, read_once

MEASURES = ["AP", "AP'", "nDCG@10", "Bpref", "infAP", "RBP(p=0.8)", "NumUnjudged"]


def kept(collection, **rules) -> list[str]:
    return list(select(collection, Selection(**rules)).collection.runs)


def test_subset_when_taken_then_scores_are_those_of_the_whole(sample):
    runs, topics = np.array([0, 3, 17, 29]), np.array([1, 2, 30, 49])
    whole = evaluate(sample, MEASURES).values[:, runs][:, :, topics]
    part = evaluate(subset(sample, runs, topics), MEASURES)
    np.testing.assert_array_equal(part.values, whole)
    assert part.runs == tuple(sample.runs[r] for r in runs)
    assert part.topics == tuple(sample.topics[t] for t in topics)


@pytest.mark.parametrize(
    "policy",
    [
        {},
        {
            "order": "rank",
            "depth": 3,
            "negative": "nonrelevant",
            "average": "retrieved",
            "empty": "zero",
        },
    ],
)
def test_subset_when_of_some_runs_then_is_the_collection_that_they_alone_make(tiny, policy):
    qrels, runs = tiny
    paths = sorted(runs.iterdir())
    whole = read_collection(qrels, paths, **policy)
    for some in itertools.chain.from_iterable(
        itertools.combinations(range(3), n) for n in (1, 2, 3)
    ):
        alone = read_collection(qrels, [paths[i] for i in some], **policy)
        assert subset(whole, np.array(some), np.arange(4)).fingerprint == alone.fingerprint


@pytest.mark.parametrize(
    "policy", [{}, {"order": "rank", "depth": 3, "average": "retrieved", "empty": "zero"}]
)
def test_subset_when_of_some_topics_then_is_the_collection_that_their_judgments_make(
    tiny, policy, tmp_path
):
    qrels, runs = tiny
    whole = read_collection(qrels, runs, **policy)
    for some in itertools.chain.from_iterable(
        itertools.combinations(range(4), n) for n in (1, 2, 3)
    ):
        names = [whole.topics[t] for t in some]
        for file, lines in (
            (file, file.read_text().splitlines(keepends=True))
            for file in (qrels, runs / "example", runs / "ideal")
        ):
            (tmp_path / f"{file.name}-left").write_text(
                "".join(line for line in lines if line.split()[0] in [*names, "99"])
            )
        alone = read_collection(
            tmp_path / "qrels.txt-left",
            [tmp_path / "example-left", tmp_path / "ideal-left"],
            **policy,
        )
        part = subset(whole, np.array([0, 1]), np.array(some))
        assert (
            replace(part, grade=part.grade.astype(alone.grade.dtype)).fingerprint
            == alone.fingerprint
        )


def test_subset_when_taken_then_what_is_to_judge_is_that_of_its_runs_and_topics(sample):
    runs, topics = np.array([3, 17]), np.array([2, 30, 49])
    part = subset(sample, runs, topics)
    alone = [subset(sample, runs[i : i + 1], topics[j : j + 1]) for i in range(2) for j in range(3)]
    whole = rank_unjudged(part, 0.9).sort_values(["topic", "document"], ignore_index=True)
    parts = pd.concat([rank_unjudged(one, 0.9) for one in alone])
    assert whole["residual"].sum() * 6 == pytest.approx(parts["residual"].sum(), rel=1e-12)
    expected = parts.groupby(["topic", "document"], as_index=False).agg(
        {"runs": "sum", "best rank": "min"}
    )
    pd.testing.assert_frame_equal(whole[expected.columns], expected)


def test_selection_when_it_says_nothing_then_the_collection_itself_is_left(sample):
    assert select(sample, Selection()).collection is sample


@pytest.mark.parametrize(
    ("whole", "reason"), [("possible", "what could be retrieved"), ("most", "the most")]
)
def test_selection_when_runs_are_short_then_left_out_with_the_reason(whole, reason):
    selected = select(read_once(*SAMPLE, depth=500), Selection(least=95, least_of=whole))
    collection, table = selected.collection, selected.table
    assert len(collection.runs) == 29
    row = table.set_index("run").loc["juniper2"]
    assert row["why"] == f"retrieved less than 95% of {reason}"
    assert not row["kept"]


@cache
def run_of(name, documents, topics=1):
    return run_from_dict(
        name, {str(t): {f"d{i}": -float(i) for i in range(documents)} for t in range(1, topics + 1)}
    )


@pytest.mark.parametrize("whole", WHOLE)
@pytest.mark.parametrize("depth", [100, 500])
def test_selection_when_a_share_is_asked_for_then_a_run_with_exactly_that_is_kept_and_less_is_not(
    depth, whole
):
    collection = build(
        qrels_from_dict({"1": {"d0": 1}}),
        [run_of(str(n), n) for n in range(1, depth + 1)],
        depth=depth,
    )
    # every third per cent, and some tenths that floating point has a hair off
    for permille in (*range(10, 1001, 30), 950, 1, 322, 644, 654, 999):
        needed = -(-permille * depth // 1000)
        assert kept(collection, least=permille / 10, least_of=whole) == [
            str(n) for n in range(needed, depth + 1)
        ]


def test_selection_when_no_run_is_as_long_as_could_be_then_shares_of_possible_and_most_differ():
    qrels = qrels_from_dict({"1": {"d0": 1}, "2": {"d0": 1}, "3": {"d0": 1}})
    collection = build(
        qrels, [run_of("a", 18, 3), run_of("b", 16, 3), run_of("c", 20, 1)], depth=20
    )
    assert kept(collection, least=90) == ["a"]  # 54 of 60; the longest has 54
    assert kept(collection, least=85, least_of="most") == ["a", "b"]  # 48 of 54
    # 20 of 20: only the topics selected count
    assert kept(collection, least=95, topics_only="1") == ["c"]
    assert kept(collection, least=100, least_of="most") == ["a"]
    with pytest.raises(
        ParamError,
        match=re.escape(
            "no run retrieved 95% of what could be retrieved (57 documents), the most is 54."
        ),
    ):
        select(collection, Selection(least=95))


def test_selection_when_every_topic_is_asked_for_then_runs_that_lack_one_go(tiny):
    assert kept(read_collection(*tiny), complete="every") == ["example", "ideal"]


def test_selection_when_best_per_team_then_each_team_has_its_best(sample):
    means = dict(zip(sample.runs, evaluate(sample, ["AP"]).means[0], strict=True))
    chosen = kept(sample, per_team="best")
    for team in {*map(team_of, sample.runs)}:
        members = [run for run in sample.runs if team_of(run) == team]
        assert [run for run in chosen if run in members] == [max(members, key=means.get)]


def test_selection_when_random_per_team_then_one_each_and_the_draw_decides(sample):
    one, again, other = (kept(sample, per_team="random", draw=d) for d in (1, 1, 2))
    assert one == again
    assert one != other
    assert len(one) == len({*map(team_of, sample.runs)}) == 12


def test_selection_when_random_then_the_draw_decides_and_each_run_is_as_likely():
    collection = build(
        qrels_from_dict({"1": {"d0": 1}}), [run_of(f"run{i}", 3, 1) for i in range(30)]
    )
    drawn = [kept(collection, random_runs=10, draw=d) for d in range(300)]
    assert kept(collection, random_runs=10, draw=7) == drawn[7]
    times = np.sum([[run in names for run in collection.runs] for names in drawn], axis=0)
    # each of 30 runs is in a third of 300 draws: a band of 4.5 standard deviations of a binomial
    # count
    assert np.abs(times - 100).max() < 4.5 * (300 * 1 / 3 * 2 / 3) ** 0.5


def test_selection_when_one_of_each_team_is_drawn_and_then_some_then_large_teams_are_as_likely():
    names = ["small", *(f"large{i}" for i in range(9))]
    collection = build(qrels_from_dict({"1": {"d0": 1}}), [run_of(name, 3, 1) for name in names])
    large = sum(
        kept(collection, per_team="random", random_runs=1, draw=draw)[0] != "small"
        for draw in range(100)
    )
    assert abs(large - 50) < 4.5 * (100 * 1 / 4) ** 0.5  # of one lot for both it would be 90


def test_selection_when_top_and_random_then_so_many_are_left(sample):
    means = evaluate(sample, ["nDCG"]).means[0]
    best = {sample.runs[i] for i in np.argsort(-means)[:5]}
    assert set(kept(sample, top_runs=5, best_by="nDCG")) == best
    assert len(kept(sample, random_runs=7)) == 7
    assert len(kept(sample, random_runs=7, top_runs=3)) == 3


@pytest.mark.parametrize(
    ("text", "n"), [("", 50), ("901", 1), ("901, 903 905-910", 8), ("949-999", 2)]
)
def test_selection_when_topics_are_named_then_only_they_are_left(sample, text, n):
    assert len(select(sample, Selection(topics_only=text)).collection.topics) == n


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"topics_only": "7"}, "topics: expected judged topics such as 901, found '7'"),
        ({"topics_only": "1-9"}, "topics: expected a range with judged topics in it, found '1-9'"),
        (
            {"has_grade": 9},
            "has_grade: expected a topic with a document of grade 9 or higher, found none",
        ),
        ({"best_by": "APP", "top_runs": 1}, "unknown metric 'APP'"),
        ({"best_by": "AP(rel=9)", "top_runs": 1}, r"best_by: no topic has a score by AP\(rel=9\)"),
    ],
)
def test_selection_when_it_names_what_there_is_not_then_refused(sample, rules, message):
    with pytest.raises(IrmevalError, match=message):
        select(sample, Selection(**rules))


def test_selection_when_nothing_is_left_then_said(tiny):
    collection = read_collection(*tiny)
    assert kept(collection, topics_only="3", complete="every") == ["example", "ideal"]
    with pytest.raises(ParamError, match="leaves no run"):
        select(
            subset(collection, np.array([collection.runs.index("short")]), np.arange(4)),
            Selection(complete="every"),
        )


@pytest.mark.parametrize(
    ("rule", "team"),
    [
        ("letters", "ICTNET"),
        ("3", "ICT"),
        ("-", "ICTNET12"),
        ("x", "ICTNET12-a"),
        ("", "ICTNET12-a"),
        ("I", "ICTNET12-a"),
    ],
)
def test_team_when_told_by_a_rule_then_is_what_the_rule_says(rule, team):
    assert team_of("ICTNET12-a", rule) == team


def test_teams_when_read_from_csv_then_they_replace_the_rule(sample):
    of = read_teams("t.csv", b"run,team\naurora1,A\naurora2,B\n").teams
    table = select(sample, Selection(), of).table.set_index("run")["team"]
    assert table[["aurora1", "aurora2", "aurora3"]].tolist() == ["A", "B", "aurora"]


def test_kinds_when_read_and_written_as_text_then_are_the_same_whatever_the_names():
    found = read_teams(
        "t.csv", b'run,team,kind\na,A,lexical\n"b,1",B,"neural; late"\n"c""",B,\nd,C,lexical\n'
    )
    assert found.teams == {"a": "A", "b,1": "B", 'c"': "B", "d": "C"}
    assert found.kinds == {"a": "lexical", "b,1": "neural; late", "d": "lexical"}
    assert parse_kinds(kinds_text(found.kinds)) == found.kinds
    assert parse_kinds(kinds_text({})) == {}


@pytest.mark.parametrize(
    "text", ["lexical", "lexical,a;neural,a", ",a", 'lexical,"a', "lexical,a;"]
)
def test_kinds_when_the_text_is_wrong_then_it_is_said(text):
    with pytest.raises(ParamError, match="kinds: expected "):
        parse_kinds(text)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", 1),
        ("a,b\n", 1),
        ("run,team\nx,y\nx,z\n", 3),
        ("run,team\nx\n", 2),
        ("run,kind\n", 1),
        ("run,team,kind\nx,y\n", 2),
    ],
)
def test_teams_when_the_csv_is_wrong_then_its_line_is_named(text, line):
    with pytest.raises(ReadError, match=f"t.csv, line {line}: "):
        read_teams("t.csv", text.encode())


def test_teams_when_the_csv_is_in_another_encoding_then_refused():
    with pytest.raises(
        ReadError,
        match=(
            r"t.csv: expected plain text in UTF-8, found another encoding\. Save it as UTF-8 text\."
        ),
    ):
        read_teams("t.csv", "run,team\nrün,a\n".encode("latin-1"))
