"""Formats of files: each example is told from all others, each kind of file that people
hold is read, and what is not read is named.
"""

import gzip
import json
import re
import subprocess

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import irmeval
from irmeval.core.errors import IrmevalError, ReadError
from irmeval.reading import first_block, foreign, formats, parsing
from irmeval.reading.first_block import BYTES, first_blocks
from irmeval.reading.formats import FORMATS, UndecidedFormat
from irmeval.reading.formats.base import fitting_formats, recognise
from tests.cases import refusal

BOTH = {
    "qrels no-iteration": {"qrels no-iteration", "run scores"},
    "qrels json": {"qrels json", "run json"},
}
"""Key of a format -> the formats that fit its example, where these are several."""
CHOSEN = {"qrels columns": "columns:usefulness"}
"""Key of a format of which a column is chosen -> the form with one."""


@pytest.mark.parametrize("key", FORMATS)
def test_example_when_tried_against_every_format_then_one_fits_or_both_are_named(key):
    found = FORMATS[key]
    data = found.encode(found.example)
    fitting = {each.format.key for each in fitting_formats(first_blocks("f", data))}
    assert fitting == BOTH.get(key, {key})
    if len(fitting) > 1:
        assert all(
            FORMATS[each].title in refusal(UndecidedFormat, parsing.parse, "f", data)
            for each in fitting
        )
    assert [each.format.key for each in fitting_formats(first_blocks("f", data), found.kind)] == [
        key
    ]


@pytest.mark.parametrize("key", FORMATS)
def test_example_when_read_then_says_what_it_was_recognised_as(key):
    found = FORMATS[key]
    form = CHOSEN.get(key, "auto")
    for content in parsing.parse("f", found.encode(found.example), found.kind, form):
        assert content.format.partition(":")[0] == found.title
        assert len(content.topics) > 0


def graded(text: str | bytes, form: str = "auto") -> dict[tuple[str, str], int]:
    """Topic and document -> grade."""
    qrels = parsing.parse_qrels("q", text if isinstance(text, bytes) else text.encode(), form)
    rows = zip(qrels.topic, qrels.documents.to_pylist(), qrels.grade, strict=True)
    return {(qrels.topics[topic], document): int(grade) for topic, document, grade in rows}


TWO = {("1", "a"): 1, ("1", "b"): 0}
QRELS = {
    "BEIR": ("query-id\tcorpus-id\tscore\n1\ta\t1\n1\tb\t0\n", TWO),
    "BEIR as CSV, quoted": ('"query-id","corpus-id","score"\n"1","a","1"\n"1","b","0"\n', TWO),
    "in any case and order": ("REL;DOCID;QID\n1;a;1\n0;b;1\n", TWO),
    "divided by blanks": ("qid docid label\n1 a 1\n1 b 0\n", TWO),
    "further columns": ("qid,text,docno,label\n1,x y,a,1\n1,z,b,0\n", TWO),
    "a further column of text": (
        "qid\tdocid\trel\tpassage\n1\ta\t1\thello big world\n1\tb\t0\tbye now\n",
        TWO,
    ),
    "blanks in names": ("Query ID,Doc ID,Relevance\n1,a,1\n1,b,0\n", TWO),
    "CSV without a header": ("1,a,1\n1,b,0\n", TWO),
    "CSV of four columns": ("1,0,a,1\n1,0,b,0\n", TWO),
    "three columns": ("1 a 1\n1 b 0\n", TWO),
    "grades with a point": ("1 0 a 1.0\n1 0 b 0e0\n", TWO),
    "blanks in ids": ("1\t0\ta doc\t1\n1\t0\tb\t0\n", {("1", "a doc"): 1, ("1", "b"): 0}),
    "blanks in all ids": ("q 1\td 1\t1\nq 1\td 2\t0\n", {("q 1", "d 1"): 1, ("q 1", "d 2"): 0}),
    "pytrec_eval": ('{"1": {"a": 1, "b": 0}}', TWO),
    "pretty JSON": (json.dumps({"1": {"a": 1, "b": 0.0}}, indent=2), TWO),
    "lists": ('{"1": ["a", "c"], "2": ["b"]}', {("1", "a"): 1, ("1", "c"): 1, ("2", "b"): 1}),
    "JSON lines": (
        (
            '{"query_id": 1, "doc_id": "a", "relevance": 1}\n\n{"query_id": 1, "doc_id": "b",'
            ' "relevance": 0}\n'
        ),
        TWO,
    ),
    "one JSON line": ('{"query_id": 1, "doc_id": "a", "relevance": 1}\n', {("1", "a"): 1}),
    "JSON list": (
        '[{"qid": "1", "docno": "a", "label": 1},\n {"qid": "1", "docno": "b", "label": 0}]',
        TWO,
    ),
    "a request of Elasticsearch": (
        json.dumps(
            {
                "requests": [
                    {
                        "id": "1",
                        "request": {"query": {"match": {"text": "a hotel"}}},
                        "ratings": [
                            {"_index": "i", "_id": "a", "rating": 1},
                            {"_index": "i", "_id": "b", "rating": 0},
                        ],
                    }
                ],
                "metric": {"precision": {"k": 10}},
            },
            indent=2,
        ),
        TWO,
    ),
    "judgments of OpenSearch": (
        '{"id": "x", "type": "LLM_JUDGMENT", "judgmentRatings": [{"query": "1", "ratings": ['
        '{"docId": "a", "rating": "1.0"}, {"docId": "b", "rating": "0.0"}, {"docId": "c",'
        ' "rating": ""}]}]}',
        TWO,
    ),
    "judgments of OpenSearch as found": (
        '{"took": 3, "hits": {"total": {"value": 1}, "hits": [{"_index": "j", "_id": "x",'
        ' "_source": {"judgmentRatings": [{"query": "1", "ratings": [{"docId": "a", "rating": "1"},'
        ' {"docId": "b", "rating": "0"}]}]}}]}}',
        TWO,
    ),
    "Quepid": (
        '{"name": "c", "queries": [{"query_text": "1", "ratings": [{"doc_id": "a", "rating": 1},'
        ' {"doc_id": "b", "rating": 0}]}]}',
        TWO,
    ),
    "ratings by document": ('[{"query_text": "1", "ratings": {"a": 1, "b": 0, "c": null}}]', TWO),
    "ratings by document, as objects": (
        '[{"query": "1", "ratings": {"a": {"rating": 1}, "b": {"rating": 0}}}]',
        TWO,
    ),
    "a list of judgments": (
        '{"judgments": [{"query": "1", "doc_id": "a", "grade": 1}, {"query": "1", "doc_id": "b",'
        ' "grade": 0}]}',
        TWO,
    ),
    "judgments below topics": (
        '{"1": {"query": "a hotel", "judgments": [{"docid": "a", "relevance": 1}, {"docid": "b",'
        ' "relevance": 0}]}}',
        TWO,
    ),
    "MIRACL": (
        '{"query_id": "1", "query": "a hotel", "positive_passages": [{"docid": "a", "title": "t"}],'
        ' "negative_passages": [{"docid": "b", "text": "x"}]}\n',
        TWO,
    ),
    "LoTTE": (
        '{"qid": 1, "query": "a hotel", "answer_pids": [11, 12]}\n{"qid": 2, "answer_pids": [3]}\n',
        {("1", "11"): 1, ("1", "12"): 1, ("2", "3"): 1},
    ),
    "LlamaIndex": (
        json.dumps(
            {
                "queries": {"1": "why"},
                "corpus": {f"n{i}": "text " * 9_000 for i in range(20)},
                "relevant_docs": {"1": ["a", "c"], "2": ["b"]},
                "mode": "text",
            }
        ),
        {("1", "a"): 1, ("1", "c"): 1, ("2", "b"): 1},
    ),
    "BioASQ": (
        '{"questions": [{"id": "5a", "body": "why", "documents": ["http://x/1", "http://x/2"],'
        ' "snippets": [{"document": "http://x/1", "text": "t"}]}]}',
        {("5a", "http://x/1"): 1, ("5a", "http://x/2"): 1},
    ),
    **{
        f"Rated Ranking Evaluator, {kind}": (
            '{"id_field": "id", "topics": [{"description": "guitars", "query_groups": [{'
            ' "name": "1", "queries": [{"placeholders": {"$query": "fender"}}],'
            f' "relevant_documents": {documents}}}]}}]}}',
            TWO,
        )
        for kind, documents in {
            "grades by document": '{"a": {"gain": 1}, "b": {"gain": 0}}',
            "documents by grade": '{"1": ["a"], "0": ["b"]}',
            "a list": '[{"a": {"gain": 1}}, {"b": {"gain": "0"}}]',
        }.items()
    },
    "Rated Ranking Evaluator, by query": (
        '{"queries": [{"template": "q.json", "placeholders": {"$query": "1"}, "relevant_documents":'
        ' {"a": {"gain": 1}, "b": {"gain": 0}}}]}',
        TWO,
    ),
    "exports of Quepid": (
        "Team Name,Case Name,Case ID,Query Text,Doc ID,Title,Rating\n"
        't,c,7,1,a,"hotels, new",1\nt,c,7,1,b,x,0\nt,c,7,2,c,x,\n',
        TWO,
    ),
    "exports of Quepid with positions": (
        "Case ID,Query Text,Doc ID,Doc Position,Rating\n7,1,a,2,1\n7,1,b,1,0\n",
        TWO,
    ),
    "topics below a key of judgments": ('{"judgments": {"1": {"a": 1, "b": 0}}}', TWO),
    "two keys of an id, alike": (
        '[{"query": "1", "ratings": [{"docId": "a", "id": 7, "rating": 1}, {"docId": "b", "id": 8,'
        ' "rating": 0}]}]',
        TWO,
    ),
    "two keys of an id, and another object": (
        '[{"query": "1", "ratings": [{"docId": "a", "id": 7, "rating": 1}, {"docId": "b", "id": 8,'
        ' "rating": "0"}]}]',
        TWO,
    ),
    "results of LlamaIndex": (
        '[{"query": "1", "expected_ids": ["a"], "retrieved_ids": ["b", "a"]}]',
        {("1", "a"): 1},
    ),
    "Quepid's CSV, some not rated": (
        "query,docid,rating\n1,a,1\n1,b,0\n1,c,\nno match,,\n",
        TWO,
    ),
    "pairs": ("1\ta\n1\tc\n2\tb\n", {("1", "a"): 1, ("1", "c"): 1, ("2", "b"): 1}),
    "pairs of numbers": ("1048585 7187158\n2 55\n", {("1048585", "7187158"): 1, ("2", "55"): 1}),
    "pairs with a header": ("query-id\tcorpus-id\n1\ta\n2\tb\n", {("1", "a"): 1, ("2", "b"): 1}),
    "LETOR": (
        "1 qid:1 1:0.5 2:0.25 #docid = a inc = 1\n0 qid:1 1:0.5 2:1 #docid = b inc = 1\n",
        TWO,
    ),
    "learning to rank": ("1 qid:1 1:9.8 # a rambo\n0 qid:1 1:2 2:3 # b first blood\n", TWO),
    "NTCIR": ("1 a L1\n1 b L0\n", TWO),
    "NTCIR, level second": ("1 B a\n1 C b\n", TWO),
    "NTCIR letters": (
        "1 0 a S\n1 0 b A\n1 0 c B\n1 0 d D\n",
        {("1", "a"): 3, ("1", "b"): 2, ("1", "c"): 1, ("1", "d"): 0},
    ),
    "subtopics": ("1 1 a 0\n1 1 b 0\n1 2 a 1\n1 2 b 0\n", TWO),
    "UTF-16": ("1 0 a 1\n1 0 b 0\n".encode("utf-16"), TWO),
    "TREC-COVID rounds": ("1 1 a 1\n1 2 b 0\n", TWO),
    "comments": ("# made by hand\n1 0 a 1\n# 1 0 c 1\n1 0 b 0\n", TWO),
}


