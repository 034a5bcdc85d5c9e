"""Refusals of files and collections that are seldom met: each says what was expected, what
came, and what to do.
"""

import gzip
import io
import json
import tarfile
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import irmeval
from irmeval.collection.merge import merge_judgments
from irmeval.core.errors import IrmevalError, require
from irmeval.core.limits import refuse_over
from irmeval.core.records import Record
from irmeval.experiments import EXPERIMENTS
from irmeval.papers import PAPERS
from irmeval.papers.base import add
from irmeval.papers.findings import Finding
from irmeval.papers.on_collections import compare_collections
from irmeval.plots import elements
from irmeval.reading import files, foreign, parsing
from irmeval.reading.exclusions import parse_exclusions
from irmeval.reading.lists_of_objects import DOCUMENT, TOPIC_IDS, TOPIC_TEXTS
from irmeval.reading.named_columns import read_json
from irmeval.reading.score_matrix import Matrix, parse_matrix, with_judges
from irmeval.report import rerun
from irmeval.scoring.hole_grades import Learnt, TeamPool
from irmeval.scoring.selection import parse_names, parse_pair, select_by_name
from irmeval.scoring.sign_probability import effects
from tests.cases import SAMPLE, collection, read_once, refusal
from tests.counted import made
from tests.unit.reading.test_trec_reading import zipped

