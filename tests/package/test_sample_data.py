"""The sample collection is what its generator writes, and has the unjudged documents it
is there to show.
"""

import gzip
import io
import runpy
from collections import Counter
from pathlib import Path

import pytest
from pyarrow import csv

SAMPLE = Path(__file__).parents[2] / "sample_data"
FILES = sorted(p.relative_to(SAMPLE) for p in SAMPLE.rglob("*.gz"))
GENERATOR = runpy.run_path(str(SAMPLE / "generate.py"))
NOT_POOLED = [
    run for run, pooled in zip(GENERATOR["RUNS"], GENERATOR["POOLED"], strict=True) if not pooled
]


def content(path):
    return gzip.decompress(path.read_bytes())


def read(path):
    return [line.split(" ") for line in content(path).decode().splitlines()]


def ranking_by_topic(name):
    rows = csv.read_csv(
        io.BytesIO(content(SAMPLE / "runs" / f"{name}.gz")),
        csv.ReadOptions(column_names=["topic", "Q0", "document", "rank", "score", "tag"]),
        csv.ParseOptions(delimiter=" "),
        csv.ConvertOptions(
            column_types={
                "topic": "string",
                "document": "string",
                "rank": "int64",
                "score": "int64",
            }
        ),
    )
    topics = {}
    for topic, *row in zip(
        *(rows[name].to_pylist() for name in ("topic", "document", "rank", "score")), strict=True
    ):
        topics.setdefault(topic, []).append(tuple(row))
    return topics


@pytest.fixture(scope="module")
def qrels():
    return {
        (topic, document): int(grade) for topic, _, document, grade in read(SAMPLE / "qrels.txt.gz")
    }


@pytest.fixture(scope="module")
def rankings():
    return {name: ranking_by_topic(name) for name in GENERATOR["RUNS"]}


def test_files_when_regenerated_then_hold_the_same_bytes(tmp_path, monkeypatch):
    monkeypatch.setattr(gzip, "compress", lambda data, level, mtime: data)
    GENERATOR["generate"](tmp_path)
    assert sorted(p.relative_to(tmp_path) for p in tmp_path.rglob("*.gz")) == FILES
    # Not compressed, as another zlib may compress the same lines to other bytes.
    assert [f for f in FILES if content(SAMPLE / f) != (tmp_path / f).read_bytes()] == []


def test_files_when_added_up_then_stay_below_six_megabytes():
    assert sum((SAMPLE / f).stat().st_size for f in FILES) <= 6_000_000


def test_collection_when_counted_then_has_50_topics_30_runs_12_teams_4_grades(qrels, rankings):
    assert len({topic for topic, _ in qrels}) == 50
    assert len(rankings) == 30
    assert all(len(topics) == 50 for topics in rankings.values())
    assert len(GENERATOR["TEAMS"]) == 12
    assert all(
        run.startswith(team) for team, (runs, _) in GENERATOR["TEAMS"].items() for run in runs
    )
    assert set(qrels.values()) == {0, 1, 2, 3}


def test_every_topic_when_judged_then_has_relevant_and_not_relevant_documents(qrels):
    counts = Counter((topic, grade > 0) for (topic, _), grade in qrels.items())
    assert len(counts) == 2 * 50


def test_qrels_when_compared_with_the_pool_then_hold_exactly_the_top_100_of_the_pooled_runs(
    qrels, rankings
):
    depth = GENERATOR["POOL_DEPTH"]
    pooled = (topics for name, topics in rankings.items() if name not in NOT_POOLED)
    pool = {
        (topic, d)
        for topics in pooled
        for topic, ranking in topics.items()
        for d, _, _ in ranking[:depth]
    }
    assert pool == set(qrels)


def test_run_when_not_pooled_then_has_unjudged_documents_in_its_top_100(qrels, rankings):
    for name in NOT_POOLED:
        assert any(
            (topic, d) not in qrels
            for topic, ranking in rankings[name].items()
            for d, _, _ in ranking[:100]
        ), name


def test_run_when_sorted_as_trec_eval_does_then_agrees_with_its_ranks_but_in_one_tied_run(rankings):
    disagree = set()
    for name, topics in rankings.items():
        for ranking in topics.values():
            assert [rank for _, rank, _ in ranking] == list(range(1, len(ranking) + 1)), name
            assert len({document for document, _, _ in ranking}) == len(ranking), name
            if ranking != sorted(ranking, key=lambda row: (row[2], row[0]), reverse=True):
                disagree.add(name)
    assert disagree == {"ember3"}