@pytest.mark.parametrize("case", QRELS)
def test_qrels_when_of_a_kind_that_people_hold_then_are_read(case):
    data, expected = QRELS[case]
    data = data if isinstance(data, bytes) else data.encode()
    for name, text in irmeval.reading.files.unpack("q", gzip.compress(data)):
        assert graded(text) == expected, name


def scored(data: str | bytes) -> dict[str, list[tuple[str, str]]]:
    """Run -> topic and document, by topic, best score first."""
    runs = parsing.parse("r", data if isinstance(data, bytes) else data.encode(), "run")
    lists = {}
    for run in runs:
        order = np.lexsort((-run.score, run.topic))
        documents = run.documents.to_pylist()
        lists[run.name] = [(run.topics[run.topic[row]], documents[row]) for row in order]
    return lists


AB = {"r": [("1", "a"), ("1", "b")]}
RUNS = {
    "without Q0": ("1 a 1 2.5 t\n1 b 2 1.5 t\n", AB),
    "MS MARCO": ("1\ta\t1\n1\tb\t2\n", AB),
    "ColBERT": ("1\ta\t1\t2.5\n1\tb\t2\t1.5\n", AB),
    "Tevatron": ("1\tb\t1.5\n1\ta\t2.5\n", AB),
    "snapshots of Quepid": (
        "Snapshot Name,Snapshot Time,Case ID,Query Text,Doc ID,Doc Position\n"
        "r,2026-01-01,7,1,a,1\nr,2026-01-01,7,1,b,2\n",
        AB,
    ),
    "exports of Quepid with positions": (
        "Case ID,Query Text,Doc ID,Doc Position,Rating\n7,1,b,2,0\n7,1,a,1,\n",
        AB,
    ),
    "ranks not in order": (
        "1\tb\t2\n1\tc\t3\n1\ta\t1\n",
        {"r": [("1", "a"), ("1", "b"), ("1", "c")]},
    ),
    "ranks from 0": ("1\ta\t0\n1\tb\t1\n", AB),
    "BEIR, whole scores": ("query-id\tcorpus-id\tscore\n1\tb\t20\n1\ta\t30\n", AB),
    "ranks of two documents not in order": (
        "1\tb\t2\n1\ta\t1\n2\ta\t2\n2\tb\t3\n2\tc\t1\n",
        {"r": [("1", "a"), ("1", "b"), ("2", "c"), ("2", "a"), ("2", "b")]},
    ),
    "whole scores": ("1 a 90\n1 b 80\n", AB),
    "CSV": ("qid,docno,score\n1,b,1.5\n1,a,2.5\n", AB),
    "PyTerrier": (
        "qid,docid,docno,rank,score,query\n1,7,a,0,2.5,what is\n1,9,b,1,1.5,what is\n",
        AB,
    ),
    "CSV of TREC's columns": ("1,Q0,a,1,2.5,t\n1,Q0,b,2,1.5,t\n", AB),
    "a header of TREC's columns": (
        "topic Q0 docid rank score tag\n1 Q0 a 1 2.5 t\n1 Q0 b 2 1.5 t\n",
        AB,
    ),
    "header with ranks": ("qid\tpid\trank\n1\ta\t1\n1\tb\t2\n", AB),
    "JSON": ('{"1": {"b": 1.5, "a": 2.5}}', AB),
    "MTEB": (
        '{"mteb_model_meta": {"name": "m"}, "default": {"test": {"1": {"b": 1.5, "a": 2.5}}}}',
        AB,
    ),
    "JSON lines": (
        '{"qid": "1", "docno": "b", "score": 1}\n{"qid": "1", "docno": "a", "score": 2.5}\n',
        AB,
    ),
    "Castorini": (
        (
            '[{"query": {"qid": 1}, "candidates": [{"docid": "a", "score": 3}, {"docid": "b",'
            ' "score": 2}]}]'
        ),
        AB,
    ),
    "Castorini a line": (
        '{"query": {"qid": "1"}, "candidates": [{"docid": "a"}, {"docid": "b"}]}\n',
        AB,
    ),
    "Castorini pretty": (
        json.dumps(
            {"query": {"qid": "1"}, "candidates": [{"docid": "a"}, {"docid": "b"}]}, indent=1
        ),
        AB,
    ),
    "by score, with a tag": ("1\tb\t0.85\tm\n1\ta\t0.91\tm\n", AB),
    "a description": ("<SYSDESC>BM25, k1=1.2</SYSDESC>\n1 0 a 1 3 t\n1 0 b 2 2 t\n", AB),
    "a description of several lines": (
        "<SYSDESC>\nBM25\n</SYSDESC>\n<TYPE>CO</TYPE>\n1 0 a 1 3 t\n1 0 b 2 2 t\n",
        AB,
    ),
    "results of LlamaIndex": (
        '[{"query": "1", "expected_ids": ["b"], "retrieved_ids": ["a", "b"]}]',
        AB,
    ),
    "hits of Elasticsearch": (
        '{"query": "1", "hits": {"total": 2, "hits": [{"_id": "b", "_score": 1.5}, {"_id": "a",'
        ' "_score": 2.5}]}}\n',
        AB,
    ),
    "an answer of _rank_eval": (
        '{"metric_score": 0.5, "details": {"1": {"unrated_docs": [{"_id": "b"}],'
        ' "hits": [{"hit": {"_id": "a", "_score": 2.5}, "rating": 1}, {"hit": {"_id":'
        ' "b", "_score": 1.5}, "rating": null}]}}, "failures": {}}',
        AB,
    ),
    "TREC RAG": (
        '{"run_id": "r", "topic_id": "1", "topic": "a hotel", "references": ["a", "b"], "answer":'
        ' [{"text": "t", "citations": [0]}]}\n',
        AB,
    ),
    "several runs of TREC RAG": (
        '{"metadata": {"run_id": "x", "narrative_id": 1}, "references": ["a"]}\n'
        '{"metadata": {"run_id": "y", "narrative_id": 1}, "references": ["a", "b"]}\n',
        {"r/x": [("1", "a")], "r/y": [("1", "a"), ("1", "b")]},
    ),
    "BioASQ": ('{"questions": [{"id": "1", "body": "why", "documents": ["a", "b"]}]}', AB),
    "results": (
        '[{"query_id": 1, "results": [{"url": "b", "score": "1.5"}, {"url": "a", "score": "2"}]}]',
        AB,
    ),
    "results by topic": ('{"results": {"1": ["a", "b"]}}', AB),
    "passages for answers": (
        '{"1": {"question": "why", "answers": ["x"], "contexts": [{"docid": "a", "score": "2.5",'
        ' "has_answer": false}, {"docid": "b", "score": "1.5"}]}}',
        AB,
    ),
    "topic -> documents": ('{"1": ["a", "b"]}', AB),
    "blanks in ids": (
        "1\tQ0\tdoc a\t1\t2.5\tt\n1\tQ0\tdoc b\t2\t1.5\tt\n",
        {"r": [("1", "doc a"), ("1", "doc b")]},
    ),
    "several runs by tag": (
        "1 Q0 a 1 2 x\n1 Q0 a 1 2 y\n1 Q0 b 2 1 y\n",
        {"r/x": [("1", "a")], "r/y": [("1", "a"), ("1", "b")]},
    ),
    "several runs by header": (
        "run,qid,docno,score\nx,1,a,2\ny,1,b,1\n",
        {"r/x": [("1", "a")], "r/y": [("1", "b")]},
    ),
    "several runs in JSON": (
        '{"x": {"1": {"a": 1.5}}, "y": {"1": {"b": 2.5}}}',
        {"r/x": [("1", "a")], "r/y": [("1", "b")]},
    ),
    "a tag for each topic": ("1 Q0 a 1 2 x\n2 Q0 b 1 2 y\n", {"r": [("1", "a"), ("2", "b")]}),
}