ROOM = 1 << 20
HALF = b"x" * (2 * ROOM // 3)
TOPICS = "expected texts or numbers as topics"
TWO_TOPICS = "expected each topic once, found '1' as a text and as a number. Keep one of them."
NOT_UNICODE = (
    "expected text in Unicode, found half of a surrogate pair: '\\ud800'. Fix or remove the text."
)
NAME_IT = "Name the topic, or leave it out."
SHAPE = "topic -> document -> number"


def tarred(members: dict[str, bytes], cut: int | None = None) -> bytes:
    """A tar file of these members, or its beginning."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name, data in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return packed.getvalue()[:cut]


def listed(*lists: object) -> bytes:
    """Lists of documents as JSON."""
    return json.dumps(lists).encode()


def as_parquet(**columns: list[object]) -> bytes:
    """A Parquet file of these columns."""
    file = io.BytesIO()
    pd.DataFrame(columns).to_parquet(file)
    return file.getvalue()


SCORED = {"docid": "a", "score": 1}
WITHOUT_RUN = {"query": "1", "results": [SCORED]}
TOPIC = ", ".join((*TOPIC_IDS, *TOPIC_TEXTS))
PACKED = {
    "a sheet": (
        zipped({"[Content_Types].xml": b"x", "a": b"b"}),
        "a zip file with run or qrels files in it, found an Office document. Save its sheet as"
        " CSV.",
    ),
    "packed twice": (
        gzip.compress(gzip.compress(b"1 Q0 a 1 1 t\n")),
        "a text packed by gzip, found one that is packed twice. Unpack it first.",
    ),
    "a tar of litter": (
        tarred({"__MACOSX/a": b"x"}),
        "a tar file with run or qrels files in it, found an empty one.",
    ),
    "a tar that is cut": (
        tarred({"a": b"x" * 3000}, cut=1500),
        "a tar file, found damaged data (unexpected end of data). Pack it again.",
    ),
    "a tar whose packed member leaves no room": (
        tarred({"a.gz": gzip.compress(HALF), "b": HALF}),
        "at most 1 MiB when unpacked, found more. Split the tar.",
    ),
    "a tar whose packed member finds no room": (
        tarred({"a": HALF, "b.gz": gzip.compress(HALF)}),
        "at most 1 MiB when unpacked, found more. Split the tar.",
    ),
    "a zip whose packed member finds no room": (
        zipped({"a": HALF, "b.gz": gzip.compress(HALF)}),
        "at most 1 MiB when unpacked, found more. Split the zip.",
    ),
    "a tar of text that grows as UTF-8": (
        tarred({"a": ("\u3042" * (2 * ROOM // 5)).encode("utf-16")}),
        "at most 1 MiB when unpacked, found more. Split the tar.",
    ),
    "UTF-16 that is cut": (
        b"\xff\xfea",
        "text in UTF-16, as its first bytes say, found binary data. Save it as UTF-8 text.",
    ),
    "a tar of too many": (
        gzip.compress(tarred({str(i): b"" for i in range(2003)})),
        "at most 2001 files in a tar, found more. Split it.",
    ),
}
READ = {
    "documents without a grade": (
        b"qid,docno,label\n1,a,\n1,b,\n",
        ": expected at least one judgment, found documents without a grade. Fill in the grades.",
    ),
    "Parquet without a row": (
        as_parquet(qid=[], docno=[], label=[]),
        ": expected at least one row, found none.",
    ),
    "a level that NTCIR has not": (
        b"1 L1 a\n1 L2 b\n1 L9 c\n1 L0 d\n",
        ", line 3: expected a level of NTCIR (L0, L1, ... or S, A, B, C, D), found L9.",
    ),
    "a line that is no object": (
        b'{"qid":"1","docno":"a","label":1}\n3\n',
        ", line 2: expected an object, found 3. Fix or remove the line.",
    ),
    "an object without a key": (
        b'{"qid":"1","docno":"a","label":1}\n{"qid":"1","label":1}\n',
        ", line 2: expected the key docno, found {'qid': '1', 'label': 1}. Fix or remove the line.",
    ),
    "a grade in words": (
        b'{"qid":"1","docno":"a","label":1}\n{"qid":"1","docno":"b","label":"x"}\n',
        ", line 2: expected a number as grade, found 'x'. Fix or remove the line.",
    ),
    "a number among lists": (
        b'{"1": {"a": {"x": 1}, "b": 3}}',
        f": expected {SHAPE}, found 1, b: 3. Fix or remove it.",
    ),
    "a score for some documents": (
        listed({"query": "1", "results": [{"docid": "a", "score": 1}, {"docid": "b"}]}),
        ": expected a score for each document, found none for 'b' of topic '1'. Add it.",
    ),
    "a run for some topics": (
        listed(
            {"query": "1", "run": "r", "results": [SCORED]}, {"query": "2", "results": [SCORED]}
        ),
        ": expected a run for each topic, found none of topic '2'. Add it.",
    ),
    "lists of no document": (
        listed({"query": "1", "results": []}),
        ": expected topics with documents, found none.",
    ),
    "a document without its id": (
        listed({"query": "1", "results": [SCORED, {"score": 1}]}),
        f": expected a document with an id ({', '.join(DOCUMENT)}), found {{'score': 1}}. Fix or"
        " remove it.",
    ),
    "a list without its topic": (
        listed(WITHOUT_RUN, {"results": [SCORED]}),
        f": expected a topic ({TOPIC}) of each list, found {SCORED}. Fix or remove it.",
    ),
    "a number of too many digits": (
        b'{"qid":"1","docno":"a","label":1}\n{"qid":"1","docno":"b","label":%s}\n' % (b"1" * 5000),
        ", line 2: expected JSON of qrels, a run or scores, found deeply nested brackets or a huge"
        " number.",
    ),
    "XML": (
        b'<?xml version="1.0"?><a/>',
        ": expected qrels, a run or scores, found XML or topics. Leave it out.",
    ),
    "means of runs": (
        b"run,topic,score\na,all,0.5\nb,all,0.3\n",
        ": expected scores by topic, found means over topics only. Print scores by topic, as"
        " trec_eval -q does.",
    ),
    "too many levels": (
        b'{"1":{"2":{"3":{"4":{"5":{"6":{"7":{"a":1}}}}}}}}',
        f": expected {SHAPE}, found deeper nesting. Take a level out.",
    ),
}
BLANK = "Give each line a topic and a document, or name a qrels file."
NEXT = EXPERIMENTS["judge-next"]
TWO_RUNS = {"x": {"1": {"a": 1.0}}, "y": {"1": {"a": 2.0}}}


JUDGED = {"1": {"a": 1}}
TWICE = ["qid", "docno", "label", "label"]


def frame(**columns: list[int]) -> pd.DataFrame:
    """A line of a topic and a document, with these columns besides."""
    return pd.DataFrame({"qid": ["1"], "docno": ["a"]} | columns)


def agreed() -> irmeval.Collection:
    """A collection with two judges who have judged what the first has."""
    first = made(4, 7).with_judgments("x", {"0": {"a": 1}})
    return first.with_judgments("y", {"0": {"a": 1}})


def without_relevant() -> irmeval.Collection:
    """A collection in which nothing is relevant."""
    return collection({"1": {"a": 0}}, {"r0": {"1": ["a"]}, "r1": {"1": ["b"]}})


CALLS = {
    "a file for a result that needs none": (
        lambda: rerun({"experiment": "top-heaviness", "params": {"last": 5}}, "q"),
        "top-heaviness: expected no files, found 1 file.",
    ),
    "what teams find where nothing is relevant": (
        lambda: Learnt.of(TeamPool.of(without_relevant(), ["r0", "r1"]), 10),
        "what-if: expected a judged relevant document, found none.",
    ),
    "a finding without an exhibit": (
        lambda: add(replace(PAPERS["bompada-2007"], findings={"c": Finding("Table 99", *"1234")})),
        "bompada-2007: expected an exhibit that holds Table 99, for the finding 'c', found none.",
    ),
    "no pair": (
        lambda: parse_exclusions("f", b"\n"),
        f"f: expected pairs of topic and document, found none. {BLANK}",
    ),
    "a tab in a name": (
        lambda: parse_exclusions("f", b'topic,document\n"a\tb",c\n'),
        rf"f: expected pairs of topic and document, found 'a\tb\tc'. {BLANK}",
    ),
    "two runs for one": (
        lambda: foreign.run_from_dict("r", TWO_RUNS),
        "r: expected topic -> document -> score, found deeper nesting. Give one run at a time.",
    ),
    "weights without runs": (
        lambda: irmeval.reduce(read_once(SAMPLE[0], ()), "weighted", rate=10),
        "weighted: expected runs, found none. Use uniform, which needs none.",
    ),
    "a pool without runs": (
        lambda: irmeval.reduce(read_once(SAMPLE[0], ()), "shallow", pool=5),
        "pool: expected runs, found none. Read the runs too.",
    ),
    "judges who judged the same": (
        lambda: NEXT(agreed(), ["AP"], by="disagreement"),
        "disagreement: no two other judges have graded a document that qrels has not judged. Use"
        " residual.",
    ),
    "less than a document": (
        lambda: EXPERIMENTS["orders"].params(budgets=("0.5%",), unit="documents"),
        "budgets: expected at least 1 document, found 0.5%. Or set unit='per cent'.",
    ),
    "a choice where there is none": (
        lambda: EXPERIMENTS["collection"](made(4, 7)).plot(choice="x"),
        "plot: this result has no choice. Leave it out.",
    ),
    "runs of an experiment on all": (
        lambda: EXPERIMENTS["orders"](made(4, 7), ["AP"], only=["r0"]),
        "orders: works on all runs; select some of them first.",
    ),
    "no measure": (
        lambda: compare_collections({"a": made(3, 7), "b": made(4, 7)}, []),
        "measures: expected at least one, such as AP, found none.",
    ),
    "a run that is not there": (
        lambda: select_by_name(made(3, 7), ["r0", "zz"], ["0"]),
        "runs: expected runs of the collection, found 1 other: zz.",
    ),
    "topics that are not there": (
        lambda: select_by_name(made(3, 7), ["r0"], ["8", "9"]),
        "topics: expected topics of the collection, found 2 others: 8, 9.",
    ),
    "a run without scores and ranks": (
        lambda: irmeval.Collection.from_frames(frame(label=[1]), frame()),
        "run: expected a column named score or similarity or sim, found qid, docno. Rename a"
        " column.",
    ),
    "a column that stands twice": (
        lambda: irmeval.Collection.from_frames(
            frame(label=[1], grade=[1]).set_axis(TWICE, axis=1), frame(score=[1])
        ),
        "qrels: expected each column once, found label twice. Leave one out.",
    ),
    "a run whose name is no text": (
        lambda: irmeval.Collection.from_dicts(JUDGED, {1: {"1": {"a": 1.0}}}),
        "runs: expected texts as names of runs, found 1.",
    ),
    "a run without a name": (
        lambda: irmeval.Collection.from_dicts(JUDGED, {"": {"1": {"a": 1.0}}}),
        "runs: expected a name for each run, found a blank one.",
    ),
    "a frame without a name": (
        lambda: irmeval.Collection.from_frames(frame(label=[1]), {" ": frame(score=[1])}),
        "runs: expected a name for each run, found a blank one.",
    ),
    "a frame whose name is no text": (
        lambda: irmeval.Collection.from_frames(frame(label=[1]), {1: frame(score=[1])}),
        "runs: expected texts as names of runs, found 1.",
    ),
    "a run whose name no file can hold": (
        lambda: irmeval.Collection.from_dicts(JUDGED, {"\ud800": {"1": {"a": 1.0}}}),
        f"runs: {NOT_UNICODE}",
    ),
    "a judge whose name is no text": (
        lambda: irmeval.Judges.from_dicts({1: JUDGED, "b": JUDGED}),
        "judge: expected a name of 1 to 100 characters, found 1.",
    ),
    "a judge whose name is blank": (
        lambda: irmeval.Judges.from_dicts({"a": JUDGED, " ": JUDGED}),
        "judge: expected a name of 1 to 100 characters, found ' '.",
    ),
    "a topic of judgments that no file can hold": (
        lambda: irmeval.read_qrels(JUDGED | {"\ud800": {"a": 1}}),
        f"qrels: {NOT_UNICODE}",
    ),
    "a topic of a run that no file can hold": (
        lambda: irmeval.evaluate(JUDGED, {"1": {"a": 1.0}, "\ud800": {"a": 1.0}}),
        f"run: {NOT_UNICODE}",
    ),
    "a topic of judgments as a text and as a number": (
        lambda: irmeval.read_qrels({1: {"a": 1}, "1": {"b": 0}}),
        f"qrels: {TWO_TOPICS}",
    ),
    "a topic of a run as a text and as a number": (
        lambda: irmeval.Collection.from_dicts(JUDGED, {"x": {1: {"a": 1.0}, "1": {"b": 2.0}}}),
        f"x: {TWO_TOPICS}",
    ),
    "judgments of no topic": (
        lambda: irmeval.Collection.from_dicts({None: {"a": 1}}, TWO_RUNS),
        f"qrels: {TOPICS}, found None. {NAME_IT}",
    ),
    "a run of no topic": (
        lambda: irmeval.Collection.from_dicts(JUDGED, {"x": {None: {"a": 1.0}}}),
        f"x: {TOPICS}, found None. {NAME_IT}",
    ),
    "a run in memory of no topic": (
        lambda: irmeval.read_run({float("nan"): {"a": 1.0}}),
        f"run: {TOPICS}, found nan. {NAME_IT}",
    ),
    "a run whose topic pandas lacks": (
        lambda: irmeval.read_run({pd.NA: {"a": 1.0}}),
        f"run: {TOPICS}, found <NA>. {NAME_IT}",
    ),
    "a topic that is a pair": (
        lambda: irmeval.read_qrels({("1", "2"): {"a": 1}}),
        f"qrels: {TOPICS}, found ('1', '2'). {NAME_IT}",
    ),
    "a topic with an empty name": (
        lambda: irmeval.read_qrels({"": {"a": 1}}),
        "qrels: expected a topic and a document in each row, found an empty cell in row 1.",
    ),
    "a topic of judgments that is a number": (
        lambda: irmeval.Collection.from_dicts(JUDGED | {"2": 3}, TWO_RUNS),
        f"qrels: expected {SHAPE}, found 3 for '2'. Fix or remove it.",
    ),
    "a topic whose documents have no score": (
        lambda: irmeval.Collection.from_dicts(JUDGED, {"r": {"1": {"a": 1.0}, "2": ["b"]}}),
        "r: expected a number for each document, found documents alone for '2'. Add the numbers.",
    ),
    "gains that are a list": (
        lambda: irmeval.evaluate(made(3, 7), ["nDCG"], gains=[1]),
        "gains: expected numbers, grade to gain, as in {1: 1, 2: 3}, found [1].",
    ),
    "a gain of half a grade": (
        lambda: irmeval.evaluate(made(3, 7), ["nDCG"], gains={0.5: 1}),
        "gains: expected grades as whole numbers from 0, found 0.5.",
    ),
    "a gain of grade 0": (
        lambda: irmeval.evaluate(made(3, 7), ["nDCG"], gains={0: 1}),
        "gains: a document of grade 0 is not relevant and gains nothing, found 1.",
    ),
    "a relevant grade that gains nothing": (
        lambda: irmeval.evaluate(made(3, 7), ["nDCG"], gains={1: 0}),
        "gains: grade 1 counts as relevant and must gain more than 0; to leave it out, set rel=2.",
    ),
    "runs without a topic in common": (
        lambda: Matrix("m", ("a", "b"), ("1", "2"), np.array([[1, np.nan], [np.nan, 2]])).complete,
        "m: expected a topic that all runs have, found none. Leave runs out.",
    ),
    "scores of one judge": (
        lambda: with_judges({"a": parse_matrix("f", b"a,b\n1,2\n")}),
        "scores: expected the scores of at least 2 judges with a name, found a.",
    ),
    "a run in place of scores": (
        lambda: parse_matrix("f", b"1,Q0,a,1,1.5,t\n"),
        "f, line 1: expected a score matrix, as there are commas, found what looks like a run or"
        " qrels with columns separated by commas. Replace them with blanks, and remove the header"
        " line.",
    ),
    "half of a surrogate pair": (
        lambda: read_json("f", b'{"a": "\\ud800"}', "a recipe", "Write it again."),
        "f, line 1: expected text in Unicode, found half of a surrogate pair in"
        """ '{"a": "\\\\ud800'. Write it again.""",
    ),
    "a name with one quote": (
        lambda: parse_names('a,"b', ["a"]),
        """runs_only: expected names separated by commas, found 'a,"b'.""",
    ),
    "a pair of one run": (
        lambda: parse_pair("r0", ("r0", "r1")),
        "pair: expected two runs, found 1.",
    ),
    "an unknown aggregate": (
        lambda: irmeval.evaluate(made(3, 7), ["AP"]).over_topics("max"),
        "aggregate: expected one of mean, geometric, median, found 'max'.",
    ),
    "a number in place of a collection": (
        lambda: irmeval.evaluate(5, ["AP"]),
        "collection: expected one as made by irmeval.read_collection(qrels, runs), or"
        " Collection.from_frames or from_dicts, found 5.",
    ),
    "a grade above all": (
        lambda: effects(made(3, 7), irmeval.measure("AP"), "r0", "r1", [0], ["u"], grade=9),
        "grade: expected at most 2, the highest of the qrels, found 9.",
    ),
    "more memory than allowed": (
        lambda: refuse_over(1e13, "This", "Take fewer runs"),
        "This would take 10,000.0 GB, more than the 2 GB allowed. Take fewer runs, or raise"
        " IRMEVAL_MEMORY.",
    ),
    "judgments of a topic that is not there": (
        lambda: merge_judgments(made(3, 7), "f", b"99 0 a 1\n"),
        "f, line 1: expected topics of the collection, found '99'. Leave out its lines, or select"
        " the topic.",
    ),
    "judgments without a grade": (
        lambda: merge_judgments(made(3, 7), "f", b"0 0 zz -1\n"),
        "f: expected a grade of 0 or higher for at least one document, found none. Put grades in"
        " place of -1.",
    ),
    "judgments that are there": (
        lambda: merge_judgments(made(3, 7), "f", b"0 0 a 1\n0 0 b 1\n"),
        "f, line 1: expected documents not judged yet, found 'a' of topic '0', already graded 2,"
        " here 1, and 1 more. Leave them out.",
    ),
    "a package that is not there": (
        lambda: require("no_such_package", "cluster"),
        "this needs the package no_such_package, which is not installed: pip install"
        ' "irmeval[cluster]"',
    ),
    "parameters of another experiment": (
        lambda: EXPERIMENTS["agreement"](made(3, 7), ["AP"], EXPERIMENTS["lab"].params()),
        "agreement: expected parameters of its own, found Params.",
    ),
    "lines where each pair has its sample": (
        lambda: EXPERIMENTS["curves"](made(5, 7), ["AP"], sample_of="pair", by="teams=2,3"),
        "by: sample_of=pair has no lines; leave one of the two out.",
    ),
    "gains in the name of a measure": (
        lambda: irmeval.measure("nDCG(dcg=exp-log2)"),
        "'nDCG(dcg=exp-log2)': gains are a policy here. Write nDCG and --gains 1:1,2:3,3:7,4:15,"
        ' in Python gains="1:1,2:3,3:7,4:15".',
    ),
    "a prime of a metric that has none": (
        lambda: irmeval.measure("Judged@10'"),
        "Judged has no condensed-list form: measures unjudged documents: a document counts as"
        " judged only if the judgments in use contain its grade.",
    ),
    "a marker that SVG has not": (
        lambda: elements.marker(0, 0, 1, "cross", "black", 1),
        "a marker of the form cross cannot be drawn as SVG",
    ),
    "a key that is not known": (
        lambda: Record("f", "", {"x": 1}).only(["a", "b"]),
        "f, x: expected one of the keys a, b, found 'x'. Check how it is written.",
    ),
    "no level at which all have a score": (
        lambda: EXPERIMENTS["gains"](
            collection({"1": {"a": 1}, "2": {"a": 0}}, {"r": {"1": ["a"]}, "s": {"2": ["a"]}}),
            ["nDCG"],
        ),
        "gains: expected at least 2 runs and 2 topics with a score for every run, found 2 runs and"
        " 1 topic.",
    ),
}


@pytest.mark.parametrize("case", PACKED)
def test_packed_file_when_refused_then_says_what_to_do(case):
    data, said = PACKED[case]
    assert refusal(IrmevalError, list, files.unpack("f", data, ROOM)) == f"f: expected {said}"


@pytest.mark.parametrize(
    ("archive", "pack"),
    [("tar", tarred), ("zip", zipped), ("tar", lambda members: gzip.compress(tarred(members)))],
)
def test_archive_when_it_holds_a_tar_then_the_member_is_refused(archive, pack):
    data = pack({"a": tarred({"b": b"x"})})
    assert refusal(IrmevalError, list, files.unpack("f", data, ROOM)) == (
        f"f/a: expected a text or gzip file, found a tar inside a {archive}. Unpack it first."
    )


@pytest.mark.parametrize("case", READ)
def test_text_when_refused_then_says_where_and_what_to_do(case):
    data, said = READ[case]
    assert refusal(IrmevalError, parsing.parse, "f", data) == f"f{said}"


@pytest.mark.parametrize("case", CALLS)
def test_call_when_refused_then_says_what_was_expected(case):
    call, said = CALLS[case]
    assert refusal(IrmevalError, call) == said