@pytest.mark.parametrize("case", RUNS)
def test_run_when_of_a_kind_that_people_hold_then_is_read(case):
    data, expected = RUNS[case]
    assert scored(data) == expected


FALLING = b"1\ta\t3\n1\tb\t2\n1\tc\t1\n2\ta\t2\n2\tb\t1\n"


def test_run_when_whole_numbers_fall_to_1_then_is_asked_whether_they_are_ranks_or_scores():
    with pytest.raises(
        UndecidedFormat, match="Give its format: --run-format ranks or --run-format scores"
    ):
        parsing.parse_run("r", FALLING)
    with pytest.raises(UndecidedFormat):
        parsing.parse_run("r", "".join(f"1\td{n}\t{n}\n" for n in range(1000, 0, -1)).encode())
    assert parsing.parse_run("r", FALLING, "scores").score.tolist() == [3, 2, 1, 2, 1]
    assert parsing.parse_run("r", FALLING, "ranks").score.tolist() == [-3, -2, -1, -2, -1]


@pytest.mark.parametrize(
    "case", [("scores", "1 a 1\n1 b 2\n", [1, 2]), ("ranks", "1 a 9\n1 b 8\n", [-9, -8])]
)
def test_run_when_its_format_is_named_then_is_read_as_it_is_named(case):
    form, text, expected = case
    assert parsing.parse_run("r", text.encode(), form).score.tolist() == expected


def test_beir_when_its_scores_are_whole_then_the_place_or_the_named_format_decides():
    text = b"query-id\tcorpus-id\tscore\n1\ta\t30\n1\tb\t20\n"
    assert parsing.parse_run("f", text, "header").score.tolist() == [30, 20]
    assert parsing.parse("f", text, "run")[0].format == "run with a header"
    assert parsing.parse("f", text, "qrels")[0].format == "qrels with a header"


SCORES = {
    "long CSV": (
        "run,topic,score\nx,1,0.5\ny,1,0.25\nrun,topic,score\nx,2,1\ny,2,0\n",
        {"s": [[0.5, 1], [0.25, 0]]},
    ),
    "other names": ("system\tqid\tvalue\nx\t1\t0.5\ny\t1\t0.25\n", {"s": [[0.5], [0.25]]}),
    "a topic that a run lacks": (
        "run,topic,score\nx,1,0.5\ny,1,0.25\nx,2,1\n",
        {"s": [[0.5], [0.25]]},
    ),
    "irmeval's own": (
        "run,measure,topic,score\nx,AP,1,0.5\nx,RR,1,1\ny,AP,1,0.25\ny,RR,1,0\nx,AP,all,0.5\n",
        {"AP": [[0.5], [0.25]], "RR": [[1], [0]]},
    ),
    "trec_eval -q": (
        (
            "map                   \t1\t0.5\nP_10                 "
            " \t1\t1.0\nrunid\tall\tx\nmap\tall\t0.5\n"
        ),
        {"map": [[0.5]], "P_10": [[1]]},
    ),
    "PyTerrier, by topic": (
        "name,qid,measure,value\nx,1,map,0.5\nx,1,P_10,1\ny,1,map,0.25\ny,1,P_10,0\n",
        {"map": [[0.5], [0.25]], "P_10": [[1], [0]]},
    ),
    "a line per run": ("run,1,2\nx,0.5,1\ny,0.25,0\n", {"s": [[0.5, 1], [0.25, 0]]}),
    "a line per run, and means": (
        "system,1,2,Avg\nx,0.5,1,0.75\ny,0.25,0,0.125\nmean,0.375,0.5,0.4375\n",
        {"s": [[0.5, 1], [0.25, 0]]},
    ),
    "NIST": (
        "x 1 map 0.5\nx 1 P_10 1\ny 1 map 0.25\ny 1 P_10 0\n",
        {"map": [[0.5], [0.25]], "P_10": [[1], [0]]},
    ),
    "wide CSV": ("topic,x,y\n1,0.5,0.25\n2,1,0\n", {"s": [[0.5, 1], [0.25, 0]]}),
    "headed by a measure": ("runid,qid,ndcg\nx,1,0.5\ny,1,0.25\n", {"s": [[0.5], [0.25]]}),
    "wide TSV": ("topic\tx\ty\n1\t0.5\t0.25\n2\t1\t0\n", {"s": [[0.5, 1], [0.25, 0]]}),
    "names of nobody's": (
        "model;question;rbo\nx;1;0.5\nx;2;1\ny;1;0.25\ny;2;0\n",
        {"s": [[0.5, 1], [0.25, 0]]},
    ),
    "topics first": (
        "question,model,rbo\n1,x,0.5\n2,x,1\n1,y,0.25\n2,y,0\n",
        {"s": [[0.5, 1], [0.25, 0]]},
    ),
    "no header": ("x\t1\t0.5\nx\t2\t1\ny\t1\t0.25\ny\t2\t0\n", {"s": [[0.5, 1], [0.25, 0]]}),
    "another header in mid-file": (
        "run,topic,ndcg\nx,1,0.5\nx,2,1\nrunid,qid,score\ny,1,0.25\ny,2,0\n",
        {"s": [[0.5, 1], [0.25, 0]]},
    ),
    "a header of nobody's in mid-file": (
        "run,topic,ndcg\nx,1,0.5\nx,2,1\nmodel,question,compatibility\ny,1,0.25\ny,2,0\n",
        {"s": [[0.5, 1], [0.25, 0]]},
    ),
    "two headers of nobody's": (
        "a,b,c\n"
        + "".join(f"x,{t},0.5\n" for t in range(9))
        + "d,e,f\n"
        + "".join(f"y,{t},0.25\n" for t in range(9)),
        {"s": [[0.5] * 9, [0.25] * 9]},
    ),
    "a measure of nobody's": (
        "x 1 rbo 0.5\nx 2 rbo 1\ny 1 rbo 0.25\ny 2 rbo 0\n",
        {"rbo": [[0.5, 1], [0.25, 0]]},
    ),
    "a measure of nobody's on topic 0 alone": (
        "x 0 rbo 0.5\ny 0 rbo 1\n",
        {"rbo": [[0.5], [1]]},
    ),
    "JSON lines": (
        '{"runid": "x", "topic": "1", "score": 0.5}\n{"runid": "y", "topic": "1", "score": 0.25}\n',
        {"s": [[0.5], [0.25]]},
    ),
}


@pytest.mark.parametrize("case", SCORES)
def test_scores_when_of_a_kind_that_people_hold_then_are_read(case):
    text, expected = SCORES[case]
    found = parsing.parse("s.csv", text.encode(), "scores")
    assert {matrix.name: matrix.complete.values.tolist() for matrix in found} == expected


@pytest.mark.parametrize(
    "text",
    [
        (
            "map 1 .5\nmap 2 .25\nrunid all x\nmap all .375\nmap 1 .75\nmap 2 1\nrunid all y\nmap"
            " all .875\n"
        ),
        "runid all x\nmap 1 .5\nmap 2 .25\nrunid all y\nmap 1 .75\nmap 2 1\n",
        "map 1 .5\nrelstring 1 '01'\nmap 2 .25\nrunid all x\nmap 1 .75\nmap 2 1\nrunid all y\n",
    ],
    ids=["trec_eval -q", "names first", "a line without a number"],
)
def test_scores_of_trec_eval_when_several_outputs_are_put_together_then_each_has_its_name(text):
    (matrix,) = parsing.parse("s", text.encode(), "scores")
    assert (matrix.runs, matrix.values.tolist()) == (("x", "y"), [[0.5, 0.25], [0.75, 1]])


ALIKE = {
    "rounds are no subtopics": ("1 1 a 1\n1 2 b 0\n2 1 a 0\n", "TREC qrels"),
    "numbers as documents, with probabilities": (
        "52 0 111 1 0.5\n52 0 112 0 0.25\n",
        "qrels with probabilities",
    ),
    "grades above 1 in the fifth column": ("1 0 a 1 3\n1 0 b 2 0\n", "qrels with strata"),
    "documents that count like ranks": ("1 0 1 5\n1 0 2 3\n1 0 3 0\n", "TREC qrels"),
    "a grade beside a score": (
        "qid\tdocno\tscore\tlabel\n1\ta\t2.5\t1\n1\tb\t1.5\t0\n",
        "qrels with a header",
    ),
}


@pytest.mark.parametrize("case", ALIKE)
def test_qrels_when_much_like_another_format_then_are_told_from_it(case):
    text, title = ALIKE[case]
    (found,) = parsing.parse("f", text.encode())
    assert found.format == title


@pytest.mark.parametrize("heading", ["qid", "Query_ID", "topic-id"])
def test_matrix_when_topics_are_headed_by_any_usual_name_then_they_are_no_run(heading):
    (matrix,) = parsing.parse("s.csv", f"{heading},x,y\n401,0.5,0.25\n402,1,0\n".encode(), "scores")
    assert (matrix.runs, matrix.topics) == (("x", "y"), ("401", "402"))


def test_scores_when_qrels_are_given_instead_then_are_called_qrels_and_no_document_a_measure():
    said = refusal(ReadError, parsing.parse, "s", b"1 0 a 1\n1 0 b 0\n2 0 c 2\n", "scores")
    assert said.startswith("s: expected scores of runs, found what looks like TREC qrels. ")
    (matrix,) = parsing.parse("s", b"x 1 mine 0.5\nx 2 mine 0.25\n", "scores")
    assert matrix.name == "mine"


def test_scores_when_a_line_lacks_a_score_of_a_run_others_name_then_refused_and_no_header():
    with pytest.raises(irmeval.ReadError, match="line 4: expected a number as score, found 'NA'"):
        parsing.parse(
            "s.csv",
            b"run,topic,score\nx,1,0.5\nmodel,question,rbo\nx,2,NA\ny,1,1\ny,2,1\n",
            "scores",
        )


@pytest.mark.parametrize(
    "text", ["run,topic,score\n#7,1,0.5\n#7,2,1\ny,1,0\ny,2,0\n", "#1 0 a 1\n#1 0 b 0\n#1 0 c 0\n"]
)
def test_notes_when_names_begin_with_a_number_sign_then_their_rows_are_no_comments(text):
    (found,) = parsing.parse("s", text.encode())
    assert not any("comment" in note for note in found.notes)


@pytest.mark.parametrize(
    "mean", ["all", "Mean", "average", "AVG", "overall", "gmean", "macro avg", "Mean over topics"]
)
def test_matrix_when_a_row_holds_means_then_it_is_left_out_and_said(mean):
    (matrix,) = parsing.parse(
        "s.csv", f"topic,x,y\n1,0.5,0.25\n2,1,0\n{mean},0.75,0.125\n".encode(), "scores"
    )
    assert matrix.topics == ("1", "2")
    assert matrix.notes == (f"row {mean} left out, as it is no topic",)
    (long,) = parsing.parse("s.csv", f"run,topic,score\nx,1,0.5\nx,{mean},0.5\n".encode(), "scores")
    assert long.topics == ("1",)
    assert long.notes == (f"means over topics left out ({mean})",)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "run,topic,score\nx,1,0.5\n\nrun,topic,score\nx,1,0.5\n",
            "line 5: expected each topic once per run, found topic '1' of 'x' again, as in line 2",
        ),
        (
            "run,topic,score\nx,1,0.5\nx,2,half\n",
            "line 3: expected a number as score, found 'half'",
        ),
        (
            "run,topic,score\nx,1,0.5\nscore,run,topic\n0.5,y,1\n",
            "line 3: expected a number as score, found 'topic'",
        ),
        ("run,topic,score\nx,1,0.5\nx,2\n", "line 3: expected 3 columns"),
        ("x 1 map 0.5\nx 2 map nan\n", "expected finite scores"),
    ],
)
def test_scores_when_a_line_is_at_fault_then_it_is_named(text, said):
    with pytest.raises(ReadError, match=said):
        parsing.parse("s.csv", text.encode(), "scores")


def test_scores_when_dropped_without_a_usual_header_then_they_are_no_run():
    (matrix,) = parsing.parse("s.csv", SCORES["names of nobody's"][0].encode())
    assert matrix.judge == "s"
    with pytest.raises(ReadError):
        parsing.parse("s.csv", b"question,passage,points\n1,a,3\n1,b,2\n2,c,3\n2,d,2\n2,e,1\n")


def test_scores_when_a_run_lacks_a_topic_then_it_is_named():
    (matrix,) = parsing.parse("s.csv", SCORES["a topic that a run lacks"][0].encode(), "scores")
    assert matrix.complete.notes == ("1 topic that a run lacks left out (2)",)
    assert np.array_equal(matrix.values, [[0.5, 1], [0.25, np.nan]], equal_nan=True)


@pytest.mark.parametrize("dtype", [str, int, float])
def test_parquet_when_ids_are_numbers_or_texts_then_are_read_as_their_digits(dtype, tmp_path):
    pd.DataFrame(
        {"qid": np.array([1, 1], dtype), "docno": np.array([7, 8], dtype), "label": [1, 0]}
    ).to_parquet(tmp_path / "q.parquet")
    assert graded((tmp_path / "q.parquet").read_bytes()) == {("1", "7"): 1, ("1", "8"): 0}


NO_TEXT = {
    "bytes": [b"a", b"b\xff"],
    "a text and bytes": ["a", b"b\xff"],
    "a number and half of a surrogate pair": [1, "\ud800"],
}


@pytest.mark.parametrize("case", NO_TEXT)
def test_ids_when_one_is_no_text_in_unicode_then_all_are_refused_in_memory(case):
    lists = {"1": dict.fromkeys(NO_TEXT[case], 1)}
    for read in (irmeval.read_qrels, irmeval.read_run):
        told = refusal(ReadError, read, lists)
        assert re.search(": expected text in (Unicode|UTF-8), found ", told)


def test_parquet_when_an_id_is_no_text_then_it_is_refused(tmp_path):
    frame = pd.DataFrame({"qid": ["1", "1"], "docno": NO_TEXT["bytes"], "score": [1.0, 2.0]})
    frame.to_parquet(tmp_path / "r.parquet")
    told = refusal(ReadError, irmeval.read_run, tmp_path / "r.parquet")
    assert told.endswith(r"expected text in UTF-8, found 'b\\xff'. Write ids as texts.")


def test_parquet_when_recognised_then_its_ids_are_left_for_the_reader():
    [block] = first_blocks("f", FORMATS["run parquet"].encode("qid,docno,score\nq1,d1,2.5\n"))
    assert block.names == ("qid", "docno", "score")
    assert block.rows == [("", "", "2.5")]


def test_frame_when_pandas_made_ids_floats_or_runs_stand_in_a_column_then_is_read():
    qrels = pd.DataFrame({"qid": [1.0, 2.0], "docno": ["a", "b"], "label": [1.0, 1.0]})
    runs = pd.DataFrame(
        {
            "system": ["x", "y", "y"],
            "qid": [1.0, 1.0, 2.0],
            "docno": ["a", "a", "b"],
            "score": [1.0, 1.0, 1.0],
        }
    )
    c = irmeval.Collection.from_frames(qrels, runs)
    assert (c.runs, c.topics) == (("x", "y"), ("1", "2"))
    assert irmeval.evaluate(c, ["RR"]).means.tolist() == [[0.5, 1.0]]


def test_dictionary_when_topics_have_lists_then_documents_are_relevant_and_ranked_in_order():
    c = irmeval.Collection.from_dicts({"1": ["b", "c"]}, {"mine": {"1": ["a", "b"]}})
    assert irmeval.evaluate(c, ["RR", "AP"]).means.tolist() == [[0.5], [0.25]]


COMMENTED = {
    "topics of both files": (
        b"1 0 #lead 1\n#7 0 x 1\n",
        b"1 Q0 #lead 1 2 r\n#7 Q0 x 1 1 r\n",
        ("1", "#7"),
        (),
    ),
    "a judgment that is commented out": (
        b"1 0 a 1\n#2 0 b 1\n",
        b"1 Q0 a 1 2 r\n2 Q0 b 1 1 r\n",
        ("1",),
        ("1 commented judgment",),
    ),
    "a comment of as many words": (
        b"#qrels of topic one\n1 0 a 1\n",
        b"1 Q0 a 1 2 r\n",
        ("1",),
        ("1 comment line",),
    ),
    "a comment after a blank": (
        b"# 2 0 b 1\n1 0 a 1\n",
        b"1 Q0 a 1 2 r\n2 Q0 b 1 1 r\n",
        ("1",),
        ("1 comment line",),
    ),
}


@pytest.mark.parametrize("case", COMMENTED)
def test_line_when_it_begins_with_a_number_sign_then_is_a_judgment_only_of_a_topic_that_a_run_has(
    case, tmp_path
):
    qrels, run, topics, notes = COMMENTED[case]
    (tmp_path / "q").write_bytes(qrels)
    (tmp_path / "r").write_bytes(run)
    c = irmeval.read_collection(tmp_path / "q", tmp_path / "r")
    stored = irmeval.Workspace().add("mine", tmp_path / "q", tmp_path / "r").collection("mine")
    for read in (c, stored):
        assert read.topics == topics
        assert read.recognised[0] == f"TREC qrels ({notes[0]})" if notes else "TREC qrels"
        assert irmeval.evaluate(read, ["RR"]).means.tolist() == [[1.0]]


LEGAL = b"52 0 aaa1 1 1\n52 0 aab2 0 1\n52 0 aac3 0 1\n"


def test_legal_when_all_probabilities_are_1_then_is_asked_and_read_as_it_is_named(tmp_path):
    with pytest.raises(
        UndecidedFormat, match="could be qrels with strata or qrels with probabilities"
    ):
        parsing.parse_qrels("q", LEGAL)
    assert parsing.parse_qrels("q", LEGAL, "legal").design.stated.tolist() == [1, 1, 1]
    (tmp_path / "q").write_bytes(LEGAL)
    (tmp_path / "r").write_text("52 Q0 aab2 1 2 r\n52 Q0 aaa1 2 1 r\n")
    c = irmeval.read_collection(tmp_path / "q", tmp_path / "r", qrels_format="legal")
    assert irmeval.evaluate(c, ["AP"]).means.tolist() == [[0.5]]


def test_legal_when_documents_are_gray_then_they_are_pooled_and_not_judged():
    for more in ("", " 7", " 7 8"):
        qrels = parsing.parse_qrels(
            "q", f"1 0 a 1 0.5{more}\n1 0 b -1 0.25{more}\n1 0 c -2 1{more}\n".encode()
        )
        assert qrels.grade.tolist() == [1, -1, -2]
        assert qrels.design.stated.tolist() == [0.5, 0.25, 1]


def test_place_when_two_kinds_fit_then_decides_and_else_the_name_of_the_file():
    text = b"1 7187155 1\n"
    assert parsing.parse("f", text, "qrels")[0].format == "qrels of three columns"
    assert parsing.parse("f", text, "run")[0].format == "run by rank"
    assert parsing.parse("my/qrels.dev.tsv", text)[0].format == "qrels of three columns"
    assert parsing.parse("runs/bm25.tsv", text)[0].format == "run by rank"
    with pytest.raises(UndecidedFormat, match="State what it is: qrels or a run"):
        parsing.parse("f", text)


def test_header_when_it_has_ranks_and_grades_then_the_place_decides_and_else_it_is_asked():
    text = b"qid,docno,rank,rating\n1,a,2,1\n1,b,1,0\n"
    assert parsing.parse("f", text, "qrels")[0].format == "qrels with a header"
    assert parsing.parse("f", text, "run")[0].format.startswith("run with a header")
    with pytest.raises(UndecidedFormat, match="State what it is: qrels or a run"):
        parsing.parse("f", text)


def test_beir_when_dropped_without_a_telling_name_then_is_qrels():
    text = b"query-id\tcorpus-id\tscore\n1\ta\t1\n1\tb\t1\n"
    assert parsing.parse("test.tsv", text)[0].format == "qrels with a header"


def test_json_lines_when_of_documents_then_are_named_by_their_keys():
    refused = refusal(
        ReadError,
        parsing.parse,
        "corpus.jsonl",
        b'{"_id": "1", "text": "x"}\n{"_id": "2", "text": "y"}\n',
    )
    assert "found JSON lines with '_id', 'text'." in refused


def test_place_when_a_file_is_of_another_kind_then_is_named():
    assert "found what looks like TREC qrels" in refusal(
        ReadError, parsing.parse, "f", b"1 0 a 1\n1 0 b 0\n", "run"
    )
    assert "found what looks like a run by score" in refusal(
        ReadError, parsing.parse, "f", b"1 a 1.5\n1 b 0.5\n", "qrels"
    )


UNKNOWN_NAMES = {
    "grade": (
        "qrels",
        "topic,docno,qrel\n1,a,1\n1,b,0\n",
        "label or relevance or .* or score, found topic, docno, qrel",
    ),
    "document": (
        "qrels",
        "query\tpassage\trelevance\n1\ta\t1\n",
        "docno or .* or doc, found query, passage, relevance",
    ),
    "words": (
        "qrels",
        "qid,docno,grade of it\n1,a,some more text\n",
        "label or .* or score, found qid, docno, grade of it",
    ),
    "topic": (
        "",
        "question,docno,label\n1,a,1\n",
        "qid or .* or query_text, found question, docno, label",
    ),
    "score": (
        "run",
        "qid,docno,logit\n1,a,1.5\n",
        "score or similarity or sim, found qid, docno, logit",
    ),
    "score of JSON lines": (
        "run",
        '{"qid": 1, "docno": "a", "logit": 1}\n' * 2,
        "score or .* or sim, found qid, docno, logit",
    ),
    "value": ("", "run,topic,x,y\nr,1,0.5,0.5\n", "value or score, found run, topic, x, y"),
}


@pytest.mark.parametrize("case", UNKNOWN_NAMES)
def test_header_when_a_column_has_an_unknown_name_then_the_names_that_are_known_are_said(case):
    kind, text, expected = UNKNOWN_NAMES[case]
    with pytest.raises(ReadError, match=f"f: expected a column named {expected}. Rename a column"):
        parsing.parse("f", text.encode(), kind)
    if kind and "{" not in text:
        with pytest.raises(ReadError, match=expected):
            parsing.parse("f", text.encode(), kind, "header")


NOT_READ = {
    b"\x28\xb5\x2f\xfd\0": "unzstd",
    b"\x80\x04\x95": "json.dump",
    b"\x89HDF\r\n\x1a\n": "read_hdf",
    b"SQLite format 3\0": "sqlite3 -csv",
    b"%PDF-1.4\n1 0 obj\n": "found a PDF. Leave it out",
    b'<svg xmlns="http://www.w3.org/2000/svg">\n': "found an image. Leave it out",
    b"<!DOCTYPE html><html>": "Download the file itself",
    b"version https://git-lfs.github.com/spec/v1\n": "git lfs pull",
}


@pytest.mark.parametrize("data", NOT_READ)
def test_file_when_its_kind_is_not_read_then_is_named_with_what_converts_it(data):
    for kind in ("", "qrels", "run"):
        with pytest.raises(ReadError, match=NOT_READ[data]):
            [*(parsing.parse(*item, kind=kind) for item in irmeval.reading.files.unpack("f", data))]


OF_OLD_MACS = {
    # a line, with a number in it; the line of names before it
    "qrels": ("1 0 d{} 1\n", ""),
    "run": ("1 Q0 d{0} {0} 0.5 tag\n", ""),
    "CSV": ("1,d{},1\n", "query-id,corpus-id,score\n"),
}


@pytest.mark.parametrize(("line", "names"), OF_OLD_MACS.values(), ids=OF_OLD_MACS)
@pytest.mark.parametrize(
    "given", [{}, {"kind": "qrels"}, {"kind": "run"}, {"kind": "qrels", "form": "trec"}]
)
def test_text_when_its_lines_end_as_on_old_macs_then_the_remedy_makes_it_readable(
    given, line, names, tmp_path
):
    text = names + "".join(map(line.format, range(3)))
    (tmp_path / "FILE").write_text(text.replace("\n", "\r"), newline="")
    said = refusal(ReadError, recognise, "f", (tmp_path / "FILE").read_bytes(), **given)
    before, _, remedy = said.partition(" End them in LF: ")
    assert before.endswith("found lines that end in CR alone.")
    subprocess.run(remedy.removesuffix("."), shell=True, check=True, cwd=tmp_path)
    assert (tmp_path / "NEW").read_text() == text


# ---------------------------------------------------------------- files at fault


def broken(data: bytes) -> dict[str, bytes]:
    """A file, broken in ten ways."""
    lines = data.split(b"\n")
    middle = len(lines) // 2
    return {
        "without its first line": b"\n".join(lines[1:]),
        "without its first column": b"\n".join(
            line.partition(b"\t" if b"\t" in line else b" ")[2] for line in lines
        ),
        "a line short": b"\n".join(
            [*lines[:middle], lines[middle][: len(lines[middle]) // 2], *lines[middle:]]
        ),
        "cut in the middle": data[: len(data) // 2],
        "a word for each number": b"".join(
            b"x" if chr(byte) in "0123456789." else bytes([byte]) for byte in data
        ),
        "two files in one": data + b"1 Q0 a 1 2 t\nq,d\n" + data,
        "a nul": data[: len(data) // 2] + b"\0" + data[len(data) // 2 :],
        "another encoding": data.replace(b"d", b"\xe9"),
        "brackets": b"[" * 100_000 + data,
        "a long line": data + b"x" * 200_000,
        "twice": data + data,
        "blanks for separators": data.replace(b"\t", b" ").replace(b",", b" "),
    }


HUGE = "12345678901234567890"
TOO_LARGE = {
    "trec": f"1 0 a 1\n1 0 b {HUGE}\n2 0 a 1\n",
    "power": "1 0 a 1\n1 0 b 1e300\n2 0 a 1\n",
    "header": f"qid,docid,label\n1,a,1\n1,b,-{HUGE}\n",
    "json": f'{{"1": {{"a": 1, "b": {HUGE}}}}}',
    "jsonl": (
        f'{{"qid": "1", "docno": "a", "label": 1}}\n{{"qid": "1", "docno": "b", "label": {HUGE}}}\n'
    ),
}


@pytest.mark.parametrize("case", TOO_LARGE)
def test_grade_when_no_64_bits_hold_it_then_is_called_too_large(case):
    told = refusal(ReadError, parsing.parse_qrels, "q", TOO_LARGE[case].encode())
    assert (
        "expected a grade from -32768 to 32767, found a number of 19 digits or more. Map grades"
        in told
    )
    assert (", line " in told) == (not case.startswith("json"))


BEYOND_FLOATS = 10**400
LIST = {"qid": ["1"], "docno": ["a"], "score": [BEYOND_FLOATS]}
READ_BEYOND_FLOATS = {
    "jsonl": lambda: parsing.parse_run(
        "r", 2 * (json.dumps({k: v for k, [v] in LIST.items()}) + "\n").encode()
    ),
    "json": lambda: parsing.parse_run("r", json.dumps({"1": {"a": BEYOND_FLOATS}}).encode()),
    "lists": lambda: parsing.parse_run(
        "r",
        2
        * (
            json.dumps({"qid": "1", "hits": [{"docno": "a", "score": BEYOND_FLOATS}]}) + "\n"
        ).encode(),
    ),
    "frame": lambda: foreign.runs_from_frames(pd.DataFrame(LIST, dtype=object)),
    "grades": lambda: foreign.qrels_from_frame(pd.DataFrame(LIST, dtype=object)),
}


@pytest.mark.parametrize("case", READ_BEYOND_FLOATS)
def test_number_when_no_float_holds_it_then_is_refused_with_its_place(case):
    told = refusal(ReadError, READ_BEYOND_FLOATS[case])
    assert re.search("expected (a number|numbers) as [a-z ]+, found 10{20}", told)
    assert re.search("line 1|row 1|'1, a'", told)


def test_rank_when_no_64_bits_hold_it_then_is_refused(tmp_path):
    (tmp_path / "q").write_text("1 0 a 1\n")
    (tmp_path / "r").write_text(f"1 Q0 a {HUGE} 2 t\n1 Q0 b 1 1 t\n")
    told = refusal(ReadError, irmeval.read_collection, tmp_path / "q", tmp_path / "r", order="rank")
    assert f"expected whole numbers in the rank column, found '{HUGE}' for 'a' of topic '1'" in told


@pytest.mark.parametrize("key", FORMATS)
def test_file_when_broken_in_ten_ways_then_read_or_refused_in_one_short_line(key):
    found = FORMATS[key]
    for way, data in broken(found.encode(found.example)).items():
        for kind in (found.kind, ""):
            try:
                parsing.parse("f", data, kind)
            except IrmevalError as error:
                assert "\n" not in str(error), way
                assert len(str(error)) < 700, way
                assert str(error).startswith("f"), way


NESTED = {
    "a deep JSON text": b'{"a":' * 50_000,
    "brackets": b"[" * 200_000,
    "a long key": b'{"' + b"a" * 300_000,
    "numbers": b"[" + b"1," * 99_999,
}


@pytest.mark.parametrize("case", NESTED)
def test_json_when_hostile_then_refused_in_one_line(case):
    for kind in ("qrels", "run", "scores", ""):
        assert len(refusal(ReadError, parsing.parse, "f", NESTED[case], kind)) < 700


def test_json_when_it_is_large_then_is_told_how_to_become_lines(monkeypatch):
    monkeypatch.setattr("irmeval.reading.named_columns.LARGEST", 10)
    assert "jq -c" in refusal(ReadError, parsing.parse, "f", b'{"1": {"a": 1}}', "qrels")


def test_block_when_a_file_is_long_then_only_its_beginning_is_looked_at(monkeypatch):
    monkeypatch.setattr(first_block, "BYTES", 1000)
    (block,) = [
        found for found in first_blocks("f", b"1 Q0 a 1 1 t\n" * 100_000) if found.separator == " "
    ]
    assert len(block.rows) < 100


def test_plugin_when_it_adds_a_format_then_files_are_read_by_it(monkeypatch):
    monkeypatch.setattr(FORMATS, "_items", {**FORMATS})
    formats.add_format(
        "run pairs",
        title="run of pairs",
        looks="PAIRS",
        tell=lambda block: True if block.data.startswith(b"PAIRS") else None,
        read=lambda name, data, found: {
            "topics": ("1",),
            "topic": np.zeros(1, np.int32),
            "document": pa.array(["a"]),
            "score": np.ones(1),
        },
        example="PAIRS\n",
        source="a test",
    )
    assert parsing.parse("f", b"PAIRS\n")[0].format == "run of pairs"


SEVERAL = {
    "three grades a line": (
        "101 0 a 1 2 1\n101 0 b 2 0 0\n101 0 c 0 -1 -1\n101 0 d 1 2 2\n",
        {
            "usefulness": {("101", "a"): 1, ("101", "b"): 2, ("101", "c"): 0, ("101", "d"): 1},
            "supportiveness": {("101", "a"): 2, ("101", "b"): 0, ("101", "c"): -1, ("101", "d"): 2},
            "credibility": {("101", "a"): 1, ("101", "b"): 0, ("101", "c"): -1, ("101", "d"): 2},
        },
    ),
    "a column for each rater": (
        "query,docid,title,Ann,B. Lee\n1,a,x,1,0\n1,b,y,,2\n2,a,z,2,\n",
        {
            "Ann": {("1", "a"): 1, ("2", "a"): 2},
            "B. Lee": {("1", "a"): 0, ("1", "b"): 2},
        },
    ),
    "columns of labels": (
        "topic_id\ttweet_id\tclaim\tclaim_worthiness\n1\ta\t1\t0\n1\tb\t1\t1\n",
        {
            "claim": {("1", "a"): 1, ("1", "b"): 1},
            "claim_worthiness": {("1", "a"): 0, ("1", "b"): 1},
        },
    ),
}


@pytest.mark.parametrize("case", SEVERAL)
def test_qrels_when_a_line_has_several_grades_then_is_asked_which_and_reads_it(case):
    text, expected = SEVERAL[case]
    for kind in ("qrels", ""):
        with pytest.raises(UndecidedFormat) as asked:
            parsing.parse("q", text.encode(), kind)
        of_qrels = [key.removeprefix("qrels ") for key in asked.value.keys if "columns" in key]
        assert of_qrels == [f"columns:{name}" for name in expected]
    for name, grades in expected.items():
        assert graded(text, f"columns:{name}") == grades
    said = refusal(ReadError, parsing.parse_qrels, "q", text.encode(), "columns:Nobody")
    assert all(f"columns:{name}" in said for name in expected)


@pytest.mark.parametrize(
    ("text", "notes"),
    [
        ("qid,docid,Ann,Bo\n1,a,1,0\n1,b,0,2\n", ()),
        ("qid,docid,title,Ann,Bo\n1,a,x,1,0\n1,b,y,0,2\n", ("1 further column left out",)),
        ("qid,docid,Ann,title,Bo,url\n1,a,1,x,0,u\n", ("2 further columns left out",)),
    ],
)
def test_raters_when_each_has_a_column_then_no_rater_is_said_to_be_left_out(text, notes):
    for rater in ("Ann", "Bo"):
        judged = parsing.parse_qrels("q", text.encode(), f"columns:{rater}")
        assert (judged.format, judged.notes) == (f"qrels with several grades: {rater}", notes)


NO_SCORES = {
    "a log": (
        "epoch,steps,cosine-MRR@10\n0,100,0.8\n0,200,0.82\n",
        "'epoch', 'steps', as in a log",
    ),
    "measures": (
        "topic,map,ndcg_cut_10\n1,0.5,0.5\n2,1,0.5\n",
        "as in measures. Write lines",
    ),
    "measures by run": ("run,map,P_10\nx,0.5,0.5\ny,1,0.5\n", "as in measures"),
    "far out of the range": ("topic,x,y,n\n1,0.5,0.25,900\n2,1,0,800\n", "800 and more for 'n'"),
    "a model a line": ("model,a,b\nx,0.5,0.25\ny,1,0\n", "Head it topic if each line is a topic"),
    "means alone": ("topic,x,all\n1,0.5,0.5\n2,1,1\n", "at least 2 run names, found 1 beside all"),
}


@pytest.mark.parametrize("case", NO_SCORES)
def test_table_of_numbers_when_it_holds_no_scores_of_runs_then_is_refused_or_asked(case):
    text, said = NO_SCORES[case]
    for kind in ("scores", ""):
        assert said in refusal(ReadError, parsing.parse, "s.csv", text.encode(), kind)


def test_matrix_when_a_column_holds_means_then_it_is_left_out_and_said():
    text = b"topic,x,y,all\n1,0.3,0.4,0.35\n2,0.5,0.45,0.5\nall,0.4,0.425,0.41\n"
    (matrix,) = parsing.parse("s.csv", text)
    assert (matrix.runs, matrix.topics) == (("x", "y"), ("1", "2"))
    assert matrix.notes == (
        "row all left out, as it is no topic",
        "column all left out, as it is no run",
    )


def test_texts_of_queries_when_given_as_qrels_then_are_no_pairs():
    text = b"301\tinternational organized crime\n302\tpolio\n"
    with pytest.raises(ReadError):
        parsing.parse("q", text, "qrels")


@pytest.mark.parametrize("separator", [",", "\t"])
@pytest.mark.parametrize("runs", [100, 101, 126])
def test_matrix_when_it_has_more_columns_than_are_looked_at_then_is_recognised(runs, separator):
    names = [f"r{n}" for n in range(runs)]
    lines = [["topic", *names], *([t, *["0.5"] * runs] for t in ("1", "2"))]
    text = "".join(f"{separator.join(line)}\n" for line in lines)
    (matrix,) = parsing.parse("s", text.encode())
    assert len(matrix.runs) == runs


@pytest.mark.parametrize(
    ("lines", "header", "expected"),
    [
        (300, True, True),  # the last topic goes on beyond what is looked at
        (300, False, True),
        (255, True, True),
        (255, False, False),  # and here ends at another rank than 0 or 1
        (254, True, False),
    ],
)
def test_ranks_when_they_fall_in_a_topic_that_may_go_on_then_they_count(lines, header, expected):
    rows = [f"1,a{n},{n}" for n in range(200, 0, -1)]
    rows += [f"2,b{n},{n}" for n in range(400, 0, -1)]
    text = "\n".join([*["topic,document,number"] * header, *rows[:lines], ""])
    (block,) = (b for b in first_blocks("f", text.encode()) if b.separator == ",")
    assert block.counts(0, 2) == expected


@pytest.mark.parametrize(
    ("lines", "width", "expected"),
    [
        (3, 1, False),  # the file ends here: 3 0 1 are grades
        (300, 1, True),  # the last topic goes on, and 2 may follow
        (100, 5_000, True),  # beyond the bytes that are examined too
    ],
)
def test_numbers_with_gaps_when_the_file_may_go_on_then_they_count(lines, width, expected):
    numbers = [3, 0, 1, *range(4, lines + 1)]
    rows = ["1,a,1", "1,b,2", "1,c,0", *(f"2,{'d' * width}{n},{n}" for n in numbers)]
    (block,) = (b for b in first_blocks("f", "\n".join(rows).encode()) if b.separator == ",")
    assert block.counts(0, 2) == expected


@pytest.mark.parametrize("shift", [0, 1, 2])  # of which one ends at a backslash
@pytest.mark.parametrize("kind", ["qrels", "run"])
def test_json_when_the_examined_part_ends_within_a_text_then_its_rest_decides_nothing(kind, shift):
    document = "a, b" + r"\\" * 2_000
    lists = {"q" + "1" * shift: [f"{document}{n}" for n in range(100)]}
    blocks = first_blocks("f", json.dumps(lists).encode())
    assert [each.format.key for each in fitting_formats(blocks, kind)] == [f"{kind} json"]


@pytest.mark.parametrize("value", ["-0.25", "1.5e-07", '"10"', '"-2.5"', "null"])
def test_json_when_the_examined_part_ends_within_a_value_then_its_beginning_decides_nothing(value):
    start, end = f'{{"q":{{"d":1.5,"{"d" * 99}', f'":{value},"e":1.5}}}}'
    colon = end.index(":") + 1
    for seen in range(colon, colon + len(value) + 1):
        text = start + "d" * (BYTES - len(start) - seen) + end
        blocks = first_blocks("f", text.encode())
        assert [each.format.key for each in fitting_formats(blocks, "run")] == ["run json"]


def test_json_when_the_examined_part_ends_within_a_long_text_then_that_is_a_text():
    hits = {"hits": {"hits": [{"_id": "d", "_score": 1.0}]}}
    text = json.dumps({"took": 1, "request": "z" * 300_000, "responses": [hits]})
    blocks = first_blocks("f", text.encode())
    assert [each.format.key for each in fitting_formats(blocks)] == ["run lists"]
